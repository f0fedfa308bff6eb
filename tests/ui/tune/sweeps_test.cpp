// SPDX-License-Identifier: Apache-2.0
// The layout Tune with sweeps that are there: nothing is rendered.
#include <QAbstractItemModel>
#include <QComboBox>
#include <QDockWidget>
#include <QFontMetrics>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScopeGuard>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeView>
#include <QWheelEvent>
#include <algorithm>

#include "app/base/folder.h"
#include "engine/core/atomic_file.h"
#include "tests/ui/painted_words.h"
#include "tests/ui/tune/sweeps.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/theme/colours.h"
#include "ui/tune/cell_text.h"
#include "ui/tune/sweep_plot.h"
#include "ui/tune/sweep_table.h"
#include "ui/widgets/elided_label.h"

using namespace denoir;
using namespace denoir::ui;

/// Counts how often a scroll bar appears, and stops it if it would go on forever.
struct ShowCount : QObject {
    static constexpr int most = 50;
    explicit ShowCount(QScrollBar& bar) : bar_(bar) { bar.installEventFilter(this); }
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::Show && ++count == most)
            qobject_cast<QAbstractScrollArea*>(bar_.parent()->parent())
                ->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        return false;
    }
    int count = 0;

private:
    QScrollBar& bar_;
};

class SweepsTest : public QObject {
    Q_OBJECT
private slots:
    /// From the first moment on, the grid, the table and the plot must have the same current clip.
    void a_sweep_that_comes_has_one_current_clip() {
        const app::Home home;
        const QString first = made_sweep(home, "first", {parse_axis("seed", "1..3")}),
                      second = made_sweep(home, "second", {parse_axis("steps", "2, 3")}, 5);
        StudioFixture studio(Layout::tune);
        auto* table = studio.find<QTreeView>("sweep-table");
        const auto* plot = studio.find<SweepPlot>("sweep-plot");
        for (const QString& each : {first, second}) {
            SweepGrid& grid = show_sweep(studio, each);
            QCOMPARE(*grid.current(), 0U);
            QVERIFY(table->currentIndex().isValid());
            QCOMPARE(table->currentIndex().data(SweepModel::CellRole).toInt(), 0);
            // The reference has no figures, and the sweep before must leave none here.
            QVERIFY(plot->accessibleDescription().isEmpty());
            grid.set_current(1);
            // The figures come after the clip was chosen.
            QTRY_VERIFY_WITH_TIMEOUT(studio.core().sweeps().shown()->cell(1).figures, 30000);
            QTRY_VERIFY2(plot->accessibleDescription().contains(" dB in 2.0 s"),
                         qPrintable(plot->accessibleDescription()));
        }
    }

    /// Also if other clips are selected.
    void the_menu_means_the_clip_that_it_was_opened_on() {
        const app::Home home;
        const QString sweep = made_sweep(home, "sweep", {parse_axis("seed", "1..3")});
        const QString small = made_sweep(home, "small", {parse_axis("seed", "1, 2")}, 5);
        StudioFixture studio(Layout::tune);
        SweepGrid& grid = show_sweep(studio, sweep);
        auto& view = *studio.window().findChild<SweepView*>();
        grid.set_current(1, true); // selects it beside the first
        const auto starred = [&](std::size_t cell) {
            return studio.core().history.starred(app::to_qstring(studio.core().sweeps().shown()->cell(cell).run));
        };
        const auto star = [](QMenu& menu) {
            for (QAction* action : menu.actions())
                if (action->text().startsWith("Star")) action->trigger();
        };
        with_menu(view, 0, star);
        QVERIFY(starred(0) && !starred(1));
        // The same for a click on its star while another clip is the current one.
        QTRY_VERIFY_WITH_TIMEOUT(grid.clips().settled(), 20000); // until the cell is in its final place
        studio.click(grid.viewport(), grid.cell_rect(0).bottomRight() - QPoint(6, 6));
        QCOMPARE(*grid.current(), 0U);
        QTRY_VERIFY(!starred(0) && !starred(1)); // until the first star is stored
        QSignalSpy opened(&view, &SweepView::open_run);
        QTest::mouseDClick(grid.viewport(), Qt::LeftButton, {}, grid.cell_rect(0).bottomRight() - QPoint(6, 6));
        QCOMPARE(opened.count(), 0); // and it is no click on the clip either
        // If another sweep is shown, the menu closes.
        with_menu(view, 2, [&](QMenu& menu) {
            studio.core().sweeps().open(small);
            QTRY_COMPARE_WITH_TIMEOUT(studio.core().sweeps().shown()->size(), 2U, 20000);
            QVERIFY(!menu.isVisible());
        });
    }

