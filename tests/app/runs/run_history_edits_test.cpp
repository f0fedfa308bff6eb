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

    /// In whatever order they were chosen; of those shown, while there are any.
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
        QCOMPARE(next_after({fourth}), second); // the last that is shown
        QCOMPARE(next_after({second}), third);  // none is
        history_->set_search({});
        QCOMPARE(next_after({last}), fifth);
    }

    /// As the command line is at work on one: nothing of it is in the folder of the runs.
    void a_run_that_another_program_is_at_work_on_is_followed() {
        auto other = std::optional(RunFolder::take(fake_run(runs_, 1, false)));
        const std::vector<StepRecord> steps = other->record().steps;
        other->record().state = RunState::running;
        other->record().steps.resize(3);
        other->save();
        for (int time = 0; time < 2; ++time) { // the second time it is read of the index
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

    /// Its folder does not change with that.
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

    /// Whoever closes the window right after it.
    void a_star_of_the_last_moment_is_written() {
        for (int i = 0; i < 300; ++i) fake_run_quickly(runs_, i);
        open();
        const fs::path starred = to_path(run(7));
        history_->rebuild(); // what is to be written waits for it
        history_->set_starred(run(7), true);
        tester_.reset();
        history_.reset();
        QVERIFY(RunNotes::read(starred).starred);
    }

    /// As another studio on the same runs does.
    void a_star_from_elsewhere_is_seen_at_the_next_look() {
        const fs::path path = fake_run(runs_, 1, false);
        open();
        RunNotes{true, {}, {}}.write(path);
        history_->refresh();
        QTRY_VERIFY_WITH_TIMEOUT(history_->starred(run(0)), 30000);
    }

    /// The prompt that a run was asked for with is noted before it is listed.
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

    /// A disk that is not there for a moment is no deletion.
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

    /// What somebody put there has no time in front of its name.
    void what_is_not_of_the_trash_stays_there() {
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

    /// What was stopped can go on only from its steps.
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

    /// Somebody verifies it, or branches off.
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
