// SPDX-License-Identifier: Apache-2.0
// Where it is read why a run failed: its list, the queue, the log; and what became of its verification.
#include <QAccessible>
#include <QDir>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QScopeGuard>
#include <QTimer>
#include <QToolButton>

#include "app/base/engine_text.h"
#include "app/base/journal.h"
#include "app/base/text.h"
#include "app/request/request_document.h"
#include "app/runs/engine_worker.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "engine/session/run_folder.h"
#include "tests/app/arrivals.h"
#include "tests/app/clips.h"
#include "tests/app/fake_runs.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/widgets/announcer.h"
#include "ui/window/translation.h"

using namespace denoir;
using namespace denoir::ui;

class WindowFailuresTest : public QObject {
    Q_OBJECT

private slots:
    /// In a sentence it is named as in the lists.
    void a_run_without_a_prompt_is_called_so() {
        const app::Home home;
        QDir().mkpath(home.data("runs"));
        for (const int number : {1, 2}) {
            RunFolder run = RunFolder::take(app::fake_run(app::to_path(home.data("runs")), number));
            run.record().request.prompt.clear();
            if (number == 1) run.record().state = RunState::running;
            run.save();
            if (number == 2) continue;
            const Json entry{{"id", 1},
                             {"state", "interrupted"},
                             {"request", asked_json(run.record().request)},
                             {"run", run.path().string()}};
            const Json queue{{"schema", 1}, {"paused", false}, {"entries", Json::array({entry})}};
            write(home.data("queue.json"), QByteArray::fromStdString(queue.dump()));
        }
        StudioFixture studio;
        const auto told = [&] { return studio.window().banners().texts().join('\n'); };
        QTRY_VERIFY2_WITH_TIMEOUT(told().contains("“(no prompt)” was interrupted"), qPrintable(told()), 30000);
        auto& queue = studio.core().queue;
        emit queue.entry_ended(1, int(app::RunQueue::State::done), home.data("runs/run-000001"));
        auto* announcer = studio.find<QWidget>("status-line")->findChild<Announcer*>();
        const auto* said = QAccessible::queryAccessibleInterface(announcer);
        QCOMPARE(said->text(QAccessible::Name), QString("A video is ready: (no prompt)"));
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().history.rowCount(), 2, 30000);
        QMenu* menu = studio.find<QToolButton>("choose-b")->menu();
        emit menu->aboutToShow();
        QVERIFY2(menu->actions().at(0)->text().startsWith("(no prompt)"), qPrintable(menu->actions().at(0)->text()));
    }

    /// The message stays until another clip is shown on that side. Opening one on the other side changes nothing.
    void a_clip_that_could_not_be_shown_is_named_until_another_is_shown() {
        const app::Home home;
        for (const char* name : {"a.mp4", "b.mp4", "c.mp4"}) app::write_clip(home.file(name), 64, 48, 4);
        write(home.file("broken.mp4"), "no video");
        StudioFixture studio(Layout::compare);
        auto& preview = studio.window().preview();
        const auto open = [&](app::Side side, const char* name) {
            preview.show_clip(side, home.file(name), true);
            return QTest::qWaitFor(
                [&] {
                    const auto* info = preview.info(side);
                    return info && info->path == home.file(name);
                },
                30000);
        };
        const auto told = [&] { return studio.window().banners().texts().join('\n').contains("broken.mp4"); };
        QVERIFY(open(app::Side::a, "a.mp4") && open(app::Side::b, "b.mp4"));
        preview.show_clip(app::Side::b, home.file("broken.mp4"), true);
        QTRY_VERIFY_WITH_TIMEOUT(told(), 10000);
        QVERIFY(open(app::Side::a, "c.mp4"));
        QVERIFY(told());
        QVERIFY(open(app::Side::b, "a.mp4"));
        QVERIFY(!told());
        // A clip that was asked for together with it leaves the message there.
        preview.show_clip(app::Side::a, home.file("broken.mp4"), true);
        QVERIFY(open(app::Side::a, "b.mp4"));
        QTRY_VERIFY_WITH_TIMEOUT(told(), 10000);
    }

    /// A failed run leads to the lines of the log before its failure.
    void details_of_a_failed_run_are_in_the_log() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto lost = studio.core().document.snapshot();
        lost.request.model = "/nowhere/model";
        auto without_picture = studio.core().document.snapshot();
        without_picture.request.image = "/no/such/picture.png";
        auto& queue = studio.core().queue;
        app::Arrivals ended(&queue, &app::RunQueue::entry_ended);
        queue.set_paused(true);
        const quint64 first = queue.add(without_picture);
        for (int i = 0; i < 3; ++i) queue.add(lost);
        queue.set_paused(false);
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 3, 30000);
        // With a missing model all runs would fail, so the queue waits and says why.
        QVERIFY2(said(studio).contains("The queue is paused") && said(studio).contains("/nowhere/model"),
                 qPrintable(said(studio)));
        QCOMPARE(queue.waiting(), 1);
        queue.set_paused(false);
        QVERIFY(!said(studio).contains("The queue is paused"));
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 4, 30000);

        auto* list = studio.find<QListView>("queue");
        auto* lines = studio.find<QListView>("log-lines");
        QVERIFY(!lines->isVisible());
        list->setCurrentIndex(list->model()->index(queue.row_of(first), 0));
        emit list->activated(list->currentIndex()); // as Enter does
        QTRY_VERIFY(lines->isVisible());
        const auto text = [&] {
            QStringList out;
            for (int row = 0; row < lines->model()->rowCount(); ++row)
                out << lines->model()->index(row, 0).data().toString();
            return out.join('\n');
        };
        QVERIFY2(text().contains("begins: ") && text().contains("/no/such/picture.png"), qPrintable(text()));
        QVERIFY(!text().contains("/nowhere/model"));
        QVERIFY(lines->currentIndex().data().toString().contains("/no/such/picture.png"));
        studio.find<QToolButton>("log-all")->click();
        QVERIFY(text().contains("/nowhere/model"));
        studio.find<QLineEdit>("log-search")->setText("NOWHERE");
        QVERIFY(text().contains("/nowhere/model") && !text().contains("/no/such/picture.png"));
        QTRY_VERIFY(read(home.data("log.txt")).contains("error: /nowhere/model"));
    }

    /// The clip that is opened in its place must not play by itself.
    void a_damaged_video_named_at_the_start_is_told_and_the_newest_run_shown() {
        const app::BareHome home; // without a sample, too
        const QString run = listed_run(home, QStringLiteral("20261127-100000-7-a-run"), 2, 7);
        app::write_clip(home.file("clip.mp4"), 64, 48, 50);
        write(home.file("damaged.mp4"), read(home.file("clip.mp4")).left(300));
        write(home.file("other.mp4"), "this is no video");
        const QStringList files{home.file("damaged.mp4"), home.file("other.mp4")};
        for (const bool has_run : {true, false}) {
            if (!has_run) QVERIFY(QDir(run).removeRecursively());
            StudioFixture studio(Layout::create, Scheme::dark, {1280, 800}, files);
            PreviewView& preview = studio.window().preview();
            QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains("damaged.mp4") && said(studio).contains("other.mp4"),
                                      qPrintable(said(studio)), 30000);
            if (has_run) {
                QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.player().playing(), 30000);
                QCOMPARE(preview.info(app::Side::a)->path, run);
                continue;
            }
            studio.window().viewer().show_file(home.file("clip.mp4"));
            QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a), 30000);
            QVERIFY(!preview.player().playing());
        }
    }

    /// The whole message is in the studio's language.
    void why_a_lora_is_refused_is_told_in_one_language() {
        qputenv("DENOIR_LANGUAGE", "de");
        const auto back = qScopeGuard([] { qputenv("DENOIR_LANGUAGE", "en"); });
        const Translation german(*qApp);
        const app::Home home;
        write(home.file("none.safetensors"), QByteArray("\2\0\0\0\0\0\0\0{}", 10));
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        document.set_value("loras", QVariantList{QVariantMap{{"file", home.file("none.safetensors")}}});
        QVERIFY(document.wait_resolved(20000));
        QCOMPARE(app::words(document.issue("loras")),
                 QString::fromUtf8(
                     "none.safetensors: enthält keine LoRA; die Datei einer LoRA für Wan oder SkyReels-V2 wählen"));
    }

    /// The log is in the studio's language.
    void the_log_names_stages_as_the_window_does() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        studio.find<QAction>("run.generate")->trigger();
        QVERIFY(studio.idle());
        const app::Journal& journal = studio.core().journal;
        QStringList lines;
        for (int row = 0; row < journal.rowCount(); ++row) lines << journal.index(row).data().toString();
        QVERIFY2(lines.contains("denoising"), qPrintable(lines.join('\n')));
    }

    /// The log begins with the program, so it knows nothing of an earlier run. The list of runs does.
    void why_an_older_run_failed_can_be_read() {
        const app::Home home;
        QDir().mkpath(home.data("runs"));
        {
            RunFolder run = RunFolder::take(app::fake_run(app::to_path(home.data("runs")), 1));
            run.record().state = RunState::failed;
            run.record().error =
                Error("/nowhere/model", "model", "there is no such folder", "choose one that is there");
            run.save();
        }
        StudioFixture studio;
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 1, 30000);
        const QString reason = "/nowhere/model: model: there is no such folder; choose one that is there";
        const QString tip = list->model()->index(0, 0).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.endsWith(reason), qPrintable(tip));
        QTimer::singleShot(0, list, [] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            QVERIFY(menu);
            for (QAction* action : menu->actions())
                if (action->text() == "Details") action->trigger();
            menu->close();
        });
        emit list->customContextMenuRequested(studio.row_point(list, 0));
        QVERIFY2(said(studio).contains(reason), qPrintable(said(studio)));
    }

    /// It is said nowhere else.
    void why_a_run_failed_is_read_to_its_end() {
        const app::Home home;
        StudioFixture studio;
        auto& queue = studio.core().queue;
        app::RequestDocument::Snapshot wrong{app::tiny_request(), "a red ball"};
        write(home.file("text.png"), "this is no picture\n");
        wrong.request.image = home.file("text.png").toStdString();
        queue.add(wrong);
        QVERIFY(studio.idle());
        const auto* list = studio.find<QListView>("queue");
        const QModelIndex row = list->model()->index(0, 0);
        QCOMPARE(row.data(app::RunQueue::StateRole).toInt(), int(app::RunQueue::State::failed));
        const auto issue = row.data(app::RunQueue::IssueRole).value<app::Issue>();
        const QString spoken = row.data(Qt::AccessibleTextRole).toString();
        QVERIFY2(spoken.contains("text.png: " + issue.message), qPrintable(spoken)); // names the file
        const int words = list->fontMetrics().horizontalAdvance(issue.message + "; " + issue.hint);
        const int lines = words / list->viewport()->width() + 1;
        QVERIFY2(lines > 1, qPrintable(issue.line()));
        QVERIFY(list->visualRect(row).height() >= (1 + lines) * list->fontMetrics().lineSpacing() + 10);
    }

    /// Verifications wait for each other, so each result must say which run it is about.
    void every_verification_is_told_by_name() {
        const app::Home home;
        listed_run(home, "good", 2, 1);
        {
            RunFolder broken = RunFolder::take(app::to_path(listed_run(home, "broken", 2, 2)));
            broken.record().request.model = "/nowhere";
            broken.save();
        }
        StudioFixture studio;
        auto& worker = studio.core().worker;
        app::Arrivals ended(&worker, &app::EngineWorker::ended);
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 2, 30000);
        for (int row = 0; row < 2; ++row) {
            list->setCurrentIndex(list->model()->index(row, 0));
            studio.find<QAction>("run.verify")->trigger();
        }
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 2, 60000);
        const QString words = studio.window().banners().texts().join('\n');
        QVERIFY2(words.contains("seed 1” verified"), qPrintable(words));
        QVERIFY2(words.contains("seed 2” could not be verified"), qPrintable(words));
        QVERIFY(!said(studio).contains("verifying"));
    }

    void what_verified_a_run_last_is_told() {
        const app::Home home;
        const QString run = listed_run(home, "run", 2, 1), model = home.file("model");
        QVERIFY(QFile::link(QStringLiteral("/nowhere"), model));
        {
            RunFolder made = RunFolder::take(app::to_path(run));
            made.record().request.model = model.toStdString();
            made.save();
        }
        StudioFixture studio;
        auto& core = studio.core();
        app::Arrivals ended(&core.worker, &app::EngineWorker::ended);
        QTRY_COMPARE_WITH_TIMEOUT(studio.find<RunsView>("runs")->selectionModel()->selectedIndexes().size(), 1, 30000);
        studio.find<QAction>("run.verify")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 60000);
        QVERIFY2(said(studio).contains("could not be verified"), qPrintable(said(studio)));
        QVERIFY(QFile::remove(model));
        QVERIFY(QFile::link(app::to_qstring(app::tiny_request().model), model));
        studio.find<QAction>("run.verify")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 2, 60000);
        QVERIFY2(said(studio).contains("comes out otherwise"), qPrintable(said(studio))); // in files with other names
        QVERIFY2(!said(studio).contains("could not be verified"), qPrintable(said(studio)));
    }

    /// The user no longer needs to hear that its folder is gone, nor what came of the verification at work.
    void a_deleted_run_is_verified_no_more() {
        const app::Home home;
        listed_run(home, "one", 2, 1);
        listed_run(home, "two", 2, 2);
        StudioFixture studio;
        app::Arrivals ended(&studio.core().worker, &app::EngineWorker::ended);
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 2, 30000);
        for (int row = 0; row < 2; ++row) {
            list->setCurrentIndex(list->model()->index(row, 0));
            studio.find<QAction>("run.verify")->trigger();
        }
        list->selectAll();
        studio.find<QAction>("run.delete")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 2, 60000);
        QCOMPARE(list->model()->rowCount(), 0);
        QVERIFY2(!said(studio).contains("verif"), qPrintable(said(studio)));
        QVERIFY(studio.idle());
    }
};

int main(int argc, char** argv) { return run_window_test<WindowFailuresTest>(argc, argv); }

#include "window_failures_test.moc"
