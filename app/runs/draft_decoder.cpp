// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/draft_decoder.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "app/base/task_thread.h"
#include "app/base/text.h"
#include "app/clips/clip_source.h"
#include "engine/core/units.h"
#include "engine/media/frames.h"
#include "engine/pipeline/residency.h"
#include "engine/session/decode_run.h"
#include "engine/session/model_lookup.h"
#include "engine/session/stored_run.h"
#include "engine/weights/model_folder.h"

namespace denoir::app {
namespace {

constexpr int decoder_nice = 5; ///< before the engine's 10, as the user waits for this picture

/// Thrown to leave the decoder once it has made the frame that was asked for.
struct Enough {};

} // namespace

struct DraftDecoder::State {
    struct Draft {
        DraftId id = 0;
        std::filesystem::path run;
        int step = 0, frame = -1;  ///< frame -1: every frame
        std::filesystem::path out; ///< empty: pictures only
    };

    explicit State(DraftDecoder& owner)
        : self(owner), thread({.nice = decoder_nice, .release = [this] { release(); }}) {}

    /// Called on the thread, to which weights and backend belong.
    void release() {
        residency.reset();
        backend.reset();
    }

    DraftId put(Draft draft) {
        return thread.put([this, draft = std::move(draft)](DraftId id, const std::stop_token& stop) mutable {
            draft.id = id;
            work(draft, stop);
        });
    }

    void work(Draft& draft, const std::stop_token& stop) {
        Observer nobody;
        try {
            if (stop.stop_requested()) throw Cancelled();
            if (!draft.out.empty()) {
                decode_run(draft.run, draft.step, draft.out, 0, nobody, stop);
                emit self.kept(draft.id, to_qstring(draft.out));
                return;
            }
            decode(draft, nobody, stop);
            emit self.finished(draft.id);
        } catch (const Cancelled&) {
            emit self.cancelled(draft.id);
        } catch (...) {
            emit self.failed(draft.id, Issue::from_current_exception());
        }
    }

    void decode(Draft& draft, Observer& observer, const std::stop_token& stop) {
        const RunFolder run = RunFolder::open(draft.run);
        const Request& r = run.record().request;
        const ModelFolder model = ModelFolder::open(find_model(r.model), r.parts, stop);
        // In a clip of several windows, a step has only the frames of its window: an earlier frame is looked for in the
        // last step of the window before.
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
        // A latent frame stands for four frames, the first for one. As the VAE is causal, later ones are not needed.
        const std::int64_t needed = wanted < 0 ? all.size(1) : latent_frame_of(wanted) + 1;
        const Tensor latent = needed == all.size(1) ? all : all.slice(1, 0, needed).to_host_f32();
        if (!backend || backend->device() != *r.device) {
            residency.reset(); // weights prepared by the old device are of no use
            backend = open_backend(*r.device, std::max(1, int(std::thread::hardware_concurrency()) / 2));
        }
        if (std::exchange(decoder, model.vae) != model.vae) residency.reset(); // only one model's decoder is kept
        if (!residency) residency.emplace();
        Pipeline pipeline(*residency, backend);
        try {
            pipeline.decode(
                r, model, {latent},
                [&](int index, const Tensor& frame) {
                    if (wanted >= 0 && index != wanted) return;
                    emit self.frame_decoded(draft.id, first + index, to_qimage(to_image(frame.unsqueeze(1), 0)));
                    if (wanted >= 0) throw Enough{};
                },
                observer, stop);
        } catch (const Enough&) {
        }
    }

    DraftDecoder& self;
    std::optional<Residency> residency;
    std::vector<std::filesystem::path> decoder; ///< files of the VAE that was used last
    std::shared_ptr<Backend> backend;
    TaskThread thread; ///< declared last, so that it is joined before the rest is destroyed
};

DraftDecoder::DraftDecoder(QObject* parent) : QObject(parent), state_(std::make_unique<State>(*this)) {
    qRegisterMetaType<DraftId>("denoir::app::DraftId");
    qRegisterMetaType<Issue>();
}

DraftDecoder::~DraftDecoder() { cancel_all(); }

DraftId DraftDecoder::decode_step(const QString& run, int step, int frame) {
    return state_->put({.run = to_path(run), .step = step, .frame = frame, .out = {}});
}
DraftId DraftDecoder::keep(const QString& run, int step, const QString& out) {
    return state_->put({.run = to_path(run), .step = step, .out = to_path(out)});
}

void DraftDecoder::cancel(DraftId draft) {
    if (state_->thread.cancel(draft)) emit cancelled(draft);
}

void DraftDecoder::cancel_all() {
    for (const DraftId draft : state_->thread.cancel_all()) emit cancelled(draft);
}

} // namespace denoir::app
