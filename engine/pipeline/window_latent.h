// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the pipeline. The latents that a window begins with and that the transformer sees, [C,T,h,w] f32 host.
#include <optional>
#include <variant>
#include <vector>

#include "engine/core/random.h"
#include "engine/core/tensor.h"
#include "engine/pipeline/request.h"
#include "engine/pipeline/windows.h"

namespace denoir {

/// The tensor of the request's noise file, f32. Throws Error naming the file where it has none of this shape, or
/// numbers that are none.
Tensor noise_of_file(const Request&, const Shape& wanted);

/// The noise of a request's windows. One generator draws for all of them, in their order; a file holds their noise one
/// behind the other.
class WindowNoise {
public:
    /// The request is borrowed. `shape`: of a window's latent, of whatever length.
    WindowNoise(const Request&, Shape shape);
    /// Throws Error as noise_of_file().
    Tensor of(const Window&);

private:
    Tensor read(const Window&);

    const Request& request_;
    Shape shape_;
    const std::vector<Window> windows_;
    std::optional<std::variant<TorchCpuGenerator, TorchCudaGenerator>> generator_;
    std::size_t next_ = 0; ///< window that it draws for next
};

/// A window before its first step: noise, the given frames over its first ones, an end image [C,1,h,w] behind it; both
/// undefined where there are none.
Tensor window_latent(const Request&, const Tensor& noise, const Tensor& given, const Tensor& end);

/// The clean frames [C,P,h,w] over the first ones of `latent`.
void put_prefix(const Tensor& prefix, Tensor& latent);

/// What the transformer sees of the first `ready` frames in a step of the run: some noise mixed in (spec/pipelines.md
/// 7.4). Each step's noise depends on the seed and the step alone, so that a resumed run sees the same.
Tensor with_condition_noise(const Request&, const Tensor& latent, int ready, int step);

} // namespace denoir
