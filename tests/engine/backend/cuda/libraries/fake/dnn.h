// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cudnn.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace denoir::test {

/// A test tells the stand-in for cuDNN here what to do, and reads what it did.
struct FakeDnn {
    /// What it has plans for. The second and third are two ways to ask for the same thing.
    enum Pattern { convolution, unified_attention, composite_attention, patterns };
    /// These are read whenever they matter, so a test may change them between calls, except for their number.
    struct Plan {
        float cost = 1; ///< in the card's milliseconds
        std::int64_t workspace = 0;
        bool builds = true, starts = true;
        cudnnStatus_t fails_with = CUDNN_STATUS_NOT_SUPPORTED; ///< the status if it does not build
        bool compiled = false;                                 ///< says that it is compiled at run time
        bool fallback = false;                                 ///< is missing in the list that is asked for first
        std::int64_t announced = -1; ///< the workspace that it claims before it is built; -1 for the true one
        std::vector<cudnnBackendNumericalNote_t> notes{};
        std::function<void()> when_built{};
        int built = 0, started = 0; ///< counted by the stand-in
    };
    std::vector<Plan> plans[patterns];
    std::size_t version = CUDNN_VERSION;
    std::size_t made_with = 0;                ///< a version of CUDA
    bool creates = true, takes_stream = true; ///< whether a handle can be made, and takes a stream
    bool computes = true;                     ///< if false, a plan takes its time but touches no memory
    /// Puts work into the queue of the card. A handle keeps the one that was set when it was made.
    std::function<void(std::function<void()>)> submit;

    float spent = 0;                  ///< the milliseconds of all plans that have run
    int handles = 0, descriptors = 0; ///< how many exist now
    /// Why calls were refused for another reason than `plans` give. The program must never cause one.
    std::vector<std::string> refused{};
};

/// The stand-in's own state, through its symbol `denoir_fake_dnn`.
using FakeDnnHook = FakeDnn* (*)();

} // namespace denoir::test
