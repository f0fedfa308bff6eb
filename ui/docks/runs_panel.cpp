// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs_panel.h"

#include <QApplication>
#include <QDesktopServices>
#include <QDrag>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QSet>
#include <QShortcut>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/clips/thumbnails.h"
#include "app/project/project.h"
#include "app/request/request_document.h"
#include "app/runs/engine_worker.h"
#include "app/runs/run_history.h"
#include "app/studio.h"
#include "engine/core/error.h"
#include "engine/session/run_folder.h"
#include "ui/docks/offer_runs.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/escape.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/spoken_rows.h"
#include "ui/widgets/tool_button.h"

namespace denoir::ui {

using Role = app::RunHistory::Role;
using Standing = app::RunStanding;

namespace {

/// Whether a run ended before its video was done.
bool can_resume(const QModelIndex& run) {
    const Standing standing = app::RunHistory::standing(run);
    return standing == Standing::interrupted || standing == Standing::cancelled || standing == Standing::failed;
}

} // namespace

RunsView::RunsView(QWidget* parent) : QListView(parent) {
    setMouseTracking(true);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setUniformItemSizes(true);
    setDragEnabled(true);
    setDragDropMode(QAbstractItemView::DragOnly);
    setContextMenuPolicy(Qt::CustomContextMenu);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
}

/// Leaves no row current if none was: QListView makes its first row current when it gets the focus, and keys and menus
/// would act on that instead of on the run that is shown.
void RunsView::focusInEvent(QFocusEvent* event) {
    const bool chosen = currentIndex().isValid();
    QListView::focusInEvent(event);
    if (!chosen) selectionModel()->clearCurrentIndex();
}

void RunsView::mousePressEvent(QMouseEvent* event) {
    const QModelIndex index = indexAt(event->pos());
    on_star_ = index.isValid() && event->button() == Qt::LeftButton &&
               RunDelegate::star_rect(visualRect(index)).contains(event->pos());
    on_star_ ? emit star_clicked(index) : QListView::mousePressEvent(event);
}

/// QListView must not get the release after a press on a star, which it would take for a click on the row that was
/// pressed before.
void RunsView::mouseReleaseEvent(QMouseEvent* event) {
    if (!std::exchange(on_star_, false)) QListView::mouseReleaseEvent(event);
}

void RunsView::mouseDoubleClickEvent(QMouseEvent* event) {
    const QModelIndex index = indexAt(event->pos());
    if (index.isValid() && RunDelegate::star_rect(visualRect(index)).contains(event->pos()))
        return mousePressEvent(event);
    QListView::mouseDoubleClickEvent(event);
}

void RunsView::mouseMoveEvent(QMouseEvent* event) {
    emit hovered(event->buttons() ? QModelIndex() : indexAt(event->pos()));
    if (!on_star_) QListView::mouseMoveEvent(event); // it would begin a drag whose end it would not get
}

void RunsView::leaveEvent(QEvent* event) {
    emit hovered({});
    QListView::leaveEvent(event);
}

void RunsView::startDrag(Qt::DropActions) {
    QModelIndexList rows = selectedIndexes();
    std::sort(rows.begin(), rows.end()); // into the order of the list, from that of selecting
    // Dragged as folders, which preview, timeline and other programs understand.
    QList<QUrl> urls;
    for (const QModelIndex& index : rows) urls.append(QUrl::fromLocalFile(index.data(Role::PathRole).toString()));
    if (urls.isEmpty()) return;
    auto* drag = new QDrag(this);
    auto* mime = new QMimeData;
    mime->setUrls(urls);
    drag->setMimeData(mime);
    drag->exec(Qt::CopyAction);
}

RunsPanel::RunsPanel(Studio& studio, QWidget* parent)
    : QWidget(parent),
      studio_(studio),
      search_(new QLineEdit(this)),
      starred_(new QToolButton(this)),
      list_(new RunsView(this)),
      delegate_(new RunDelegate(studio, list_)),
      stack_(new QStackedWidget(this)),
      empty_(new EmptyState(QStringLiteral("history"), {}, this)),
      disk_(new QLabel(this)),
      search_later_(new QTimer(this)),
      player_(new QTimer(this)) {
    auto* column = make_layout<QVBoxLayout>(this, 0);
    column->addLayout(make_search());
    column->addWidget(make_list(), 1);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(grid::unit, 2, grid::unit, grid::half);
    disk_->setProperty("quiet", true);
    foot->addWidget(disk_, 1);
    column->addLayout(foot);
    connect_list();
    connect_history();
    refresh();
}

/// Makes the search, which filters while the user types, but not at every letter, as there may be thousands of runs.
QLayout* RunsPanel::make_search() {
    search_->setObjectName(QStringLiteral("runs-search"));
    search_->setPlaceholderText(tr("Search prompts and parameters"));
    search_->setToolTip(tr("Words, or fields: seed:7 steps:20 size:256x144 mode:i2v state:done"));
    search_->setAccessibleName(search_->placeholderText());
    search_->setClearButtonEnabled(true);
    escape_clears(*search_);
    starred_->setObjectName(QStringLiteral("runs-starred"));
    starred_->setCheckable(true);
    set_drawing(*starred_, icon(QStringLiteral("star"), QStringLiteral("star-on")), tr("Starred runs only"));
    auto* row = make_layout<QHBoxLayout>(nullptr, grid::half, {grid::unit, 2, grid::half, grid::half});
    row->addWidget(search_, 1);
    row->addWidget(starred_);
    search_later_->setSingleShot(true);
    search_later_->setInterval(60);
    connect(search_, &QLineEdit::textChanged, search_later_, qOverload<>(&QTimer::start));
    connect(search_later_, &QTimer::timeout, this, [this] {
        studio_.history.set_search(search_->text());
        refresh();
    });
    connect(starred_, &QToolButton::toggled, this, [this](bool on) {
        studio_.history.set_starred_only(on);
        refresh();
    });
    return row;
}

QWidget* RunsPanel::make_list() {
    list_->setObjectName(QStringLiteral("runs"));
    list_->setAccessibleName(tr("Runs"));
    list_->setModel(new SpokenRows(
        studio_.history, [this](const QModelIndex& run) { return delegate_->words(run); }, list_));
    list_->setItemDelegate(delegate_);
    stack_->addWidget(empty_);
    stack_->addWidget(list_);
    return stack_;
}

void RunsPanel::connect_list() {
    connect(list_, &QListView::activated, this,
            [this](const QModelIndex& index) { emit open_run(index.data(Role::PathRole).toString()); });
    connect(list_, &QListView::clicked, this, [this](const QModelIndex& index) {
        if (!(QApplication::keyboardModifiers() & (Qt::ControlModifier | Qt::ShiftModifier)))
            emit open_run(index.data(Role::PathRole).toString());
    });
    connect(list_, &RunsView::star_clicked, this, [this](const QModelIndex& index) {
        list_->model()->setData(index, !index.data(Role::StarredRole).toBool(), Role::StarredRole);
    });
    connect(list_, &RunsView::hovered, this, &RunsPanel::play_under_pointer);
    connect(list_, &QListView::customContextMenuRequested, this, &RunsPanel::show_menu);
    player_->setInterval(1000 / 12); // fast enough to see motion in the clip under the pointer
    connect(player_, &QTimer::timeout, this, [this] {
        delegate_->set_playing(playing_, ++tick_);
        if (playing_.isValid()) list_->update(playing_);
    });
    auto* away = new QShortcut(Qt::Key_Delete, list_, nullptr, nullptr, Qt::WidgetShortcut);
    connect(away, &QShortcut::activated, this, &RunsPanel::remove_selected);
    connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this, &RunsPanel::mind_current);
}

