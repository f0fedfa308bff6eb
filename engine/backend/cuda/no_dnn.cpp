// SPDX-License-Identifier: Apache-2.0
// Stands in for dnn_graph.cpp if cuDNN's headers are missing at build time.
#include "engine/backend/cuda/dnn.h"

namespace denoir::cuda {

std::unique_ptr<Dnn> open_dnn(Runtime&, std::string& why) {
    why = "this build does not know cuDNN";
    return nullptr;
}

} // namespace denoir::cuda
