// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/clips/frame_cache.h"

#include <QMetaObject>
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace denoir::app {

/// The frames of all clips. Shared by their threads.
struct FrameCache::Store {
    using Key = std::pair<int, int>; ///< clip, frame
    struct Held {
        qint64 bytes = 0;
        int wanted = 0, direction = 1, frames = 1;
    };

    mutable std::mutex mutex;
    std::map<Key, QImage> frames;
    std::map<int, Held> clips; ///< those that exist; frames that the thread of another one still decodes are refused
    qint64 limit = 0, bytes = 0;
    int next_clip = 0;

    QImage find(int clip, int frame) const {
        const std::lock_guard lock(mutex);
        const auto found = frames.find({clip, frame});
        return found == frames.end() ? QImage() : found->second;
    }

    bool has(int clip, int frame) const {
        const std::lock_guard lock(mutex);
        return frames.contains({clip, frame});
    }

    void want(int clip, int frame, int direction, int count) {
        const std::lock_guard lock(mutex);
        if (const auto held = clips.find(clip); held != clips.end()) {
            held->second.wanted = frame;
            held->second.direction = direction;
            held->second.frames = count;
        }
    }

    void put(int clip, int frame, QImage image) {
        const std::lock_guard lock(mutex);
        const auto held = clips.find(clip);
        if (held == clips.end() || frames.contains({clip, frame})) return;
        bytes += image.sizeInBytes();
        held->second.bytes += image.sizeInBytes();
        frames[{clip, frame}] = std::move(image);
        shrink({clip, frame});
    }

    /// Drops frames until the limit is kept: of the clip that holds most, so that two clips side by side do not push
    /// each other out, the frame that will be shown latest. Never drops `keep` or the frame that a clip shows, so that
    /// something can be shown whatever the limit.
    void shrink(const Key& keep) {
        while (bytes > limit && !frames.empty()) {
            auto victim = frames.end();
            for (auto it = frames.begin(); it != frames.end(); ++it) {
                if (it->first == keep || it->first.second == clips.at(it->first.first).wanted) continue;
                if (victim == frames.end() || rank(it->first) > rank(victim->first)) victim = it;
            }
            if (victim == frames.end()) return;
            drop(victim);
        }
    }

    /// Frames with the highest rank are dropped first.
    std::pair<qint64, int> rank(const Key& key) const {
        const Held& held = clips.at(key.first);
        const int step = held.direction < 0 ? -1 : 1;
        const int ahead = ((key.second - held.wanted) * step % held.frames + held.frames) % held.frames;
        // Frames that were just passed are kept for a while as well, as people step back.
        return {held.bytes, std::min(ahead, 4 * (held.frames - ahead))};
    }

    std::map<Key, QImage>::iterator drop(std::map<Key, QImage>::iterator it) {
        bytes -= it->second.sizeInBytes();
        clips.at(it->first.first).bytes -= it->second.sizeInBytes();
        return frames.erase(it);
    }

    void forget(int clip) {
        const std::lock_guard lock(mutex);
        for (auto it = frames.lower_bound({clip, 0}); it != frames.end() && it->first.first == clip;) it = drop(it);
        clips.erase(clip);
    }

    /// How many frames of this size a clip may hold.
    int room_for(qint64 frame_bytes) const {
        const std::lock_guard lock(mutex);
        return static_cast<int>(std::clamp<qint64>(limit / std::max<qint64>(1, frame_bytes) /
                                                       std::max<qint64>(1, static_cast<qint64>(clips.size())),
                                                   1, 1 << 20));
    }
};

struct FrameCache::Retired {
    std::vector<std::shared_ptr<Clip::Worker>> workers;
};

/// The thread of a clip and what it shares with it.
struct Clip::Worker {
    std::shared_ptr<FrameCache::Store> store;
    ClipOpener open;
    int id = 0;

    std::mutex mutex;
    std::condition_variable_any changed;
    Clip* clip = nullptr; ///< null once it is destroyed
    int wanted = 0, direction = 1;
    quint64 wish = 1; ///< counts calls of want()
    std::set<int> damaged;
    std::atomic<bool> over = false;
    std::jthread thread; // declared last, so that it is joined before the rest is destroyed

    template <class F> void tell(F&& f) {
        const std::lock_guard lock(mutex);
        if (Clip* const receiver = clip)
            QMetaObject::invokeMethod(
                receiver, [receiver, f = std::forward<F>(f)] { f(*receiver); }, Qt::QueuedConnection);
    }

    void work(const std::stop_token& stop) {
        std::unique_ptr<ClipSource> source;
        try {
            source = open(stop);
        } catch (...) {
            tell([issue = Issue::from_current_exception()](Clip& c) {
                c.state_ = State::failed;
                c.issue_ = issue;
                emit c.failed(issue);
            });
            return;
        }
        tell([info = source->info()](Clip& c) {
            c.info_ = info;
            c.state_ = State::ready;
            emit c.opened();
        });
        for (quint64 done = 0; !stop.stop_requested();) {
            int frame, way;
            {
                std::unique_lock lock(mutex);
                changed.wait(lock, stop, [&] { return wish != done; });
                done = wish;
                frame = std::clamp(wanted, 0, source->info().frames - 1);
                way = direction;
            }
            if (!stop.stop_requested()) fill(*source, frame, way, done, stop);
        }
    }

    /// Decodes the wanted frame, then its neighbours, until another one is wanted.
    void fill(ClipSource& source, int frame, int way, quint64 serving, const std::stop_token& stop) {
        const int frames = source.info().frames;
        store->want(id, frame, way, frames);
        decode(source, frame);
        const int room =
            std::min(frames, store->room_for(qint64{4} * source.info().size.width() * source.info().size.height()));
        const auto interrupted = [&] {
            if (stop.stop_requested()) return true;
            const std::lock_guard lock(mutex);
            return wish != serving;
        };
        // Frames around it, most of them in the direction of play, and round the end.
        const int behind = way == 0 ? room / 2 : std::min(room / 8, room - 1);
        const auto at = [&](int distance) { return ((frame + distance) % frames + frames) % frames; };
        const int step = way < 0 ? -1 : 1;
        for (int d = 1; d < room - behind; ++d)
            if (!reach(source, at(step * d), interrupted)) return;
        for (int d = 1; d <= behind; ++d)
            if (!reach(source, at(-step * d), interrupted)) return;
    }

    /// Decodes a frame and keeps those that must be decoded before it, which makes playing backwards cheap as well.
    template <class Interrupted> bool reach(ClipSource& source, int frame, Interrupted&& interrupted) {
        if (store->has(id, frame)) return !interrupted();
        for (int n = store->has(id, frame - 1) ? frame : source.begin_of(frame); n <= frame; ++n) {
            if (interrupted()) return false;
            if (!store->has(id, n)) decode(source, n);
        }
        return true;
    }

    void decode(ClipSource& source, int frame) {
        if (store->has(id, frame) || damaged.contains(frame)) return;
        try {
            store->put(id, frame, to_qimage(source.read(frame)));
            tell([frame](Clip& c) { emit c.frame_ready(frame); });
        } catch (...) {
            damaged.insert(frame);
            tell([frame, issue = Issue::from_current_exception()](Clip& c) {
                c.damaged_.insert(frame);
                emit c.frame_failed(frame, issue);
            });
        }
    }
};

Clip::Clip(FrameCache& cache, ClipOpener open) : cache_(cache), worker_(std::make_shared<Worker>()) {
    worker_->store = cache.store_;
    worker_->open = std::move(open);
    {
        const std::lock_guard lock(cache.store_->mutex);
        worker_->id = cache.store_->next_clip++;
        cache.store_->clips[worker_->id] = {};
    }
    worker_->clip = this;
    worker_->thread = std::jthread([worker = worker_.get()](const std::stop_token& stop) {
        worker->work(stop);
        worker->over = true;
    });
}

Clip::~Clip() {
    {
        const std::lock_guard lock(worker_->mutex);
        worker_->clip = nullptr;
    }
    worker_->thread.request_stop();
    // Not joined here, as the window must not wait for a frame that is being decoded.
    cache_.store_->forget(worker_->id);
    std::erase_if(cache_.retired_->workers, [](const auto& worker) { return worker->over.load(); });
    cache_.retired_->workers.push_back(std::move(worker_));
}

QImage Clip::cached(int frame) const { return cache_.store_->find(worker_->id, frame); }
ClipOpener Clip::opener() const { return worker_->open; }
bool Clip::is_cached(int frame) const { return cache_.store_->has(worker_->id, frame); }

void Clip::want(int frame, int direction) {
    {
        const std::lock_guard lock(worker_->mutex);
        if (worker_->wanted == frame && worker_->direction == direction && worker_->wish > 1 && is_cached(frame))
            return;
        worker_->wanted = frame;
        worker_->direction = direction;
        ++worker_->wish;
    }
    worker_->changed.notify_all();
}

std::vector<std::pair<int, int>> Clip::cached_ranges() const {
    std::vector<std::pair<int, int>> ranges;
    const std::lock_guard lock(cache_.store_->mutex);
    const auto& frames = cache_.store_->frames;
    for (auto it = frames.lower_bound({worker_->id, 0}); it != frames.end() && it->first.first == worker_->id; ++it) {
        const int frame = it->first.second;
        if (ranges.empty() || ranges.back().second + 1 != frame)
            ranges.push_back({frame, frame});
        else
            ranges.back().second = frame;
    }
    return ranges;
}

FrameCache::FrameCache(qint64 limit_bytes, QObject* parent)
    : QObject(parent), store_(std::make_shared<Store>()), retired_(std::make_unique<Retired>()) {
    store_->limit = limit_bytes;
}

FrameCache::~FrameCache() = default; // joins the threads of destroyed clips

std::unique_ptr<Clip> FrameCache::open(const QString& path) {
    return open([path](std::stop_token stop) { return open_clip(path, std::move(stop)); });
}

std::unique_ptr<Clip> FrameCache::open(ClipOpener source) {
    return std::unique_ptr<Clip>(new Clip(*this, std::move(source)));
}

qint64 FrameCache::bytes() const {
    const std::lock_guard lock(store_->mutex);
    return store_->bytes;
}

} // namespace denoir::app
