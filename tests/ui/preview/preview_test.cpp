// SPDX-License-Identifier: Apache-2.0
#include "ui/preview/preview_view.h"

#include <QAccessible>
#include <QApplication>
#include <QDragEnterEvent>
#include <QLabel>
#include <QMimeData>
#include <QSet>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include "engine/media/frame_folder.h"
#include "tests/app/clips.h"
#include "tests/app/home.h"
#include "ui/preview/difference.h"
#include "ui/preview/gl_surface.h"

using namespace denoir;
using namespace denoir::app;
using namespace denoir::ui;

class PreviewTest : public QObject {
    Q_OBJECT
    Home home_;
    std::vector<Image> frames_a_, frames_b_;

    /// What the canvas paints, without a screen's scaling.
    static QImage painted(Canvas& canvas) {
        if (canvas.uses_gl()) // what is grabbed of OpenGL's surface was painted before
            for (QWidget* surface : canvas.findChildren<QWidget*>()) {
                QSignalSpy swapped(surface, SIGNAL(frameSwapped()));
                surface->update();
                if (!swapped.wait(30000)) qWarning("the canvas is not painted");
            }
        return canvas.grab().toImage().convertToFormat(QImage::Format_RGB32);
    }

    static QRgb at(const QImage& image, QPointF p) { return image.pixel(p.toPoint()); }

    struct View {
        FrameCache cache{64 << 20};
        PreviewView view{cache};
        View() {
            view.resize(640, 480);
            view.show();
        }
        void open(Side side, const QString& path) {
            QSignalSpy opened(&view, &PreviewView::clip_opened);
            view.show_clip(side, path);
            QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, 30000);
            settle();
        }
        void settle() {
            QTRY_VERIFY_WITH_TIMEOUT(view.player().clip(Side::a) || view.player().clip(Side::b), 30000);
            for (const Side side : {Side::a, Side::b})
                if (const Clip* clip = view.player().clip(side))
                    QTRY_VERIFY_WITH_TIMEOUT(clip->is_settled(view.player().frame_of(side)), 30000);
            QTest::qWait(1);
        }
    };

    static void drop(PreviewView& view, const QString& path, const QPoint& where) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(where, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&view, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event(where, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&view, &event);
    }

