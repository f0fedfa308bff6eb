// SPDX-License-Identifier: Apache-2.0
// The program itself: asked for a picture of its window where there is no display, and ended by a signal.
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QProcess>
#include <QTest>

#include <algorithm>
#include <csignal>

#include "app/base/settings.h"
#include "app/project/project.h"
#include "tests/app/home.h"
#include "tests/app/projects.h"

using namespace denoir;

namespace {

struct Ended {
    int code = -1;
    QByteArray out, err;
};

class ScreenshotTest : public QObject {
    Q_OBJECT

    app::Home home_;

    /// Runs without any display, and Qt must not complain about that.
    Ended denoir(const QStringList& words) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(name);
        environment.insert("XDG_RUNTIME_DIR", home_.path()); // without it Qt prints a line of its own
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(DENOIR_PROGRAM), words);
        if (!process.waitForFinished(240000)) {
            process.kill();
            process.waitForFinished();
            return {-1, {}, "still running after four minutes"};
        }
        const int code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        return {code, process.readAllStandardOutput(), process.readAllStandardError()};
    }

    /// The mean brightness of a picture, which must have more than one colour.
    double brightness(const QImage& picture) {
        const QImage grey = picture.convertToFormat(QImage::Format_Grayscale8).scaled(64, 64);
        double sum = 0;
        int darkest = 255, lightest = 0;
        for (int y = 0; y < 64; ++y)
            for (int x = 0; x < 64; ++x) {
                const int value = grey.constScanLine(y)[x];
                sum += value;
                darkest = std::min(darkest, value);
                lightest = std::max(lightest, value);
            }
        return lightest - darkest < 40 ? -1 : sum / (64 * 64);
    }

private slots:
    void every_layout_and_both_themes() {
        const auto drawn = [&](const QString& layout, const QString& theme, const QSize& size) {
            const QString file = home_.file(layout + theme + ".png");
            const Ended ended = denoir({"--screenshot", file, "--layout", layout, "--theme", theme, "--size",
                                        QStringLiteral("%1x%2").arg(size.width()).arg(size.height())});
            if (ended.code != 0) qWarning("%s", ended.err.constData());
            if (ended.code != 0 || QString::fromUtf8(ended.out).trimmed() != file) return QImage();
            return QImage(file);
        };
        const QImage dark = drawn("create", "dark", {1280, 800});
        const QImage light = drawn("compare", "light", {1400, 900});
        QCOMPARE(dark.size(), QSize(1280, 800));
        QCOMPARE(light.size(), QSize(1400, 900));
        QCOMPARE(drawn("compare", "dark", {800, 600}).size(), QSize(800, 600)); // no dock may make it higher
        QVERIFY2(brightness(dark) > 0 && brightness(dark) < 100, qPrintable(QString::number(brightness(dark))));
        QVERIFY2(brightness(light) > 160, qPrintable(QString::number(brightness(light))));
        // The axes are shown between the docks, above the grid, which may be empty.
        QVERIFY(brightness(drawn("tune", "dark", {1280, 800}).copy(280, 40, 980, 120)) > 0);
    }

    /// The end of a session is no crash: unsaved changes are kept, and the next start takes them up without a question.
    void a_signal_ends_the_studio_in_order() {
        for (const int signal : {SIGTERM, SIGHUP, SIGINT}) {
            {
                app::Project project;
                project.set_autosave(true);
                app::Take take;
                take.video = home_.file("cut.mp4");
                take.frames = 9, take.width = 48, take.height = 32;
                project.add_shot(take);
                project.keep_for_next_start();
            }
            const auto left = app::Project::recoverable();
            QCOMPARE(left.size(), 1);
            QVERIFY(left.first().kept);
            const auto holds = [&](const char* words) {
                QFile file(left.first().autosave);
                return file.open(QIODevice::ReadOnly) && file.readAll().contains(words);
            };
            QProcess studio;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert("QT_QPA_PLATFORM", "offscreen");
            environment.insert("XDG_RUNTIME_DIR", home_.path());
            studio.setProcessEnvironment(environment);
            studio.setProcessChannelMode(QProcess::ForwardedChannels);
            studio.start(QStringLiteral(DENOIR_PROGRAM), QStringList());
            QVERIFY(studio.waitForStarted());
            // It has taken the cut up and keeps it as a studio at work does.
            QVERIFY(QTest::qWaitFor([&] { return holds("\"kept\":false"); }, 60000));
            QCOMPARE(::kill(pid_t(studio.processId()), signal), 0);
            QVERIFY(studio.waitForFinished(60000));
            QCOMPARE(studio.exitStatus(), QProcess::NormalExit);
            QCOMPARE(studio.exitCode(), 0);
            QVERIFY2(holds("\"kept\":true"), "the next start would call this end unexpected");
            app::Project::discard(left.first());
        }
    }

    /// Taking a picture of a project must not count as a session with it.
    void a_picture_changes_no_setting() {
        {
            app::Project project;
            save_as(project, home_.file("cut.denoir"));
        }
        const QString key = QStringLiteral("open_project"), before = QStringLiteral("another");
        app::Settings().set_value(key, before);
        const QString file = home_.file("project.png");
        const Ended ended = denoir({"--screenshot", file, "--size", "1024x700", "--open", home_.file("cut.denoir")});
        QVERIFY2(ended.code == 0 && QFile::exists(file), ended.err.constData());
        QCOMPARE(app::Settings().value(key).toString(), before);
        QVERIFY(!app::Settings().recent_projects().contains(home_.file("cut.denoir")));
    }

    void what_cannot_be_drawn_is_refused_in_one_line() {
        for (const QStringList& words : {QStringList{"--screenshot", home_.file("no/such/folder/a.png")},
                                         {"--screenshot", home_.path()},
                                         {"--screenshot", home_.file("b.png"), "--open", home_.file("missing.mp4")},
                                         {"--screenshot", home_.file("b.png"), "--size", "1x1"},
                                         {"--screenshot"}}) {
            const Ended ended = denoir(words);
            QVERIFY2(ended.code == 1 || ended.code == 2, qPrintable(words.join(' ') + ": " + ended.err));
            QVERIFY2(ended.err.startsWith("denoir: ") && ended.err.count('\n') == 1, ended.err.constData());
        }
        QVERIFY(!QFileInfo::exists(home_.file("b.png")) && !QFileInfo::exists(home_.file("no")));
        QVERIFY(QDir(home_.path()).entryList({"*.png*"}, QDir::Files).filter("b.png").isEmpty());
    }
};

} // namespace

QTEST_GUILESS_MAIN(ScreenshotTest)
#include "screenshot_test.moc"
