// SPDX-License-Identifier: Apache-2.0
// What mouse and keys do in the layout Tune: axes, grid, table, plot and their menus.
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDir>
#include <QHelpEvent>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolButton>
#include <QToolTip>
#include <QTreeView>
#include <QWheelEvent>

#include "app/request/request_document.h"
#include "tests/ui/tune/sweeps.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/tune/sweep_bar.h"
#include "ui/tune/sweep_plot.h"
#include "ui/tune/sweep_table.h"

using namespace denoir;
using namespace denoir::ui;

class TuneHandsTest : public QObject {
    Q_OBJECT

    /// Seeds 1 to 4: the first is the reference, the third equals it, and the last has lost its run.
    static QString measured(const app::Home& home) {
        const QString path = made_sweep(home, "measured", {parse_axis("seed", "1..4")});
        SweepFolder folder = SweepFolder::take(app::to_path(path));
        auto& cells = folder.record().cells;
        cells[1].figures =
            SweepCell::Figures{.reference = 0, .psnr = 30, .ssim = 0.9, .worst_frame = 3, .note = "over 4 frames"};
        cells[2].figures = SweepCell::Figures{.reference = 0, .psnr = {}, .ssim = 1};
        cells[3].figures = SweepCell::Figures{.reference = 0, .psnr = 20, .ssim = 0.5, .worst_frame = 2};
        folder.save();
        std::filesystem::remove_all(cells[3].run);
        return path;
    }
    static SweepView& view_of(StudioFixture& studio) { return *studio.window().findChild<SweepView*>(); }
    static QString run_of(StudioFixture& studio, std::size_t cell) {
        return app::to_qstring(studio.core().sweeps().shown()->cell(cell).run);
    }
    static QAction* entry(const QMenu& menu, const char* text) {
        for (QAction* action : menu.actions())
            if (action->text().section(QLatin1Char('\t'), 0, 0) == QLatin1String(text)) return action;
        return nullptr;
    }
    /// Chooses an entry from the menu of a cell.
    static void choose(StudioFixture& studio, std::size_t cell, const char* text) {
        bool there = false;
        with_menu(view_of(studio), cell, [&](QMenu& menu) {
            QAction* action = entry(menu, text);
            there = action && action->isEnabled();
            if (there) action->trigger();
        });
        QVERIFY2(there, text);
    }

private slots:
    void axes_are_added_chosen_and_removed() {
        const app::Home home;
        StudioFixture studio(Layout::tune);
        load_tiny(studio);
        auto& axes = studio.core().sweeps().axes();
        axes.set_all({{"steps", "2, 3"}}, {});
        auto* add = studio.find<QToolButton>("add-axis");
        emit add->menu()->aboutToShow();
        const auto offered = [&] {
            QStringList texts;
            for (const QAction* action : add->menu()->actions()) texts << action->text();
            return texts;
        };
        QVERIFY2(!offered().contains("steps"), qPrintable(offered().join('|'))); // that axis exists already
        QVERIFY2(offered().contains("guidance"), qPrintable(offered().join('|')));
        studio.have_focus();
        entry(*add->menu(), "guidance")->trigger();
        QCOMPARE(axes.axes().size(), 2);
        QCOMPARE(axes.axes()[1].field, QString("guidance"));
        auto* values = &view_of(studio).bar().chips()[1]->values();
        QTRY_VERIFY(values->hasFocus());
        QVERIFY(!values->text().isEmpty());
        QCOMPARE(values->selectedText(), values->text());
        const int before = int(offered().size());
        emit add->menu()->aboutToShow();
        QCOMPARE(offered().size(), before - 1);
        // Another field brings its own values, and choosing the same field keeps what was written.
        auto* field = &view_of(studio).bar().chips()[0]->field();
        emit field->activated(field->findData("steps"));
        QCOMPARE(axes.axes()[0].text, QString("2, 3"));
        emit field->activated(field->findData("seed"));
        QCOMPARE(axes.axes()[0].field, QString("seed"));
        QVERIFY(axes.axes()[0].text != QString("2, 3"));
        QCOMPARE(axes.axes()[1].field, QString("guidance"));
        view_of(studio).bar().chips()[0]->away().click();
        QCOMPARE(axes.axes().size(), 1);
        QCOMPARE(axes.axes()[0].field, QString("guidance"));
        // An axis takes its own button with it. After the last one the focus goes to the button that adds an axis.
        axes.add({"seed", "1, 2"});
        view_of(studio).bar().chips()[1]->away().setFocus();
        view_of(studio).bar().chips()[1]->away().click();
        QTRY_VERIFY(add->hasFocus());
    }

