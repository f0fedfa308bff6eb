// SPDX-License-Identifier: Apache-2.0
// The docks in which a request is written, as far as no story tells of them.
#include <QSpinBox>
#include <QToolButton>

#include "app/request_document.h"
#include "app/text.h"
#include "tests/app/clips.h"
#include "tests/ui/studio_fixture.h"
#include "ui/docks/images_panel.h"
#include "ui/widgets/field.h"
#include "ui/window/translation.h"

using namespace denoir;
using namespace denoir::ui;

class RequestDocksTest : public QObject {
    Q_OBJECT

private slots:
    void a_clip_that_begins_anew_keeps_its_windows() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        const auto begin_anew = [&](QVariantMap forcing, int frames) {
            Request request = app::tiny_request();
            request.frames = frames;
            document.load(request);
            forcing.insert("video", home.file("before.mp4"));
            forcing.insert("video_frames", 9);
            QVERIFY(document.set_value("forcing", forcing).isEmpty());
            QVERIFY(document.wait_resolved(20000));
            QVERIFY2(document.resolved(), qPrintable(document.issue("forcing").line()));
            studio.find<QToolButton>("begin-anew")->click();
            QVERIFY(document.wait_resolved(20000));
            QVERIFY(document.resolved() && document.resolved()->forcing->video.empty() &&
                    !document.resolved()->forcing->video_frames);
        };
        app::write_clip(home.file("before.mp4"), 48, 32, 12);
        begin_anew({{"base", 13}, {"overlap", 5}, {"condition_noise", 20}, {"ar_step", 2}}, 29);
        QVERIFY(document.asked().forcing);
        QCOMPARE(*document.asked().forcing, (Forcing{.ar_step = 2, .overlap = 5, .base = 13, .condition_noise = 20}));
        // Windows that nobody asked for, either.
        const int usual = document.default_value("frames").toInt();
        begin_anew({{"overlap", 5}}, 2 * usual - 1);
        QCOMPARE(document.resolved()->forcing->base, usual);
        QCOMPARE(document.resolved()->forcing->overlap, 5);
        // What was said of the video alone goes with it.
        begin_anew({{"overlap", 5}}, 29);
        QVERIFY(!document.asked().forcing);
    }
};

int main(int argc, char** argv) {
    QApplication program(argc, argv);
    QLocale::setDefault(QLocale::c());
    const Translation words(program);
    RequestDocksTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "request_docks_test.moc"
