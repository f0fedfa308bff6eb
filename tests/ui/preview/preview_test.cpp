// SPDX-License-Identifier: Apache-2.0
// The preview with one clip in it. For two see preview_sides_test.cpp.
#include <QAccessible>
#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QToolButton>

#include "engine/media/frame_folder.h"
#include "tests/ui/preview/preview_case.h"
#include "ui/preview/fit_row.h"
#include "ui/preview/gl_surface.h"
#include "ui/preview/scrubber.h"

using namespace denoir;
using namespace denoir::app;
using namespace denoir::ui;

class PreviewTest : public PreviewCase {
    Q_OBJECT
private slots:
    void initTestCase() { make_clips(); }

    /// This program runs twice: offscreen with QPainter, and on a display with OpenGL.
    void paints_through_what_was_asked_for() {
        View v;
        const bool offscreen = QGuiApplication::platformName() == QStringLiteral("offscreen");
        QCOMPARE(v.view.canvas().uses_gl(), !offscreen && gl_is_usable());
        if (!offscreen && !gl_is_usable()) QSKIP("this display gives no OpenGL: QPainter was tested instead");
        if (offscreen) return;
        QTest::qWait(1500); // by then the canvas has checked that it got a context
        QVERIFY(v.view.canvas().uses_gl());
    }