    void what_was_deleted_has_no_figures() {
        const app::Home home;
        const QString folder = made_sweep(home, "sweep", {parse_axis("seed", "1..3")});
        {
            SweepFolder sweep = SweepFolder::take(app::to_path(folder));
            sweep.record().cells[2].figures =
                SweepCell::Figures{.reference = 0, .psnr = 30, .ssim = 0.9, .worst_frame = 1};
            sweep.save();
            std::filesystem::remove_all(sweep.record().cells[2].run);
        }
        StudioFixture studio(Layout::tune);
        show_sweep(studio, folder);
        const QAbstractItemModel& rows = *studio.find<QTreeView>("sweep-table")->model();
        for (int column = 2; column < rows.columnCount(); ++column) {
            QCOMPARE(rows.index(2, column).data().toString(), QString());
            QCOMPARE(rows.index(2, column).data(SweepModel::SortRole).toDouble(), -1.0);
        }
    }

    void a_page_that_is_chosen_keeps_the_focus() {
        const app::Home home;
        const QString folder = made_sweep(
            home, "sweep", {parse_axis("steps", "2, 3"), parse_axis("guidance", "1, 3"), parse_axis("seed", "1..3")});
        StudioFixture studio(Layout::tune);
        SweepGrid& grid = show_sweep(studio, folder);
        studio.find<QComboBox>("page-0")->setFocus();
        studio.key(Qt::Key_Down);
        QCOMPARE(grid.shape().page(0), 1);
        QTest::qWait(1); // until the widgets that were replaced are deleted
        QVERIFY(studio.find<QComboBox>("page-0")->hasFocus());
        studio.key(Qt::Key_Down);
        QCOMPARE(grid.shape().page(0), 2);
        grid.set_page(0, 0);
        QCOMPARE(studio.find<QComboBox>("page-0")->currentIndex(), 0);
    }

    void the_button_says_what_it_does() {
        const app::Home home;
        const QString folder = made_sweep(home, "sweep", {parse_axis("seed", "1..3")});
        StudioFixture studio(Layout::tune);
        show_sweep(studio, folder);
        auto& view = *studio.window().findChild<SweepView*>();
        QTRY_VERIFY_WITH_TIMEOUT(view.player().playing(), 20000);
        const auto named = [&](const char* name) {
            const auto all = view.findChildren<QToolButton*>();
            return std::any_of(all.begin(), all.end(),
                               [&](const QToolButton* b) { return b->accessibleName() == QLatin1String(name); });
        };
        QVERIFY(named("Pause") && !named("Play all together"));
        view.player().pause();
        QVERIFY(!named("Pause") && named("Play all together"));
        QStringList names; // without a name a screen reader would read out every text
        for (const auto* label : view.findChildren<QLabel*>())
            if (label->text().startsWith("frame ")) names << label->accessibleName();
        QCOMPARE(names, QStringList{"Frame shown"});
    }

