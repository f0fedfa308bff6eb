// SPDX-License-Identifier: Apache-2.0
// New takes of shots: what is said of them, and of which request they are made.
#include <QImage>
#include <QLineEdit>

#include "app/clips/clip_source.h"
#include "app/project/shot_requests.h"
#include "app/request/request_document.h"
#include "app/runs/run_queue.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/timeline/timeline_view.h"

using namespace denoir;
using namespace denoir::ui;

class WindowRetakeTest : public QObject {
    Q_OBJECT

    /// Queues a retake and takes it out again. `words` is the beginning of the message, which is a banner because the
    /// parameters hold another prompt.
    static Request retake(StudioFixture& studio, const char* words) {
        auto& queue = studio.core().queue;
        studio.window().say({});
        emit studio.find<TimelineView>("timeline")->retake_requested(0);
        [&] { QTRY_COMPARE_WITH_TIMEOUT(queue.waiting(), 1, 30000); }();
        const auto texts = studio.window().banners().texts().filter("joins");
        [&] {
            QCOMPARE(texts.size(), 1);
            QVERIFY2(texts[0].startsWith(QLatin1String(words)), qPrintable(texts[0]));
        }();
        const auto entry = queue.index(0).data(app::RunQueue::IdRole).toULongLong();
        const Request request = queue.snapshot(entry).value_or(app::RequestDocument::Snapshot{}).request;
        queue.clear_waiting();
        close_banner(studio, "retake");
        return request;
    }

private slots:
    /// Between frames that stay, a part begins with the frames before it and ends with the picture that follows it.
    void a_part_of_a_shot_is_made_to_fit() {
        const app::Home home;
        const QString run = listed_run(home, "first", 3, 1);
        StudioFixture studio;
        load_tiny(studio);
        studio.core().queue.set_paused(true);
        auto& project = studio.core().project;
        project.add_shot(app::take_of_run(run));
        const int frames = project.shot(0).frames();
        QCOMPARE(frames, 9);
        const char *part = "This part of the shot is made again with the shot's own prompt and parameters;",
                   *whole = "The new take is made with the shot's own prompt and parameters;";
        const Request all = retake(studio, whole);
        QVERIFY(all.last_image.empty());
        QCOMPARE(all.frames, 9);
        // Only the first frames of the shot.
        QVERIFY(project.trim(0, 0, 5));
        const Request beginning = retake(studio, part);
        QCOMPARE(beginning.frames, 5);
        const QImage last(app::to_qstring(beginning.last_image));
        QCOMPARE(last.size(), QSize(64, 48));
        const auto picture = [&](int frame) {
            return app::to_qimage(app::frame_of(project.shot(0).current(), frame)).convertToFormat(last.format());
        };
        QCOMPARE(last, picture(5));
        QVERIFY(last != picture(4) && last != picture(6));
        // Only the last frames, which nothing follows.
        QVERIFY(project.trim(0, 5, 9));
        const Request end = retake(studio, part);
        QVERIFY(end.last_image.empty());
        QVERIFY(end.forcing && end.forcing->overlap > 0);
        // Each retake has a new seed that is not its shot's.
        QVERIFY(all.seed && beginning.seed && end.seed);
        QVERIFY(all.seed != beginning.seed && beginning.seed != end.seed && all.seed != 1U);
    }

    /// If the parameters hold the same prompt there is nothing to offer, and the status line says so.
    void a_retake_by_the_same_prompt_is_said_in_passing() {
        const app::Home home;
        const QString run = listed_run(home, "first", 3, 1);
        StudioFixture studio;
        load_tiny(studio);
        studio.core().queue.set_paused(true);
        QVERIFY(studio.core().document.set_value("prompt", "a red balloon").isEmpty());
        studio.core().project.add_shot(app::take_of_run(run));
        emit studio.find<TimelineView>("timeline")->retake_requested(0);
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().queue.waiting(), 1, 30000);
        QCOMPARE(studio.window().banners().texts().filter("joins"), QStringList());
        QVERIFY2(said(studio).contains("The new take is made with the shot's own prompt"), qPrintable(said(studio)));
    }
};

int main(int argc, char** argv) { return run_window_test<WindowRetakeTest>(argc, argv); }

#include "window_retake_test.moc"
