// SPDX-License-Identifier: Apache-2.0
// What a layout looks like in a window of another size than the one it was made in.
#include <QAction>
#include <QDockWidget>
#include <QListView>
#include <QMenuBar>
#include <QPushButton>
#include <QScopeGuard>
#include <QScrollBar>

#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/preview/preview_view.h"
#include "ui/window/layouts.h"
#include "ui/window/viewer.h"

using namespace denoir;
using namespace denoir::ui;

class WindowSizesTest : public QObject {
    Q_OBJECT
private slots:
    /// The window was closed small and is opened large, in which the parameters get more room for the prompt.
    void a_layout_fits_a_window_of_another_size() {
        const app::Home home;
        const auto share = [](StudioFixture& studio) {
            return double(studio.find<QDockWidget>("parameters-dock")->height()) /
                   studio.find<QDockWidget>("prompt-dock")->height();
        };
        double small = 0;
        {
            StudioFixture studio(Layout::create, Scheme::dark, {1024, 700});
            QTRY_VERIFY(share(studio) > 1.5);
            small = share(studio);
            studio.window().layouts().touch(); // as if the user had arranged it
            studio.window().close();
        }
        StudioFixture studio(Layout::create, Scheme::dark, {1500, 1000});
        QTRY_VERIFY2(share(studio) > 0.8 * small,
                     qPrintable(QStringLiteral("%1 after %2").arg(share(studio)).arg(small)));
    }

    /// Sides that were made wide on another screen must leave the picture its share.
    void a_layout_fits_a_narrower_window() {
        const app::Home home;
        const auto share = [](StudioFixture& studio) {
            return double(studio.find<QDockWidget>("parameters-dock")->width() +
                          studio.find<QDockWidget>("runs-dock")->width()) /
                   studio.window().width();
        };
        double wide = 0;
        {
            StudioFixture studio(Layout::create, Scheme::dark, {2560, 1200});
            studio.window().resizeDocks(
                {studio.find<QDockWidget>("parameters-dock"), studio.find<QDockWidget>("runs-dock")}, {700, 700},
                Qt::Horizontal);
            settle_docks();
            wide = share(studio);
            QVERIFY(wide > 0.5);
            studio.window().layouts().touch();
            studio.window().close();
        }
        StudioFixture studio(Layout::create, Scheme::dark, {1280, 800});
        QTRY_VERIFY2(share(studio) < 1.05 * wide,
                     qPrintable(QStringLiteral("%1 after %2").arg(share(studio)).arg(wide)));
    }

    /// Nor may they be narrower than in a fresh layout, although on a large screen they were a smaller share.
    void a_narrower_window_leaves_the_sides_their_room() {
        const auto sides = [](StudioFixture& studio) {
            settle_docks();
            return QList<int>{studio.find<QDockWidget>("parameters-dock")->width(),
                              studio.find<QDockWidget>("runs-dock")->width()};
        };
        const QSize narrow(1280, 800);
        QList<int> fresh;
        {
            const app::Home home;
            StudioFixture studio(Layout::create, Scheme::dark, narrow);
            fresh = sides(studio);
        }
        const app::Home home;
        {
            StudioFixture studio(Layout::create, Scheme::dark, {2560, 1200});
            studio.window().layouts().touch();
            studio.window().close();
        }
        StudioFixture studio(Layout::create, Scheme::dark, narrow);
        QCOMPARE(sides(studio), fresh);
    }

    /// The user did not wish for a narrow window: with enough room the sides are again as they were made, however often
    /// a narrow one came between.
    void a_narrower_window_in_between_changes_nothing() {
        const app::Home home;
        const QStringList sides{"parameters-dock", "runs-dock"};
        const auto widths = [&](StudioFixture& studio) {
            settle_docks();
            QList<int> out;
            for (const QString& side : sides) out << studio.window().findChild<QDockWidget*>(side)->width();
            return out;
        };
        QList<int> made;
        for (const int wide : {2560, 1280, 2560, 1280, 2560}) {
            StudioFixture studio(Layout::create, Scheme::dark, {wide, 800});
            if (made.isEmpty()) {
                for (const QString& side : sides)
                    studio.window().resizeDocks({studio.window().findChild<QDockWidget*>(side)}, {700}, Qt::Horizontal);
                studio.window().layouts().touch();
                made = widths(studio);
                QCOMPARE(made, (QList<int>{700, 700}));
            }
            if (wide == 2560)
                QCOMPARE(widths(studio), made);
            else
                QVERIFY(widths(studio)[0] < 400);
            studio.window().close();
        }
    }

