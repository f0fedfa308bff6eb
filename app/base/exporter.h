// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>
#include <thread>

#include "app/base/issue.h"

namespace denoir::app {

/// Writes one file at a time, on a thread of its own that steps back behind the window's. Destroying it cancels and
/// joins. GUI thread.
class Exporter : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~Exporter() override;

    /// What is done, how much of it, and how much there is; 0: nobody knows.
    using Tell = std::function<void(std::string_view what, std::int64_t done, std::int64_t total)>;
    /// Writes the file, which appears whole or not at all. Throws Error, Cancelled.
    using Work = std::function<void(const Tell&, const std::stop_token&)>;
    /// `out` is what `work` writes, for finished(). False: one is at work already.
    bool start(const QString& out, Work work);
    void cancel() { thread_.request_stop(); }
    bool running() const { return running_; }

signals:
    void progressed(const QString& what, int done, int total); ///< 20 times a second at most
    // Exactly one of these ends an export.
    void finished(const QString& out);
    void failed(const denoir::app::Issue& issue);
    void cancelled();

private:
    std::jthread thread_;
    bool running_ = false;
};

} // namespace denoir::app
