// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/sweep_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/text.h"
#include "app/runs/run_history.h"
#include "app/runs/stage_text.h"
#include "app/studio.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "ui/preview/fit_row.h"
#include "ui/preview/scrubber.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/theme/spoken.h"
#include "ui/tune/cell_text.h"
#include "ui/tune/sweep_bar.h"
#include "ui/tune/sweep_grid.h"
#include "ui/widgets/elided_combo.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/literal.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/tool_button.h"
#include "ui/widgets/wheel.h"

namespace denoir::ui {

namespace {
constexpr int earlier_letters = 18; ///< of the name of the sweep shown
}

SweepView::SweepView(Studio& studio, QAction& sweep, QWidget* parent)
    : QWidget(parent),
      studio_(studio),
      sweeps_(studio.core.sweeps()),
      bar_(new SweepBar(studio, sweep, this)),
      grid_(new SweepGrid(studio, this)),
      stack_(new QStackedWidget(this)),
      export_menu_(new QMenu(this)) {
    bar_->setObjectName(QStringLiteral("sweep-bar"));
    grid_->setObjectName(QStringLiteral("sweep-grid"));
    auto* empty = new EmptyState(QStringLiteral("sliders"),
                                 tr("Which values are best? A sweep renders a clip for every combination of the values "
                                    "above and plays them beside each other.\nPress Sweep, or change the axes first."));
    head_ = make_head();
    auto* content = new QWidget(this);
    auto* inner = make_layout<QVBoxLayout>(content, 0);
    inner->addWidget(head_);
    inner->addWidget(grid_, 1);
    inner->addWidget(make_transport());
    stack_->addWidget(empty);
    stack_->addWidget(content);
    auto* column = make_layout<QVBoxLayout>(this, 0);
    column->addWidget(bar_);
    column->addWidget(stack_, 1);

    connect(grid_, &SweepGrid::open_run, this, &SweepView::open_run);
    connect(grid_, &SweepGrid::star_asked, this, &SweepView::star);
    connect(grid_, &SweepGrid::menu_asked, this, &SweepView::show_menu);
    connect(grid_, &SweepGrid::page_changed, this, &SweepView::refresh_pages);
    connect(grid_, &SweepGrid::stills_changed, this, &SweepView::refresh_progress);
    connect(grid_, &SweepGrid::current_changed, this, [this] {
        const auto cell = grid_->current();
        const app::OpenSweep* shown = sweeps_.shown();
        if (cell && shown && shown->has_video(*cell)) emit current_run_changed(app::to_qstring(shown->cell(*cell).run));
    });
    connect(&sweeps_, &app::SweepDocument::shown_changed, this, [this] {
        refresh_head();
        refresh_pages();
        was_playing_ = true;
    });
    connect(&sweeps_, &app::SweepDocument::cells_changed, this, &SweepView::refresh_progress);
    connect(&sweeps_, &app::SweepDocument::reference_changed, this, &SweepView::refresh_head);
    connect(&sweeps_, &app::SweepDocument::earlier_changed, this, &SweepView::fill_earlier);
    refresh_head();
    refresh_pages();
}

app::GridPlayer& SweepView::player() { return grid_->clips().player(); }

QWidget* SweepView::make_head() {
    auto* head = new QWidget(this);
    head->setMinimumWidth(400); // fit_head() makes it fit
    auto* row = make_layout<QHBoxLayout>(head, grid::unit, {grid::unit, 0, grid::unit, grid::half});
    earlier_ = new ElidedCombo(Qt::ElideRight, head);
    make_narrow(earlier_, earlier_letters);
    earlier_->setObjectName(QStringLiteral("earlier-sweeps"));
    earlier_->setAccessibleName(tr("Sweep shown"));
    earlier_->setToolTip(tr("The sweeps made so far, newest first"));
    connect(earlier_, &QComboBox::activated, this,
            [this](int index) { sweeps_.open(earlier_->itemData(index).toString()); });
    pages_ = new QHBoxLayout;
    pages_->setSpacing(grid::half);
    progress_ = new ElidedLabel(head);
    progress_->setObjectName(QStringLiteral("sweep-progress"));
    progress_->setProperty("quiet", true);
    progress_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    const auto button = [&](const char* name, const char* drawing) {
        auto* b = new QToolButton(head);
        b->setObjectName(QLatin1String(name));
        b->setIcon(icon(QLatin1String(drawing)));
        return b;
    };
    missing_ = button("render-missing", "resume");
    connect(missing_, &QToolButton::clicked, &sweeps_, &app::SweepDocument::retry_all);
    reference_ = button("reference", "compare");
    reference_->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(reference_);
    reference_->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fill_reference(menu); });
    export_ = button("export-sweep", "export");
    export_->setText(tr("Export"));
    export_->setAccessibleName(tr("Export the sweep"));
    export_->setToolTip(export_->accessibleName());
    export_->setPopupMode(QToolButton::InstantPopup);
    export_->setMenu(export_menu_);
    row->addWidget(earlier_, 1);
    row->addLayout(pages_);
    row->addWidget(progress_, 1);
    row->addWidget(missing_);
    row->addWidget(reference_);
    row->addWidget(export_);
    return head;
}

