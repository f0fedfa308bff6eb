// SPDX-License-Identifier: Apache-2.0
#include "app/runs/run_queue.h"

#include <QAbstractItemModelTester>
#include <QDir>
#include <QFile>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

#include "app/base/text.h"
#include "engine/session/run_folder.h"
#include "tests/app/arrivals.h"
#include "tests/app/full_disk.h"
#include "tests/app/runs/queue_in_home.h"
#include "tests/app/tiny.h"

using namespace denoir;
using namespace denoir::app;

namespace {

RequestDocument::Snapshot tiny(quint64 seed, int steps = 3) {
    RequestDocument::Snapshot out;
    out.request = tiny_request();
    out.request.seed = seed;
    out.request.steps = steps;
    out.prompt_template = QStringLiteral("A {red|blue} balloon.");
    out.negative_template = QStringLiteral("{blurred|static}");
    return out;
}

} // namespace

class RunQueueTest : public QObject, protected QueueInHome {
    Q_OBJECT
private slots:
    void init() { enter(); }
    void cleanup() { leave(); }

    void order_edit_and_undo() {
        queue_->set_paused(true);
        queue_->start();
        for (quint64 seed = 1; seed <= 4; ++seed) queue_->add(tiny(seed));
        queue_->add(tiny(9), true);
        QCOMPARE(seeds(), (QList<quint64>{9, 1, 2, 3, 4}));
        QVERIFY(queue_->move(id(0), 3));
        QCOMPARE(seeds(), (QList<quint64>{1, 2, 3, 9, 4}));
        QVERIFY(queue_->move(id(4), 0));
        QCOMPARE(seeds(), (QList<quint64>{4, 1, 2, 3, 9}));
        std::unique_ptr<QMimeData> drag(queue_->mimeData({queue_->index(0)}));
        queue_->dropMimeData(drag.get(), Qt::MoveAction, 5, 0, {});
        QCOMPARE(seeds(), (QList<quint64>{1, 2, 3, 9, 4}));
        QVERIFY(!queue_->moveRows({}, 1, 1, {}, 2)); // onto its own place
        auto snapshot = *queue_->snapshot(id(1));
        QCOMPARE(snapshot.prompt_template, QStringLiteral("A {red|blue} balloon."));
        snapshot.request.seed = 77;
        QVERIFY(queue_->replace(id(1), snapshot));
        queue_->cancel(id(0)); // a waiting entry leaves the queue
        QCOMPARE(seeds(), (QList<quint64>{77, 3, 9, 4}));
        queue_->clear_waiting();
        QCOMPARE(queue_->rowCount(), 0);
        QVERIFY(queue_->can_undo_clear());
        QSignalSpy inserted(&*queue_, &QAbstractItemModel::rowsInserted);
        queue_->undo_clear();
        QCOMPARE(inserted.count(), 1); // neighbours come back together
        QCOMPARE(seeds(), (QList<quint64>{77, 3, 9, 4}));
        QVERIFY(queue_->flush());
        reopen();
        QVERIFY(queue_->paused());
        QCOMPARE(seeds(), (QList<quint64>{77, 3, 9, 4}));
        QCOMPARE(queue_->snapshot(id(0))->prompt_template, QStringLiteral("A {red|blue} balloon."));
        QCOMPARE(queue_->snapshot(id(0))->negative_template, QStringLiteral("{blurred|static}"));
        QCOMPARE(queue_->snapshot(id(0))->request.model, tiny_request().model);
    }

