// SPDX-License-Identifier: Apache-2.0
// What the mouse and the keys do with the picture, the scrubber and the buttons of the preview.
#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolButton>
#include <QToolTip>
#include <QWheelEvent>

#include "tests/ui/preview/preview_case.h"
#include "ui/preview/scrubber.h"

using namespace denoir;
using namespace denoir::app;
using namespace denoir::ui;

class PreviewHandsTest : public PreviewCase {
    Q_OBJECT

    static void move(QWidget& widget, QPoint at, Qt::MouseButtons held = {}) {
        QMouseEvent event(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, held, {});
        QApplication::sendEvent(&widget, &event);
    }

private slots:
    void initTestCase() { make_clips(); }

    /// The left button alone moves the scrubber, by a press or a drag. A wheel must not, since it scrolls what lies
    /// around it.
    void the_scrubber_is_pressed_and_dragged() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        const Player& player = v.view.player();
        auto* scrubber = v.view.findChild<Scrubber*>();
        const auto at = [&](int frame) {
            constexpr int beside = 8; // the room on either side of the line
            return QPoint(beside + int(std::lround((scrubber->width() - 2 * beside) * frame / 23.0)),
                          scrubber->height() / 2);
        };
        QTest::mouseClick(scrubber, Qt::RightButton, {}, at(12));
        QCOMPARE(player.frame(), 0);
        move(*scrubber, at(9));
        QCOMPARE(player.frame(), 0);
        QTest::mousePress(scrubber, Qt::LeftButton, {}, at(6));
        QCOMPARE(player.frame(), 6);
        move(*scrubber, at(17), Qt::LeftButton);
        QCOMPARE(player.frame(), 17);
        move(*scrubber, at(23) + QPoint(200, 0), Qt::LeftButton);
        QCOMPARE(player.frame(), 23);
        QTest::mouseRelease(scrubber, Qt::LeftButton, {}, at(17));
        move(*scrubber, at(3));
        QCOMPARE(player.frame(), 23);
        const QPointF middle = scrubber->rect().center();
        QWheelEvent wheel(middle, scrubber->mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(scrubber, &wheel);
        QCOMPARE(player.frame(), 23);
        QTest::keyClick(scrubber, Qt::Key_Left);
        QCOMPARE(player.frame(), 22);
        const auto tip = [&](int frame) {
            QHelpEvent event(QEvent::ToolTip, at(frame), scrubber->mapToGlobal(at(frame)));
            QApplication::sendEvent(scrubber, &event);
            return QToolTip::text();
        };
        QCOMPARE(tip(9), QString("frame 10"));
        scrubber->set_mark(11);
        QCOMPARE(tip(11), QString("frame 12: the worst"));
        QCOMPARE(tip(12), QString("frame 13"));
    }

