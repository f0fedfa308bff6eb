// SPDX-License-Identifier: Apache-2.0
#include "engine/session/carried_request.h"

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/media/video_reader.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/model_lookup.h"
#include "engine/session/request_json.h"
#include "engine/session/run_folder.h"
#include "engine/weights/model_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// What open_request_json() writes.
Request open_request(const Request& made) {
    Request open = made;
    open.mode.reset(), open.family.reset(), open.precision.reset(), open.preprocess.reset();
    if (made.forcing == Forcing{}) open.forcing.reset();
    if (made.guidance_low) open.guidance.reset(), open.guidance_low.reset();
    try {
        const ModelFolder model = ModelFolder::open(find_model(made.model), made.parts);
        Request again = Pipeline::defaults(open, model);
        if (again.mode != made.mode || again.family != made.family || again.precision != made.precision ||
            again.preprocess != made.preprocess || (!open.forcing && again.forcing != made.forcing)) {
            open = made;
            again = Pipeline::defaults(made, model);
        } else if (again.guidance != made.guidance || again.guidance_low != made.guidance_low) {
            open.guidance = made.guidance;
            if (made.guidance_low != made.guidance) open.guidance_low = made.guidance_low; // else follows from guidance
        }
        Request whole = made;
        if (!made.start) Pipeline::keep_one_window(whole, again); // a branch has the windows of the run it starts from
        if (whole.forcing != made.forcing) open.forcing = whole.forcing;
        return open;
    } catch (const Error&) { // whoever renders it says what is wrong with the model
        return made;
    }
}

} // namespace

Json request_in(const std::string& text, const std::string& name) {
    try {
        Json found = text.empty() ? Json() : parse_json(text, name);
        if (found.is_object() && found.contains("schema")) return found;
    } catch (const Error&) { // another program's text
    }
    return {};
}

std::optional<Request> carried_request(const fs::path& path) {
    if (is_run_folder(path)) return RunFolder::open(path).record().request;
    std::error_code code;
    const bool is_folder = fs::is_directory(path, code);
    if (!is_folder && (!fs::is_regular_file(path, code) || !holds_metadata(path))) return std::nullopt;
    const std::string name = path.string();
    const Json found = request_in(read_request_metadata(path), name);
    // Absolute paths: whoever applies this request takes relative ones as relative to its folder once more.
    if (!found.is_null()) return request_from_json(found, {name, fs::absolute(path).parent_path()});
    if (is_folder) return std::nullopt;
    throw Error(name, "", "carries no request of Denoir's",
                "name a video or PNG frame that it made with metadata, or a request file");
}

Json open_request_json(const Request& made) { return asked_json(open_request(made)); }

Json read_request_json(const fs::path& path, std::size_t most) {
    if (const auto carried = carried_request(path)) return open_request_json(*carried);
    return parse_json(read_text(path, most), path.string());
}

} // namespace denoir