void RunsPanel::connect_history() {
    connect(&studio_.thumbnails, &app::Thumbnails::ready, list_->viewport(), qOverload<>(&QWidget::update));
    connect(&studio_.core, &app::Studio::over_limit_changed, this, &RunsPanel::refresh); // shows disk use and its limit
    connect(&studio_.history, &app::RunHistory::scanned, this, &RunsPanel::refresh);
    connect(&studio_.history, &app::RunHistory::restored, this, [this](const QStringList& runs) { back_ = runs; });
    connect(&studio_.history, &app::RunHistory::read_again, this, [this](const QStringList& runs) {
        if (runs == back_) select_back(); // or others have been restored since
    });
    for (auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(&studio_.history, signal, this, &RunsPanel::refresh);
    connect(&studio_.history, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
        selected_before_ = selected();
        current_before_ = current();
    });
    connect(&studio_.history, &QAbstractItemModel::modelReset, this, [this] {
        select_as_before();
        refresh();
    });
    connect(&studio_.history, &QAbstractItemModel::dataChanged, this, &RunsPanel::mind_current);
}

void RunsPanel::mind_current() {
    const bool now = can_resume(list_->currentIndex());
    if (std::exchange(resumable_, now) != now) emit resumable_changed(now);
}

void RunsPanel::refresh() {
    mind_current();
    const bool any = studio_.history.rowCount() > 0;
    stack_->setCurrentIndex(any ? 1 : 0);
    if (!any) {
        const bool searched = !studio_.history.search().trimmed().isEmpty();
        if (studio_.history.total() > 0 && starred_->isChecked())
            empty_->set_text(searched ? tr("No run with a star matches this search.")
                                      : tr("No run has a star yet. Show all runs and click the star of one."));
        else if (studio_.history.total() > 0)
            empty_->set_text(tr("No run matches this search."));
        else
            empty_->set_text(tr("Every run is kept here: its picture, its parameters, each of its steps. Press "
                                "Generate for the first."));
    }
    // If the selected runs are no longer listed, selects the run that is seen, on which keys and menus act now.
    if (const QString run = seen(); !run.isEmpty() && !list_->selectionModel()->hasSelection()) select(run);
    const quint64 limit = quint64(studio_.settings.history_bytes());
    const QString use = app::bytes_text(double(studio_.history.bytes()));
    const QString all = tr("%n run(s)", nullptr, studio_.history.total());
    const bool filtered = studio_.history.rowCount() != studio_.history.total();
    const QString count = filtered ? tr("%1 of %2").arg(studio_.history.rowCount()).arg(all) : all;
    disk_->setText(limit > 0 ? tr("%1 · %2 of %3").arg(count, use, app::bytes_text(double(limit)))
                             : tr("%1 · %2").arg(count, use));
    disk_->setToolTip(
        tr("Disk use of all runs. Over the limit, latents of unstarred old runs go first, after asking once."));
}

