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

/// The tensor `noise` of the request's noise file as f32. Throws Error naming the file if it is missing, of another
/// shape, or not finite.
Tensor noise_of_file(const Request&, const Shape& wanted);

/// The noise of a request's windows. One generator draws for all of them, in order; a noise file holds it concatenated.
class WindowNoise {
public:
    /// The request is borrowed. `shape`: of a window's latent; its number of frames does not matter.
    WindowNoise(const Request&, Shape shape);
    /// Throws Error as noise_of_file().
    Tensor of(const Window&);

private:
    Tensor read(const Window&);

    const Request& request_;
    Shape shape_;
    const std::vector<Window> windows_;
    std::optional<std::variant<TorchCpuGenerator, TorchCudaGenerator>> generator_;
    std::size_t next_ = 0; ///< the window that the generator draws for next
};

/// The latent of a window before its first step: noise, with the clean frames `given` [C,P,h,w] over its first ones and
/// the end image `end` [C,1,h,w] appended; either may be undefined.
Tensor window_latent(const Request&, const Tensor& noise, const Tensor& given, const Tensor& end);

/// Writes the clean frames [C,P,h,w] over the first ones of `latent`.
void put_prefix(const Tensor& prefix, Tensor& latent);

/// `latent` as the transformer sees it in a step of the run: with some noise mixed into its first `ready` frames
/// (spec/pipelines.md 7.4). The noise depends on seed and step alone, so that a resumed run sees the same.
Tensor with_condition_noise(const Request&, const Tensor& latent, int ready, int step);

} // namespace denoir
