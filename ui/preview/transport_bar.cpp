// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/preview/transport_bar.h"

#include <QApplication>
#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/base/engine_text.h"
#include "app/clips/time_text.h"
#include "ui/preview/fit_row.h"
#include "ui/preview/scrubber.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/theme/spoken.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/tool_button.h"
#include "ui/widgets/wheel.h"

namespace denoir::ui {
namespace {

/// A label as wide as its widest text, so that nothing moves when its number changes.
QLabel* number_label(QWidget* parent, const QString& widest) {
    auto* label = new QLabel(parent);
    label->setMinimumWidth(label->fontMetrics().horizontalAdvance(widest) + 4);
    return label;
}

/// Frames per second according to the clip or its request; 0 if neither says (24 is used, but that is a guess).
double stated_rate(const app::ClipInfo& info) {
    return info.stated_fps > 0 || info.request.isEmpty() ? info.stated_fps : app::rate_of(info.request, 0);
}

/// A shift in frames, always with its sign, as without one it would look like a length.
class ShiftBox : public QSpinBox {
public:
    using QSpinBox::QSpinBox;

protected:
    QString textFromValue(int value) const override {
        return (value < 0 ? QString() : QStringLiteral("+")) + QSpinBox::textFromValue(value);
    }
};

struct ModeName {
    CompareMode mode;
    const char* text;
    const char* tip;
    const char* action; ///< of the window; its keys are added to the tip
};
constexpr ModeName mode_names[] = {
    {CompareMode::single, QT_TRANSLATE_NOOP("denoir::ui::TransportBar", "Single"),
     QT_TRANSLATE_NOOP("denoir::ui::TransportBar", "One at a time; flipping shows the other"), "compare.flip"},
    {CompareMode::side_by_side, QT_TRANSLATE_NOOP("denoir::ui::TransportBar", "Side by side"),
     QT_TRANSLATE_NOOP("denoir::ui::TransportBar", "Side by side"), "compare.side-by-side"},
    {CompareMode::wipe, QT_TRANSLATE_NOOP("denoir::ui::TransportBar", "Wipe"),
     QT_TRANSLATE_NOOP("denoir::ui::TransportBar", "Wipe: drag the line"), "compare.wipe"},
    {CompareMode::difference, QT_TRANSLATE_NOOP("denoir::ui::TransportBar", "Difference"),
     QT_TRANSLATE_NOOP("denoir::ui::TransportBar", "Difference, amplified"), "compare.difference"},
    {CompareMode::flicker, QT_TRANSLATE_NOOP("denoir::ui::TransportBar", "Flicker"),
     QT_TRANSLATE_NOOP("denoir::ui::TransportBar", "A and B in turn, twice a second"), "compare.flicker"},
    {CompareMode::onion, QT_TRANSLATE_NOOP("denoir::ui::TransportBar", "Onion"),
     QT_TRANSLATE_NOOP("denoir::ui::TransportBar", "B half over A"), "compare.onion"},
};

} // namespace

TransportBar::TransportBar(app::Player& player, Canvas& canvas, app::Comparison& comparison, QWidget* parent)
    : QWidget(parent), player_(player), canvas_(canvas), comparison_(comparison), scrubber_(new Scrubber(this)) {
    auto* rows = make_layout<QVBoxLayout>(this, grid::half, {grid::unit, grid::half, grid::unit, grid::half});
    compare_row_ = make_compare_row();
    rows->addWidget(compare_row_);
    rows->addWidget(scrubber_);
    play_row_ = make_play_row();
    rows->addWidget(play_row_);
    rows->setSizeConstraint(QLayout::SetNoConstraint); // fit_width() makes it fit

    connect(scrubber_, &Scrubber::seek_requested, &player_, &app::Player::go_to);
    connect(&player_, &app::Player::frame_changed, this, &TransportBar::refresh_time);
    connect(&player_, &app::Player::speed_changed, this, &TransportBar::refresh_time);
    connect(&player_, &app::Player::loop_changed, loop_, &QToolButton::setChecked);
    connect(&player_, &app::Player::clips_changed, this, &TransportBar::refresh);
    connect(&canvas_, &Canvas::scale_changed, this, &TransportBar::refresh_zoom);
    connect(&comparison_, &app::Comparison::changed, this, &TransportBar::refresh_metrics);
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget* before, const QWidget* now) {
        // For set_usable(). `now` is null while the window is being destroyed.
        if (before && now && now->window() == window() && play_row_->isAncestorOf(before)) refresh();
    });
    refresh();
}

QToolButton* TransportBar::button(const QString& drawing, const QString& name, const char* action) {
    auto* b = flat_button(this, icon(drawing), name);
    b->setProperty("action", QLatin1String(action));
    return b;
}

