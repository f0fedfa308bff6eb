// SPDX-License-Identifier: Apache-2.0
// What is done to runs by hand, and what must outlive it.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <optional>

#include "app/base/text.h"
#include "app/runs/run_history.h"
#include "app/runs/run_row.h"
#include "engine/core/own_folders.h"
#include "tests/app/fake_runs.h"
#include "tests/app/runs/history_in_home.h"

using namespace denoir;
using namespace denoir::app;
namespace fs = std::filesystem;

class RunHistoryEditsTest : public QObject, protected HistoryInHome {
    Q_OBJECT
private slots:
    void init() { enter(); }
    void cleanup() { leave(); }

    /// In whatever order runs are removed, the next one is the first behind them that is still shown.
    void what_stood_behind_the_first_that_went_is_next() {
        for (int i = 1; i <= 6; ++i) fake_run(runs_, i, false);
        open();
        const QString second = run(1), third = run(2), fourth = run(3), fifth = run(4), last = run(5);
        QSignalSpy removed(&*history_, &RunHistory::removed);
        const auto next_after = [&](const QStringList& going) {
            const bool went = history_->remove(going) == going;
            return went ? removed.last().at(1).toString() : QString();
        };
        for (const QStringList& going : {QStringList{second, fifth}, QStringList{fifth, second}}) {
            QCOMPARE(next_after(going), third);
            history_->restore();
            QTRY_COMPARE_WITH_TIMEOUT(history_->rowCount(), 6, 30000);
        }
        for (const QString& named : {second, fourth}) history_->set_name(named, QStringLiteral("named"));
        history_->set_search(QStringLiteral("named"));
        QCOMPARE(history_->rowCount(), 2);
        QCOMPARE(next_after({fourth}), second); // no run behind it is shown, so it is the last one before
        QCOMPARE(next_after({second}), third);  // no run is shown at all
        history_->set_search({});
        QCOMPARE(next_after({last}), fifth);
    }

    /// The command line works on this run, and its folder among the runs does not change.
    void a_run_that_another_program_is_at_work_on_is_followed() {
        auto other = std::optional(RunFolder::take(fake_run(runs_, 1, false)));
        const std::vector<StepRecord> steps = other->record().steps;
        other->record().state = RunState::running;
        other->record().steps.resize(3);
        other->save();
        for (int time = 0; time < 2; ++time) { // the second time it comes from the index
            tester_.reset();
            history_.reset();
            open();
        }
        const auto standing = [&] { return RunHistory::standing(history_->index(0)); };
        const auto steps_done = [&] { return history_->index(0).data(RunHistory::StepsDoneRole).toInt(); };
        QCOMPARE(standing(), RunStanding::running);
        QCOMPARE(steps_done(), 2);
        other->record().steps.push_back(steps[3]);
        other->save();
        QTRY_COMPARE_WITH_TIMEOUT(steps_done(), 3, 20000);
        other->record().state = RunState::done;
        other->record().steps = steps;
        other->save();
        QTRY_COMPARE_WITH_TIMEOUT(standing(), RunStanding::done, 20000);
        QCOMPARE(steps_done(), int(steps.size()) - 1);
    }

    /// The folder does not change when a program is killed.
    void the_end_of_a_program_that_was_killed_is_noticed() {
        auto other = std::optional(RunFolder::take(fake_run(runs_, 1, false)));
        other->record().state = RunState::running;
        other->save();
        tester_.reset();
        history_.reset();
        open();
        const auto standing = [&] { return RunHistory::standing(history_->index(0)); };
        QCOMPARE(standing(), RunStanding::running);
        other.reset();
        QTRY_COMPARE_WITH_TIMEOUT(standing(), RunStanding::interrupted, 20000);
    }

    /// The user closes the window right after giving the star.
    void a_star_of_the_last_moment_is_written() {
        for (int i = 0; i < 300; ++i) fake_run_quickly(runs_, i);
        open();
        const fs::path starred = to_path(run(7));
        history_->rebuild(); // keeps the history busy, so that writing waits
        history_->set_starred(run(7), true);
        tester_.reset();
        history_.reset();
        QVERIFY(RunNotes::read(starred).starred);
    }