QWidget* SweepView::make_transport() {
    auto* foot = new QWidget(this);
    auto* row = make_layout<QHBoxLayout>(foot, grid::half, {grid::unit, grid::half, grid::unit, grid::half});
    auto& clips = player();
    const auto button = [&](const char* drawing, const QString& name, const char* action) {
        auto* b = flat_button(foot, icon(QLatin1String(drawing)), name);
        b->setProperty("action", QLatin1String(action));
        row->addWidget(b);
        return b;
    };
    auto* back = button("previous-frame", tr("Previous frame"), "play.frame-back");
    play_ = button("play", {}, "play.toggle");
    auto* on = button("next-frame", tr("Next frame"), "play.frame-on");
    scrubber_ = new Scrubber(foot);
    row->addWidget(scrubber_, 1);
    frame_ = new QLabel(foot);
    frame_->setAccessibleName(tr("Frame shown")); // or a screen reader would take each new text for a new name
    frame_->setMinimumWidth(frame_->fontMetrics().horizontalAdvance(tr("frame %1/%2").arg(888).arg(888)) + 4);
    rate_ = new QLabel(foot);
    rate_->setProperty("quiet", true);
    row->addWidget(frame_);
    row->addWidget(rate_);
    loop_ = button("loop", tr("Loop"), "play.loop");
    loop_->setCheckable(true);
    loop_->setChecked(clips.loop());
    connect(back, &QToolButton::clicked, this, [this] { player().step(-1); });
    connect(on, &QToolButton::clicked, this, [this] { player().step(1); });
    connect(play_, &QToolButton::clicked, &clips, &app::GridPlayer::toggle);
    connect(loop_, &QToolButton::toggled, &clips, &app::GridPlayer::set_loop);
    connect(&clips, &app::GridPlayer::loop_changed, loop_, &QToolButton::setChecked);
    connect(scrubber_, &Scrubber::seek_requested, &clips, &app::GridPlayer::go_to);
    connect(&clips, &app::GridPlayer::frame_changed, this, &SweepView::refresh_time);
    connect(&clips, &app::GridPlayer::speed_changed, this, &SweepView::refresh_time);
    connect(&clips, &app::GridPlayer::clips_changed, this, [this] {
        // Clips are opened one by one, and playing begins with the first, unless the user has stopped it.
        if (was_playing_ && isVisible() && player().frames() > 1 && !player().playing()) {
            was_playing_ = false;
            player().play();
        }
        refresh_time();
    });
    refresh_time();
    return foot;
}

void SweepView::set_shown(bool shown) {
    sweeps_.set_watching(shown);
    if (!shown) {
        was_playing_ = player().playing() || was_playing_;
        player().pause();
    } else if (was_playing_ && player().frames() > 1) {
        was_playing_ = false;
        player().play();
    }
}

void SweepView::refresh_time() {
    auto& clips = player();
    scrubber_->set_frames(clips.frames());
    scrubber_->show_frame(clips.frame(), clips.playing());
    frame_->setText(clips.frames() > 0 ? tr("frame %1/%2").arg(clips.frame() + 1).arg(clips.frames()) : QString());
    rate_->setText(clips.rate() > 0 ? tr("%1 fps").arg(QLocale().toString(clips.rate(), 'g', 4)) : QString());
    const bool plays = clips.playing();
    play_->setIcon(icon(plays ? QStringLiteral("pause") : QStringLiteral("play")));
    set_spoken_name(*play_, plays ? tr("Pause") : tr("Play all together"));
    play_->setToolTip(play_->accessibleName());
    play_->setEnabled(clips.frames() > 1);
}

void SweepView::refresh_head() {
    stack_->setCurrentIndex(sweeps_.shown() ? 1 : 0);
    fill_earlier();
    refresh_progress();
    const QString text = reference_text();
    reference_->setText(literal(text));
    reference_->setToolTip(tr("What each clip is measured against") + QLatin1Char('\n') + text);
    reference_->setAccessibleName(tr("Reference: %1").arg(text));
    fit_head();
}

