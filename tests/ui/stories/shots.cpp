// SPDX-License-Identifier: Apache-2.0
// Shots on the timeline.
#include <QContextMenuEvent>
#include <QFile>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>

#include "app/base/text.h"
#include "app/clips/exact_clip.h"
#include "app/project/cut_exporter.h"
#include "tests/app/clips.h"
#include "tests/ui/fields.h"
#include "tests/ui/stories/stories.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/elided_label.h"

namespace denoir::ui {

/// Three shots with the mouse: arranged, trimmed, split, removed, undone, played through, and exported with the dialog.
void StoriesTest::a_cut_of_three() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model();
    studio.find<QSpinBox>("copies")->setValue(3);
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(studio.idle());
    auto& project = studio.core().project;
    auto* list = studio.find<RunsView>("runs");
    QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 3, 30000);
    for (int row = 2; row >= 0; --row) {
        studio.click(list->viewport(), studio.row_point(list, row));
        studio.key(Qt::Key_T);
    }
    const int each = StudioFixture::frames(), all = 3 * each;
    QTRY_COMPARE_WITH_TIMEOUT(project.shots().size(), std::size_t(3), 30000);
    QCOMPARE(project.frames(), all);
    auto* timeline = studio.find<TimelineView>("timeline");
    QWidget* track = timeline->viewport();
    QTest::qWait(300); // for the thumbnails
    studio.picture("cut-1-three-shots");

    const QString first = project.shot(0).current().run;
    studio.drag(track, timeline->shot_rect(0).center(), timeline->shot_rect(2).center() + QPoint(8, 0));
    QCOMPARE(project.shot(2).current().run, first);
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(project.shot(0).current().run, first);
    // Dragging an edge takes two frames away, in one undo step.
    const QRect shot = timeline->shot_rect(0);
    const QPoint edge(shot.right() - 2, shot.center().y());
    const double frame_width = double(shot.width() + 2) / each;
    studio.drag(track, edge, edge - QPoint(int(std::lround(2 * frame_width)), 0));
    QCOMPARE(project.shot(0).frames(), each - 2);
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(project.frames(), all);
    // The ruler moves the playhead; then the shot is split there, a part is removed, and both are undone.
    studio.click(track, {timeline->shot_rect(0).left() + int(std::lround(2 * frame_width)), 10});
    QCOMPARE(timeline->playhead(), 2);
    studio.key(Qt::Key_S);
    QCOMPARE(project.shots().size(), std::size_t(4));
    QCOMPARE(project.frames(), all);
    studio.click(track, timeline->shot_rect(0).center());
    studio.key(Qt::Key_X);
    QCOMPARE(project.shots().size(), std::size_t(3));
    QCOMPARE(project.frames(), all - 2);
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(project.frames(), all);
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(project.shots().size(), std::size_t(3));
    QSignalSpy shown(timeline, &TimelineView::show_frame);
    studio.key(Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(shown.count() >= 3, 30000);
    studio.key(Qt::Key_Space);
    studio.picture("cut-2-played");

    // An export that is stopped leaves no file.
    auto& exporter = studio.core().exporter;
    app::Arrivals decoding(&exporter, &app::CutExporter::decoding), cancelled(&exporter, &app::CutExporter::cancelled),
        finished(&exporter, &app::CutExporter::finished);
    const auto* stage = studio.find<ElidedLabel>("status-stage");
    studio.key(Qt::Key_E, Qt::ControlModifier);
    QVERIFY(studio.answer_file_dialog(home.file("stopped.mp4")));
    QTRY_VERIFY_WITH_TIMEOUT(decoding.count() > 0, 30000);
    QVERIFY2(stage->whole().contains("exporting"), qPrintable(stage->whole()));
    studio.snapshot("cut-3-exporting");
    studio.window().activateWindow();
    studio.key(Qt::Key_Escape);
    QTRY_COMPARE_WITH_TIMEOUT(cancelled.count() + finished.count(), 1, 30000);
    QCOMPARE(cancelled.count(), 1);
    QVERIFY(!QFile::exists(home.file("stopped.mp4")));
    // The whole export has the frames that the latents decode to.
    const QString out = home.file("cut.mkv");
    studio.key(Qt::Key_E, Qt::ControlModifier);
    QVERIFY(studio.answer_file_dialog(out));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 120000);
    std::vector<Image> expected;
    for (const app::Shot& each_shot : project.shots())
        for (Image& frame : app::frames_in_turn(app::exact_clip(each_shot.current().run, {}, [](double, double) {})))
            expected.push_back(std::move(frame));
    QVERIFY(app::frames_in_turn(out) == expected);
    QVERIFY(studio.press("Show it"));
    QTRY_VERIFY_WITH_TIMEOUT(studio.window().preview().info(app::Side::a) &&
                                 studio.window().preview().info(app::Side::a)->frames == all,
                             10000);
    studio.picture("cut-4-exported");
}

