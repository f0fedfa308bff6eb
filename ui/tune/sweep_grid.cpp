// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/sweep_grid.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSet>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/base/text.h"
#include "app/clips/thumbnails.h"
#include "app/request/request_document.h"
#include "app/studio.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "ui/theme/colours.h"
#include "ui/theme/spoken.h"
#include "ui/tune/cell_text.h"
#include "ui/tune/sweep_accessible.h"

namespace denoir::ui {

using State = app::SweepDocument::State;

namespace {
constexpr int gap = grid::unit, least_side = 96;
constexpr double largest_zoom = 6;
} // namespace

SweepGrid::SweepGrid(Studio& studio, QWidget* parent)
    : QAbstractScrollArea(parent), studio_(studio), sweeps_(studio.core.sweeps()) {
    install_sweep_roles();
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Grid of clips"));
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    want_later_.setSingleShot(true);
    want_later_.setInterval(60);
    connect(&want_later_, &QTimer::timeout, this, &SweepGrid::want_clips);
    connect(&clips_, &SweepClips::changed, this, [this] {
        // Clips of another page may have another shape.
        if (std::abs(aspect() - ratio_) > 0.01) place();
        viewport()->update();
    });
    connect(&sweeps_, &app::SweepDocument::shown_changed, this, [this] {
        current_.reset();
        others_.clear();
        renew();
        if (sweeps_.shown()) set_current(0);
    });
    connect(&sweeps_, &app::SweepDocument::cells_changed, this, [this] {
        if (!want_later_.isActive()) want_later_.start();
        viewport()->update();
        describe();
    });
    connect(&sweeps_, &app::SweepDocument::reference_changed, viewport(), qOverload<>(&QWidget::update));
    connect(&studio_.thumbnails, &app::Thumbnails::ready, viewport(), qOverload<>(&QWidget::update));
    connect(&sweeps_.axes(), &app::SweepAxes::changed, this, &SweepGrid::renew);
    renew();
}

void SweepGrid::renew() {
    QStringList fields;
    for (const app::AxisText& axis : sweeps_.axes().axes()) fields << axis.field;
    // Takes the order of the axes in the editor, if these are the axes of the sweep shown.
    if (sweeps_.shown()) {
        const auto& axes = sweeps_.shown()->sweep().axes;
        const bool same = std::all_of(axes.begin(), axes.end(),
                                      [&](const SweepAxis& a) { return fields.contains(app::to_qstring(a.field)); });
        if (!same) fields.clear();
    }
    const bool before = shape_.empty();
    shape_ = sweeps_.shown() ? GridShape(sweeps_.shown()->sweep(), fields) : GridShape();
    if (current_ && sweeps_.shown() && *current_ < sweeps_.shown()->size()) shape_.show(*current_);
    if (before) zoom_ = 1;
    place();
    emit page_changed();
}

void SweepGrid::set_page(int which, int value) {
    if (shape_.page(which) == value) return;
    const GridShape before = shape_;
    shape_.set_page(which, value);
    show_page(before);
}

void SweepGrid::turn_page(int by) {
    const GridShape before = shape_;
    if (shape_.turn_page(by)) show_page(before);
}

/// Shows another page, on which the cell in the same row and column becomes the current one.
void SweepGrid::show_page(const GridShape& before) {
    place();
    emit page_changed();
    const auto at = current_ ? before.place(*current_) : std::nullopt;
    if (!at) return;
    if (const auto cell = shape_.cell(at->first, at->second)) set_current(*cell);
}

double SweepGrid::aspect() const {
    for (const std::size_t cell : shape_.cells())
        if (const QImage picture = clips_.picture(run_of(cell)); !picture.isNull())
            return double(picture.width()) / picture.height();
    const double width = studio_.document.value(QStringLiteral("width")).toDouble(),
                 height = studio_.document.value(QStringLiteral("height")).toDouble();
    return width > 0 && height > 0 ? width / height : 16.0 / 9;
}

QString SweepGrid::run_of(std::size_t cell) const {
    const app::OpenSweep* sweep = sweeps_.shown();
    return sweep && cell < sweep->size() && sweep->has_video(cell) ? app::to_qstring(sweep->cell(cell).run) : QString();
}

void SweepGrid::place() {
    const QFontMetrics metrics(font());
    // The room is measured without scroll bars. If the size of pictures depended on them, they could appear and
    // disappear without end.
    const QSize most = maximumViewportSize();
    caption_ = metrics.lineSpacing() + 4;
    const bool flows = shape_.flows();
    top_ = flows || shape_.empty() ? gap : metrics.lineSpacing() + gap;
    left_ = gap;
    if (!flows && !shape_.empty()) {
        int widest = metrics.horizontalAdvance(shape_.row_title());
        for (int row = 0; row < shape_.rows(); ++row)
            widest = std::max(widest, metrics.horizontalAdvance(shape_.row_text(row)) * 9 / 8); // as it is bold
        left_ = std::min(widest + gap, std::max(72, most.width() / 7)) + 2 * gap;
    }
    const double ratio = ratio_ = aspect();
    const auto fitting = [&](int columns, int rows) { // width of a picture so that all fit
        const double across = double(most.width() - left_ - gap * columns) / columns;
        const double down = double(most.height() - top_ - (caption_ + gap) * rows) / rows * ratio;
        return std::min(across, down);
    };
    if (flows) {
        const int count = int(shape_.cells().size());
        int best = 1;
        for (int columns = 1; columns <= count; ++columns)
            if (fitting(columns, (count + columns - 1) / columns) > fitting(best, (count + best - 1) / best))
                best = columns;
        shape_.set_flow(best);
    }
    const int rows = std::max(1, shape_.rows()), columns = std::max(1, shape_.columns());
    const double longer = ratio >= 1 ? 1 : 1 / ratio;
    const double width = std::max(fitting(columns, rows), least_side / longer) * zoom_;
    picture_ = QSize(std::max(8, int(width)), std::max(8, int(width / ratio)));
    const QSize whole(left_ + columns * (picture_.width() + gap), top_ + rows * (picture_.height() + caption_ + gap));
    // The room that the bars leave, computed from the sizes only, as each bar that appears or disappears calls this
    // again.
    const int bar = verticalScrollBar()->sizeHint().width(), lying = horizontalScrollBar()->sizeHint().height();
    const bool across = whole.width() > most.width() - (whole.height() > most.height() ? bar : 0),
               down = whole.height() > most.height() - (across ? lying : 0);
    const QSize room = most - QSize(down ? bar : 0, across ? lying : 0);
    heading_ = left_;
    if (const int spare = room.width() - whole.width(); spare > 0) left_ += spare / 2; // centred
    horizontalScrollBar()->setRange(0, std::max(0, whole.width() - room.width()));
    horizontalScrollBar()->setPageStep(room.width());
    horizontalScrollBar()->setSingleStep(picture_.width() / 4 + 1);
    verticalScrollBar()->setRange(0, std::max(0, whole.height() - room.height()));
    verticalScrollBar()->setPageStep(room.height());
    verticalScrollBar()->setSingleStep(picture_.height() / 4 + 1);
    want_later_.start();
    viewport()->update();
}

void SweepGrid::want_clips() {
    QStringList runs;
    QSet<QString> listed;
    if (isVisible())
        for (const std::size_t cell : shape_.cells()) {
            const QString run = run_of(cell);
            if (run.isEmpty() || listed.contains(run) || !cell_rect(cell).intersects(viewport()->rect())) continue;
            listed << run;
            runs << run;
        }
    const int stills = std::max(0, int(runs.size()) - SweepClips::most);
    clips_.want(runs.first(runs.size() - stills),
                int(std::max(picture_.width(), picture_.height()) * devicePixelRatioF()));
    if (std::exchange(stills_, stills) != stills) emit stills_changed();
    if (std::abs(aspect() - ratio_) > 0.01) place();
    viewport()->update();
}

QRect SweepGrid::cell_rect(std::size_t cell) const {
    const auto at = shape_.empty() ? std::nullopt : shape_.place(cell);
    if (!at) return {};
    const int height = picture_.height() + caption_;
    return {left_ + at->second * (picture_.width() + gap) - horizontalScrollBar()->value(),
            top_ + at->first * (height + gap) - verticalScrollBar()->value(), picture_.width(), height};
}

std::optional<std::size_t> SweepGrid::cell_at(const QPoint& at) const {
    for (const std::size_t cell : shape_.cells())
        if (cell_rect(cell).contains(at)) return cell;
    return std::nullopt;
}

QRect SweepGrid::star_rect(const QRect& cell) const {
    const int side = caption_ - 4;
    return {cell.right() - side + 1, cell.bottom() - caption_ + 3, side, side};
}

QList<std::size_t> SweepGrid::selected() const {
    QList<std::size_t> out;
    if (current_) out << *current_;
    return out + others_;
}

void SweepGrid::set_current(std::size_t cell, bool extend) {
    if (!sweeps_.shown() || cell >= sweeps_.shown()->size()) return;
    if (extend && current_ && *current_ != cell) {
        others_.removeAll(cell);
        others_.prepend(*current_);
    } else if (!extend) {
        others_.clear();
    }
    current_ = cell;
    if (!shape_.place(cell)) {
        shape_.show(cell);
        place();
        emit page_changed();
    }
    const QRect rect = cell_rect(cell), room = viewport()->rect().adjusted(left_, top_, 0, 0);
    const auto reveal = [](QScrollBar* bar, int low, int high, int from, int to) {
        if (low < from)
            bar->setValue(bar->value() + low - from);
        else if (high > to)
            bar->setValue(bar->value() + std::min(high - to, low - from));
    };
    reveal(horizontalScrollBar(), rect.left(), rect.right(), room.left(), room.right());
    reveal(verticalScrollBar(), rect.top(), rect.bottom(), room.top(), room.bottom());
    viewport()->update();
    describe();
    emit current_changed();
}

void SweepGrid::describe() {
    const app::OpenSweep* sweep = sweeps_.shown();
    if (!sweep || !current_ || *current_ >= sweep->size()) return set_spoken_description(*this, {});
    QStringList parts{app::cell_title(sweep->sweep(), *current_), state_text(sweeps_.cell(*current_))};
    if (const QString psnr = psnr_text(*sweep, *current_); !psnr.isEmpty()) parts << psnr;
    if (const QString run = run_of(*current_); !run.isEmpty() && studio_.history.starred(run)) parts << tr("starred");
    set_spoken_description(*this, parts.join(QStringLiteral(", ")));
}

void SweepGrid::renew_star() {
    viewport()->update();
    describe();
}

void SweepGrid::move(int rows, int columns, bool extend) {
    if (!current_) return set_current(0);
    const auto at = shape_.place(*current_);
    if (!at) return;
    if (const auto cell = shape_.cell(at->first + rows, at->second + columns)) return set_current(*cell, extend);
    // In a grid that flows, the end of a line is followed by the beginning of the next.
    if (shape_.flows() && columns != 0)
        if (const auto cell = shape_.cell(at->first + columns, columns > 0 ? 0 : shape_.columns() - 1))
            set_current(*cell, extend);
}

void SweepGrid::activate(std::size_t cell) {
    if (!sweeps_.shown()) return;
    const QString run = run_of(cell);
    if (!run.isEmpty())
        emit open_run(run);
    else
        sweeps_.retry({cell});
}

void SweepGrid::zoom(double factor) {
    zoom_ = std::clamp(zoom_ * factor, 1.0, largest_zoom);
    place();
    if (current_) set_current(*current_, true);
}

void SweepGrid::zoom_to_fit() {
    zoom_ = 1;
    place();
}

void SweepGrid::press(int key, Qt::KeyboardModifiers modifiers) {
    const bool extend = modifiers & Qt::ShiftModifier;
    switch (key) {
    case Qt::Key_Left:
        return move(0, -1, extend);
    case Qt::Key_Right:
        return move(0, 1, extend);
    case Qt::Key_Up:
        return move(-1, 0, extend);
    case Qt::Key_Down:
        return move(1, 0, extend);
    case Qt::Key_PageUp:
        return turn_page(-1);
    case Qt::Key_PageDown:
        return turn_page(1);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoom(1.25);
    case Qt::Key_Minus:
        return zoom(0.8);
    default:
        break;
    }
    const auto cells = shape_.cells();
    if (cells.empty()) return;
    if (key == Qt::Key_Home) return set_current(cells.front(), extend);
    if (key == Qt::Key_End) return set_current(cells.back(), extend);
    if (!current_) return;
    if (key == Qt::Key_Return || key == Qt::Key_Enter) return activate(*current_);
}

namespace {

bool is_own(const QKeyEvent& event) {
    if (event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) return false;
    static constexpr int keys[] = {Qt::Key_Left,     Qt::Key_Right, Qt::Key_Up,   Qt::Key_Down,   Qt::Key_PageUp,
                                   Qt::Key_PageDown, Qt::Key_Home,  Qt::Key_End,  Qt::Key_Return, Qt::Key_Enter,
                                   Qt::Key_Plus,     Qt::Key_Equal, Qt::Key_Minus};
    return std::find(std::begin(keys), std::end(keys), event.key()) != std::end(keys);
}

} // namespace

bool SweepGrid::event(QEvent* event) {
    // Elsewhere in the window these keys belong to other actions.
    if (event->type() == QEvent::ShortcutOverride && is_own(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::Show || event->type() == QEvent::Hide) want_later_.start();
    return QAbstractScrollArea::event(event);
}

void SweepGrid::keyPressEvent(QKeyEvent* event) {
    if (is_own(*event))
        press(event->key(), event->modifiers());
    else
        QWidget::keyPressEvent(event); // NOLINT(bugprone-parent-virtual-call): the scroll area would scroll
}

bool SweepGrid::is_star(std::size_t cell, const QMouseEvent& event) const {
    return event.button() == Qt::LeftButton && !run_of(cell).isEmpty() &&
           star_rect(cell_rect(cell)).contains(event.position().toPoint());
}

void SweepGrid::mousePressEvent(QMouseEvent* event) {
    const auto cell = cell_at(event->position().toPoint());
    if (!cell) return;
    if (is_star(*cell, *event)) emit star_asked(*cell);
    const bool keeps = event->button() == Qt::RightButton && selected().contains(*cell);
    if (!keeps) set_current(*cell, event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier));
}

void SweepGrid::mouseDoubleClickEvent(QMouseEvent* event) {
    const auto cell = cell_at(event->position().toPoint());
    if (!cell || event->button() != Qt::LeftButton) return;
    is_star(*cell, *event) ? mousePressEvent(event) : activate(*cell);
}

void SweepGrid::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Keyboard) {
        if (current_) emit menu_asked(*current_, viewport()->mapToGlobal(cell_rect(*current_).center()));
    } else if (const auto cell = cell_at(event->pos())) {
        emit menu_asked(*cell, event->globalPos());
    }
}

void SweepGrid::wheelEvent(QWheelEvent* event) {
    if (event->modifiers() & Qt::ControlModifier)
        zoom(std::pow(1.25, event->angleDelta().y() / 120.0)); // 120 is a notch
    else
        QAbstractScrollArea::wheelEvent(event);
}

void SweepGrid::resizeEvent(QResizeEvent*) { place(); }

void SweepGrid::scrollContentsBy(int, int) {
    want_later_.start();
    viewport()->update();
}

void SweepGrid::focusInEvent(QFocusEvent*) { viewport()->update(); }
void SweepGrid::focusOutEvent(QFocusEvent*) { viewport()->update(); }

} // namespace denoir::ui