    /// Docks that were made high on another screen must leave the picture its share, and a row of steps stays a row.
    void a_layout_fits_a_lower_window() {
        const app::Home home;
        const auto height = [](StudioFixture& studio, const char* dock) {
            settle_docks();
            return studio.find<QDockWidget>(dock)->height();
        };
        int metrics = 0, steps = 0;
        {
            StudioFixture studio(Layout::compare, Scheme::dark, {1600, 1200});
            studio.window().resizeDocks({studio.find<QDockWidget>("metrics-dock")}, {600}, Qt::Vertical);
            steps = height(studio, "steps-dock");
            metrics = height(studio, "metrics-dock");
            QVERIFY(metrics > 500);
            studio.window().layouts().touch();
            studio.window().close();
        }
        StudioFixture studio(Layout::compare, Scheme::dark, {1600, 900});
        const int share = metrics * 900 / 1200, now = height(studio, "metrics-dock"); // Qt subtracts the tabs
        QVERIFY2(now <= share && now > share - 40, qPrintable(QStringLiteral("%1 of %2").arg(now).arg(share)));
        QCOMPARE(height(studio, "steps-dock"), steps);
        QVERIFY(studio.window().preview().height() > 900 / 5);
    }

    /// All lines of a message, and its buttons, are seen in the smallest window, which neither grows nor moves its
    /// docks for it.
    void a_long_message_is_read_in_the_smallest_window() {
        const app::Home home;
        StudioFixture studio(Layout::create, Scheme::dark, smallest);
        settle_docks();
        const auto docks = [&] {
            QList<QRect> places;
            for (const char* dock : {"prompt-dock", "parameters-dock", "runs-dock", "queue-dock", "steps-dock"})
                places << studio.find<QDockWidget>(dock)->geometry();
            return places;
        };
        const QList<QRect> before = docks();
        Banners& banners = studio.window().banners();
        banners.show_banner(QStringLiteral("long"), Banners::Kind::error,
                            QStringLiteral("/home/somebody/videos/a balloon over the sea.mp4: the disk is full after "
                                           "12.3 MB of the video were written; free some space, or choose another "
                                           "folder, then export it again"),
                            {{QStringLiteral("Try again"), [] {}}, {QStringLiteral("Choose another folder"), [] {}}});
        const auto seen = [&](const QWidget& widget) {
            return widget.visibleRegion().boundingRect().size() == widget.size();
        };
        const auto* words = banners.findChild<QLabel*>(QStringLiteral("banner-text"));
        QTRY_VERIFY2(seen(*words) && words->height() >= words->heightForWidth(words->width()),
                     qPrintable(QStringLiteral("%1 of %2")
                                    .arg(words->visibleRegion().boundingRect().height())
                                    .arg(words->heightForWidth(words->width()))));
        for (const auto* button : banners.findChildren<QPushButton*>()) QVERIFY(seen(*button));
        QCOMPARE(studio.window().size(), smallest);
        QCOMPARE(docks(), before);
        close_banner(studio, "long");
        settle_docks();
        QCOMPARE(docks(), before);
    }