private slots:
    void initTestCase() {
        // Whatever was asked for, the offscreen platform gets no OpenGL: QOpenGLWidget would crash there.
        if (QGuiApplication::platformName() == QStringLiteral("offscreen")) qputenv("DENOIR_VIEWER", "opengl");
        write_clip(home_.file("a.mp4"), 160, 96, 24, 0, R"({"schema": 1, "prompt": "a"})");
        write_clip(home_.file("b.mp4"), 160, 96, 24, 20);
        frames_a_ = frames_in_turn(home_.file("a.mp4"));
        frames_b_ = frames_in_turn(home_.file("b.mp4"));
    }

    /// This program runs twice: offscreen with QPainter, and on a display with OpenGL.
    void paints_through_what_was_asked_for() {
        View v;
        const bool offscreen = QGuiApplication::platformName() == QStringLiteral("offscreen");
        QCOMPARE(v.view.canvas().uses_gl(), !offscreen && gl_is_usable());
        if (!offscreen && !gl_is_usable()) QSKIP("this display gives no OpenGL: QPainter was tested instead");
        if (offscreen) return;
        QTest::qWait(1500); // by then the canvas has looked whether the context came
        QVERIFY(v.view.canvas().uses_gl());
    }

    /// At true size every pixel on the screen is the frame's.
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

    /// As a cut asks for them: of another clip, longer than the one before, and many while it is being opened.
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
        // Back before the other one was opened: it does not come any more.
        v.view.show_frame(Side::a, home_.file("a.mp4"), 3);
        v.view.show_frame(Side::a, home_.file("b.mp4"), 4);
        QCOMPARE(v.view.player().frame(), 4);
        QTest::qWait(100);
        QCOMPARE(v.view.info(Side::a)->path, home_.file("b.mp4"));
        // What cannot be opened is said once.
        for (int frame = 0; frame < 5; ++frame) {
            v.view.show_frame(Side::a, home_.file("gone.mp4"), frame);
            QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 30000);
        }
        QCOMPARE(v.view.info(Side::a)->path, home_.file("b.mp4"));
    }

    /// What comes next is opened and decoded while something else is seen.
    void an_expected_frame_is_there_at_once() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        constexpr qint64 frame_bytes = 160 * 96 * 4, all_of_a = 24 * frame_bytes;
        QTRY_COMPARE_WITH_TIMEOUT(v.cache.bytes(), all_of_a, 30000);
        QSignalSpy opened(&v.view, &PreviewView::clip_opened), failed(&v.view, &PreviewView::clip_failed);
        v.view.expect_frame(Side::a, home_.file("b.mp4"), 7);
        for (int frame = 8; frame < 12; ++frame) v.view.expect_frame(Side::a, home_.file("b.mp4"), frame);
        QTRY_VERIFY_WITH_TIMEOUT(v.cache.bytes() > all_of_a, 30000);
        v.view.show_frame(Side::a, home_.file("a.mp4"), 23);
        QVERIFY(v.view.is_settled(Side::a));
        QCOMPARE(opened.count(), 0);
        v.view.show_frame(Side::a, home_.file("b.mp4"), 7);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(v.view.player().frame(), 7);
        QVERIFY(v.view.is_settled(Side::a));
        // Opened while it is asked for: no second time.
        v.view.expect_frame(Side::a, home_.file("a.mp4"), 2);
        v.view.show_frame(Side::a, home_.file("a.mp4"), 2);
        QVERIFY(!v.view.is_settled(Side::a));
        QTRY_VERIFY_WITH_TIMEOUT(v.view.is_settled(Side::a), 30000);
        QCOMPARE(v.view.player().frame(), 2);
        // Not asked for after all: nothing of it stays.
        QTRY_COMPARE_WITH_TIMEOUT(v.cache.bytes(), all_of_a, 30000);
        v.view.expect_frame(Side::a, home_.file("b.mp4"), 0);
        QTRY_VERIFY_WITH_TIMEOUT(v.cache.bytes() > all_of_a, 30000);
        v.view.expect_frame(Side::a, {}, 0);
        QCOMPARE(v.cache.bytes(), all_of_a);
        QCOMPARE(opened.count(), 2);
        // What cannot be opened is said when it is asked for, and then there is nothing to wait for.
        v.view.expect_frame(Side::a, home_.file("gone.mp4"), 0);
        QTest::qWait(50);
        QCOMPARE(failed.count(), 0);
        v.view.show_frame(Side::a, home_.file("gone.mp4"), 0);
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 30000);
        QVERIFY(v.view.is_settled(Side::a));
    }

    /// Of a folder of frames nothing may say it: the rate that it is played at is no property of it.
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
        QCOMPARE(player.frame(), 0); // goes round
        QTest::keyClick(&v.view, Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(player.frame(), 0); // ten do not
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

    /// One second of 24 frames: all are shown, in order, and it takes a second.
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
                 qPrintable(QString::number(clock.elapsed()))); // how much longer is the machine's
        int last = 0;
        for (const auto& call : frames) {
            QVERIFY(call.front().toInt() > last || call.front().toInt() == last);
            last = call.front().toInt();
        }
    }

    void wipe_is_exact_to_the_pixel() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        QCOMPARE(v.view.mode(), CompareMode::wipe);
        Canvas& canvas = v.view.canvas();
        canvas.zoom_to(1);
        v.view.player().go_to(9);
        v.settle();
        canvas.set_wipe(0.25);
        const QImage screen = painted(canvas);
        const QPoint corner = canvas.picture_rect().topLeft().toPoint();
        const QImage a = to_qimage(frames_a_[9]), b = to_qimage(frames_b_[9]);
        const int line = 40;
        for (int y = 60; y < 90; ++y)
            for (int x = 0; x < 160; ++x) {
                if (std::abs(x - line) <= 12) continue; // the line and its handle
                QCOMPARE(screen.pixel(corner + QPoint(x, y)), (x < line ? a : b).pixel(x, y));
            }
        // The line can be dragged.
        const QPoint handle = corner + QPoint(line, 48);
        QTest::mousePress(&canvas, Qt::LeftButton, {}, handle);
        QTest::mouseMove(&canvas, handle + QPoint(80, 3));
        QTest::mouseRelease(&canvas, Qt::LeftButton, {}, handle + QPoint(80, 3));
        QVERIFY(std::abs(canvas.wipe() - 0.75) < 0.01);
    }

    void difference_is_signed_and_amplified() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        v.view.toggle_mode(CompareMode::difference);
        QCOMPARE(v.view.mode(), CompareMode::difference);
        Canvas& canvas = v.view.canvas();
        canvas.zoom_to(1);
        for (const int gain : {1, 4, 64}) {
            v.view.set_gain(gain);
            const QImage screen = painted(canvas);
            const QPoint corner = canvas.picture_rect().topLeft().toPoint();
            for (int y = 30; y < 96; y += 5)
                for (int x = 0; x < 160; x += 3) {
                    const std::uint8_t *p = frames_a_[0].row(y) + 3 * x, *q = frames_b_[0].row(y) + 3 * x;
                    int most = 0;
                    for (int c = 0; c < 3; ++c)
                        if (std::abs(q[c] - p[c]) > std::abs(most)) most = q[c] - p[c];
                    QCOMPARE(screen.pixel(corner + QPoint(x, y)), difference_colour(most, gain));
                }
        }
        QCOMPARE(difference_colour(0, 64), qRgb(20, 20, 20));
        QVERIFY(qBlue(difference_colour(-40, 4)) > qRed(difference_colour(-40, 4)));
        QVERIFY(qRed(difference_colour(40, 4)) > qBlue(difference_colour(40, 4)));
        QCOMPARE(difference_colour(255, 64), qRgb(255, 255, 255));
        v.view.toggle_mode(CompareMode::difference);
        QCOMPARE(v.view.mode(), CompareMode::single);
    }

    void b_is_shifted_and_laid_over_a() {
        View v;
        v.view.resize(900, 480);
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        auto* offset = v.view.findChild<QSpinBox*>();
        QVERIFY(offset->isVisible());
        offset->setValue(2);
        QCOMPARE(v.view.player().offset(), 2);
        QCOMPARE(v.view.player().frame_of(Side::b), v.view.player().frame_of(Side::a) + 2);
        v.view.swap();
        QCOMPARE(offset->value(), -2);
        auto* share = v.view.findChild<QSlider*>(QStringLiteral("onion-share"));
        QVERIFY(!share->isVisible());
        v.view.toggle_mode(CompareMode::onion);
        QVERIFY(share->isVisible());
        share->setValue(20);
        QCOMPARE(v.view.canvas().onion(), 0.2);
        v.view.setFocus();
        QTest::keyClick(&v.view, Qt::Key_BracketRight);
        QCOMPARE(share->value(), 25);
        // Opened again it is the same pair; another one has no shift.
        v.open(Side::b, home_.file("a.mp4"));
        QCOMPARE(offset->value(), -2);
        v.open(Side::b, home_.file("b.mp4"));
        QCOMPARE(offset->value(), 0);
        QCOMPARE(v.view.player().frame_of(Side::b), v.view.player().frame_of(Side::a));
    }

    /// Without a mouse: the picture moves by keys, and the values are those in the middle.
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

    void nought_flips() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        Canvas& canvas = v.view.canvas();
        canvas.zoom_to(1);
        const auto shown = [&] {
            const QPoint corner = canvas.picture_rect().topLeft().toPoint();
            return at(painted(canvas), corner + QPoint(80, 90));
        };
        const QRgb a = to_qimage(frames_a_[0]).pixel(80, 90), b = to_qimage(frames_b_[0]).pixel(80, 90);
        QVERIFY(a != b);
        v.view.flip();
        QCOMPARE(shown(), b);
        v.view.flip();
        QCOMPARE(shown(), a);
        v.view.swap();
        QTRY_COMPARE(shown(), b); // OpenGL's first picture may be a level off
    }

    void zoom_and_pan_stay_together() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        v.view.set_mode(CompareMode::side_by_side);
        Canvas& canvas = v.view.canvas();
        QVERIFY(canvas.fits());
        const QPointF at = canvas.picture_rect().center() + QPointF(20, -10);
        const auto pixel = canvas.pixel_at(at);
        QVERIFY(pixel);
        QWheelEvent wheel(at, canvas.mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(&canvas, &wheel);
        QVERIFY(!canvas.fits());
        QCOMPARE(canvas.pixel_at(at), pixel); // the wheel keeps what is under the cursor
        QCOMPARE(canvas.picture_rect().size(), canvas.second_rect().size());
        const QPointF before = canvas.second_rect().topLeft();
        canvas.pan({-10, 6});
        QVERIFY((canvas.second_rect().topLeft() - before - QPointF(-10, 6)).manhattanLength() < 2);
        v.view.canvas().zoom_to_fit();
        QVERIFY(canvas.fits());
        v.view.player().go_to(11);
        QCOMPARE(v.view.player().frame_of(Side::a), 11);
        QCOMPARE(v.view.player().frame_of(Side::b), 11);
        v.view.player().set_offset(3);
        QCOMPARE(v.view.player().frame_of(Side::b), 14);
    }

    /// What is shorter holds its last frame; a picture as A does not keep a clip as B from being seen.
    void the_longer_clip_leads() {
        write_clip(home_.file("short.mp4"), 160, 96, 5, 40);
        QVERIFY(to_qimage(frames_a_[3]).save(home_.file("still.png")));
        View v;
        Player& player = v.view.player();
        v.open(Side::a, home_.file("still.png"));
        v.open(Side::b, home_.file("b.mp4"));
        QCOMPARE(player.leader(), player.clip(Side::b));
        QCOMPARE(player.frames(), 24);
        player.step(7);
        QCOMPARE(player.frame_of(Side::a), 0);
        QCOMPARE(player.frame_of(Side::b), 7);
        QVERIFY(!player.frames_meet());
        player.play();
        QTRY_VERIFY_WITH_TIMEOUT(player.frame_of(Side::b) > 8, 30000);
        player.pause();
        v.open(Side::a, home_.file("short.mp4"));
        player.go_to(3);
        QCOMPARE(player.frame_of(Side::a), 3);
        QVERIFY(player.frames_meet());
        player.go_to(20);
        QCOMPARE(player.frame_of(Side::a), 4);
        QCOMPARE(player.frame_of(Side::b), 20);
        player.set_offset(2); // B's frames 2 to 6 meet those of A
        QCOMPARE(player.frame_where(Side::a, 1), 3);
        player.go_to(player.frame_where(Side::a, 1));
        QCOMPARE(player.frame_of(Side::a), 1);
        QVERIFY(player.frames_meet());
        v.view.swap();
        QCOMPARE(player.leader(), player.clip(Side::a));
        player.go_to(20);
        QCOMPARE(player.frame_of(Side::b), 4);
    }

    /// Beside A, B has a half of its own.
    void another_shape_fills_its_half() {
        Canvas canvas;
        canvas.resize(404, 240);
        QImage wide(64, 32, QImage::Format_RGB32), tall(32, 64, QImage::Format_RGB32);
        wide.fill(Qt::blue);
        tall.fill(Qt::red);
        canvas.set_pictures(wide, tall);
        canvas.set_mode(CompareMode::side_by_side);
        const QRectF half(204, 0, 200, 240), place = canvas.second_rect();
        QVERIFY(half.contains(place));
        QCOMPARE(place.height(), 240.0);
        QCOMPARE(place.width(), 120.0);
        const QImage shown = canvas.grab().toImage();
        QCOMPARE(shown.pixelColor(place.center().toPoint().x(), 2), QColor(Qt::red));
        canvas.zoom_to(2 * canvas.scale());
        QCOMPARE(canvas.second_rect().height(), 480.0);
        QCOMPARE(canvas.second_rect().center(), half.center());
        canvas.set_mode(CompareMode::difference);
        QCOMPARE(canvas.accessibleDescription(), QStringLiteral("Cannot be subtracted: A is 64 × 32, B is 32 × 64"));
    }

    /// B of another shape stands inside A's place; it is not bent to it.
    void another_shape_stays_itself() {
        Canvas canvas;
        canvas.resize(400, 240);
        QImage wide(64, 32, QImage::Format_RGB32), tall(32, 64, QImage::Format_RGB32);
        wide.fill(Qt::blue);
        tall.fill(Qt::red);
        canvas.set_pictures(wide, tall);
        canvas.set_mode(CompareMode::flicker);
        canvas.set_shows_b(true);
        const QImage shown = canvas.grab().toImage();
        const QRect place = canvas.picture_rect().toRect();
        const int y = place.center().y();
        QCOMPARE(shown.pixelColor(place.center()), QColor(Qt::red));
        QVERIFY(shown.pixelColor(place.left() + place.width() / 4, y) != QColor(Qt::red));
        QCOMPARE(shown.pixelColor(place.center().x(), place.top() + place.height() / 8), QColor(Qt::red));
    }

    void pixel_values_under_the_cursor() {
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

    void dropped_files() {
        View v;
        QSignalSpy opened(&v.view, &PreviewView::clip_opened), failed(&v.view, &PreviewView::clip_failed),
            request(&v.view, &PreviewView::request_found);
        drop(v.view, home_.file("a.mp4"), {500, 100});
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, 30000);
        QCOMPARE(opened.back().front().value<Side>(), Side::a); // nothing to compare with yet
        QCOMPARE(request.count(), 1);
        drop(v.view, home_.file("b.mp4"), {500, 100});
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 2, 30000);
        QCOMPARE(opened.back().front().value<Side>(), Side::b);
        QCOMPARE(request.count(), 1); // b was not made by Denoir

        QFile text(home_.file("evil.mp4"));
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write("#EXTM3U\n#EXTINF:1,\nfile:///etc/hostname\n");
        text.close();
        drop(v.view, home_.file("evil.mp4"), {100, 100});
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 30000);
        QVERIFY(v.view.info(Side::a)); // what was shown is still shown
        QCOMPARE(v.view.info(Side::a)->frames, 24);
        const Issue issue = failed.back().at(1).value<Issue>();
        QVERIFY(issue.line().contains(QStringLiteral("evil.mp4")) && !issue.line().contains(u'\n'));

        // A picture may become the start or the end: who listens decides.
        write_png(to_path(home_.file("start.png")), frames_a_[3]);
        QSignalSpy picture(&v.view, &PreviewView::picture_dropped);
        drop(v.view, home_.file("start.png"), {100, 100});
        QCOMPARE(picture.count(), 1);
    }

    void unequal_sizes_are_said() {
        write_clip(home_.file("small.mp4"), 80, 48, 10);
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("small.mp4"));
        v.view.set_mode(CompareMode::difference);
        // A alone, and below it why.
        Canvas& canvas = v.view.canvas();
        canvas.zoom_to(1);
        const QImage screen = painted(canvas);
        const QPoint corner = canvas.picture_rect().topLeft().toPoint();
        QVERIFY(to_image(screen.copy(QRect(corner, QSize(160, 96)))) == frames_a_[0]);
        QSet<QRgb> below;
        for (int x = 0; x < screen.width(); ++x)
            for (int y = corner.y() + 96; y < screen.height(); ++y) below << screen.pixel(x, y);
        QVERIFY2(below.size() > 2, qPrintable(QString::number(below.size())));
        QVERIFY(v.view.comparison().issue().message.contains(QStringLiteral("160 × 96")));
        v.view.player().go_to(23);
        QCOMPARE(v.view.player().frame_of(Side::b), 9); // its last
    }

    void there_must_be_two_to_swap() {
        View v;
        QSignalSpy swapped(&v.view, &PreviewView::swapped);
        v.view.swap();
        v.open(Side::a, home_.file("a.mp4"));
        v.view.player().go_to(3);
        v.settle();
        const QImage silent = painted(v.view.canvas());
        v.view.swap();
        QCOMPARE(swapped.count(), 0);
        QVERIFY(v.view.info(Side::a) && !v.view.info(Side::b));
        QCOMPARE(v.view.player().frame(), 3);
        QVERIFY(painted(v.view.canvas()) != silent); // what there must be first is written over it
    }

    void swapping_and_clearing_in_the_middle_of_opening() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.view.show_clip(Side::b, home_.file("b.mp4"));
        v.view.swap();
        QTRY_VERIFY_WITH_TIMEOUT(v.view.info(Side::a) && v.view.info(Side::b), 30000);
        QVERIFY(v.view.info(Side::a)->path.endsWith(QStringLiteral("b.mp4")));
        QVERIFY(v.view.info(Side::b)->path.endsWith(QStringLiteral("a.mp4")));
        v.view.show_clip(Side::b, home_.file("a.mp4"));
        v.view.show_clip(Side::b, home_.file("nowhere.mp4"));
        v.view.clear(Side::b);
        v.view.clear(Side::a);
        QTest::qWait(50);
        QVERIFY(!v.view.info(Side::a) && !v.view.info(Side::b));
        QCOMPARE(v.view.player().frames(), 0);
        for (const int key : {Qt::Key_Space, Qt::Key_L, Qt::Key_Period, Qt::Key_End, Qt::Key_W, Qt::Key_0, Qt::Key_1})
            QTest::keyClick(&v.view, static_cast<Qt::Key>(key)); // nothing to act on
        QVERIFY(!v.view.player().playing());
    }

    void an_overlay_comes_and_goes() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        QImage latent(20, 12, QImage::Format_RGB32);
        latent.fill(qRgb(10, 200, 30));
        v.view.show_overlay(latent, QStringLiteral("step 3"));
        const QPointF middle = v.view.canvas().rect().center();
        QCOMPARE(at(painted(v.view.canvas()), middle), qRgb(10, 200, 30));
        v.view.show_overlay({}, {});
        QVERIFY(at(painted(v.view.canvas()), middle) != qRgb(10, 200, 30));
    }

    /// An estimate has an eighth of the video's pixels: "100 %" is true of the video, and the loupe reads its own.
    void a_sketch_has_the_size_of_what_it_stands_for() {
        View v;
        QImage latent(20, 12, QImage::Format_RGB32);
        latent.fill(qRgb(10, 200, 30));
        Canvas& canvas = v.view.canvas();
        v.view.show_overlay(latent, QStringLiteral("step 3"), {160, 96});
        const double fitted = canvas.scale();
        canvas.zoom_to(1);
        QCOMPARE(canvas.picture_rect().size() * canvas.devicePixelRatioF(), QSizeF(160, 96));
        QCOMPARE(canvas.pixel_at(canvas.picture_rect().topLeft() + QPointF(159, 95) / canvas.devicePixelRatioF()),
                 QPoint(19, 11));
        QVERIFY(!canvas.pixel_at(canvas.picture_rect().topLeft() - QPointF(1, 1)));
        v.view.show_overlay(latent, QStringLiteral("step 3"));
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
        // Counted as the label beside it counts.
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
