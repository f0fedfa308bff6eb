// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <stop_token>
#include <thread>

#include "app/issue.h"
#include "engine/session/sweep_folder.h"

namespace denoir::app {

/// Writes what a sweep shows: all clips in one video, the middle frames as a picture, a report, a table; on a thread of
/// its own. The file appears whole or not at all. Destroying it cancels and joins.
class SweepExporter : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~SweepExporter() override;

    enum class Kind { video, picture, report, csv };
    /// False: one is at work already.
    bool start(const SweepRecord& record, Kind kind, const QString& out);
    void cancel() { thread_.request_stop(); }
    bool running() const { return running_; }

signals:
    void progressed(const QString& what, int done, int total);
    // Exactly one of these ends an export.
    void finished(const QString& out);
    void failed(const denoir::app::Issue& issue);
    void cancelled();

private:
    std::jthread thread_;
    bool running_ = false;
};

} // namespace denoir::app
