// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QObject>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/clip_source.h"
#include "app/issue.h"
#include "engine/metrics/summary.h"

namespace denoir::app {

/// PSNR and SSIM of two clips, frame by frame, on a thread of its own: the shown frame at once, the curve over all frames
/// after it. Runs that still have their last latents are compared without a codec in between: the latents are decoded first
/// (once; kept in the cache folder). GUI thread.
class Comparison : public QObject {
    Q_OBJECT
public:
    explicit Comparison(QObject* parent = nullptr);
    ~Comparison() override;

    /// Begins anew. `offset`: frame n of A is held against n + offset of B. `exact`: decode stored latents.
    void start(const ClipInfo& a, const ClipInfo& b, int offset, bool exact);
    void stop();
    bool active() const { return active_; }

    /// Measures these two now, before the curve goes on. Frames that are measured already are not measured again.
    void measure(int frame, const QImage& a, const QImage& b);

    /// By A's frame; empty: not measured yet.
    const std::vector<std::optional<metrics::FrameMetrics>>& curve() const { return curve_; }
    int done() const { return done_; }
    /// The frame with the lowest SSIM (where frames have none: PSNR) of those measured; -1: none, or all are equal.
    int worst() const;
    std::optional<metrics::FrameMetrics> mean() const; ///< over what is measured; psnr of the mean MSE
    bool exact() const { return exact_; }              ///< the curve is of uncompressed frames
    /// What is being done: "decoding A's latents, frame 12 of 97"; empty: nothing.
    const QString& activity() const { return activity_; }
    /// Why there is no curve: sizes that differ, a file that is gone.
    const Issue& issue() const { return issue_; }

signals:
    void changed();             ///< any of the above
    void measured(int frame);

private:
    struct Worker;
    void forget();
    std::vector<std::optional<metrics::FrameMetrics>> curve_;
    int done_ = 0;
    bool active_ = false, exact_ = false;
    QString activity_;
    Issue issue_;
    std::shared_ptr<Worker> worker_;
};

} // namespace denoir::app
