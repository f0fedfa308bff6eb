// SPDX-License-Identifier: Apache-2.0
// Cards of a module for tests: made of host memory.
#include "engine/backend/cuda/fake_runtime.h"

namespace denoir::cuda {

std::shared_ptr<Runtime> open_card(int) { return std::make_shared<FakeRuntime>(std::size_t{2} << 30); }

} // namespace denoir::cuda
