// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/preview/preview_view.h"

#include <QDragEnterEvent>
#include <QKeyEvent>
#include <QMetaMethod>
#include <QMimeData>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/clips/clip_kind.h"
#include "ui/preview/transport_bar.h"
#include "ui/theme/spoken.h"
#include "ui/widgets/drop.h"
#include "ui/widgets/make_layout.h"

namespace denoir::ui {

using app::Side;

namespace {
constexpr int told_ms = 8000; ///< how long an error is shown, and a clip that failed is not tried again
} // namespace

PreviewView::PreviewView(app::FrameCache& cache, QWidget* parent)
    : QWidget(parent),
      cache_(cache),
      canvas_(new Canvas(this)),
      bar_(new TransportBar(player_, *canvas_, comparison_, this)) {
    auto* layout = make_layout<QVBoxLayout>(this, 0);
    layout->addWidget(canvas_, 1);
    layout->addWidget(bar_);
    setFocusPolicy(Qt::StrongFocus);
    setAcceptDrops(true);
    setAccessibleName(tr("Preview"));
    set_empty_text(tr("Nothing to show yet.\nDrop a video, a run or a picture here."));

    bar_timer_.setSingleShot(true);
    bar_timer_.setInterval(100);
    connect(&bar_timer_, &QTimer::timeout, bar_, &TransportBar::refresh);
    message_timer_.setSingleShot(true);
    message_timer_.setInterval(told_ms);
    connect(&message_timer_, &QTimer::timeout, this, &PreviewView::refresh);
    connect(&player_, &app::Player::frame_changed, this, &PreviewView::refresh);
    connect(&player_, &app::Player::offset_changed, this, [this] {
        shifted_ = pair();
        compare_again();
    });
    connect(&player_, &app::Player::by_number_changed, this, &PreviewView::compare_again);
    connect(&player_, &app::Player::speed_changed, this, &PreviewView::refresh);
    connect(bar_, &TransportBar::mode_picked, this, &PreviewView::set_mode);
    connect(bar_, &TransportBar::gain_picked, this, &PreviewView::set_gain);
    connect(bar_, &TransportBar::uncover_requested, this, [this] {
        if (uncover()) player_.play();
    });
    connect(bar_, &TransportBar::swap_requested, this, &PreviewView::swap);
    connect(bar_, &TransportBar::worst_requested, this, &PreviewView::go_to_worst);
    connect(&comparison_, &app::Comparison::changed, this, &PreviewView::follow_worst);
    refresh();
}

PreviewView::~PreviewView() {
    player_.disconnect(this);
    comparison_.disconnect();
    player_.set_clip(Side::a, nullptr); // the slots are destroyed before the player
    player_.set_clip(Side::b, nullptr);
}

const app::ClipInfo* PreviewView::info(Side side) const {
    const auto& clip = slot(side).clip;
    return clip ? &clip->info() : nullptr;
}

CompareMode PreviewView::mode() const { return canvas_->mode(); }

void PreviewView::set_empty_text(const QString& text) {
    empty_text_ = text;
    refresh();
}

void PreviewView::set_awaited(const QString& text) {
    if (text == awaited_) return;
    awaited_ = text;
    refresh();
}

std::pair<QString, QString> PreviewView::pair() const {
    const auto path = [](const Slot& s) { return s.clip ? s.clip->info().path : QString(); };
    return {path(a_), path(b_)};
}

void PreviewView::set_detail(Side side, const QString& detail) {
    slot(side).detail = detail;
    refresh();
}

void PreviewView::show_clip(Side side, const QString& path, bool by_hand) {
    open(side, cache_.open(path), by_hand);
    slot(side).path = path;
}

void PreviewView::show_clip(Side side, app::ClipOpener open) {
    this->open(side, cache_.open(std::move(open)), false);
    slot(side).path.clear();
}

void PreviewView::show_frame(Side side, const QString& path, int frame) {
    Slot& s = slot(side);
    player_.pause();
    s.frame = frame;
    if (s.asked == path && (s.pending || !s.refused.hasExpired())) return; // being opened, or just refused
    if (s.clip && s.clip->info().path == path) {
        s.pending.reset();
        s.asked.clear();
        player_.go_to(player_.frame_where(side, frame));
        return refresh();
    }
    std::unique_ptr<app::Clip> clip = expected_.path == path ? std::move(expected_.clip) : nullptr;
    const bool ready = clip && clip->state() == app::Clip::State::ready;
    if (!clip || clip->state() == app::Clip::State::failed) clip = cache_.open(path);
    open(side, std::move(clip), false);
    s.asked = s.path = path;
    if (ready) adopt(side);
}

void PreviewView::expect_frame(Side side, const QString& path, int frame) {
    if (path == expected_.path) return;
    expected_ = {};
    const app::ClipInfo* const shown = info(side);
    if (path.isEmpty() || (shown && shown->path == path)) return;
    expected_ = {cache_.open(path), path};
    app::Clip* const clip = expected_.clip.get();
    connect(clip, &app::Clip::opened, this, [clip, frame] { clip->want(frame); });
}

bool PreviewView::is_settled(Side side) const {
    const Slot& s = slot(side);
    if (s.pending) return false;
    return !s.clip || s.clip->is_settled(player_.frame_of(side));
}

/// Keeps what is shown until the new clip is open, so that a file that cannot be opened changes nothing.
void PreviewView::open(Side side, std::unique_ptr<app::Clip> clip, bool by_hand) {
    Slot& s = slot(side);
    expected_ = {};
    if (s.pending && s.by_hand) give_up(side, std::move(s.pending));
    s.pending = std::move(clip);
    s.by_hand = by_hand;
    s.asked.clear();
    canvas_->set_busy(true);
    connect(s.pending.get(), &app::Clip::opened, this, [this, side] { adopt(side); });
    connect(s.pending.get(), &app::Clip::failed, this, [this, side](const app::Issue& issue) {
        // The sender must not be deleted before the signal is done.
        slot(side).pending.release()->deleteLater();
        tell_failure(side, issue);
    });
}

/// Reports a failure: over the picture, unless something is connected to clip_failed().
void PreviewView::tell_failure(Side side, const app::Issue& issue) {
    slot(side).refused.setRemainingTime(told_ms);
    if (!isSignalConnected(QMetaMethod::fromSignal(&PreviewView::clip_failed))) say(issue.line());
    refresh();
    emit clip_failed(side, issue);
}

/// For a clip that the user asked for but has replaced before it was open: only its failure is still reported.
void PreviewView::give_up(Side side, std::unique_ptr<app::Clip> clip) {
    clip->disconnect(this);
    app::Clip* const late = clip.release();
    late->setParent(this); // so that it is deleted with this widget at the latest
    connect(late, &app::Clip::opened, late, &QObject::deleteLater);
    connect(late, &app::Clip::failed, this, [this, side, late](const app::Issue& issue) {
        late->deleteLater();
        tell_failure(side, issue);
    });
}

void PreviewView::adopt(Side side) {
    Slot& s = slot(side);
    const bool first = !s.clip;
    s.pending->disconnect(this);
    const std::unique_ptr<app::Clip> before = std::exchange(s.clip, std::move(s.pending));
    const bool one_frame = !std::exchange(s.asked, {}).isEmpty();
    if (!one_frame) s.shown = {};
    s.detail.clear();
    listen(side);
    player_.set_clip(side, s.clip.get(), one_frame ? s.frame : side == Side::a && first ? 0 : -1);
    swapped_offset_.reset();
    if (!one_frame && a_.clip && b_.clip && shifted_ != pair()) { // the offset is that of another pair
        const Side other = side == Side::a ? Side::b : Side::a;
        const int seen = player_.frame_of(other);
        player_.set_offset(0);
        if (seen >= 0 && player_.frame_of(other) != seen) player_.go_to(player_.frame_where(other, seen));
    }
    overlay_ = overlay_b_ = {};
    bar_->set_covered(false);
    message_timer_.stop();
    if (side == Side::a) canvas_->set_shows_b(false); // so that the new picture is seen
    if (a_.clip && b_.clip && first && mode() == CompareMode::single) canvas_->set_mode(CompareMode::wipe);
    compare_again();
    refresh();
    bar_->refresh();
    const app::ClipInfo& info = s.clip->info();
    if (s.by_hand) emit opened_by_hand(side);
    emit clip_opened(side, info);
    if (s.by_hand && !info.request.isEmpty()) emit request_found(info.request, info.path);
}

void PreviewView::listen(Side side) {
    app::Clip* const clip = slot(side).clip.get();
    connect(clip, &app::Clip::frame_ready, this, [this, side](int frame) {
        if (frame == player_.frame_of(side)) refresh();
        if (!bar_timer_.isActive()) bar_timer_.start();
    });
    connect(clip, &app::Clip::frame_failed, this, [this, side](int frame, const app::Issue& issue) {
        if (frame == player_.frame_of(side)) say(issue.line());
    });
}

void PreviewView::clear(Side side) {
    Slot& s = slot(side);
    player_.set_clip(side, nullptr);
    s = {};
    if (!a_.clip || !b_.clip) canvas_->set_mode(CompareMode::single);
    compare_again();
    refresh();
    bar_->refresh();
}

void PreviewView::swap() {
    const auto is_there = [](const Slot& s) { return s.clip || s.pending; };
    if (!is_there(a_) || !is_there(b_)) return say(tr("Choose an A and a B first."));
    const Pairing pairing = player_.pairing();
    const int offset = player_.offset();
    int turned = -offset;
    if (pairing.by_time()) {
        const double per_second = a_.clip->info().stated_fps / b_.clip->info().stated_fps;
        turned = swapped_offset_ && swapped_offset_->now == offset
                     ? swapped_offset_->before
                     : -int(std::lround(std::clamp(offset * per_second, -9999.0, 9999.0)));
        swapped_offset_ = {turned, offset};
    } else {
        swapped_offset_.reset();
    }
    std::swap(a_, b_);
    for (const Side side : {Side::a, Side::b}) {
        Slot& s = slot(side);
        if (s.clip) s.clip->disconnect(this);
        if (s.clip) listen(side);
        if (s.pending) {
            s.pending->disconnect(this); // it was connected for the other side
            open(side, std::move(s.pending), s.by_hand);
        }
    }
    player_.swap(turned);
    compare_again();
    refresh();
    bar_->refresh();
    emit swapped();
}

void PreviewView::say(const QString& text) {
    message_timer_.start();
    canvas_->set_message(text);
    refresh();
}

void PreviewView::refresh() {
    bool waiting = a_.pending || b_.pending, fresh = true;
    for (const Side side : {Side::a, Side::b}) {
        Slot& s = slot(side);
        const int frame = player_.frame_of(side);
        if (!s.clip || frame < 0) continue;
        if (const QImage picture = s.clip->cached(frame); !picture.isNull()) {
            s.shown = picture;
        } else {
            s.clip->want(frame, player_.speed() < 0 ? -1 : 1);
            waiting = waiting || !s.clip->is_settled(frame);
            fresh = false;
        }
    }
    const bool covered = this->covered();
    canvas_->set_pictures(covered ? overlay_.picture : a_.shown, covered ? overlay_b_.picture : b_.shown,
                          covered ? overlay_stands_for_ : QSize());
    const auto label = [](const Slot& s) { return s.clip ? ClipName{s.clip->info().name, s.detail} : ClipName(); };
    canvas_->set_labels(covered ? ClipName{overlay_.name, {}} : label(a_),
                        covered ? ClipName{overlay_b_.name, {}} : label(b_));
    canvas_->set_busy(waiting && !covered);
    if (!message_timer_.isActive() && !dragged_over_)
        canvas_->set_message(covered || a_.clip || b_.clip || waiting ? QString()
                             : awaited_.isEmpty()                     ? empty_text_
                                                                      : awaited_);
    // Screen readers read this widget, which has the focus, so it takes the description of the canvas.
    set_spoken_description(*this, canvas_->accessibleDescription());
    if (fresh && !player_.playing() && player_.frames_meet())
        comparison_.measure(player_.frame_of(Side::a), a_.shown, b_.shown);
}

void PreviewView::compare_again() {
    worst_awaited_at_.reset();
    if (a_.clip && b_.clip)
        comparison_.start(*a_.clip, *b_.clip, player_.pairing());
    else
        comparison_.stop();
}

void PreviewView::show_overlay(const Overlay& a, const Overlay& b, QSize stands_for, bool of_clip) {
    overlay_ = a;
    overlay_b_ = b;
    for (QImage* picture : {&overlay_.picture, &overlay_b_.picture}) picture->convertTo(QImage::Format_RGB32);
    overlay_stands_for_ = stands_for;
    if (covered()) player_.pause(); // nobody would see it play
    bar_->set_covered(covered(), of_clip);
    refresh();
}

bool PreviewView::uncover() {
    if (covered() && bar_->uncovers()) emit uncover_asked();
    return !covered();
}

void PreviewView::set_mode(CompareMode mode) {
    if (!a_.clip || !b_.clip) mode = CompareMode::single;
    if (mode == canvas_->mode()) return;
    canvas_->set_mode(mode);
    set_spoken_description(*this, canvas_->accessibleDescription());
    bar_->refresh();
}

void PreviewView::toggle_mode(CompareMode mode) { set_mode(canvas_->mode() == mode ? CompareMode::wipe : mode); }

void PreviewView::flip() {
    if (!a_.clip || !b_.clip) return;
    if (canvas_->mode() != CompareMode::single) set_mode(CompareMode::single);
    canvas_->set_shows_b(!canvas_->shows_b());
    set_spoken_description(*this, canvas_->accessibleDescription());
}

void PreviewView::set_gain(int gain) {
    canvas_->set_gain(gain);
    bar_->refresh();
}

void PreviewView::go_to_frame_of_a(int frame) {
    if (uncover()) player_.go_to(player_.frame_where(Side::a, frame));
}

void PreviewView::go_to_worst() {
    player_.pause();
    if (const int worst = comparison_.worst(); worst >= 0) go_to_frame_of_a(worst);
    if (comparison_.complete()) return worst_awaited_at_.reset();
    worst_awaited_at_ = player_.frame();
}

/// Goes to the worst frame once all are measured, unless the user has moved to another frame meanwhile.
void PreviewView::follow_worst() {
    if (!worst_awaited_at_ || !comparison_.complete()) return;
    const bool stayed = player_.frame() == *worst_awaited_at_ && !player_.playing();
    worst_awaited_at_.reset();
    if (stayed) go_to_worst();
}

void PreviewView::nudge(int way) {
    if (mode() == CompareMode::onion)
        canvas_->set_onion(canvas_->onion() + way * 0.05);
    else
        canvas_->set_wipe(canvas_->wipe() + way * 0.02);
}

bool PreviewView::press(int key, Qt::KeyboardModifiers modifiers) {
    const int frames = modifiers & Qt::ShiftModifier ? 10 : 1;
    switch (key) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (uncover()) player_.step(key == Qt::Key_Right ? frames : -frames);
        return true;
    case Qt::Key_Home:
    case Qt::Key_End:
        if (uncover()) player_.go_to(key == Qt::Key_End ? player_.frames() - 1 : 0);
        return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        canvas_->zoom_to(canvas_->scale() * 1.25);
        return true;
    case Qt::Key_Minus:
        canvas_->zoom_to(canvas_->scale() / 1.25);
        return true;
    default:
        return false; // all other keys are actions of the window
    }
}