QWidget* TransportBar::make_compare_row() {
    auto* row = new QWidget(this);
    auto* layout = make_layout<QHBoxLayout>(row, grid::half);
    modes_ = new QButtonGroup(row);
    for (const ModeName& name : mode_names) {
        auto* b = new QToolButton(row);
        b->setText(tr(name.text));
        b->setToolTip(tr(name.tip));
        b->setProperty("action", QLatin1String(name.action));
        b->setCheckable(true);
        b->setAutoRaise(true);
        modes_->addButton(b, static_cast<int>(name.mode));
        layout->addWidget(b);
    }
    connect(modes_, &QButtonGroup::idClicked, this, [this](int id) { emit mode_picked(static_cast<CompareMode>(id)); });
    swap_ = button(QStringLiteral("swap"), tr("Swap A and B"), "compare.swap");
    connect(swap_, &QToolButton::clicked, this, &TransportBar::swap_requested);
    layout->addWidget(swap_);
    layout->addWidget(make_offset(*row));
    // Controls of a single mode come last, so that the others do not move when the mode changes.
    layout->addWidget(make_gain(*row));
    layout->addWidget(make_onion(*row));
    layout->addStretch(1);
    metrics_ = new QLabel(row);
    metrics_->setAccessibleName(tr("Difference of the frames shown"));
    layout->addWidget(metrics_);
    worst_ = new QToolButton(row);
    worst_->setObjectName(QStringLiteral("worst-frame"));
    worst_->setProperty("action", QStringLiteral("compare.worst"));
    worst_->setAutoRaise(true);
    connect(worst_, &QToolButton::clicked, this, &TransportBar::worst_requested);
    layout->addWidget(worst_);
    return row;
}

QWidget* TransportBar::make_gain(QWidget& row) {
    gain_ = new QComboBox(&row);
    wheel_when_focused(gain_);
    for (int gain = 1; gain <= 64; gain *= 2) gain_->addItem(QStringLiteral("×%1").arg(gain), gain);
    gain_->setAccessibleName(tr("Amplification of the difference"));
    gain_->setToolTip(gain_->accessibleName());
    connect(gain_, &QComboBox::activated, this, [this] { emit gain_picked(gain_->currentData().toInt()); });
    return gain_;
}

/// The share of B over A in percent, which is 0 … 1 in the canvas.
QWidget* TransportBar::make_onion(QWidget& row) {
    onion_ = new QSlider(Qt::Horizontal, &row);
    onion_->setObjectName(QStringLiteral("onion-share"));
    wheel_when_focused(onion_);
    onion_->setRange(0, 100);
    onion_->setPageStep(10);
    onion_->setFixedWidth(96);
    onion_->setAccessibleName(tr("How much of B lies over A"));
    onion_->setToolTip(onion_->accessibleName());
    connect(onion_, &QSlider::valueChanged, this, [this](int share) { canvas_.set_onion(share / 100.0); });
    connect(&canvas_, &Canvas::onion_changed, this, [this](double share) {
        const QSignalBlocker quiet(onion_);
        onion_->setValue(static_cast<int>(std::lround(share * 100)));
    });
    onion_->setValue(static_cast<int>(std::lround(canvas_.onion() * 100)));
    return onion_;
}

QWidget* TransportBar::make_offset(QWidget& row) {
    offset_ = new ShiftBox(&row);
    offset_->setRange(-9999, 9999);
    offset_->setPrefix(tr("B "));
    offset_->setKeyboardTracking(false);
    wheel_when_focused(offset_);
    offset_->setAccessibleName(tr("B is ahead by"));
    offset_->setToolTip(tr("By how many frames B is ahead: frame 1 of A is held against frame 1 + this of B. Where "
                           "their rates and lengths differ, frames are paired by time, unless the menu says by "
                           "number."));
    offset_->setProperty("action", QStringLiteral("compare.shift-back compare.shift-on"));
    connect(offset_, &QSpinBox::valueChanged, &player_, &app::Player::set_offset);
    connect(&player_, &app::Player::offset_changed, this, [this](int frames) {
        const QSignalBlocker quiet(offset_);
        offset_->setValue(frames);
        fit_width(); // the unit may change between singular and plural
    });
    return offset_;
}

