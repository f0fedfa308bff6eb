// SPDX-License-Identifier: Apache-2.0
// The story of the layout Tune: which values are best?
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>

#include "app/request/request_document.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "engine/session/sweep_folder.h"
#include "tests/app/clips.h"
#include "tests/app/fake_runs.h"
#include "tests/ui/studio_fixture.h"
#include "ui/preview/preview_view.h"
#include "ui/tune/sweep_bar.h"
#include "ui/tune/sweep_grid.h"
#include "ui/tune/sweep_plot.h"
#include "ui/tune/sweep_table.h"
#include "ui/tune/sweep_view.h"
#include "ui/widgets/elided_label.h"
#include "ui/window/translation.h"

using namespace denoir;
using namespace denoir::ui;
using CellState = app::SweepDocument::State;

class StoryTuneTest : public QObject {
    Q_OBJECT
private slots:
    void cells_have_their_places();
    void which_values();
    void three_axes_and_a_mistake();
    void more_than_play_at_once();
    void pages_of_four_axes();
    void older_settings();

private:
    static QPoint middle(SweepGrid& grid, std::size_t cell) { return grid.cell_rect(cell).center(); }
    static void click(StudioFixture& studio, SweepGrid& grid, std::size_t cell, Qt::KeyboardModifiers keys = {}) {
        studio.click(grid.viewport(), middle(grid, cell), keys);
    }
    static bool measured(const app::OpenSweep& sweep) {
        for (std::size_t i = 0; i < sweep.size(); ++i)
            if (sweep.sweep().reference_of(i) && !sweep.cell(i).figures) return false;
        return true;
    }
    static void write(StudioFixture& studio, const char* field, const QString& text) {
        studio.click(studio.find<QLineEdit>(field));
        studio.key(Qt::Key_A, Qt::ControlModifier);
        studio.type(text);
    }
};

