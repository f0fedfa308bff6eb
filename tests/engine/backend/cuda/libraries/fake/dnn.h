// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cudnn.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace denoir::test {

/// What a test tells the stand-in for cuDNN, and is told by it.
struct FakeDnn {
    /// What it has plans for: the second and third are two ways to ask for the same.
    enum Pattern { convolution, unified_attention, composite_attention, patterns };
    /// Read each time that it matters, so a test may change it between calls; but for how many there are.
    struct Plan {
        float cost = 1; ///< milliseconds of the card
        std::int64_t workspace = 0;
        bool builds = true, starts = true;
        cudnnStatus_t fails_with = CUDNN_STATUS_NOT_SUPPORTED; ///< if it does not build
        bool compiled = false;                                 ///< says that it is made at run time
        bool fallback = false;                                 ///< not of the list that is asked for first
        std::int64_t announced = -1; ///< the workspace that it claims to need before it is built, if another
        std::vector<cudnnBackendNumericalNote_t> notes{};
        std::function<void()> when_built{};
        int built = 0, started = 0; ///< how often it was
    };
    std::vector<Plan> plans[patterns];
    std::size_t version = CUDNN_VERSION;
    std::size_t made_with = 0;                ///< version of CUDA
    bool creates = true, takes_stream = true; ///< a handle can be had, and gets its stream
    bool computes = true;                     ///< else a plan takes its time and touches no memory
    /// Puts work into the queue of the card; a handle keeps the one that was there when it was made.
    std::function<void(std::function<void()>)> submit;

    float spent = 0;                  ///< milliseconds of all plans that have run
    int handles = 0, descriptors = 0; ///< there now
    /// Why calls were refused, other than what `plans` say: nothing of ours may be.
    std::vector<std::string> refused{};
};

/// The library's own, by the name `denoir_fake_dnn`.
using FakeDnnHook = FakeDnn* (*)();

} // namespace denoir::test
