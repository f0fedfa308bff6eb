// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project/take_reader.h"

#include <QFileInfo>
#include <QTimer>
#include <cmath>
#include <utility>

#include "app/base/background.h"
#include "app/base/text.h"
#include "engine/media/video_reader.h"

namespace denoir::app {
namespace {

constexpr int late_ms = 400;

/// Found::otherwise of a video. Reads its headers; throws Error.
QStringList shown_otherwise(const QString& video) {
    const VideoInfo info = VideoReader(to_path(video)).info();
    QStringList out;
    if (!info.hdr.empty())
        out << TakeReader::tr("is HDR (%1) and shown as if it were SDR, in paler colours than in players")
                   .arg(to_qstring(info.hdr));
    constexpr double visible = 0.01; // a smaller difference is ignored: encoders write 1280:1281 after rounding a side
    if (std::abs(info.pixel.value() - 1) > visible)
        out << TakeReader::tr(
                   "has pixels of %1:%2, which are shown as square ones; players show it in other proportions")
                   .arg(info.pixel.num)
                   .arg(info.pixel.den);
    if (info.interlaced) out << TakeReader::tr("is interlaced: both fields of a frame are shown at once");
    return out;
}

} // namespace

TakeReader::TakeReader(Project& project, QObject* parent)
    : QObject(parent), project_(project), late_(new QTimer(this)) {
    pool_.setMaxThreadCount(1);
    late_->setSingleShot(true);
    late_->setInterval(late_ms);
    connect(late_, &QTimer::timeout, this, [this] { emit progressed(done_, total_); });
}

TakeReader::~TakeReader() { stop_.request_stop(); }

void TakeReader::read(const QStringList& paths, double usual_rate, Use use) {
    if (open_++ == 0) late_->start();
    total_ += int(paths.size());
    auto read_all = [this, paths, rate = project_.rate(usual_rate), open = project_.count() == 0,
                     stop = stop_.get_token()] { return all(paths, rate, open, stop); };
    auto end_with = [this, paths, use = std::move(use), number = project_.number(),
                     stop = stop_.get_token()](const std::vector<Found>& found) {
        end();
        if (stop.stop_requested()) return;
        if (project_.number() == number) return use(found);
        emit given_up(
            {paths.value(0), {}, tr("it was read for a project that is not open any more"), tr("add it again")});
    };
    run_then(this, std::move(read_all), std::move(end_with), &pool_);
}

void TakeReader::cancel() {
    stop_.request_stop();
    stop_ = std::stop_source();
}

std::vector<TakeReader::Found> TakeReader::all(const QStringList& paths, double rate, bool rate_is_open,
                                               const std::stop_token& stop) {
    std::vector<Found> out(std::size_t(paths.size()));
    for (const bool folders : {false, true}) // folders last, as for an empty cut they get the rate of the other takes
        for (std::size_t i = 0; i < out.size() && !stop.stop_requested(); ++i) {
            const QString& path = paths[qsizetype(i)];
            if (QFileInfo(path).isDir() != folders) continue;
            try {
                out[i].take = take_of(path, rate, stop);
                if (rate_is_open && !out[i].take.still()) rate = out[i].take.fps, rate_is_open = false;
                if (out[i].take.kind == Take::Kind::video && out[i].take.run.isEmpty())
                    out[i].otherwise = shown_otherwise(path);
            } catch (...) {
                out[i].issue = Issue::from_current_exception();
            }
            ++done_;
            QMetaObject::invokeMethod(this, [this] {
                if (busy() && !late_->isActive()) emit progressed(done_, total_);
            });
        }
    return out;
}

void TakeReader::end() {
    if (--open_ > 0) return;
    late_->stop();
    total_ = done_ = 0;
    emit finished();
}

} // namespace denoir::app
