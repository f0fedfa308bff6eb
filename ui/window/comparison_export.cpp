// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/comparison_export.h"

#include <QElapsedTimer>

#include <functional>

#include "app/text.h"
#include "engine/compare/outputs.h"
#include "engine/core/error.h"

namespace denoir::ui {

namespace {

/// Runs are compared by their latents, whose decoding takes longest.
class Decoding : public Observer {
public:
    using Tell = std::function<void(std::string_view, std::int64_t, std::int64_t)>;
    explicit Decoding(Tell tell) : tell_(std::move(tell)) {}
    void progress(Stage, double done, double total) override {
        tell_("decoding", std::int64_t(done), std::int64_t(total));
    }

private:
    Tell tell_;
};

} // namespace

ComparisonExport::~ComparisonExport() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
}

void ComparisonExport::cancel() { thread_.request_stop(); }

bool ComparisonExport::start(const QString& a, const QString& b, int offset, Kind kind, const QString& out) {
    if (running_) return false;
    running_ = true;
    thread_ = std::jthread([this, a, b, offset, kind, out](const std::stop_token& stop) {
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
            CompareOutputs outputs;
            (kind == Kind::video ? outputs.side_by_side : outputs.report) = app::to_path(out);
            const std::filesystem::path inputs[] = {app::to_path(a), app::to_path(b)};
            check_outputs(outputs, inputs);
            CompareOptions options;
            options.pairs.offset = offset;
            QElapsedTimer said;
            said.start();
            const auto progress = [this, &said](std::string_view what, std::int64_t done, std::int64_t total) {
                if (said.elapsed() < 50) return;
                said.restart();
                QMetaObject::invokeMethod(
                    this,
                    [this, text = app::to_qstring(what), done, total] { emit progressed(text, int(done), int(total)); },
                    Qt::QueuedConnection);
            };
            Decoding observer(progress);
            Comparer comparer(inputs[0], inputs[1], options, observer, progress, stop);
            Comparison found = comparer.measure();
            write_outputs(comparer, found, outputs);
            end([this, out] { emit finished(out); });
        } catch (const Cancelled&) {
            end([this] { emit cancelled(); });
        } catch (...) {
            end([this, issue = app::Issue::from_current_exception()] { emit failed(issue); });
        }
    });
    return true;
}

} // namespace denoir::ui
