// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/comparison.h"

#include <QLocale>
#include <QMetaObject>
#include <QStringList>
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <tuple>

#include "app/base/engine_text.h"
#include "app/clips/exact_clip.h"
#include "engine/compare/rgb8.h"

namespace denoir::app {
struct Comparison::Worker {
    Pair pair;
    std::mutex mutex;
    std::condition_variable_any changed;
    quint64 generation = 0;
    Comparison* owner = nullptr; ///< null once it is destroyed
    struct Wish {
        int frame;
        QImage a, b;
    };
    std::optional<Wish> wish;
    bool prefers_exact = true;
    std::atomic<bool> over = false;
    ThreadPool pool{1};
    std::jthread thread;

    template <class F> void tell(F&& f) {
        const std::lock_guard lock(mutex);
        if (!owner) return;
        // Ignored if the worker has been replaced by then.
        QMetaObject::invokeMethod(
            owner,
            [receiver = owner, number = generation, f = std::forward<F>(f)] {
                if (receiver->generation_ == number) f(*receiver);
            },
            Qt::QueuedConnection);
    }

    void activity(const QString& text) {
        tell([text](Comparison& c) {
            c.activity_ = text;
            emit c.changed();
        });
    }

    std::optional<Wish> take_wish() {
        const std::lock_guard lock(mutex);
        return std::exchange(wish, std::nullopt);
    }

    void report(int frame, const Image& a, const Image& b) {
        tell([frame, value = metrics::compare_frames(rgb8(a), rgb8(b), pool)](Comparison& c) { c.take(frame, value); });
    }

    void work(const std::stop_token& stop) {
        try {
            pool.set_stop(stop);
            compare(stop);
        } catch (const Cancelled&) {
        } catch (...) {
            tell([issue = Issue::from_current_exception()](Comparison& c) {
                c.issue_ = issue;
                c.active_ = c.measuring_ = false;
                c.activity_.clear();
                emit c.changed();
            });
        }
    }

    /// A clip decoded from the latents. Throws Error if that fails; then the videos are compared.
    std::unique_ptr<ClipSource> exact(const ClipInfo& info, const QString& doing, const std::stop_token& stop) {
        return open_clip(exact_clip(info.run, stop,
                                    [&](double done, double total) {
                                        activity(doing.arg(done, 0, 'f', 0).arg(total, 0, 'f', 0));
                                        if (const auto now = take_wish())
                                            report(now->frame, to_image(now->a), to_image(now->b));
                                    }),
                         stop);
    }

    struct Clips {
        std::unique_ptr<ClipSource> a, b;
        bool by_latents = false;   ///< both were decoded from their latents
        bool uncompressed = false; ///< both were decoded from latents or are files without loss
        Issue undecoded;           ///< why the latents are not compared although they were asked for
    };

    /// Whether the latents are compared. Looks for them on the disk, and tells the owner.
    bool takes_latents() {
        const bool possible = pair.of_runs() && has_exact_clip(pair.a.run) && has_exact_clip(pair.b.run);
        tell([possible, taken = possible && prefers_exact](Comparison& c) {
            c.can_be_exact_ = possible;
            c.pair_.exact = taken;
            c.note_ = c.pairing();
            emit c.changed();
        });
        return possible && prefers_exact;
    }

    Clips open_clips(const std::stop_token& stop) {
        Clips clips;
        clips.uncompressed = pair.a.exact && pair.b.exact;
        if (takes_latents()) {
            try {
                clips.a = exact(pair.a, tr("Decoding A's latents, frame %1 of %2"), stop);
                clips.b = exact(pair.b, tr("Decoding B's latents, frame %1 of %2"), stop);
                clips.by_latents = clips.uncompressed = true;
                return clips;
            } catch (const Error& error) { // such as a missing model or a full disk; the videos are still there
                clips.undecoded = Issue::from(error);
                clips.a.reset();
            }
        }
        clips.a = pair.open_a(stop);
        clips.b = pair.open_b(stop);
        return clips;
    }

    void tell_begun(const Clips& clips) {
        tell([uncompressed = clips.uncompressed, by_latents = clips.by_latents, undecoded = clips.undecoded,
              frames = clips.a->info().frames](Comparison& c) {
            c.pair_.exact = by_latents;
            c.undecoded_ = undecoded;
            c.note_ = c.pairing();
            c.activity_.clear();
            // Frames of the videos that were measured while latents were decoded do not count.
            c.curve_.assign(static_cast<std::size_t>(frames), std::nullopt);
            c.done_ = 0;
            c.exact_ = uncompressed;
            c.measuring_ = true;
            emit c.changed();
        });
    }

