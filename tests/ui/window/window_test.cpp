// SPDX-License-Identifier: Apache-2.0
// The whole window against what goes wrong: wrong files, a missing model, a full disk; and every
// action where there is nothing to act on.
#include <QCameraDevice>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDropEvent>
#include <QLabel>
#include <QMediaDevices>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QSignalSpy>
#include <QStyle>
#include <QToolButton>
#include <QTreeWidget>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/request/request_document.h"
#include "engine/media/image.h"
#include "tests/app/clips.h"
#include "tests/app/full_disk.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/compare/differences_panel.h"
#include "ui/docks/camera_window.h"
#include "ui/docks/image_well.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/theme/colours.h"

using namespace denoir;
using namespace denoir::ui;
using QueueState = app::RunQueue::State;

class WindowTest : public QObject {
    Q_OBJECT

    static void drop(QWidget& window, const QString& path, QPoint at) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QWidget* target = window.childAt(at);
        while (target && !target->acceptDrops()) target = target->parentWidget();
        QVERIFY(target);
        const QPoint inside = target->mapFrom(&window, at);
        QDragEnterEvent enter(inside, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &enter);
        QDropEvent event(inside, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &event);
        QVERIFY(looked_at(window));
    }

private slots:
    void every_action_survives_an_empty_studio() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        int triggered = 0;
        for (const auto& entry : studio.window().actions().entries()) {
            if (entry.id == QStringLiteral("file.quit")) continue;
            entry.action->trigger();
            QCoreApplication::processEvents();
            for (auto* dialog : studio.window().findChildren<QDialog*>()) dialog->close();
            ++triggered;
        }
        QVERIFY(triggered > 60);
        QVERIFY(studio.window().isVisible());
        QVERIFY(studio.idle());
    }

    /// Keys must lead out of the prompt, in which Space is a space.
    void keys_lead_from_the_prompt_to_picture_and_timeline() {
        const app::Home home;
        app::write_clip(home.file("clip.mkv"), 96, 54, 9);
        StudioFixture studio;
        load_tiny(studio);
        studio.open({home.file("clip.mkv")});
        auto& preview = studio.window().preview();
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a), 20000);
        preview.player().pause();
        studio.find<QWidget>("prompt")->setFocus();
        studio.key(Qt::Key_F6);
        QVERIFY(preview.hasFocus());
        studio.key(Qt::Key_Space);
        QVERIFY(preview.player().playing());
        studio.find<QWidget>("prompt")->setFocus();
        studio.key(Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(studio.find<QWidget>("timeline")->hasFocus());
    }

    void a_video_is_shown_where_it_can_be_seen() {
        const app::Home home;
        app::write_clip(home.file("clip.mkv"), 96, 54, 9);
        StudioFixture studio(Layout::tune);
        load_tiny(studio);
        QVERIFY(!studio.window().preview().isVisible());
        studio.open({home.file("clip.mkv")});
        QTRY_VERIFY_WITH_TIMEOUT(studio.window().preview().info(app::Side::a), 20000);
        QVERIFY(studio.window().preview().isVisible());
    }

    /// Until a picture is read, the picture of another file must not be shown in its place, and an unreadable one is
    /// explained.
    void a_start_image_shows_itself_or_what_is_wrong() {
        const app::Home home;
        write_png(app::to_path(home.file("good.png")), app::moving_picture(96, 64, 0));
        QByteArray header = read(home.file("good.png"));
        QVERIFY(!header.isEmpty());
        write(home.file("broken.png"), header.left(header.size() - 40)); // with a sound header
        const QByteArray resources = qgetenv("DENOIR_RESOURCES");
        qputenv("DENOIR_RESOURCES", DENOIR_BUNDLED); // its model takes images
        const auto back = qScopeGuard(
            [&] { resources.isNull() ? qunsetenv("DENOIR_RESOURCES") : qputenv("DENOIR_RESOURCES", resources); });
        StudioFixture studio;
        studio.use_model();
        auto* well = studio.find<ImageWell>("start-image");
        auto& document = studio.core().document;
        QVERIFY(document.set_value("image", home.file("good.png")).isEmpty());
        QVERIFY(document.wait_resolved(20000));
        QTRY_VERIFY_WITH_TIMEOUT(!well->picture().isNull(), 20000);
        (void)document.set_value("image", home.file("broken.png"));
        QVERIFY(well->picture().isNull());
        QTRY_VERIFY_WITH_TIMEOUT(well->toolTip().contains("cut short") || well->toolTip().contains("damaged"), 20000);
    }

    void buttons_of_questions_bear_no_pictures() {
        const app::Home home;
        StudioFixture studio;
        QDialogButtonBox box(QDialogButtonBox::Save | QDialogButtonBox::Cancel, &studio.window());
        box.ensurePolished();
        QVERIFY(!box.style()->styleHint(QStyle::SH_DialogButtonBox_ButtonsHaveIcons, nullptr, &box));
    }

    void without_a_camera_its_window_says_so() {
        if (!QMediaDevices::videoInputs().isEmpty()) QSKIP("this machine has a camera");
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        studio.window().actions().at("edit.camera")->trigger();
        const auto* camera = studio.window().findChild<CameraWindow*>();
        QVERIFY(camera && camera->isVisible() && !camera->isModal());
        const auto* words = camera->findChild<QLabel*>();
        QVERIFY2(words->text().contains("No camera"), qPrintable(words->text()));
        QVERIFY(!camera->findChild<QPushButton*>()->isEnabled());
    }

    /// Asking twice opens one window, whose picture goes to the side that was asked for last.
    void there_is_one_camera() {
        if (!QMediaDevices::videoInputs().isEmpty()) QSKIP("this machine has a camera");
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        for (int i = 0; i < 2; ++i) studio.window().actions().at("edit.camera")->trigger();
        QCOMPARE(studio.window().findChildren<CameraWindow*>().size(), 1);
    }

    /// Texts name the keys as they are now, and no key if there is none.
    void texts_name_the_keys_of_now() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& actions = studio.window().actions();
        const auto* find = studio.window().menuBar()->cornerWidget()->findChild<QToolButton*>();
        if (!find) find = qobject_cast<QToolButton*>(studio.window().menuBar()->cornerWidget());
        QVERIFY(find);
        QVERIFY2(find->text().startsWith("Ctrl+K: "), qPrintable(find->text()));
        actions.set_shortcuts("view.palette", {QKeySequence("Ctrl+Shift+P")});
        QVERIFY2(find->text().startsWith("Ctrl+Shift+P: "), qPrintable(find->text()));
        actions.set_shortcuts("view.palette", {});
        QVERIFY2(find->text().startsWith("Find any action"), qPrintable(find->text()));
        const auto said_of = [&](const char* action) {
            studio.window().say("nothing");
            actions.at(QLatin1String(action))->trigger();
            return studio.find<ElidedLabel>("status-stage")->whole();
        };
        actions.set_shortcuts("run.to-timeline", {});
        QVERIFY2(!said_of("timeline.split").contains("()"), qPrintable(said(studio)));
        studio.window().layouts().show(Layout::compare);
        actions.set_shortcuts("view.timeline", {});
        QCOMPARE(said_of("timeline.split"), QString("The timeline is not shown."));
    }

    void wrong_files_are_named_and_left_alone() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        const QByteArray text = "this is no video\n", half_png = QByteArray("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
        write(home.file("text.mp4"), text);
        write(home.file("half.png"), half_png);
        write(home.file("empty.mkv"), {});
        write(home.file("future.json"), "{\"schema\": 99, \"prompt\": \"x\"}");
        write(home.file("syntax.json"), "{\"prompt\": ");
        write(home.file("future.denoir"), "{\"format\": \"denoir-project\", \"version\": 99, \"shots\": []}");
        write(home.file("cut-off.denoir"), "{\"format\": \"denoir-proj");
        for (const char* folder : {"half-run/latents", "empty-folder"}) QDir(home.path()).mkpath(folder);
        write(home.file("half-run/run.json"), "{\"schema\": 1, \"state\": \"runn");
        const std::string prompt = studio.core().document.asked().prompt;
        auto& preview = studio.window().preview();
        for (const char* name : {"text.mp4", "half.png", "empty.mkv", "future.json", "syntax.json", "future.denoir",
                                 "cut-off.denoir", "half-run", "empty-folder", "not-there.mp4"}) {
            const QByteArray before = read(home.file(name));
            studio.open({home.file(name)});
            QVERIFY2(QTest::qWaitFor([&] { return said(studio).contains(name); }, 10000),
                     qPrintable(QString(name) + " -> " + said(studio)));
            for (const QString& line : studio.window().banners().texts()) {
                QVERIFY2(line.size() <= 500 && !line.contains('\n') && !line.contains("exception"), qPrintable(line));
            }
            QCOMPARE(read(home.file(name)), before);
            for (const QString& key : {QStringLiteral("open"), "clip " + home.file(name), QStringLiteral("request")})
                studio.window().banners().remove(key);
        }
        QCOMPARE(studio.core().document.asked().prompt, prompt);
        QCOMPARE(studio.core().project.path(), QString());
        // Dropped on the picture they leave it as it was.
        app::write_clip(home.file("good.mp4"), 64, 48, 6);
        drop(studio.window(), home.file("good.mp4"), preview.mapTo(&studio.window(), QPoint(80, 80)));
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::a)->frames == 6, 30000);
        drop(studio.window(), home.file("text.mp4"), preview.mapTo(&studio.window(), QPoint(80, 80)));
        QVERIFY(QTest::qWaitFor([&] { return said(studio).contains("text.mp4"); }, 10000));
        QCOMPARE(preview.info(app::Side::a)->frames, 6);
        // Each is reported once, and of two files both are.
        studio.open({home.file("text.mp4"), home.file("empty.mkv")});
        const auto told = [&] { return studio.window().banners().texts().join('\n'); };
        QTRY_VERIFY_WITH_TIMEOUT(told().contains("text.mp4") && told().contains("empty.mkv"), 10000);
        QVERIFY2(!preview.canvas().accessibleDescription().contains("empty.mkv"),
                 qPrintable(preview.canvas().accessibleDescription()));
        // Dropped on the cut they make no shot.
        auto* timeline = studio.find<QWidget>("timeline");
        drop(studio.window(), home.file("empty.mkv"), timeline->mapTo(&studio.window(), timeline->rect().center()));
        QVERIFY(QTest::qWaitFor([&] { return said(studio).contains("empty.mkv"); }, 10000));
        QCOMPARE(studio.core().project.count(), 0);
    }

    /// The clip that the command line names is shown and plays. If there is none, or its run is damaged, the newest run
    /// is.
    void what_is_named_on_the_command_line_comes_first() {
        const app::Home home;
        const QString run = listed_run(home, QStringLiteral("20261127-100000-7-a-run"), 2, 7);
        app::write_clip(home.file("clip.mp4"), 64, 48, 50);
        write(home.file("request.json"), "{\"schema\": 1, \"prompt\": \"a red kite\"}");
        QVERIFY(QDir(home.path()).mkpath("half-run"));
        write(home.file("half-run/run.json"), "{\"schema\": 1, \"state\": \"runn");
        const auto shown_by = [](const QString& file) {
            StudioFixture studio(Layout::create, Scheme::dark, {1280, 800}, {file});
            PreviewView& preview = studio.window().preview();
            const auto plays = [&] { return preview.info(app::Side::a) && preview.player().playing(); };
            return QTest::qWaitFor(plays, 30000) ? preview.info(app::Side::a)->path : QString();
        };
        QCOMPARE(shown_by(home.file("clip.mp4")), home.file("clip.mp4"));
        for (const char* other : {"request.json", "half-run"}) QCOMPARE(shown_by(home.file(other)), run);
    }

    /// It is not named by its folder, since nobody gave it that name.
    void a_run_from_elsewhere_is_called_by_its_prompt() {
        const app::Home home;
        const QString run = app::tiny_run(home.file("20261127-100000-7-a-run"), 2, 7);
        StudioFixture studio;
        const auto& preview = studio.window().preview();
        drop(studio.window(), run, preview.mapTo(&studio.window(), QPoint(80, 80)));
        QTRY_VERIFY2_WITH_TIMEOUT(said(studio).contains("“a red balloon” was made by Denoir"), qPrintable(said(studio)),
                                  10000);
        QVERIFY2(!said(studio).contains("20261127"), qPrintable(said(studio)));
        studio.core().document.set_value("forcing.video", run + "/video.mp4");
        const auto* after = studio.find<QWidget>("goes-on-after")->findChild<ElidedLabel*>();
        QTRY_VERIFY2(after->whole().startsWith("a red balloon"), qPrintable(after->whole()));
    }

    void wrong_files_opened_together_are_told_at_once() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        write(home.file("syntax.json"), "{\"prompt\": ");
        write(home.file("cut-off.denoir"), "{\"format\": \"denoir-proj");
        QDir(home.path()).mkpath("models");
        write(home.file("models/model.safetensors"), "no weights");
        auto& banners = studio.window().banners();
        studio.open({home.file("syntax.json"), home.file("cut-off.denoir"), home.file("gone"),
                     home.file("models/model.safetensors")});
        QCOMPARE(banners.texts().size(), 1);
        const QString text = banners.texts().constFirst();
        QVERIFY2(text.startsWith("4 files could not be opened: "), qPrintable(text));
        for (const char* name : {"syntax.json", "cut-off.denoir", "gone", "model.safetensors"})
            QVERIFY2(text.contains(name), qPrintable(text));
        QVERIFY(!studio.core().settings.model_folders().contains(home.file("models")));
    }

    /// If there is nothing to open, no question is asked and the picture stays.
    void a_wrong_file_costs_nothing() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        app::write_clip(home.file("good.mp4"), 64, 48, 6);
        write(home.file("cut-off.denoir"), "{\"format\": \"denoir-proj");
        write(home.file("text.mp4"), "this is no video\n");
        auto& project = studio.core().project;
        project.add_shot(app::take_of_video(home.file("good.mp4")));
        studio.open({home.file("cut-off.denoir")});
        QVERIFY(said(studio).contains("cut-off.denoir"));
        for (const auto* box : studio.window().findChildren<QMessageBox*>()) QVERIFY(!box->isVisible());
        QCOMPARE(project.count(), 1);

        auto& preview = studio.window().preview();
        QImage step(64, 48, QImage::Format_RGB32);
        step.fill(Qt::gray);
        preview.show_overlay({step, QStringLiteral("step 3 of 9")});
        studio.open({home.file("text.mp4")});
        QVERIFY(QTest::qWaitFor([&] { return said(studio).contains("text.mp4"); }, 10000));
        QCOMPARE(preview.canvas().accessibleDescription(), QStringLiteral("step 3 of 9"));
        studio.open({home.file("good.mp4")});
        QTRY_COMPARE_WITH_TIMEOUT(preview.canvas().accessibleDescription(), QStringLiteral("good.mp4"), 30000);
    }

    /// Nobody can reach what lies beyond the screen.
    void the_window_stays_on_the_screen() {
        const app::Home home;
        const QRect room = QGuiApplication::primaryScreen()->availableGeometry();
        {
            StudioFixture studio;
            studio.window().setGeometry(QRect(room.bottomRight() - QPoint(300, 300), room.size()));
            studio.window().close();
        }
        StudioFixture studio;
        studio.window().resize(room.size() * 2);
        studio.window().restore_place();
        const QRect place = studio.window().geometry(); // as small as the window can become
        QVERIFY(room.contains(place.topLeft()));
        QVERIFY(place.width() <= std::max(room.width(), studio.window().minimumSizeHint().width()));
        QVERIFY(place.height() <= std::max(room.height(), studio.window().minimumSizeHint().height()));
    }

    /// Two runs with the same name are told apart by what differs. After a swap everything about A and B has changed
    /// sides.
    void a_swap_is_followed_everywhere() {
        const app::Home home;
        StudioFixture studio(Layout::compare, Scheme::dark, {1600, 1000});
        auto& preview = studio.window().preview();
        const QString a = app::tiny_run(home.file("a"), 2, 1), b = app::tiny_run(home.file("b"), 3, 1);
        preview.show_clip(app::Side::a, a);
        preview.show_clip(app::Side::b, b);
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::b), 30000);
        const auto* panel = studio.window().findChild<DifferencesPanel*>();
        const QStringList steps{"steps", "2", "3"}, swapped{"steps", "3", "2"};
        QTRY_VERIFY_WITH_TIMEOUT(panel->rows().contains(steps), 30000);
        const auto name = [&](const char* button) { return studio.find<QToolButton>(button)->toolTip(); };
        const auto ends = [&](const char* button, const char* detail) { return name(button).endsWith(detail); };
        QVERIFY2(ends("choose-a", "· steps 2") && ends("choose-b", "· steps 3"), qPrintable(name("choose-a")));
        QVERIFY(preview.canvas().accessibleDescription().contains("steps 2"));
        preview.swap();
        QTRY_VERIFY_WITH_TIMEOUT(panel->rows().contains(swapped), 30000);
        QVERIFY2(ends("choose-a", "· steps 3") && ends("choose-b", "· steps 2"), qPrintable(name("choose-a")));
        QVERIFY(preview.canvas().accessibleDescription().startsWith("A: " + name("choose-a")));
    }

    /// Words in the colours of A and B must stay readable in another theme.
    void differences_follow_the_theme() {
        const app::Home home;
        StudioFixture studio(Layout::compare);
        DifferencesPanel panel;
        const QString a = app::tiny_run(home.file("a"), 2, 1), b = app::tiny_run(home.file("b"), 2, 2);
        panel.set_sources({true, a, {}}, {true, b, {}});
        const auto* table = panel.findChild<QTreeWidget*>();
        QTRY_VERIFY_WITH_TIMEOUT(table->topLevelItemCount() > 0, 30000);
        QCOMPARE(table->topLevelItem(0)->foreground(1).color(), dark_colours().a);
        studio.theme().set_scheme(Scheme::light);
        QCoreApplication::processEvents();
        QCOMPARE(table->topLevelItem(0)->foreground(1).color(), light_colours().a);
    }

    void a_missing_model_is_said_where_it_is_chosen() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        studio.core().document.set_value("model", home.file("models/gone"));
        QVERIFY(studio.core().document.wait_resolved(20000));
        QVERIFY(!studio.core().document.valid());
        const auto wrong = [&] {
            for (const auto* label : studio.find<QWidget>("parameters-dock")->findChildren<QLabel*>())
                if (label->isVisible() && label->property("error").toBool() && !label->text().isEmpty())
                    return label->text();
            return QString();
        };
        QTRY_VERIFY_WITH_TIMEOUT(!wrong().isEmpty(), 30000);
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QVERIFY2(said(studio).contains("model: "), qPrintable(said(studio)));
        QCOMPARE(studio.core().queue.rowCount(), 0);
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(studio.core().document.wait_resolved(20000));
        QVERIFY(studio.core().document.valid());
        QTRY_VERIFY_WITH_TIMEOUT(wrong().isEmpty(), 30000);
    }

    void every_generate_counts_while_the_request_is_being_resolved() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        auto* generate = studio.find<QAction>("run.generate");
        document.set_value("steps", 2);
        QVERIFY(document.pending());
        generate->trigger();
        generate->trigger();
        QCOMPARE(studio.core().queue.rowCount(), 0);
        QSignalSpy added(&studio.core().queue, &QAbstractItemModel::rowsInserted);
        QVERIFY(document.wait_resolved(20000));
        QTRY_COMPARE_WITH_TIMEOUT(added.count(), 2, 30000);
        QVERIFY(studio.idle());
        QTRY_COMPARE_WITH_TIMEOUT(studio.core().history.rowCount(), 2, 30000);
    }

    /// A LoRA belongs to the request wherever it is dropped, and a folder that is watched can be removed.
    void a_lora_is_no_folder_of_models() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        const QString style = QFileInfo(DENOIR_FIXTURES "/_inputs/style-kohya.safetensors").absoluteFilePath();
        auto& preview = studio.window().preview();
        for (const int loras : {1, 2}) {
            drop(studio.window(), style, preview.mapTo(&studio.window(), QPoint(80, 80)));
            QCOMPARE(studio.core().document.asked().loras.size(), std::size_t(loras));
        }
        QVERIFY(studio.core().settings.model_folders().isEmpty());
        auto* folders = studio.find<QToolButton>("watched-folders");
        QVERIFY(!folders->isEnabled());
        studio.core().settings.set_model_folders({home.file("unplugged")}); // an earlier session watched it
        QTRY_VERIFY_WITH_TIMEOUT(folders->isEnabled(), 20000);
        emit folders->menu()->aboutToShow();
        QCOMPARE(folders->menu()->actions().size(), 1);
        folders->menu()->actions().constFirst()->trigger();
        QVERIFY(studio.core().settings.model_folders().isEmpty());
        QVERIFY(!folders->isEnabled());
    }

    void keys_that_find_nothing_to_act_on_say_so() {
        const app::Home home;
        StudioFixture studio;
        studio.window().preview().clear(app::Side::a);
        studio.window().preview().setFocus();
        const auto said_of = [&](int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
            studio.window().say("nothing");
            studio.key(key, modifiers);
            return studio.find<ElidedLabel>("status-stage")->whole();
        };
        for (const int key : {Qt::Key_W, Qt::Key_D, Qt::Key_O, Qt::Key_Q, Qt::Key_0})
            QCOMPARE(said_of(key), QString("Choose an A and a B first."));
        QCOMPARE(said_of(Qt::Key_W, Qt::ShiftModifier), QString("Choose an A and a B first."));
        QCOMPARE(said_of(Qt::Key_Right, Qt::AltModifier), QString("Choose an A and a B first."));
        QCOMPARE(studio.window().preview().player().offset(), 0);
        QVERIFY2(said_of(Qt::Key_T).startsWith("Show a run"), qPrintable(said(studio)));
        QVERIFY(
            studio.window().actions().at("run.generate-next")->shortcuts().contains(QKeySequence("Ctrl+Shift+Enter")));
        // Space presses the image well that has the focus.
        auto* well = studio.window().findChild<ImageWell*>();
        QSignalSpy asked(well, &ImageWell::choose_asked);
        well->setFocus();
        studio.key(Qt::Key_Space);
        QCOMPARE(asked.count(), 1);
    }

    /// The parameters come back, from their own file or from where earlier versions kept them.
    void parameters_outlive_the_program() {
        const app::Home home;
        const auto prompt = [] { return StudioFixture().core().document.asked().prompt; };
        const QString file = home.data(QStringLiteral("request.json"));
        const std::string fresh = prompt();
        {
            StudioFixture studio;
            studio.core().settings.set_value("document/last", R"({"schema": 1, "prompt": "from before"})");
        }
        QFile::remove(file);
        QCOMPARE(prompt(), std::string("from before"));
        {
            StudioFixture studio;
            studio.core().document.set_value("prompt", "a newer one");
            studio.window().close();
        }
        QCOMPARE(prompt(), std::string("a newer one"));
        for (const char* bad : {"", "[]", "{", R"({"schema": 9, "prompt": "of tomorrow"})", "\xff\xfe"}) {
            QFile damaged(file);
            QVERIFY(damaged.open(QIODevice::WriteOnly | QIODevice::Truncate));
            damaged.write(bad);
            damaged.close();
            QFile::remove(file + QStringLiteral(".broken"));
            QCOMPARE(prompt(), std::string("from before"));
            QVERIFY2(QFile::exists(file + QStringLiteral(".broken")), bad); // the user may still want it
        }
        QVERIFY(fresh != "from before");
    }

    /// What was allowed once can be taken back.
    void choices_are_kept_and_taken_back() {
        const app::Home home;
        StudioFixture studio;
        auto& settings = studio.core().settings;
        settings.set_may_drop_latents(true);
        auto* free = studio.window().actions().at(QStringLiteral("file.free-steps"));
        QVERIFY(free->isChecked());
        free->trigger();
        QVERIFY(!settings.may_drop_latents());
        auto* tell = studio.window().actions().at(QStringLiteral("file.notify"));
        QVERIFY(tell->isChecked());
        tell->trigger();
        QVERIFY(!settings.notifications());
    }

    void a_full_disk_loses_nothing() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(studio.idle());
        QTRY_VERIFY_WITH_TIMEOUT(!studio.core().history.newest_done().isEmpty(), 30000);
        auto& project = studio.core().project;
        project.add_shot(app::take_of_run(studio.core().history.newest_done()));
        save_as(project, home.file("cut.denoir"));
        const QByteArray saved = read(home.file("cut.denoir"));
        project.rename_shot(0, "another name");
        {
            const app::FullDisk full;
            studio.key(Qt::Key_S, Qt::ControlModifier);
            QTRY_VERIFY_WITH_TIMEOUT(said(studio).contains("cut.denoir:"), 30000);
            studio.key(Qt::Key_Return, Qt::ControlModifier);
            QVERIFY(studio.idle());
            const auto& queue = studio.core().queue;
            const QModelIndex last = queue.index(queue.rowCount() - 1);
            QCOMPARE(QueueState(last.data(app::RunQueue::StateRole).toInt()), QueueState::failed);
            QVERIFY(!last.data(app::RunQueue::IssueRole).value<app::Issue>().message.isEmpty());
        }
        QCOMPARE(read(home.file("cut.denoir")), saved);
        QVERIFY(project.is_modified());
        studio.key(Qt::Key_S, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!project.is_modified(), 30000);
        QVERIFY(read(home.file("cut.denoir")).contains("another name"));
        const QString banners = studio.window().banners().texts().join('\n');
        QVERIFY2(!banners.contains("cut.denoir"), qPrintable(banners)); // the failed save is no longer reported
    }

    /// Unless the place was not the reason.
    void what_could_not_be_written_may_go_elsewhere() {
        const app::Home home;
        StudioFixture studio;
        app::write_clip(home.file("a.mp4"), 64, 48, 6);
        auto& core = studio.core();
        core.project.add_shot(app::take_of_video(home.file("a.mp4")));
        const auto written = [&](const char* name) {
            return said(studio).contains("Written: " + home.file(QLatin1String(name)));
        };
        studio.find<QAction>("file.export")->trigger();
        QVERIFY(studio.answer_file_dialog(home.file("out.mkv")));
        QTRY_VERIFY_WITH_TIMEOUT(written("out.mkv"), 30000);
        emit core.exporter.failed({"/elsewhere/a.mp4", {}, "is damaged", {}});
        QVERIFY(said(studio).contains("is damaged") && !studio.press("Write it elsewhere …"));
        {
            const app::FullDisk full;
            studio.find<QAction>("file.export")->trigger();
            QVERIFY(studio.answer_file_dialog(home.file("full.mkv")));
            QVERIFY(QTest::qWaitFor([&] { return studio.press("Write it elsewhere …"); }, 30000));
        }
        QVERIFY(studio.answer_file_dialog(home.file("there.mkv")));
        QTRY_VERIFY_WITH_TIMEOUT(written("there.mkv"), 30000);
    }
};

int main(int argc, char** argv) { return run_window_test<WindowTest>(argc, argv); }

#include "window_test.moc"