    void many_at_once_keep_their_tags() {
        queue_->set_paused(true);
        queue_->start();
        queue_->add(tiny(1));
        const auto ids = queue_->add_all({{tiny(2), "one|a"}, {tiny(3), "two|b"}, {tiny(4), "one|c"}});
        QCOMPARE(ids.size(), 3);
        QCOMPARE(seeds(), (QList<quint64>{1, 2, 3, 4}));
        QVERIFY(queue_->flush());
        reopen();
        QCOMPARE(queue_->index(1).data(RunQueue::TagRole).toString(), QString("one|a"));
        QCOMPARE(queue_->index(1).data(RunQueue::IdRole).toULongLong(), ids[0]);
        QVERIFY(queue_->index(0).data(RunQueue::TagRole).toString().isEmpty());
        queue_->clear_tagged("one|");
        QCOMPARE(seeds(), (QList<quint64>{1, 3}));
        queue_->undo_clear();
        QCOMPARE(seeds(), (QList<quint64>{1, 2, 3, 4}));
        QCOMPARE(queue_->index(3).data(RunQueue::TagRole).toString(), QString("one|c"));
    }

    void what_was_removed_comes_back_one_after_another() {
        queue_->set_paused(true);
        queue_->start();
        queue_->add_all({{tiny(1), {}}, {tiny(2), {}}, {tiny(3), {}}});
        Arrivals removed(&*queue_, &RunQueue::entries_removed), restored(&*queue_, &RunQueue::entries_restored);
        queue_->remove(id(1));
        queue_->remove(id(0));
        queue_->clear_ended(); // nothing has ended
        QCOMPARE(seeds(), (QList<quint64>{3}));
        QCOMPARE(removed.count(), 2);
        queue_->undo_clear();
        QCOMPARE(seeds(), (QList<quint64>{1, 3}));
        queue_->undo_clear();
        QCOMPARE(seeds(), (QList<quint64>{1, 2, 3}));
        QVERIFY(!queue_->can_undo_clear());
        queue_->undo_clear();
        QCOMPARE(restored.count(), 2);
        // A long session remembers only the newest removals.
        queue_->add_all(std::vector<RunQueue::Tagged>(200, {tiny(1), {}}));
        while (queue_->rowCount() > 0) queue_->remove(id(0));
        while (queue_->can_undo_clear()) queue_->undo_clear();
        QCOMPARE(queue_->rowCount(), 200);
    }