/// Ctrl and an arrow move the visible part of the picture; with Shift, by one pixel of the picture.
bool PreviewView::pan(const QKeyEvent& event) {
    if ((event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) != Qt::ControlModifier) return false;
    const double pixel = canvas_->scale() / devicePixelRatioF();
    const double by = event.modifiers() & Qt::ShiftModifier ? pixel : std::max(pixel, canvas_->width() / 12.0);
    switch (event.key()) {
    case Qt::Key_Left:
        canvas_->pan({by, 0});
        return true;
    case Qt::Key_Right:
        canvas_->pan({-by, 0});
        return true;
    case Qt::Key_Up:
        canvas_->pan({0, by});
        return true;
    case Qt::Key_Down:
        canvas_->pan({0, -by});
        return true;
    default:
        return false;
    }
}

void PreviewView::keyPressEvent(QKeyEvent* event) {
    if (pan(*event)) return;
    constexpr Qt::KeyboardModifiers others = Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier;
    if ((event->modifiers() & others) || !press(event->key(), event->modifiers())) QWidget::keyPressEvent(event);
}

void PreviewView::focusInEvent(QFocusEvent* event) {
    const auto reason = event->reason();
    if (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason)
        by_keys_ = true;
    else if (reason == Qt::MouseFocusReason)
        by_keys_ = false;
    canvas_->set_focus_ring(by_keys_); // unchanged if a menu, a dialog or the palette gives the focus back
}

