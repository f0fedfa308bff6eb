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

/// Something that can be shown frame by frame, decoded by a thread of its own into the cache. Asking never blocks: what
/// is not there yet comes with frame_ready(). Made by FrameCache; GUI thread.
class Clip : public QObject {
    Q_OBJECT
public:
    ~Clip() override;

    enum class State { opening, ready, failed };
    State state() const { return state_; }
    /// Known once opened() was sent.
    const ClipInfo& info() const { return info_; }
    const Issue& issue() const { return issue_; }
    /// Opens the same once more, for another thread.
    ClipOpener opener() const;

    /// The frame, null where it is not decoded yet. Asks for nothing.
    QImage cached(int frame) const;
    bool is_cached(int frame) const;
    /// Cached, or known to be damaged: there is nothing to wait for.
    bool is_settled(int frame) const { return damaged_.contains(frame) || is_cached(frame); }
    /// Decode this frame next, then others in this direction (1, -1; 0: around it) as far as the bound allows.
    void want(int frame, int direction = 1);
    /// Stretches [first, last] of decoded frames, in order. For a scrubber.
    std::vector<std::pair<int, int>> cached_ranges() const;

signals:
    void opened();
    void failed(const denoir::app::Issue& issue);
    void frame_ready(int frame);
    void frame_failed(int frame, const denoir::app::Issue& issue); ///< damaged; once for each frame

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

/// Decoded frames of all clips together, bounded by bytes; those that will be shown last go first. Outlives its clips.
/// Called from the GUI thread only.
class FrameCache : public QObject {
    Q_OBJECT
public:
    explicit FrameCache(qint64 limit_bytes = qint64{1} << 30, QObject* parent = nullptr);
    ~FrameCache() override;

    /// Opens in the background: opened() or failed() follows. The caller owns the clip.
    std::unique_ptr<Clip> open(const QString& path);
    /// `source` is called and used on the clip's thread, and told to stop when the clip is closed; it may throw Error.
    std::unique_ptr<Clip> open(ClipOpener source);

    qint64 bytes() const; ///< held now; never more than the limit and one frame of each clip

private:
    friend class Clip;
    struct Store;
    std::shared_ptr<Store> store_;
    struct Retired;
    std::unique_ptr<Retired> retired_; ///< threads of closed clips, on their way out
};

} // namespace denoir::app
