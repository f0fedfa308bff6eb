// SPDX-License-Identifier: Apache-2.0
// Two runs held against each other.
#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeWidget>

#include "app/base/exporter.h"
#include "tests/ui/stories/stories.h"
#include "ui/compare/differences_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/layers/histogram_view.h"
#include "ui/layers/layer_map.h"
#include "ui/layers/layers_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/divergence_view.h"
#include "ui/steps/step_strip.h"

namespace denoir::ui {

/// Selects two runs of different guidance and compares them.
static void compare_two(StudioFixture& studio) {
    studio.use_model();
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(studio.idle());
    studio.core().document.set_value("guidance", 1.5);
    QVERIFY(studio.core().document.wait_resolved(20000));
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(studio.idle());
    auto* list = studio.find<RunsView>("runs");
    QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 2, 30000);
    studio.click(list->viewport(), studio.row_point(list, 1));
    studio.click(list->viewport(), studio.row_point(list, 0), Qt::ControlModifier);
    studio.key(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(studio.window().layouts().current(), Layout::compare);
}

/// Select two runs, show only what differs, wipe, jump to the worst frame, and export the video and the report.
void StoriesTest::what_changed() {
    const app::Home home;
    StudioFixture studio;
    compare_two(studio);
    if (QTest::currentTestFailed()) return;
    auto& preview = studio.window().preview();
    QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::b), 30000);
    QCOMPARE(preview.mode(), CompareMode::wipe);
    auto* differences = studio.window().findChild<DifferencesPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(!differences->rows().isEmpty(), 30000);
    QStringList keys;
    for (const auto& row : differences->rows()) keys.append(row[0]);
    QVERIFY2(keys.contains("guidance"), qPrintable(keys.join(' ')));
    QVERIFY2(!keys.contains("steps") && !keys.contains("width"), qPrintable(keys.join(' ')));
    studio.click(&preview.canvas());
    // Side by side both play at the same frame.
    studio.key(Qt::Key_Q);
    QCOMPARE(preview.mode(), CompareMode::side_by_side);
    QVERIFY(!preview.canvas().second_rect().isEmpty());
    QVERIFY(!preview.canvas().second_rect().intersects(preview.canvas().picture_rect()));
    auto& player = preview.player();
    if (player.playing()) studio.key(Qt::Key_Space);
    QSignalSpy moved(&player, &app::Player::frame_changed);
    studio.key(Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(moved.count() >= 3, 30000);
    QCOMPARE(player.frame_of(app::Side::a), player.frame_of(app::Side::b));
    studio.key(Qt::Key_Space);
    QVERIFY(!player.playing());
    studio.picture("what-changed-1-side-by-side");
    studio.key(Qt::Key_D);
    QCOMPARE(preview.mode(), CompareMode::difference);
    studio.picture("what-changed-2-difference");
    studio.key(Qt::Key_W);
    QCOMPARE(preview.mode(), CompareMode::wipe);
    // The mouse drags the line, and 0 shows the other clip.
    const QRectF place = preview.canvas().picture_rect();
    const QPoint line = QPointF(place.left() + preview.canvas().wipe() * place.width(), place.center().y()).toPoint();
    studio.drag(&preview.canvas(), line, line + QPoint(int(place.width() / 5), 0));
    QVERIFY2(std::abs(preview.canvas().wipe() - 0.7) < 0.02, qPrintable(QString::number(preview.canvas().wipe())));
    studio.drag(&preview.canvas(), line + QPoint(int(place.width() / 5), 0), line);
    studio.key(Qt::Key_0);
    QCOMPARE(preview.mode(), CompareMode::single);
    QVERIFY(preview.canvas().shows_b());
    studio.key(Qt::Key_W);
    QTRY_VERIFY_WITH_TIMEOUT(preview.comparison().done() == StudioFixture::frames(), 60000);
    studio.key(Qt::Key_W, Qt::ShiftModifier);
    QTRY_COMPARE_WITH_TIMEOUT(preview.player().frame(), preview.comparison().worst(), 30000);
    studio.picture("what-changed-3-wipe");

    // The menu writes the side-by-side video and the report into files.
    for (const auto& [action, name] :
         {std::pair{"compare.export-video", "both.mp4"}, std::pair{"compare.export-report", "report.html"}}) {
        studio.window().actions().at(QLatin1String(action))->trigger();
        QVERIFY(studio.answer_file_dialog(home.file(name)));
        auto* exporting = studio.window().findChild<app::Exporter*>();
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(home.file(name)) && !exporting->running(), 120000);
    }
    QTest::qWait(100);
    studio.picture("what-changed-4-exported");
    studio.key(Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(studio.window().layouts().current(), Layout::create);
}

/// Two runs layer by layer: they are traced from the window, which shows the place where they part and the tensors
/// there, in two sizes and two themes.
void StoriesTest::where_do_they_part() {
    const app::Home home;
    StudioFixture studio;
    compare_two(studio);
    if (QTest::currentTestFailed()) return;
    auto* divergence = studio.find<DivergenceView>("step-divergence");
    QTRY_VERIFY_WITH_TIMEOUT(divergence->isVisible() && divergence->accessibleDescription().contains("relative"),
                             10000);
    studio.key(Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    auto* panel = studio.find<LayersPanel>("layers");
    QVERIFY(panel->isVisible());
    studio.picture("where-1-empty");
    studio.find<QComboBox>("trace-layers")->setEditText("transformer/* sampler/*");
    studio.click(studio.find<QPushButton>("trace-both"));
    QTRY_VERIFY_WITH_TIMEOUT(panel->map().isVisible(), 60000);
    QVERIFY(panel->map().currentIndex().isValid());
    const QString found = studio.find<QLabel>("layer-name")->text();
    QVERIFY2(!found.isEmpty(), qPrintable(found));
    auto* histograms = studio.find<HistogramView>("layer-histograms");
    QTRY_VERIFY_WITH_TIMEOUT(histograms->shown(), 30000);
    studio.picture("where-2-map");
    // Another layer that the user chooses has other numbers.
    auto* component = studio.find<QComboBox>("layers-component");
    component->setCurrentIndex(component->findData("transformer"));
    studio.find<QToolButton>("layers-blocks")->setChecked(true);
    panel->map().set_zoom(2);
    const QModelIndex cell = panel->map().model()->index(1, 1);
    panel->map().scrollTo(cell);
    studio.click(panel->map().viewport(), panel->map().visualRect(cell).center());
    QCOMPARE(panel->map().currentIndex(), cell);
    QVERIFY(studio.find<QLabel>("layer-name")->text() != found);
    QTRY_VERIFY_WITH_TIMEOUT(histograms->shown(), 30000);
    studio.picture("where-3-blocks");
    studio.click(divergence, {divergence->width() - 12, divergence->height() / 2});
    const int last = app::RunHistory::record(studio.window().viewer().run(app::Side::a)).total_steps;
    QCOMPARE(studio.find<StepStrip>("run-steps")->step(), last);
    QCOMPARE(studio.find<StepStrip>("run-steps-b")->step(), last);
    studio.theme().set_scheme(Scheme::light);
    studio.picture("where-4-light");
    studio.window().resize(2560, 1440);
    QTest::qWait(200);
    studio.picture("where-5-light-large");
    studio.theme().set_scheme(Scheme::dark);
    studio.picture("where-6-dark-large");
}

} // namespace denoir::ui
