// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/clips/thumbnails.h"

#include <QCache>
#include <QHash>
#include <QSet>
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <thread>

#include "app/base/low_priority.h"
#include "app/base/text.h"
#include "app/clips/clip_source.h"
#include "app/clips/latent_colours.h"
#include "engine/core/error.h"
#include "engine/media/frames.h"
#include "engine/media/indexed_video.h"
#include "engine/media/video_reader.h"
#include "engine/session/run_folder.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

constexpr int reader_nice = 5;
constexpr int whole_picture = -1;         ///< stands in place of a frame; lower numbers are steps
constexpr std::size_t most_waiting = 512; ///< older questions are dropped, as their rows were scrolled away

} // namespace

struct Thumbnails::State {
    struct Question {
        QString file;
        int frame = 0, side = 0; ///< a negative frame is a picture file or a step
        quint64 number = 0;      ///< of the question; see `asked`
        QString key() const {
            return QStringLiteral("%1\n%2\n%3").arg(file, QString::number(frame), QString::number(side));
        }
    };

    State(Thumbnails& thumbnails, qint64 bound) : self(thumbnails), cache(qsizetype(bound >> 10)) {}

    void loop(const std::stop_token& end) {
        lower_priority(reader_nice);
        for (;;) {
            std::vector<Question> questions; // about one video, which is read once for all
            {
                std::unique_lock lock(mutex);
                if (!wake.wait(lock, end, [&] { return !waiting.empty(); })) return;
                questions.push_back(waiting.back()); // the newest is answered first
                waiting.pop_back();
                if (questions[0].frame >= 0) {
                    for (auto it = waiting.begin(); it != waiting.end();)
                        if (it->file == questions[0].file && it->frame >= 0) {
                            questions.push_back(*it);
                            it = waiting.erase(it);
                        } else {
                            ++it;
                        }
                }
            }
            try {
                const int frame = questions[0].frame;
                if (frame == whole_picture)
                    read_picture(questions[0]);
                else if (frame < whole_picture)
                    read_step(questions[0]);
                else
                    read_video(questions, end);
            } catch (...) { // it has no picture
                for (const Question& q : questions) give_up(q);
            }
            const std::scoped_lock lock(mutex);
            for (const Question& q : questions)
                if (is_asked(q)) asked.remove(q.key());
        }
    }

    /// False if forget() was called while it was read; then it may have been asked again.
    bool is_asked(const Question& q) const { return asked.value(q.key()) == q.number; }

    void read_picture(const Question& q) { keep(q, to_qimage(thumbnail(read_image(to_path(q.file)), q.side))); }

    void read_step(const Question& q) {
        const RunFolder run = RunFolder::open(to_path(q.file));
        const std::vector<StepRecord>& steps = run.record().steps;
        const auto newest = std::find_if(steps.rbegin(), steps.rend(), [&run](const StepRecord& s) {
            return s.step > 0 && run.has_step_tensor(s.step, "latent");
        });
        if (newest == steps.rend()) throw Error(q.file.toStdString(), "", "holds no steps", "");
        const char* const clearest = run.has_step_tensor(newest->step, "x0") ? "x0" : "latent";
        const Tensor tensor = run.step_tensor(newest->step, clearest);
        std::optional<LatentColours> colours = known_colours(run.record().request);
        if (!colours || !colours->fits(tensor)) colours = LatentColours::principal(tensor);
        keep(q, colours->picture(tensor, int(tensor.size(1) / 2)));
    }

    /// Reads frames that can be read each by itself. In place of a damaged one, a later neighbour is used if possible.
    template <class Read>
    void read_each(const std::vector<Question>& questions, int frames, Read&& read, const std::stop_token& end) {
        constexpr int neighbours = 8;
        Image frame;
        for (const Question& q : questions) {
            const int wanted = std::min(q.frame, frames - 1); // the last one if `frame` is past the end
            for (int n = wanted; n < std::min(frames, wanted + neighbours); ++n) {
                if (end.stop_requested()) return;
                try {
                    read(n, frame);
                    break;
                } catch (const Error&) {
                    if (frame.width > 0) break;
                }
            }
            if (frame.width > 0)
                keep(q, to_qimage(thumbnail(frame, q.side)));
            else
                give_up(q);
        }
    }

