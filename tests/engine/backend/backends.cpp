// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "kernel_test.h"

namespace denoir::test {

std::span<const std::shared_ptr<Backend>> backends_under_test() {
    // Never destroyed, because a card's libraries may be unloaded earlier when the program ends.
    static const auto& all = *new std::vector<std::shared_ptr<Backend>>([] {
        std::vector<std::shared_ptr<Backend>> opened;
        const char* asked = std::getenv("DENOIR_TEST_DEVICE");
        const Device device = Device::parse(asked ? asked : "cpu");
        for (int threads = 1; threads <= (device.kind == Device::Kind::cpu ? 4 : 2); ++threads)
            opened.push_back(open_backend(device, threads));
        return opened;
    }());
    return all;
}

} // namespace denoir::test