/// A shot goes on with its last pictures, then a part of it is made again, and then all of it. Keys do it, and undo
/// takes it back.
void StoriesTest::longer() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model();
    studio.core().document.set_value(QStringLiteral("frames"), 13);
    QVERIFY(studio.core().document.wait_resolved(20000));
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(studio.idle());
    auto& project = studio.core().project;
    auto* list = studio.find<RunsView>("runs");
    QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 1, 30000);
    studio.click(list->viewport(), studio.row_point(list, 0));
    studio.key(Qt::Key_T);
    QTRY_COMPARE_WITH_TIMEOUT(project.count(), 1, 30000);
    auto* timeline = studio.find<TimelineView>("timeline");
    studio.click(timeline->viewport(), timeline->shot_rect(0).center());
    studio.key(Qt::Key_E);
    QTRY_VERIFY_WITH_TIMEOUT(studio.window().banners().texts().join('\n').contains("continues"), 20000);
    QVERIFY(studio.core().document.wait_resolved(20000));
    studio.picture("longer-1-extend");
    // The clip may begin anew instead, which one undo step takes back.
    auto* after_field = studio.find<Field>("goes-on-after");
    QVERIFY(after_field->isVisible());
    QTest::mouseClick(after_field->findChild<QToolButton*>("begin-anew"), Qt::LeftButton);
    QVERIFY(!after_field->isVisible() && !studio.core().document.asked().forcing);
    QVERIFY(!studio.window().banners().texts().join('\n').contains("continues"));
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(after_field->isVisible());
    QVERIFY(studio.core().document.set_value("forcing.video", "/missing.mp4").isEmpty());
    QVERIFY(studio.core().document.wait_resolved(20000));
    QVERIFY(!studio.core().document.resolved() && shows_error(after_field));
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    studio.click(timeline->viewport(), timeline->shot_rect(0).center());
    studio.key(Qt::Key_E);
    QTRY_VERIFY_WITH_TIMEOUT(studio.window().banners().texts().join('\n').contains("continues"), 20000);
    QVERIFY(studio.core().document.wait_resolved(20000));
    auto* copies = studio.find<QSpinBox>("copies");
    copies->setValue(2); // two takes of one shot to choose from
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    // The next clip stands alone, unless that is undone.
    QVERIFY(!after_field->isVisible() && !studio.core().document.asked().forcing);
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(after_field->isVisible());
    studio.key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(!after_field->isVisible());
    QVERIFY(studio.idle());
    copies->setValue(1);
    QTRY_COMPARE_WITH_TIMEOUT(project.count(), 2, 30000);
    QCOMPARE(project.shot(1).takes.size(), std::size_t(2));
    const auto forcing = app::RunHistory::record(project.shot(1).current().run).request.forcing;
    QCOMPARE(app::to_qstring(forcing->video), project.shot(0).current().video);
    const int given = forcing->overlap;
    QCOMPARE(project.shot(1).in, given); // the pictures that it goes on after are not shown again
    // The new clip begins with the last pictures of the shot, as well as a single latent frame can hold them.
    const auto before = app::frames_in_turn(project.shot(0).current().video),
               after = app::frames_in_turn(project.shot(1).current().video);
    const auto apart = [](const Image& a, const Image& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.rgb.size(); ++i) sum += std::abs(a.rgb[i] - b.rgb[i]);
        return sum / double(a.rgb.size());
    };
    const std::size_t seam = std::size_t(given);
    QVERIFY2(apart(before.back(), after[seam - 1]) < 16,
             qPrintable(QString::number(apart(before.back(), after[seam - 1]))));
    QVERIFY(apart(before.back(), after[seam - 1]) < apart(before.front(), after[seam - 1]));

    // A part in the middle of the first shot, with pictures before and after it.
    QVERIFY(project.split(0, 5) && project.split(1, 7));
    studio.click(timeline->viewport(), timeline->shot_rect(1).center());
    studio.key(Qt::Key_R);
    QVERIFY(studio.idle());
    QTRY_COMPARE_WITH_TIMEOUT(project.shot(1).takes.size(), std::size_t(2), 30000);
    const app::Shot& part = project.shot(1);
    QCOMPARE(part.frames(), 2);
    QCOMPARE(part.in, 5); // it begins with these frames of the take before
    const Request again = app::RunHistory::record(part.current().run).request;
    QCOMPARE(*again.frames, 9);
    QCOMPARE(*again.forcing->video_frames, 5);
    studio.picture("longer-2-part-retaken");
    for (int i = 0; i < 3; ++i) studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(project.count(), 2);

    // The same from the menu of the shot.
    QContextMenuEvent asked(QContextMenuEvent::Mouse, timeline->shot_rect(0).center(), {});
    QApplication::sendEvent(timeline->viewport(), &asked);
    auto* menu = timeline->findChild<QMenu*>();
    for (QAction* action : menu->actions())
        if (action->text() == QStringLiteral("Retake")) action->trigger();
    menu->close();
    QVERIFY(studio.idle());
    // The user gives up what was undone.
    QVERIFY(QTest::qWaitFor([&] { return studio.press("Put in now"); }, 30000));
    QTRY_COMPARE_WITH_TIMEOUT(project.shot(0).takes.size(), std::size_t(2), 30000);
    QCOMPARE(project.shot(0).take, 1);
    QVERIFY(project.shot(0).takes[0].run != project.shot(0).takes[1].run);
    studio.picture("longer-3-retaken");
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(project.shot(0).takes.size(), std::size_t(1));
}

} // namespace denoir::ui
