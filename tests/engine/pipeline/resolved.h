// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "engine/core/error.h"
#include "engine/pipeline/pipeline.h"
#include "engine/weights/model_folder.h"

namespace denoir::test {

inline const std::filesystem::path models = std::filesystem::path(DENOIR_FIXTURES) / "_models";
inline const std::filesystem::path picture = std::filesystem::path(DENOIR_FIXTURES) / "_inputs" / "landscape.png";

inline Request resolved(
    const char* model, const std::function<void(Request&)>& change = [](Request&) {}) {
    Request r;
    r.model = models / model;
    r.prompt = "a fox";
    change(r);
    return Pipeline::resolve(r, ModelFolder::open(r.model));
}

/// The field that the refusal names, or "accepted".
inline std::string refused(const char* model, const std::function<void(Request&)>& change) {
    try {
        resolved(model, change);
    } catch (const Error& e) {
        return e.field().empty() ? e.message() : e.field();
    }
    return "accepted";
}

} // namespace denoir::test