    /// Each comes back to its place, with its tag.
    void entries_come_back_with_their_runs() {
        Arrivals ended(&*queue_, &RunQueue::entry_ended);
        for (quint64 seed = 1; seed <= 3; ++seed) queue_->add(tiny(seed), false, QString::number(seed));
        queue_->start();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 3, 60000);
        QStringList runs;
        for (int row = 0; row < 3; ++row) runs << queue_->index(row).data(RunQueue::RunRole).toString();
        queue_->set_paused(true);
        queue_->add(tiny(4));
        queue_->forget({runs[0], runs[1]});
        queue_->forget({runs[2]});
        QCOMPARE(seeds(), (QList<quint64>{4}));
        queue_->remember({runs[2]});
        QCOMPARE(seeds(), (QList<quint64>{3, 4}));
        queue_->remember({runs[0], runs[1]});
        QCOMPARE(seeds(), (QList<quint64>{1, 2, 3, 4}));
        QCOMPARE(queue_->index(1).data(RunQueue::TagRole).toString(), QString("2"));
        queue_->remember(runs); // they are there already
        QCOMPARE(queue_->rowCount(), 4);
    }

    /// The history names runs by the folder behind a link.
    void entries_go_with_runs_behind_a_link() {
        const QString link = home_->data(QStringLiteral("linked"));
        QVERIFY(QFile::link(home_->data(QStringLiteral("runs")), link));
        Arrivals ended(&*queue_, &RunQueue::entry_ended);
        queue_->add(tiny(1));
        queue_->start();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 60000);
        const QString run = queue_->index(0).data(RunQueue::RunRole).toString();
        queue_->add_resume(link + u'/' + QFileInfo(run).fileName());
        QCOMPARE(queue_->rowCount(), 2);
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 2, 60000);
        queue_->forget({run});
        QCOMPARE(queue_->rowCount(), 0);
        queue_->remember({run});
        QCOMPARE(queue_->rowCount(), 2);
    }

    void runs_one_after_another() {
        Arrivals ended(&*queue_, &RunQueue::entry_ended), created(&*queue_, &RunQueue::run_created);
        queue_->add(tiny(1));
        auto bad = tiny(2);
        bad.request.image = "/no/such/picture.png";
        const quint64 failing = queue_->add(bad);
        queue_->add(tiny(3));
        queue_->start();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 3, 60000);
        QCOMPARE(created.count(), 2);
        QCOMPARE(state(0), RunQueue::State::done);
        QCOMPARE(state(1), RunQueue::State::failed);
        QCOMPARE(state(2), RunQueue::State::done);
        QVERIFY(!queue_->index(1).data(RunQueue::IssueRole).value<Issue>().isEmpty());
        QVERIFY(queue_->index(1).data(RunQueue::RunRole).toString().isEmpty()); // no empty folder is left
        QVERIFY(QFile::exists(queue_->index(0).data(RunQueue::RunRole).toString() + QStringLiteral("/video.mp4")));
        QCOMPARE(queue_->index(0).data(RunQueue::ProgressRole).toDouble(), 1.0);
        QVERIFY(queue_->retry(failing)); // it fails again and stays in the queue
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 4, 60000);
        QCOMPARE(queue_->rowCount(), 3);
        queue_->clear_ended();
        QCOMPARE(queue_->rowCount(), 0);
        queue_->undo_clear();
        QCOMPARE(queue_->rowCount(), 3);
    }

    /// If decoding was never timed, the time left is that of denoising alone and must say so.
    void the_time_left_says_what_it_covers() {
        queue_->start();
        QList<bool> alone;
        connect(&*queue_, &QAbstractItemModel::dataChanged, this, [&](const QModelIndex& entry) {
            if (entry.data(RunQueue::EtaRole).toDouble() >= 0 &&
                entry.data(RunQueue::StageRole).toInt() == int(Stage::denoise))
                alone << entry.data(RunQueue::EtaOfDenoisingRole).toBool();
        });
        for (const bool timed : {false, true}) {
            alone.clear();
            queue_->set_paused(true);
            const quint64 entry = queue_->add(tiny(1, 8));
            if (timed) queue_->set_expected(entry, {0, 1, 1});
            queue_->set_paused(false);
            QTRY_VERIFY_WITH_TIMEOUT(queue_->running() == 0 && queue_->waiting() == 0, 60000);
            QVERIFY(!alone.isEmpty() && !alone.contains(timed));
        }
    }

    /// Decoding and encoding between windows is not the end of the run.
    void progress_of_windows_never_goes_back() {
        auto windows = tiny(1, 8);
        windows.request.frames = 29;
        windows.request.forcing = Forcing{.overlap = 5, .base = 13};
        Arrivals ended(&*queue_, &RunQueue::entry_ended);
        QList<double> fractions;
        bool between = false;
        connect(&*queue_, &QAbstractItemModel::dataChanged, this, [&] {
            const QModelIndex entry = queue_->index(0);
            const int step = entry.data(RunQueue::StepRole).toInt();
            if (step == 0) return; // while the model is loaded there is no pace
            fractions << entry.data(RunQueue::ProgressRole).toDouble();
            const bool decodes = entry.data(RunQueue::StageRole) == int(Stage::decode);
            between |= decodes && step < entry.data(RunQueue::StepsRole).toInt();
        });
        queue_->add(windows);
        queue_->start();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 60000);
        QVERIFY(between && fractions.size() > 24);
        QVERIFY(std::is_sorted(fractions.begin(), fractions.end()));
        QCOMPARE(fractions.constLast(), 1.0);
    }

    void pause_cancel_and_go_on() {
        Arrivals ended(&*queue_, &RunQueue::entry_ended), steps(&*worker_, &EngineWorker::step_done);
        const quint64 first = queue_->add(tiny(1, 80), false, QStringLiteral("shot"));
        queue_->add(tiny(2));
        queue_->start();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() >= 3, 60000);
        QCOMPARE(queue_->running(), first);
        const QModelIndex row = queue_->index(queue_->row_of(first));
        QTRY_VERIFY_WITH_TIMEOUT(row.data(RunQueue::StepRole).toInt() >= 3, 30000);
        QCOMPARE(row.data(RunQueue::StepsRole).toInt(), 80);
        QTRY_VERIFY_WITH_TIMEOUT(row.data(RunQueue::ProgressRole).toDouble() > 0, 30000);
        QVERIFY(!queue_->move(first, 1)); // an entry that has begun cannot be moved
        queue_->set_paused(true);
        queue_->cancel_current();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 30000);
        QCOMPARE(state(queue_->row_of(first)), RunQueue::State::cancelled);
        QTest::qWait(100);
        QCOMPARE(queue_->running(), quint64(0)); // paused, so nothing new begins
        QCOMPARE(queue_->waiting(), 1);
        // "Resume" in the list of runs: the tag comes along although the entry was cleared, and asking twice gives one
        // entry.
        const QString run = queue_->index(queue_->row_of(first)).data(RunQueue::RunRole).toString();
        queue_->remove(first);
        const quint64 resumed = queue_->add_resume(run);
        QCOMPARE(queue_->index(queue_->row_of(resumed)).data(RunQueue::TagRole).toString(), QStringLiteral("shot"));
        QCOMPARE(queue_->add_resume(run), resumed);
        QVERIFY(!queue_->replace(resumed, tiny(3))); // a resumed run has the request of its folder
        QCOMPARE(queue_->waiting(), 2);
        queue_->remove(resumed);
        queue_->undo_clear();
        queue_->undo_clear();
        queue_->remove(resumed);
        QVERIFY(queue_->retry(first));
        QCOMPARE(queue_->index(queue_->row_of(first)).data(RunQueue::KindRole).toString(), QStringLiteral("resume"));
        QCOMPARE(queue_->index(queue_->row_of(first)).data(RunQueue::TagRole).toString(), QStringLiteral("shot"));
        queue_->set_paused(false);
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 3, 60000);
        QCOMPARE(state(queue_->row_of(first)), RunQueue::State::done);
    }

    /// The window was closed in the middle of a run.
    void what_was_at_work_is_offered_again() {
        Arrivals steps(&*worker_, &EngineWorker::step_done);
        queue_->add(tiny(1, 300));
        queue_->add(tiny(2));
        queue_->start();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() >= 2, 60000);
        const QString run = queue_->running_run();
        QVERIFY(!run.isEmpty());
        QVERIFY(queue_->flush());
        reopen();
        // The run's folder says so, from which the list of runs takes the word.
        QCOMPARE(state(0), RunQueue::State::cancelled);
        QCOMPARE(RunFolder::open(to_path(run)).record().state, RunState::cancelled);
        QCOMPARE(state(1), RunQueue::State::waiting);
        QCOMPARE(queue_->interrupted().size(), 1);
        QCOMPARE(queue_->index(0).data(RunQueue::RunRole).toString(), run);
        QVERIFY(RunFolder::open(to_path(run)).record().steps.size() >= 2);
    }

    void a_full_disk_fails_runs_and_keeps_them() {
        Arrivals ended(&*queue_, &RunQueue::entry_ended);
        queue_->add(tiny(1));
        QVERIFY(queue_->flush());
        {
            const FullDisk full;
            queue_->start();
            QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 30000);
            QCOMPARE(state(0), RunQueue::State::failed);
            QVERIFY(queue_->index(0).data(RunQueue::IssueRole).value<Issue>().no_space); // whatever the message says
            QTRY_VERIFY_WITH_TIMEOUT(!queue_->issue().isEmpty(), 30000);
        }
        QVERIFY(queue_->retry(id(0)));
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 2, 60000);
        QCOMPARE(state(0), RunQueue::State::done);
        QVERIFY(queue_->flush());
        QTRY_VERIFY_WITH_TIMEOUT(queue_->issue().isEmpty(), 30000);
    }

    /// A missing disk with the model would otherwise end all runs of a night within seconds.
    void two_failures_for_one_reason_pause_it() {
        Arrivals ended(&*queue_, &RunQueue::entry_ended), failing(&*queue_, &RunQueue::failing);
        auto lost = tiny(1);
        lost.request.model = "/nowhere/model";
        auto without_picture = tiny(2);
        without_picture.request.image = "/no/such/picture.png";
        for (const auto& request : {lost, without_picture, lost, lost, lost}) queue_->add(request);
        queue_->start();
        QTRY_COMPARE_WITH_TIMEOUT(failing.count(), 1, 30000);
        QCOMPARE(ended.count(), 4); // two failed in a row for the same reason
        QVERIFY(queue_->paused());
        QCOMPARE(queue_->waiting(), 1);
        queue_->add(lost);
        queue_->set_paused(false); // the user wants to go on, so the same reason does not pause it again
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 6, 30000);
        QCOMPARE(failing.count(), 1);
        QVERIFY(!queue_->paused());
        // A reason that was met before by a single run counts when others wait.
        auto other = tiny(4);
        other.request.model = "/nowhere/else";
        for (int i = 0; i < 2; ++i) {
            queue_->add(other);
            QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 7 + i, 30000);
        }
        QVERIFY(!queue_->paused());
        queue_->set_paused(true);
        for (int i = 0; i < 3; ++i) queue_->add(other);
        queue_->set_paused(false);
        QTRY_COMPARE_WITH_TIMEOUT(failing.count(), 2, 30000);
        QCOMPARE(queue_->waiting(), 2);
        queue_->clear_waiting();
        queue_->set_paused(false);
        // A success in between starts the count anew.
        for (const auto& request : {tiny(3), lost, lost, lost}) queue_->add(request);
        QTRY_COMPARE_WITH_TIMEOUT(failing.count(), 3, 60000);
        QCOMPARE(queue_->waiting(), 1);
    }

    /// Two failures that differ only in a number have the same reason. A run that the user stops in between does not
    /// count.
    void failures_of_other_amounts_are_alike() {
        Arrivals failing(&*queue_, &RunQueue::failing), steps(&*worker_, &EngineWorker::step_done);
        queue_->add(tiny(1, 2000)); // more steps than a run may have
        const quint64 stopped = queue_->add(tiny(2, 80));
        for (quint64 seed = 3; seed <= 4; ++seed) queue_->add(tiny(seed, 3000));
        queue_->start();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() > 0 && queue_->running() == stopped, 60000);
        queue_->cancel_current();
        QTRY_COMPARE_WITH_TIMEOUT(failing.count(), 1, 30000);
        QCOMPARE(queue_->waiting(), 1);
        QCOMPARE(state(1), RunQueue::State::cancelled);
    }

    void what_waits_stays_behind_what_ended() {
        Arrivals ended(&*queue_, &RunQueue::entry_ended);
        queue_->set_paused(true);
        queue_->start();
        for (quint64 seed = 1; seed <= 2; ++seed) queue_->add(tiny(seed));
        queue_->clear_waiting();
        auto lost = tiny(3);
        lost.request.model = "/nowhere/model";
        queue_->add(lost);
        queue_->set_paused(false);
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 30000);
        queue_->set_paused(true);
        queue_->undo_clear();
        QCOMPARE(seeds(), (QList<quint64>{3, 1, 2}));
        QVERIFY(!queue_->move(id(2), 0));
        QVERIFY(queue_->move(id(2), 1));
        QCOMPARE(seeds(), (QList<quint64>{3, 2, 1}));
    }

    /// Each run would otherwise make a new folder there.
    void a_place_for_runs_that_is_gone_pauses_it() {
        QFile blocked(home_->data(QStringLiteral("runs")));
        QVERIFY(QDir().mkpath(home_->data({})) && blocked.open(QIODevice::WriteOnly));
        Arrivals failing(&*queue_, &RunQueue::failing);
        for (quint64 seed = 1; seed <= 4; ++seed) queue_->add(tiny(seed));
        queue_->start();
        QTRY_COMPARE_WITH_TIMEOUT(failing.count(), 1, 30000);
        QCOMPARE(queue_->waiting(), 2);
    }
    /// The requests of runs that never had a folder are stored nowhere else.
    void requests_of_failed_runs_are_kept() {
        Arrivals ended(&*queue_, &RunQueue::entry_ended);
        connect(&*queue_, &RunQueue::failing, &*queue_, [this] { queue_->set_paused(false); });
        constexpr int many = 60;
        for (int i = 0; i < many; ++i) {
            auto lost = tiny(quint64(i));
            lost.request.model = "/nowhere/model";
            queue_->add(lost);
        }
        queue_->start();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), many, 60000);
        QCOMPARE(queue_->rowCount(), many);
        for (int row = 0; row < many; ++row) QCOMPARE(state(row), RunQueue::State::failed);
    }

    /// A click names an entry by its number, which must never mean another one.
    void numbers_are_given_once_also_after_a_restart() {
        queue_->set_paused(true);
        queue_->start();
        for (quint64 seed = 1; seed <= 3; ++seed) queue_->add(tiny(seed));
        QVERIFY(queue_->flush());
        reopen();
        queue_->add(tiny(4));
        QCOMPARE(numbers().size(), qsizetype(4));
        Json stored = stored_queue();
        for (Json& entry : stored["entries"]) entry["id"] = 2; // somebody edited the file
        store(stored);
        QCOMPARE(numbers().size(), qsizetype(4));
        queue_->add(tiny(5));
        QCOMPARE(numbers().size(), qsizetype(5));
    }

    /// Of ended entries fifty are kept, and of those that failed without a folder 500. Those that can be resumed are
    /// kept in addition.
    void interrupted_runs_are_kept_beyond_the_fifty() {
        auto lost = tiny(1);
        lost.request.model = "/nowhere/model";
        queue_->add(lost);
        Json stored = stored_queue();
        const Json waiting = stored["entries"][0];
        stored["entries"].clear();
        for (int i = 0; i < 570; ++i) {
            stored["entries"].push_back(waiting);
            stored["entries"].back()["state"] = i == 0 ? "interrupted" : i < 60 ? "done" : "failed";
            if (i < 60) stored["entries"].back()["run"] = "/runs/" + std::to_string(i);
        }
        stored["entries"].push_back(waiting); // this one will fail, too
        store(stored);
        queue_->start();
        QTRY_COMPARE_WITH_TIMEOUT(queue_->rowCount(), 551, 30000);
        QCOMPARE(state(0), RunQueue::State::interrupted);
        QCOMPARE(queue_->index(1).data(RunQueue::RunRole).toString(), QStringLiteral("/runs/10"));
    }

    /// Whoever is told that an entry has ended reads it, so it must be there however many others are kept.
    void what_ends_is_there_when_it_is_told() {
        queue_->add(tiny(1), false, QStringLiteral("tag"));
        Json stored = stored_queue();
        Json failed = stored["entries"][0]; // it failed before it had a folder
        failed["state"] = "failed";
        for (int i = 0; i < 60; ++i) stored["entries"].insert(stored["entries"].begin(), failed);
        store(stored);
        QString tag;
        connect(&*queue_, &RunQueue::entry_ended, &*queue_,
                [&](quint64 entry) { tag = queue_->index(queue_->row_of(entry)).data(RunQueue::TagRole).toString(); });
        queue_->start();
        QTRY_COMPARE_WITH_TIMEOUT(tag, QStringLiteral("tag"), 30000);
    }

    /// Ended entries come back before those that wait, wherever they were.
    void what_ended_comes_back_before_what_waits() {
        queue_->add(tiny(3));
        Json stored = stored_queue();
        Json failed = stored["entries"][0];
        failed["state"] = "failed";
        for (const int seed : {2, 1}) {
            failed["request"]["seed"] = seed;
            stored["entries"].insert(stored["entries"].begin(), failed);
        }
        store(stored);
        queue_->set_paused(true);
        queue_->remove(id(1));
        QVERIFY(queue_->retry(id(0)));
        queue_->undo_clear();
        QCOMPARE(seeds(), (QList<quint64>{2, 1, 3}));
    }

    /// The history names the run by the folder behind a link. It is the same run and keeps its tag.
    void a_run_behind_a_link_is_resumed_with_its_tag() {
        const QString real = home_->file(QStringLiteral("elsewhere"));
        QVERIFY(QDir().mkpath(real) && QDir().mkpath(home_->data({})));
        QVERIFY(QFile::link(real, home_->data(QStringLiteral("runs"))));
        Arrivals steps(&*worker_, &EngineWorker::step_done);
        const quint64 first = queue_->add(tiny(1, 300), false, QStringLiteral("tag"));
        queue_->start();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() >= 1, 30000);
        queue_->set_paused(true);
        queue_->cancel(first);
        QTRY_VERIFY_WITH_TIMEOUT(queue_->running() == 0, 30000);
        const QString run = queue_->index(0).data(RunQueue::RunRole).toString();
        const quint64 again = queue_->add_resume(real + u'/' + QFileInfo(run).fileName());
        QCOMPARE(queue_->rowCount(), 1);
        QCOMPARE(queue_->index(0).data(RunQueue::TagRole).toString(), QStringLiteral("tag"));
        QCOMPARE(queue_->add_resume(run), again);
    }

    /// A run that was gone already when it was resumed left no request to begin anew with.
    void a_run_that_was_never_read_does_not_begin_anew() {
        Arrivals ended(&*queue_, &RunQueue::entry_ended);
        const quint64 entry = queue_->add_resume(QStringLiteral("/nowhere/run"));
        queue_->start();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 30000);
        QVERIFY(queue_->retry(entry));
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 2, 30000);
        QCOMPARE(state(0), RunQueue::State::failed);
        QCOMPARE(queue_->index(0).data(RunQueue::KindRole).toString(), QStringLiteral("resume"));
    }

    /// One run was at work when the program was killed, and its folder is gone since. Another may be on a disk that is
    /// missing now.
    void a_resumed_run_that_is_gone_after_a_crash_begins_anew() {
        QVERIFY(QDir().mkpath(home_->data(QStringLiteral("runs"))));
        for (const QString& run : {home_->data(QStringLiteral("runs/gone")), QStringLiteral("/nowhere/run")}) {
            queue_->add(tiny(1));
            Json stored = stored_queue();
            stored["entries"].back().update(Json{{"state", "running"}, {"kind", "resume"}, {"run", run.toStdString()}});
            store(stored);
        }
        QCOMPARE(state(1), RunQueue::State::failed);
        Arrivals ended(&*queue_, &RunQueue::entry_ended);
        queue_->start();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 30000);
        QCOMPARE(state(0), RunQueue::State::done);
    }

    void damaged_files_are_put_aside() {
        for (const char* text : {"", "{", "[]", R"({"schema": 2, "entries": []})", R"({"schema": 1, "entries": [7]})",
                                 R"({"schema": 1, "entries": [{"id": 1, "request": {"schema": 1, "steps": "x"}}]})"}) {
            queue_->add(tiny(1));
            QVERIFY(queue_->flush());
            QFile::remove(home_->data(QStringLiteral("queue.json.broken")));
            store(text);
            QCOMPARE(queue_->rowCount(), 0);
            QVERIFY2(!queue_->issue().isEmpty(), text);
            QVERIFY(QFile::exists(home_->data(QStringLiteral("queue.json.broken"))));
        }
    }

private:
    void reopen() {
        tester_.reset();
        queue_.reset();
        worker_.reset();
        worker_.emplace();
        open();
    }
    QSet<quint64> numbers() const {
        QSet<quint64> out;
        for (int row = 0; row < queue_->rowCount(); ++row) out << id(row);
        return out;
    }
    RunQueue::State state(int row) const {
        return RunQueue::State(queue_->index(row).data(RunQueue::StateRole).toInt());
    }
};

QTEST_GUILESS_MAIN(RunQueueTest)
#include "run_queue_test.moc"
