// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "engine/backend/backend.h"

namespace denoir::bench {

/// The fastest of a few calls of a kernel. Operations and bytes are calculated from the shapes.
struct Measurement {
    double seconds = 0;
    double flop = 0;  ///< multiplications and additions; 0 for kernels whose speed is limited by memory
    double bytes = 0; ///< if each value is read or written once
};

struct Case {
    std::string name; ///< "linear/f32/2040x1536x8960"
    std::function<Measurement(Backend&)> run;
};

/// Kernels at the sizes of the true models: linear and attention of the 1.3B transformer and UMT5-XXL, convolutions of
/// the VAE's decoder at 480 x 832, the fused norms.
std::vector<Case> kernel_cases();

/// Floating-point operations per second of all the backend's threads together if they only work in registers: the most
/// that a kernel could reach.
double measured_peak_flops(Backend&);

} // namespace denoir::bench
