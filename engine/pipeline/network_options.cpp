// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/network_options.h"

#include "engine/backend/conv_scratch.h"
#include "engine/pipeline/variant.h"

namespace denoir {

wan::Vae::Options vae_options(const Request& r, int strips) {
    // SkyReels goes on after a video outside of autocast (spec/pipelines.md 1.4, 7.6).
    return {.dtype = *r.precision == PrecisionPolicy::skyreels && !goes_on(r) ? DType::bf16 : DType::f32,
            .strips = strips,
            .tf32 = *r.precision != PrecisionPolicy::f32};
}

wan::Precision cast_points(PrecisionPolicy policy) {
    switch (policy) {
    case PrecisionPolicy::wan:
        return wan::Precision::wan();
    case PrecisionPolicy::skyreels:
        return wan::Precision::skyreels();
    case PrecisionPolicy::f32:
        break;
    }
    return wan::Precision::f32();
}

std::size_t decode_bytes(const Request& r, const wan::VaeConfig& vae, int strips) {
    // Frames of full size at work, as measured (4 at 832x480); with shortcuts each level keeps what enters it.
    const std::int64_t at_work = vae.shortcuts ? 10 : 4;
    const std::int64_t frame = (*r.width / vae.patch) * (*r.height / vae.patch) * vae.decoder.back().out;
    const std::int64_t state = vae.decoder_state(*r.height / vae.spatial(), *r.width / vae.spatial());
    const std::size_t kept =
        std::size_t(state + at_work * frame) * (vae_options(r).dtype == DType::bf16 ? 2 : 4) / std::size_t(strips);
    return kept + conv_scratch_bytes(r.device.value_or(Device{}), vae.decoder_width, r.threads);
}

} // namespace denoir
