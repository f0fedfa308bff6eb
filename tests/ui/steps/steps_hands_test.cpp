// SPDX-License-Identifier: Apache-2.0
// What the mouse and the keys do with the steps of a run.
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>

#include "tests/app/clips.h"
#include "tests/app/home.h"
#include "ui/steps/divergence_view.h"
#include "ui/steps/step_reel.h"
#include "ui/steps/step_strip.h"
#include "ui/steps/steps_panel.h"

using namespace denoir;
using namespace denoir::app;
using namespace denoir::ui;
using View = StepPictures::View;

class StepsHandsTest : public QObject {
    Q_OBJECT
    Home home_;
    QString run_;

    /// A strip on the screen, with the four steps of a run.
    struct Strip {
        StepPictures pictures;
        DraftDecoder decoder;
        StepStrip view{pictures, decoder};
        explicit Strip(const QString& run) {
            view.resize(1200, 150);
            view.show();
            QVERIFY(QTest::qWaitForWindowExposed(&view));
            pictures.load(run);
            QTRY_COMPARE_WITH_TIMEOUT(pictures.last_step(), 4, 30000);
        }
    };
    static void move(QWidget& widget, QPoint at, Qt::MouseButtons held = {}) {
        QMouseEvent event(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, held, {});
        QApplication::sendEvent(&widget, &event);
    }

private slots:
    void initTestCase() { run_ = tiny_run(home_.file("run"), 4); }

