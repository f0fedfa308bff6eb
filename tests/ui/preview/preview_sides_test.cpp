// SPDX-License-Identifier: Apache-2.0
// A and B in the preview, beside each other, over each other, and as their difference.
#include <QAbstractButton>
#include <QLabel>
#include <QSet>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>
#include <QTranslator>
#include <QWheelEvent>

#include "tests/ui/preview/preview_case.h"
#include "ui/preview/difference.h"
#include "ui/theme/colours.h"

using namespace denoir;
using namespace denoir::app;
using namespace denoir::ui;

class PreviewSidesTest : public PreviewCase {
    Q_OBJECT
private slots:
    void initTestCase() { make_clips(); }

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
                if (std::abs(x - line) <= 12) continue; // the line and its handle are drawn here
                QCOMPARE(screen.pixel(corner + QPoint(x, y)), (x < line ? a : b).pixel(x, y));
            }
        // The line follows a drag of its handle.
        const QPoint handle = corner + QPoint(line, 48);
        QTest::mousePress(&canvas, Qt::LeftButton, {}, handle);
        QTest::mouseMove(&canvas, handle + QPoint(80, 3));
        QTest::mouseRelease(&canvas, Qt::LeftButton, {}, handle + QPoint(80, 3));
        QVERIFY(std::abs(canvas.wipe() - 0.75) < 0.01);
    }

    /// Controls that belong to one way of comparing come behind those that all ways share, so that the latter stay
    /// where they are.
    void nothing_moves_when_the_mode_changes() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        v.view.resize(1400, 600);
        const auto* offset = v.view.findChild<QSpinBox*>();
        const auto* share = v.view.findChild<QSlider*>(QStringLiteral("onion-share"));
        v.view.set_mode(CompareMode::wipe);
        v.settle();
        QVERIFY(offset->isVisible() && !share->isVisible());
        const QPoint before = offset->pos();
        for (const CompareMode mode : {CompareMode::difference, CompareMode::onion, CompareMode::flicker}) {
            v.view.set_mode(mode);
            v.settle();
            QCOMPARE(share->isVisible(), mode == CompareMode::onion);
            QCOMPARE(offset->pos(), before);
        }
    }

    /// In a narrow window some buttons are left out, but not the one that says what is seen.
    void the_mode_that_is_on_keeps_its_button() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        v.view.resize(520, 400);
        for (const CompareMode mode : {CompareMode::onion, CompareMode::flicker, CompareMode::wipe}) {
            v.view.set_mode(mode);
            v.settle();
            int on = 0, flickers = 0;
            for (const auto* button : v.view.findChildren<QToolButton*>()) {
                if (!button->isVisible()) continue;
                on += button->isChecked() && button->property("action").toString().startsWith("compare.");
                flickers += button->property("action").toString() == "compare.flicker";
                QVERIFY(button->mapTo(&v.view, QPoint(button->width(), 0)).x() <= v.view.width());
            }
            QCOMPARE(on, 1);
            QCOMPARE(flickers, mode == CompareMode::flicker ? 1 : 0);
        }
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
        QCOMPARE(v.view.mode(), CompareMode::wipe);
        v.view.toggle_mode(CompareMode::wipe);
        QCOMPARE(v.view.mode(), CompareMode::wipe);
    }

    /// Where it gets narrow, the unit of the shift must go before any button does.
    void the_unit_of_the_shift_goes_first() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        auto* shift = v.view.findChild<QSpinBox*>();
        const QAbstractButton* onion = nullptr;
        for (const auto* button : v.view.findChildren<QAbstractButton*>())
            if (button->text() == "Onion") onion = button;
        QVERIFY(onion);
        v.view.resize(1600, 480);
        QTRY_VERIFY(!shift->suffix().isEmpty() && onion->isVisible());
        const QString of_many = shift->suffix();
        for (const int one : {1, -1}) {
            shift->setValue(one);
            QCOMPARE(shift->suffix() + QLatin1Char('s'), of_many);
        }
        shift->setValue(0);
        QCOMPARE(shift->suffix(), of_many);
        int width = 1600;
        while (!shift->suffix().isEmpty() && width > 300) {
            v.view.resize(width -= 10, 480);
            QCoreApplication::processEvents();
            QVERIFY(onion->isVisible());
        }
    }

    /// The scale of the difference must not be wider than the picture that it explains. It gets briefer there, or
    /// stands beside the picture or below it.
    void a_small_difference_has_a_brief_legend() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        v.view.toggle_mode(CompareMode::difference);
        Canvas& canvas = v.view.canvas();
        canvas.zoom_to(1);
        const QImage screen = painted(canvas);
        QSet<QRgb> beside;
        for (int y = 4; y < screen.height() - 4; ++y) beside << screen.pixel(int(canvas.picture_rect().left()) - 20, y);
        QCOMPARE(beside.size(), 1);                      // the colour of the canvas alone
        const auto has_scale = [](const QImage& image) { // it begins blue and ends red, in one line
            for (int y = image.height() / 2; y < image.height(); ++y) {
                bool blue = false;
                for (int x = 0; x < image.width(); ++x) {
                    const QRgb p = image.pixel(x, y);
                    blue = blue || p == difference_colour(-255, 1);
                    if (blue && p == difference_colour(255, 1)) return true;
                }
            }
            return false;
        };
        v.view.set_gain(1);
        QVERIFY(has_scale(painted(canvas)));
        canvas.zoom_to(0.25); // 40 pixels wide, with room for the scale beside it
        const QImage tiny = painted(canvas);
        QVERIFY(has_scale(tiny));
        const QRect picture = canvas.picture_rect().toAlignedRect();
        const QImage under = tiny.copy(picture);
        QVERIFY(!has_scale(under));
        // Beside 96 pixels in a narrow canvas there is no room, so that the scale stands below the picture. It is left
        // out where it would lie over an edge.
        canvas.setFixedSize(300, 200);
        canvas.zoom_to(0.6);
        QVERIFY(has_scale(painted(canvas)));
        canvas.setFixedSize(300, 60);
        const QImage low = painted(canvas);
        QCOMPARE(low.size(), QSize(300, 60));
        QVERIFY(!has_scale(low));
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
        v.view.nudge(1);
        QCOMPARE(share->value(), 25);
        // B keeps its shift if the same pair is opened again, but not with another clip.
        v.open(Side::b, home_.file("a.mp4"));
        QCOMPARE(offset->value(), -2);
        v.open(Side::b, home_.file("b.mp4"));
        QCOMPARE(offset->value(), 0);
        QCOMPARE(v.view.player().frame_of(Side::b), v.view.player().frame_of(Side::a));
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
        const auto shows = [&](QRgb wanted) { // with OpenGL a colour may be off by a level
            const QRgb seen = shown();
            const auto near_by = [](int one, int other) { return std::abs(one - other) <= 2; };
            return near_by(qRed(seen), qRed(wanted)) && near_by(qGreen(seen), qGreen(wanted)) &&
                   near_by(qBlue(seen), qBlue(wanted));
        };
        QVERIFY(std::abs(qBlue(a) - qBlue(b)) > 4);
        v.view.flip();
        QTRY_VERIFY(shows(b));
        v.view.flip();
        QTRY_VERIFY(shows(a));
        v.view.swap();
        QTRY_VERIFY(shows(b));
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
        QCOMPARE(canvas.pixel_at(at), pixel); // the wheel zooms around the pointer
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
        auto* shift = v.view.findChild<QSpinBox*>();
        QVERIFY2(shift->text().startsWith("B +3"), qPrintable(shift->text()));
        for (const auto& [typed, frames] :
             {std::pair{"-2", -2}, {"+4", 4}, {"5", 5}}) { // with a sign, as it is shown, or without
            shift->selectAll();
            QTest::keyClicks(shift, typed);
            QTest::keyClick(shift, Qt::Key_Return);
            QCOMPARE(v.view.player().offset(), frames);
        }
    }

    /// The shorter clip holds its last frame. A still picture as A must not keep a clip as B from being played.
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

    /// When A and B change places or one of them is replaced, the frames in sight stay, whichever clip is longer.
    /// Playing goes on, too.
    void what_is_seen_stays_when_sides_change() {
        write_clip(home_.file("brief.mp4"), 160, 96, 5, 40);
        write_clip(home_.file("long.mp4"), 160, 96, 40, 40);
        QVERIFY(to_qimage(frames_a_[3]).save(home_.file("one.png")));
        View v;
        Player& player = v.view.player();
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("brief.mp4"));
        player.go_to(20);
        v.view.swap();
        QCOMPARE(player.frame_of(Side::b), 20);
        v.view.swap();
        QCOMPARE(player.frame_of(Side::a), 20);
        v.open(Side::b, home_.file("b.mp4"));
        player.set_offset(2);
        player.go_to(10);
        v.view.swap();
        QCOMPARE(player.frame_of(Side::a), 12);
        QCOMPARE(player.frame_of(Side::b), 10);
        // Another B leaves A where it is, even if B leads and the shift of the pair before is dropped.
        v.open(Side::b, home_.file("a.mp4"));
        QCOMPARE(player.frame_of(Side::a), 12);
        player.set_offset(-3);
        v.view.swap();
        player.go_to(player.frame_where(Side::a, 8));
        v.open(Side::b, home_.file("long.mp4"));
        QCOMPARE(player.leader(), player.clip(Side::b));
        QCOMPARE(player.frame_of(Side::a), 8);
        player.set_offset(4);
        QCOMPARE(player.frame_of(Side::a), 8);
        QCOMPARE(player.frame_of(Side::b), 12);
        // Another A leaves B where it is in the same way.
        v.open(Side::a, home_.file("b.mp4"));
        QCOMPARE(player.frame_of(Side::b), 12);
        v.open(Side::a, home_.file("a.mp4"));
        QCOMPARE(player.frame_of(Side::b), 12);
        // Past the end of A another B opens at the frame that the one before showed.
        player.go_to(30);
        v.open(Side::b, home_.file("long.mp4"));
        QCOMPARE(player.frame_of(Side::b), 30);
        v.open(Side::b, home_.file("one.png"));
        player.play();
        v.view.swap();
        QVERIFY(player.playing());
    }

    /// While a picture covers A and B, the bar tells nothing of them, and its scale is that of the picture.
    void the_bar_tells_of_what_is_seen() {
        View v;
        v.view.resize(1000, 480);
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        v.view.set_mode(CompareMode::side_by_side);
        const auto told = [&](const char* part) {
            const auto labels = v.view.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* l) { return l->text().contains(QString::fromUtf8(part)); });
        };
        const auto scale = [&] { return QStringLiteral("%1 %").arg(std::lround(v.view.canvas().scale() * 100)); };
        QTRY_VERIFY_WITH_TIMEOUT(told(" dB"), 30000);
        QVERIFY(told(qPrintable(scale())));
        const QString beside = scale();
        QImage sketch(20, 12, QImage::Format_RGB32);
        sketch.fill(Qt::red);
        v.view.show_overlay({sketch, "step 1"}, {}, {160, 96});
        QVERIFY(scale() != beside);
        QVERIFY(told(qPrintable(scale())));
        QVERIFY(!told(" dB"));
        v.view.show_overlay({}, {});
        QCOMPARE(scale(), beside);
        QVERIFY(told(qPrintable(beside)));
        QVERIFY(told(" dB"));
    }

    /// The pictures of steps of two runs are compared as the videos are, so they cover both clips.
    void two_pictures_take_the_place_of_both() {
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("b.mp4"));
        QCOMPARE(v.view.mode(), CompareMode::wipe);
        QImage of_a(20, 12, QImage::Format_RGB888), of_b = of_a;
        of_a.fill(Qt::red);
        of_b.fill(Qt::blue);
        v.view.show_overlay({of_a, "step 1 of A"}, {of_b, "step 1 of B"}, {160, 96});
        QVERIFY(v.view.covered());
        Canvas& canvas = v.view.canvas();
        canvas.zoom_to(1);
        const auto pixel = [&](double share) {
            const QRectF place = canvas.picture_rect();
            return painted(canvas).pixelColor(
                QPointF(place.left() + share * place.width(), place.center().y()).toPoint());
        };
        QCOMPARE(pixel(0.2), QColor(Qt::red));
        QCOMPARE(pixel(0.8), QColor(Qt::blue));
        QVERIFY2(canvas.accessibleDescription().contains("step 1 of A") &&
                     canvas.accessibleDescription().contains("step 1 of B"),
                 qPrintable(canvas.accessibleDescription()));
        v.view.flip();
        QCOMPARE(pixel(0.2), QColor(Qt::blue));
        v.view.show_overlay({of_a, "step 1 of A"});
        QCOMPARE(pixel(0.8), QColor(Qt::red));
        v.view.show_overlay({});
        QVERIFY(!v.view.covered());
    }

    /// Beside A, a picture of another shape fills a half of its own and is not fitted into the shape of A.
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
        // Zooming must keep what is below the pointer there.
        const QPointF at(230, 60);
        const auto below = [&] {
            const QRectF now = canvas.second_rect();
            return QPointF((at.x() - now.left()) / now.width(), (at.y() - now.top()) / now.height());
        };
        const QPointF before = below();
        canvas.zoom_to(2 * canvas.scale(), at);
        QVERIFY((below() - before).manhattanLength() < 0.01);
        canvas.zoom_to_fit();
        canvas.set_mode(CompareMode::difference);
        QCOMPARE(canvas.accessibleDescription(), QStringLiteral("Cannot be subtracted: A is 64 × 32, B is 32 × 64"));
    }

    /// B must not be taken for A where A has no picture.
    void b_alone_bears_its_letter() {
        Canvas canvas;
        canvas.resize(400, 240);
        QImage picture(64, 32, QImage::Format_RGB32);
        picture.fill(Qt::blue);
        canvas.set_labels({}, {"a boat", {}});
        canvas.set_pictures({}, picture);
        QCOMPARE(canvas.accessibleDescription(), QStringLiteral("B: a boat"));
        const auto shown = [&] { return canvas.grab().toImage().pixelColor(10, 20); }; // beside the letter
        QCOMPARE(shown(), dark_colours().b);
        canvas.set_pictures(picture, {});
        QVERIFY(shown() != dark_colours().b && shown() != dark_colours().a);
    }

    /// In the place of A, a picture of another shape keeps its own shape and is not stretched.
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

    void unequal_sizes_are_said() {
        write_clip(home_.file("small.mp4"), 80, 48, 10);
        View v;
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("small.mp4"));
        v.view.set_mode(CompareMode::difference);
        // A is shown alone, with the reason below it.
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
        QCOMPARE(v.view.player().frame_of(Side::b), 9); // its last frame
    }

    /// The reason comes from the engine, but must be told in the language of the window.
    void what_cannot_be_measured_is_said_in_its_words() {
        struct Words : QTranslator {
            QString translate(const char* context, const char*, const char*, int) const override {
                return QLatin1String(context) == QLatin1String("Engine") ? QStringLiteral("in German") : QString();
            }
            bool isEmpty() const override { return false; }
        } german;
        QVERIFY(QFile::copy(home_.file("b.mp4"), home_.file("lost.mp4")));
        View v;
        v.view.resize(1600, 480);
        v.open(Side::a, home_.file("a.mp4"));
        v.open(Side::b, home_.file("lost.mp4"));
        QVERIFY(QFile::remove(home_.file("lost.mp4")));
        QCoreApplication::installTranslator(&german);
        v.view.player().set_offset(1); // so that it is measured anew
        QTRY_VERIFY_WITH_TIMEOUT(!v.view.comparison().issue().isEmpty(), 30000);
        const auto labels = v.view.findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* l) { return l->text() == "in German"; }));
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
        QVERIFY(painted(v.view.canvas()) != silent); // the picture says what is missing
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
            QTest::keyClick(&v.view, static_cast<Qt::Key>(key)); // there is nothing that a key could act on
        QVERIFY(!v.view.player().playing());
    }
};

QTEST_MAIN(PreviewSidesTest)
#include "preview_sides_test.moc"