    /// Many small turns of a wheel add up to one notch, and a sideways turn does not zoom.
    void a_wheel_zooms_by_as_much_as_it_turns() {
        const app::Home home;
        const QString folder = made_sweep(home, "sweep", {parse_axis("seed", "1..3")});
        StudioFixture studio(Layout::tune);
        SweepGrid& grid = show_sweep(studio, folder);
        QTRY_VERIFY_WITH_TIMEOUT(grid.clips().settled(), 20000);
        grid.zoom_to_fit(); // the grid may not know the shape of the clips yet
        const int before = grid.cell_rect(0).width();
        const auto turn = [&](QPoint by) {
            const QPointF at = grid.viewport()->rect().center();
            QWheelEvent event(at, grid.mapToGlobal(at), {}, by, Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase,
                              false);
            QApplication::sendEvent(grid.viewport(), &event);
        };
        for (int i = 0; i < 8; ++i) turn({0, 15});
        const int zoomed = grid.cell_rect(0).width();
        QVERIFY2(std::abs(zoomed - 1.25 * before) < 3, qPrintable(QString("%1, %2").arg(before).arg(zoomed)));
        turn({120, 0});
        QCOMPARE(grid.cell_rect(0).width(), zoomed);
    }

    void what_is_wrong_is_written_as_it_was_typed() {
        const app::Home home;
        StudioFixture studio(Layout::tune);
        studio.core().sweeps().axes().set_text(0, "2, <b>x</b>");
        int told = 0;
        for (const auto* label : studio.window().findChildren<QLabel*>())
            if (label->text().contains("<b>")) {
                QCOMPARE(label->textFormat(), Qt::PlainText);
                ++told;
            }
        QVERIFY(told > 0);
    }

    /// An error that belongs to no axis names its field.
    void what_is_wrong_names_its_field() {
        const app::Home home;
        const QString run = listed_run(home, "parent", 4, 5);
        StudioFixture studio(Layout::tune);
        Request branch = app::RunHistory::record(run).request;
        branch.start = Request::Start{app::to_path(run), 2, {}};
        studio.core().document.load(branch);
        QVERIFY(studio.core().document.wait_resolved(20000));
        studio.core().sweeps().axes().set_all({{"steps", "2, 8"}}, {});
        const auto* summary = studio.find<QLabel>("sweep-summary");
        QTRY_VERIFY2_WITH_TIMEOUT(summary->text().contains("a branch keeps it"), qPrintable(summary->text()), 20000);
        QVERIFY2(summary->text().startsWith("steps: "), qPrintable(summary->text()));
        // Otherwise it names its file.
        write(home.file("style.safetensors"), "no LoRA");
        Request styled = app::tiny_request();
        styled.loras.push_back({.file = app::to_path(home.file("style.safetensors"))});
        studio.core().document.load(styled);
        QTRY_VERIFY2_WITH_TIMEOUT(summary->text().startsWith("style.safetensors: "), qPrintable(summary->text()),
                                  20000);
    }

    /// As in any other field the mark lasts as long as the value is wrong.
    void what_is_wrong_is_marked_at_once() {
        const app::Home home;
        StudioFixture studio(Layout::tune);
        load_tiny(studio);
        auto& axes = studio.core().sweeps().axes();
        axes.set_all({{"steps", "1, 2"}}, {});
        auto* values = studio.find<QLineEdit>("axis-0-values");
        const Colours c = colours(qApp->palette());
        const auto edge = [&] { return values->grab().toImage().pixelColor(values->width() / 2, 0); };
        QCOMPARE(edge(), c.edge);
        axes.set_text(0, "1, x");
        QCOMPARE(edge(), c.error);
        axes.set_text(0, "1, 3");
        QCOMPARE(edge(), c.edge);
        const auto* summary = studio.find<QLabel>("sweep-summary");
        const auto ink = [&] { return summary->palette().color(QPalette::WindowText); };
        QCOMPARE(ink(), c.quiet);
        studio.core().document.set_value("model", home.file("none"));
        QTRY_COMPARE_WITH_TIMEOUT(ink(), c.error, 20000);
        studio.core().document.set_value("model", QString());
        QTRY_COMPARE_WITH_TIMEOUT(ink(), c.quiet, 20000);
    }