    /// Measures the frames [first, last) of A with their partners in B, each once.
    class Frames {
    public:
        Frames(Worker& worker, const Clips& clips) : worker_(worker), clips_(clips) {
            std::tie(first_, last_) = worker.pair.range(clips.a->info().frames, clips.b->info().frames);
            next_ = first_;
            known_.resize(static_cast<std::size_t>(std::max(0, last_)), false);
        }

        /// Measures the next one in order; returns false if there are no more.
        bool measure_next() {
            if (next_ >= last_) return false;
            measure(next_++);
            return true;
        }

        /// Measures a pair that is shown. Its pictures can be used unless the latents are compared.
        void measure(const Wish& shown) {
            if (clips_.by_latents || shown.frame < first_ || shown.frame >= last_) return measure(shown.frame);
            if (is_known(shown.frame)) return;
            known_[static_cast<std::size_t>(shown.frame)] = true;
            worker_.report(shown.frame, to_image(shown.a), to_image(shown.b));
        }

    private:
        bool is_known(int n) const { return known_[static_cast<std::size_t>(n)]; }
        void measure(int n) {
            if (n < first_ || n >= last_ || is_known(n)) return;
            known_[static_cast<std::size_t>(n)] = true;
            try {
                worker_.report(n, clips_.a->read(n), clips_.b->read(int(worker_.pair.pairing.partner(n))));
            } catch (const Error&) { // the other frames can still be measured
                damaged_.push_back(n);
                if (static_cast<int>(damaged_.size()) == last_ - first_) throw;
                worker_.tell([damaged = damaged_](Comparison& c) { c.leave_out(damaged); });
            }
        }

        Worker& worker_;
        const Clips& clips_;
        int first_ = 0, last_ = 0, next_ = 0;
        std::vector<bool> known_;
        std::vector<int> damaged_;
    };

