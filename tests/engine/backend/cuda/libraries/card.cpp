// SPDX-License-Identifier: Apache-2.0
// The card of a module for tests: made of host memory, with stand-ins for NVIDIA's libraries. The matrix library's
// algorithms and the other's plans are tried, but all take equally long.
#include "tests/engine/backend/cuda/libraries/fake_blas.h"
#include "tests/engine/backend/cuda/libraries/fake_dnn.h"

namespace denoir::cuda {

std::shared_ptr<Runtime> open_card(int) {
    auto card = std::make_shared<FakeRuntime>(std::size_t{2} << 30, true);
    card->fail_as_asked();
    const auto submit = [runtime = card.get()](std::function<void()> work) { runtime->submit(std::move(work)); };
    test::fake_blas().submit = test::fake_dnn().submit = submit;
    test::fake_blas().algorithms = {{.workspace = 1 << 20, .alignment = 16}, {.alignment = 1}};
    for (auto& plans : test::fake_dnn().plans) plans = {{.workspace = 1 << 20}, {}};
    return card;
}

} // namespace denoir::cuda