    void clips_are_named_in_the_language_of_the_window() {
        const app::Home home;
        const QString folder = made_sweep(home, "sweep", {parse_axis("steps", "2, 3")});
        qputenv("DENOIR_LANGUAGE", "de");
        const auto back = qScopeGuard([] { qputenv("DENOIR_LANGUAGE", "en"); });
        const Translation german(*qApp);
        StudioFixture studio(Layout::tune);
        SweepGrid& grid = show_sweep(studio, folder);
        grid.set_current(1);
        QVERIFY2(grid.accessibleDescription().startsWith("Schritte 3"), qPrintable(grid.accessibleDescription()));
        const auto* plot = studio.find<SweepPlot>("sweep-plot");
        QTRY_VERIFY_WITH_TIMEOUT(!plot->accessibleDescription().isEmpty(), 30000);
        QVERIFY2(plot->accessibleDescription().startsWith("Schritte 3"), qPrintable(plot->accessibleDescription()));
        studio.core().sweeps().take_values(1, false);
        QVERIFY2(studio.core().project.undo().undoText().contains("Schritte 3"),
                 qPrintable(studio.core().project.undo().undoText()));
    }

    /// The row above the grid must fit into the smallest usual window, also in German and with everything in it.
    void the_grid_leaves_the_window_its_size() {
        const app::Home home;
        const QString folder = made_sweep(
            home, "sweep", {parse_axis("steps", "2, 3"), parse_axis("guidance", "1, 2"), parse_axis("seed", "1, 2")});
        std::filesystem::remove_all(SweepFolder::take(app::to_path(folder)).record().cells[7].run);
        qputenv("DENOIR_LANGUAGE", "de");
        const auto back = qScopeGuard([] { qputenv("DENOIR_LANGUAGE", "en"); });
        const Translation german(*qApp);
        StudioFixture studio(Layout::tune, Scheme::dark, {1024, 700});
        show_sweep(studio, folder);
        const auto* missing = studio.find<QToolButton>("render-missing");
        QTRY_VERIFY(missing->isVisible());
        QTest::qWait(50);
        QCOMPARE(studio.window().size(), QSize(1024, 700));
        QCOMPARE(missing->toolButtonStyle(), Qt::ToolButtonIconOnly);
        studio.window().resize(1400, 700);
        QTRY_COMPARE(missing->toolButtonStyle(), Qt::ToolButtonTextBesideIcon);
        // The time left must stay readable, even if the buttons lose their words.
        auto* progress = studio.find<ElidedLabel>("sweep-progress");
        for (int width = 1392; width >= 1024; width -= 8) {
            progress->set_text(QString::fromUtf8("Clip 12 von 48 · noch etwa 1 h 25 min"));
            studio.window().resize(width, 700);
            QTest::qWait(1);
            QTRY_VERIFY2(progress->text() == progress->whole(), qPrintable(QString::number(width)));
        }
    }

    /// In the smallest usual window, also in German, every figure must be visible, also those of clips that were taken
    /// over. The reason why a clip failed may be long and must not push them away.
    void figures_are_seen_without_scrolling() {
        const app::Home home;
        const std::vector<SweepAxis> axes{parse_axis("steps", "2, 3"), parse_axis("guidance", "1, 2, 3")};
        const QString reused = made_sweep(home, "reused", axes), failed = made_sweep(home, "failed", axes, 5);
        {
            SweepFolder folder = SweepFolder::take(app::to_path(reused));
            for (SweepCell& cell : folder.record().cells) cell.reused = true;
            folder.save();
        }
        {
            SweepFolder folder = SweepFolder::take(app::to_path(failed));
            SweepCell& last = folder.record().cells.back();
            last.state = SweepCell::State::failed;
            last.error.emplace("/a/model", "frames", std::string(200, 'x'), "choose another");
            folder.save();
        }
        qputenv("DENOIR_LANGUAGE", "de");
        const auto back = qScopeGuard([] { qputenv("DENOIR_LANGUAGE", "en"); });
        const Translation german(*qApp);
        StudioFixture studio(Layout::tune, Scheme::dark, {1024, 700});
        const auto* table = studio.find<QTreeView>("sweep-table");
        const auto widest = [&] { return table->header()->length(); };
        show_sweep(studio, reused);
        QTRY_VERIFY_WITH_TIMEOUT(!table->model()->index(1, 4).data().toString().isEmpty(), 30000);
        QVERIFY2(widest() <= table->viewport()->width(), qPrintable(QString::number(widest())));
        const QModelIndex state = table->model()->index(1, 2);
        QVERIFY(state.data(Qt::ToolTipRole).toString() != state.data().toString());
        show_sweep(studio, failed);
        QTRY_VERIFY2(widest() < 800, qPrintable(QString::number(widest())));
    }

