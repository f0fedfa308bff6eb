// SPDX-License-Identifier: Apache-2.0
// The card of a module for tests: made of host memory, with stand-ins for NVIDIA's libraries.
#include "tests/engine/backend/cuda/stand_ins/runtime.h"

namespace denoir::cuda {

std::shared_ptr<Runtime> open_card(int) {
    static test::FakeCublasLt& library = test::fresh_cublas_lt();
    library.algorithms = {{.milliseconds = 20, .alignment = 1}, {.milliseconds = 10, .workspace = 1 << 20}};
    auto card = std::make_shared<test::StreamRuntime>(std::size_t{2} << 30, true);
    card->fail_as_asked();
    return card;
}

} // namespace denoir::cuda
