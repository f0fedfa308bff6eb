// SPDX-License-Identifier: Apache-2.0
#include "engine/core/memory.h"

#include <fstream>
#include <string>

namespace denoir {

std::size_t available_memory() {
    std::ifstream info("/proc/meminfo");
    std::string word;
    while (info >> word)
        if (word == "MemAvailable:") {
            std::size_t kib = 0;
            return info >> kib ? kib * 1024 : 0;
        }
    return 0;
}

} // namespace denoir
