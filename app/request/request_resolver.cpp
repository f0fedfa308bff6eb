// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/request/request_resolver.h"

#include <algorithm>

#include "app/base/engine_text.h"
#include "app/base/text.h"
#include "app/request/request_values.h"
#include "engine/media/image.h"
#include "engine/pipeline/prefix.h"
#include "engine/pipeline/variant.h"
#include "engine/session/model_lookup.h"
#include "engine/weights/model_folder.h"

namespace denoir::app {
namespace {

constexpr int most_issues = 12;

/// Names a field of the request in every issue, so that each can be shown at its place.
Issue placed(Issue issue, const Request& r) {
    for (const Lora& lora : r.loras)
        if (issue.file == to_qstring(lora.file)) {
            const QString name = to_qstring(lora.file.filename());
            const QString told = words(issue);
            issue.message = issue.field.isEmpty() ? QStringLiteral("%1: %2").arg(name, told)
                                                  : QStringLiteral("%1: %2: %3").arg(name, issue.field, told);
            issue.field = QStringLiteral("loras");
            issue.file.clear(), issue.hint.clear(); // the message contains them, all in one language
            return issue;
        }
    const QString key = top_key(issue.field);
    for (const std::string_view known : request_keys())
        if (key == to_qstring(known)) {
            issue.file.clear();
            return issue;
        }
    issue.field = QStringLiteral("model");
    return issue;
}

/// Removes the refused field from the request, so that other problems are found as well. Returns false if there is
/// nothing to remove.
bool drop(Request& r, const QString& key) {
    if (key == QStringLiteral("width") || key == QStringLiteral("height")) {
        const bool any = r.width || r.height;
        r.width.reset(), r.height.reset();
        return any;
    }
    if (key == QStringLiteral("model") || key == QStringLiteral("mode") || !field_value(r, key).isValid()) return false;
    clear_request_field(r, key.toStdString());
    return true;
}

void check_image(Request& r, std::filesystem::path Request::*member, const char* key, QList<Issue>& issues) {
    if ((r.*member).empty()) return;
    try {
        image_info(r.*member);
    } catch (const Error& e) {
        Issue issue = Issue::from(e);
        issue.field = to_qstring(std::string_view(key));
        issues << issue;
        (r.*member).clear();
    }
}

/// Checks the video that the clip continues, reading it as far as needed to count its frames.
void check_video(Request& r, QList<Issue>& issues, const std::stop_token& stop) {
    if (!goes_on(r)) return;
    try {
        const FramesBefore before(*r.forcing, stop);
    } catch (const Error& e) {
        issues << Issue::from(e);
        r.forcing->video.clear();
    }
}

} // namespace

RequestDocument::Resolver::Resolver(std::function<void(Resolution)> answer) : answer_(std::move(answer)) {}

quint64 RequestDocument::Resolver::ask(const Request& request) {
    return question_.ask([this, request](TaskThread::Id number, const std::stop_token& stop) {
        Resolution resolution = resolve(request, stop);
        resolution.serial = number;
        answer_(std::move(resolution));
    });
}

RequestDocument::Resolution RequestDocument::Resolver::resolve(const Request& asked, const std::stop_token& stop) {
    Resolution out;
    Request r = asked;
    try {
        r.model = find_model(asked.model);
        const ModelFolder model = ModelFolder::open(r.model, r.parts, stop);
        out.defaults = Pipeline::defaults(r, model);
        const Variant variant = Variant::guess(model);
        const bool forcing = *out.defaults->family == Family::skyreels_df;
        out.takes_image = forcing || variant.condition > 0 || variant.clean_image();
        out.variant = variant;
        out.takes_last_image = forcing || (variant.condition > 0 && *out.defaults->mode == Mode::flf2v);
        check_image(r, &Request::image, "image", out.issues);
        check_image(r, &Request::last_image, "last_image", out.issues);
        check_video(r, out.issues, stop);
        while (out.issues.size() < most_issues) try {
                const Request resolved = Pipeline::resolve(r, model);
                if (out.issues.isEmpty()) {
                    out.estimate = Pipeline::estimate(resolved, model);
                    out.resolved = resolved;
                    out.resolved->model = asked.model;
                }
                break;
            } catch (const Error& e) {
                const Issue issue = placed(Issue::from(e), r);
                // An unreadable image has been reported already.
                if (std::none_of(out.issues.begin(), out.issues.end(),
                                 [&](const Issue& i) { return i.field == issue.field; }))
                    out.issues << issue;
                if (!drop(r, top_key(issue.field))) break;
            }
    } catch (const Error& e) {
        out.issues << placed(Issue::from(e), r);
    } catch (...) {
        out.issues << Issue::from_current_exception();
    }
    return out;
}

} // namespace denoir::app