QWidget* TransportBar::make_play_row() {
    auto* row = new QWidget(this);
    auto* layout = make_layout<QHBoxLayout>(row, grid::half);
    previous_ = button(QStringLiteral("previous-frame"), tr("Previous frame"), "play.frame-back");
    play_ = button(QStringLiteral("play"), tr("Play"), "play.toggle");
    play_->setObjectName(QStringLiteral("play-clip"));
    next_ = button(QStringLiteral("next-frame"), tr("Next frame"), "play.frame-on");
    loop_ = button(QStringLiteral("loop"), tr("Play in a loop"), "play.loop");
    loop_->setCheckable(true);
    loop_->setChecked(player_.loop());
    const auto if_seen = [this](QToolButton* b, auto act) {
        connect(b, &QToolButton::clicked, this, [this, act] {
            if (frames() > 1) act();
        });
    };
    if_seen(previous_, [this] { player_.step(-1); });
    if_seen(next_, [this] { player_.step(1); });
    connect(play_, &QToolButton::clicked, this, [this] {
        if (uncovers()) return emit uncover_requested();
        if (frames() > 1) player_.toggle();
    });
    connect(loop_, &QToolButton::toggled, &player_, &app::Player::set_loop);
    time_ = number_label(row, QStringLiteral("00:00.00"));
    time_->setAccessibleName(tr("Time, minutes, seconds and frames"));
    frame_ = number_label(row, tr("frame %1/%2").arg(888).arg(888));
    frame_->setAccessibleName(tr("Frame shown")); // or a screen reader would take each new text for a new name
    rate_ = new QLabel(row);
    speed_ = new QLabel(row);
    zoom_ = number_label(row, QStringLiteral("1000 %"));
    zoom_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    true_size_ = button(QStringLiteral("one-to-one"), tr("True size"), "play.true-size");
    fit_ = button(QStringLiteral("fit"), tr("Fit into the window"), "play.fit");
    values_ = button(QStringLiteral("eye"), tr("Pixel values"), "play.values");
    values_->setToolTip(tr("Pixel values under the cursor, else in the middle; Ctrl and an arrow move the picture"));
    for (QToolButton* b : {true_size_, fit_, values_}) b->setCheckable(true);
    connect(true_size_, &QToolButton::clicked, this, [this] { canvas_.zoom_to(1); });
    connect(fit_, &QToolButton::clicked, &canvas_, &Canvas::zoom_to_fit);
    connect(fit_, &QToolButton::clicked, this, &TransportBar::refresh_zoom);
    connect(true_size_, &QToolButton::clicked, this, &TransportBar::refresh_zoom);
    connect(values_, &QToolButton::toggled, &canvas_, &Canvas::set_shows_values);
    for (QWidget* w : std::initializer_list<QWidget*>{previous_, play_, next_, loop_}) layout->addWidget(w);
    layout->addSpacing(grid::unit);
    for (QWidget* w : std::initializer_list<QWidget*>{time_, frame_, rate_, speed_}) layout->addWidget(w);
    layout->addStretch(1);
    for (QWidget* w : std::initializer_list<QWidget*>{zoom_, true_size_, fit_, values_}) layout->addWidget(w);
    return row;
}

/// Keeps a button that has the focus enabled until it loses it: Qt would move the focus away from a disabled one, even
/// if that is so only for the moment between two clips.
void TransportBar::set_usable(QToolButton& button, bool usable) {
    button.setEnabled(usable || button.window()->focusWidget() == &button);
}

int TransportBar::frames() const { return covered_ ? 0 : player_.frames(); }

void TransportBar::set_covered(bool covered, bool may_go) {
    if (covered_ == covered && may_go_ == may_go) return;
    covered_ = covered;
    may_go_ = may_go;
    refresh();
}

void TransportBar::refresh() {
    const app::Clip* leader = player_.leader();
    const int frames = this->frames();
    scrubber_->set_frames(frames);
    scrubber_->set_cached(leader && !covered_ ? leader->cached_ranges() : std::vector<std::pair<int, int>>{});
    const bool two = player_.frame_of(app::Side::a) >= 0 && player_.frame_of(app::Side::b) >= 0;
    compare_row_->setVisible(two);
    if (QAbstractButton* b = modes_->button(static_cast<int>(canvas_.mode()))) b->setChecked(true);
    gain_->setCurrentIndex(std::max(0, gain_->findData(canvas_.gain())));
    leave_out(*gain_, canvas_.mode() != CompareMode::difference);
    leave_out(*onion_, canvas_.mode() != CompareMode::onion);
    leave_out(*offset_, frames < 2);
    set_usable(*play_, frames > 1 || uncovers());
    for (QToolButton* b : {previous_, next_, loop_}) set_usable(*b, frames > 1);
    const double fps = leader ? stated_rate(leader->info()) : 0;
    rate_->setText(frames > 1 && fps > 0 ? tr("%1 fps").arg(QLocale().toString(fps, 'g', 4)) : QString());
    refresh_time();
    refresh_zoom();
    refresh_metrics();
    fit_width();
}

