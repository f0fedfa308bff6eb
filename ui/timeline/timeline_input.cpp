// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "app/base/text.h"
#include "ui/timeline/timeline_layout.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/drop.h"
#include "ui/widgets/literal.h"

namespace denoir::ui {

using namespace timeline;
using app::Shot;

bool TimelineView::viewportEvent(QEvent* event) {
    switch (event->type()) {
    case QEvent::Leave:
        hover_ = {};
        viewport()->update();
        break;
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        const Hit at = hit(help->pos());
        if (at.row < 0) {
            QToolTip::hideText();
        } else {
            const Shot& shot = project_.shot(at.row);
            QString text =
                shot.current().still()
                    ? tr("%1\na picture, for %2 s: %n frame(s) at %3 fps", nullptr, shot.frames())
                          .arg(shot.title(), locale().toString(shot.seconds()), locale().toString(shot.current().fps))
                    : tr("%1\nframes %2 to %3 of %4, %5 fps")
                          .arg(shot.title(), QString::number(shot.in + 1), QString::number(shot.out),
                               QString::number(shot.current().frames), locale().toString(shot.current().fps));
            if (project_.is_missing(at.row)) {
                const app::Issue issue = project_.missing_issue(at.row);
                text += QLatin1Char('\n') + words_of_missing(shot.current(), issue) + QLatin1Char('\n') + issue.file;
            }
            QToolTip::showText(help->globalPos(), text, viewport());
        }
        return true;
    }
    default:
        break;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void TimelineView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    if (event->size().width() != event->oldSize().width()) scale_held_ = false;
    update_range();
}

void TimelineView::scrollContentsBy(int, int) { viewport()->update(); }

void TimelineView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    setFocus(Qt::MouseFocusReason);
    const Hit at = hit(event->pos());
    if (at.extend) {
        emit extend_requested(project_.count() - 1);
        return;
    }
    drag_ = {at.grip, event->pos(), at.row, 0, 0, false, -1};
    if (at.row >= 0) {
        select(at.row);
        drag_.in = project_.shot(at.row).in;
        drag_.out = project_.shot(at.row).out;
        ++drags_;
    }
    if (at.grip == Grip::playhead || (at.row < 0 && project_.count() > 0)) {
        drag_.grip = Grip::playhead;
        set_playing(false);
        set_playhead(frame_at(event->pos().x()));
    }
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    if (drag_.grip != Grip::none && event->buttons().testFlag(Qt::LeftButton)) return drag_to(event->pos());
    hover_ = hit(event->pos());
    const bool edge = hover_.grip == Grip::trim_in || hover_.grip == Grip::trim_out;
    viewport()->setCursor(edge ? Qt::SizeHorCursor : hover_.extend ? Qt::PointingHandCursor : Qt::ArrowCursor);
    viewport()->update();
}

void TimelineView::drag_to(const QPoint& point) {
    if ((point - drag_.from).manhattanLength() >= QApplication::startDragDistance()) drag_.moving = true;
    const int frames = int(std::lround((point.x() - drag_.from.x()) / pixels_per_frame_));
    switch (drag_.grip) {
    case Grip::playhead:
        set_playhead(frame_at(point.x()));
        return;
    case Grip::trim_in:
    case Grip::trim_out: {
        if (!drag_.moving || drag_.row >= project_.count()) return;
        const app::Take take = project_.shot(drag_.row).current();
        const bool in = drag_.grip == Grip::trim_in;
        const int least = take.still() ? drag_.out - take.most() : 0; // a still can also be lengthened to the left
        const int first = in ? std::clamp(drag_.in + frames, least, drag_.out - 1) : drag_.in;
        // A take that was added meanwhile may end before the part that is shown.
        const int most = std::max(take.most(), drag_.in + 1);
        const int last = in ? drag_.out : std::clamp(drag_.out + frames, drag_.in + 1, most);
        scale_held_ = true;
        project_.trim(drag_.row, first, last, drags_);
        emit show_frame(take.video, take.run, take.picture(in ? first : last - 1));
        return;
    }
    case Grip::move:
        drag_.gap = hit({point.x(), ruler_height + gap + track_height() / 2}).gap;
        viewport()->setCursor(drag_.moving ? Qt::ClosedHandCursor : Qt::ArrowCursor);
        viewport()->update();
        return;
    case Grip::none:
        return;
    }
}

/// Ends the drag and takes back what it has changed.
void TimelineView::let_go() {
    const Drag ended = std::exchange(drag_, Drag{});
    viewport()->setCursor(Qt::ArrowCursor);
    if (ended.moving && (ended.grip == Grip::trim_in || ended.grip == Grip::trim_out))
        project_.trim(ended.row, ended.in, ended.out, drags_); // merges with the step that it takes back
    viewport()->update();
    show_playhead();
}

