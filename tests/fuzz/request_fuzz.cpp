// SPDX-License-Identifier: Apache-2.0
// Requests, sweeps and records of runs; a request that is taken is stored and read again as the same.
#include <cstdlib>
#include <functional>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/json_reader.h"
#include "engine/session/request_json.h"
#include "engine/session/run_record.h"
#include "engine/session/sweep.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace denoir;
    const auto attempt = [](const std::function<void()>& what) {
        try {
            what();
        } catch (const Error&) { // the only error that a bad text may give
        }
    };
    attempt([&] {
        const Json json = parse_json({reinterpret_cast<const char*>(data), size}, "case.json");
        attempt([&] {
            const Json asked = asked_json(request_from_json(json, {}));
            if (asked_json(request_from_json(asked, {})) != asked) std::abort();
        });
        attempt([&] { sweep_from_json(json, {}); });
        attempt([&] { record_from_json(json, "case.json"); });
    });
    return 0;
}
