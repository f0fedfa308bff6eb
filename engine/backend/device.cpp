// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/device.h"

#include <charconv>

#include "engine/core/error.h"

namespace denoir {

Device Device::parse(std::string_view text) {
    if (text == "cpu") return {};
    if (text == "cuda") return {Kind::cuda, 0};
    constexpr std::string_view prefix = "cuda:";
    if (text.starts_with(prefix)) {
        const char *begin = text.data() + prefix.size(), *end = text.data() + text.size();
        int index = 0;
        const auto [rest, error] = std::from_chars(begin, end, index);
        if (begin != end && error == std::errc{} && rest == end && index >= 0 && *begin != '-')
            return {Kind::cuda, index};
    }
    throw UsageError("", "device", "'" + printable(text, 40) + "' is no device", "use cpu, cuda or cuda:N");
}

std::string Device::name() const { return kind == Kind::cpu ? "cpu" : "cuda:" + std::to_string(index); }

} // namespace denoir
