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

/// Reads what runs, videos, pictures and folders of frames hold for a project, one after another away from the window:
/// a disk may be slow, and a video that does not say how long it is has to be gone through. GUI thread; borrows the
/// project. Destroying it cancels and joins.
class TakeReader : public QObject {
    Q_OBJECT
public:
    struct Found {
        Take take;
        Issue issue;           ///< empty: it could be read
        QStringList otherwise; ///< what a cut shows of it in another way than players, to be put behind its name
    };
    using Use = std::function<void(const std::vector<Found>&)>;

    explicit TakeReader(Project& project, QObject* parent = nullptr);
    ~TakeReader() override;
    /// `use` gets what was found at each path, in their order: not if it is cancelled, or if another project is open by
    /// then, which given_up() tells. Pictures have the cut's rate, into an empty cut that of what comes with them, else
    /// `usual_rate`.
    void read(const QStringList& paths, double usual_rate, Use use);
    bool busy() const { return open_ > 0; }
    void cancel(); ///< all that was asked for

signals:
    void progressed(int done, int total); ///< of the files asked for; where it takes a while
    void finished();                      ///< none is left
    void given_up(const denoir::app::Issue& issue);

private:
    std::vector<Found> all(const QStringList& paths, double rate, bool rate_is_open, const std::stop_token& stop);
    void end();

    Project& project_;
    QTimer* late_; ///< until it is said that something is being read
    int open_ = 0, total_ = 0;
    std::atomic<int> done_ = 0; ///< counted on the thread
    std::stop_source stop_;
    QThreadPool pool_; ///< last: joined before the rest goes
};

} // namespace denoir::app