    /// At true size every pixel on the screen must have the colour that it has in the frame.
    void shows_exactly_the_frame() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        Canvas& canvas = v.view.canvas();
        canvas.zoom_to(1);
        for (const int n : {0, 17, 5, 23, 12}) {
            v.view.player().go_to(n);
            v.settle();
            const QImage screen = painted(canvas);
            const QPoint corner = canvas.picture_rect().topLeft().toPoint();
            QCOMPARE(canvas.picture_rect().size(), QSizeF(160, 96));
            QVERIFY2(to_image(screen.copy(QRect(corner, QSize(160, 96)))) == frames_a_[static_cast<std::size_t>(n)],
                     qPrintable(QString::number(n)));
        }
    }

    /// A cut asks for frames of the next clip, which may be longer, and goes on asking while that clip is being opened.
    void a_frame_of_another_clip() {
        View v;
        write_clip(home_.file("short.mp4"), 160, 96, 5, 40);
        v.open(Side::a, home_.file("short.mp4"));
        QSignalSpy opened(&v.view, &PreviewView::clip_opened), failed(&v.view, &PreviewView::clip_failed);
        for (const int frame : {17, 18, 19}) v.view.show_frame(Side::a, home_.file("b.mp4"), frame);
        QTRY_COMPARE_WITH_TIMEOUT(v.view.player().frame(), 19, 30000);
        v.settle();
        QCOMPARE(opened.count(), 1);
        v.view.canvas().zoom_to(1);
        const QImage screen = painted(v.view.canvas());
        const QPoint corner = v.view.canvas().picture_rect().topLeft().toPoint();
        QVERIFY(to_image(screen.copy(QRect(corner, QSize(160, 96)))) == frames_b_[19]);
        // The other clip is not shown if the first is wanted back before it is open.
        v.view.show_frame(Side::a, home_.file("a.mp4"), 3);
        v.view.show_frame(Side::a, home_.file("b.mp4"), 4);
        QCOMPARE(v.view.player().frame(), 4);
        QTest::qWait(100);
        QCOMPARE(v.view.info(Side::a)->path, home_.file("b.mp4"));
        // Only the first of these requests reports that the clip cannot be opened.
        for (int frame = 0; frame < 5; ++frame) {
            v.view.show_frame(Side::a, home_.file("gone.mp4"), frame);
            QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 30000);
        }
        QCOMPARE(v.view.info(Side::a)->path, home_.file("b.mp4"));
    }

    /// The frame that comes next is opened and decoded while another clip is still seen.
    void an_expected_frame_is_there_at_once() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        constexpr qint64 frame_bytes = 160 * 96 * 4, all_of_a = 24 * frame_bytes;
        QTRY_COMPARE_WITH_TIMEOUT(v.cache.bytes(), all_of_a, 30000);
        QSignalSpy opened(&v.view, &PreviewView::clip_opened), failed(&v.view, &PreviewView::clip_failed);
        v.view.expect_frame(Side::a, home_.file("b.mp4"), 7);
        for (int frame = 8; frame < 12; ++frame) v.view.expect_frame(Side::a, home_.file("b.mp4"), frame);
        QTRY_VERIFY_WITH_TIMEOUT(v.cache.bytes() > all_of_a, 30000);
        QCoreApplication::processEvents(); // that it is open was posted before its first frame was in the cache
        v.view.show_frame(Side::a, home_.file("a.mp4"), 23);
        QVERIFY(v.view.is_settled(Side::a));
        QCOMPARE(opened.count(), 0);
        v.view.show_frame(Side::a, home_.file("b.mp4"), 7);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(v.view.player().frame(), 7);
        QVERIFY(v.view.is_settled(Side::a));
        // A clip that is being opened when its frame is asked for is not opened a second time.
        v.view.expect_frame(Side::a, home_.file("a.mp4"), 2);
        v.view.show_frame(Side::a, home_.file("a.mp4"), 2);
        QVERIFY(!v.view.is_settled(Side::a));
        QTRY_VERIFY_WITH_TIMEOUT(v.view.is_settled(Side::a), 30000);
        QCOMPARE(v.view.player().frame(), 2);
        // A clip that is no longer expected gives its memory back.
        QTRY_COMPARE_WITH_TIMEOUT(v.cache.bytes(), all_of_a, 30000);
        v.view.expect_frame(Side::a, home_.file("b.mp4"), 0);
        QTRY_VERIFY_WITH_TIMEOUT(v.cache.bytes() > all_of_a, 30000);
        v.view.expect_frame(Side::a, {}, 0);
        QCOMPARE(v.cache.bytes(), all_of_a);
        QCOMPARE(opened.count(), 2);
        // A clip that cannot be opened is reported only when it is asked for, and then nothing is waited for.
        v.view.expect_frame(Side::a, home_.file("gone.mp4"), 0);
        QTest::qWait(50);
        QCOMPARE(failed.count(), 0);
        v.view.show_frame(Side::a, home_.file("gone.mp4"), 0);
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 30000);
        QVERIFY(v.view.is_settled(Side::a));
    }

    /// Nothing may state the rate of a folder of frames. The rate that it is played at is then no property of it and is
    /// not shown.
    void a_rate_is_shown_where_one_is_stated() {
        const auto write = [&](const QString& folder, const std::string& request) {
            FrameFolderWriter writer(to_path(folder), request);
            for (int n = 0; n < 3; ++n) writer.write(moving_picture(64, 48, n));
            writer.finish();
        };
        write(home_.file("unrated"), {});
        write(home_.file("rated"), R"({"schema": 1, "prompt": "a", "fps": 16})");
        View v;
        v.view.resize(900, 480);
        const auto rates = [&] {
            QStringList texts;
            for (const QLabel* label : v.view.findChildren<QLabel*>())
                if (label->text().contains(QStringLiteral("fps"))) texts << label->text();
            return texts;
        };
        v.open(Side::a, home_.file("a.mp4"));
        QCOMPARE(rates(), QStringList{QStringLiteral("24 fps")});
        v.open(Side::a, home_.file("unrated"));
        QCOMPARE(v.view.player().frames(), 3);
        QCOMPARE(rates(), QStringList());
        v.open(Side::a, home_.file("rated"));
        QCOMPARE(rates(), QStringList{QStringLiteral("16 fps")});
    }

    void keys_move_in_time() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        Player& player = v.view.player();
        QTest::keyClick(&v.view, Qt::Key_Right);
        QCOMPARE(player.frame(), 1);
        QTest::keyClick(&v.view, Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(player.frame(), 11);
        QTest::keyClick(&v.view, Qt::Key_Left);
        QCOMPARE(player.frame(), 10);
        QTest::keyClick(&v.view, Qt::Key_End);
        QCOMPARE(player.frame(), 23);
        QTest::keyClick(&v.view, Qt::Key_Right);
        QCOMPARE(player.frame(), 0); // one step goes round
        QTest::keyClick(&v.view, Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(player.frame(), 0); // ten steps do not
        player.shuttle(1);
        QCOMPARE(player.speed(), 1.0);
        player.shuttle(1);
        QCOMPARE(player.speed(), 2.0);
        player.shuttle(-1);
        QCOMPARE(player.speed(), 1.0);
        player.shuttle(-1);
        QCOMPARE(player.speed(), -1.0);
        player.pause();
        QCOMPARE(player.speed(), 0.0);
        player.toggle();
        QVERIFY(player.playing());
        player.toggle();
        QVERIFY(!player.playing());
    }

    /// Playing 24 frames takes a second and shows them in order.
    void plays_every_frame_in_true_time() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        QTRY_COMPARE_WITH_TIMEOUT(v.view.player().clip(Side::a)->cached_ranges(),
                                  (std::vector<std::pair<int, int>>{{0, 23}}), 30000);
        v.view.player().set_loop(false);
        QSignalSpy frames(&v.view.player(), &Player::frame_changed);
        QElapsedTimer clock;
        clock.start();
        v.view.player().play();
        QTRY_VERIFY_WITH_TIMEOUT(!v.view.player().playing(), 20000);
        QCOMPARE(v.view.player().frame(), 23);
        QVERIFY2(clock.elapsed() > 950,
                 qPrintable(QString::number(clock.elapsed()))); // how much longer depends on the machine
        int last = 0;
        for (const auto& call : frames) {
            QVERIFY(call.front().toInt() > last || call.front().toInt() == last);
            last = call.front().toInt();
        }
    }

    /// Without a mouse the picture is moved by keys, and the values of the pixel in the middle are shown.
    void keys_move_the_picture() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        Canvas& canvas = v.view.canvas();
        canvas.zoom_to(8);
        const QPointF before = canvas.picture_rect().topLeft();
        QTest::keyClick(&v.view, Qt::Key_Right, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(canvas.picture_rect().topLeft(), before - QPointF(8, 0));
        QTest::keyClick(&v.view, Qt::Key_Up, Qt::ControlModifier);
        QVERIFY(canvas.picture_rect().top() > before.y() + 8);
        const QImage without = painted(canvas);
        canvas.set_shows_values(true);
        QVERIFY(painted(canvas) != without);
    }

    void pixel_values_are_shown_under_the_pointer() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        Canvas& canvas = v.view.canvas();
        canvas.zoom_to(2);
        const QImage plain = painted(canvas);
        v.view.canvas().set_shows_values(true);
        const QPoint where = canvas.picture_rect().topLeft().toPoint() + QPoint(40, 30);
        QTest::mouseMove(&canvas, where);
        QCOMPARE(canvas.pixel_at(where), QPoint(20, 15));
        QTRY_VERIFY_WITH_TIMEOUT(painted(canvas) != plain, 30000);
    }

    void a_row_needs_what_its_layout_does() {
        QWidget row;
        auto* layout = new QHBoxLayout(&row);
        for (const char* words : {"Difference", "Flicker", "Onion"}) layout->addWidget(new QPushButton(words));
        layout->addStretch(1);
        layout->addWidget(new QLabel("34.1 dB"));
        QCOMPARE(needed_width(row), layout->minimumSize().width());
    }

    void dropped_files_are_opened() {
        View v;
        QSignalSpy opened(&v.view, &PreviewView::clip_opened), failed(&v.view, &PreviewView::clip_failed),
            request(&v.view, &PreviewView::request_found);
        drop(v.view, home_.file("a.mp4"), {500, 100});
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, 30000);
        QCOMPARE(opened.back().front().value<Side>(), Side::a); // there is nothing yet to compare it with
        QCOMPARE(request.count(), 1);
        drop(v.view, home_.file("b.mp4"), {500, 100});
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 2, 30000);
        QCOMPARE(opened.back().front().value<Side>(), Side::b);
        QCOMPARE(request.count(), 1); // B was not made by Denoir

        QFile text(home_.file("evil.mp4"));
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write("#EXTM3U\n#EXTINF:1,\nfile:///etc/hostname\n");
        text.close();
        drop(v.view, home_.file("evil.mp4"), {100, 100});
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 30000);
        QVERIFY(v.view.info(Side::a)); // the clip before is still shown
        QCOMPARE(v.view.info(Side::a)->frames, 24);
        const Issue issue = failed.back().at(1).value<Issue>();
        QVERIFY(issue.line().contains(QStringLiteral("evil.mp4")) && !issue.line().contains(u'\n'));

        // Each of two failures in a row is reported, although only the second clip was to be seen in the end.
        for (const char* name : {"evil.mp4", "gone.mp4"}) v.view.show_clip(Side::a, home_.file(name), true);
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 3, 30000);
        QVERIFY(failed[1].at(1).value<Issue>().file != failed[2].at(1).value<Issue>().file);

        // A picture may become the start image or the end image, which is not for the preview to decide.
        QSignalSpy dropped(&v.view, &PreviewView::files_dropped);
        drop(v.view, home_.file("gone.png"), {100, 100});
        QCOMPARE(dropped.count(), 1);
        QCOMPARE(dropped[0][0].toStringList(), QStringList{home_.file("gone.png")});
        QCOMPARE(failed.count(), 3); // the preview has not tried to open it
    }

    /// The pointer must not wait for a slow disk, so that a dragged file is judged by its name alone.
    void what_is_dragged_is_told_by_its_name() {
        View v;
        const auto told = [&](const QString& name) {
            QMimeData data;
            data.setUrls({QUrl::fromLocalFile(home_.file(name))});
            QDragEnterEvent enter({20, 100}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(&v.view, &enter);
            QDragMoveEvent move({20, 100}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(&v.view, &move);
            return v.view.canvas().accessibleDescription();
        };
        for (const auto& [name, words] : {std::pair{"gone.PNG", "choose what it is for"},
                                          {"gone.mp4", "show it"},
                                          {"gone.gif", "show it"},
                                          {"a folder", "show it"},
                                          {"gone.denoir", "open it"},
                                          {"gone.safetensors", "open it"}})
            QVERIFY2(told(name).contains(words), qPrintable(told(name)));
        QDragLeaveEvent leave;
        QApplication::sendEvent(&v.view, &leave);
        QVERIFY(!v.view.canvas().accessibleDescription().contains("Drop here:"));
    }

    void an_overlay_comes_and_goes() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        QImage latent(20, 12, QImage::Format_RGB32);
        latent.fill(qRgb(10, 200, 30));
        v.view.show_overlay({latent, QStringLiteral("step 3")});
        const QPointF middle = v.view.canvas().rect().center();
        QCOMPARE(at(painted(v.view.canvas()), middle), qRgb(10, 200, 30));
        // The clip below the overlay cannot be seen, so keys and the scrubber do not move it.
        const auto* scrubber = v.view.findChild<Scrubber*>();
        QVERIFY(!scrubber->isEnabled());
        QTest::keyClick(&v.view, Qt::Key_End);
        QTest::keyClick(&v.view, Qt::Key_Left);
        QCOMPARE(v.view.player().frame(), 0);
        v.view.show_overlay({}, {});
        QVERIFY(scrubber->isEnabled());
        QTest::keyClick(&v.view, Qt::Key_End);
        QCOMPARE(v.view.player().frame(), v.view.player().frames() - 1);
        v.view.show_overlay({latent, QStringLiteral("step 3")});
        v.open(Side::a, home_.file("b.mp4")); // a clip that is opened takes the overlay away
        QVERIFY(scrubber->isEnabled());
        QVERIFY(at(painted(v.view.canvas()), middle) != qRgb(10, 200, 30));
    }

    /// An estimate has an eighth of the video's width and height. "100 %" must be true of the video, while the loupe
    /// reads the pixels of the estimate.
    void a_sketch_has_the_size_of_what_it_stands_for() {
        View v;
        QImage latent(20, 12, QImage::Format_RGB32);
        latent.fill(qRgb(10, 200, 30));
        Canvas& canvas = v.view.canvas();
        v.view.show_overlay({latent, QStringLiteral("step 3")}, {}, {160, 96});
        const double fitted = canvas.scale();
        canvas.zoom_to(1);
        QCOMPARE(canvas.picture_rect().size() * canvas.devicePixelRatioF(), QSizeF(160, 96));
        QCOMPARE(canvas.pixel_at(canvas.picture_rect().topLeft() + QPointF(159, 95) / canvas.devicePixelRatioF()),
                 QPoint(19, 11));
        QVERIFY(!canvas.pixel_at(canvas.picture_rect().topLeft() - QPointF(1, 1)));
        v.view.show_overlay({latent, QStringLiteral("step 3")});
        canvas.zoom_to_fit();
        QCOMPARE(canvas.scale(), fitted * 8);
    }

    void widgets_can_be_read_aloud() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        for (QToolButton* button : v.view.findChildren<QToolButton*>())
            QVERIFY(!button->accessibleName().isEmpty() || !button->text().isEmpty());
        QCOMPARE(QAccessible::queryAccessibleInterface(&v.view.canvas())->role(), QAccessible::Graphic);
        auto* slider = v.view.findChild<QSlider*>();
        QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(slider);
        QCOMPARE(spoken->role(), QAccessible::Slider);
        QVERIFY(spoken->valueInterface());
        // A screen reader counts frames as the label beside the scrubber does, from 1.
        QCOMPARE(spoken->valueInterface()->minimumValue().toInt(), 1);
        QCOMPARE(spoken->valueInterface()->maximumValue().toInt(), 24);
        v.view.player().go_to(4);
        QTRY_COMPARE_WITH_TIMEOUT(spoken->valueInterface()->currentValue().toInt(), 5, 10000);
        spoken->valueInterface()->setCurrentValue(8);
        QTRY_COMPARE_WITH_TIMEOUT(v.view.player().frame(), 7, 10000);
        QVERIFY(v.view.canvas().accessibleDescription().contains(QStringLiteral("a.mp4")));
    }
};

QTEST_MAIN(PreviewTest)
#include "preview_test.moc"