void SweepView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit_head();
}

/// Makes the head fit: in a narrow window buttons show only their icons, then the progress is cut off, and at last the
/// name of the sweep, so that the values that are shown can be read.
void SweepView::fit_head() {
    earlier_->setMinimumContentsLength(earlier_letters);
    progress_->setMinimumWidth(progress_->fontMetrics().horizontalAdvance(progress_->whole()) + 2);
    for (const auto style : {Qt::ToolButtonTextBesideIcon, Qt::ToolButtonIconOnly}) {
        for (QToolButton* button : {missing_, reference_, export_}) button->setToolButtonStyle(style);
        if (needed_width(*head_) <= width()) return;
    }
    progress_->setMinimumWidth(0);
    if (needed_width(*head_) > width()) earlier_->setMinimumContentsLength(4); // its tool tip has all of it
}

void SweepView::refresh_progress() {
    const auto progress = sweeps_.progress();
    QString text;
    if (progress.open > 0) {
        text =
            tr("clip %1 of %2").arg(std::min(progress.total, progress.total - progress.open + 1)).arg(progress.total);
        if (const QString left = app::time_left(progress.seconds_left); !left.isEmpty())
            text += QStringLiteral(" · ") + left;
    } else if (sweeps_.measuring() > 0) {
        text = tr("measuring …");
    } else if (grid_->stills() > 0) {
        text = tr("%1 play, the others stand still").arg(SweepClips::most);
    }
    progress_->set_text(text);
    const int lost = progress.missing + progress.failed;
    missing_->setVisible(lost > 0);
    leave_out(*missing_, lost == 0);
    missing_->setText(tr("Render %n missing", nullptr, lost));
    missing_->setAccessibleName(missing_->text());
    missing_->setToolTip(missing_->text());
    fit_head();
}

/// Keeps boxes whose content is the same, so that turning pages by keyboard does not lose the focus.
void SweepView::refresh_pages() {
    const GridShape& shape = grid_->shape();
    QList<std::pair<QString, QStringList>> words;
    for (int i = 0; i < shape.pages(); ++i) words.append({shape.page_title(i), shape.page_values(i)});
    if (words == page_words_) {
        for (int i = 0; i < shape.pages(); ++i) page_boxes_[i]->setCurrentIndex(shape.page(i));
        return;
    }
    page_words_ = words;
    page_boxes_.clear();
    while (QLayoutItem* item = pages_->takeAt(0)) {
        if (item->widget()) item->widget()->hide(), item->widget()->deleteLater();
        delete item;
    }
    for (int i = 0; i < shape.pages(); ++i) {
        const auto& [title, all] = words[i];
        auto* label = new QLabel(title);
        label->setProperty("quiet", true);
        auto* values = new QComboBox;
        page_boxes_ << values;
        make_narrow(values, 8);
        values->setObjectName(QStringLiteral("page-%1").arg(i));
        values->addItems(all);
        values->setCurrentIndex(shape.page(i));
        values->setAccessibleName(title);
        label->setBuddy(values);
        values->setToolTip(tr("Page Up and Page Down turn the pages"));
        connect(values, &QComboBox::activated, grid_, [this, i](int value) { grid_->set_page(i, value); });
        for (QWidget* each : {static_cast<QWidget*>(label), static_cast<QWidget*>(values)}) {
            pages_->addWidget(each);
            each->show(); // at once: the layout would do so later, and hidden widgets take no room
        }
    }
    fit_head();
}

void SweepView::fill_earlier() {
    const QSignalBlocker quiet(earlier_);
    earlier_->clear();
    const QString shown = sweeps_.shown() ? sweeps_.shown()->path() : QString();
    bool listed = false;
    for (const auto& each : sweeps_.earlier()) {
        const QString when = QLocale().toString(each.created.toLocalTime(), QLocale::ShortFormat);
        earlier_->addItem(QStringLiteral("%1 · %2").arg(when, each.title), each.path);
        earlier_->setItemData(earlier_->count() - 1,
                              each.title + QLatin1Char('\n') + tr("%1 of %2 clips").arg(each.done).arg(each.total),
                              Qt::ToolTipRole);
        listed = listed || each.path == shown;
    }
    if (!listed && !shown.isEmpty()) earlier_->insertItem(0, shown.section(QLatin1Char('/'), -1), shown);
    earlier_->setCurrentIndex(earlier_->findData(shown));
}