    /// The left button and the middle one drag the picture by as much as the pointer moves. A picture that is seen as a
    /// whole stays where it is.
    void an_enlarged_picture_is_dragged() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        Canvas& canvas = v.view.canvas();
        const auto dragged = [&](Qt::MouseButton button) {
            const QPointF before = canvas.picture_rect().topLeft();
            const QPoint from(300, 200);
            QTest::mousePress(&canvas, button, {}, from);
            move(canvas, from + QPoint(-8, 16), button);
            move(canvas, from + QPoint(-16, 16), button);
            QTest::mouseRelease(&canvas, button, {}, from + QPoint(-16, 16));
            const QPointF by = canvas.picture_rect().topLeft() - before;
            move(canvas, from + QPoint(40, 40));
            return canvas.picture_rect().topLeft() - before == by ? by : QPointF(-1, -1);
        };
        QCOMPARE(dragged(Qt::LeftButton), QPointF());
        canvas.zoom_to(8);
        QCOMPARE(dragged(Qt::LeftButton), QPointF(-16, 16));
        QCOMPARE(dragged(Qt::MiddleButton), QPointF(-16, 16));
        QCOMPARE(dragged(Qt::RightButton), QPointF());
    }

    /// The clicked spot stays below the pointer, and a second double click goes back.
    void a_double_click_shows_the_true_size() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        Canvas& canvas = v.view.canvas();
        const QPoint at = canvas.picture_rect().center().toPoint() + QPoint(90, 30);
        const auto pixel = canvas.pixel_at(at);
        QVERIFY(pixel && canvas.scale() != 1);
        QTest::mouseDClick(&canvas, Qt::RightButton, {}, at);
        QVERIFY(canvas.fits());
        QTest::mouseDClick(&canvas, Qt::LeftButton, {}, at);
        QVERIFY(!canvas.fits());
        QCOMPARE(canvas.scale(), 1.0);
        const auto now = canvas.pixel_at(at);
        QVERIFY(now && (*now - *pixel).manhattanLength() <= 2); // the picture lies on whole pixels of the screen
        QTest::mouseDClick(&canvas, Qt::LeftButton, {}, at);
        QVERIFY(canvas.fits());
    }

    void keys_zoom_and_pan() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        Canvas& canvas = v.view.canvas();
        canvas.zoom_to(8);
        QTest::keyClick(&v.view, Qt::Key_Plus);
        QCOMPARE(canvas.scale(), 10.0);
        QTest::keyClick(&v.view, Qt::Key_Minus);
        QCOMPARE(canvas.scale(), 8.0);
        QTest::keyClick(&v.view, Qt::Key_Equal);
        QCOMPARE(canvas.scale(), 10.0);
        const auto panned = [&](int key) {
            const QPointF before = canvas.picture_rect().topLeft();
            QTest::keyClick(&v.view, Qt::Key(key), Qt::ControlModifier);
            return canvas.picture_rect().topLeft() - before;
        };
        // A key brings into sight what lies on its side.
        QVERIFY(panned(Qt::Key_Left).x() > 8);
        QVERIFY(panned(Qt::Key_Right).x() < -8);
        QVERIFY(panned(Qt::Key_Up).y() > 8);
        QVERIFY(panned(Qt::Key_Down).y() < -8);
        QCOMPARE(v.view.mode(), CompareMode::wipe);
        const double edge = canvas.wipe();
        v.view.nudge(1);
        QCOMPARE(canvas.wipe(), edge + 0.02);
        v.view.nudge(-1);
        v.view.nudge(-1);
        QCOMPARE(canvas.wipe(), edge - 0.02);
    }

    void buttons_step_and_zoom() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        const auto press = [&](const char* name) {
            for (auto* button : v.view.findChildren<QToolButton*>())
                if (button->accessibleName() == QLatin1String(name)) return button->click();
            QFAIL(name);
        };
        press("Next frame");
        press("Next frame");
        QCOMPARE(v.view.player().frame(), 2);
        press("Previous frame");
        QCOMPARE(v.view.player().frame(), 1);
        press("True size");
        QVERIFY(!v.view.canvas().fits());
        QCOMPARE(v.view.canvas().scale(), 1.0);
        press("Fit into the window");
        QVERIFY(v.view.canvas().fits());
    }

    /// While a run covers the clip, and until the next clip is read, pressing a button does nothing. The focus must not
    /// be lost meanwhile.
    void the_focus_stays_at_a_button() {
        View v;
        v.view.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&v.view));
        const auto named = [&](const char* name) {
            const auto buttons = v.view.findChildren<QToolButton*>();
            const auto it = std::ranges::find(buttons, QLatin1String(name), &QToolButton::accessibleName);
            return it == buttons.end() ? nullptr : *it;
        };
        QImage picture(16, 16, QImage::Format_RGB32);
        picture.fill(Qt::red);
        v.open(Side::a, home_.file("a.mp4"));
        for (const char* name : {"Next frame", "Fit into the window"}) {
            QToolButton* button = named(name);
            QVERIFY2(button, name);
            button->setFocus();
            QTRY_VERIFY(button->hasFocus());
            v.view.show_overlay({picture, "at work"});
            const int frame = v.view.player().frame();
            QTest::keyClick(button, Qt::Key_Space);
            QCOMPARE(v.view.player().frame(), frame); // the step would not be seen
            for (const char* file : {"b.mp4", "a.mp4"}) {
                v.open(Side::a, home_.file(file));
                QVERIFY2(button->hasFocus() && button->isEnabled(), name);
            }
        }
        named("Next frame")->setFocus();
        v.view.show_overlay({picture, "at work"});
        v.view.setFocus();
        QVERIFY(!named("Next frame")->isEnabled() && named("Fit into the window")->isEnabled());
    }

    /// Menus, dialogs and the palette give the focus back for reasons of their own. The ring is drawn again only if the
    /// focus had come by a key.
    void the_ring_comes_back_with_the_focus() {
        View v;
        QTest::qWait(1);
        const auto focus = [&](QEvent::Type type, Qt::FocusReason reason) {
            QFocusEvent event(type, reason);
            QApplication::sendEvent(&v.view, &event);
            return painted(v.view.canvas());
        };
        const QImage plain = focus(QEvent::FocusOut, Qt::OtherFocusReason);
        for (const auto there : {Qt::MouseFocusReason, Qt::TabFocusReason, Qt::ShortcutFocusReason})
            for (const auto back : {Qt::ActiveWindowFocusReason, Qt::PopupFocusReason, Qt::OtherFocusReason}) {
                const bool ring = there != Qt::MouseFocusReason;
                QCOMPARE(focus(QEvent::FocusIn, there) != plain, ring);
                QCOMPARE(focus(QEvent::FocusOut, back), plain);
                QCOMPARE(focus(QEvent::FocusIn, back) != plain, ring);
                focus(QEvent::FocusOut, Qt::OtherFocusReason);
            }
    }

    void flicker_shows_both_in_turn() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        v.view.toggle_mode(CompareMode::flicker);
        const Canvas& canvas = v.view.canvas();
        for (const bool b : {true, false, true}) QTRY_COMPARE_WITH_TIMEOUT(canvas.shows_b(), b, 20000);
    }

    /// In a narrow canvas two wide pictures get a half each. A point in either half belongs to the picture there.
    void two_wide_pictures_stand_one_above_the_other() {
        Canvas canvas;
        canvas.resize(200, 604);
        QImage a(64, 16, QImage::Format_RGB32), b(64, 16, QImage::Format_RGB32);
        a.fill(Qt::blue);
        b.fill(Qt::red);
        canvas.set_pictures(a, b);
        canvas.set_mode(CompareMode::side_by_side);
        QCOMPARE(canvas.picture_rect().center(), QPointF(100, 150));
        QCOMPARE(canvas.second_rect().center(), QPointF(100, 454));
        const QImage shown = canvas.grab().toImage();
        QCOMPARE(shown.pixelColor(180, 150), QColor(Qt::blue));
        QCOMPARE(shown.pixelColor(180, 454), QColor(Qt::red));
        QCOMPARE(canvas.pixel_at({1, 454}), QPoint(0, 8));
        QVERIFY(!canvas.pixel_at({100, 302})); // the gap between them
    }

    /// The preview itself must say that a clip cannot be opened, whether another clip is shown or none.
    void what_cannot_be_opened_is_said() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.view.player().go_to(3);
        v.settle();
        const QImage before = painted(v.view.canvas());
        v.view.show_clip(Side::a, home_.file("gone.mp4"), true);
        QTRY_VERIFY_WITH_TIMEOUT(painted(v.view.canvas()) != before && v.view.is_settled(Side::a), 30000);
        QVERIFY(v.view.info(Side::a)->path.endsWith("a.mp4"));
        v.view.clear(Side::a);
        v.view.show_clip(Side::a, home_.file("gone.mp4"), true);
        QTRY_VERIFY2_WITH_TIMEOUT(v.view.canvas().accessibleDescription().contains("gone.mp4"),
                                  qPrintable(v.view.canvas().accessibleDescription()), 30000);
    }

    /// The words over the picture stay as long as something is held over it.
    void what_a_drop_would_do_is_told_until_it_is_done() {
        View v;
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(home_.file("a.mp4"))});
        const auto told = [&] { return v.view.canvas().accessibleDescription().contains("Drop here"); };
        for (const bool drops : {false, true}) {
            QDragEnterEvent enter({20, 100}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(&v.view, &enter);
            QDragMoveEvent over({20, 100}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(&v.view, &over);
            QVERIFY(told());
            QDragLeaveEvent leave;
            QDropEvent drop({20, 100}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(&v.view, drops ? static_cast<QEvent*>(&drop) : &leave);
            QVERIFY(!told());
        }
    }

    /// Going to the worst frame ends playing, so that this frame stays in sight.
    void the_worst_frame_stays() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        QTRY_VERIFY_WITH_TIMEOUT(v.view.comparison().complete() && v.view.comparison().worst() >= 0, 30000);
        v.view.player().play();
        v.view.go_to_worst();
        QVERIFY(!v.view.player().playing());
        QCOMPARE(v.view.player().frame_of(Side::a), v.view.comparison().worst());
    }
};

QTEST_MAIN(PreviewHandsTest)
#include "preview_hands_test.moc"