    /// However narrow its dock becomes: what does not fit into a row is elided.
    void runs_have_no_horizontal_scroll_bar() {
        const app::Home home;
        const QString a = listed_run(home, "a", 3, 1), b = listed_run(home, "b", 3, 18446744073709551615U);
        StudioFixture studio(Layout::compare, Scheme::dark, smallest);
        auto* list = studio.find<QListView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 2, 30000);
        studio.window().resizeDocks({studio.find<QDockWidget>("runs-dock")}, {1}, Qt::Horizontal);
        settle_docks();
        QVERIFY(list->viewport()->width() < 200);
        QCOMPARE(list->horizontalScrollBar()->maximum(), 0);
        QVERIFY(list->visualRect(list->model()->index(0, 0)).width() <= list->viewport()->width());
    }

    /// The steps of two runs and their layers fit beside the list of runs as it was.
    void comparing_fits_into_the_smallest_window() {
        for (const char* language : {"en", "de"}) {
            const app::Home home;
            qputenv("DENOIR_LANGUAGE", language);
            const auto back = qScopeGuard([] { qputenv("DENOIR_LANGUAGE", "en"); });
            const Translation words(*qApp);
            const QString a = listed_run(home, "a", 3, 1), b = listed_run(home, "b", 3, 2);
            StudioFixture studio(Layout::compare, Scheme::dark, smallest);
            settle_docks();
            const int side = studio.find<QDockWidget>("runs-dock")->width();
            studio.window().viewer().compare(a, b);
            QTRY_COMPARE_WITH_TIMEOUT(studio.window().viewer().run(app::Side::b), b, 30000);
            for (const char* dock : {"steps-dock", "layers-dock"}) {
                studio.find<QDockWidget>(dock)->raise();
                settle_docks();
                QTest::qWait(50);
                QCOMPARE(studio.window().size(), smallest);
                QCOMPARE(studio.find<QDockWidget>("runs-dock")->width(), side);
            }
        }
    }

    /// The words of the one button to press are whole; where its keys find no room they are in the tool tip.
    void a_sweep_is_begun_in_the_smallest_window() {
        for (const char* language : {"en", "de"})
            for (const int width : {smallest.width(), 1280}) {
                const app::Home home;
                qputenv("DENOIR_LANGUAGE", language);
                const auto back = qScopeGuard([] { qputenv("DENOIR_LANGUAGE", "en"); });
                const Translation words(*qApp);
                StudioFixture studio(Layout::tune, Scheme::dark, {width, smallest.height()});
                settle_docks();
                QCOMPARE(studio.window().width(), width);
                const auto* start = studio.find<QPushButton>("sweep");
                QVERIFY2(start->width() >= start->sizeHint().width(), qPrintable(start->text()));
                const QString keys = QKeySequence(Qt::CTRL | Qt::Key_Return).toString(QKeySequence::NativeText);
                QVERIFY((start->text() + start->toolTip()).contains(keys));
                QCOMPARE(start->text().contains(keys), width == 1280);
            }
    }

    /// In German, too, no menu hides behind the button for further menus.
    void every_menu_is_seen_in_the_smallest_window() {
        for (const char* language : {"en", "de"}) {
            const app::Home home;
            qputenv("DENOIR_LANGUAGE", language);
            const auto back = qScopeGuard([] { qputenv("DENOIR_LANGUAGE", "en"); });
            const Translation words(*qApp);
            StudioFixture studio(Layout::create, Scheme::dark, smallest);
            settle_docks();
            const QMenuBar& bar = *studio.window().menuBar();
            QVERIFY(bar.cornerWidget()->isVisible());
            QVERIFY(!bar.findChild<QToolButton*>("qt_menubar_ext_button")->isVisible());
            QVERIFY(bar.actionGeometry(bar.actions().constLast()).right() < bar.cornerWidget()->x());
        }
    }

    /// In a low window the steps and the timeline are one behind the other, and whoever asks for the timeline sees it.
    void a_low_window_leaves_the_picture_its_height() {
        const app::Home home;
        StudioFixture studio(Layout::create, Scheme::dark, smallest);
        settle_docks();
        QVERIFY(studio.window().preview().height() > smallest.height() / 2);
        const auto* timeline = studio.find<QWidget>("timeline");
        QVERIFY(!timeline->isVisible());
        studio.key(Qt::Key_F6, Qt::ShiftModifier);
        QTRY_VERIFY(timeline->isVisible() && timeline->hasFocus());
        load_tiny(studio);
        studio.find<QAction>("run.generate")->trigger();
        QTRY_VERIFY(studio.find<QWidget>("steps-dock")->isVisible() && !timeline->isVisible());
    }

private:
    static constexpr QSize smallest{800, 560};
};

int main(int argc, char** argv) { return run_window_test<WindowSizesTest>(argc, argv); }

#include "window_sizes_test.moc"