    /// The left button alone picks steps, by a press or a drag. A wheel must not, since it scrolls what lies around the
    /// strip.
    void steps_are_picked_by_the_pointer() {
        Strip strip(run_);
        auto* reel = strip.view.findChild<StepReel*>();
        strip.view.resize(320, 150); // so narrow that the pictures take all of its width
        QTRY_COMPARE(reel->width(), 320);
        const auto at = [&](int step) { // five cells, since the start has one, too
            return QPoint(8 + int(std::lround((reel->width() - 16) * (step + 0.5) / 5)), reel->height() / 3);
        };
        QVERIFY(strip.view.follows());
        QTest::mouseClick(reel, Qt::RightButton, {}, at(1));
        move(*reel, at(1));
        QCOMPARE(strip.view.step(), 4);
        QVERIFY(strip.view.follows());
        const int noise = int(std::lround(strip.pictures.noise_levels()[1] * 100));
        QCOMPARE(QToolTip::text(), QStringLiteral("step 1 of 4, noise %1 %").arg(noise));
        QTest::mousePress(reel, Qt::LeftButton, {}, at(2));
        QCOMPARE(strip.view.step(), 2);
        QVERIFY(!strip.view.follows());
        move(*reel, at(3), Qt::LeftButton);
        QCOMPARE(strip.view.step(), 3);
        QTest::mouseRelease(reel, Qt::LeftButton, {}, at(3));
        move(*reel, at(0));
        QCOMPARE(strip.view.step(), 3);
        const QPointF middle = reel->rect().center();
        QWheelEvent wheel(middle, reel->mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(reel, &wheel);
        QCOMPARE(strip.view.step(), 3);
        strip.view.follow();
        QCOMPARE(strip.view.step(), 4);
        QVERIFY(strip.view.follows());
    }

    void keys_go_through_steps_and_frames() {
        Strip strip(run_);
        const int frames = strip.pictures.frames();
        QVERIFY(frames > 2);
        strip.view.set_step(2);
        const auto press = [&](int key, Qt::KeyboardModifiers modifiers = {}) {
            QTest::keyClick(&strip.view, Qt::Key(key), modifiers);
            return std::pair(strip.view.step(), strip.view.frame());
        };
        QCOMPARE(press(Qt::Key_Left), std::pair(1, 0));
        QCOMPARE(press(Qt::Key_Right), std::pair(2, 0));
        QCOMPARE(press(Qt::Key_Left, Qt::ControlModifier),
                 std::pair(2, 0)); // with Control the key moves something else
        QCOMPARE(press(Qt::Key_Up), std::pair(2, 1));
        QCOMPARE(press(Qt::Key_Up), std::pair(2, 2));
        QCOMPARE(press(Qt::Key_Down), std::pair(2, 1));
        QTest::keyClick(strip.view.findChild<StepReel*>(), Qt::Key_Up); // the reel goes through frames, too
        QCOMPARE(strip.view.frame(), 2);
        QCOMPARE(strip.view.step(), 2);
        for (int i = 0; i < frames; ++i) press(Qt::Key_Up);
        QCOMPARE(strip.view.frame(), frames - 1);
        for (int i = 0; i < frames; ++i) press(Qt::Key_Down);
        QCOMPARE(strip.view.frame(), 0);
        for (int i = 0; i < 6; ++i) press(Qt::Key_Left);
        QCOMPARE(strip.view.step(), 0);
        for (int i = 0; i < 6; ++i) press(Qt::Key_Right);
        QCOMPARE(strip.view.step(), 4);
    }

    /// The buttons for the views stand side by side, and a menu takes their place where it is narrow. Both choose.
    void views_are_chosen() {
        Strip strip(run_);
        strip.view.set_step(2);
        QSignalSpy shown(&strip.view, &StepStrip::picture_changed);
        const auto click = [&](const char* text) {
            for (auto* button : strip.view.findChildren<QToolButton*>())
                if (button->text() == QLatin1String(text) && button->isCheckable()) button->click();
            return shown.last()[1].toString();
        };
        QCOMPARE(click("Latent"), QString("step 2 of 4, latent"));
        QCOMPARE(strip.view.view(), View::latent);
        QCOMPARE(click("Estimate"), QString("step 2 of 4, estimate"));
        auto* menu = strip.view.findChild<QToolButton*>("step-view");
        QCOMPARE(menu->text(), QString("Estimate"));
        menu->menu()->actions()[0]->trigger();
        QCOMPARE(strip.view.view(), View::latent);
        QCOMPARE(menu->text(), QString("Latent"));
    }

    /// The strip says that a step is being decoded until its picture is there. Asking again in the meantime must not
    /// decode it again.
    void a_step_is_decoded_once() {
        Strip strip(run_);
        strip.view.set_step(3);
        QSignalSpy decoded(&strip.decoder, &DraftDecoder::frame_decoded);
        const auto state = [&] { return strip.view.findChild<QLabel*>("step-state")->text(); };
        QVERIFY(!state().contains("decoding"));
        for (int i = 0; i < 3; ++i) strip.view.decode();
        QCOMPARE(strip.view.view(), View::decoded);
        QVERIFY2(state().contains("decoding"), qPrintable(state()));
        QTRY_VERIFY_WITH_TIMEOUT(!strip.pictures.picture(3, 0, View::decoded).isNull(), 30000);
        QTRY_VERIFY2_WITH_TIMEOUT(!state().contains("decoding"), qPrintable(state()), 30000);
        strip.view.decode(); // its picture is there already
        QVERIFY2(!state().contains("decoding"), qPrintable(state()));
        QCOMPARE(decoded.count(), 1);
    }

    /// Whoever compares runs of two sizes must be able to read, in a whole sentence, why there is nothing to draw.
    void latents_of_two_sizes_are_said_not_to_be_compared() {
        Request larger = RunFolder::open(app::to_path(run_)).record().request;
        larger.frames = 13;
        RunDivergence divergence;
        DivergenceView view(divergence);
        QVERIFY2(view.accessibleDescription().contains("drift apart"), qPrintable(view.accessibleDescription()));
        divergence.set_runs(run_, rendered(larger, home_.file("larger")));
        QTRY_VERIFY2_WITH_TIMEOUT(
            view.accessibleDescription().startsWith("Latents are not compared: their sizes differ: A has ["),
            qPrintable(view.accessibleDescription()), 30000);
    }

    /// A press, a drag and keys pick steps. The pointer alone only shows the figures of the step below it.
    void steps_of_a_difference_are_picked() {
        const QString other = tiny_run(home_.file("other"), 4, 2);
        RunDivergence divergence;
        DivergenceView view(divergence);
        view.resize(400, 120);
        view.show();
        divergence.set_runs(run_, other);
        QTRY_VERIFY_WITH_TIMEOUT(!divergence.found().steps.empty(), 30000);
        const auto& steps = divergence.found().steps;
        const int first = steps.front().a, last = steps.back().a;
        QVERIFY(steps.size() > 2);
        QSignalSpy asked(&view, &DivergenceView::step_requested);
        const QPoint left(8, 60), right(view.width() - 9, 60);
        move(view, right);
        QTest::mouseClick(&view, Qt::RightButton, {}, right);
        QCOMPARE(asked.count(), 0);
        QTest::mousePress(&view, Qt::LeftButton, {}, right);
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].toInt(), last);
        QCOMPARE(asked[0][1].toInt(), steps.back().b);
        QCOMPARE(view.step(), last);
        move(view, left, Qt::LeftButton);
        QTest::mouseRelease(&view, Qt::LeftButton, {}, left);
        QCOMPARE(view.step(), first);
        const auto press = [&](Qt::Key key) {
            QTest::keyClick(&view, key);
            return asked.last()[0].toInt();
        };
        QCOMPARE(press(Qt::Key_Right), steps[1].a);
        QCOMPARE(press(Qt::Key_Right), steps[2].a);
        QCOMPARE(press(Qt::Key_Left), steps[1].a);
        QCOMPARE(press(Qt::Key_End), last);
        QCOMPARE(press(Qt::Key_Right), last);
        QCOMPARE(press(Qt::Key_Home), first);
        QCOMPARE(press(Qt::Key_Left), first);
        press(Qt::Key_End); // since the start has no estimate
        QVERIFY2(view.accessibleDescription().contains("latent") && view.accessibleDescription().contains("estimate"),
                 qPrintable(view.accessibleDescription()));
    }

    /// A step that is picked in either strip is shown of both runs. If these have different numbers of steps, the other
    /// run shows its step with the same noise.
    void compared_runs_show_the_same_step() {
        const QString other = tiny_run(home_.file("beside"), 4, 2), shorter = tiny_run(home_.file("shorter"), 2, 3);
        DraftDecoder decoder;
        StepsPanel panel(decoder);
        panel.resize(1400, 160);
        panel.show();
        panel.set_compares(true);
        panel.set_run(Side::a, run_);
        panel.set_run(Side::b, other);
        auto *a = panel.findChild<StepStrip*>("run-steps"), *b = panel.findChild<StepStrip*>("run-steps-b");
        auto* difference = panel.findChild<DivergenceView*>();
        const auto is_read = [&] { return difference->accessibleDescription().startsWith("Latents"); };
        QTRY_VERIFY_WITH_TIMEOUT(a->step() == 4 && b->step() == 4 && is_read(), 30000);
        QSignalSpy told(&panel, &StepsPanel::picture_changed);
        const auto picture = [&](int of) { return told.back()[of].value<QImage>(); };
        a->set_step(2);
        QVERIFY(b->step() == 2 && !b->follows() && !panel.follows());
        QCOMPARE(picture(0), panel.pictures().picture(2, 0, View::estimate));
        QVERIFY(!picture(2).isNull() && picture(2) != picture(0));
        QVERIFY(told.back()[1].toString().startsWith("step 2 ") && told.back()[3].toString().startsWith("step 2 "));
        b->set_step(3);
        QCOMPARE(a->step(), 3);
        QCOMPARE(difference->step(), 3);
        b->set_view(View::latent);
        QCOMPARE(a->view(), View::latent);
        a->set_frame(4);
        QCOMPARE(b->frame(), 4);
        panel.follow();
        QVERIFY(a->follows() && b->follows() && panel.follows());
        QVERIFY(!picture(0).isNull() && picture(2).isNull());
        // Another run begins with its video, and so does the one that it is compared with.
        a->set_step(1);
        panel.set_run(Side::b, shorter);
        QVERIFY(a->follows() && b->follows());
        QTRY_VERIFY_WITH_TIMEOUT(b->step() == 2 && is_read(), 30000);
        a->set_step(2);
        QCOMPARE(b->step(), 1);
        b->set_step(2);
        QCOMPARE(a->step(), 4);
        QVERIFY(!picture(2).isNull());
        panel.set_compares(false);
        QVERIFY(!picture(0).isNull() && picture(2).isNull());
        b->set_step(1); // B is not seen any more
        QCOMPARE(a->step(), 4);
    }
};

QTEST_MAIN(StepsHandsTest)
#include "steps_hands_test.moc"
