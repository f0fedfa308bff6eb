// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/seed.h"

#include <random>

namespace denoir {

std::uint64_t draw_seed() {
    std::random_device device;
    return std::uniform_int_distribution<std::uint64_t>(0, largest_drawn_seed)(device);
}

} // namespace denoir
