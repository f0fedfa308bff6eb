// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/request/remembered_request.h"

#include <utility>

#include "app/base/settings.h"
#include "app/request/request_document.h"
#include "engine/core/error.h"
#include "engine/session/request_json.h"

namespace denoir::app {

RememberedRequest::RememberedRequest(RequestDocument& document, const Settings& settings, std::filesystem::path file,
                                     QObject* parent)
    : QObject(parent), document_(document), settings_(settings), saver_(std::move(file)) {
    later_.setSingleShot(true);
    later_.setInterval(400);
    connect(&later_, &QTimer::timeout, this, &RememberedRequest::save);
    connect(&document_, &RequestDocument::changed, &later_, qOverload<>(&QTimer::start));
    connect(&document_, &RequestDocument::seed_locked_changed, &later_, qOverload<>(&QTimer::start));
}

void RememberedRequest::save() {
    if (!keeps_) return;
    // Saved at once, so that it survives a crash, but without waiting for the disk, which may be slow beside a run.
    saver_.save(asked_json(document_.to_keep()).dump() + "\n");
}

void RememberedRequest::restore(const QString& first_prompt) {
    Issue of_another_version; // ignored: a fresh start is better than a question
    const auto load = [this](const std::string& text) {
        document_.load(request_from_json(parse_json(text, "request.json"), {}));
    };
    if (read_own_file(saver_.path(), of_another_version, load)) return;
    if (const QString before = settings_.value(QStringLiteral("document/last")).toString(); !before.isEmpty()) {
        try { // older versions kept it here
            return load(before.toStdString());
        } catch (const Error&) {
        }
    }
    Request request;
    request.prompt = first_prompt.toStdString();
    document_.load(request);
}

} // namespace denoir::app