/// Selects again what is still listed, after the history has reset its model as many rows changed.
void RunsPanel::select_as_before() {
    const QSet<QString> before(selected_before_.begin(), selected_before_.end());
    const QAbstractItemModel& rows = *list_->model();
    QItemSelection same;
    QModelIndex current;
    const int count = before.isEmpty() ? 0 : rows.rowCount();
    for (int row = 0; row < count; ++row) {
        const QModelIndex index = rows.index(row, 0);
        const QString run = index.data(Role::PathRole).toString();
        if (run == current_before_) current = index;
        if (before.contains(run)) same.append(QItemSelectionRange(index));
    }
    if (current.isValid()) list_->selectionModel()->setCurrentIndex(current, QItemSelectionModel::NoUpdate);
    list_->selectionModel()->select(same, QItemSelectionModel::ClearAndSelect);
}

/// Selects restored runs and scrolls to them, unless several others are selected by now.
void RunsPanel::select_back() {
    QItemSelection rows;
    QModelIndex first;
    for (const QString& run : std::exchange(back_, {}))
        if (const QModelIndex index = index_of(run);
            index.isValid()) { // the search may hide it, or it is no run any more
            rows.append(QItemSelectionRange(index));
            if (!first.isValid() || index.row() < first.row()) first = index;
        }
    if (!first.isValid() || selected().size() > 1) return;
    list_->selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
    list_->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    list_->scrollTo(first);
}

QStringList RunsPanel::selected() const {
    QStringList runs;
    QModelIndexList rows = list_->selectionModel()->selectedIndexes();
    std::sort(rows.begin(), rows.end());
    for (const QModelIndex& index : rows) runs.append(index.data(Role::PathRole).toString());
    return runs;
}

QString RunsPanel::seen() const { return seen_ ? seen_() : QString(); }

QString RunsPanel::current() const { return list_->currentIndex().data(Role::PathRole).toString(); }

bool RunsPanel::resumable() const { return resumable_; }

bool RunsPanel::lists(const QString& run) const { return index_of(run).isValid(); }

