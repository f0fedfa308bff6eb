// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/base/exporter.h"

#include <utility>

#include "app/base/low_priority.h"
#include "app/base/pace.h"
#include "app/base/text.h"
#include "engine/core/error.h"

namespace denoir::app {
namespace {

constexpr int exporter_nice = 5;

} // namespace

void Exporter::stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
}

bool Exporter::start(const QString& out, Work work) {
    if (running_) return false;
    running_ = true;
    thread_ = std::jthread([this, out, work = std::move(work)](const std::stop_token& stop) {
        lower_priority(exporter_nice);
        const auto on_window = [this](auto&& call) {
            QMetaObject::invokeMethod(this, std::forward<decltype(call)>(call), Qt::QueuedConnection);
        };
        const auto end = [&](auto tell) {
            on_window([this, tell] {
                running_ = false;
                tell();
            });
        };
        Pace pace;
        const WorkCall tell = [&](std::string_view what, double done, double total) {
            if (!pace.is_due() && done != total) return;
            on_window([this, text = to_qstring(what), done, total] { emit progressed(text, int(done), int(total)); });
        };
        try {
            work(tell, stop);
            end([this, out] { emit finished(out); });
        } catch (const Cancelled&) {
            end([this] { emit cancelled(); });
        } catch (...) {
            end([this, issue = Issue::from_current_exception()] { emit failed(issue); });
        }
    });
    return true;
}

} // namespace denoir::app
