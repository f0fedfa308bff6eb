// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/steps/step_strip.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "ui/preview/fit_row.h"
#include "ui/preview/scrubber.h"
#include "ui/steps/step_reel.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/theme/spoken.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/tool_button.h"

namespace denoir::ui {

using View = app::StepPictures::View;

StepStrip::StepStrip(app::StepPictures& pictures, app::DraftDecoder& decoder, QWidget* parent)
    : QWidget(parent), pictures_(pictures), decoder_(decoder), reel_(new StepReel(pictures, this)) {
    auto* layout = make_layout<QVBoxLayout>(this, 0, {0, 0, 0, grid::half});
    layout->addWidget(reel_, 1);
    controls_ = make_controls();
    layout->addWidget(controls_);
    layout->setSizeConstraint(QLayout::SetNoConstraint); // fit_width() makes it fit
    setAccessibleName(tr("Steps"));
    decode_timer_.setSingleShot(true);
    decode_timer_.setInterval(200);
    connect(&decode_timer_, &QTimer::timeout, this, &StepStrip::decode);
    connect(reel_, &StepReel::step_picked, this, &StepStrip::set_step);
    connect(&pictures_, &app::StepPictures::changed, this, &StepStrip::renew);
    connect(&pictures_, &app::StepPictures::step_ready, this, [this](int step) {
        if (wanted_ >= 0 && wanted_ <= pictures_.last_step()) return set_step(wanted_);
        if (follows_ && step >= step_) show_step(pictures_.last_step());
        refresh();
    });
    connect(&decoder_, &app::DraftDecoder::frame_decoded, this, [this](app::DraftId draft, int, const QImage& frame) {
        if (draft != draft_ || draft == 0) return;
        pictures_.set_decoded(draft_step_, draft_frame_, frame);
    });
    connect(&decoder_, &app::DraftDecoder::failed, this, [this](app::DraftId draft, const app::Issue& problem) {
        if (draft != draft_ || draft == 0) return;
        draft_ = 0;
        refresh_text();
        emit issue(problem);
    });
    for (const auto over : {&app::DraftDecoder::finished, &app::DraftDecoder::cancelled})
        connect(&decoder_, over, this, [this](app::DraftId draft) {
            if (draft != draft_ || draft == 0) return;
            draft_ = 0;
            refresh_text();
        });
    renew();
}

/// Makes a button for each view, and the menu that replaces them.
void StepStrip::make_views(QWidget& row) {
    views_ = new QButtonGroup(&row);
    all_views_ = new QWidget(&row);
    auto* layout = make_layout<QHBoxLayout>(all_views_, grid::half);
    view_menu_ = new QToolButton(&row);
    view_menu_->setObjectName(QStringLiteral("step-view"));
    give_menu(*view_menu_);
    view_menu_->setAutoRaise(true);
    view_menu_->setToolTip(tr("What the pictures show"));
    const auto add_view = [&](View view, const QString& text, const QString& tip) {
        auto* b = new QToolButton(all_views_);
        b->setText(text);
        b->setToolTip(tip);
        b->setCheckable(true);
        b->setAutoRaise(true);
        views_->addButton(b, static_cast<int>(view));
        layout->addWidget(b);
        connect(view_menu_->menu()->addAction(text), &QAction::triggered, b, &QToolButton::click);
    };
    add_view(View::latent, tr("Latent"), tr("The latent itself, noise and all"));
    add_view(View::estimate, tr("Estimate"), tr("The model's estimate of the clean latent"));
    add_view(View::decoded, tr("Decoded"), tr("The estimate through the true VAE: exact, takes a moment"));
    connect(views_, &QButtonGroup::idClicked, this, [this](int id) { set_view(static_cast<View>(id)); });
    connect(views_, &QButtonGroup::idToggled, this, [this](int id, bool on) {
        if (!on) return;
        const QString text = views_->button(id)->text();
        view_menu_->setText(text);
        view_menu_->setAccessibleName(tr("What the pictures show: %1").arg(text));
    });
}

QWidget* StepStrip::make_controls() {
    auto* row = new QWidget(this);
    auto* layout = make_layout<QHBoxLayout>(row, grid::half, {grid::unit, 0, grid::unit, 0});
    make_views(*row);
    layout->addWidget(all_views_);
    layout->addWidget(view_menu_);
    layout->addSpacing(grid::unit);
    frame_label_ = new QLabel(row);
    frames_ = new Scrubber(row);
    frames_->setMinimumWidth(96);
    frames_->setMaximumWidth(160);
    frames_->setAccessibleName(tr("Frame of the pictures"));
    frames_->setToolTip(frames_->accessibleName());
    connect(frames_, &Scrubber::seek_requested, this, &StepStrip::set_frame);
    layout->addWidget(frames_);
    layout->addWidget(frame_label_);
    layout->addStretch(1);
    state_ = new QLabel(row);
    state_->setObjectName(QStringLiteral("step-state"));
    state_->setContentsMargins(grid::unit, 0, 0, 0); // without a margin it looks like a part of the frame's number
    layout->addWidget(state_);
    const auto add_button = [&](const char* drawing, const QString& text, const QString& tip) {
        auto* b = flat_button(row, icon(QLatin1String(drawing)), text, tip);
        b->setText(text);
        b->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        layout->addWidget(b);
        return b;
    };
    follow_ = add_button("right", tr("Follow"), tr("Show the newest step as it comes"));
    resume_ = add_button("resume", tr("Resume"), QString()); // refresh_text() sets its tip
    branch_ = add_button("branch", tr("Branch from here"),
                         tr("Go on from this step with other settings; the steps before are not computed again"));
    keep_ = add_button("save", tr("Keep draft"), tr("Save what this step would have become as a video"));
    connect(follow_, &QToolButton::clicked, this, &StepStrip::follow);
    connect(resume_, &QToolButton::clicked, this, [this] { emit resume_requested(pictures_.run()); });
    connect(branch_, &QToolButton::clicked, this, [this] { emit branch_requested(pictures_.run(), step_); });
    connect(keep_, &QToolButton::clicked, this, [this] { emit keep_requested(pictures_.run(), step_); });
    return row;
}

void StepStrip::renew() {
    if (pictures_.running() || pictures_.run() != run_ || pictures_.steps() == 0) wanted_ = -1;
    if (pictures_.run() != run_ || pictures_.steps() == 0) {
        run_ = pictures_.run();
        follows_ = true;
        step_ = -1;
        if (draft_ != 0) decoder_.cancel(draft_);
        draft_ = 0;
        knows_frames_ = false;
    }
    // Begins with a frame that the run makes, as one that is given looks the same after every step.
    if (pictures_.steps() > 0 && !std::exchange(knows_frames_, true))
        frame_ = asked_in_ == run_ ? asked_frame_ : std::max(asked_frame_, pictures_.first_made());
    frame_ = std::clamp(frame_, 0, std::max(0, pictures_.frames() - 1));
    const QSignalBlocker quiet(frames_);
    frames_->set_frames(pictures_.frames());
    frames_->setValue(frame_);
    reel_->refresh();
    if (follows_) show_step(pictures_.last_step());
    refresh();
}

void StepStrip::show_step(int step) {
    step_ = std::min(step, pictures_.steps());
    const QSignalBlocker quiet(reel_);
    reel_->setValue(std::max(0, step_));
}

void StepStrip::set_step(int step) {
    wanted_ = step > pictures_.last_step() && !pictures_.running() ? step : -1;
    if (pictures_.steps() == 0) return;
    follows_ = false;
    show_step(std::clamp(step, 0, std::max(0, pictures_.last_step())));
    refresh();
}

void StepStrip::set_frame(int frame) {
    frame_ = asked_frame_ = std::clamp(frame, 0, std::max(0, pictures_.frames() - 1));
    asked_in_ = run_;
    const QSignalBlocker quiet(frames_);
    frames_->setValue(frame_);
    refresh();
}

void StepStrip::set_view(View view) {
    view_ = view;
    refresh();
}

void StepStrip::follow() {
    follows_ = true;
    wanted_ = -1;
    show_step(pictures_.last_step());
    refresh();
}

void StepStrip::decode() {
    const int frame = pictures_.worked_on(step_, frame_);
    if (step_ < 0 || pictures_.run().isEmpty() || !pictures_.picture(step_, frame, View::decoded).isNull()) return;
    if (draft_ != 0 && draft_step_ == step_ && draft_frame_ == frame) return;
    if (draft_ != 0) decoder_.cancel(draft_);
    draft_step_ = step_;
    draft_frame_ = frame;
    draft_ = decoder_.decode_step(pictures_.run(), step_, frame);
    if (view_ != View::decoded) set_view(View::decoded);
    refresh_text();
}

QString StepStrip::label() const {
    const QString kind = view_ == View::latent     ? tr("latent")
                         : view_ == View::estimate ? tr("estimate")
                                                   : tr("decoded");
    return tr("step %1 of %2, %3").arg(told_step()).arg(pictures_.steps()).arg(kind);
}

int StepStrip::told_step() const { return step_ < 0 ? pictures_.first_step() : step_; }

void StepStrip::refresh() {
    reel_->show_frame(frame_, view_);
    if (QAbstractButton* b = views_->button(static_cast<int>(view_))) b->setChecked(true);
    refresh_text();
    if (step_ < 0) {
        decode_timer_.stop();
        emit picture_changed({}, {});
        return;
    }
    const int frame = pictures_.worked_on(step_, frame_);
    const QImage picture = pictures_.picture(step_, frame, view_);
    if (picture.isNull() && view_ == View::decoded) {
        decode_timer_.start();
        // Shows the estimate until it is decoded, so that the preview does not go blank.
        emit picture_changed(pictures_.picture(step_, frame, View::estimate), label());
    } else {
        emit picture_changed(picture, label());
    }
}

void StepStrip::set_time_left(const QString& words) {
    time_left_ = words;
    refresh_text();
}

void StepStrip::refresh_text() {
    const bool any = pictures_.steps() > 0;
    for (QAbstractButton* b : views_->buttons()) b->setEnabled(any);
    view_menu_->setEnabled(any);
    frame_label_->setText(any ? tr("frame %1").arg(pictures_.worked_on(step_, frame_) + 1) : QString());
    leave_out(*follow_, !(any && pictures_.running() && !follows_));
    leave_out(*frames_, pictures_.frames() < 2);
    leave_out(*frame_label_, pictures_.frames() < 2);
    leave_out(*resume_, !any || pictures_.running() || pictures_.whole() || pictures_.last_step() < 0);
    resume_->setToolTip(pictures_.last_step() == pictures_.steps() ? tr("Decode the video")
                                                                   : tr("Compute the steps that are left"));
    branch_->setEnabled(pictures_.can_branch(step_));
    keep_->setEnabled(any && step_ >= 0 && !pictures_.run().isEmpty());
    QString text;
    if (any) {
        text = tr("step %1/%2").arg(told_step()).arg(pictures_.steps());
        if (draft_ != 0)
            text += QStringLiteral("  ·  ") + tr("decoding…");
        else if (pictures_.running() && !time_left_.isEmpty())
            text += QStringLiteral("  ·  ") + time_left_;
    }
    state_->setText(text);
    fit_width();
    set_spoken_description(*reel_, any ? label() : QString());
}

void StepStrip::resizeEvent(QResizeEvent*) { fit_width(); }

/// Makes the controls fit: when it gets narrow, words are hidden and icons stay; at last the views are in a menu.
void StepStrip::fit_width() {
    for (const bool menu : {false, true}) {
        for (auto* each : std::initializer_list<QWidget*>{all_views_, view_menu_}) {
            const bool out = menu == (each == all_views_);
            leave_out(*each, out);
            each->setHidden(out);
        }
        for (const auto style : {Qt::ToolButtonTextBesideIcon, Qt::ToolButtonIconOnly}) {
            for (QToolButton* b : {follow_, resume_, branch_, keep_}) b->setToolButtonStyle(style);
            if (needed_width(*controls_) <= width()) break;
        }
        if (fit_row(*controls_, width(), {frame_label_, frames_, state_, follow_, resume_})) break;
    }
}

void StepStrip::keyPressEvent(QKeyEvent* event) {
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Up:
        return set_frame(frame_ + 1);
    case Qt::Key_Down:
        return set_frame(frame_ - 1);
    case Qt::Key_Left:
        return set_step(step_ - 1);
    case Qt::Key_Right:
        return set_step(step_ + 1);
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace denoir::ui