void RunsPanel::select(const QString& run) {
    const QModelIndex index = index_of(run);
    if (!index.isValid()) return list_->selectionModel()->clear();
    // The view's own function would add to the selection while Ctrl is held down, as it is for Ctrl+Enter.
    list_->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    list_->scrollTo(index);
}

bool RunsPanel::has_open_menu() const {
    for (const QObject* menu = QApplication::activePopupWidget(); menu; menu = menu->parent())
        if (menu == this) return true;
    return false;
}

bool RunsPanel::is_choosing() const {
    return has_open_menu() || list_->selectionModel()->selectedIndexes().size() > 1 ||
           (list_->hasFocus() && current() != seen());
}

void RunsPanel::set_sides(const QString& a, const QString& b) {
    delegate_->set_sides(a, b);
    list_->viewport()->update();
}

void RunsPanel::focus_search() {
    search_->setFocus(Qt::ShortcutFocusReason);
    search_->selectAll();
}

/// The run that keys and menus act on: the current one or, if there is none, the one that is seen, which need not be in
/// the history. If there is none either, says so and returns an empty text.
QString RunsPanel::meant() {
    const QString run = current().isEmpty() ? seen() : current();
    if (run.isEmpty()) emit said(tr("Select a run in the list first."));
    return run;
}

/// The selected runs or, if there are none, the one that is seen if the history has it. If there is none either, says
/// so and returns an empty list.
QStringList RunsPanel::meant_of_list() {
    QStringList runs = selected();
    if (runs.isEmpty()) runs = {meant()};
    runs.removeAll(QString());
    if (runs.isEmpty()) return {};
    runs.removeIf([this](const QString& run) { return !studio_.history.contains(run); });
    if (runs.isEmpty())
        emit said(tr("The run that is shown is not in the list: it cannot be starred, renamed or deleted."));
    return runs;
}

QModelIndex RunsPanel::index_of(const QString& run) const {
    const int row = studio_.history.row_of(run);
    return row < 0 ? QModelIndex() : list_->model()->index(row, 0);
}

void RunsPanel::toggle_star() {
    const QStringList runs = meant_of_list();
    if (!runs.isEmpty()) star(runs, !studio_.history.starred(runs.constFirst()));
}

void RunsPanel::star(const QStringList& runs, bool on) {
    for (const QString& run : runs) studio_.history.set_starred(run, on);
}

void RunsPanel::restore_parameters() { restore(meant()); }

void RunsPanel::restore(const QString& run) {
    if (run.isEmpty()) return;
    studio_.core.inputs.put(
        this, [run] { return app::RunHistory::record(run).request; },
        [this, run](const Request& request) {
            const int step = studio_.project.step();
            studio_.document.restore_made(request, tr("Restore parameters"),
                                          index_of(run).data(Role::TemplateRole).toString());
            if (studio_.project.step() == step) emit said(tr("The parameters are already those of the run."));
        });
}

void RunsPanel::remove_selected() { remove(meant_of_list()); }

void RunsPanel::remove(const QStringList& runs) {
    if (runs.isEmpty()) return;
    (void)studio_.history.remove(runs); // RunHistory::issue() gives other reasons why a run stays
    if (std::any_of(runs.begin(), runs.end(), [](const QString& run) { return RunFolder::busy(app::to_path(run)); }))
        emit said(tr("A run at work cannot be deleted; stop it first."));
}

void RunsPanel::undo_remove() {
    if (!studio_.history.can_restore()) return emit said(tr("There is no deleted run to bring back."));
    studio_.history.restore();
}

void RunsPanel::reveal() { show_folder(meant()); }

void RunsPanel::show_folder(const QString& run) {
    if (run.isEmpty()) return;
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(run)))
        emit said(tr("No file manager answers. The run is at %1").arg(run));
}

void RunsPanel::verify() { verify_run(meant()); }

void RunsPanel::verify_run(const QString& run) {
    if (run.isEmpty()) return;
    const QModelIndex at = index_of(run);
    if (!at.isValid()) return emit verifying(studio_.worker.verify(run), run, QFileInfo(run).fileName());
    const QString given = at.data(Role::NameRole).toString();
    const QString prompt = app::shortened(at.data(Role::PromptRole).toString().simplified(), 40);
    emit verifying(studio_.worker.verify(run), run,
                   given.isEmpty() ? tr("%1 · seed %2").arg(prompt, at.data(Role::SeedRole).toString())
                                   : app::shortened(given, 60));
}

