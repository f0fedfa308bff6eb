// SPDX-License-Identifier: Apache-2.0
// What is done to the queue by hand is saved at once and undone as it was; and what it says of the run at work.
#include <QAbstractItemModelTester>
#include <QFile>
#include <QMimeData>
#include <QTest>
#include <algorithm>

#include "app/base/text.h"
#include "app/runs/run_queue.h"
#include "engine/session/run_folder.h"
#include "tests/app/arrivals.h"
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
    return out;
}

/// A request that fails as soon as it begins.
RequestDocument::Snapshot lost(quint64 seed) {
    auto out = tiny(seed);
    out.request.model = "/nowhere/model";
    return out;
}

} // namespace

class RunQueueEditsTest : public QObject, protected QueueInHome {
    Q_OBJECT
private slots:
    void init() { enter(); }
    void cleanup() { leave(); }

    /// A crash right after an edit must not lose it.
    void every_edit_is_saved() {
        queue_->set_paused(true);
        QVERIFY(stored_queue()["paused"] == true);
        const auto ids = queue_->add_all({{tiny(1), "one", "first"}, {tiny(2), "two", "second"}, {tiny(3), {}, {}}});
        QCOMPARE(stored_seeds(), (QList<quint64>{1, 2, 3}));
        QVERIFY(stored_queue()["entries"][1]["label"] == "second");
        QVERIFY(queue_->move(ids[0], 2));
        QCOMPARE(stored_seeds(), (QList<quint64>{2, 3, 1}));
        QVERIFY(queue_->replace(ids[0], tiny(4)));
        QCOMPARE(stored_seeds(), (QList<quint64>{2, 3, 4}));
        queue_->set_tag(ids[2], "three");
        QVERIFY(stored_queue()["entries"][1]["tag"] == "three");
        queue_->set_tag(ids[1], {}); // the tag is no longer needed
        QVERIFY(stored_queue()["entries"][0]["tag"] == "" && stored_queue()["entries"][0]["label"] == "");
        queue_->remove(ids[1]);
        QCOMPARE(stored_seeds(), (QList<quint64>{3, 4}));
        queue_->undo_clear();
        QCOMPARE(stored_seeds(), (QList<quint64>{2, 3, 4}));
    }

