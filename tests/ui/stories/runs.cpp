// SPDX-License-Identifier: Apache-2.0
// A run, its neighbours, and one that is stopped.
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>

#include "tests/ui/stories/stories.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/step_strip.h"

namespace denoir::ui {

/// The first minute: start, see a picture move, change a word, press Ctrl+Enter, watch the steps clear up, and see the
/// clip play.
void StoriesTest::first_minute() {
    const app::Home home;
    {
        StudioFixture before;
        before.use_model();
        before.key(Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(before.idle());
        QTRY_COMPARE_WITH_TIMEOUT(before.core().history.total(), 1, 30000);
        before.window().close();
    }
    StudioFixture studio;
    auto& player = studio.window().preview().player();
    QTRY_VERIFY_WITH_TIMEOUT(player.frames() == StudioFixture::frames() && player.playing(), 30000);
    QSignalSpy moved(&player, &app::Player::frame_changed);
    QTRY_VERIFY_WITH_TIMEOUT(moved.count() >= 3, 30000);
    studio.picture("first-minute-1-start");

    auto* prompt = studio.find<QPlainTextEdit>("prompt");
    const QString red = StudioFixture::prompt(), green = QString(red).replace("red", "green");
    QCOMPARE(prompt->toPlainText(), red);
    studio.click(prompt->viewport(), {4, 8});
    studio.key(Qt::Key_Home);
    for (int i = 0; i < 2; ++i) studio.key(Qt::Key_Right, Qt::ControlModifier); // before "balloon"
    studio.key(Qt::Key_Left, Qt::ControlModifier | Qt::ShiftModifier);
    studio.type("green ");
    QCOMPARE(prompt->toPlainText(), green);
    QVERIFY(studio.core().document.wait_resolved(20000));
    app::Arrivals steps(&studio.core().worker, &app::EngineWorker::step_done);
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(steps.count() >= (StudioFixture::large() ? 9 : 2), 60000);
    QVERIFY(studio.find<QWidget>("live-steps")->isVisible());
    studio.picture("first-minute-2-clearing-up");
    QVERIFY(studio.idle());
    QTRY_COMPARE_WITH_TIMEOUT(studio.core().history.total(), 2, 30000);
    QTRY_COMPARE_WITH_TIMEOUT(studio.window().viewer().run(app::Side::a), studio.core().history.newest_done(), 30000);
    studio.click(&studio.window().preview().canvas());
    // The first run's video plays until the new one is open, which then plays by itself.
    const auto& preview = studio.window().preview();
    QTRY_COMPARE_WITH_TIMEOUT(preview.info(app::Side::a)->run, studio.window().viewer().run(app::Side::a), 20000);
    QTRY_VERIFY_WITH_TIMEOUT(player.frames() == StudioFixture::frames() && player.playing(), 20000);
    studio.key(Qt::Key_Space);
    QVERIFY(!player.playing());
    studio.key(Qt::Key_Space);
    QVERIFY(player.playing());
    studio.picture("first-minute-3-result");
    QCOMPARE(app::RunHistory::record(studio.window().viewer().run(app::Side::a)).request.prompt, green.toStdString());
}

/// Ctrl+Enter uses what stands in the field in which it is pressed. If that is no value nothing begins, and the text
/// stays to be corrected.
void StoriesTest::typed_in_a_hurry() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model();
    auto& history = studio.core().history;
    studio.click(studio.find<QLineEdit>("seed"));
    studio.key(Qt::Key_A, Qt::ControlModifier);
    studio.type("18");
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 1, 30000); // until the typed request is resolved
    QVERIFY(studio.idle());
    QCOMPARE(history.index(0).data(Role::SeedRole).toULongLong(), 18ULL);

    studio.click(studio.find<QDoubleSpinBox>("guidance")->findChild<QLineEdit*>());
    studio.key(Qt::Key_A, Qt::ControlModifier);
    studio.type("3,5");
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 2, 30000);
    QVERIFY(studio.idle());
    const QString second = history.index(0).data(Role::PathRole).toString();
    QCOMPARE(app::RunHistory::record(second).request.guidance.value_or(0), 3.5);

    auto* size = studio.find<QComboBox>("size")->lineEdit();
    const QString before = size->text();
    studio.click(size);
    studio.key(Qt::Key_A, Qt::ControlModifier);
    studio.type("300x");
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(!studio.core().queue.running() && studio.core().queue.waiting() == 0);
    QCOMPARE(size->text(), QStringLiteral("300x"));
    studio.picture("typed-in-a-hurry-refused");
    studio.click(studio.find<QDoubleSpinBox>("guidance")->findChild<QLineEdit*>());
    studio.key(Qt::Key_Z, Qt::ControlModifier); // nothing was typed there, so the last change is undone
    QVERIFY(studio.core().document.value("guidance").toDouble() != 3.5);
    QCOMPARE(size->text(), before);

    auto* frames = studio.find<QDoubleSpinBox>("frames");
    studio.click(frames->findChild<QLineEdit*>());
    studio.key(Qt::Key_A, Qt::ControlModifier);
    studio.type("10");
    studio.key(Qt::Key_Return);
    QCOMPARE(frames->value(), 9.0);
    const auto labels = studio.window().findChildren<QLabel*>();
    QVERIFY(
        std::any_of(labels.begin(), labels.end(), [](const QLabel* l) { return l->text().contains("10 became 9"); }));
}

