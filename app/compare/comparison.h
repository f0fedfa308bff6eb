// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QObject>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/base/issue.h"
#include "app/clips/frame_cache.h"
#include "engine/compare/pairing.h"
#include "engine/metrics/summary.h"

namespace denoir::app {

/// PSNR and SSIM of two clips, frame by frame, on a thread of its own: the shown frame at once, the curve over all
/// frames after it. Runs that still have their last latents are compared without a codec in between: the latents are
/// decoded first (once; kept in the cache folder). GUI thread.
class Comparison : public QObject {
    Q_OBJECT
public:
    explicit Comparison(QObject* parent = nullptr);
    ~Comparison() override;

    /// Begins anew, with two clips that are open; they may be closed meanwhile. `pairing`: which frame of B is held
    /// against which one of A.
    void start(const Clip& a, const Clip& b, const Pairing& pairing);
    void stop();
    bool active() const { return active_; }

    /// Compare stored latents, not videos, where both runs have them; on by default. Begins anew, also where they could
    /// not be decoded before.
    void set_prefers_exact(bool on);
    /// Both are runs that have their last latents. False until that is known: it is looked up in the background.
    bool can_be_exact() const { return can_be_exact_; }
    /// The latents are what is compared, or they are being decoded for it. False: the files that are shown.
    bool by_latents() const { return pair_.exact; }

    /// Measures these two (frames of A and B, A's number) now, before the curve goes on; nothing where that frame is
    /// known.
    void measure(int frame, const QImage& a, const QImage& b);

    /// By A's frame; empty: not measured yet.
    const std::vector<std::optional<metrics::FrameMetrics>>& curve() const { return curve_; }
    int done() const { return done_; }
    /// Every frame that can be is measured: worst() and mean() are final.
    bool complete() const { return measuring_ && done_ >= comparable(); }
    int comparable() const; ///< frames of A that have a partner in B, both of which can be read
    /// The frame with the lowest SSIM (where frames have none: PSNR) of those measured; -1: none, or all are equal.
    int worst() const;
    std::optional<metrics::FrameMetrics> mean() const; ///< over what is measured; psnr of the mean MSE
    bool exact() const { return exact_; }              ///< measured on frames that no codec has touched
    /// What is being done: "decoding A's latents, frame 12 of 97"; empty: nothing.
    const QString& activity() const { return activity_; }
    /// Why the videos are measured although the latents were wanted; empty: they are not.
    const Issue& undecoded() const { return undecoded_; }
    /// What is to be known of the figures: latents that could not be decoded, frames that cannot be read, parts of
    /// files that are left out, rates or lengths that differ, and how frames are paired then; empty: nothing.
    const QString& note() const { return note_; }
    /// Why there is no curve: sizes that differ, a file that is gone.
    const Issue& issue() const { return issue_; }

signals:
    void begun();   ///< with another pair, or in another way
    void changed(); ///< any of the above
    void measured(int frame);

private:
    struct Worker;
    struct Pair {
        ClipInfo a, b;
        ClipOpener open_a, open_b;
        Pairing pairing;
        bool exact = false;
        /// A run's video that was opened as a file is what is asked about, maybe against the run itself.
        bool of_runs() const { return a.kind == ClipInfo::Kind::run && b.kind == ClipInfo::Kind::run; }
        /// Frames of A, [first, last), that have a partner among `of_b` frames.
        std::pair<int, int> range(int of_a, int of_b) const;
    };
    void begin();
    int paired() const;                       ///< frames of A that have a partner in B
    QString pairing() const;                  ///< for note()
    void leave_out(std::vector<int> damaged); ///< frames of A, from 0, that cannot be measured
    void take(int frame, const metrics::FrameMetrics& value);
    void retire(); ///< what was measured, and who measures, are of the past

    std::vector<std::optional<metrics::FrameMetrics>> curve_;
    std::vector<int> damaged_; ///< frames of A, rising
    Pair pair_;
    int done_ = 0;
    quint64 generation_ = 0; ///< of the worker that is listened to
    bool active_ = false, exact_ = false, prefers_exact_ = true;
    bool can_be_exact_ = false; ///< the pair, as its runs were when a comparison of it began last
    bool measuring_ = false;    ///< what is wanted is open; before that, frames of videos may stand in for latents
    QString activity_, note_;
    Issue issue_, undecoded_;
    std::shared_ptr<Worker> worker_;
    std::vector<std::shared_ptr<Worker>> retired_; ///< on their way out
};

} // namespace denoir::app
