// SPDX-License-Identifier: Apache-2.0
#include "app/project/result_placer.h"

#include <QSignalSpy>
#include <QTest>

#include "app/base/text.h"
#include "app/project/project_json.h"
#include "app/runs/run_queue.h"
#include "engine/core/atomic_file.h"
#include "engine/core/file.h"
#include "tests/app/clips.h"
#include "tests/app/home.h"
#include "tests/app/projects.h"
#include "tests/app/takes.h"
#include "tests/app/tiny.h"

using namespace denoir;
using namespace denoir::app;

class ResultPlacerTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        for (const char* name : {"first", "second"}) runs_ << tiny_run(runs_home_.file(QLatin1String(name)), 1, 1);
    }
    void init() {
        home_.use();
        project_.emplace();
        worker_.emplace();
        queue_.emplace(*worker_);
        placer_.emplace(*project_, *queue_);
        project_->add_shot(take(5, "a"));
    }
    void cleanup() {
        placer_.reset();
        queue_.reset();
        worker_.reset();
        project_.reset();
    }

    void a_retake_joins_its_shot() {
        end(ResultPlace{{shot()}, {}, {}}.tag(), runs_[0]);
        QCOMPARE(project_->shot(0).takes.size(), std::size_t(2));
        QCOMPARE(project_->shot(0).current().run, runs_[0]);
        QCOMPARE(placer_->held(), 0);
    }

    /// The first copy becomes a shot, and the others become its takes.
    void copies_of_an_extension_become_one_shot() {
        const QString tag = ResultPlace{{shot()}, {}, {new_id()}}.tag();
        const quint64 first = add(tag), second = add(tag);
        done(first, runs_[0]);
        done(second, runs_[1]);
        QCOMPARE(project_->count(), 2);
        QCOMPARE(project_->shot(1).takes.size(), std::size_t(2));
    }

    void what_would_make_the_cut_too_long_stays_among_the_runs() {
        QCOMPARE(project_->add_shot(take(int(longest_cut) - project_->frames(), "long")), 1);
        const QString tag = ResultPlace{{shot()}, {}, {new_id()}}.tag();
        QSignalSpy said(&*placer_, &ResultPlacer::said);
        end(tag, runs_[0]);
        QCOMPARE(project_->count(), 2);
        QCOMPARE(said.count(), 1);
        QVERIFY2(said[0][0].toString().contains("too long"), qPrintable(said[0][0].toString()));
        end(ResultPlace{{shot()}, {}, {}}.tag(), runs_[1]); // this clip is longer than the shot
        QCOMPARE(project_->shot(0).takes.size(), std::size_t(1));
        QCOMPARE(said.count(), 2);
    }

    /// The clip begins with pictures of the shot before it, which must be shown only once.
    void an_extension_does_not_repeat_what_it_was_given() {
        const QString run = tiny_run(runs_home_.file("extension"), 1, 1);
        {
            RunFolder folder = RunFolder::take(to_path(run));
            folder.record().request.forcing = Forcing{.video = "/videos/a.mp4", .overlap = 5};
            folder.save();
        }
        end(ResultPlace{{shot()}, {}, {new_id()}}.tag(), run);
        QCOMPARE(project_->count(), 2);
        QCOMPARE(project_->shot(1).in, 5);
        QCOMPARE(project_->shot(1).out, 9);
        {
            RunFolder folder = RunFolder::take(to_path(run));
            folder.record().request.forcing->overlap = 17; // more than the video has, since it was cut short
            folder.save();
        }
        end(ResultPlace{{shot()}, {}, {new_id()}}.tag(), run);
        QCOMPARE(project_->count(), 3);
        QCOMPARE(project_->shot(1).in, 8);
    }

    /// The clip continues the last frames of the shot, which may have been trimmed, moved or given another take
    /// meanwhile.
    void an_extension_follows_the_last_part_of_a_split_shot() {
        const quint64 whole = add(extension_tag(0));
        QVERIFY(project_->split(0, 3));
        QVERIFY(project_->split(0, 1));
        end(extension_tag(1), runs_[0]); // asked for after the splits, for that part
        QCOMPARE(project_->count(), 4);
        QCOMPARE(project_->shot(2).current().run, runs_[0]);
        QVERIFY(project_->remove_shot(2));
        end(ResultPlace{{shot()}, {}, {}}.tag(), runs_[0]); // a part that shows another take is still a part
        QVERIFY(project_->trim(2, 4, 5));                   // and so is one that begins elsewhere now
        done(whole, runs_[1]);
        QCOMPARE(project_->count(), 4);
        QCOMPARE(project_->shot(3).current().run, runs_[1]);
    }

    void an_extension_follows_the_last_part_that_is_left_wherever_it_is() {
        const quint64 first = add(extension_tag(0)), second = add(extension_tag(0));
        QVERIFY(project_->split(0, 3) && project_->move_shot(1, 0));
        done(first, runs_[0]);
        QCOMPARE(project_->shot(1).current().run, runs_[0]);
        QVERIFY(project_->remove_shot(0));
        done(second, runs_[1]);
        QCOMPARE(project_->shot(2).current().run, runs_[1]);
    }

    void an_extension_follows_the_last_part_of_a_split_still() {
        Take still = take(1, "still");
        still.kind = Take::Kind::still;
        project_->add_shot(still, 0);
        const quint64 entry = add(extension_tag(0));
        QVERIFY(project_->split(0, 3));
        done(entry, runs_[0]);
        QCOMPARE(project_->count(), 4);
        QCOMPARE(project_->shot(2).current().run, runs_[0]);
    }

    /// Each part goes on showing what it showed, and one undo takes all of it back.
    void a_retake_joins_all_parts_of_a_split_shot() {
        project_->add_shot(take(9, "b"), 0);
        const quint64 entry = add(ResultPlace{{shot()}, {}, {}}.tag());
        QVERIFY(project_->split(0, 6));
        const quint64 of_first = add(ResultPlace{{shot()}, {}, {}}.tag()); // asked for after that split
        QVERIFY(project_->split(0, 2) && project_->trim(1, 3, 5) && project_->move_shot(2, 3));
        const int steps = project_->undo().index();
        done(entry, runs_[0]);
        QCOMPARE(project_->undo().index(), steps + 1);
        const auto shows = [this](int row, const QString& run, int in, int out) {
            const Shot& s = project_->shot(row);
            return s.current().run == run && s.in == in && s.out == out;
        };
        QVERIFY(shows(0, runs_[0], 0, 2) && shows(1, runs_[0], 3, 5) && shows(3, runs_[0], 6, 9));
        QCOMPARE(project_->shot(2).takes.size(), std::size_t(1)); // a different shot
        done(of_first, runs_[1]);
        QVERIFY(shows(0, runs_[1], 0, 2) && shows(1, runs_[1], 3, 5) && shows(3, runs_[0], 6, 9));
        project_->undo().undo();
        project_->undo().undo();
        for (int row = 0; row < project_->count(); ++row) QCOMPARE(project_->shot(row).takes.size(), std::size_t(1));
    }

    void a_retake_held_while_its_shot_is_split_joins_both() {
        project_->trim(0, 1, 5);
        project_->undo().undo();
        end(ResultPlace{{shot()}, {}, {}}.tag(), runs_[0]);
        QCOMPARE(placer_->held(), 1);
        QVERIFY(project_->split(0, 2));
        QTRY_COMPARE_WITH_TIMEOUT(placer_->held(), 0, 30000);
        QVERIFY(project_->shot(0).current().run == runs_[0] && project_->shot(1).current().run == runs_[0]);
    }

    /// Copies become takes of the shot that the first of them became, in both of its parts.
    void a_copy_joins_all_parts_of_what_the_first_one_became() {
        const QString tag = extension_tag(0);
        const quint64 first = add(tag), second = add(tag);
        done(first, runs_[0]);
        QVERIFY(project_->split(1, 4));
        done(second, runs_[1]);
        QCOMPARE(project_->count(), 3);
        for (const int row : {1, 2}) QCOMPARE(project_->shot(row).current().run, runs_[1]);
    }

    /// A part that shows more than what was made again does not get the new take.
    void a_part_joins_those_of_the_parts_that_lie_in_it() {
        project_->add_shot(take(20, "b"), 0);
        project_->trim(0, 3, 12);
        const quint64 entry = add(ResultPlace{{shot()}, 3, {}}.tag());
        QVERIFY(project_->split(0, 8) && project_->trim(1, 8, 13));
        done(entry, runs_[0]);
        QCOMPARE(project_->shot(0).current().run, runs_[0]);
        QCOMPARE(project_->shot(1).takes.size(), std::size_t(1));
    }

    /// A part of nine frames is placed only if the shot shows no more than those.
    void a_part_shorter_than_its_shot_is_not_placed() {
        QSignalSpy said(&*placer_, &ResultPlacer::said);
        project_->add_shot(take(20, "b"), 0);
        project_->trim(0, 2, 12);
        const auto part_at = [&](int frame) { end(ResultPlace{{shot()}, frame, {}}.tag(), runs_[0]); };
        for (const int frame : {2, 3}) part_at(frame); // the first ends too early, the second begins too late
        QCOMPARE(said.count(), 2);
        QCOMPARE(project_->shot(0).takes.size(), std::size_t(1));
        project_->trim(0, 3, 12);
        part_at(3);
        QCOMPARE(said.count(), 2);
        QCOMPARE(project_->shot(0).takes.size(), std::size_t(2));
    }

    /// After an undo the user can redo what was undone. A result must not prevent that, so it waits.
    void a_result_waits_while_there_is_something_to_redo() {
        project_->trim(0, 1, 4);
        project_->trim(0, 2, 4);
        project_->undo().undo();
        project_->undo().undo();
        QSignalSpy held(&*placer_, &ResultPlacer::held_changed);
        end(ResultPlace{{shot()}, {}, {}}.tag(), runs_[0]);
        QCOMPARE(placer_->held(), 1);
        QCOMPARE(held.count(), 1);
        project_->undo().redo();
        QCoreApplication::processEvents();
        QCOMPARE(placer_->held(), 1);
        project_->undo().redo();
        project_->undo().undo(); // at the same moment there is something to redo again
        QCoreApplication::processEvents();
        QCOMPARE(placer_->held(), 1);
        project_->undo().redo();
        QCOMPARE(project_->shot(0).in, 2);
        QTRY_COMPARE_WITH_TIMEOUT(placer_->held(), 0, 30000);
        QCOMPARE(project_->shot(0).takes.size(), std::size_t(2));
        QCOMPARE(held.constLast()[0].toInt(), 0);
    }

    void the_next_edit_lets_it_in() {
        project_->trim(0, 1, 4);
        project_->undo().undo();
        const QString tag = ResultPlace{{shot()}, {}, {new_id()}}.tag();
        end(tag, runs_[0]);
        end(tag, runs_[1]);
        QCOMPARE(placer_->held(), 2);
        project_->rename_shot(0, "opening");
        QTRY_COMPARE_WITH_TIMEOUT(placer_->held(), 0, 30000);
        QCOMPARE(project_->count(), 2);
        QCOMPARE(project_->shot(1).takes.size(), std::size_t(2)); // the copies that were held, too
    }

    void it_can_be_put_in_at_once() {
        project_->trim(0, 1, 4);
        project_->undo().undo();
        end(ResultPlace{{shot()}, {}, {}}.tag(), runs_[0]);
        placer_->place_held();
        QCOMPARE(project_->shot(0).takes.size(), std::size_t(2));
        QVERIFY(!project_->undo().canRedo());
    }

    /// After a crash the queue goes on, whether the user recovers the cut or not.
    void a_result_waits_for_the_cut_that_may_be_recovered() {
        QSignalSpy said(&*placer_, &ResultPlacer::said);
        const QString other = project_->shot(0).id;
        project_->add_shot(take(5, "b"));
        const QString lost = project_->shot(1).id;
        project_->undo().undo();
        project_->rename_shot(0, "of this session");
        placer_->set_recovery_offered(true);
        const QString tag = ResultPlace{{lost}, {}, {new_id()}}.tag();
        end(tag, runs_[0]);
        end(tag, runs_[1]);
        end(ResultPlace{{other}, {}, {}}.tag(), runs_[0]); // its shot exists
        QCOMPARE(project_->shot(0).takes.size(), std::size_t(2));
        QCOMPARE(said.count(), 0);
        project_->undo().undo();
        project_->undo().undo();
        placer_->set_recovery_offered(false); // its shot does not, which is told once there is nothing to redo
        QCOMPARE(placer_->held(), 2);
        placer_->place_held();
        QCOMPARE(said.count(), 2);
    }

    void what_is_recovered_takes_its_results() {
        placer_->set_recovery_offered(true);
        const QString tag = ResultPlace{{shot()}, {}, {new_id()}}.tag();
        const QString file = home_.data("cut.denoir");
        save_as(*project_, file);
        project_->clear();
        end(tag, runs_[0]);
        end(tag, runs_[1]);
        open(*project_, file);
        placer_->set_recovery_offered(false);
        QCOMPARE(project_->count(), 2);
        QCOMPARE(project_->shot(1).takes.size(), std::size_t(2));
    }

    /// The studio ended before the user answered. The next one must bring the results into the recovered cut, and only
    /// once.
    void what_an_earlier_session_left_is_recovered_too() {
        const QString file = home_.data("cut.denoir");
        leave_results_of(file);
        placer_->set_recovery_offered(true);
        placer_->set_recovery_offered(true); // as after a Cancel
        start_again();                       // ends without an answer
        placer_->set_recovery_offered(true);
        open(*project_, file);
        placer_->set_recovery_offered(false);
        QCOMPARE(project_->shot(0).takes.size(), std::size_t(3));
        QVERIFY(project_->remove_take(0, 2));
        QVERIFY(queue_->flush());
        start_again();
        placer_->set_recovery_offered(true);
        placer_->set_recovery_offered(false);
        QCOMPARE(project_->shot(0).takes.size(), std::size_t(2)); // what the user removed stays removed
    }

    /// However often it is asked for, and without results that the recovered cut has already.
    void what_is_recovered_comes_once() {
        const QString file = home_.data("cut.denoir");
        leave_results_of(file);
        open(*project_, file);
        QVERIFY(project_->add_take(0, take_of_run(runs_[0])) && project_->trim(0, 1, 4));
        project_->undo().undo();
        for (int time = 0; time < 2; ++time) {
            placer_->set_recovery_offered(false);
            QCOMPARE(placer_->held(), 1);
        }
        placer_->place_held();
        QCOMPARE(project_->shot(0).takes.size(), std::size_t(3));
    }

    /// The shot may be split before the user answers.
    void what_is_recovered_joins_all_parts_of_a_split_shot() {
        const QString file = home_.data("cut.denoir");
        leave_results_of(file);
        placer_->set_recovery_offered(true);
        open(*project_, file);
        QVERIFY(project_->split(0, 2));
        placer_->set_recovery_offered(false);
        for (const int row : {0, 1}) QCOMPARE(project_->shot(row).takes.size(), std::size_t(3));
    }

    /// Unsaved changes that were kept at the end come back without a question, and their results do, too.
    void what_a_session_left_comes_with_what_it_kept() {
        const QString file = home_.data("cut.denoir");
        leave_results_of(file);
        open(*project_, file);
        placer_->set_recovery_offered(false);
        QCOMPARE(project_->shot(0).takes.size(), std::size_t(3));
    }

    void results_without_a_place_are_reported() {
        QSignalSpy said(&*placer_, &ResultPlacer::said);
        end(QString(), runs_[0]);                                          // not made for the cut
        end(ResultPlace{{shot()}, {}, {}}.tag(), QString());               // made no video
        end(ResultPlace{{shot()}, {}, {}}.tag(), runs_home_.file("none")); // deleted meanwhile
        QCOMPARE(said.count(), 1);
        end(ResultPlace{{QStringLiteral("gone")}, {}, {}}.tag(), runs_[0]);
        QCOMPARE(said.count(), 2);
        QVERIFY2(said[1][0].toString().contains("among the runs"), qPrintable(said[1][0].toString()));
        project_->trim(0, 1, 4);
        project_->undo().undo();
        end(ResultPlace{{shot()}, {}, {}}.tag(), runs_[0]);
        project_->clear(); // its shot is removed while it is held
        QTRY_COMPARE_WITH_TIMEOUT(said.count(), 3, 30000);
        QCOMPARE(project_->undo().count(), 0);
    }