    /// An export before everything is measured lacks figures, and a message says so.
    void an_export_while_clips_are_measured_tells_of_it() {
        const app::Home home;
        const QString folder = made_sweep(home, "sweep", {parse_axis("seed", "1..4")}, 400);
        StudioFixture studio(Layout::tune);
        show_sweep(studio, folder);
        QVERIFY(studio.core().sweeps().measuring() > 0);
        studio.find<QAction>("tune.export-csv")->trigger();
        QVERIFY(studio.answer_file_dialog(home.file("early.csv")));
        QVERIFY2(said(studio).contains("still being measured"), qPrintable(said(studio)));
        QTRY_VERIFY_WITH_TIMEOUT(studio.core().sweeps().measuring() == 0, 60000);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(home.file("early.csv")), 30000);
        studio.find<QAction>("tune.export-csv")->trigger();
        QVERIFY(studio.answer_file_dialog(home.file("late.csv")));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(home.file("late.csv")), 30000);
        QVERIFY2(!said(studio).contains("still being measured"), qPrintable(said(studio)));
    }

    /// Clips without a figure come last when the best come first.
    void the_table_is_sorted_by_figures() {
        const app::Home home;
        const QString folder = measured(home);
        StudioFixture studio(Layout::tune);
        show_sweep(studio, folder);
        auto* table = studio.find<QTreeView>("sweep-table");
        const auto sorted = [&](int column) {
            table->sortByColumn(0, Qt::AscendingOrder); // of two equal clips the first stays first
            table->sortByColumn(column, Qt::DescendingOrder);
            QList<int> cells;
            for (int row = 0; row < table->model()->rowCount(); ++row)
                cells << table->model()->index(row, 0).data(SweepModel::CellRole).toInt();
            return cells;
        };
        QCOMPARE(sorted(0), (QList{3, 2, 1, 0})); // by seed
        QCOMPARE(sorted(2), (QList{2, 1, 0, 3})); // by time
        QCOMPARE(sorted(3), (QList{0, 2, 1, 3})); // by PSNR: the reference, then the clip that equals it
        QCOMPARE(sorted(4), (QList{2, 1, 0, 3})); // by SSIM
        QCOMPARE(sorted(5), (QList{1, 0, 2, 3})); // by the worst frame
        table->sortByColumn(0, Qt::AscendingOrder);
        const auto text = [&](int row, int column, int role = Qt::DisplayRole) {
            return table->model()->index(row, column).data(role).toString();
        };
        QCOMPARE(text(0, 3), QString("reference"));
        QCOMPARE(text(1, 3), QString("30.0 dB"));
        QCOMPARE(text(1, 3, Qt::ToolTipRole), QString("over 4 frames"));
        QCOMPARE(text(2, 3), QString("equal"));
        QCOMPARE(text(2, 3, Qt::ToolTipRole), QString("equal"));
        QCOMPARE(text(1, 4), QString("0.9000"));
        QCOMPARE(text(1, 5), QString("4")); // frames count from 1
        QCOMPARE(text(1, 2), app::duration_text(2));
    }

    /// A point is chosen with the mouse near it or by keys in the order of seconds, and it is opened as in the grid.
    void points_of_the_plot_are_clips() {
        const app::Home home;
        const QString folder = made_sweep(home, "sweep", {parse_axis("seed", "1..4")});
        {
            SweepFolder sweep = SweepFolder::take(app::to_path(folder));
            for (std::size_t i = 1; i < 4; ++i) {
                sweep.record().cells[i].figures =
                    SweepCell::Figures{.reference = 0, .psnr = 20 + 10 * double(i % 3), .ssim = 0.9};
                sweep.record().cells[i].seconds = 10 - 2 * double(i); // the last one is the fastest
            }
            sweep.save();
        }
        StudioFixture studio(Layout::tune, Scheme::dark, {1500, 900});
        SweepGrid& grid = show_sweep(studio, folder);
        auto* plot = studio.find<SweepPlot>("sweep-plot");
        QTRY_VERIFY(plot->isVisible() && plot->points().size() == 3);
        const auto points = plot->points();
        QCOMPARE(points[0].cell, 3U);
        const auto click = [&](QPoint at, Qt::MouseButton button = Qt::LeftButton) {
            QTest::mouseClick(plot, button, {}, at);
        };
        click(plot->position(points[1]).toPoint());
        QCOMPARE(*grid.current(), points[1].cell);
        click(plot->position(points[0]).toPoint() + QPoint(4, 4));
        QCOMPARE(*grid.current(), points[0].cell);
        click(plot->position(points[2]).toPoint(), Qt::RightButton);
        QCOMPARE(*grid.current(), points[0].cell);
        plot->setFocus();
        for (const std::size_t next : {1U, 2U, 2U}) {
            QTest::keyClick(plot, Qt::Key_Right);
            QCOMPARE(*grid.current(), points[next].cell);
        }
        QTest::keyClick(plot, Qt::Key_Left);
        QCOMPARE(*grid.current(), points[1].cell);
        grid.set_current(0); // the reference is no point, so the keys begin at an end
        QTest::keyClick(plot, Qt::Key_Left);
        QCOMPARE(*grid.current(), points[2].cell);
        grid.set_current(0);
        QTest::keyClick(plot, Qt::Key_Right);
        QCOMPARE(*grid.current(), points[0].cell);
        const auto tip = [&](QPoint at) {
            QHelpEvent event(QEvent::ToolTip, at, plot->mapToGlobal(at));
            QApplication::sendEvent(plot, &event);
            return QToolTip::text();
        };
        const QString words = tip(plot->position(points[1]).toPoint());
        QVERIFY2(words.startsWith(QStringLiteral("seed %1: ").arg(points[1].cell + 1)), qPrintable(words));
        QSignalSpy opened(&view_of(studio), &SweepView::open_run);
        QTest::mouseDClick(plot, Qt::RightButton, {}, plot->position(points[1]).toPoint());
        QTest::keyClick(plot, Qt::Key_Space);
        QCOMPARE(opened.count(), 0);
        const QString first = run_of(studio, points[0].cell);
        QTest::keyClick(plot, Qt::Key_Return);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][0].toString(), first);
        studio.window().layouts().show(Layout::tune);
        QTest::keyClick(plot, Qt::Key_Enter);
        QCOMPARE(opened.count(), 2);
        QCOMPARE(opened[1][0].toString(), first);
        studio.window().layouts().show(Layout::tune);
        QTest::mouseDClick(plot, Qt::LeftButton, {}, plot->position(points[1]).toPoint());
        QCOMPARE(opened.count(), 3);
        QCOMPARE(opened[2][0].toString(), run_of(studio, points[1].cell));
    }

    /// Keys go from the end of a line to the beginning of the next, and back.
    void keys_go_through_lines() {
        const app::Home home;
        const QString folder = made_sweep(home, "sweep", {parse_axis("seed", "1..7")});
        StudioFixture studio(Layout::tune);
        SweepGrid& grid = show_sweep(studio, folder);
        QTRY_VERIFY_WITH_TIMEOUT(grid.clips().settled(), 20000);
        const auto columns = std::size_t(grid.shape().columns());
        QVERIFY(columns > 1 && columns < 7);
        grid.setFocus();
        const auto press = [&](int key, Qt::KeyboardModifiers modifiers = {}) {
            studio.key(key, modifiers);
            return *grid.current();
        };
        grid.set_current(columns - 1);
        QCOMPARE(press(Qt::Key_Right), columns);
        QCOMPARE(press(Qt::Key_Left), columns - 1);
        QCOMPARE(press(Qt::Key_Left), columns - 2);
        QCOMPARE(press(Qt::Key_Down), 2 * columns - 2);
        QCOMPARE(press(Qt::Key_Up), columns - 2);
        QCOMPARE(press(Qt::Key_End), 6U);
        QCOMPARE(press(Qt::Key_Right), 6U);
        QCOMPARE(press(Qt::Key_Home), 0U);
        QCOMPARE(press(Qt::Key_Left), 0U);
        QCOMPARE(press(Qt::Key_Up), 0U);
        QCOMPARE(grid.selected(), (QList<std::size_t>{0}));
        press(Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(grid.selected(), (QList<std::size_t>{1, 0}));
        press(Qt::Key_Right, Qt::ShiftModifier);
        press(Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(grid.selected(), (QList<std::size_t>{1, 2, 0}));
        press(Qt::Key_Right);
        QCOMPARE(grid.selected().size(), 1);
        // A press of the right button within a selection keeps it, and one outside ends it.
        QTest::mouseClick(grid.viewport(), Qt::LeftButton, Qt::ControlModifier, grid.cell_rect(0).center());
        QTest::mouseClick(grid.viewport(), Qt::RightButton, {}, grid.cell_rect(2).center());
        QCOMPARE(grid.selected(), (QList<std::size_t>{0, 2}));
        QTest::mouseClick(grid.viewport(), Qt::RightButton, {}, grid.cell_rect(3).center());
        QCOMPARE(grid.selected(), (QList<std::size_t>{3}));
    }

    void menus_are_of_a_clip() {
        const app::Home home;
        const QString folder = made_sweep(home, "sweep", {parse_axis("seed", "1..3")});
        StudioFixture studio(Layout::tune);
        SweepGrid& grid = show_sweep(studio, folder);
        grid.set_current(1);
        grid.disconnect(&view_of(studio)); // the real menu would wait to be closed
        QSignalSpy asked(&grid, &SweepGrid::menu_asked);
        const auto ask = [&](QContextMenuEvent::Reason reason, QPoint at) {
            QContextMenuEvent event(reason, at, grid.viewport()->mapToGlobal(at));
            QApplication::sendEvent(grid.viewport(), &event);
        };
        ask(QContextMenuEvent::Keyboard, grid.cell_rect(2).center()); // wherever the pointer is
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].value<std::size_t>(), 1U);
        QCOMPARE(asked[0][1].toPoint(), grid.viewport()->mapToGlobal(grid.cell_rect(1).center()));
        ask(QContextMenuEvent::Mouse, grid.cell_rect(2).center());
        QCOMPARE(asked.count(), 2);
        QCOMPARE(asked[1][0].value<std::size_t>(), 2U);
        ask(QContextMenuEvent::Mouse, {1, 1});
        QCOMPARE(asked.count(), 2);
    }

    /// Also if the clip is on a page that is not shown.
    void what_is_chosen_comes_into_sight() {
        const app::Home home;
        const QString folder = made_sweep(
            home, "sweep", {parse_axis("steps", "2, 3"), parse_axis("guidance", "1, 3"), parse_axis("seed", "1..3")});
        StudioFixture studio(Layout::tune);
        SweepGrid& grid = show_sweep(studio, folder);
        QTRY_VERIFY_WITH_TIMEOUT(grid.clips().settled(), 20000);
        const std::size_t last = studio.core().sweeps().shown()->size() - 1;
        QVERIFY(grid.cell_rect(last).isEmpty());
        grid.set_current(last);
        QCOMPARE(grid.shape().page(0), 2);
        QCOMPARE(studio.find<QComboBox>("page-0")->currentIndex(), 2);
        QVERIFY(!grid.cell_rect(last).isEmpty());
        const auto inside = [&](std::size_t cell) { return grid.viewport()->rect().contains(grid.cell_rect(cell)); };
        // With two axes a row is no line of text, so keys stop at its end.
        const std::size_t end = *grid.shape().cell(0, 1);
        grid.set_current(end);
        grid.setFocus();
        studio.key(Qt::Key_Right);
        QCOMPARE(*grid.current(), end);
        grid.zoom(1.5);
        const std::size_t first = *grid.shape().cell(0, 0);
        grid.set_current(first);
        QVERIFY(inside(first) && !inside(last));
        grid.set_current(last);
        QVERIFY(inside(last) && !inside(first));
        grid.set_current(first);
        QVERIFY(inside(first));
        const int before = grid.verticalScrollBar()->value();
        const QPointF at = grid.viewport()->rect().center();
        QWheelEvent wheel(at, grid.mapToGlobal(at), {}, {0, -240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(grid.viewport(), &wheel);
        QVERIFY(grid.verticalScrollBar()->value() > before);
    }

    /// It takes only the values and the seed, or the whole request.
    void the_menu_takes_values() {
        const app::Home home;
        const QString folder = made_sweep(home, "sweep", {parse_axis("steps", "2, 5")});
        StudioFixture studio(Layout::tune);
        load_tiny(studio);
        show_sweep(studio, folder);
        auto& document = studio.core().document;
        document.set_values({{"prompt", "A fox."}, {"seed", 1}}, "others");
        choose(studio, 1, "Take its values");
        QCOMPARE(document.value("steps").toInt(), 5);
        QCOMPARE(document.value("seed").toInt(), 7);
        QCOMPARE(document.value("prompt").toString(), QString("A fox."));
        QVERIFY2(said(studio).contains("values"), qPrintable(said(studio)));
        choose(studio, 0, "Restore its whole request");
        QCOMPARE(document.value("steps").toInt(), 2);
        QCOMPARE(document.value("prompt").toString(), QString("A red balloon."));
        QVERIFY2(said(studio).contains("whole request"), qPrintable(said(studio)));
    }

    void the_menu_shows_and_compares() {
        const app::Home home;
        const QString folder = made_sweep(home, "sweep", {parse_axis("seed", "1..3")});
        StudioFixture studio(Layout::tune);
        SweepGrid& grid = show_sweep(studio, folder);
        QSignalSpy compared(&view_of(studio), &SweepView::compare_runs), opened(&view_of(studio), &SweepView::open_run);
        grid.set_current(0);
        choose(studio, 0, "Compare with the reference");
        QCOMPARE(compared.count(), 0); // it is the reference itself
        QVERIFY2(said(studio).contains("is the reference"), qPrintable(said(studio)));
        grid.set_current(2);
        choose(studio, 2, "Compare with the reference");
        QCOMPARE(compared.count(), 1);
        QCOMPARE(compared[0], (QVariantList{run_of(studio, 0), run_of(studio, 2)})); // compared with the reference
        studio.window().layouts().show(Layout::tune);
        choose(studio, 1, "Measure against this one");
        QCOMPARE(*studio.core().sweeps().shown()->sweep().reference[0], 1U);
        auto* reference = studio.find<QToolButton>("reference");
        QCOMPARE(reference->text(), QString("measured against seed 2"));
        emit reference->menu()->aboutToShow();
        entry(*reference->menu(), "Nothing")->trigger();
        QVERIFY(!studio.core().sweeps().shown()->sweep().reference[0]);
        QCOMPARE(reference->text(), QString("nothing measured"));
        choose(studio, 1, "Compare with the reference");
        QVERIFY2(said(studio).contains("Select a second clip"), qPrintable(said(studio)));
        choose(studio, 2, "Show");
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][0].toString(), run_of(studio, 2));
        QCOMPARE(studio.window().layouts().current(), Layout::create);
    }

    /// A clip whose run is gone is rendered again when it is opened.
    void what_is_missing_is_rendered_by_its_menu() {
        const app::Home home;
        const QString folder = made_sweep(home, "sweep", {parse_axis("steps", "2, 3")});
        std::filesystem::remove_all(SweepFolder::take(app::to_path(folder)).record().cells[1].run);
        StudioFixture studio(Layout::tune);
        auto& core = studio.core();
        core.queue.set_paused(true);
        show_sweep(studio, folder);
        with_menu(view_of(studio), 1, [](QMenu& menu) {
            QVERIFY(!entry(menu, "Show") && entry(menu, "Render it"));
            QVERIFY(!entry(menu, "Star")->isEnabled());
        });
        QSignalSpy compared(&view_of(studio), &SweepView::compare_runs);
        for (const std::size_t first : {0U, 1U}) { // whichever of the two it is
            view_of(studio).grid().set_current(first);
            view_of(studio).grid().set_current(1 - first, true);
            view_of(studio).compare_selected();
            QVERIFY2(said(studio).contains("has no video yet"), qPrintable(said(studio)));
        }
        QCOMPARE(compared.count(), 0);
        choose(studio, 1, "Render it");
        using State = app::SweepDocument::State;
        QTRY_COMPARE_WITH_TIMEOUT(core.sweeps().cell(1).state, State::waiting, 30000);
        QCOMPARE(core.queue.rowCount(), 1);
        with_menu(view_of(studio), 1, [](QMenu& menu) { // it waits in the queue
            QVERIFY(!entry(menu, "Show") && !entry(menu, "Render it") && !entry(menu, "Try again"));
        });
    }

    void frames_are_stepped_by_buttons() {
        const app::Home home;
        const QString folder = made_sweep(home, "sweep", {parse_axis("seed", "1, 2")});
        StudioFixture studio(Layout::tune);
        show_sweep(studio, folder);
        auto& player = view_of(studio).player();
        QTRY_VERIFY_WITH_TIMEOUT(player.playing(), 20000);
        player.pause();
        player.go_to(0);
        const auto press = [&](const char* name) {
            for (auto* button : view_of(studio).findChildren<QToolButton*>())
                if (button->accessibleName() == QLatin1String(name)) button->click();
            return player.frame();
        };
        QCOMPARE(press("Next frame"), 1);
        QCOMPARE(press("Next frame"), 2);
        QCOMPARE(press("Previous frame"), 1);
    }

    /// Each axis has a menu of its values. "Each clip's own" leaves this axis out and changes no other.
    void the_reference_is_chosen_axis_by_axis() {
        const app::Home home;
        const QString folder = made_sweep(home, "sweep", {parse_axis("steps", "2, 3"), parse_axis("seed", "5..7")});
        StudioFixture studio(Layout::tune);
        show_sweep(studio, folder);
        using Reference = std::vector<std::optional<std::size_t>>;
        const auto reference = [&] { return studio.core().sweeps().shown()->sweep().reference; };
        QCOMPARE(reference(), (Reference{0, 0}));
        auto* button = studio.find<QToolButton>("reference");
        /// Returns the values of an axis with the chosen one in brackets, and then chooses `text`.
        const auto choose = [&](const char* axis, const char* text) {
            QStringList values;
            emit button->menu()->aboutToShow();
            const QAction* of_axis = entry(*button->menu(), axis);
            const auto actions = of_axis && of_axis->menu() ? of_axis->menu()->actions() : QList<QAction*>();
            for (const QAction* each : actions)
                values << (each->isChecked() ? QStringLiteral("[%1]").arg(each->text()) : each->text());
            for (QAction* each : actions)
                if (each->text() == QLatin1String(text)) return each->trigger(), values;
            return QStringList();
        };
        QCOMPARE(choose("seed", "7"), (QStringList{"each clip's own", "[5]", "6", "7"}));
        QCOMPARE(reference(), (Reference{0, 2}));
        QCOMPARE(choose("steps", "each clip's own"), (QStringList{"each clip's own", "[2]", "3"}));
        QCOMPARE(reference(), (Reference{{}, 2}));
        QCOMPARE(button->text(), QString("measured against seed 7"));
        QCOMPARE(choose("seed", "6"), (QStringList{"each clip's own", "5", "6", "[7]"}));
        QCOMPARE(reference(), (Reference{{}, 1}));
        QCOMPARE(choose("steps", "3"), (QStringList{"[each clip's own]", "2", "3"}));
        QCOMPARE(reference(), (Reference{1, 1}));
        QCOMPARE(button->text(), QString("measured against steps 3, seed 6"));
        // The same menu makes one clip the reference of all.
        view_of(studio).grid().set_current(2);
        emit button->menu()->aboutToShow();
        entry(*button->menu(), "Only the selected clip")->trigger();
        QCOMPARE(reference(), (Reference{0, 2}));
    }

    /// The list shows the newest sweeps first, by their axes. Its box names the one that is shown, and choosing another
    /// opens that.
    void earlier_sweeps_are_opened_from_their_list() {
        const app::Home home;
        QVERIFY(QDir().mkpath(home.data("sweeps")));
        const QString first = made_sweep(home, "data/sweeps/first", {parse_axis("steps", "2, 3")}, 5),
                      second = made_sweep(home, "data/sweeps/second", {parse_axis("seed", "1..3")}),
                      elsewhere = made_sweep(home, "elsewhere", {parse_axis("guidance", "1, 2")}, 6);
        for (const auto& [sweep, when] :
             {std::pair{first, "2026-01-02T03:04:05.006Z"}, {second, "2026-02-03T04:05:06.007Z"}}) {
            SweepFolder folder = SweepFolder::take(app::to_path(sweep));
            folder.record().created = when;
            if (sweep == second) folder.record().cells[1].state = SweepCell::State::waiting;
            folder.save();
        }
        StudioFixture studio(Layout::tune);
        auto& sweeps = studio.core().sweeps();
        show_sweep(studio, second);
        auto* list = studio.find<QComboBox>("earlier-sweeps");
        QTRY_COMPARE_WITH_TIMEOUT(list->count(), 2, 30000);
        const auto listed = [&] {
            QStringList titles;
            for (int i = 0; i < list->count(); ++i) titles << list->itemText(i).section(QString::fromUtf8(" · "), -1);
            return titles;
        };
        const QStringList both{"seed 1, 2, 3", "steps 2, 3"};
        QCOMPARE(listed(), both);
        QCOMPARE(list->currentIndex(), 0);
        QCOMPARE(list->itemData(0, Qt::ToolTipRole).toString(), QString("seed 1, 2, 3\n2 of 3 clips"));
        QCOMPARE(list->itemData(1, Qt::ToolTipRole).toString(), QString("steps 2, 3\n2 of 2 clips"));
        list->setFocus();
        studio.key(Qt::Key_Down);
        QTRY_COMPARE_WITH_TIMEOUT(sweeps.shown()->path(), app::real_path(first), 20000);
        QCOMPARE(list->currentIndex(), 1);
        QCOMPARE(listed(), both);
        // A sweep from another folder is in the list while it is shown.
        show_sweep(studio, elsewhere);
        QCOMPARE(listed(), QStringList{"elsewhere"} + both);
        QCOMPARE(list->currentIndex(), 0);
        studio.key(Qt::Key_Down);
        QTRY_COMPARE_WITH_TIMEOUT(sweeps.shown()->path(), app::real_path(second), 20000);
        QCOMPARE(listed(), both);
        QCOMPARE(list->currentIndex(), 0);
    }
};

int main(int argc, char** argv) { return run_window_test<TuneHandsTest>(argc, argv); }

#include "tune_hands_test.moc"