/// Queue four seeds, star one, delete the others, and undo that.
void StoriesTest::which_seed() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model();
    studio.find<QSpinBox>("copies")->setValue(4);
    studio.click(studio.find<QPushButton>("generate"));
    QCOMPARE(studio.core().queue.rowCount(), 4);
    QVERIFY(studio.idle());
    auto& history = studio.core().history;
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 4, 30000);
    QSet<quint64> seeds;
    for (int row = 0; row < 4; ++row) seeds.insert(history.index(row).data(Role::SeedRole).toULongLong());
    QCOMPARE(seeds.size(), 4);

    auto* list = studio.find<RunsView>("runs");
    QTest::qWait(50);
    studio.click(list->viewport(), RunDelegate::star_rect(list->visualRect(list->model()->index(1, 0))).center());
    QVERIFY(history.index(1).data(Role::StarredRole).toBool());
    const QString kept = history.index(1).data(Role::PathRole).toString();
    studio.picture("which-seed-1-starred");
    studio.click(list->viewport(), studio.row_point(list, 0));
    for (const int row : {2, 3}) studio.click(list->viewport(), studio.row_point(list, row), Qt::ControlModifier);
    studio.key(Qt::Key_Delete);
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 1, 30000);
    QCOMPARE(history.index(0).data(Role::PathRole).toString(), kept);
    studio.picture("which-seed-2-thrown-away");
    QVERIFY(studio.press("Undo"));
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 4, 30000);
    QVERIFY(history.starred(kept));
    studio.click(list->viewport(), studio.row_point(list, 0));
    studio.key(Qt::Key_Delete);
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 3, 30000);
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 4, 30000);
    // Only the starred runs, and then a search without a result.
    studio.click(studio.find<QToolButton>("runs-starred"));
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 1, 30000);
    studio.click(studio.find<QToolButton>("runs-starred"));
    studio.key(Qt::Key_F, Qt::ControlModifier);
    studio.type("zeppelin");
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 0, 30000);
    QVERIFY(!list->isVisible());
}

/// Esc stops a run, which is branched from step 3 with another guidance without computing the first three steps again.
void StoriesTest::stop_early() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model(200);
    app::Arrivals steps(&studio.core().worker, &app::EngineWorker::step_done);
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(steps.count() >= 6, 30000);
    const auto& history = studio.core().history;
    QTRY_COMPARE_WITH_TIMEOUT(app::RunHistory::standing(history.index(0)), app::RunStanding::running, 30000);
    QTRY_VERIFY_WITH_TIMEOUT(history.index(0).data(Role::StepsDoneRole).toInt() >= 2, 30000);
    studio.key(Qt::Key_Escape);
    QVERIFY(studio.idle());
    const auto& queue = studio.core().queue;
    QCOMPARE(QueueState(queue.index(queue.rowCount() - 1).data(app::RunQueue::StateRole).toInt()),
             QueueState::cancelled);
    const QString parent = queue.index(queue.rowCount() - 1).data(app::RunQueue::RunRole).toString();
    studio.picture("stop-early-1-stopped");
    const int done = int(app::RunHistory::record(parent).steps.size()) - 1;
    QVERIFY(done >= 6 && done < 200);

    auto* strip = studio.find<StepStrip>("live-steps");
    QVERIFY(strip->isVisible());
    strip->set_step(3);
    studio.picture("stop-early-2-step-3");
    studio.click(&studio.window().preview().canvas());
    studio.key(Qt::Key_B);
    QTRY_VERIFY_WITH_TIMEOUT(studio.core().document.asked().start.has_value(), 20000);
    QCOMPARE(studio.core().document.asked().start->step, 3);
    // Another guidance is typed.
    auto* guidance = studio.find<QDoubleSpinBox>("guidance");
    studio.click(guidance->findChild<QLineEdit*>());
    studio.key(Qt::Key_A, Qt::ControlModifier);
    studio.type("2");
    studio.key(Qt::Key_Tab);
    QVERIFY(studio.core().document.wait_resolved(20000));
    QCOMPARE(studio.core().document.value("guidance").toDouble(), 2.0);
    steps.clear();
    app::Arrivals created(&studio.core().worker, &app::EngineWorker::run_created);
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(steps.count() >= 2, 30000);
    studio.key(Qt::Key_Escape);
    QVERIFY(studio.idle());
    // The branch began after step 3 and has the parent's first steps, byte for byte.
    QCOMPARE(created.first()[3].toInt(), 3);
    const auto branch = app::RunHistory::record(created.first()[1].toString()), from = app::RunHistory::record(parent);
    QCOMPARE(branch.request.guidance, std::optional<double>(2.0));
    for (int step = 0; step <= 3; ++step) {
        QVERIFY(branch.find(step) && from.find(step));
        QCOMPARE(branch.find(step)->sha256, from.find(step)->sha256);
    }
    QVERIFY(branch.find(4)->sha256 != from.find(4)->sha256);
}

} // namespace denoir::ui
