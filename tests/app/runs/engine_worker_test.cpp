// SPDX-License-Identifier: Apache-2.0
#include "app/runs/engine_worker.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>
#include <set>

#include "app/base/text.h"
#include "app/runs/draft_decoder.h"
#include "engine/session/branch.h"
#include "engine/session/run_folder.h"
#include "tests/app/arrivals.h"
#include "tests/app/home.h"
#include "tests/app/tiny.h"

using namespace denoir;
using namespace denoir::app;

class EngineWorkerTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        home_.use();
        worker_.emplace();
    }
    void cleanupTestCase() { worker_.reset(); }

    void a_run_tells_everything_in_order() {
        QStringList seen;
        std::vector<StepUpdate> steps;
        QThread* const here = QThread::currentThread();
        bool threads_right = true;
        const auto note = [&](const QString& what) {
            threads_right = threads_right && QThread::currentThread() == here;
            if (seen.isEmpty() || seen.last() != what) seen << what;
        };
        QObject receiver;
        connect(&*worker_, &EngineWorker::started, &receiver, [&] { note(QStringLiteral("started")); });
        connect(&*worker_, &EngineWorker::run_created, &receiver, [&](JobId, const QString&, int total, int first) {
            note(QStringLiteral("run"));
            QCOMPARE(total, 3);
            QCOMPARE(first, 0);
        });
        connect(&*worker_, &EngineWorker::progressed, &receiver,
                [&](JobId, const JobProgress& p) { note(to_qstring(name(p.stage))); });
        connect(&*worker_, &EngineWorker::step_done, &receiver,
                [&](JobId, const StepUpdate& u) { steps.push_back(u); });
        Arrivals finished(&*worker_, &EngineWorker::finished), ended(&*worker_, &EngineWorker::ended);
        const JobId job = worker_->render(tiny_request());
        QVERIFY(job != 0);
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 60000);
        QCOMPARE(finished.count(), 1);
        QVERIFY(threads_right);
        QCOMPARE(seen.first(), QStringLiteral("started"));
        QCOMPARE(seen.last(), QStringLiteral("decode"));
        QVERIFY(seen.indexOf(QStringLiteral("run")) < seen.indexOf(QStringLiteral("denoise")));
        QCOMPARE(steps.size(), std::size_t(3));
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(steps[std::size_t(i)].step, i + 1);
            QCOMPARE(steps[std::size_t(i)].latent.shape(), (Shape{16, 2, 4, 6}));
            QCOMPARE(steps[std::size_t(i)].x0.shape(), (Shape{16, 2, 4, 6}));
        }
        // The latents are shared with the engine, but later steps must not change them: they equal the stored ones.
        run_ = finished[0][1].value<RunResult>().run;
        const RunFolder run = RunFolder::open(to_path(run_));
        for (const StepUpdate& u : steps) {
            const Tensor stored = run.step_tensor(u.step, "latent");
            QVERIFY(
                std::equal(stored.span<float>().begin(), stored.span<float>().end(), u.latent.span<float>().begin()));
        }
        QVERIFY(QFile::exists(run_ + QStringLiteral("/video.mp4")));
        QCOMPARE(finished[0][1].value<RunResult>().out, run_ + QStringLiteral("/video.mp4"));
    }

    void a_refusal_is_an_issue() {
        Request bad = tiny_request();
        bad.frames = 6;
        Arrivals failed(&*worker_, &EngineWorker::failed), ended(&*worker_, &EngineWorker::ended);
        worker_->render(bad);
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 20000);
        QCOMPARE(failed.count(), 1);
        const Issue issue = failed[0][1].value<Issue>();
        QCOMPARE(issue.field, QStringLiteral("frames"));
        QVERIFY(!issue.hint.isEmpty());
        bad = tiny_request();
        bad.model = "/no/such/model";
        worker_->render(bad);
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 2, 20000);
        QCOMPARE(failed[1][1].value<Issue>().field, QStringLiteral("model"));
    }

    void cancel_resume_and_branch() {
        Arrivals cancelled(&*worker_, &EngineWorker::cancelled), finished(&*worker_, &EngineWorker::finished);
        Arrivals steps(&*worker_, &EngineWorker::step_done);
        Request long_one = tiny_request();
        long_one.steps = 60;
        const JobId job = worker_->render(long_one);
        const JobId waits = worker_->render(tiny_request());
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() >= 2, 30000);
        worker_->cancel(waits);
        QCOMPARE(cancelled.count(), 1);
        QVERIFY(cancelled[0][1].toString().isEmpty());
        QElapsedTimer timer;
        timer.start();
        worker_->cancel(job);
        QTRY_COMPARE_WITH_TIMEOUT(cancelled.count(), 2, 30000);
        qInfo("cancelled within %lld ms", static_cast<long long>(timer.elapsed()));
        const QString run = cancelled[1][1].toString();
        const int done = RunFolder::open(to_path(run)).record().steps.back().step;
        QVERIFY(done >= 2 && done < 60);
        QVERIFY(RunFolder::open(to_path(run)).record().state == RunState::cancelled);

        steps.clear();
        Arrivals created(&*worker_, &EngineWorker::run_created);
        worker_->resume(run);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        QCOMPARE(created[0][3].toInt(), done);
        QCOMPARE(steps.count(), 60 - done);
        QCOMPARE(steps[0][1].value<StepUpdate>().step, done + 1);

        steps.clear();
        Request branch = branch_of(to_path(run), 50);
        branch.guidance = 7;
        worker_->render(branch);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 60000);
        QCOMPARE(steps.count(), 10);
        QCOMPARE(created[1][3].toInt(), 50);

        // A branch that was stopped goes on where it stopped.
        steps.clear();
        const JobId stopped = worker_->render(branch_of(to_path(run), 2));
        QTRY_VERIFY_WITH_TIMEOUT(steps.count() >= 2, 30000);
        worker_->cancel(stopped);
        QTRY_COMPARE_WITH_TIMEOUT(cancelled.count(), 3, 30000);
        const QString second = cancelled[2][1].toString();
        const int reached = RunFolder::open(to_path(second)).record().steps.back().step;
        worker_->resume(second);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 3, 60000);
        QCOMPARE(created[3][3].toInt(), reached);
    }

    void verify_names_what_differs() {
        Arrivals verified(&*worker_, &EngineWorker::verified);
        worker_->verify(run_);
        QTRY_COMPARE_WITH_TIMEOUT(verified.count(), 1, 60000);
        VerifyResult result = verified[0][1].value<VerifyResult>();
        QVERIFY(result.identical);
        QCOMPARE(result.steps, 4);
        QFile video(run_ + QStringLiteral("/video.mp4"));
        QVERIFY(video.open(QIODevice::Append) && video.write("x") == 1);
        video.close();
        worker_->verify(run_);
        QTRY_COMPARE_WITH_TIMEOUT(verified.count(), 2, 60000);
        result = verified[1][1].value<VerifyResult>();
        QVERIFY(!result.identical);
        QCOMPARE(result.changed_files, QStringList{run_ + QStringLiteral("/video.mp4")});
    }

    void drafts_while_a_run_goes_on() {
        DraftDecoder drafts;
        Arrivals frames(&drafts, &DraftDecoder::frame_decoded), finished(&drafts, &DraftDecoder::finished);
        Arrivals kept(&drafts, &DraftDecoder::kept), failed(&drafts, &DraftDecoder::failed);
        Arrivals cancelled(&*worker_, &EngineWorker::cancelled);
        Request long_one = tiny_request();
        long_one.steps = 200;
        const JobId job = worker_->render(long_one);
        const DraftId whole = drafts.decode_step(run_, 3);
        const DraftId one = drafts.decode_step(run_, 3, 3);
        const DraftId earlier = drafts.decode_step(run_, 2, 0);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 3, 60000);
        QCOMPARE(frames.count(), 7);
        std::set<int> indices;
        QImage third;
        for (const auto& f : frames) {
            if (f[0].toULongLong() != whole) continue;
            indices.insert(f[1].toInt());
            if (f[1].toInt() == 3) third = f[2].value<QImage>();
        }
        QCOMPARE(indices, (std::set<int>{0, 1, 2, 3, 4}));
        QCOMPARE(frames[5][0].toULongLong(), one);
        QCOMPARE(frames[5][1].toInt(), 3);
        QVERIFY(frames[5][2].value<QImage>() == third); // the frame alone equals the one in the whole clip
        QCOMPARE(frames[6][0].toULongLong(), earlier);
        QCOMPARE(frames[6][2].value<QImage>().size(), QSize(48, 32));

        drafts.keep(run_, 2, home_.file(QStringLiteral("draft.mp4")));
        QTRY_COMPARE_WITH_TIMEOUT(kept.count(), 1, 60000);
        QVERIFY(QFile::exists(home_.file(QStringLiteral("draft.mp4"))));
        drafts.decode_step(run_, 17);
        drafts.decode_step(run_, 3, 5); // the first frame behind the last
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 2, 20000);
        QCOMPARE(failed[1][1].value<Issue>().field, QStringLiteral("frame"));
        worker_->cancel(job);
        QTRY_COMPARE_WITH_TIMEOUT(cancelled.count(), 1, 30000);
    }

    void destroying_ends_a_run_that_can_be_resumed() {
        QString run;
        {
            EngineWorker worker;
            connect(&worker, &EngineWorker::run_created, this, [&](JobId, const QString& path) { run = path; });
            Arrivals steps(&worker, &EngineWorker::step_done);
            Request long_one = tiny_request();
            long_one.steps = 500;
            worker.render(long_one);
            QTRY_VERIFY_WITH_TIMEOUT(steps.count() >= 1, 30000);
        }
        QVERIFY(RunFolder::open(to_path(run)).record().state == RunState::cancelled);
        QVERIFY(!RunFolder::busy(to_path(run)));
    }

private:
    Home home_;
    std::optional<EngineWorker> worker_;
    QString run_;
};

QTEST_GUILESS_MAIN(EngineWorkerTest)
#include "engine_worker_test.moc"