    void read_video(std::vector<Question> questions, const std::stop_token& end) {
        std::sort(questions.begin(), questions.end(),
                  [](const Question& a, const Question& b) { return a.frame < b.frame; });
        if (const fs::path file = to_path(questions[0].file); fs::is_directory(file) || is_picture(file)) {
            const auto pictures = open_clip(questions[0].file, end);
            read_each(
                questions, pictures->info().frames, [&](int n, Image& to) { to = pictures->read(n); }, end);
            return;
        }
        if (questions.back().frame >= far_in) {
            IndexedVideo video(to_path(questions[0].file), {}, end);
            read_each(
                questions, video.frames(), [&](int n, Image& to) { video.read(n, to); }, end);
            return;
        }
        Image frame;
        VideoReader reader(to_path(questions[0].file));
        int at = -1;
        bool more = true;
        for (const Question& q : questions) {
            while (more && at < q.frame && !end.stop_requested()) {
                Image next;
                more = reader.read(next);
                if (more) frame = std::move(next), ++at;
            }
            if (at < 0 || end.stop_requested()) return;
            keep(q, to_qimage(thumbnail(frame, q.side))); // the last one if `frame` is past the end
        }
    }

    void keep(const Question& q, QImage image) {
        {
            const std::scoped_lock lock(mutex);
            const qsizetype cost = std::max<qsizetype>(1, image.sizeInBytes() >> 10);
            if (is_asked(q)) cache.insert(q.key(), new QImage(std::move(image)), cost);
        }
        emit self.ready(q.file);
    }

    void give_up(const Question& q) {
        {
            const std::scoped_lock lock(mutex);
            if (is_asked(q)) {
                if (!cache.contains(q.key())) cache.insert(q.key(), new QImage, 1);
                return;
            }
        }
        emit self.ready(q.file);
    }

    Thumbnails& self;
    std::mutex mutex;
    std::condition_variable_any wake;
    std::deque<Question> waiting;
    QHash<QString, quint64> asked; ///< numbers of the questions that wait or are being answered, by key
    quint64 last = 0;              ///< number of the last question
    QCache<QString, QImage> cache; ///< cost in KiB; null images cannot be read
    std::jthread thread;
};

Thumbnails::Thumbnails(qint64 bound_bytes, QObject* parent)
    : QObject(parent), state_(std::make_unique<State>(*this, bound_bytes)) {
    state_->thread = std::jthread([state = state_.get()](const std::stop_token& end) { state->loop(end); });
}

Thumbnails::~Thumbnails() {
    state_->thread.request_stop();
    state_->thread.join();
}

QImage Thumbnails::picture(const QString& file, int side) { return find(file, whole_picture, side); }
QImage Thumbnails::step(const QString& run, int steps, int side) { return find(run, whole_picture - steps, side); }
QImage Thumbnails::frame(const QString& video, int frame, int side) { return find(video, std::max(frame, 0), side); }

QImage Thumbnails::find(const QString& file, int frame, int side) {
    if (file.isEmpty()) return {};
    State::Question question{file, frame, std::clamp(side, 8, 1024)};
    const QString key = question.key();
    const std::scoped_lock lock(state_->mutex);
    if (const QImage* image = state_->cache.object(key)) return *image;
    if (state_->asked.contains(key)) return {};
    question.number = ++state_->last;
    state_->asked.insert(key, question.number);
    state_->waiting.push_back(question);
    if (state_->waiting.size() > most_waiting) {
        state_->asked.remove(state_->waiting.front().key());
        state_->waiting.pop_front();
    }
    state_->wake.notify_all();
    return {};
}

void Thumbnails::forget(const QString& file) {
    const std::scoped_lock lock(state_->mutex);
    const QString prefix = file + QLatin1Char('\n');
    for (const QString& key : state_->cache.keys())
        if (key.startsWith(prefix)) state_->cache.remove(key);
    // Questions that wait may stay, as they will read the file's new content. What is being read may be the old one.
    QSet<QString> waiting;
    for (const State::Question& q : state_->waiting) waiting.insert(q.key());
    state_->asked.removeIf(
        [&](const auto& asked) { return asked.key().startsWith(prefix) && !waiting.contains(asked.key()); });
}

} // namespace denoir::app
