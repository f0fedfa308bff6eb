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

#include "app/base/engine_text.h"
#include "app/clips/exact_clip.h"
#include "engine/compare/rgb8.h"

namespace denoir::app {
struct Comparison::Worker {
    Pair pair;
    std::mutex mutex;
    std::condition_variable_any changed;
    quint64 generation = 0;
    Comparison* owner = nullptr; ///< null: the comparison is gone
    struct Wish {
        int frame;
        QImage a, b;
    };
    std::optional<Wish> wish;
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

    /// Clips decoded from the latents. Throws Error if that fails: then the videos are compared.
    std::unique_ptr<ClipSource> exact(const ClipInfo& info, const QString& doing, const std::stop_token& stop) {
        return open_clip(exact_clip(info.run, stop,
                                    [&](double done, double total) {
                                        activity(doing.arg(done, 0, 'f', 0).arg(total, 0, 'f', 0));
                                        if (const auto now = take_wish())
                                            report(now->frame, to_image(now->a), to_image(now->b));
                                    }),
                         stop);
    }

    void compare(const std::stop_token& stop) {
        std::unique_ptr<ClipSource> a, b;
        bool uncompressed = pair.a.exact && pair.b.exact;
        Issue undecoded;
        if (pair.exact) {
            try {
                a = exact(pair.a, tr("Decoding A's latents, frame %1 of %2"), stop);
                b = exact(pair.b, tr("Decoding B's latents, frame %1 of %2"), stop);
                uncompressed = true;
            } catch (const Error& error) { // the model is gone, the disk is full: the videos are still there
                undecoded = Issue::from(error);
                a.reset();
                b.reset();
            }
        }
        const bool by_latents = a != nullptr;
        if (!a) a = pair.open_a(stop);
        if (!b) b = pair.open_b(stop);
        const auto range = pair.range(a->info().frames, b->info().frames);
        const int first = range.first, last = range.second; // not [first, last]: clang 14's lambdas cannot capture them
        tell([uncompressed, by_latents, undecoded, frames = a->info().frames](Comparison& c) {
            c.pair_.exact = by_latents;
            c.undecoded_ = undecoded;
            c.note_ = c.pairing();
            c.activity_.clear();
            c.curve_.assign(static_cast<std::size_t>(frames),
                            std::nullopt); // what was measured on videos does not count
            c.done_ = 0;
            c.exact_ = uncompressed;
            c.measuring_ = true;
            emit c.changed();
        });
        std::vector<bool> known(static_cast<std::size_t>(std::max(0, last)), false);
        std::vector<int> damaged;
        const auto measure = [&](int n) {
            if (n < first || n >= last || known[static_cast<std::size_t>(n)]) return;
            known[static_cast<std::size_t>(n)] = true;
            try {
                report(n, a->read(n), b->read(int(pair.pairing.partner(n))));
            } catch (const Error&) { // the others can be measured
                damaged.push_back(n);
                if (static_cast<int>(damaged.size()) == last - first) throw;
                tell([damaged](Comparison& c) { c.leave_out(damaged); });
            }
        };
        int next = first;
        while (!stop.stop_requested()) {
            if (const auto now = take_wish()) {
                if (by_latents || now->frame < first || now->frame >= last) {
                    measure(now->frame);
                } else if (!known[static_cast<std::size_t>(now->frame)]) {
                    known[static_cast<std::size_t>(now->frame)] = true;
                    report(now->frame, to_image(now->a), to_image(now->b));
                }
            } else if (next < last) {
                measure(next++);
            } else {
                std::unique_lock lock(mutex);
                changed.wait(lock, stop, [this] { return wish.has_value(); });
            }
        }
    }
};

Comparison::Comparison(QObject* parent) : QObject(parent) {}

Comparison::~Comparison() {
    stop();
    retired_.clear(); // joins
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
    emit begun();
    emit changed();
}

std::pair<int, int> Comparison::Pair::range(int of_a, int of_b) const {
    const std::int64_t first = pairing.first_to_meet(0, 0, of_a);
    return {int(first), int(pairing.first_to_meet(of_b, first, of_a))};
}

void Comparison::start(const Clip& a, const Clip& b, const Pairing& pairing) {
    pair_ = {a.info(), b.info(), a.opener(), b.opener(), pairing, false};
    begin();
}

bool Comparison::can_be_exact() const {
    // A run's video that was opened as a file is what is asked about, maybe against the run itself.
    return pair_.a.kind == ClipInfo::Kind::run && pair_.b.kind == ClipInfo::Kind::run && has_exact_clip(pair_.a.run) &&
           has_exact_clip(pair_.b.run);
}

void Comparison::set_prefers_exact(bool on) {
    const bool again = on && !undecoded_.isEmpty(); // maybe they can be decoded by now
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
    pair_.exact = prefers_exact_ && can_be_exact();
    active_ = true;
    curve_.assign(static_cast<std::size_t>(pair_.a.frames), std::nullopt);
    note_ = pairing();
    worker_ = std::make_shared<Worker>();
    worker_->pair = pair_;
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
    if (!pair_.exact) { // latents have no such parts
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
