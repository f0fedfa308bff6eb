// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <functional>
#include <stop_token>
#include <thread>

#include "app/base/issue.h"
#include "engine/core/progress.h"

namespace denoir::app {

/// Writes one file at a time, on a thread of its own with a lower priority than the window's. Destroying it cancels the
/// export and joins the thread. GUI thread.
class Exporter : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~Exporter() override { stop(); }

    /// Writes the file, which appears whole or not at all. Throws Error, Cancelled.
    using Work = std::function<void(const WorkCall& tell, const std::stop_token&)>;
    /// `out` is the file that `work` writes, passed on to finished(). Returns false if an export is running already.
    bool start(const QString& out, Work work);
    void cancel() { thread_.request_stop(); }
    bool running() const { return running_; }

protected:
    void stop(); ///< cancels the export and joins the thread; no signal follows

signals:
    void progressed(const QString& what, int done, int total); ///< at most 20 times a second, and when a part ends
    // Exactly one of these ends an export.
    void finished(const QString& out);
    void failed(const denoir::app::Issue& issue);
    void cancelled();

private:
    std::jthread thread_;
    bool running_ = false;
};

} // namespace denoir::app