void RunsPanel::rename() {
    const QModelIndex run = list_->currentIndex();
    if (run.isValid()) return edit(run);
    // The run is not in the list, or the search hides it.
    if (!meant_of_list().isEmpty()) emit said(tr("Select a run in the list first."));
}

void RunsPanel::edit(const QModelIndex& run) {
    list_->scrollTo(run);
    list_->edit(run);
}

void RunsPanel::resume() {
    if (resumable_) emit resume_run(current());
}

void RunsPanel::play_under_pointer(const QModelIndex& index) {
    if (playing_ == index) return;
    playing_ = index;
    tick_ = 0;
    delegate_->set_playing(playing_, 0);
    if (index.isValid())
        player_->start();
    else
        player_->stop();
    list_->viewport()->update();
}

void RunsPanel::show_menu(const QPoint& at) {
    const QModelIndex index = list_->indexAt(at);
    if (!index.isValid()) return;
    const QString run = index.data(Role::PathRole).toString();
    QStringList runs = selected();
    if (!runs.contains(run)) runs = {run};
    // When an entry of the menu is chosen, other runs may be selected, and these may have been deleted.
    const auto there = [this](const QStringList& all, auto act) {
        return [this, all, act] {
            QStringList left = all;
            left.removeIf([this](const QString& one) { return !studio_.history.contains(one); });
            left.isEmpty() ? emit said(tr("The run was deleted meanwhile.")) : act(left);
        };
    };
    QMenu menu(this);
    menu.addAction(icon(QStringLiteral("play")), tr("Show"), this, [this, run] { emit open_run(run); });
    if (runs.size() == 2) {
        menu.addAction(icon(QStringLiteral("compare")), tr("Compare the two"), this,
                       [this, runs] { emit compare_runs(runs[0], runs[1]); });
        menu.addAction(icon(QStringLiteral("sliders")), tr("Compare the two layer by layer"), this,
                       [this, runs] { emit compare_layers(runs[0], runs[1]); });
    } else {
        menu.addAction(icon(QStringLiteral("compare")), tr("Compare with what is shown"), this,
                       [this, run] { emit compare_runs({}, run); });
        auto* with = menu.addMenu(icon(QStringLiteral("compare")), tr("Compare with …"));
        offer_runs(*with, studio_, run, this, [this, run](const QString& other) { emit compare_runs(run, other); });
    }
    menu.addAction(icon(QStringLiteral("reset")), tr("Restore parameters"), this, [this, run] { restore(run); });
    if (can_resume(index))
        menu.addAction(icon(QStringLiteral("resume")), tr("Resume"), this, [this, run] { emit resume_run(run); });
    if (app::RunHistory::standing(index) == Standing::failed)
        menu.addAction(icon(QStringLiteral("log")), tr("Details"), this, [this, run] { emit details_asked(run); });
    menu.addSeparator();
    const bool starred = studio_.history.starred(runs.constFirst());
    menu.addAction(icon(QStringLiteral("star")), starred ? tr("Remove star") : tr("Star"), this,
                   there(runs, [this, starred](const QStringList& left) { star(left, !starred); }));
    menu.addAction(icon(QStringLiteral("edit")), tr("Name …"), this,
                   there({run}, [this, run](auto&) { edit(index_of(run)); }));
    menu.addAction(icon(QStringLiteral("timeline")), tr("Add to the timeline"), this,
                   [this, runs] { emit add_to_timeline(runs); });
    menu.addAction(icon(QStringLiteral("folder")), tr("Reveal in folder"), this, [this, run] { show_folder(run); });
    menu.addAction(icon(QStringLiteral("verify")), tr("Verify: render again and compare"), this,
                   [this, run] { verify_run(run); });
    menu.addSeparator();
    menu.addAction(icon(QStringLiteral("trash")), tr("Delete"), this,
                   there(runs, [this](const QStringList& left) { remove(left); }));
    menu.exec(list_->viewport()->mapToGlobal(at));
}

} // namespace denoir::ui
