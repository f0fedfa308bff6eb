// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/step_pictures.h"

#include <QMetaObject>
#include <algorithm>
#include <functional>
#include <utility>

#include "app/base/task_thread.h"
#include "app/base/text.h"
#include "app/clips/latent_colours.h"
#include "engine/core/units.h"
#include "engine/media/video_reader.h"
#include "engine/pipeline/noise_levels.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/run_folder.h"

namespace denoir::app {
namespace {

constexpr qint64 decoded_bound = 64 << 20;
constexpr std::size_t most_learned_bytes = std::size_t{400} << 20; ///< of a video's frames, to learn a map from

std::vector<Image> all_frames(const std::filesystem::path& video) {
    std::vector<Image> frames;
    VideoReader reader(video);
    std::size_t bytes = 0;
    for (Image image; reader.read(image); image = {}) { // reset, as a moved image keeps its size without its pixels
        bytes += image.rgb.size();
        if (bytes > most_learned_bytes) return {};
        frames.push_back(std::move(image));
    }
    return frames;
}

} // namespace

int StepPictures::frames_of_a_picture(const Request& r, int steps, qint64 bound) {
    std::int64_t frames = denoir::latent_frames(r.frames.value_or(1));
    if (r.forcing && r.forcing->base) frames = std::min<std::int64_t>(frames, denoir::latent_frames(*r.forcing->base));
    // A latent pixel covers 8 x 8 of the video (for TI2V 16 x 16) and takes 4 bytes, for the latent and the estimate
    // each.
    const qint64 pixels = qint64(r.width.value_or(0) / 8) * (r.height.value_or(0) / 8);
    const qint64 all = (qint64(steps) + 1) * 2 * frames * pixels * 4;
    return int(std::clamp<qint64>((all + bound - 1) / bound, 1, std::max<std::int64_t>(1, frames)));
}

/// Makes the pictures, on its own thread. Only that thread touches its members.
struct StepPictures::Worker {
    StepPictures& owner;
    std::optional<LatentColours> colours;
    bool guessed = false;           ///< colours are principal directions, not learned
    int every = 1;                  ///< frames_of_a_picture()
    int stored = -1;                ///< the last stored step of the run that was shown
    TaskThread thread{{.nice = 0}}; ///< declared last, so that it is joined before the rest is destroyed

    explicit Worker(StepPictures& pictures) : owner(pictures) {}

    void put(std::function<void(const std::stop_token&)> task) {
        thread.put([task = std::move(task)](TaskThread::Id, const std::stop_token& stop) { task(stop); });
    }

    /// Calls `f` on the GUI thread, unless another run is shown by then.
    template <class F> void tell(quint64 number, F&& f) {
        QMetaObject::invokeMethod(
            &owner,
            [&pictures = owner, number, f = std::forward<F>(f)] {
                if (number == pictures.generation_) f(pictures);
            },
            Qt::QueuedConnection);
    }

    void prepare(const Request& request, int steps) {
        every = frames_of_a_picture(request, steps);
        colours = known_colours(request);
        guessed = false;
        stored = -1;
    }

    Step pictures_of(const Tensor& latent, const Tensor& x0) {
        const Tensor& clearest = x0 ? x0 : latent;
        // A guessed map is made anew, as the estimate gets clearer with each step; a learned one stays.
        if (!colours || !colours->fits(latent) || guessed) {
            colours = LatentColours::principal(clearest);
            guessed = true;
        }
        Step step;
        for (int t = 0; t < latent.size(1); t += every) {
            step.latent.push_back(colours->picture(latent, t));
            if (x0) step.estimate.push_back(colours->picture(x0, t));
        }
        return step;
    }

    /// Learns the map of this VAE from a finished run, unless it is known already.
    void learn(const RunFolder& run) {
        const RunRecord& record = run.record();
        if (record.state != RunState::done || learned_colours(record.request)) return;
        if (record.request.forcing && record.request.forcing->base)
            return; // the last step has only the latents of the last window
        std::error_code code;
        std::filesystem::path video = run.file(run_file::video);
        if (!std::filesystem::exists(video, code)) video = record.out;
        if (!record.find(record.total_steps) || !std::filesystem::is_regular_file(video, code)) return;
        const Tensor latent = run.step_tensor(record.total_steps, "latent");
        if (const auto fitted = LatentColours::fit(latent, all_frames(video))) {
            remember_colours(record.request, *fitted);
            colours = fitted;
            guessed = false;
        }
    }

