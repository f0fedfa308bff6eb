// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "engine/core/text.h"
#include "engine/core/units.h"
#include "engine/pipeline/model_headers.h"
#include "engine/pipeline/windows.h"
#include "engine/weights/detect_family.h"
#include "engine/weights/model_folder.h"

namespace denoir {

Variant Variant::read(const ModelFolder& model) { return ModelHeaders(model).variant(); }

Variant Variant::guess(const ModelFolder& model) { return ModelHeaders(model).guess(); }

int window_frames(const Request& r) {
    return latent_frames(r.forcing && r.forcing->base ? std::min(*r.frames, *r.forcing->base) : *r.frames);
}

Shape latent_shape(const Request& r, const Variant& v) {
    return {v.channels, window_frames(r), *r.height / v.stride, *r.width / v.stride};
}

bool goes_on(const Request& r) { return r.forcing && !r.forcing->video.empty(); }

int overlap_frames(const Request& r) { return latent_frames(r.forcing->overlap); }

int ready_frames(const Request& r) { return goes_on(r) ? overlap_frames(r) : r.image.empty() ? 0 : 1; }

bool guided(const Request& r, double guidance) { return *r.mode == Mode::forcing ? guidance > 1.0 : guidance != 1.0; }

double guidance_of(const Request& r, bool low) { return low ? r.guidance_low.value_or(*r.guidance) : *r.guidance; }

bool has_guidance(const Request& r) {
    return guided(r, guidance_of(r, false)) || (r.family == Family::wan22 && guided(r, guidance_of(r, true)));
}

bool uses_negative(const Request& r, const ModelFolder& model) {
    return has_guidance(r) && guided_steps(r, model).first > 0;
}

int fps_row(const Request& r) { return *r.fps == 16.0 ? 0 : 1; }

bool says_size(const ModelFolder& model, std::string_view size) {
    static constexpr std::array<std::string_view, 3> sizes{"480p", "540p", "720p"};
    std::vector<std::string> names;
    if (!model.transformer.empty()) names = hint_names(model.transformer.front());
    for (std::string& name : hint_names(model.root)) names.push_back(std::move(name));
    for (std::string& name : names) {
        name = lower_ascii(name);
        const auto says = [&](std::string_view word) { return name.find(word) != std::string::npos; };
        // A folder of models further up may be called after one of them.
        if (std::any_of(sizes.begin(), sizes.end(), says)) return says(size);
    }
    return false;
}

std::string weights_use(const Request& r) { return fmt::format("{} {}", int(*r.dtype), int(*r.precision)); }

} // namespace denoir
