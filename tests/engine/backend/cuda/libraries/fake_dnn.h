// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cuda/dnn.h"
#include "engine/backend/cuda/fake_runtime.h"
#include "tests/engine/backend/cuda/libraries/fake/dnn.h"

namespace denoir::test {

/// The stand-in that is loaded as libcudnn.so.9.
FakeDnn& fake_dnn();

/// Opens it for that card, with one plan for each pattern for which the test has none.
std::unique_ptr<cuda::Dnn> open_fake_dnn(cuda::FakeRuntime&);

} // namespace denoir::test
