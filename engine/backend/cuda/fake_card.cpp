// SPDX-License-Identifier: Apache-2.0
// Cards of a module for tests: made of host memory. DENOIR_FAKE_CARD_FAILS=FIRST:LAST: these allocations find none.
#include <cstdio>
#include <cstdlib>

#include "engine/backend/cuda/fake_runtime.h"

namespace denoir::cuda {

std::shared_ptr<Runtime> open_card(int) {
    auto card = std::make_shared<FakeRuntime>(std::size_t{2} << 30);
    int first = 0, last = 0;
    const char* fails = std::getenv("DENOIR_FAKE_CARD_FAILS");
    if (fails && std::sscanf(fails, "%d:%d", &first, &last) == 2) card->fail_between(first, last);
    return card;
}

} // namespace denoir::cuda