    void what_failed_is_saved_with_its_reason() {
        queue_->add_all({{lost(1), "tag", "label"}});
        Arrivals ended(&*queue_, &RunQueue::entry_ended);
        queue_->start();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 30000);
        const auto issue = at(0, RunQueue::IssueRole).value<Issue>();
        QVERIFY(!issue.isEmpty());
        reopen();
        QCOMPARE(at(0, RunQueue::IssueRole).value<Issue>().line(), issue.line());
        QCOMPARE(at(0, RunQueue::LabelRole).toString(), QStringLiteral("label"));
        queue_->set_paused(true);
        QVERIFY(queue_->retry(id(0)));
        QVERIFY(stored_queue()["entries"][0]["state"] == "waiting");
    }

    void what_is_done_is_not_tried_again() {
        left_as({"done", "waiting"});
        QVERIFY(!queue_->retry(id(0)) && !queue_->retry(id(1)));
        QCOMPARE(at(0, RunQueue::StateRole).toInt(), int(RunQueue::State::done));
    }

    /// An entry that is dropped above the ended ones becomes the first of those that wait.
    void a_drop_among_what_ended_is_the_first_to_come() {
        left_as({"done", "failed", "waiting", "waiting"});
        const std::unique_ptr<QMimeData> drag(queue_->mimeData({queue_->index(3)}));
        queue_->dropMimeData(drag.get(), Qt::MoveAction, 0, 0, {});
        QCOMPARE(seeds(), (QList<quint64>{1, 2, 4, 3}));
    }

    void what_is_resumed_and_waits_comes_first() {
        queue_->set_paused(true);
        queue_->start();
        const quint64 resumed = queue_->add_resume("/nowhere/run");
        queue_->add(tiny(1), true);
        QCOMPARE(queue_->row_of(resumed), 1);
        QCOMPARE(queue_->add_resume("/nowhere/run"), resumed);
        QCOMPARE(queue_->row_of(resumed), 0);
    }

    /// It keeps its tag and label even if its entry was cleared.
    void what_is_resumed_keeps_its_name() {
        left_as({"cancelled"});
        const QString run = at(0, RunQueue::RunRole).toString();
        queue_->set_paused(true);
        queue_->clear_ended();
        queue_->add_resume(run);
        QCOMPARE(at(0, RunQueue::TagRole).toString(), QStringLiteral("tag"));
        QCOMPARE(at(0, RunQueue::LabelRole).toString(), QStringLiteral("label"));
    }

    /// The queue has begun the entry, but the engine waits until the queue's file is written.
    void what_has_hardly_begun_is_stopped() {
        Arrivals started(&*queue_, &RunQueue::entry_started), ended(&*queue_, &RunQueue::entry_ended);
        const quint64 entry = queue_->add(tiny(1));
        queue_->start();
        QCOMPARE(queue_->running(), entry);
        queue_->remove(entry); // an entry that has begun is not removed
        QCOMPARE(queue_->running(), entry);
        queue_->cancel(entry);
        QCOMPARE(at(0, RunQueue::StateRole).toInt(), int(RunQueue::State::cancelled));
        QVERIFY(queue_->interrupted().isEmpty()); // the user has stopped it and need not be asked
        QVERIFY(queue_->flush());
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 30000);
        QCOMPARE(started.count(), 0);
    }

    void what_comes_back_begins() {
        Arrivals ended(&*queue_, &RunQueue::entry_ended);
        queue_->set_paused(true);
        queue_->start();
        queue_->add(lost(1));
        queue_->clear_waiting();
        queue_->set_paused(false);
        queue_->undo_clear();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 30000);
    }

    /// Each comes back to its own place, although all went in one step.
    void what_lay_apart_comes_back_apart() {
        queue_->set_paused(true);
        const auto ids = queue_->add_all({{tiny(1)}, {tiny(2)}, {tiny(3)}, {tiny(4)}, {tiny(5)}});
        queue_->remove(QList<quint64>{ids[0], ids[2], ids[3]});
        QCOMPARE(seeds(), (QList<quint64>{2, 5}));
        queue_->undo_clear();
        QCOMPARE(seeds(), (QList<quint64>{1, 2, 3, 4, 5}));
    }

    /// Even if fewer entries have ended by then, it comes back before those that wait.
    void a_run_that_comes_back_stands_before_what_waits() {
        left_as({"done", "done", "done", "waiting"});
        const QString run = at(2, RunQueue::RunRole).toString();
        queue_->forget({run});
        queue_->clear_ended();
        QCOMPARE(seeds(), (QList<quint64>{4}));
        queue_->remember({run});
        QCOMPARE(seeds(), (QList<quint64>{3, 4}));
    }

    /// The queue remembers only a number of deleted runs and forgets the oldest.
    void entries_of_the_runs_deleted_last_are_kept() {
        constexpr int many = 1010; // more than it remembers
        left_as(std::vector<const char*>(many, "done"));
        QStringList runs;
        for (int row = 0; row < many; ++row) runs << at(row, RunQueue::RunRole).toString();
        queue_->forget(runs.first(10));
        queue_->forget(runs.sliced(10));
        QCOMPARE(queue_->rowCount(), 0);
        queue_->remember(runs.first(10));
        QCOMPARE(queue_->rowCount(), 0);
        queue_->remember({runs[10]});
        QCOMPARE(seeds(), QList<quint64>{11});
    }

    /// A long session forgets what was removed first.
    void the_newest_removals_are_kept() {
        constexpr int many = 210; // more than it remembers
        queue_->set_paused(true);
        std::vector<RunQueue::Tagged> entries;
        for (int i = 0; i < many; ++i) entries.push_back({tiny(quint64(i)), {}, {}});
        queue_->add_all(entries);
        for (int i = 0; i < many; ++i) queue_->remove(id(0));
        queue_->undo_clear();
        QCOMPARE(seeds(), QList<quint64>{many - 1});
    }

    /// After the last step decoding is still to come.
    void the_time_left_includes_decoding() {
        constexpr double decoding = 1000;
        Arrivals ended(&*queue_, &RunQueue::entry_ended);
        QList<double> left;
        connect(&*queue_, &QAbstractItemModel::dataChanged, this, [&](const QModelIndex& entry) {
            const double eta = entry.data(RunQueue::EtaRole).toDouble();
            if (eta >= 0 && entry.data(RunQueue::StageRole).toInt() == int(Stage::denoise)) left << eta;
        });
        queue_->set_expected(queue_->add(tiny(1, 8)), {0, 1, decoding});
        queue_->start();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 60000);
        QVERIFY(!left.isEmpty());
        QVERIFY(std::ranges::min(left) >= decoding);
    }

    /// Before it makes a step its progress is that of the steps that it has.
    void a_resumed_run_begins_where_it_stopped() {
        Arrivals steps(&*worker_, &EngineWorker::step_done), ended(&*queue_, &RunQueue::entry_ended);
        const quint64 entry = queue_->add(tiny(1, 80));
        queue_->start();
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() >= 2, 60000);
        queue_->cancel(entry);
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 30000);
        const auto record = RunFolder::open(to_path(at(0, RunQueue::RunRole).toString())).record();
        int first = -1;
        connect(&*queue_, &RunQueue::run_created, this, [&] { first = at(0, RunQueue::StepRole).toInt(); });
        QVERIFY(queue_->retry(entry));
        QTRY_VERIFY_WITH_TIMEOUT(first >= 0, 30000);
        QCOMPARE(first, record.steps.back().step);
    }

private:
    void reopen() {
        queue_->flush();
        tester_.reset();
        queue_.reset();
        open();
    }
    QList<quint64> stored_seeds() {
        QList<quint64> out;
        const Json all = stored_queue();
        for (const Json& entry : all["entries"]) out << entry["request"]["seed"].get<quint64>();
        return out;
    }
    /// Writes a queue as an earlier session left it: entries in these states, with the seeds 1, 2, … and a run for
    /// each.
    void left_as(const std::vector<const char*>& states) {
        queue_->add_all({{tiny(0), "tag", "label"}});
        Json json = stored_queue();
        const Json entry = json["entries"][0];
        json["entries"].clear();
        for (std::size_t i = 0; i < states.size(); ++i) {
            Json one = entry;
            one["id"] = i + 1;
            one["request"]["seed"] = i + 1;
            one["state"] = states[i];
            if (one["state"] != "waiting") one["run"] = "/runs/" + std::to_string(i + 1);
            json["entries"].push_back(one);
        }
        store(json);
    }
};

QTEST_GUILESS_MAIN(RunQueueEditsTest)
#include "run_queue_edits_test.moc"
