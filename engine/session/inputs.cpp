// SPDX-License-Identifier: Apache-2.0
#include "engine/session/inputs.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/text.h"
#include "engine/pipeline/prefix.h"
#include "engine/pipeline/run_layout.h"
#include "engine/pipeline/variant.h"
#include "engine/session/model_lookup.h"
#include "engine/session/preflight.h"
#include "engine/session/request_json.h"
#include "engine/session/run_folder.h"
#include "engine/weights/model_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

void append(std::vector<fs::path>& all, std::vector<fs::path> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// The regular files of `folder` whose extension is one of `extensions`.
void append_files(std::vector<fs::path>& all, const fs::path& folder, std::initializer_list<const char*> extensions) {
    std::error_code code;
    for (const auto& entry : entries_of(folder.empty() ? "." : folder, code))
        for (const char* extension : extensions)
            if (entry.path().extension() == extension) all.push_back(entry.path());
}

} // namespace

std::vector<fs::path> inputs_of(const Request& r) {
    Request named = r;
    std::vector<fs::path> all;
    for (const fs::path* path : paths_of(named)) all.push_back(*path);
    return all;
}

void check_storable(std::span<const fs::path> paths) {
    for (const fs::path& path : paths)
        if (find_invalid_utf8(path.native()))
            throw Error(path.string(), "", "a name in this path is not UTF-8, and a run is stored as UTF-8",
                        "give it another name");
}

std::vector<fs::path> inputs_before_model(const Request& asked) {
    Request r = asked;
    r.model.clear();
    return inputs_of(r);
}

std::vector<fs::path> inputs_of(const ModelFolder& model) {
    std::vector<fs::path> all = model_files(model);
    if (!model.tokenizer.empty()) all.push_back(model.tokenizer); // may be a folder
    std::vector<fs::path> folders{model.root};
    for (const fs::path& file : all) folders.push_back(file.parent_path());
    std::sort(folders.begin(), folders.end());
    folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
    for (const fs::path& folder : folders) append_files(all, folder, {".json"});
    return all;
}

std::vector<fs::path> all_inputs_of(const Request& asked) {
    Request r = asked;
    r.model = find_model(asked.model);
    std::vector<fs::path> all = inputs_of(r);
    try {
        append(all, inputs_of(ModelFolder::open(r.model, r.parts)));
    } catch (const Error&) { // whoever loads it reports the error
    }
    return all;
}

std::vector<fs::path> weights_inputs(const fs::path& weights) {
    std::vector<fs::path> all{weights};
    std::error_code code;
    if (weights.empty() || fs::is_directory(weights, code)) return all;
    append_files(all, weights.parent_path(), {".json"});
    if (weights.filename().native().ends_with(".index.json"))
        append_files(all, weights.parent_path(), {".safetensors", ".bin", ".pth", ".pt"});
    return all;
}

std::vector<fs::path> source_inputs(const fs::path& source) {
    std::vector<fs::path> all{source};
    if (!is_run_folder(source)) return all;
    try {
        append(all, all_inputs_of(RunFolder::open(source).record().request));
    } catch (const Error&) { // whoever reads the run reports the error
    }
    return all;
}

} // namespace denoir