void SweepView::compare_selected() {
    const app::OpenSweep* sweep = sweeps_.shown();
    const auto cells = grid_->selected();
    if (!sweep || cells.isEmpty()) return say_no_clip();
    const auto other = cells.size() > 1 ? std::optional(cells[1]) : sweep->sweep().reference_of(cells[0]);
    if (!other && is_reference(*sweep, cells[0]))
        return emit said(
            tr("This clip is the reference: select a second one (Shift and an arrow, or Ctrl and click)."));
    if (!other) return emit said(tr("Select a second clip first (Shift and an arrow, or Ctrl and click)."));
    if (!sweep->has_video(cells[0]) || !sweep->has_video(*other))
        return emit said(tr("One of the two has no video yet."));
    emit compare_runs(app::to_qstring(sweep->cell(*other).run), app::to_qstring(sweep->cell(cells[0]).run));
}

QStringList SweepView::selected_runs() const {
    QStringList runs;
    const app::OpenSweep* sweep = sweeps_.shown();
    if (!sweep) return runs;
    for (const std::size_t cell : grid_->selected())
        if (sweep->has_video(cell)) runs << app::to_qstring(sweep->cell(cell).run);
    return runs;
}

void SweepView::star_current() {
    const auto cell = grid_->current();
    cell ? star(*cell) : say_no_clip();
}

void SweepView::measure_current() {
    const auto cell = grid_->current();
    cell ? measure_against(*cell) : say_no_clip();
}

void SweepView::say_no_clip() { emit said(tr("There is no clip yet: choose axes and sweep over them first.")); }

void SweepView::star(std::size_t cell) {
    const app::OpenSweep* sweep = sweeps_.shown();
    if (!sweep) return;
    if (!sweep->has_video(cell)) return emit said(tr("This clip has no video yet."));
    const QString run = app::to_qstring(sweep->cell(cell).run);
    studio_.history.set_starred(run, !studio_.history.starred(run));
    grid_->renew_star();
}

void SweepView::take_current(bool whole) {
    const auto cell = grid_->current();
    cell ? take(*cell, whole) : say_no_clip();
}

void SweepView::take(std::size_t cell, bool whole) {
    sweeps_.take_values(cell, whole);
    emit said(whole ? tr("The clip's whole request is in the parameters.")
                    : tr("The clip's values and its seed are in the parameters."));
}

void SweepView::show_menu(std::size_t cell, const QPoint& where) {
    const app::OpenSweep* sweep = sweeps_.shown();
    if (!sweep) return;
    QMenu menu(this);
    const bool video = sweep->has_video(cell);
    const auto add = [&](const char* drawing, const QString& text, const QString& keys, auto act, bool enabled = true) {
        QAction* action =
            menu.addAction(icon(QLatin1String(drawing)), keys.isEmpty() ? text : text + QLatin1Char('\t') + keys);
        action->setEnabled(enabled);
        connect(action, &QAction::triggered, this, act);
    };
    const auto keys = [this](const char* id) { // of actions that belong to the grid
        const QList<QAction*> all = grid_->actions();
        const auto found = std::ranges::find(all, QLatin1String(id), &QAction::objectName);
        return found == all.end() ? QString() : (*found)->shortcut().toString(QKeySequence::NativeText);
    };
    const auto state = sweeps_.cell(cell).state;
    using State = app::SweepDocument::State;
    if (video)
        add("eye", tr("Show"), tr("Enter"), [this, cell] { grid_->activate(cell); });
    else if (state != State::waiting && state != State::running)
        add("resume", state == State::failed ? tr("Try again") : tr("Render it"), tr("Enter"),
            [this, cell] { grid_->activate(cell); });
    add("sliders", tr("Take its values"), keys("tune.take"), [this, cell] { take(cell, false); });
    add("reset", tr("Restore its whole request"), keys("tune.take-all"), [this, cell] { take(cell, true); });
    menu.addSeparator();
    add(
        "compare", grid_->selected().size() > 1 ? tr("Compare the two") : tr("Compare with the reference"),
        keys("tune.compare"), [this] { compare_selected(); }, video);
    add("chart", tr("Measure against this one"), keys("tune.reference"), [this, cell] { measure_against(cell); });
    add(
        "star",
        video && studio_.history.starred(app::to_qstring(sweep->cell(cell).run)) ? tr("Remove star") : tr("Star"),
        keys("tune.star"), [this, cell] { star(cell); }, video);
    connect(&sweeps_, &app::SweepDocument::shown_changed, &menu, &QMenu::close); // its cell is of the sweep before
    menu.exec(where);
}

} // namespace denoir::ui
