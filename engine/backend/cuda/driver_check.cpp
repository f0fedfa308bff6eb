// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/driver_check.h"

#include <fmt/format.h>

#include "engine/core/error.h"

namespace denoir::cuda {

void check_driver(int index, int driver, int needed) {
    constexpr int major = 1000, minor = 10;
    if (driver <= 0)
        throw Error("", "device", fmt::format("cuda:{} cannot be used: no NVIDIA driver is installed", index),
                    "install the driver, or use the device cpu");
    if (driver / major < needed / major)
        throw Error(
            "", "device",
            fmt::format("cuda:{} cannot be used: the NVIDIA driver is for CUDA {}.{}, this module needs {} or later",
                        index, driver / major, driver % major / minor, needed / major),
            "install a newer driver, or use the device cpu");
}

} // namespace denoir::cuda
