// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep_exporter.h"

#include <QElapsedTimer>

#include "app/low_priority.h"
#include "app/text.h"
#include "engine/compare/sweep_outputs.h"

namespace denoir::app {

SweepExporter::~SweepExporter() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
}

bool SweepExporter::start(const SweepRecord& record, Kind kind, const QString& out) {
    if (running_) return false;
    running_ = true;
    thread_ = std::jthread([this, record, kind, out](const std::stop_token& stop) {
        lower_priority(10);
        const auto end = [this](auto tell) {
            QMetaObject::invokeMethod(
                this,
                [this, tell] {
                    running_ = false;
                    tell();
                },
                Qt::QueuedConnection);
        };
        try {
            SweepOutputs outputs;
            std::filesystem::path SweepOutputs::*const members[] = {&SweepOutputs::video, &SweepOutputs::picture,
                                                                    &SweepOutputs::report, &SweepOutputs::csv};
            outputs.*members[int(kind)] = to_path(out);
            QElapsedTimer said;
            said.start();
            write_outputs(
                record, outputs,
                [this, &said](std::string_view what, std::int64_t done, std::int64_t total) {
                    if (said.elapsed() < 50) return;
                    said.restart();
                    QMetaObject::invokeMethod(
                        this,
                        [this, text = to_qstring(what), done, total] { emit progressed(text, int(done), int(total)); },
                        Qt::QueuedConnection);
                },
                stop);
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
