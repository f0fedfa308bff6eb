// SPDX-License-Identifier: Apache-2.0
// What mouse, wheel and menus do on the timeline, as far as timeline_view_test.cpp does not tell of it.
#include <QApplication>
#include <QContextMenuEvent>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolTip>
#include <QWheelEvent>

#include "tests/app/projects.h"
#include "tests/ui/timeline/timeline_fixture.h"

using namespace denoir;
using namespace denoir::app;
using namespace denoir::ui;

class TimelineHandsTest : public QObject, private TimelineFixture {
    Q_OBJECT

    QPoint in_edge(int row) const { return {view_->shot_rect(row).left() + 3, view_->shot_rect(row).center().y()}; }
    QPoint out_edge(int row) const { return {view_->shot_rect(row).right() - 3, view_->shot_rect(row).center().y()}; }
    double pixels_per_frame(int row) const {
        return double(view_->shot_rect(row).width() + 2) / project_->shot(row).frames();
    }
    void press(QPoint at) { QTest::mousePress(view_->viewport(), Qt::LeftButton, {}, at); }
    void release(QPoint at) { QTest::mouseRelease(view_->viewport(), Qt::LeftButton, {}, at); }
    /// Whether the widget keeps a key, which the window asks before it uses the key for an action.
    static bool keeps_key(QWidget* widget, Qt::Key key) {
        QKeyEvent event(QEvent::ShortcutOverride, key, {});
        event.ignore();
        QApplication::sendEvent(widget, &event);
        return event.isAccepted();
    }
    /// The menu of a shot, opened by the right button.
    QMenu& menu_of(int row) {
        for (auto* before : view_->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly)) delete before;
        const QPoint at = view_->shot_rect(row).center();
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, view_->viewport()->mapToGlobal(at));
        QApplication::sendEvent(view_->viewport(), &event);
        return *view_->findChild<QMenu*>(QString(), Qt::FindDirectChildrenOnly);
    }
    static QAction* named(const QMenu& menu, const char* text) {
        for (QAction* action : menu.actions())
            if (action->text() == QString::fromUtf8(text)) return action;
        return nullptr;
    }

