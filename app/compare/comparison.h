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

/// Computes PSNR and SSIM of two clips, frame by frame, on a thread of its own: the frame shown at once, then the curve
/// over all frames. Runs that still have their last latents are compared without a codec in between: the latents are
/// decoded first, once, into the cache folder. GUI thread.
class Comparison : public QObject {
    Q_OBJECT
public:
    explicit Comparison(QObject* parent = nullptr);
    ~Comparison() override;

    /// Begins a comparison of two clips that are open; they may be closed meanwhile. `pairing` says which frame of B is
    /// compared with which one of A.
    void start(const Clip& a, const Clip& b, const Pairing& pairing);
    void stop();
    bool active() const { return active_; }

    /// Whether to compare stored latents and not videos if both runs have them; on by default. Begins again if that
    /// changes, or if latents could not be decoded before.
    void set_prefers_exact(bool on);
    /// Whether both are runs that have their last latents. False until that has been looked up, in the background.
    bool can_be_exact() const { return can_be_exact_; }
    /// Whether the latents are compared, or are being decoded for that; false if the files that are shown are compared.
    bool by_latents() const { return pair_.exact; }

    /// Measures a pair of frames before the curve goes on, unless it is known already. `frame` is A's number.
    void measure(int frame, const QImage& a, const QImage& b);

    /// By A's frame; empty values are not measured yet.
    const std::vector<std::optional<metrics::FrameMetrics>>& curve() const { return curve_; }
    int done() const { return done_; }
    /// Whether every frame that can be measured is, so that worst() and mean() are final.
    bool complete() const { return measuring_ && done_ >= comparable(); }
    int comparable() const; ///< number of A's frames that have a partner in B, if both can be read
    /// The measured frame with the lowest SSIM, or PSNR if frames have no SSIM; -1 if there is none or all are equal.
    int worst() const;
    std::optional<metrics::FrameMetrics> mean() const; ///< over the measured frames; the PSNR is that of the mean MSE
    bool exact() const { return exact_; }              ///< whether no lossy codec has touched the measured frames
    /// What is being done: "decoding A's latents, frame 12 of 97"; empty if nothing is.
    const QString& activity() const { return activity_; }
    /// Why the videos are measured although the latents were wanted; empty if that is not the case.
    const Issue& undecoded() const { return undecoded_; }
    /// What the user should know about the figures: latents that could not be decoded, frames that cannot be read,
    /// parts of files that are left out, rates or lengths that differ, and how frames are paired then. Mostly empty.
    const QString& note() const { return note_; }
    /// Why there is no curve, such as sizes that differ or a missing file.
    const Issue& issue() const { return issue_; }

signals:
    void begun();   ///< a comparison has begun, of another pair or in another way
    void changed(); ///< any of the above changed
    void measured(int frame);

private:
    struct Worker;
    struct Pair {
        ClipInfo a, b;
        ClipOpener open_a, open_b;
        Pairing pairing;
        bool exact = false;
        /// False for a run's video that was opened as a file: then the file is meant, perhaps compared with the run.
        bool of_runs() const { return a.kind == ClipInfo::Kind::run && b.kind == ClipInfo::Kind::run; }
        /// Frames of A, [first, last), that have a partner among `of_b` frames.
        std::pair<int, int> range(int of_a, int of_b) const;
    };
    void begin();
    int paired() const;                       ///< number of A's frames that have a partner in B
    QString pairing() const;                  ///< how frames are paired, for note()
    void leave_out(std::vector<int> damaged); ///< frames of A, from 0, that cannot be measured
    void take(int frame, const metrics::FrameMetrics& value);
    void retire(); ///< forgets what was measured and stops the worker

    std::vector<std::optional<metrics::FrameMetrics>> curve_;
    std::vector<int> damaged_; ///< frames of A, ascending
    Pair pair_;
    int done_ = 0;
    quint64 generation_ = 0; ///< of the present worker; messages of others are ignored
    bool active_ = false, exact_ = false, prefers_exact_ = true;
    bool can_be_exact_ = false; ///< can_be_exact() as it was when the last comparison of this pair began
    bool measuring_ = false;    ///< the clips to compare are open; before that, frames of the videos may be measured
    QString activity_, note_;
    Issue issue_, undecoded_;
    std::shared_ptr<Worker> worker_;
    std::vector<std::shared_ptr<Worker>> retired_; ///< workers whose threads have not ended yet
};

} // namespace denoir::app
