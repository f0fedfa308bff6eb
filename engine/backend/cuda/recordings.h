// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "engine/backend/cuda/cuda_backend.h"

namespace denoir::cuda {

/// Kernels recorded once.
struct CudaBackend::Recording {
    std::vector<Tensor> inputs; ///< copied to before each replay
    Tensor output;
    std::unique_ptr<Graph> graph;
    bool refused = false;
    std::size_t bytes = 0; ///< that the call before had in use at most, beside its inputs

    void reset() {
        graph.reset();
        output = {};
        inputs.clear();
    }
};

} // namespace denoir::cuda