bool TimelineView::event(QEvent* event) {
    const bool key = event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
    if (!key || drag_.grip == Grip::none || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape)
        return QAbstractScrollArea::event(event);
    event->accept(); // ends the drag instead of stopping a run
    if (event->type() == QEvent::KeyPress) let_go();
    return true;
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const Drag ended = std::exchange(drag_, Drag{});
    viewport()->setCursor(Qt::ArrowCursor);
    if (ended.grip == Grip::move && ended.moving && ended.gap >= 0) {
        const int to = ended.gap > ended.row ? ended.gap - 1 : ended.gap;
        if (project_.move_shot(ended.row, to)) select(to);
    } else if (ended.row >= 0 && !ended.moving && ended.row < project_.count()) { // a click, perhaps on an edge
        const int first = project_.start_of(ended.row);
        set_playing(false);
        set_playhead(std::clamp(frame_at(event->pos().x()), first, first + project_.shot(ended.row).frames() - 1));
    }
    viewport()->update();
    show_playhead();
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    const Hit at = hit(event->pos());
    if (at.row < 0 || event->button() != Qt::LeftButton) return;
    drag_ = {};
    const app::Take& take = project_.shot(at.row).current();
    emit open_requested(take.run, take.video);
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        zoom(std::pow(1.0015, delta.y()));
    } else {
        const int along = std::abs(delta.x()) > std::abs(delta.y()) ? delta.x() : delta.y();
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - along);
    }
    event->accept();
}

void TimelineView::select_beside(int by) {
    if (project_.count() == 0) return;
    const int row = meant(), to = row < 0 ? 0 : std::clamp(row + by, 0, project_.count() - 1);
    select(to);
    set_playhead(project_.start_of(to));
}

void TimelineView::move_selected(int by) {
    const int row = meant(), to = row + by;
    if (row < 0) return;
    if (!project_.move_shot(row, to))
        return emit said(by < 0 ? tr("It is already the first shot.") : tr("It is already the last shot."));
    select(to);
    set_playhead(project_.start_of(to));
}

void TimelineView::open_selected() {
    const int row = meant();
    if (row < 0) return;
    const app::Take& take = project_.shot(row).current();
    emit open_requested(take.run, take.video);
}

QAction* TimelineView::add_of_shot(QMenu& menu, const QString& shot, const QString& text,
                                   std::function<void(int row)> what) {
    QAction* action = menu.addAction(text);
    connect(action, &QAction::triggered, this, [this, shot, what = std::move(what)] {
        if (const int row = project_.row_of(shot); row >= 0) what(row);
    });
    return action;
}

void TimelineView::fill_takes(QMenu& menu, const app::Shot& shot) {
    for (int each = 0; each < int(shot.takes.size()); ++each) {
        const QString name = shot.takes[std::size_t(each)].name;
        QAction* action = add_of_shot(menu, shot.id, tr("%1  %2").arg(each + 1).arg(literal(app::shortened(name, 60))),
                                      [this, each](int row) { project_.select_take(row, each); });
        action->setCheckable(true);
        action->setChecked(each == shot.take);
    }
    menu.addSeparator();
    add_of_shot(menu, shot.id, tr("Remove this take"),
                [this](int row) { project_.remove_take(row, project_.shot(row).take); });
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
    // The menu key acts on the selection, wherever the pointer is.
    const bool key = event->reason() == QContextMenuEvent::Keyboard;
    const int at = key ? meant() : hit(event->pos()).row;
    if (at < 0) return;
    select(at);
    const QString id = project_.shot(at).id;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const QString& text, std::function<void(int row)> what) {
        return add_of_shot(*menu, id, text, std::move(what));
    };
    const app::Take& take = project_.shot(at).current();
    const bool of_run = !take.run.isEmpty();
    add(of_run                                 ? tr("Open the run")
        : take.still()                         ? tr("Open the picture")
        : take.kind == app::Take::Kind::frames ? tr("Open the frames")
                                               : tr("Open the video"),
        [this](int row) { emit open_requested(project_.shot(row).current().run, project_.shot(row).current().video); });
    add(tr("Extend"), [this](int row) { emit extend_requested(row); });
    add(tr("Retake"), [this](int row) { emit retake_requested(row); })->setEnabled(of_run);
    if (project_.is_missing(at)) add(tr("Locate …"), [this](int row) { emit locate_requested(row); });
    menu->addSeparator();
    add(tr("Split at the playhead"), [this](int) { split_at_playhead(); });
    add(take.still() ? tr("Two seconds long") : tr("Whole take"),
        [this](int row) { project_.trim(row, 0, project_.shot(row).current().usual()); });
    add(tr("Rename"), [this](int) { rename_selected(); });
    if (project_.shot(at).takes.size() > 1) fill_takes(*menu->addMenu(tr("Takes")), project_.shot(at));
    menu->addSeparator();
    add(tr("Remove"), [this](int row) {
        select(row);
        remove_selected();
    });
    const QRect shot = shot_rect(at).intersected(viewport()->rect());
    menu->popup(key ? viewport()->mapToGlobal(shot.center()) : event->globalPos());
}

void TimelineView::dragEnterEvent(QDragEnterEvent* event) {
    if (dropped_files(*event->mimeData()).isEmpty()) return;
    take_copy(*event);
}

void TimelineView::dragMoveEvent(QDragMoveEvent* event) {
    drop_ = hit(event->position().toPoint());
    take_copy(*event);
    viewport()->update();
}

void TimelineView::dragLeaveEvent(QDragLeaveEvent*) {
    drop_.reset();
    viewport()->update();
}

void TimelineView::dropEvent(QDropEvent* event) {
    const Hit at = hit(event->position().toPoint());
    drop_.reset();
    viewport()->update();
    const bool take = at.row >= 0 && at.middle;
    add_files(dropped_files(*event->mimeData()), take ? -1 : at.gap, take ? at.row : -1);
    take_copy(*event);
}

} // namespace denoir::ui
