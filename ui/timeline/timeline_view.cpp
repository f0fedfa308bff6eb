// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_view.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QLineEdit>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/theme/spoken.h"
#include "ui/timeline/timeline_accessible.h"
#include "ui/timeline/timeline_layout.h"

namespace denoir::ui {

using namespace timeline;
using app::Shot;
using app::Take;
using app::TakeReader;

QString words_of_missing(const Take& take, const app::Issue& issue) {
    return (take.still()                      ? TimelineView::tr("The picture is missing: %1.")
            : take.kind == Take::Kind::frames ? TimelineView::tr("The folder of frames is missing: %1.")
                                              : TimelineView::tr("The video is missing: %1."))
        .arg(issue.hint);
}

TimelineView::TimelineView(app::Project& project, app::Thumbnails& thumbnails, QWidget* parent)
    : QAbstractScrollArea(parent), project_(project), thumbnails_(thumbnails), reader_(project), player_(project) {
    install_timeline_accessibility();
    setAccessibleName(tr("Timeline"));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    viewport()->setMouseTracking(true);
    viewport()->setAcceptDrops(true);
    setAcceptDrops(true);
    connect(&project_, &app::Project::changed, this, &TimelineView::project_changed);
    connect(&project_, &app::Project::media_changed, this, &TimelineView::follow_media);
    connect(&project_, &app::Project::medium_rewritten, this, [this](const QString& video) {
        thumbnails_.forget(video);
        viewport()->update();
    });
    const auto begin = [this] { // for another project
        set_playing(false);
        select(-1);
        set_playhead(0);
        horizontalScrollBar()->setValue(0);
        zoom_to_fit();
    };
    connect(&project_, &app::Project::loaded, this, begin);
    connect(&project_, &app::Project::joined, this, begin);
    connect(&reader_, &TakeReader::given_up, this, &TimelineView::issue_found);
    connect(&thumbnails_, &app::Thumbnails::ready, viewport(), qOverload<>(&QWidget::update));
    connect_player();
    update_range();
    follow_media();
}

QSize TimelineView::sizeHint() const { return {640, ruler_height + most_track + 2 * gap + 16}; }
QSize TimelineView::minimumSizeHint() const { return {160, ruler_height + most_track + gap}; }

void TimelineView::connect_player() {
    connect(&player_, &app::CutPlayer::moved, this, &TimelineView::playhead_moved);
    connect(&player_, &app::CutPlayer::playing_changed, this, [this](bool playing) {
        playing ? show_playhead() : update_accessible(); // playing shows the cut, whatever was shown before
    });
    connect(&player_, &app::CutPlayer::frame_expected, this, &TimelineView::frame_expected);
    connect(&player_, &app::CutPlayer::empty, this, &TimelineView::nothing_to_cut);
}

void TimelineView::playhead_moved(int frame) {
    reveal(frame);
    viewport()->update();
    if (!playing()) update_accessible(); // while playing, a screen reader would say nothing else
    show_playhead();
}

void TimelineView::select(int row) {
    row = row < 0 || row >= project_.count() ? -1 : row;
    if (row == selected_) return;
    set_selected(row);
    viewport()->update();
    update_accessible();
}

void TimelineView::set_selected(int row) {
    selected_ = row;
    selected_id_ = row < 0 ? QString() : project_.shot(row).id;
}

int TimelineView::meant() const {
    return selected_ >= 0 ? selected_ : project_.place(std::min(playhead(), project_.frames() - 1)).row;
}

void TimelineView::add_files(const QStringList& paths, int row, int take_of) {
    const QString shot = take_of >= 0 ? project_.shot(take_of).id : QString();
    reader_.read(paths, usual_rate_,
                 [this, row, shot](const std::vector<TakeReader::Found>& all) { add_found(all, row, shot); });
}

void TimelineView::add_found(const std::vector<TakeReader::Found>& all, int row, const QString& shot) {
    int at = row;
    const int taker = shot.isEmpty() ? -1 : project_.row_of(shot);
    if (!shot.isEmpty() && taker < 0) return; // the shot is gone
    const auto good =
        std::count_if(all.begin(), all.end(), [](const TakeReader::Found& f) { return f.issue.isEmpty(); });
    int shots = 0, stills = 0;
    if (good > 1) project_.undo().beginMacro(taker >= 0 ? tr("add takes") : tr("add shots"));
    QList<app::Issue> refused;
    QStringList otherwise;
    for (const TakeReader::Found& found : all) {
        if (!found.issue.isEmpty()) {
            refused << found.issue;
            continue;
        }
        const int added = taker >= 0 ? (project_.add_take(taker, found.take) ? taker : -1)
                                     : project_.add_shot(found.take, at > project_.count() ? -1 : at);
        if (added < 0) {
            refused << app::Issue{
                found.take.video, {}, tr("the cut would become too long"), tr("begin another project")};
            continue;
        }
        select(added);
        if (at >= 0) ++at;
        ++shots;
        stills += found.take.still();
        if (!found.otherwise.isEmpty())
            otherwise << tr("“%1” %2").arg(found.take.name, found.otherwise.join(QStringLiteral("; ")));
    }
    if (good > 1) project_.undo().endMacro();
    if (shots > 0 && shot.isEmpty()) emit files_added(shots, stills);
    if (!otherwise.isEmpty()) emit shown_otherwise(otherwise);
    if (refused.isEmpty()) return;
    if (all.size() > 1)
        emit files_refused(refused, int(all.size()) - int(refused.size()));
    else
        emit issue_found(refused.constFirst());
}

void TimelineView::split_at_playhead() {
    const app::Project::Place place = project_.place(playhead());
    if (place.row >= 0 && project_.split(place.row, place.frame))
        select(place.row + 1);
    else
        emit said(tr("Put the playhead inside a shot first: at its edge there is nothing to split."));
}

void TimelineView::remove_selected() {
    const int row = meant();
    if (row < 0) return;
    project_.remove_shot(row);
    select(std::min(row, project_.count() - 1));
}

void TimelineView::lengthen_selected(int frames) {
    const int row = meant();
    if (row < 0) return;
    const Shot shot = project_.shot(row);
    const int out = std::clamp(shot.out + frames, shot.in + 1, shot.current().most());
    if (out == shot.out)
        return emit said(frames < 0 ? tr("A shot has at least one frame.") : tr("The take ends there."));
    if (shot.id != lengthened_ || lengthening_ != drags_) lengthening_ = ++drags_; // the same shot again is one step
    select(row);
    project_.trim(row, shot.in, out, drags_);
    lengthened_ = shot.id;
    emit show_frame(shot.current().video, shot.current().run, shot.current().picture(out - 1));
}

void TimelineView::rename_selected() {
    const int row = meant();
    if (row < 0) return;
    select(row);
    delete rename_;
    rename_ = new QLineEdit(project_.shot(row).name, viewport());
    rename_->setAccessibleName(tr("Name of the shot"));
    rename_->setPlaceholderText(project_.shot(row).current().name); // its title without a name
    const QRect rect = shot_rect(row);
    rename_->setGeometry(std::max(rect.left(), 0), rect.top(), std::clamp(rect.width(), 120, 320), title_height + 6);
    rename_->selectAll();
    rename_->show();
    rename_->setFocus();
    const QString id = project_.shot(row).id;
    rename_->installEventFilter(this);
    connect(rename_, &QLineEdit::editingFinished, this, [this, id, edit = rename_] {
        if (rename_ != edit) return;
        rename_ = nullptr;
        edit->deleteLater();
        project_.rename_shot(project_.row_of(id), edit->text());
        setFocus();
    });
}

bool TimelineView::eventFilter(QObject* watched, QEvent* event) {
    const bool key = event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
    if (watched != rename_ || !key || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape)
        return QAbstractScrollArea::eventFilter(watched, event);
    event->accept(); // ends renaming instead of stopping a run
    if (event->type() == QEvent::KeyPress) {
        std::exchange(rename_, nullptr)->deleteLater();
        setFocus();
    }
    return true;
}

void TimelineView::set_playing(bool playing) {
    if (playing == this->playing()) return;
    playing ? player_.play() : player_.pause();
}

void TimelineView::zoom_to_fit() {
    fitted_ = true;
    scale_held_ = false;
    update_range();
    viewport()->update();
}

void TimelineView::zoom(double factor) {
    const int anchor = x_of(playhead());
    const bool seen = anchor >= 0 && anchor < viewport()->width();
    const int frame = seen ? playhead() : frame_at(viewport()->width() / 2), x = x_of(frame);
    fitted_ = false;
    pixels_per_frame_ = std::clamp(pixels_per_frame_ * factor, 0.02, 80.0);
    update_range();
    horizontalScrollBar()->setValue(int(margin + frame * pixels_per_frame_) - x);
    viewport()->update();
}

int TimelineView::x_of(int frame) const {
    return margin + int(std::lround(frame * pixels_per_frame_)) - horizontalScrollBar()->value();
}

int TimelineView::frame_at(int x) const {
    return int(std::floor((x - margin + horizontalScrollBar()->value()) / pixels_per_frame_ + 0.5));
}

QRect TimelineView::shot_rect(int row) const {
    const int start = project_.start_of(row), left = x_of(start), right = x_of(start + project_.shot(row).frames());
    return {left, ruler_height + gap, std::max(3, right - left - 2), track_height()};
}

int TimelineView::track_height() const {
    return std::clamp(viewport()->height() - ruler_height - 2 * gap, least_track, most_track);
}

QRect TimelineView::extend_rect() const {
    if (project_.count() == 0) return {};
    return {x_of(project_.frames()) + gap, ruler_height + gap + (track_height() - extend_height) / 2, extend_width,
            extend_height};
}

TimelineView::Hit TimelineView::hit(const QPoint& point) const {
    Hit out;
    out.ruler = point.y() < ruler_height + gap / 2;
    out.extend = extend_rect().contains(point);
    for (int row = 0; row < project_.count(); ++row) {
        const QRect rect = shot_rect(row);
        if (point.x() > rect.center().x()) out.gap = row + 1;
        if (out.ruler || !rect.adjusted(-2, 0, 2, 0).contains(point)) continue;
        out.row = row;
        const int edge = std::min(edge_width, rect.width() / 4);
        out.grip = point.x() <= rect.left() + edge    ? Grip::trim_in
                   : point.x() >= rect.right() - edge ? Grip::trim_out
                                                      : Grip::move;
        out.middle = std::abs(point.x() - rect.center().x()) < rect.width() / 4;
    }
    if (out.ruler) out.grip = Grip::playhead;
    return out;
}

void TimelineView::project_changed(const app::ProjectEvent& event) {
    using Kind = app::ProjectEvent::Kind;
    int row = project_.row_of(selected_id_);
    if (event.kind == Kind::shot_added && event.again)
        row = event.row;                  // selects a shot that undo brought back
    else if (row < 0 && selected_ >= 0) { // selects what took the removed shot's place
        const bool halves = event.kind == Kind::shots_replaced && event.row >= 0;
        row = std::min(halves ? event.row : selected_, project_.count() - 1);
    }
    if (event.kind != Kind::shot_changed) {
        scale_held_ = false;
        if (drag_.grip != Grip::playhead) drag_ = {}; // the dragged shot may have another row now
    }
    update_range();
    set_selected(row);
    player_.follow_cut();
    follow_media();
    if (event.again && event.row >= 0) reveal_shot(std::min(event.row, project_.count() - 1));
    // A new shot must not replace another picture that is looked at, unless the timeline has the focus or is playing.
    if (drag_.grip == Grip::none && (hasFocus() || playing())) show_playhead();
}

void TimelineView::follow_media() {
    QSet<QString> missing;
    for (int row = 0; row < project_.count(); ++row)
        if (project_.is_missing(row)) missing.insert(project_.shot(row).current().video);
    for (const QString& video : std::as_const(missing_))
        if (!missing.contains(video)) thumbnails_.forget(video); // it could not be read until now
    missing_ = missing;
    viewport()->update();
    update_accessible();
}

void TimelineView::update_range() {
    const int frames = project_.frames(), width = viewport()->width();
    if (fitted_ && !scale_held_ && frames > 0) {
        const double room = width - 2 * margin - extend_width - 2 * gap;
        pixels_per_frame_ = std::clamp(room / frames, 0.02, 12.0);
    }
    const int content = int(std::ceil(frames * pixels_per_frame_)) + 2 * margin + extend_width + 2 * gap;
    horizontalScrollBar()->setRange(0, std::max(0, content - width));
    horizontalScrollBar()->setPageStep(width);
    horizontalScrollBar()->setSingleStep(std::max(1, int(pixels_per_frame_ * 4)));
}

void TimelineView::reveal(int frame) {
    const int x = x_of(frame), width = viewport()->width();
    if (x < margin) horizontalScrollBar()->setValue(horizontalScrollBar()->value() + x - width / 4);
    if (x > width - margin) horizontalScrollBar()->setValue(horizontalScrollBar()->value() + x - width * 3 / 4);
}

/// Scrolls to a shot, unless some of it is visible.
void TimelineView::reveal_shot(int row) {
    if (row >= 0 && !viewport()->rect().intersects(shot_rect(row))) reveal(project_.start_of(row));
}

void TimelineView::show_playhead() {
    const app::Project::Place place = project_.place(std::min(playhead(), project_.frames() - 1));
    if (place.row < 0) return;
    const Take& take = project_.shot(place.row).current();
    emit show_frame(take.video, take.run, take.picture(place.frame));
}

void TimelineView::trim_to_playhead(bool in) {
    const app::Project::Place place = project_.place(playhead());
    if (project_.count() == 0) emit nothing_to_cut();
    if (project_.count() > 0 && place.row < 0) emit said(tr("The playhead is behind the last shot."));
    if (place.row < 0) return;
    const Shot& shot = project_.shot(place.row);
    if (in && place.frame == shot.in) return emit said(tr("The shot already begins at the playhead."));
    if (!in && place.frame + 1 == shot.out) return emit said(tr("The shot already ends at the playhead."));
    if (!in) {
        project_.trim(place.row, shot.in, place.frame + 1);
        return;
    }
    const int start = project_.start_of(place.row);
    if (project_.trim(place.row, place.frame, shot.out)) set_playhead(start);
}

void TimelineView::set_add_keys(const QString& keys) {
    add_keys_ = keys;
    update_accessible();
    viewport()->update();
}

void TimelineView::update_accessible() {
    QString text;
    if (project_.count() == 0) {
        text = add_keys_.isEmpty()
                   ? tr("Empty. Drop a run, a video, a picture or a folder of frames here.")
                   : tr("Empty. Drop a run, a video, a picture or a folder of frames here, or press %1 on a run.")
                         .arg(add_keys_);
    } else {
        text = playhead() < project_.frames() ? tr("%n shot(s), playhead at frame %1 of %2.", nullptr, project_.count())
                                                    .arg(playhead() + 1)
                                                    .arg(project_.frames())
                                              : tr("%n shot(s), playhead at the end.", nullptr, project_.count());
        if (selected_ >= 0)
            text +=
                QLatin1Char(' ') + tr("Selected: shot %1, %2, %n frame(s).", nullptr, project_.shot(selected_).frames())
                                       .arg(selected_ + 1)
                                       .arg(project_.shot(selected_).title());
        if (selected_ >= 0 && project_.is_missing(selected_))
            text += QLatin1Char(' ') +
                    words_of_missing(project_.shot(selected_).current(), project_.missing_issue(selected_));
    }
    if (text == accessibleDescription()) return;
    set_spoken_description(*this, text);
    if (!QAccessible::isActive()) return;
    QAccessibleValueChangeEvent event(this, playhead() + 1);
    QAccessible::updateAccessibility(&event);
}

} // namespace denoir::ui
