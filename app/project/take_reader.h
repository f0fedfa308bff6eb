// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <stop_token>
#include <vector>

#include "app/project/project.h"

class QTimer;

namespace denoir::app {

/// Makes takes of runs, videos, pictures and folders of frames for a project, one after another on a thread of its own:
/// a disk may be slow, and a video that does not say how long it is must be read to its end. Destroying it cancels that
/// and joins the thread. GUI thread; borrows the project.
class TakeReader : public QObject {
    Q_OBJECT
public:
    struct Found {
        Take take;
        Issue issue;           ///< why it could not be read; empty if it could
        QStringList otherwise; ///< what a cut shows differently from players: words to follow the file's name
    };
    using Use = std::function<void(const std::vector<Found>&)>;

    explicit TakeReader(Project& project, QObject* parent = nullptr);
    ~TakeReader() override;
    /// Calls `use` with what was found at each path, in their order; not if it is cancelled, or if another project is
    /// open by then, after which given_up() follows. Pictures get the rate of the cut; if that is empty, the rate of
    /// the first moving take among the paths, or `usual_rate`.
    void read(const QStringList& paths, double usual_rate, Use use);
    bool busy() const { return open_ > 0; }
    void cancel(); ///< cancels every read()

signals:
    void progressed(int done, int total); ///< files done and asked for; only if it takes a while
    void finished();                      ///< nothing is left to read
    void given_up(const denoir::app::Issue& issue);

private:
    std::vector<Found> all(const QStringList& paths, double rate, bool rate_is_open, const std::stop_token& stop);
    void end();

    Project& project_;
    QTimer* late_; ///< runs until progress is reported
    int open_ = 0, total_ = 0;
    std::atomic<int> done_ = 0; ///< counted on the pool's thread
    std::stop_source stop_;
    QThreadPool pool_; ///< declared last, so that it is joined before the rest is destroyed
};

} // namespace denoir::app
