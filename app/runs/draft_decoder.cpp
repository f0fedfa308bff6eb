// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/draft_decoder.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "app/base/low_priority.h"
#include "app/base/text.h"
#include "app/clips/clip_source.h"
#include "engine/core/units.h"
#include "engine/media/frames.h"
#include "engine/pipeline/residency.h"
#include "engine/session/decode_run.h"
#include "engine/session/model_lookup.h"
#include "engine/session/stored_run.h"

namespace denoir::app {
namespace {

constexpr int decoder_nice = 5; ///< before the run: somebody waits for this picture
constexpr std::size_t residency_budget = std::size_t{1} << 32;
constexpr auto weights_kept = std::chrono::minutes(10); ///< after the last picture

/// Leaves the decoder once the picture that was asked for is there.
struct Enough {};

} // namespace

struct DraftDecoder::State {
    struct Draft {
        DraftId id = 0;
        std::filesystem::path run;
        int step = 0, frame = -1;  ///< frame -1: every one
        std::filesystem::path out; ///< empty: pictures only
        std::stop_source stop;
    };

    explicit State(DraftDecoder& decoder) : self(decoder) {}

    DraftId push(Draft draft) {
        const std::scoped_lock lock(mutex);
        draft.id = ++last_id;
        waiting.push_back(std::move(draft));
        wake.notify_all();
        return last_id;
    }

    void loop(const std::stop_token& end) {
        lower_priority(decoder_nice);
        for (;;) {
            Draft draft;
            {
                std::unique_lock lock(mutex);
                const auto awaited = [&] { return !waiting.empty(); };
                if (!wake.wait_for(lock, end, weights_kept, awaited) && !end.stop_requested()) {
                    release();
                    wake.wait(lock, end, awaited);
                }
                if (waiting.empty()) break;
                draft = std::move(waiting.front());
                waiting.pop_front();
                current = draft.id;
                stop = draft.stop;
            }
            work(draft);
            const std::scoped_lock lock(mutex);
            current = 0;
        }
        release();
    }

    /// Weights and backend belong to this thread.
    void release() {
        residency.reset();
        backend.reset();
    }

    void work(Draft& draft) {
        Observer nobody;
        try {
            if (draft.stop.stop_requested()) throw Cancelled();
            if (!draft.out.empty()) {
                decode_run(draft.run, draft.step, draft.out, 0, nobody, draft.stop.get_token());
                emit self.kept(draft.id, to_qstring(draft.out));
                return;
            }
            decode(draft, nobody);
            emit self.finished(draft.id);
        } catch (const Cancelled&) {
            emit self.cancelled(draft.id);
        } catch (...) {
            emit self.failed(draft.id, Issue::from_current_exception());
        }
    }

    void decode(Draft& draft, Observer& observer) {
        const RunFolder run = RunFolder::open(draft.run);
        const Request& r = run.record().request;
        const ModelFolder model = ModelFolder::open(find_model(r.model), r.parts);
        // A step of a clip of several windows shows its own; pictures before that are those of the windows before.
        int first = 0;
        if (r.forcing && r.forcing->base) {
            check_resolved(run);
            const std::vector<Window> windows = stored_windows(run);
            const Window* w = &window_after(windows, draft.step);
            while (draft.frame >= 0 && draft.frame < w->first_picture())
                w = &window_after(windows, draft.step = w->first_step);
            first = 4 * w->begin;
        }
        const int wanted = draft.frame < 0 ? draft.frame : draft.frame - first;
        const Tensor all = draft_latent(run, draft.step, model);
        const std::int64_t frames = video_frames(all.size(1));
        if (wanted >= frames) throw UsageError({}, "frame", "the clip is shorter than that", "choose another frame");
        // Four frames share a latent frame, the first has one alone; later ones do not reach back.
        const std::int64_t needed = wanted < 0 ? all.size(1) : (wanted + 3) / 4 + 1;
        const Tensor latent = needed == all.size(1) ? all : all.slice(1, 0, needed).to_host_f32();
        if (!backend || backend->device() != *r.device) {
            residency.reset(); // what the old device prepared of the weights goes with it
            backend = open_backend(*r.device, std::max(1, int(std::thread::hardware_concurrency()) / 2));
        }
        if (!residency) residency.emplace(residency_budget);
        Pipeline pipeline(*residency, backend);
        try {
            pipeline.decode(
                r, model, {latent},
                [&](int index, const Tensor& frame) {
                    if (wanted >= 0 && index != wanted) return;
                    emit self.frame_decoded(draft.id, first + index, to_qimage(to_image(frame.unsqueeze(1), 0)));
                    if (wanted >= 0) throw Enough{};
                },
                observer, draft.stop.get_token());
        } catch (const Enough&) {
        }
    }

    DraftDecoder& self;
    std::mutex mutex;
    std::condition_variable_any wake;
    std::deque<Draft> waiting;
    DraftId last_id = 0, current = 0;
    std::stop_source stop;
    std::optional<Residency> residency;
    std::shared_ptr<Backend> backend;
    std::jthread thread; ///< last: joined before the rest goes
};

DraftDecoder::DraftDecoder(QObject* parent) : QObject(parent), state_(std::make_unique<State>(*this)) {
    qRegisterMetaType<DraftId>("denoir::app::DraftId");
    qRegisterMetaType<Issue>();
    state_->thread = std::jthread([state = state_.get()](const std::stop_token& end) { state->loop(end); });
}

DraftDecoder::~DraftDecoder() {
    state_->thread.request_stop();
    cancel_all();
    state_->thread.join();
}

DraftId DraftDecoder::decode_step(const QString& run, int step, int frame) {
    return state_->push({.run = to_path(run), .step = step, .frame = frame});
}
DraftId DraftDecoder::keep(const QString& run, int step, const QString& out) {
    return state_->push({.run = to_path(run), .step = step, .out = to_path(out)});
}

void DraftDecoder::cancel(DraftId draft) {
    {
        const std::scoped_lock lock(state_->mutex);
        if (draft != 0 && draft == state_->current) state_->stop.request_stop();
        const auto it = std::find_if(state_->waiting.begin(), state_->waiting.end(),
                                     [&](const State::Draft& waiting) { return waiting.id == draft; });
        if (it == state_->waiting.end()) return;
        state_->waiting.erase(it);
    }
    emit cancelled(draft);
}

void DraftDecoder::cancel_all() {
    std::deque<State::Draft> dropped;
    {
        const std::scoped_lock lock(state_->mutex);
        dropped.swap(state_->waiting);
        if (state_->current != 0) state_->stop.request_stop();
    }
    for (const State::Draft& draft : dropped) emit cancelled(draft.id);
}

} // namespace denoir::app
