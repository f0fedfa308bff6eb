// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/steps/steps_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <utility>

#include "app/runs/draft_decoder.h"
#include "ui/steps/divergence_view.h"
#include "ui/steps/step_strip.h"
#include "ui/theme/colours.h"
#include "ui/widgets/make_layout.h"

namespace denoir::ui {

StepsPanel::StepsPanel(app::DraftDecoder& decoder, QWidget* parent)
    : QWidget(parent),
      live_strip_(new StepStrip(live_pictures_, decoder)),
      strip_(new StepStrip(pictures_, decoder)),
      strip_b_(new StepStrip(pictures_b_, decoder)),
      strips_(new QStackedWidget),
      letter_a_(make_letter(QStringLiteral("A"))),
      letter_b_(make_letter(QStringLiteral("B"))),
      divergence_view_(new DivergenceView(divergence_)) {
    live_strip_->setObjectName(QStringLiteral("live-steps"));
    strip_->setObjectName(QStringLiteral("run-steps"));
    strip_b_->setObjectName(QStringLiteral("run-steps-b"));
    divergence_view_->setObjectName(QStringLiteral("step-divergence"));
    lay_out();
    connect_strips();
}

StepsPanel::~StepsPanel() {
    // The children borrow the pictures, which would be destroyed before them.
    qDeleteAll(findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
}

namespace {

/// Loads the steps of a run, unless they are loaded already; clears them if there is no run, as for a video.
void load(app::StepPictures& pictures, const QString& run) {
    if (run.isEmpty())
        pictures.clear();
    else if (pictures.run() != run)
        pictures.load(run);
}

} // namespace

QLabel* StepsPanel::make_letter(const QString& side) {
    auto* label = new QLabel(side);
    label->setProperty("side", side);
    label->setContentsMargins(grid::unit, 0, 0, 0);
    label->setAlignment(Qt::AlignTop);
    return label;
}

void StepsPanel::lay_out() {
    strips_->addWidget(strip_);
    strips_->addWidget(live_strip_);
    auto* row = make_layout<QHBoxLayout>(this, grid::unit); // side by side, to leave height to the preview
    row->addWidget(letter_a_);
    row->addWidget(strips_, 3);
    row->addWidget(letter_b_);
    row->addWidget(strip_b_, 3);
    row->addWidget(divergence_view_, 2); // becomes narrower before the strips' buttons do
    for (QWidget* each : std::initializer_list<QWidget*>{letter_a_, letter_b_, strip_b_, divergence_view_})
        each->hide();
}

void StepsPanel::connect_strips() {
    for (StepStrip* strip : {live_strip_, strip_, strip_b_}) {
        connect(strip, &StepStrip::picture_changed, this,
                [this, strip](const QImage& picture, const QString& label) { strip_changed(*strip, picture, label); });
        connect(strip, &StepStrip::issue, this, [this](const app::Issue& issue) { emit said(issue.line()); });
        connect(strip, &StepStrip::resume_requested, this, &StepsPanel::resume_requested);
        connect(strip, &StepStrip::branch_requested, this, &StepsPanel::branch_requested);
        connect(strip, &StepStrip::keep_requested, this, &StepsPanel::keep_requested);
    }
    connect(divergence_view_, &DivergenceView::step_requested, this, [this](int a, int b) {
        if (pictures().run() != run_a_) show_live(false);
        const QScopedValueRollback<bool> both(leading_, true);
        front().set_step(a);
        strip_b_->set_step(b);
    });
}

bool StepsPanel::shows_pair() const { return compares_ && !run_b_.isEmpty() && pictures().run() == run_a_; }

void StepsPanel::strip_changed(StepStrip& strip, const QImage& picture, const QString& label) {
    const bool is_b = &strip == strip_b_;
    const app::StepPictures& run = is_b ? pictures_b_ : &strip == strip_ ? pictures_ : live_pictures_;
    const Shown now{run.run(), strip.step(), strip.frame(), strip.follows(), strip.view(), picture, label};
    const Shown before = std::exchange(shown_[&strip], now);
    if (!is_b && &strip != &front()) return;
    if (!is_b && run.run() == run_a_ && !strip.follows()) divergence_view_->set_step(strip.step());
    if (shows_pair() && !leading_) {
        StepStrip& other = is_b ? front() : *strip_b_;
        const bool picked =
            before.follows != now.follows || (!now.follows && (before.step != now.step || before.frame != now.frame));
        if (before.run == now.run && (picked || before.view != now.view)) lead(strip, other);
    }
    if (!is_b || told_pair_ || has_pair()) tell_pictures();
}

void StepsPanel::lead(StepStrip& from, StepStrip& to) {
    const QScopedValueRollback<bool> leading(leading_, true);
    if (to.view() != from.view()) to.set_view(from.view());
    if (from.follows()) {
        if (!to.follows()) to.follow();
        return;
    }
    // Runs with different numbers of steps are compared at the steps with the same noise.
    int step = from.step();
    for (const StepDivergence& s : divergence_.found().steps)
        if ((&from == strip_b_ ? s.b : s.a) == from.step()) step = &from == strip_b_ ? s.a : s.b;
    if (to.follows() || to.step() != step) to.set_step(step);
    if (to.frame() != from.frame()) to.set_frame(from.frame());
}

bool StepsPanel::has_pair() {
    return shows_pair() && !follows() && !shown_[&front()].picture.isNull() && !shown_[strip_b_].picture.isNull();
}

void StepsPanel::tell_pictures() {
    told_pair_ = has_pair();
    const Shown a = shown_[&front()], b = shown_[strip_b_]; // copies: a slot may change the strips
    emit picture_changed(a.picture, a.label, told_pair_ ? b.picture : QImage(), told_pair_ ? b.label : QString());
}

void StepsPanel::begin(const QString& run, const Request& request, int steps, int first) {
    live_pictures_.begin(run, request, steps, first);
}

void StepsPanel::add(const app::StepUpdate& update) { live_pictures_.add(update); }

void StepsPanel::set_time_left(const QString& words) { live_strip_->set_time_left(words); }

void StepsPanel::finish(bool whole) { live_pictures_.finish(whole); }

bool StepsPanel::shows_live() const { return strips_->currentWidget() == live_strip_; }

void StepsPanel::show_live(bool live) {
    if (!live) load(pictures_, run_a_); // it was not loaded while the run at work was in front
    strips_->setCurrentWidget(live ? live_strip_ : strip_);
}

void StepsPanel::follow() {
    front().follow();
    if (shows_pair() && !strip_b_->follows()) strip_b_->follow();
}

bool StepsPanel::follows() const { return front().follows() && (!shows_pair() || strip_b_->follows()); }

void StepsPanel::show_run(const QString& run) {
    run_a_ = run;
    // If the run was shown until its end, its pictures are there already and stay in front.
    if (!shows_live() || live_pictures_.run() != run) show_live(false);
    follow();
}

void StepsPanel::set_run(app::Side side, const QString& run) {
    const bool is_other = run != (side == app::Side::a ? run_a_ : run_b_);
    if (side == app::Side::a) {
        run_a_ = run;
        if (shows_live() && !live_pictures_.running() && live_pictures_.run() != run) {
            show_live(false);
            follow();
        }
        if (!shows_live()) load(pictures_, run); // behind the run at work, A is loaded later
    } else {
        run_b_ = run;
        load(pictures_b_, run);
    }
    const bool pair = !run_a_.isEmpty() && !run_b_.isEmpty();
    divergence_.set_runs(pair ? run_a_ : QString(), pair ? run_b_ : QString());
    show_both();
    if (is_other && shows_pair()) follow(); // another pair begins with its videos
}

void StepsPanel::set_compares(bool compares) {
    compares_ = compares;
    show_both();
}

void StepsPanel::show_both() {
    const bool both = compares_ && !run_b_.isEmpty();
    for (QWidget* each : std::initializer_list<QWidget*>{strip_b_, letter_a_, letter_b_}) each->setVisible(both);
    divergence_view_->setVisible(both && !run_a_.isEmpty());
    if (told_pair_ && !shows_pair()) tell_pictures();
}

void StepsPanel::forget(const QStringList& runs) {
    for (app::StepPictures* pictures : {&live_pictures_, &pictures_, &pictures_b_})
        if (runs.contains(pictures->run())) pictures->clear();
}

void StepsPanel::look_again(const QString& run) {
    for (app::StepPictures* pictures : {&pictures_, &pictures_b_})
        if (pictures->run() == run) pictures->load(run);
    divergence_.look_again(run);
}

void StepsPanel::branch() {
    const int step = front().step();
    if (step > 0 && !pictures().run().isEmpty() && !pictures().can_branch(step))
        return emit said(
            tr("After step %1 there is nothing left to do, or its state was not kept. Pick another step.").arg(step));
    emit branch_requested(pictures().run(), step);
}

} // namespace denoir::ui
