// SPDX-License-Identifier: Apache-2.0
#include "app/base/task_thread.h"

#include <QTest>

#include <atomic>
#include <memory>
#include <semaphore>

#include "app/base/newest_question.h"

using namespace denoir::app;

class TaskThreadTest : public QObject {
    Q_OBJECT
private slots:
    void tasks_come_one_after_the_other() {
        std::vector<TaskThread::Id> begun, ended;
        std::binary_semaphore last(0);
        {
            TaskThread thread({.release = {}, .ended = [&](TaskThread::Id id) { ended.push_back(id); }});
            for (int i = 0; i < 3; ++i)
                thread.put([&](TaskThread::Id id, const std::stop_token&) { begun.push_back(id); });
            thread.put([&] { last.release(); });
            last.acquire();
        }
        QCOMPARE(begun, (std::vector<TaskThread::Id>{1, 2, 3}));
        QCOMPARE(ended, (std::vector<TaskThread::Id>{1, 2, 3, 4}));
    }

    void one_at_work_is_told_to_stop_and_one_that_waits_is_dropped() {
        std::binary_semaphore begun(0);
        std::atomic<bool> stopped = false, did_second = false;
        TaskThread thread;
        const auto first = thread.put([&](TaskThread::Id, const std::stop_token& stop) {
            begun.release();
            while (!stop.stop_requested()) std::this_thread::yield();
            stopped = true;
        });
        const auto second = thread.put([&] { did_second = true; });
        begun.acquire();
        QCOMPARE(thread.current(), first);
        QVERIFY(!thread.cancel(0));
        QVERIFY(!thread.cancel(99));
        QVERIFY(thread.cancel(second)); // it was waiting
        QVERIFY(!thread.cancel(second));
        QVERIFY(!stopped);
        QVERIFY(!thread.cancel(first)); // it is being done
        QTRY_VERIFY_WITH_TIMEOUT(stopped.load(), 10000);
        QTRY_COMPARE_WITH_TIMEOUT(thread.current(), TaskThread::Id{0}, 10000);
        QVERIFY(!did_second);
    }

    /// An answer that nobody waits for any more must not hold up the next one. Questions of others go on.
    void only_the_newest_question_is_answered_to_its_end() {
        std::binary_semaphore begun(0), all_asked(0), other_ended(0);
        std::atomic<TaskThread::Id> answered = 0;
        std::atomic<bool> stopped = false, waited = false;
        TaskThread thread;
        NewestQuestion question(thread), other(thread);
        const auto until_stopped = [&](TaskThread::Id, const std::stop_token& stop) {
            begun.release();
            while (!stop.stop_requested()) std::this_thread::yield();
            stopped = true;
        };
        question.ask(until_stopped);
        begun.acquire();
        other.ask([&](TaskThread::Id, const std::stop_token& stop) {
            all_asked.acquire();
            if (!stop.stop_requested()) other_ended.release();
        });
        QTest::qWait(50);
        QVERIFY(!stopped); // a question of another asker does not stop it
        question.ask([&](TaskThread::Id, const std::stop_token&) { waited = true; });
        const auto newest = question.ask([&](TaskThread::Id id, const std::stop_token& stop) {
            if (!stop.stop_requested()) answered = id;
        });
        all_asked.release();
        QTRY_COMPARE_WITH_TIMEOUT(answered.load(), newest, 10000);
        QVERIFY(stopped && !waited && other_ended.try_acquire());
        QCOMPARE(question.newest(), newest);
    }

    void the_stop_of_one_is_not_that_of_the_next() {
        std::binary_semaphore begun(0);
        std::atomic<int> next_stopped = -1;
        TaskThread thread;
        thread.put([&](TaskThread::Id, const std::stop_token& stop) {
            begun.release();
            while (!stop.stop_requested()) std::this_thread::yield();
        });
        begun.acquire();
        QVERIFY(thread.cancel_all().empty());
        thread.put([&](TaskThread::Id, const std::stop_token& stop) { next_stopped = stop.stop_requested(); });
        QTRY_COMPARE_WITH_TIMEOUT(next_stopped.load(), 0, 10000);
    }

    void what_waits_is_named_when_all_are_cancelled() {
        std::binary_semaphore begun(0);
        TaskThread thread;
        thread.put([&](TaskThread::Id, const std::stop_token& stop) {
            begun.release();
            while (!stop.stop_requested()) std::this_thread::yield();
        });
        const auto second = thread.put([] {}), third = thread.put([] {});
        begun.acquire();
        QCOMPARE(thread.cancel_all(), (std::vector{second, third}));
    }

    void its_end_stops_the_task_drops_what_waits_and_releases_on_the_thread() {
        std::binary_semaphore begun(0);
        std::thread::id worker, releaser;
        bool did_second = false;
        {
            TaskThread thread({.release = [&] { releaser = std::this_thread::get_id(); }});
            thread.put([&](TaskThread::Id, const std::stop_token& stop) {
                worker = std::this_thread::get_id();
                begun.release();
                while (!stop.stop_requested()) std::this_thread::yield();
            });
            thread.put([&] { did_second = true; });
            begun.acquire();
        }
        QVERIFY(!did_second);
        QCOMPARE(releaser, worker);
    }

    void what_a_task_holds_goes_with_it() {
        TaskThread thread;
        const auto held = std::make_shared<int>(0);
        thread.put([held] {});
        QTRY_COMPARE_WITH_TIMEOUT(held.use_count(), 1L, 10000);
    }
};

QTEST_GUILESS_MAIN(TaskThreadTest)

#include "task_thread_test.moc"
