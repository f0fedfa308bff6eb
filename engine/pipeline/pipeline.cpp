// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/pipeline.h"

#include <chrono>
#include <optional>

#include "engine/core/error.h"
#include "engine/core/mapped_file.h"
#include "engine/core/memory.h"
#include "engine/core/units.h"
#include "engine/models/wan/vae.h"
#include "engine/pipeline/layer_probe.h"
#include "engine/pipeline/network_options.h"
#include "engine/pipeline/stage_timer.h"
#include "engine/pipeline/stored.h"
#include "engine/pipeline/windows.h"
#include "engine/pipeline/work_pace.h"
#include "engine/weights/model_folder.h"

namespace denoir {

namespace {

/// The smallest number of strips with which decoding fits into half of the free memory (a rung of the memory ladder).
/// The pictures are the same to the bit.
int strips_that_fit(const Request& r, const Weights& vae, Backend& backend) {
    const auto config = wan::VaeConfig::read(vae);
    const std::size_t free = backend.free_memory();
    int strips = 1;
    while (free > 0 && strips < most_strips && decode_bytes(r, config, strips) > free / 2) strips *= 2;
    return strips;
}

std::int64_t pictures_of(const Tensor& latent) { return video_frames(latent.size(1)); }

} // namespace

void Pipeline::make_room(std::size_t bytes) {
    const bool plenty = residency_.lasting() && backend_->free_memory() / 2 > bytes;
    if (!plenty) residency_.release_prepared(Component::transformer);
}

void Pipeline::decode(const Request& r, const ModelFolder& model, const std::vector<Tensor>& windows,
                      const FrameSink& frame, Observer& observer, std::stop_token stop, std::size_t from) {
    using Clock = std::chrono::steady_clock;
    // Pictures of the clip, those of them that are done, and those that are still to be decoded. A later window decodes
    // the pictures that it was given once more.
    std::int64_t all = 0, done = 0, left = 0;
    int index = 0;
    WorkPace pace;
    const std::vector<Window> planned = from > 0 ? windows_of(r) : std::vector<Window>();
    const auto given_to = [&](std::size_t window) { return window == 0 ? 0 : r.forcing->overlap; };
    for (std::size_t i = from; i < windows.size(); ++i) {
        all += pictures_of(windows[i]) - given_to(i);
        left += pictures_of(windows[i]);
    }
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const int given = given_to(i);
        const int pictures = windows[i] ? int(pictures_of(windows[i])) : video_frames(planned[i].frames);
        if (i >= from) {
            std::optional<Clock::time_point> last; // empty before a window's first picture, which takes longer
            const auto take = [&](int n, const Tensor& picture) {
                if (n >= given) { // earlier ones were counted with the window before
                    frame(index + n - given, picture);
                    ++done;
                }
                const auto now = Clock::now();
                if (last) pace.add(1, std::chrono::duration<double>(now - *last).count());
                last = now;
                observer.progress(Stage::decode, double(done), double(all), pace.seconds_for(double(--left)));
            };
            decode_window(r, model, windows[i], take, observer, stop);
        }
        index += pictures - given;
    }
}

void Pipeline::decode_window(const Request& r, const ModelFolder& model, const Tensor& latent, const FrameSink& frame,
                             Observer& observer, std::stop_token stop) {
    backend_->set_stop(stop);
    const MappedFileWatch mapped;
    std::shared_ptr<const Weights> weights;
    {
        StageTimer timer(observer, Stage::load_vae);
        weights = residency_.get(model.vae, Component::vae21);
    }
    make_room(decode_bytes(r, wan::VaeConfig::read(*weights), 1));
    backend_->plan_memory({});
    backend_->trim();
    StageTimer timer(observer, Stage::decode);
    std::int64_t done = 0;
    const auto hand_over = [&](std::int64_t index, const Tensor& picture) {
        if (stop.stop_requested()) throw Cancelled();
        mapped.check();
        if (index < done) return; // it was handed over before memory ran out
        tell_tensor(observer.layers(), fmt::format("vae_decoder/frame_{:03}/picture", index), picture);
        if (!observer.layers()) check_computed(*weights, fmt::format("frame {}", index), picture);
        frame(int(index), picture);
        done = index + 1;
    };
    LayerProbe probe(observer.layers(), "vae_decoder", true);
    for (int strips = strips_that_fit(r, *weights, *backend_);; strips *= 2) {
        try {
            const wan::Vae vae(weights, backend_, vae_options(r, strips));
            return vae.decode(latent, hand_over, probe.get());
        } catch (const Error& e) {
            if (!is_out_of_memory(e) || probe.get() || strips >= most_strips) throw;
            residency_.release(Component::transformer);
            observer.warning(fmt::format("{}; decoding again in {} strips", e.message(), strips * 2));
        }
        backend_->trim();
    }
}

} // namespace denoir
