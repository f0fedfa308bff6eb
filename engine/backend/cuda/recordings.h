// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "engine/backend/cuda/cuda_backend.h"

namespace denoir::cuda {

/// The recorded kernels of one key of captured().
struct CudaBackend::Recording {
    std::vector<Tensor> inputs; ///< copied to before each replay
    Tensor output;
    std::unique_ptr<Graph> graph;
    bool refused = false;  ///< it cannot be recorded; the kernels are started one by one
    std::size_t bytes = 0; ///< the most that the first call had in use, beside its inputs

    void reset() {
        graph.reset();
        output = {};
        inputs.clear();
    }
};

} // namespace denoir::cuda
