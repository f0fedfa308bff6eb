// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QObject>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "app/base/issue.h"
#include "app/runs/engine_worker.h"
#include "engine/pipeline/request.h"
#include "engine/pipeline/windows.h"

namespace denoir::app {

/// What the latents of a run look like after each step, by a linear map from latent channels to colours. The run is the
/// one at work (fed by the worker's signals) or lies in a folder. The pictures are made on a thread of its own. For a
/// new VAE, the map is learned from the first finished run. GUI thread.
class StepPictures : public QObject {
    Q_OBJECT
public:
    enum class View { latent, estimate, decoded };
    static constexpr qint64 pictures_bound = 256 << 20; ///< most bytes of a run's latent pictures

    explicit StepPictures(QObject* parent = nullptr);
    ~StepPictures() override;

    /// A run begins or is resumed: `steps` in all, of which the first `first` have been taken. `request`: resolved.
    void begin(const QString& run, const Request& request, int steps, int first = 0);
    void add(const StepUpdate& update);
    /// No more steps come: the run was stopped or, if `whole`, it is complete with its video.
    void finish(bool whole = false);
    /// Reads a run folder in the background; step_ready() follows for each step.
    void load(const QString& run);
    void clear();

    const QString& run() const { return run_; }
    bool running() const { return running_; }
    bool whole() const { return whole_; }          ///< the run is complete with its video
    int steps() const { return steps_; }           ///< in all; 0 if no run is shown
    int first_step() const { return first_step_; } ///< how many steps the run at work had when it began
    int last_step() const { return last_step_; }   ///< the last step with a picture; -1 if there is none
    int latent_frames() const { return latent_frames_; }
    int frames() const { return frames_; } ///< of the video
    /// The first frame that the steps make; with diffusion forcing, earlier ones are given by a video or the start
    /// image.
    int first_made() const { return first_made_; }
    double fps() const { return fps_; }
    QSize video_size() const { return video_size_; } ///< in pixels
    bool can_branch(int step) const;                 ///< the step's latents and solver state are on disk
    /// Noise level sigma (1: noise, 0: clean) after each step from 0, the start: steps() + 1 values, or none if they
    /// are not known. With diffusion forcing the mean over the latent frames.
    const std::vector<double>& noise_levels() const { return noise_levels_; }
    const Issue& issue() const { return issue_; }

    /// The frame of the video to show for a step. If the clip is made in several windows, a step changes only the
    /// frames of its window: then the one of these nearest to `frame`. Otherwise, and after the last step, `frame`
    /// itself.
    int worked_on(int step, int frame) const;
    /// The picture of a step for a `frame` of the video; null if there is none (yet). For latent and estimate it has
    /// one pixel for each latent pixel; decoded returns what set_decoded() was given. If the clip is made in several
    /// windows, a frame before the step's window has the picture with which its own window ended.
    QImage picture(int step, int frame, View view) const;
    /// How many adjacent latent frames share the picture of the first of them: 1, unless the pictures of all `steps`
    /// would take more than `bound` bytes.
    static int frames_of_a_picture(const Request& resolved, int steps, qint64 bound = pictures_bound);
    /// Keeps what the true VAE made of a step. When these pictures take more than 64 MiB, the oldest are dropped.
    void set_decoded(int step, int frame, const QImage& picture);

signals:
    void changed(); ///< everything may have changed
    void step_ready(int step);

private:
    struct Step {
        std::vector<QImage> latent, estimate; ///< one for every_ latent frames
        bool can_branch = false;
        bool there() const { return !latent.empty(); }
    };
    struct Worker;
    void reset();
    void set_up(const Request& request, int steps);
    void show_stored(int last);
    void take(int step, Step pictures);

    QString run_;
    int steps_ = 0, first_step_ = 0, last_step_ = -1, every_ = 1, latent_frames_ = 0, frames_ = 0, first_made_ = 0;
    double fps_ = 0;
    QSize video_size_;
    bool running_ = false, keeps_steps_ = false, whole_ = false;
    bool told_ = false;          ///< whether add() was called for the run at work
    std::vector<Step> pictures_; ///< 0 … steps
    std::vector<double> noise_levels_;
    std::vector<Window> windows_; ///< empty unless the clip is made in several windows
    std::map<std::pair<int, int>, QImage> decoded_;
    std::list<std::pair<int, int>> decoded_order_; ///< oldest first
    qint64 decoded_bytes_ = 0;
    Issue issue_;
    quint64 generation_ = 0; ///< rises with each run shown, so that answers for an earlier one can be dropped
    std::unique_ptr<Worker> worker_;
};

} // namespace denoir::app
