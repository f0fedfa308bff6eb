// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/device.h"

#include "engine/core/error.h"
#include "engine/core/text.h"

namespace denoir {

Device Device::parse(std::string_view text) {
    if (text == "cpu") return {};
    if (text == "cuda") return {Kind::cuda, 0};
    constexpr std::string_view prefix = "cuda:";
    if (text.starts_with(prefix)) {
        const std::string_view number = text.substr(prefix.size());
        if (const auto index = read_whole<int>(number); index && !number.starts_with('-')) return {Kind::cuda, *index};
    }
    throw UsageError("", "device", "'" + printable(text, 40) + "' is not a device", "use cpu, cuda or cuda:N");
}

std::string Device::name() const { return kind == Kind::cpu ? "cpu" : "cuda:" + std::to_string(index); }

} // namespace denoir
