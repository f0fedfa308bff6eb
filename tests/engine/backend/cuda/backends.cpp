// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/backends.h"

#include "tests/engine/backend/kernel_test.h"

namespace denoir::test {

/// On the second device the threads take turns in reverse, so that a kernel with a race gives other bytes there. Its
/// memory starts as NaN even if it was used before, and attention works on the queries in several parts.
std::span<const std::shared_ptr<Backend>> backends_under_test() {
    cuda::CudaBackend::Options poisoned;
    poisoned.poison = true;
    poisoned.piece_bytes = 50'000;
    static const std::vector<std::shared_ptr<Backend>> all = {
        Emulated().backend, Emulated(std::size_t{1} << 30, cuda::EightBit::off, true, std::move(poisoned)).backend};
    return all;
}

std::unique_ptr<cuda::Dnn> library_under_test(cuda::FakeRuntime&) { return nullptr; }

} // namespace denoir::test
