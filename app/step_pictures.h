// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QObject>
#include <memory>
#include <vector>

#include "app/engine_worker.h"
#include "app/issue.h"
#include "engine/pipeline/request.h"

namespace denoir::app {

/// What the latents of a run look like after each step, through a linear map from latent channels to colours: of a run
/// that goes on (fed by the worker's signals) or of a run folder. Pictures are made on a thread of its own. GUI thread.
class StepPictures : public QObject {
    Q_OBJECT
public:
    enum class View { latent, estimate, decoded };

    explicit StepPictures(QObject* parent = nullptr);
    ~StepPictures() override;

    /// A run begins: `steps` slots after the noise. `request` is resolved.
    void begin(const QString& run, const Request& request, int steps);
    void add(const StepUpdate& update);
    /// The run is over or stopped: no more steps come.
    void finish();
    /// A run folder, read in the background; changed() as steps come in.
    void load(const QString& run);
    void clear();

    const QString& run() const { return run_; }
    bool running() const { return running_; }
    int steps() const { return steps_; } ///< in all; 0: nothing is shown
    int last_step() const;               ///< the newest with a picture; -1: none
    int latent_frames() const { return latent_frames_; }
    int frames() const { return frames_; } ///< of the video
    bool can_branch(int step) const;       ///< its latents and solver state are there
    /// Noise level sigma (1: noise, 0: clean) after each step, step 0 the start: steps() + 1 values; with diffusion
    /// forcing the mean over the latent frames.
    const std::vector<double>& noise_levels() const { return noise_levels_; }
    /// Seconds of one step as measured, 0: not known; and until the end.
    double seconds_per_step() const;
    double seconds_left() const;
    const Issue& issue() const { return issue_; }

    /// One pixel for each latent pixel; step 0 … steps, frame in latent frames (decoded: of the video). Null: not
    /// there.
    QImage picture(int step, int frame, View view) const;
    /// What the true VAE made of a step; kept until clear(), at most 64 MB of them.
    void set_decoded(int step, int frame, const QImage& picture);

signals:
    void changed(); ///< everything
    void step_ready(int step);

private:
    struct Step;
    struct Worker;
    QString run_;
    int steps_ = 0, latent_frames_ = 0, frames_ = 0;
    bool running_ = false;
    std::vector<Step> pictures_;
    std::vector<double> noise_levels_;
    Issue issue_;
    std::shared_ptr<Worker> worker_;
};

} // namespace denoir::app