    /// Makes pictures of the stored steps up to `last` that were not shown yet.
    void show(const RunFolder& run, int last, quint64 number, const std::stop_token& stop) {
        const RunRecord& record = run.record();
        for (const StepRecord& s : record.steps) {
            if (stop.stop_requested()) return;
            if (s.step <= stored || s.step > last || !run.has_step_tensor(s.step, "latent")) continue;
            const Tensor latent = run.step_tensor(s.step, "latent");
            const Tensor x0 = run.has_step_tensor(s.step, "x0") ? run.step_tensor(s.step, "x0") : Tensor();
            Step step = pictures_of(latent, x0);
            std::error_code code;
            step.can_branch = s.step < record.total_steps && !s.solver_sha256.empty() &&
                              std::filesystem::exists(run.solver_file(s.step), code);
            tell(number, [n = s.step, step](StepPictures& p) { p.take(n, step); });
            stored = s.step;
        }
    }

    void load(const QString& path, quint64 number, bool anew, const std::stop_token& stop) {
        try {
            const RunFolder run = RunFolder::open(to_path(path));
            const RunRecord& record = run.record();
            if (anew)
                tell(number, [request = record.request, steps = record.total_steps,
                              whole = record.state == RunState::done](StepPictures& p) {
                    p.set_up(request, steps);
                    p.whole_ = whole;
                    emit p.changed();
                });
            prepare(record.request, record.total_steps);
            try {
                learn(run);
            } catch (const Error&) { // a damaged video: the map stays guessed
            }
            show(run, record.total_steps, number, stop);
        } catch (...) {
            tell(number, [issue = Issue::from_current_exception()](StepPictures& p) {
                p.issue_ = issue;
                emit p.changed();
            });
        }
    }
};

StepPictures::StepPictures(QObject* parent) : QObject(parent), worker_(std::make_unique<Worker>(*this)) {}

StepPictures::~StepPictures() = default; // worker_ is destroyed first, which joins its thread

/// Forgets the run and cancels the worker's tasks.
void StepPictures::reset() {
    worker_->thread.cancel_all();
    ++generation_;
    run_.clear();
    steps_ = first_step_ = latent_frames_ = frames_ = first_made_ = 0;
    last_step_ = -1;
    every_ = 1;
    fps_ = 0;
    video_size_ = {};
    running_ = keeps_steps_ = told_ = whole_ = false;
    pictures_.clear();
    noise_levels_.clear();
    windows_.clear();
    decoded_.clear();
    decoded_order_.clear();
    decoded_bytes_ = 0;
    issue_ = {};
}

void StepPictures::clear() {
    reset();
    emit changed();
}

void StepPictures::set_up(const Request& r, int steps) {
    steps_ = steps;
    frames_ = r.frames.value_or(1);
    latent_frames_ = denoir::latent_frames(frames_);
    const int given = !r.forcing ? 0 : !r.forcing->video.empty() ? r.forcing->overlap : r.image.empty() ? 0 : 1;
    first_made_ = std::clamp(given, 0, std::max(0, frames_ - 1));
    fps_ = r.fps.value_or(0);
    video_size_ = {r.width.value_or(0), r.height.value_or(0)};
    keeps_steps_ = r.latents == KeepLatents::all;
    every_ = frames_of_a_picture(r, steps);
    pictures_.assign(static_cast<std::size_t>(steps) + 1, {});
    last_step_ = -1;
    try {
        noise_levels_ = denoir::noise_levels(r);
        if (r.forcing && r.forcing->base) windows_ = windows_of(r);
    } catch (const std::exception&) { // a wrong record: no run can have these settings
        noise_levels_.clear();
    }
    if (noise_levels_.size() != pictures_.size()) noise_levels_.clear();
}

void StepPictures::begin(const QString& run, const Request& request, int steps, int first) {
    reset();
    run_ = run;
    running_ = true;
    first_step_ = first;
    set_up(request, steps);
    // Tasks capture a plain pointer, as worker_ must not be used while the worker is being destroyed.
    worker_->put([worker = worker_.get(), request, steps](const std::stop_token&) { worker->prepare(request, steps); });
    if (first > 0) show_stored(first); // a resumed run: its next step may take long, or there may be none
    emit changed();
}

void StepPictures::show_stored(int last) {
    worker_->put([worker = worker_.get(), run = run_, number = generation_, last](const std::stop_token& stop) {
        try {
            worker->show(RunFolder::open(to_path(run)), last, number, stop);
        } catch (const Error&) { // these steps stay without pictures
        }
    });
}

void StepPictures::add(const StepUpdate& update) {
    if (!running_ || update.step < 0 || update.step > steps_ || !update.latent) return;
    const quint64 number = generation_;
    // The steps before the first one lie in the folder: the noise, and what a branch took over.
    if (!std::exchange(told_, true)) show_stored(update.step - 1);
    const bool branch = keeps_steps_ && update.step < steps_;
    worker_->put([worker = worker_.get(), update, number, branch](const std::stop_token&) {
        Step step = worker->pictures_of(update.latent, update.x0);
        step.can_branch = branch;
        worker->tell(number, [n = update.step, step](StepPictures& p) { p.take(n, step); });
    });
}

void StepPictures::finish(bool whole) {
    if (!running_) return;
    running_ = false;
    whole_ = whole;
    const QString run = run_;
    if (!run.isEmpty()) {
        // If the colours were guessed, the pictures are made again with the map learned from this run.
        worker_->put([worker = worker_.get(), run, number = generation_](const std::stop_token& stop) {
            if (worker->guessed) worker->load(run, number, false, stop);
        });
    }
    emit changed();
}

void StepPictures::load(const QString& run) {
    reset();
    run_ = run;
    worker_->put([worker = worker_.get(), run, number = generation_](const std::stop_token& stop) {
        worker->load(run, number, true, stop);
    });
    emit changed();
}

void StepPictures::take(int step, Step pictures) {
    if (step < 0 || static_cast<std::size_t>(step) >= pictures_.size()) return;
    if (pictures.there()) last_step_ = std::max(last_step_, step);
    pictures_[static_cast<std::size_t>(step)] = std::move(pictures);
    emit step_ready(step);
}

bool StepPictures::can_branch(int step) const {
    return step >= 0 && static_cast<std::size_t>(step) < pictures_.size() && !run_.isEmpty() &&
           pictures_[static_cast<std::size_t>(step)].can_branch;
}

int StepPictures::worked_on(int step, int frame) const {
    if (windows_.empty() || step >= steps()) return frame;
    const Window& w = window_after(windows_, step);
    return std::clamp(frame, w.first_picture(), 4 * (w.begin + w.frames) - 4);
}

QImage StepPictures::picture(int step, int frame, View view) const {
    if (step < 0 || static_cast<std::size_t>(step) >= pictures_.size() || frame < 0 || frame >= frames_) return {};
    if (view == View::decoded) {
        const auto it = decoded_.find({step, frame});
        return it == decoded_.end() ? QImage() : it->second;
    }
    const Step& s = pictures_[static_cast<std::size_t>(step)];
    // The noise has no estimate, and the last step's latent is its own estimate: for these, the latent is shown.
    const std::vector<QImage>& pictures = view == View::latent || s.estimate.empty() ? s.latent : s.estimate;
    auto t = static_cast<std::size_t>(latent_frame_of(frame));
    if (!windows_.empty()) {
        const Window& w = window_after(windows_, step);
        if (frame < w.first_picture()) return picture(w.first_step, frame, view);
        t -= static_cast<std::size_t>(w.begin);
    }
    t /= static_cast<std::size_t>(every_);
    return t < pictures.size() ? pictures[t] : QImage();
}

void StepPictures::set_decoded(int step, int frame, const QImage& picture) {
    if (picture.isNull() || decoded_.contains({step, frame})) return;
    decoded_[{step, frame}] = picture;
    decoded_order_.push_back({step, frame});
    decoded_bytes_ += picture.sizeInBytes();
    while (decoded_bytes_ > decoded_bound && decoded_order_.size() > 1) {
        const auto oldest = decoded_.find(decoded_order_.front());
        decoded_bytes_ -= oldest->second.sizeInBytes();
        decoded_.erase(oldest);
        decoded_order_.pop_front();
    }
    emit step_ready(step);
}

} // namespace denoir::app