    void compare(const std::stop_token& stop) {
        const Clips clips = open_clips(stop);
        Frames frames(*this, clips);
        tell_begun(clips);
        while (!stop.stop_requested()) {
            if (const auto now = take_wish()) {
                frames.measure(*now);
            } else if (!frames.measure_next()) {
                std::unique_lock lock(mutex);
                changed.wait(lock, stop, [this] { return wish.has_value(); });
            }
        }
    }
};

Comparison::Comparison(QObject* parent) : QObject(parent) {}

Comparison::~Comparison() {
    stop();
    retired_.clear(); // joins the threads
}

void Comparison::retire() {
    ++generation_;
    if (worker_) {
        {
            const std::lock_guard lock(worker_->mutex);
            worker_->owner = nullptr;
        }
        worker_->thread.request_stop();
        retired_.push_back(std::move(worker_));
    }
    std::erase_if(retired_, [](const auto& worker) { return worker->over.load(); });
    curve_.clear();
    done_ = 0;
    active_ = exact_ = measuring_ = false;
    activity_.clear();
    note_.clear();
    undecoded_ = {};
    damaged_.clear();
    issue_ = {};
}

void Comparison::stop() {
    retire();
    pair_ = {};
    can_be_exact_ = false;
    emit begun();
    emit changed();
}

std::pair<int, int> Comparison::Pair::range(int of_a, int of_b) const {
    const std::int64_t first = pairing.first_to_meet(0, 0, of_a);
    return {int(first), int(pairing.first_to_meet(of_b, first, of_a))};
}

void Comparison::start(const Clip& a, const Clip& b, const Pairing& pairing) {
    pair_ = {a.info(), b.info(), a.opener(), b.opener(), pairing, false};
    can_be_exact_ = false;
    begin();
}

void Comparison::set_prefers_exact(bool on) {
    const bool again = on && !undecoded_.isEmpty(); // perhaps they can be decoded by now
    if (on == prefers_exact_ && !again) return;
    prefers_exact_ = on;
    if (pair_.open_a) begin();
}

void Comparison::begin() {
    retire();
    const auto size = [](const QSize& s) { return QStringLiteral("%1 × %2").arg(s.width()).arg(s.height()); };
    if (pair_.a.size != pair_.b.size) {
        issue_ = {QString(), QStringLiteral("size"),
                  tr("A is %1, B is %2: only equal sizes can be measured").arg(size(pair_.a.size), size(pair_.b.size)),
                  tr("compare runs of one size")};
        emit begun();
        emit changed();
        return;
    }
    pair_.exact = prefers_exact_ && can_be_exact_; // as last known; the worker looks again
    active_ = true;
    curve_.assign(static_cast<std::size_t>(pair_.a.frames), std::nullopt);
    note_ = pairing();
    worker_ = std::make_shared<Worker>();
    worker_->pair = pair_;
    worker_->prefers_exact = prefers_exact_;
    worker_->owner = this;
    worker_->generation = generation_;
    worker_->thread = std::jthread([worker = worker_.get()](const std::stop_token& stop) {
        worker->work(stop);
        worker->over = true;
    });
    emit begun();
    emit changed();
}

void Comparison::leave_out(std::vector<int> damaged) {
    std::sort(damaged.begin(), damaged.end());
    damaged_ = std::move(damaged);
    note_ = pairing();
    emit changed();
}

QString Comparison::pairing() const {
    QStringList notes;
    if (!undecoded_.isEmpty())
        notes << tr("The latents cannot be decoded, so the videos are measured: %1").arg(undecoded_.line());
    if (!damaged_.empty()) {
        constexpr std::size_t most = 5;
        QStringList named;
        for (std::size_t i = 0; i < std::min(most, damaged_.size()); ++i) named << QString::number(damaged_[i] + 1);
        if (damaged_.size() > most) named << QString(QChar(0x2026));
        notes << tr("%n frame(s) cannot be read: %1", nullptr, int(damaged_.size()))
                     .arg(named.join(QStringLiteral(", ")));
    }
    if (const QString& a = pair_.a.hdr, &b = pair_.b.hdr; !a.isEmpty() || !b.isEmpty())
        notes << (b.isEmpty()   ? tr("A is HDR (%1) and read as if it were not").arg(a)
                  : a.isEmpty() ? tr("B is HDR (%1) and read as if it were not").arg(b)
                                : tr("A (%1) and B (%2) are HDR and read as if they were not").arg(a, b));
    if (!pair_.exact) { // for latents, nothing of a file is left out
        for (const QString& part : pair_.a.unread) notes << tr("A %1").arg(engine_text(part));
        for (const QString& part : pair_.b.unread) notes << tr("B %1").arg(engine_text(part));
    }
    if (const double a = pair_.a.stated_fps, b = pair_.b.stated_fps; rates_differ(a, b)) {
        const auto rate = [](double fps) { return QLocale().toString(fps, 'g', 4); };
        notes << (pair_.pairing.by_time()
                      ? tr("A runs at %1 fps, B at %2: each frame of A meets the frame of B nearest in time")
                      : tr("A runs at %1 fps, B at %2: frames are paired by their number"))
                     .arg(rate(a), rate(b));
    }
    if (const int pairs = paired(); pairs != pair_.a.frames || pairs != pair_.b.frames)
        notes << tr("A has %1 frames, B %2; paired: %3").arg(pair_.a.frames).arg(pair_.b.frames).arg(pairs);
    return notes.join(QStringLiteral("  ·  "));
}

void Comparison::take(int frame, const metrics::FrameMetrics& value) {
    if (frame < 0 || static_cast<std::size_t>(frame) >= curve_.size()) return;
    auto& slot = curve_[static_cast<std::size_t>(frame)];
    if (!slot) ++done_;
    slot = value;
    emit measured(frame);
    emit changed();
}

void Comparison::measure(int frame, const QImage& a, const QImage& b) {
    if (!active_ || a.isNull() || a.size() != b.size()) return;
    if (frame < 0 || static_cast<std::size_t>(frame) >= curve_.size() || curve_[static_cast<std::size_t>(frame)])
        return;
    {
        const std::lock_guard lock(worker_->mutex);
        worker_->wish = Worker::Wish{frame, a, b};
    }
    worker_->changed.notify_all();
}

int Comparison::paired() const {
    const auto [first, last] = pair_.range(pair_.a.frames, pair_.b.frames);
    return active_ ? last - first : 0;
}

int Comparison::comparable() const { return std::max(0, paired() - int(damaged_.size())); }

int Comparison::worst() const {
    int worst = -1;
    for (std::size_t n = 0; n < curve_.size(); ++n) {
        if (!curve_[n] || curve_[n]->mse == 0) continue;
        if (worst < 0) {
            worst = static_cast<int>(n);
            continue;
        }
        const metrics::FrameMetrics &now = *curve_[n], &before = *curve_[static_cast<std::size_t>(worst)];
        if (now.ssim && before.ssim ? *now.ssim < *before.ssim : now.mse > before.mse) worst = static_cast<int>(n);
    }
    return worst;
}

std::optional<metrics::FrameMetrics> Comparison::mean() const {
    std::vector<metrics::FrameMetrics> known;
    for (const auto& value : curve_)
        if (value) known.push_back(*value);
    if (known.empty()) return {};
    return metrics::summarize(known).mean;
}

} // namespace denoir::app