void TransportBar::refresh_time() {
    const app::Clip* leader = player_.leader();
    const int frames = this->frames();
    scrubber_->show_frame(player_.frame(), player_.playing());
    time_->setText(frames > 1 ? app::time_text(player_.seconds(), leader->info().fps) : QString());
    frame_->setText(frames > 1 ? tr("frame %1/%2").arg(player_.frame() + 1).arg(frames) : QString());
    const double speed = player_.speed();
    speed_->setText(
        speed == 0 || speed == 1
            ? QString()
            : QStringLiteral("%1%2×").arg(speed < 0 ? QStringLiteral("−") : QString()).arg(std::abs(speed)));
    const bool plays = player_.playing();
    play_->setIcon(icon(plays ? QStringLiteral("pause") : QStringLiteral("play")));
    set_spoken_name(*play_, plays ? tr("Pause") : tr("Play"));
    play_->setToolTip(play_->accessibleName());
    refresh_metrics();
}

void TransportBar::refresh_zoom() {
    const bool shown = !canvas_.picture_rect().isEmpty();
    zoom_->setText(shown ? QStringLiteral("%1 %").arg(std::lround(canvas_.scale() * 100)) : QString());
    fit_->setChecked(shown && canvas_.fits());
    true_size_->setChecked(shown && !canvas_.fits() && std::abs(canvas_.scale() - 1) < 1e-6);
    for (QToolButton* b : {fit_, true_size_, values_}) set_usable(*b, shown);
}

void TransportBar::refresh_metrics() {
    const int worst = comparison_.worst();
    scrubber_->set_mark(worst < 0 || covered_ ? -1 : player_.frame_where(app::Side::a, worst));
    if (compare_row_->isHidden()) return;
    const int frame = player_.frames_meet() && !covered_ ? player_.frame_of(app::Side::a) : -1;
    const auto& curve = comparison_.curve();
    QString text;
    if (!comparison_.issue().isEmpty())
        text = app::engine_text(comparison_.issue().message);
    else if (frame >= 0 && static_cast<std::size_t>(frame) < curve.size() && curve[static_cast<std::size_t>(frame)]) {
        const metrics::FrameMetrics& m = *curve[static_cast<std::size_t>(frame)];
        text = m.psnr ? tr("%1 dB").arg(QLocale().toString(*m.psnr, 'f', 1)) : tr("equal");
        if (m.ssim) text += QStringLiteral("  ·  SSIM %1").arg(QLocale().toString(*m.ssim, 'f', 4));
    }
    metrics_->setText(text);
    QStringList tips{comparison_.exact() ? tr("Measured on frames that no codec has touched")
                                         : tr("Measured on the videos' frames")};
    if (!comparison_.note().isEmpty()) tips << comparison_.note();
    metrics_->setToolTip(tips.join(QLatin1Char('\n')));
    leave_out(*worst_, worst < 0);
    // Names the measure, as the lowest PSNR may be at another frame.
    const bool by_ssim = worst < 0 || curve[static_cast<std::size_t>(worst)]->ssim;
    const QString measure = by_ssim ? QStringLiteral("SSIM") : QStringLiteral("PSNR");
    worst_->setText((comparison_.complete() ? tr("lowest %1: frame %2") : tr("lowest %1 so far: frame %2"))
                        .arg(measure)
                        .arg(worst + 1));
    worst_->setToolTip(tr("Go to the frame with the lowest %1").arg(measure));
    set_spoken_name(*worst_, tr("Go to the frame with the lowest %1, %2").arg(measure).arg(worst + 1));
    fit_width();
}

void TransportBar::resizeEvent(QResizeEvent*) { fit_width(); }

/// Hides what is least needed in a narrow window, so that nothing is cut off.
void TransportBar::fit_width() {
    const int room = width() - 2 * grid::unit;
    fit_unit(room);
    const auto mode = [this](CompareMode m) { return modes_->button(static_cast<int>(m)); };
    QList<QWidget*> least_needed{
        mode(CompareMode::onion), mode(CompareMode::flicker), offset_, swap_, worst_, metrics_, onion_, gain_,
        mode(CompareMode::single)};
    QAbstractButton* now = mode(canvas_.mode()); // stays, as it says what is seen
    least_needed.removeAll(now);
    now->show();
    fit_row(*compare_row_, room, least_needed);
    fit_row(*play_row_, room, {rate_, zoom_, values_, frame_, loop_, true_size_});
}

/// Shows the unit of B's shift if there is room; the tool tip says it as well. Sets it only if it changes, as the user
/// may be typing.
void TransportBar::fit_unit(int room) {
    const QString unit = qAbs(offset_->value()) == 1 ? tr(" frame") : tr(" frames");
    const QFontMetrics metrics = offset_->fontMetrics();
    const int missing = std::max(0, metrics.horizontalAdvance(unit) - metrics.horizontalAdvance(offset_->suffix()));
    const QString shown = needed_width(*compare_row_) + missing <= room ? unit : QString();
    if (shown != offset_->suffix()) offset_->setSuffix(shown);
}

QSize TransportBar::minimumSizeHint() const { return {200, QWidget::minimumSizeHint().height()}; }

} // namespace denoir::ui
