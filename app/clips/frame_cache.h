// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QObject>
#include <QSet>
#include <memory>
#include <utility>
#include <vector>

#include "app/base/issue.h"
#include "app/clips/clip_source.h"

namespace denoir::app {

class FrameCache;

/// Something that can be shown frame by frame, decoded into the cache by a thread of its own. No call blocks:
/// frame_ready() tells when a frame has been decoded. Made by FrameCache; GUI thread.
class Clip : public QObject {
    Q_OBJECT
public:
    ~Clip() override;

    enum class State { opening, ready, failed };
    State state() const { return state_; }
    /// Known once opened() was emitted.
    const ClipInfo& info() const { return info_; }
    const Issue& issue() const { return issue_; }
    /// Opens the same clip once more, for another thread.
    ClipOpener opener() const;

    /// The frame; null if it is not decoded yet. Does not ask for it.
    QImage cached(int frame) const;
    bool is_cached(int frame) const;
    /// Whether there is nothing to wait for: the frame is cached or known to be damaged.
    bool is_settled(int frame) const { return damaged_.contains(frame) || is_cached(frame); }
    /// Asks for this frame next, and then for others in this direction (1, -1; 0: around it) as far as the limit
    /// allows.
    void want(int frame, int direction = 1);
    /// The ranges [first, last] of decoded frames, in order, for a scrubber.
    std::vector<std::pair<int, int>> cached_ranges() const;

signals:
    void opened();
    void failed(const denoir::app::Issue& issue);
    void frame_ready(int frame);
    void frame_failed(int frame, const denoir::app::Issue& issue); ///< it is damaged; once for each frame

private:
    friend class FrameCache;
    struct Worker;
    Clip(FrameCache& cache, ClipOpener open);
    State state_ = State::opening;
    ClipInfo info_;
    Issue issue_;
    QSet<int> damaged_;
    FrameCache& cache_;
    std::shared_ptr<Worker> worker_;
};

/// The decoded frames of all clips, limited by bytes: those that will be shown latest are dropped first. Must outlive
/// its clips. GUI thread.
class FrameCache : public QObject {
    Q_OBJECT
public:
    explicit FrameCache(qint64 limit_bytes = qint64{1} << 30, QObject* parent = nullptr);
    ~FrameCache() override;

    /// Opens a clip in the background; opened() or failed() follows.
    std::unique_ptr<Clip> open(const QString& path);
    /// The same for a source of any kind. `source` is called on the clip's thread, where what it returns is used, and
    /// is told to stop when the clip is destroyed. It may throw Error.
    std::unique_ptr<Clip> open(ClipOpener source);

    qint64 bytes() const; ///< in use now; at most the limit and one frame of each clip

private:
    friend class Clip;
    struct Store;
    std::shared_ptr<Store> store_;
    struct Retired;
    std::unique_ptr<Retired> retired_; ///< threads of destroyed clips that have not ended yet
};

} // namespace denoir::app