    /// In the smallest window, too, all columns are seen at once. Texts are cut there, but no figures, and columns in
    /// which no clip has a figure are left out.
    void the_table_fits_into_the_smallest_window() {
        for (const char* language : {"en", "de"}) {
            const app::Home home;
            qputenv("DENOIR_LANGUAGE", language);
            const auto back = qScopeGuard([] { qputenv("DENOIR_LANGUAGE", "en"); });
            const Translation words(*qApp);
            const QString prompt = "a red balloon that floats up over the sea at sunset, far away from the shore";
            const std::vector<SweepAxis> axes{parse_axis("steps", "2, 3"), parse_axis("sampler", "unipc, euler"),
                                              parse_axis("prompt", prompt.toStdString() + " | a boat"),
                                              parse_axis("guidance", "1, 2.5")};
            const QString made = made_sweep(home, "made", axes), planned = made_sweep(home, "planned", axes, 5);
            {
                SweepFolder folder = SweepFolder::take(app::to_path(planned));
                for (SweepCell& cell : folder.record().cells) cell = {};
                folder.save();
            }
            StudioFixture studio(Layout::tune, Scheme::dark, {800, 560});
            auto* table = studio.find<QTreeView>("sweep-table");
            show_sweep(studio, made);
            constexpr int state = 4, seconds = 5, ssim = 7, worst = 8; // columns behind those of the axes
            QTRY_VERIFY_WITH_TIMEOUT(!table->model()->index(1, ssim).data().toString().isEmpty(), 30000);
            QCoreApplication::processEvents();
            QVERIFY(table->isVisible());
            auto* queue = studio.find<QDockWidget>("queue-dock"); // behind the table, not beside it
            QVERIFY(studio.window().tabifiedDockWidgets(studio.find<QDockWidget>("sweep-dock")).contains(queue));
            QVERIFY2(
                table->header()->length() <= table->viewport()->width(),
                qPrintable(QStringLiteral("%1 of %2").arg(table->header()->length()).arg(table->viewport()->width())));
            QCOMPARE(table->horizontalScrollBar()->maximum(), 0);
            for (int column = seconds; column <= worst; ++column)
                QVERIFY2(table->columnWidth(column) >=
                             static_cast<QAbstractItemView*>(table)->sizeHintForColumn(column),
                         qPrintable(QString::number(column)));
            QVERIFY2(table->columnWidth(2) < 200, "the prompt gave way");
            QCOMPARE(table->model()->index(0, 2).data(Qt::ToolTipRole).toString(), prompt);
            const QString titles = painted_words(*table->header()->viewport());
            for (int column = 0; column <= worst; ++column) { // a title that is cut says so
                const QString title = table->model()->headerData(column, Qt::Horizontal).toString();
                const bool whole = table->columnWidth(column) >= table->header()->sectionSizeHint(column);
                QVERIFY2(titles.contains(title) == whole, qPrintable(titles));
            }
            QVERIFY2(titles.contains(QStringLiteral("…")), qPrintable(titles));
            for (int column = 0; column <= worst; ++column)
                QCOMPARE(table->model()->headerData(column, Qt::Horizontal, Qt::ToolTipRole),
                         table->model()->headerData(column, Qt::Horizontal));
            for (const auto* label : studio.window().findChild<SweepView*>()->findChildren<QLabel*>())
                if (label->isVisible() && label->buddy())
                    QVERIFY2(label->width() >= label->sizeHint().width(), qPrintable(label->text()));
            show_sweep(studio, planned);
            QVERIFY(!table->isColumnHidden(state));
            for (int column = seconds; column <= worst; ++column) QVERIFY(table->isColumnHidden(column));
            show_sweep(studio, made);
            QVERIFY(!table->isColumnHidden(seconds));
        }
    }

