// SPDX-License-Identifier: Apache-2.0
// The cells of sweeps and the queue: what failed, is lost, was taken out of the line or left by a program that ended.
#include <QTest>
#include <algorithm>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/runs/run_history.h"
#include "engine/core/atomic_file.h"
#include "engine/core/own_folders.h"
#include "tests/app/sweep/sweep_fixture.h"

using namespace denoir;
using namespace denoir::app;

class SweepCellsTest : public QObject, private SweepFixture {
    Q_OBJECT
private slots:
    void init() { begin(); }
    void cleanup() { end(); }
    void a_failed_cell_is_tried_again();
    void cells_of_one_run_are_tried_again_together();
    void what_was_made_meanwhile_is_not_rendered_again();
    void a_failure_that_was_not_written_down_is_filled_in();
    void two_that_were_not_written_down_are_filled_in();
    void what_waits_can_be_taken_out();
    void a_lost_run_is_reported();
    void a_lost_run_is_rendered_once_for_all_its_cells();
    void goes_on_after_a_restart();
    void the_time_left_is_that_of_all_that_waits();
};

void SweepCellsTest::a_failed_cell_is_tried_again() {
    namespace fs = std::filesystem;
    const fs::path model = to_path(home_->file("model")), aside = to_path(home_->file("aside"));
    fs::copy(DENOIR_TINY_MODEL, model, fs::copy_options::recursive);
    prepare({{"steps", "2"}});
    studio_->document.set_value("model", to_qstring(model));
    QVERIFY(studio_->document.wait_resolved(20000));
    queue().set_paused(true);
    start();
    fs::rename(model, aside);
    queue().set_paused(false);
    QTRY_COMPARE_WITH_TIMEOUT(sweeps().cell(0).state, CellState::failed, 30000);
    QVERIFY(!sweeps().cell(0).issue.isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(
        sweeps().flush() && SweepFolder::open(to_path(sweeps().shown()->path())).record().cells[0].error, 10000);
    fs::rename(aside, model);
    sweeps().retry({0});
    finish();
    QVERIFY(!sweeps().shown()->cell(0).error);
}

/// Their entry may be in the queue, may have been cleared, or may come from an earlier session.
void SweepCellsTest::cells_of_one_run_are_tried_again_together() {
    queue().set_paused(true);
    start_with_equal_requests();
    const std::filesystem::path runs = data_folder() / "runs";
    std::filesystem::remove_all(runs);
    write_file(runs, "in the way");
    queue().set_paused(false);
    QTRY_VERIFY_WITH_TIMEOUT(all(CellState::failed), 30000);
    queue().set_paused(true);
    sweeps().retry({0});
    QCOMPARE(sweeps().cell(2).state, CellState::waiting);
    QCOMPARE(queue().rowCount(), 2);
    sweeps().clear_waiting();
    QCOMPARE(sweeps().cell(0).state, CellState::missing);
    QCOMPARE(sweeps().cell(2).state, CellState::missing); // the earlier failure is forgotten
    queue().clear_ended();
    sweeps().retry_all();
    QTRY_VERIFY_WITH_TIMEOUT(all(CellState::waiting), 20000);
    QCOMPARE(queue().rowCount(), 2);
    sweeps().clear_waiting();
    for (int again = 0; again < 2; ++again) sweeps().retry({2}); // asked twice, it is queued once
    QTRY_COMPARE_WITH_TIMEOUT(sweeps().cell(0).state, CellState::waiting, 20000);
    sweeps().retry_all();
    QTRY_VERIFY_WITH_TIMEOUT(all(CellState::waiting), 20000);
    QCOMPARE(queue().rowCount(), 2);
    sweeps().clear_waiting();
    studio_.reset();
    std::filesystem::remove(runs);
    open();
    studio_->start();
    QTRY_VERIFY_WITH_TIMEOUT(sweeps().shown(), 10000);
    sweeps().retry_all();
    QTRY_VERIFY_WITH_TIMEOUT(all(CellState::waiting), 20000);
    QCOMPARE(queue().rowCount(), 2);
    queue().set_paused(false);
    finish();
    QCOMPARE(sweeps().shown()->cell(0).run, sweeps().shown()->cell(2).run);
}

void SweepCellsTest::what_was_made_meanwhile_is_not_rendered_again() {
    prepare({{"steps", "2, 3"}});
    queue().set_paused(true);
    start();
    sweeps().clear_waiting();
    queue().add(studio_->document.snapshot()); // the user renders the clip of three steps by hand
    queue().set_paused(false);
    QTRY_VERIFY_WITH_TIMEOUT(!studio_->history.newest_done().isEmpty(), 30000);
    sweeps().retry_all();
    QTRY_COMPARE_WITH_TIMEOUT(sweeps().cell(1).state, CellState::done, 20000);
    QVERIFY(sweeps().shown()->cell(1).reused);
    finish();
    QCOMPARE(queue().rowCount(), 2);
}

/// The program was killed when the queue had stored the failure and the sweep had not.
void SweepCellsTest::a_failure_that_was_not_written_down_is_filled_in() {
    prepare({{"steps", "2"}});
    queue().set_paused(true);
    start();
    const QString path = sweeps().shown()->path();
    const std::filesystem::path runs = data_folder() / "runs";
    std::filesystem::remove_all(runs);
    write_file(runs, "in the way");
    queue().set_paused(false);
    QTRY_COMPARE_WITH_TIMEOUT(sweeps().cell(0).state, CellState::failed, 30000);
    studio_.reset();
    {
        SweepFolder folder = SweepFolder::take(to_path(path));
        folder.record().cells[0] = {};
        folder.save();
    }
    open();
    studio_->start();
    QTRY_VERIFY_WITH_TIMEOUT(sweeps().shown() && sweeps().shown()->cell(0).error, 10000);
    QCOMPARE(sweeps().cell(0).state, CellState::failed);
}

/// These sweeps are not shown, and each reads the queue by itself.
void SweepCellsTest::two_that_were_not_written_down_are_filled_in() {
    prepare({{"steps", "2, 3"}});
    start();
    const QString path = sweeps().shown()->path();
    finish();
    studio_->settings.set_value("tune/shown", {});
    studio_.reset();
    {
        SweepFolder folder = SweepFolder::take(to_path(path));
        for (SweepCell& cell : folder.record().cells) cell = {};
        folder.save();
    }
    open();
    studio_->start();
    const auto written = [&] {
        const std::vector<SweepCell> cells = SweepFolder::open(to_path(path)).record().cells;
        return std::all_of(cells.begin(), cells.end(),
                           [](const SweepCell& cell) { return cell.state == SweepCell::State::done; });
    };
    QTRY_VERIFY_WITH_TIMEOUT(written(), 10000);
}

void SweepCellsTest::what_waits_can_be_taken_out() {
    prepare();
    queue().set_paused(true);
    queue().add(studio_->document.snapshot()); // an entry of no sweep
    start();
    QVERIFY(all(CellState::waiting));
    sweeps().clear_waiting();
    QVERIFY(all(CellState::missing));
    QCOMPARE(queue().rowCount(), 1);
    queue().undo_clear();
    QVERIFY(all(CellState::waiting));
    sweeps().clear_waiting();
    sweeps().retry({1});
    QTRY_COMPARE_WITH_TIMEOUT(sweeps().cell(1).state, CellState::waiting, 20000);
    queue().set_paused(false);
    QTRY_COMPARE_WITH_TIMEOUT(sweeps().cell(1).state, CellState::done, 30000);
    QCOMPARE(sweeps().progress().missing, 3);
}

void SweepCellsTest::a_lost_run_is_reported() {
    prepare();
    start();
    finish();
    const QString run = to_qstring(sweeps().shown()->cell(3).run);
    QTRY_VERIFY_WITH_TIMEOUT(studio_->history.contains(run), 10000);
    QVERIFY(QTest::qWaitFor([&] { return studio_->history.remove({run}).size() == 1; }, 10000));
    QCOMPARE(sweeps().cell(3).state, CellState::gone);
    studio_->history.restore();
    QCOMPARE(sweeps().cell(3).state, CellState::done);
    // Until the index has seen the run.
    QVERIFY(QTest::qWaitFor([&] { return studio_->history.remove({run}).size() == 1; }, 10000));
    const int before = queue().rowCount();
    sweeps().retry({3});
    finish();
    QCOMPARE(queue().rowCount(), before + 1);
    QVERIFY(std::filesystem::exists(sweeps().shown()->cell(3).run / "video.mp4"));
}

void SweepCellsTest::a_lost_run_is_rendered_once_for_all_its_cells() {
    start_with_equal_requests();
    finish();
    const QString run = to_qstring(sweeps().shown()->cell(0).run);
    QCOMPARE(to_qstring(sweeps().shown()->cell(2).run), run);
    QTRY_VERIFY_WITH_TIMEOUT(studio_->history.contains(run), 10000);
    QVERIFY(QTest::qWaitFor([&] { return studio_->history.remove({run}).size() == 1; }, 10000));
    QCOMPARE(sweeps().progress().missing, 2);
    const int before = queue().rowCount();
    sweeps().retry_all();
    QTRY_COMPARE_WITH_TIMEOUT(queue().rowCount(), before + 1, 20000);
    finish();
    QCOMPARE(sweeps().shown()->cell(0).run, sweeps().shown()->cell(2).run);
    QVERIFY(std::filesystem::exists(sweeps().shown()->cell(2).run / "video.mp4"));
}

void SweepCellsTest::goes_on_after_a_restart() {
    prepare({{"steps", "2, 3, 40"}, {"guidance", "1, 3"}});
    start();
    const QString path = sweeps().shown()->path();
    QTRY_VERIFY_WITH_TIMEOUT(sweeps().progress().done >= 1, 30000);
    studio_.reset(); // the program ends in the middle of the sweep
    open();
    studio_->start();
    QTRY_VERIFY_WITH_TIMEOUT(sweeps().shown() && sweeps().shown()->path() == path, 10000);
    QVERIFY(sweeps().progress().done >= 1);
    QTRY_VERIFY_WITH_TIMEOUT(queue().running() == 0 && queue().waiting() == 0, 60000);
    sweeps().retry_all(); // takes up the cell that was being rendered
    finish();
}

/// For cells that wait since an earlier session no time is known, so no total may be shown.
void SweepCellsTest::the_time_left_is_that_of_all_that_waits() {
    prepare({{"steps", "2, 3"}});
    start();
    finish(); // now the pace is known
    queue().set_paused(true);
    prepare({{"steps", "4, 5, 6"}});
    start();
    const QString path = sweeps().shown()->path();
    QVERIFY(sweeps().progress().seconds_left > 0);
    queue().remove(queue().index(queue().rowCount() - 1).data(RunQueue::IdRole).toULongLong());
    QCOMPARE(sweeps().progress().open, 2);
    studio_.reset();
    open();
    studio_->start();
    QTRY_VERIFY_WITH_TIMEOUT(sweeps().shown() && sweeps().shown()->path() == path, 10000);
    sweeps().retry_all();
    QTRY_COMPARE_WITH_TIMEOUT(sweeps().progress().open, 3, 20000);
    QCOMPARE(sweeps().progress().seconds_left, -1.0);
}

QTEST_MAIN(SweepCellsTest)
#include "sweep_cells_test.moc"