void StoryTuneTest::cells_have_their_places() {
    Sweep sweep;
    sweep.axes = {parse_axis("steps", "4, 8"), parse_axis("guidance", "1, 3, 6"), parse_axis("seed", "7, 8")};
    GridShape shape(sweep, {});
    QCOMPARE(shape.rows(), 2);
    QCOMPARE(shape.columns(), 3);
    QCOMPARE(shape.pages(), 1);
    QCOMPARE(*shape.cell(1, 2), sweep.cell({1, 2, 0}));
    QVERIFY(!shape.cell(2, 0) && !shape.cell(0, -1));
    QVERIFY(!shape.place(sweep.cell({1, 2, 1}))); // it is on the other page
    shape.show(sweep.cell({1, 2, 1}));
    QVERIFY((shape.place(sweep.cell({1, 2, 1})) == std::pair{1, 2}));
    QCOMPARE(shape.cells().size(), 6U);
    // The viewer chooses the order, and axes that are not named follow.
    shape = GridShape(sweep, {"seed", "nothing"});
    QCOMPARE(shape.rows(), 2);
    QCOMPARE(shape.columns(), 2);
    QCOMPARE(shape.row_text(1), QString("8"));
    QCOMPARE(shape.page_values(0), (QStringList{"1", "3", "6"}));
    QCOMPARE(*shape.cell(1, 0), sweep.cell({0, 0, 1}));
    // Pages are turned along the last axis first; where it begins again the axis before it goes on.
    sweep.axes = {parse_axis("steps", "4, 8"), parse_axis("guidance", "1, 3"), parse_axis("seed", "7, 8"),
                  parse_axis("shift", "1, 3, 5")};
    shape = GridShape(sweep, {});
    const auto pages = [&] { return QList<int>{shape.page(0), shape.page(1)}; };
    QVERIFY(!shape.turn_page(-1));
    for (const QList<int>& next : {QList<int>{0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}) {
        QVERIFY(shape.turn_page(1));
        QCOMPARE(pages(), next);
    }
    QVERIFY(!shape.turn_page(1));
    QCOMPARE(pages(), (QList<int>{1, 2}));
    shape.set_page(1, 0);
    QVERIFY(shape.turn_page(-1));
    QCOMPARE(pages(), (QList<int>{0, 2}));
    // A single axis flows from line to line.
    sweep.axes = {parse_axis("seed", "1..5")};
    shape = GridShape(sweep, {});
    shape.set_flow(3);
    QCOMPARE(shape.rows(), 2);
    QCOMPARE(*shape.cell(1, 1), 4U);
    QVERIFY(!shape.cell(1, 2));
    QCOMPARE(shape.own_text(4), QString("5"));
}

/// Two axes and four clips: they arrive and play together, the values of the best go into the request, and undo brings
/// the old ones back.
void StoryTuneTest::which_values() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model();
    auto& sweeps = studio.core().sweeps();
    studio.key(Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(studio.window().layouts().current(), Layout::tune);
    auto& view = *studio.window().findChild<SweepView*>();
    auto& grid = view.grid();
    QVERIFY(view.isVisible() && !studio.window().preview().isVisible());
    QVERIFY(!studio.find<QPushButton>("generate")->isVisible()); // only one such button is there to be pressed
    studio.picture("tune-1-empty");

    const int few = StudioFixture::large() ? 4 : 2, many = StudioFixture::large() ? 20 : 4;
    write(studio, "axis-0-values", QStringLiteral("%1, %2").arg(few).arg(many));
    write(studio, "axis-1-values", "1, 3");
    QTRY_VERIFY_WITH_TIMEOUT(!sweeps.outlook().pending && sweeps.outlook().clips == 4, 20000);
    QVERIFY(studio.find<QLabel>("sweep-summary")->text().startsWith("4 clips"));
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(sweeps.shown() && sweeps.progress().done >= 1, 60000);
    // The window does not change while the user looks at the grid.
    QCOMPARE(studio.window().layouts().current(), Layout::tune);
    QVERIFY(view.isVisible());
    studio.snapshot("tune-2-arriving");
    QTRY_COMPARE_WITH_TIMEOUT(sweeps.progress().done, 4, 120000);
    QVERIFY(studio.idle());
    QTRY_VERIFY_WITH_TIMEOUT(measured(*sweeps.shown()), 60000);

    // All clips play together by themselves. Space and the full stop do what they do elsewhere.
    auto& player = view.player();
    QTRY_COMPARE_WITH_TIMEOUT(player.frames(), StudioFixture::frames(), 20000);
    QTRY_VERIFY_WITH_TIMEOUT(player.playing() && grid.clips().settled(), 20000);
    QTRY_VERIFY_WITH_TIMEOUT(grid.hasFocus(), 5000);
    studio.key(Qt::Key_Space);
    QVERIFY(!player.playing());
    const int frame = player.frame();
    studio.key(Qt::Key_Period);
    QCOMPARE(player.frame(), (frame + 1) % player.frames());
    QTRY_VERIFY_WITH_TIMEOUT(grid.clips().settled(), 10000);
    for (std::size_t i = 0; i < 4; ++i)
        QVERIFY(!grid.clips().picture(QString::fromStdString(sweeps.shown()->cell(i).run.string())).isNull());

    // Keys lead to the last clip, and the table follows.
    click(studio, grid, 0);
    studio.key(Qt::Key_Down);
    studio.key(Qt::Key_Right);
    QCOMPARE(*grid.current(), 3U);
    auto* table = studio.find<QTreeView>("sweep-table");
    QCOMPARE(table->currentIndex().data(SweepModel::CellRole).toInt(), 3);
    QVERIFY(grid.accessibleDescription().contains(QStringLiteral("steps %1").arg(many)));
    studio.key(Qt::Key_S);
    QVERIFY(studio.core().history.starred(QString::fromStdString(sweeps.shown()->cell(3).run.string())));
    studio.picture("tune-3-four-clips");
    // A click in the table moves the grid. Sorted by PSNR the reference comes first.
    table->sortByColumn(4, Qt::DescendingOrder);
    studio.click(table->viewport(), table->visualRect(table->model()->index(3, 0)).center());
    QVERIFY(*grid.current() < 2U); // a clip of few steps differs from one of many
    QVERIFY(!studio.find<SweepPlot>("sweep-plot")->points().empty());

    // The selected clip goes on the timeline, and not the picture of the layout that is hidden.
    click(studio, grid, 1);
    studio.key(Qt::Key_T);
    QTRY_COMPARE_WITH_TIMEOUT(studio.core().project.count(), 1, 30000);
    QCOMPARE(studio.core().project.shot(0).current().run, QString::fromStdString(sweeps.shown()->cell(1).run.string()));
    // Keys of the preview say that it is not shown here.
    const bool values = studio.window().preview().canvas().shows_values();
    studio.key(Qt::Key_I);
    QCOMPARE(studio.window().preview().canvas().shows_values(), values);
    QVERIFY(studio.find<ElidedLabel>("status-stage")->whole().contains("preview"));
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(studio.core().project.count(), 0);

    // Taking the values of the second clip is an undo step.
    const Request before = studio.core().document.asked();
    studio.key(Qt::Key_R);
    QCOMPARE(studio.core().document.asked().steps.value_or(0), few);
    QCOMPARE(studio.core().document.asked().guidance.value_or(0), 3.0);
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(to_json(studio.core().document.asked()).dump(), to_json(before).dump());

    // The clips are compared with another one, and the grid is turned and turned back.
    studio.key(Qt::Key_M);
    QTRY_VERIFY_WITH_TIMEOUT(measured(*sweeps.shown()) && sweeps.shown()->cell(3).figures->reference == 1, 60000);
    studio.click(studio.find<QToolButton>("swap-axes"));
    QCOMPARE(grid.shape().row_text(1), QString("3"));
    QCOMPARE(*grid.shape().cell(1, 0), 1U);
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(grid.shape().row_text(1), QString::number(many));

    // The same sweep again is there at once.
    studio.core().document.set_value("seed", qulonglong(*sweeps.shown()->sweep().request.seed));
    QTRY_VERIFY_WITH_TIMEOUT(!sweeps.outlook().pending && sweeps.outlook().to_render == 0, 20000);
    QVERIFY(studio.find<QLabel>("sweep-summary")->text().contains("all of them are there"));

    // Two clips are compared with each other.
    click(studio, grid, 0);
    studio.key(Qt::Key_Right, Qt::ShiftModifier);
    studio.key(Qt::Key_C);
    QCOMPARE(studio.window().layouts().current(), Layout::compare);
    QTRY_VERIFY_WITH_TIMEOUT(studio.window().preview().info(app::Side::b), 20000);
    QVERIFY(!player.playing());
    studio.key(Qt::Key_3, Qt::ControlModifier);

    // What the grid shows is written to files.
    studio.window().actions().at("tune.export-csv")->trigger();
    QVERIFY(studio.answer_file_dialog(home.file("figures.csv")));
    const auto written = [&](const char* name) {
        const QStringList texts = studio.window().banners().texts();
        return std::any_of(texts.begin(), texts.end(), [&](const QString& text) {
            return text.startsWith("Written: ") && text.endsWith(QLatin1String(name));
        });
    };
    QTRY_VERIFY_WITH_TIMEOUT(written("figures.csv"), 20000);
    QVERIFY(QFileInfo(home.file("figures.csv")).size() > 50);
    studio.window().actions().at("tune.export-picture")->trigger();
    QVERIFY(studio.answer_file_dialog(home.file("grid.png")));
    QTRY_VERIFY_WITH_TIMEOUT(written("grid.png"), 20000);
    QVERIFY(!QImage(home.file("grid.png")).isNull());

    // The best clip is opened in large.
    click(studio, grid, 3);
    studio.key(Qt::Key_Return);
    QCOMPARE(studio.window().layouts().current(), Layout::create);
    QVERIFY(studio.find<QPushButton>("generate")->isVisible());
    QCOMPARE(studio.window().viewer().run(app::Side::a), QString::fromStdString(sweeps.shown()->cell(3).run.string()));
}

/// A wrong value is explained under its axis and nothing begins. A third axis makes pages.
void StoryTuneTest::three_axes_and_a_mistake() {
    const app::Home home;
    StudioFixture studio(Layout::tune, Scheme::light);
    studio.use_model();
    auto& sweeps = studio.core().sweeps();
    auto& view = *studio.window().findChild<SweepView*>();
    auto& grid = view.grid();
    write(studio, "axis-0-values", "2, many");
    QVERIFY(!sweeps.axes().issue(0).isEmpty());
    QVERIFY(!studio.find<QPushButton>("sweep")->isEnabled());
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    studio.picture("tune-4-mistake");
    QVERIFY(!sweeps.shown() && !sweeps.starting());
    write(studio, "axis-0-values", "1, 2");
    write(studio, "axis-1-values", "1, 3");
    view.bar().add_axis("seed");
    QTRY_VERIFY(studio.find<QLineEdit>("axis-2-values")->hasFocus());
    studio.type("7, 8");
    studio.click(studio.find<QPushButton>("sweep"));
    QTRY_VERIFY_WITH_TIMEOUT(sweeps.shown() && sweeps.shown()->size() == 8, 20000);
    // The axes stand in one row with the button, and no column of the table is cut off.
    const auto middle = [&](const char* name) {
        const auto* widget = studio.find<QWidget>(name);
        return widget->mapTo(&studio.window(), widget->rect().center()).y();
    };
    QVERIFY(std::abs(middle("sweep") - middle("axis-0-values")) < 16);
    const auto* table = studio.find<QTreeView>("sweep-table");
    QTRY_VERIFY(table->isVisible() && table->header()->length() <= table->viewport()->width());
    // Esc stops the run, and the cell says what to do.
    QTRY_VERIFY_WITH_TIMEOUT(studio.core().queue.running() != 0, 20000);
    studio.core().queue.set_paused(true);
    QTRY_VERIFY_WITH_TIMEOUT(studio.core().worker.busy() || studio.core().queue.running() == 0, 20000);
    studio.key(Qt::Key_Escape);
    QTRY_COMPARE_WITH_TIMEOUT(studio.core().queue.running(), 0ULL, 20000);
    sweeps.clear_waiting();
    studio.picture("tune-5-missing");
    QVERIFY(sweeps.progress().missing >= 7);
    QVERIFY(studio.find<QToolButton>("render-missing")->isVisible());
    studio.core().queue.set_paused(false);
    studio.click(studio.find<QToolButton>("render-missing"));
    QTRY_COMPARE_WITH_TIMEOUT(sweeps.progress().done, 8, 180000);
    QTRY_VERIFY_WITH_TIMEOUT(measured(*sweeps.shown()), 60000);
    click(studio, grid, 0);
    studio.key(Qt::Key_PageDown);
    QCOMPARE(*grid.current(), 1U); // the same place on the next page
    QVERIFY(view.player().playing());
    QCOMPARE(studio.window().findChildren<QComboBox*>("page-0").constLast()->currentIndex(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(grid.clips().settled(), 10000);
    studio.picture("tune-6-pages");
}

/// Beyond a number of clips the others are still pictures.
void StoryTuneTest::more_than_play_at_once() {
    const app::Home home;
    const int count = SweepClips::most + 2;
    {
        Sweep sweep;
        sweep.request = app::tiny_request();
        sweep.axes = {parse_axis("seed", fmt::format("1..{}", count))};
        SweepFolder folder = SweepFolder::create(app::to_path(home.file("large")), sweep);
        app::write_clip(home.file("clip.mp4"), 64, 48, 4);
        QImage still(64, 48, QImage::Format_RGB32);
        still.fill(Qt::green);
        for (int i = 0; i < count; ++i) {
            const auto run = app::fake_run(folder.path(), i + 1, false);
            std::filesystem::copy(app::to_path(home.file("clip.mp4")), run / "video.mp4",
                                  std::filesystem::copy_options::overwrite_existing);
            QVERIFY(still.save(app::to_qstring(run / "thumbnail.png")));
            SweepCell& cell = folder.record().cells[std::size_t(i)];
            cell.state = SweepCell::State::done;
            cell.run = run;
        }
        folder.save();
    }
    StudioFixture studio(Layout::tune, Scheme::dark, {1600, 1000});
    auto& grid = studio.window().findChild<SweepView*>()->grid();
    studio.core().sweeps().open(home.file("large"));
    QTRY_COMPARE_WITH_TIMEOUT(grid.stills(), 2, 20000);
    QVERIFY(studio.find<ElidedLabel>("sweep-progress")->text().startsWith("48 play"));
    const auto middle_of = [&](std::size_t cell) {
        return grid.viewport()->grab().toImage().pixelColor(middle(grid, cell));
    };
    QTRY_VERIFY_WITH_TIMEOUT(grid.clips().settled() && middle_of(0) != Qt::green, 20000);
    QTRY_COMPARE_WITH_TIMEOUT(middle_of(std::size_t(count) - 1), QColor(Qt::green), 20000);
    studio.picture("tune-7-stills");
}

/// The current cell keeps its place on whichever page.
void StoryTuneTest::pages_of_four_axes() {
    const app::Home home;
    Sweep sweep;
    sweep.request = app::tiny_request();
    sweep.axes = {parse_axis("steps", "2, 3"), parse_axis("guidance", "1, 3"), parse_axis("seed", "7, 8"),
                  parse_axis("shift", "3, 5")};
    SweepFolder::create(app::to_path(home.file("four")), sweep);
    StudioFixture studio(Layout::tune);
    auto& grid = studio.window().findChild<SweepView*>()->grid();
    studio.core().sweeps().open(home.file("four"));
    QTRY_VERIFY_WITH_TIMEOUT(grid.current(), 20000);
    click(studio, grid, 4); // in the second column
    for (const std::size_t next : {5U, 6U, 7U, 7U}) {
        studio.key(Qt::Key_PageDown);
        QCOMPARE(*grid.current(), next);
        QVERIFY(!grid.cell_rect(next).isEmpty());
    }
    studio.key(Qt::Key_PageUp);
    studio.key(Qt::Key_PageUp);
    QCOMPARE(*grid.current(), 5U);
}

/// Settings of a version with two layouts: the user's arrangement stays, and the new dock is out of the way.
void StoryTuneTest::older_settings() {
    const app::Home home;
    QByteArray state;
    {
        StudioFixture before;
        auto* dock = before.find<QDockWidget>("sweep-dock");
        before.find<QDockWidget>("images-dock")->hide();
        before.window().removeDockWidget(dock); // as if that version did not have the dock
        dock->setObjectName("unknown");
        before.window().close();
    }
    StudioFixture studio;
    QVERIFY(!studio.find<QDockWidget>("images-dock")->isVisible());
    QVERIFY(!studio.find<QDockWidget>("sweep-dock")->isVisible());
    studio.key(Qt::Key_3, Qt::ControlModifier);
    QVERIFY(studio.find<QDockWidget>("sweep-dock")->isVisible());
    QVERIFY(studio.find<QDockWidget>("queue-dock")->isVisible());
    studio.key(Qt::Key_1, Qt::ControlModifier);
    QVERIFY(!studio.find<QDockWidget>("sweep-dock")->isVisible());
    QVERIFY(studio.window().preview().isVisible());
}

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("DENOIR_RESOURCES")) qputenv("DENOIR_RESOURCES", DENOIR_BUNDLED);
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs); // the test can only answer Qt's own dialogs
    QApplication program(argc, argv);
    QLocale::setDefault(QLocale::c());
    const Translation words(program);
    StoryTuneTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tune_test.moc"