    /// Half a figure would be taken for a whole one.
    void a_small_clip_tells_whole_figures() {
        const app::Home home;
        const QString folder =
            made_sweep(home, "sweep", {parse_axis("steps", "2, 3"), parse_axis("guidance", "1, 2, 3")});
        StudioFixture studio(Layout::tune, Scheme::dark, {800, 560});
        auto& grid = show_sweep(studio, folder);
        const auto words = [&] { return painted_words(*grid.viewport()); };
        QTRY_VERIFY2_WITH_TIMEOUT(words().contains(" dB") && !words().contains(QStringLiteral("…")),
                                  qPrintable(words()), 30000);
    }

    /// At some sizes each of the table's scroll bars makes the other one necessary while the plot gives way to both,
    /// and that must not go round in circles.
    void the_table_comes_to_rest_in_every_size() {
        const app::Home home;
        const QString folder = made_sweep(
            home, "sweep", {parse_axis("seed", "1..4"), parse_axis("prompt", "a red ball over the sea | a blue star")});
        StudioFixture studio(Layout::tune);
        show_sweep(studio, folder);
        auto* table = studio.find<QTreeView>("sweep-table");
        const auto& plot = studio.window().findChild<SweepTable*>()->plot();
        auto* dock = studio.find<QDockWidget>("sweep-dock");
        dock->setFloating(true);
        ShowCount shows(*table->horizontalScrollBar());
        // The sizes at which the plot gives way and the rows just fit.
        const int most = table->header()->length() + plot.sizeHint().width() + 40;
        dock->resize(most, 300);
        QCoreApplication::processEvents();
        const int rows =
            300 - table->viewport()->height() + 8 * table->visualRect(table->model()->index(0, 0)).height();
        for (int height = rows - 4; height < rows + 16; ++height)
            for (int width = most; width > most - 110; width -= 2) {
                shows.count = 0;
                table->sortByColumn(width / 2 % 7 - 1, Qt::AscendingOrder); // its title needs room for the arrow
                dock->resize(width, height);
                for (int turn = 0; turn < 2 && shows.count < ShowCount::most; ++turn) QCoreApplication::processEvents();
                QVERIFY2(shows.count < ShowCount::most, qPrintable(QStringLiteral("%1x%2").arg(width).arg(height)));
            }
    }

    /// An ampersand in a value is a letter and marks no key.
    void values_keep_their_ampersands() {
        const app::Home home;
        const QString folder = made_sweep(home, "sweep", {parse_axis("prompt", "a cat&dog | a fox")});
        StudioFixture studio(Layout::tune);
        show_sweep(studio, folder);
        const auto* button = studio.find<QToolButton>("reference");
        QCOMPARE(button->text(), QString("measured against prompt a cat&&dog"));
        QVERIFY(button->shortcut().isEmpty());
        emit button->menu()->aboutToShow();
        QStringList texts;
        for (const auto* menu : button->menu()->findChildren<QMenu*>())
            for (const QAction* action : menu->actions()) texts << action->iconText();
        QVERIFY2(texts.contains("a cat&dog"), qPrintable(texts.join('|')));
    }

    /// Only for the sweep that is shown, and only as long as it is.
    void only_what_is_shown_is_told_to_be_measured() {
        const app::Home home;
        const QString slow = made_sweep(home, "slow", {parse_axis("seed", "1..12")}, 40),
                      plain = made_sweep(home, "plain", {parse_axis("seed", "1, 2")});
        {
            SweepFolder sweep = SweepFolder::take(app::to_path(plain));
            sweep.record().cells[1].figures = SweepCell::Figures{.reference = 0, .psnr = 30, .ssim = 0.9};
            sweep.save();
        }
        StudioFixture studio(Layout::tune);
        show_sweep(studio, slow);
        const auto* progress = studio.find<ElidedLabel>("sweep-progress");
        QCOMPARE(progress->whole(), QString::fromUtf8("measuring …"));
        show_sweep(studio, plain);
        QCOMPARE(progress->whole(), QString());
    }