private:
    QString shot() const { return project_->shot(0).id; }
    QString extension_tag(int row) const { return ResultPlace{{project_->shot(row).id}, {}, {new_id()}}.tag(); }
    quint64 add(const QString& tag) { return queue_->add({tiny_request(), {}}, false, tag); }
    void start_again() {
        placer_.reset();
        queue_.reset();
        queue_.emplace(*worker_);
        placer_.emplace(*project_, *queue_);
    }
    /// The cut is in this file and not open. An earlier session made two takes for its shot that were never placed.
    void leave_results_of(const QString& file) {
        const QString tag = ResultPlace{{shot()}, {}, {}}.tag(), queued = home_.data("queue.json");
        save_as(*project_, file);
        project_->clear();
        queue_->clear_waiting(); // left by the other tests
        add(tag);
        add(tag);
        QVERIFY(queue_->flush());
        std::string text = read_text(to_path(queued), 1 << 20);
        for (const QString& run : runs_) {
            text.replace(text.find("\"waiting\""), 9, "\"done\"");
            text.replace(text.find("\"run\": \"\""), 9, "\"run\": \"" + run.toStdString() + '"');
        }
        placer_.reset();
        queue_.reset();
        write_file(to_path(queued), text);
        start_again();
    }
    void done(quint64 entry, const QString& run) { emit queue_->entry_ended(entry, int(RunQueue::State::done), run); }
    /// Adds an entry to the queue and marks it as done.
    void end(const QString& tag, const QString& run) { done(add(tag), run); }

    Home runs_home_, home_;
    QStringList runs_;
    std::optional<Project> project_;
    std::optional<EngineWorker> worker_;
    std::optional<RunQueue> queue_;
    std::optional<ResultPlacer> placer_;
};

QTEST_GUILESS_MAIN(ResultPlacerTest)
#include "result_placer_test.moc"
