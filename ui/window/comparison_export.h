// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

#include <stop_token>
#include <thread>

#include "app/issue.h"

namespace denoir::ui {

/// Writes what the comparison of A and B shows, as a side-by-side video or as a report that opens in any browser, on a
/// thread of its own. The file appears whole or not at all. Destroying it cancels and joins.
class ComparisonExport : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~ComparisonExport() override;

    enum class Kind { video, report };
    /// `a`, `b`: run folders, videos or frame folders. `offset`: frame n of A is held against n + offset of B. False:
    /// one is at work already.
    bool start(const QString& a, const QString& b, int offset, Kind kind, const QString& out);
    void cancel();
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

} // namespace denoir::ui