    /// Another studio with the same runs gives the star.
    void a_star_from_elsewhere_is_seen_at_the_next_look() {
        const fs::path path = fake_run(runs_, 1, false);
        open();
        RunNotes{true, {}, {}}.write(path);
        history_->refresh();
        QTRY_VERIFY_WITH_TIMEOUT(history_->starred(run(0)), 30000);
    }

    /// The template of a prompt is stored before the run is listed.
    void a_prompt_template_leaves_a_star_alone() {
        open();
        const fs::path path = fake_run(runs_, 1, false);
        RunNotes{true, QStringLiteral("the good one"), {}}.write(path);
        history_->set_prompt_template(to_qstring(path), QStringLiteral("A {red|blue} fox"));
        QTRY_COMPARE_WITH_TIMEOUT(history_->rowCount(), 1, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(!RunNotes::read(path).prompt_template.isEmpty(), 30000);
        QVERIFY(RunNotes::read(path).starred);
        QCOMPARE(RunNotes::read(path).name, QStringLiteral("the good one"));
    }

    /// A disk that is not there for a moment must not look like a deletion.
    void what_cannot_be_looked_at_is_not_gone() {
        for (int i = 1; i <= 3; ++i) fake_run(runs_, i, false);
        open();
        const fs::path away = data_folder() / "away";
        fs::rename(runs_, away);
        history_->refresh();
        QVERIFY(history_->wait_scanned(30000));
        QCOMPARE(history_->rowCount(), 3);
        fs::rename(away, runs_);
        history_->refresh();
        QVERIFY(history_->wait_scanned(30000));
        QCOMPARE(history_->rowCount(), 3);
    }

    /// Files that somebody else put into the trash have no time in their names, and must stay.
    void files_that_the_trash_does_not_know_stay_there() {
        fake_run(runs_, 1, false);
        open();
        const fs::path kept = runs_ / ".trash" / "mine", of_others = runs_ / ".trash" / "notes-of-mine";
        history_->remove({run(0)});
        for (const fs::path& folder : {kept, of_others}) fs::create_directories(folder);
        QTest::qWait(5);
        history_->purge_trash(0);
        QVERIFY(history_->wait_scanned(30000));
        QVERIFY(fs::exists(kept) && fs::exists(of_others));
        QCOMPARE(std::distance(fs::directory_iterator(runs_ / ".trash"), fs::directory_iterator()), 2);
    }

    /// A stopped run needs its steps to go on.
    void steps_of_a_run_that_can_go_on_are_never_dropped() {
        for (int i = 1; i <= 3; ++i) fake_run(runs_, i);
        for (const auto& [name, state] :
             {std::pair("run-000001", RunState::cancelled), std::pair("run-000002", RunState::running)}) {
            RunFolder stopped = RunFolder::take(runs_ / name);
            stopped.record().state = state;
            stopped.save();
        }
        open();
        QCOMPARE(history_->plan_drop(1).runs, QStringList{run(0)});
    }

    /// Somebody may be verifying the run, or branching from it.
    void steps_of_a_run_at_work_stay() {
        const fs::path path = fake_run(runs_, 1);
        open();
        const auto plan = history_->plan_drop(1);
        QCOMPARE(plan.runs.size(), 1);
        {
            const RunFolder taken = RunFolder::take(path);
            history_->drop_latents(plan);
            QTRY_VERIFY_WITH_TIMEOUT(!history_->issue().isEmpty(), 30000);
            QVERIFY(fs::exists(taken.latents_file(0)) && fs::exists(taken.solver_file(1)));
        }
        history_->drop_latents(plan);
        QTRY_VERIFY_WITH_TIMEOUT(!fs::exists(RunFolder::open(path).latents_file(0)), 30000);
    }

private:
    QString run(int row) const { return history_->index(row).data(RunHistory::PathRole).toString(); }
};

QTEST_GUILESS_MAIN(RunHistoryEditsTest)
#include "run_history_edits_test.moc"