private slots:
    void initTestCase() { make_clips(); }
    void init() { begin(); }
    void cleanup() { end(); }

    /// At least one frame of each shot stays.
    void an_edge_stops_at_the_other() {
        fill();
        drag(in_edge(1), in_edge(1) + QPoint(900, 0), 9);
        QCOMPARE(project_->shot(1).in, 16);
        QCOMPARE(project_->shot(1).out, 17);
        project_->undo().undo();
        drag(out_edge(1), out_edge(1) - QPoint(900, 0), 9);
        QCOMPARE(project_->shot(1).in, 0);
        QCOMPARE(project_->shot(1).out, 1);
    }

    /// While an edge is dragged, the preview shows the picture there: the first or the last of what stays.
    void the_picture_at_the_edge_is_shown() {
        fill();
        QSignalSpy shown(&*view_, &TimelineView::show_frame);
        const int by = int(4 * pixels_per_frame(1));
        for (const bool in : {true, false}) {
            const QPoint from = in ? in_edge(1) : out_edge(1), to = from + QPoint(in ? by : -by, 0);
            press(from);
            move(to);
            QCOMPARE(shown.last()[0].toString(), file("b.mkv"));
            QCOMPARE(shown.last()[2].toInt(), in ? 4 : 12);
            release(to);
            project_->undo().undo();
        }
    }

    void less_than_the_usual_distance_is_a_click() {
        fill();
        const int steps = project_->undo().count(), far = QApplication::startDragDistance();
        QVERIFY(pixels_per_frame(0) > 6); // far enough for a frame
        drag(out_edge(0), out_edge(0) - QPoint(far - 1, 0), 1);
        QCOMPARE(project_->undo().count(), steps);
        drag(out_edge(0), out_edge(0) - QPoint(far, 0), 1);
        QCOMPARE(project_->undo().count(), steps + 1);
        QCOMPARE(project_->shot(0).out, 33 - int(std::lround(far / pixels_per_frame(0))));
    }

    /// While an edge is held Esc belongs to the timeline, and otherwise to the run that it would stop. No other key
    /// lets go of the edge.
    void escape_is_kept_from_the_window_while_an_edge_is_held() {
        fill();
        QVERIFY(!keeps_key(&*view_, Qt::Key_Escape));
        for (const bool in : {true, false}) {
            const QPoint from = in ? in_edge(0) : out_edge(0), to = from + QPoint(in ? 90 : -90, 0);
            press(from);
            move(to);
            QVERIFY(keeps_key(&*view_, Qt::Key_Escape));
            QVERIFY(!keeps_key(&*view_, Qt::Key_S));
            QTest::keyClick(&*view_, Qt::Key_Shift);
            QVERIFY(project_->shot(0).frames() < 33);
            QTest::keyClick(&*view_, Qt::Key_Escape);
            QCOMPARE(project_->shot(0).frames(), 33);
            QVERIFY(!keeps_key(&*view_, Qt::Key_Escape));
            release(to);
        }
        view_->select(0);
        view_->rename_selected();
        QVERIFY(keeps_key(view_->findChild<QLineEdit*>(), Qt::Key_Escape));
    }

    /// The shot that takes its place has edges of its own.
    void what_is_removed_while_it_is_held_is_let_go() {
        fill();
        press(out_edge(0));
        move(out_edge(0) - QPoint(60, 0));
        project_->remove_shot(0);
        move(out_edge(0) - QPoint(360, 0));
        QCOMPARE(project_->shot(0).in, 0);
        QCOMPARE(project_->shot(0).out, 17);
        release({0, 60});
    }

    void the_pointer_tells_what_it_would_do() {
        fill();
        const auto shape = [&](QPoint at) {
            QTest::mouseMove(view_->viewport(), at);
            QMouseEvent event(QEvent::MouseMove, at, view_->viewport()->mapToGlobal(at), Qt::NoButton, {}, {});
            QApplication::sendEvent(view_->viewport(), &event);
            return view_->viewport()->cursor().shape();
        };
        QCOMPARE(shape(in_edge(1)), Qt::SizeHorCursor);
        QCOMPARE(shape(view_->shot_rect(1).center()), Qt::ArrowCursor);
        QCOMPARE(shape(out_edge(1)), Qt::SizeHorCursor);
        QCOMPARE(shape(view_->shot_rect(2).center() + QPoint(view_->shot_rect(2).width() / 2 + 50, 0)),
                 Qt::PointingHandCursor);
    }

    /// The button stands behind the last shot and means that one. It neither selects nor moves anything.
    void the_button_extends_the_last_shot() {
        fill();
        view_->set_playhead(5);
        QSignalSpy extended(&*view_, &TimelineView::extend_requested);
        const QPoint button = view_->shot_rect(2).center() + QPoint(view_->shot_rect(2).width() / 2 + 50, 0);
        QTest::mouseClick(view_->viewport(), Qt::RightButton, {}, button);
        QCOMPARE(extended.count(), 0);
        QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, button);
        QCOMPARE(extended.count(), 1);
        QCOMPARE(extended[0][0].toInt(), 2);
        QCOMPARE(view_->playhead(), 5);
        QCOMPARE(view_->selected(), -1);
    }

    void the_wheel_scrolls_and_zooms() {
        fill();
        const QScrollBar& bar = *view_->horizontalScrollBar();
        const auto turn = [&](QPoint by, Qt::KeyboardModifiers modifiers = {}) {
            const QPointF at = view_->viewport()->rect().center();
            QWheelEvent event(at, view_->viewport()->mapToGlobal(at), {}, by, Qt::NoButton, modifiers,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(view_->viewport(), &event);
            QVERIFY(event.isAccepted());
        };
        const int before = view_->shot_rect(0).width();
        for (int i = 0; i < 6; ++i) turn({0, 120}, Qt::ControlModifier);
        QVERIFY(view_->shot_rect(0).width() > 2 * before);
        const int wide = view_->shot_rect(0).width();
        view_->horizontalScrollBar()->setValue(0);
        turn({0, -120});
        QCOMPARE(bar.value(), 120);
        turn({-50, 20}); // a tilted wheel scrolls along the axis that it turns more
        QCOMPARE(bar.value(), 170);
        turn({0, 120});
        QCOMPARE(bar.value(), 50);
        QCOMPARE(view_->shot_rect(0).width(), wide);
        turn({0, -120}, Qt::ControlModifier);
        QVERIFY(view_->shot_rect(0).width() < wide);
    }

    /// If the playhead is out of sight, zooming keeps the middle in its place.
    void zoom_keeps_what_is_seen() {
        fill();
        view_->set_playhead(0);
        view_->zoom(8);
        view_->horizontalScrollBar()->setValue(view_->horizontalScrollBar()->maximum() / 2);
        const int middle = view_->viewport()->width() / 2;
        const auto from_middle = [&] { return view_->shot_rect(1).left() - middle; };
        const int before = from_middle();
        QVERIFY(std::abs(before) > 100);
        view_->zoom(1.1);
        QVERIFY2(std::abs(from_middle() - 1.1 * before) < pixels_per_frame(1),
                 qPrintable(QStringLiteral("%1, %2").arg(before).arg(from_middle())));
    }

    void the_playhead_comes_into_sight() {
        fill();
        view_->zoom(8);
        const auto in_sight = [&](int row) {
            const int x = view_->shot_rect(row).left();
            return x >= 0 && x < view_->viewport()->width();
        };
        view_->set_playhead(0);
        QVERIFY(in_sight(0) && !in_sight(2));
        view_->set_playhead(50);
        QVERIFY(in_sight(2));
        view_->set_playhead(33);
        QVERIFY(in_sight(1));
    }

    /// At the end of the cut the last picture stays, and a press on the ruler stops playing.
    void the_end_shows_the_last_picture() {
        fill();
        QSignalSpy shown(&*view_, &TimelineView::show_frame);
        view_->set_playhead(project_->frames());
        QCOMPARE(shown.count(), 1);
        QCOMPARE(shown.last()[0].toString(), file("c.mkv"));
        QCOMPARE(shown.last()[2].toInt(), 8);
        view_->set_playhead(0);
        view_->set_playing(true);
        press({view_->shot_rect(1).left() + 1, 10});
        QVERIFY(!view_->playing());
        QCOMPARE(project_->place(view_->playhead()).row, 1);
        release({view_->shot_rect(1).left() + 1, 10});
    }

    /// The frame that is visible becomes the last one of the shot.
    void a_shot_ends_at_the_playhead() {
        fill();
        QSignalSpy said(&*view_, &TimelineView::said);
        view_->set_playhead(33 + 10);
        view_->trim_to_playhead(false);
        QCOMPARE(project_->shot(1).in, 0);
        QCOMPARE(project_->shot(1).out, 11);
        QCOMPARE(view_->playhead(), 33 + 10);
        QCOMPARE(said.count(), 0);
    }

    void moved_and_chosen_by_keys() {
        fill(); // the shots a, b, c
        QSignalSpy said(&*view_, &TimelineView::said);
        view_->select(1);
        view_->select_beside(-1);
        QCOMPARE(view_->selected(), 0);
        QCOMPARE(view_->playhead(), 0);
        view_->move_selected(-1);
        QCOMPARE(said.count(), 1);
        QVERIFY2(said[0][0].toString().contains("first"), qPrintable(said[0][0].toString()));
        view_->move_selected(1); // now b, a, c
        QCOMPARE(project_->shot(1).current().video, file("a.mkv"));
        QCOMPARE(view_->selected(), 1);
        QCOMPARE(view_->playhead(), 17);
        view_->move_selected(1);
        view_->move_selected(1);
        QCOMPARE(said.count(), 2);
        QVERIFY2(said[1][0].toString().contains("last"), qPrintable(said[1][0].toString()));
        project_->remove_shot(2);
        QCOMPARE(view_->selected(), 1);
    }

    /// Two lengthenings with something between them are two steps. The preview shows the frame that was won.
    void a_lengthening_is_a_step_of_its_own() {
        fill();
        project_->trim(0, 0, 20);
        const int steps = project_->undo().count();
        QSignalSpy shown(&*view_, &TimelineView::show_frame);
        view_->select(0);
        view_->lengthen_selected(1);
        QCOMPARE(shown.last()[2].toInt(), 20);
        view_->lengthen_selected(1);
        QCOMPARE(project_->undo().count(), steps + 1);
        QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, view_->shot_rect(0).center());
        view_->lengthen_selected(1);
        QCOMPARE(project_->undo().count(), steps + 2);
        QCOMPARE(project_->shot(0).out, 23);
    }

    /// Each entry means the shot that the menu was opened on.
    void the_menu_cuts() {
        fill();
        project_->trim(0, 3, 20);
        view_->set_playhead(17 + 5);
        named(menu_of(0), "Whole take")->trigger();
        QCOMPARE(project_->shot(0).in, 0);
        QCOMPARE(project_->shot(0).out, 33);
        view_->set_playhead(33 + 5);
        named(menu_of(1), "Split at the playhead")->trigger();
        QCOMPARE(project_->count(), 4);
        QCOMPARE(project_->shot(1).out, 5);
        named(menu_of(2), "Rename")->trigger();
        auto* edit = view_->findChild<QLineEdit*>();
        QVERIFY(edit);
        QTest::keyClicks(edit, QStringLiteral("rest"));
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(project_->shot(2).name, QStringLiteral("rest"));
        QMenu& menu = menu_of(0);
        view_->select(3); // while the menu is open
        named(menu, "Remove")->trigger();
        QCOMPARE(project_->count(), 3);
        QCOMPARE(project_->shot(0).current().video, file("b.mkv"));
        QSignalSpy extended(&*view_, &TimelineView::extend_requested), opened(&*view_, &TimelineView::open_requested);
        named(menu_of(1), "Extend")->trigger();
        QCOMPARE(extended.count(), 1);
        QCOMPARE(extended[0][0].toInt(), 1);
        named(menu_of(2), "Open the video")->trigger();
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][1].toString(), file("c.mkv"));
    }

    void the_menu_changes_takes() {
        fill();
        project_->add_take(1, take_of_video(file("c.mkv")));
        project_->add_take(1, take_of_video(file("a.mkv")));
        QVERIFY(!named(menu_of(0), "Takes"));
        const auto takes = [&] { return named(menu_of(1), "Takes")->menu()->actions(); };
        const auto checked = [&] {
            QList<int> rows;
            const auto all = takes();
            for (int i = 0; i < 3; ++i)
                if (all[i]->isCheckable() && all[i]->isChecked()) rows << i;
            return rows;
        };
        QCOMPARE(checked(), QList<int>{2}); // the one that was added last
        takes()[1]->trigger();
        QCOMPARE(project_->shot(1).current().video, file("c.mkv"));
        QCOMPARE(checked(), QList<int>{1});
        takes().last()->trigger(); // "Remove this take"
        QCOMPARE(int(project_->shot(1).takes.size()), 2);
        for (const Take& left : project_->shot(1).takes) QVERIFY(left.video != file("c.mkv"));
    }

    /// The shot itself says that its video is missing, and its thumbnails are drawn again once it is back.
    void a_missing_video_is_told_of_until_it_is_back() {
        const QString video = file("moved.mkv"), aside = file("aside.mkv");
        write_grey_clip(video, 5, 96, 54, 200);
        fill();
        project_->add_shot(take_of_video(video));
        QVERIFY(QFile::rename(video, aside));
        project_->look_at_media();
        QTRY_VERIFY_WITH_TIMEOUT(project_->is_missing(3), 30000);
        view_->select(3);
        QVERIFY2(view_->accessibleDescription().contains("missing"), qPrintable(view_->accessibleDescription()));
        const QPoint at = view_->shot_rect(3).center();
        QHelpEvent help(QEvent::ToolTip, at, view_->viewport()->mapToGlobal(at));
        QApplication::sendEvent(view_->viewport(), &help);
        QVERIFY2(QToolTip::text().contains("missing") && QToolTip::text().contains(video),
                 qPrintable(QToolTip::text()));
        QSignalSpy located(&*view_, &TimelineView::locate_requested);
        QVERIFY(!named(menu_of(2), "Locate …"));
        named(menu_of(3), "Locate …")->trigger();
        QCOMPARE(located.count(), 1);
        QCOMPARE(located[0][0].toInt(), 3);
        (void)thumbnails_->frame(video, 0, 32); // this frame was asked for in vain
        QTest::qWait(50);
        QVERIFY(QFile::rename(aside, video));
        project_->look_at_media();
        QTRY_VERIFY_WITH_TIMEOUT(!project_->is_missing(3), 30000);
        QVERIFY(!view_->accessibleDescription().contains("missing"));
        QTRY_VERIFY_WITH_TIMEOUT(!thumbnails_->frame(video, 0, 32).isNull(), 30000);
    }
};

QTEST_MAIN(TimelineHandsTest)
#include "timeline_hands_test.moc"