void PreviewView::focusOutEvent(QFocusEvent*) { canvas_->set_focus_ring(false); }

Side PreviewView::side_at(const QPointF& position) const {
    return a_.clip && position.x() > width() / 2.0 ? Side::b : Side::a;
}

void PreviewView::dragEnterEvent(QDragEnterEvent* event) {
    const QStringList files = dropped_files(*event->mimeData());
    if (files.isEmpty()) return;
    dragged_.reset();
    if (files.size() == 1) dragged_ = app::kind_by_name(files[0]);
    take_copy(*event);
}

void PreviewView::dragMoveEvent(QDragMoveEvent* event) {
    message_timer_.stop();
    dragged_over_ = true; // so that a playing clip does not replace the message
    canvas_->set_message(!dragged_                               ? tr("Drop here: open them")
                         : dragged_ == app::ClipKind::still      ? tr("Drop here: choose what it is for")
                         : !is_clip(*dragged_)                   ? tr("Drop here: open it")
                         : side_at(event->position()) == Side::b ? tr("Drop here: hold it against A, as B")
                                                                 : tr("Drop here: show it"));
    take_copy(*event);
}

void PreviewView::dragLeaveEvent(QDragLeaveEvent*) {
    dragged_over_ = false;
    refresh();
}

void PreviewView::dropEvent(QDropEvent* event) {
    const QStringList files = dropped_files(*event->mimeData());
    dragged_over_ = false;
    refresh();
    if (files.isEmpty()) return;
    take_copy(*event);
    if (isSignalConnected(QMetaMethod::fromSignal(&PreviewView::files_dropped)))
        return emit files_dropped(files, side_at(event->position()), mapToGlobal(event->position().toPoint()));
    open(side_at(event->position()), cache_.open(files[0]), true);
}

} // namespace denoir::ui