    /// The clip that is being rendered has begun and can no longer be left out.
    void having_nothing_to_leave_out_is_said() {
        const app::Home home;
        StudioFixture studio(Layout::tune);
        load_tiny(studio);
        auto& core = studio.core();
        core.sweeps().axes().set_all({{"steps", "900"}}, {});
        QTRY_VERIFY_WITH_TIMEOUT(!core.sweeps().outlook().pending, 20000);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(core.queue.running() != 0, 20000);
        studio.find<QAction>("tune.clear")->trigger();
        QVERIFY2(said(studio).contains("No other clip"), qPrintable(said(studio)));
        core.queue.cancel_current();
        QVERIFY(studio.idle());
    }

    /// Warnings stand where the user reads what the sweep will take, before it is begun.
    void warnings_of_the_plan_stand_above_the_grid() {
        const app::Home home;
        const std::filesystem::path model = app::to_path(home.file("model"));
        std::filesystem::copy(DENOIR_TINY_MODEL, model, std::filesystem::copy_options::recursive);
        std::filesystem::copy(model / "Wan2.1_VAE.safetensors", model / "second_vae.safetensors");
        StudioFixture studio(Layout::tune);
        auto* warnings = studio.find<QLabel>("sweep-warnings");
        studio.core().document.load(app::tiny_request());
        studio.core().sweeps().axes().set_all({{"steps", "2, 3"}}, {});
        const auto& outlook = studio.core().sweeps().outlook();
        QTRY_VERIFY_WITH_TIMEOUT(!outlook.pending && outlook.clips == 2, 20000);
        QVERIFY(!warnings->isVisible());
        Request request = app::tiny_request();
        request.model = model;
        studio.core().document.load(request);
        QTRY_VERIFY_WITH_TIMEOUT(warnings->isVisible(), 20000);
        QVERIFY2(warnings->text().contains("2 files hold a VAE"), qPrintable(warnings->text()));
    }

    /// What a cell says about a clip at work stands above its bar, in cells of any size.
    void words_of_a_small_cell_have_room() {
        app::SweepDocument::CellView view;
        view.state = app::SweepDocument::State::running;
        view.step = 18, view.steps = 20;
        view.eta = 5.4;
        view.eta_of_denoising = true;
        const QFontMetrics metrics{QFont()};
        const int line = metrics.lineSpacing(), wide = metrics.horizontalAdvance(state_text(view)) + 8;
        QCOMPARE(state_text(view, metrics, {wide, line}), state_text(view));
        QCOMPARE(state_text(view, metrics, {wide * 2 / 3, 2 * line}), state_text(view));
        QCOMPARE(state_text(view, metrics, {wide * 2 / 3, line}), QStringLiteral("step 18/20"));
    }

    void esc_stops_the_planning() {
        const app::Home home;
        StudioFixture studio(Layout::tune);
        studio.core().document.load(app::tiny_request());
        QVERIFY(studio.core().document.wait_resolved(20000));
        auto& sweeps = studio.core().sweeps();
        sweeps.axes().set_all({{"steps", "2, 3"}}, {});
        studio.find<QAction>("run.generate")->trigger();
        QVERIFY(sweeps.starting());
        studio.find<QAction>("run.cancel")->trigger();
        QVERIFY(!sweeps.starting());
        const QString words = said(studio);
        QVERIFY2(words.contains("Called off"), qPrintable(words));
    }

    /// Anyone may have put another file with this name into a folder.
    void a_request_in_the_place_of_a_sweep_is_refused() {
        const app::Home home;
        QVERIFY(QDir().mkpath(home.file("request")));
        write_file(app::to_path(home.file("request/sweep.json")), R"({"schema": 1, "prompt": "a fox", "steps": 3})");
        StudioFixture studio(Layout::tune);
        QSignalSpy failed(&studio.core().sweeps(), &app::SweepDocument::failed);
        studio.core().sweeps().open(home.file("request"));
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 20000);
        QCOMPARE(failed[0][0].value<app::Issue>().field, QString("axes"));
        QVERIFY(!studio.core().sweeps().shown());
    }
};

int main(int argc, char** argv) { return run_window_test<SweepsTest>(argc, argv); }

#include "sweeps_test.moc"
