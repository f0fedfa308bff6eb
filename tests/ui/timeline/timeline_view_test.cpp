// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_view.h"

#include <QAccessible>
#include <QApplication>
#include <QContextMenuEvent>
#include <QDir>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <QUrl>

#include "app/base/background.h"
#include "app/base/text.h"
#include "tests/app/projects.h"
#include "tests/ui/painted_words.h"
#include "tests/ui/timeline/timeline_fixture.h"
#include "ui/theme/colours.h"

using namespace denoir;
using namespace denoir::app;
using namespace denoir::ui;

class TimelineViewTest : public QObject, private TimelineFixture {
    Q_OBJECT
private slots:
    void initTestCase() { make_clips(); }
    void init() { begin(); }
    void cleanup() { end(); }

    void says_what_it_is_for_when_empty() {
        QVERIFY(view_->accessibleDescription().contains(QStringLiteral("Drop")));
        view_->split_at_playhead(); // there is nothing to do, and nothing happens
        view_->trim_to_playhead(true);
        view_->trim_to_playhead(false);
        view_->set_playing(true);
        view_->remove_selected();
        view_->select_beside(1);
        QVERIFY(!view_->playing());
        QCOMPARE(project_->undo().count(), 0);
    }

    /// Each user has other keys, or none. Painted words are read from what the painter is given.
    void an_empty_cut_names_the_keys_that_fill_it() {
        for (const QString& keys : {QString(), QStringLiteral("Ctrl+9")}) {
            view_->set_add_keys(keys);
            for (const QString& words : {view_->accessibleDescription(), painted_words(*view_->viewport())}) {
                QVERIFY2(words.contains("mpty") && words.contains("frames here"), qPrintable(words));
                QCOMPARE(words.contains("press Ctrl+9 on a run"), !keys.isEmpty());
                QCOMPARE(words.contains("press"), !keys.isEmpty());
            }
        }
        fill();
        QVERIFY2(!painted_words(*view_->viewport()).contains("frames here"), "the cut is not empty any more");
        QVERIFY(!view_->accessibleDescription().contains("mpty"));
    }

    /// The frame must be a clear line, as elsewhere, and not blurred over two pixels.
    void the_focus_is_framed_in_the_colour_of_the_theme() {
        view_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&*view_));
        view_->setFocus();
        const auto edge = [&] { return view_->viewport()->grab().toImage().pixelColor(0, 70); };
        QCOMPARE(edge(), colours(view_->palette()).accent);
        fill();
        QCOMPARE(edge(), colours(view_->palette()).accent);
        view_->clearFocus();
        QCOMPARE(edge(), colours(view_->palette()).panel);
    }

    void drag_moves_and_undo_restores() {
        fill();
        const QString first = project_->shot(0).current().name;
        drag(view_->shot_rect(0).center(), view_->shot_rect(2).center() + QPoint(20, 0));
        QCOMPARE(project_->shot(2).current().name, first);
        QCOMPARE(view_->selected(), 2);
        project_->undo().undo();
        QCOMPARE(project_->shot(0).current().name, first);
        drag(view_->shot_rect(2).center(), view_->shot_rect(0).center() - QPoint(20, 0));
        QCOMPARE(project_->shot(1).current().name, first);
    }

    void edges_trim_in_one_step() {
        fill();
        const int steps = project_->undo().count();
        QSignalSpy shown(&*view_, &TimelineView::show_frame);
        const QRect rect = view_->shot_rect(0);
        const double ppf = double(rect.width() + 2) / 33;
        drag({rect.left() + 3, rect.center().y()}, {rect.left() + 3 + int(5 * ppf), rect.center().y()}, 9);
        QCOMPARE(project_->shot(0).in, 5);
        QCOMPARE(project_->undo().count(), steps + 1);
        QVERIFY(shown.count() > 2);
        const QRect now = view_->shot_rect(0);
        drag({now.right() - 3, now.center().y()}, {now.right() - 3 - int(8 * ppf), now.center().y()}, 9);
        QCOMPARE(project_->shot(0).out, 25);
        QCOMPARE(project_->undo().count(), steps + 2);
        drag({view_->shot_rect(0).right() - 3, now.center().y()}, {now.right() + 900, now.center().y()}, 9);
        QCOMPARE(project_->shot(0).out, 33); // not beyond its end
        for (int i = 0; i < 3; ++i) project_->undo().undo();
        QCOMPARE(project_->shot(0).in, 0);
        QCOMPARE(project_->shot(0).out, 33);
    }

    void keys_cut() {
        fill();
        QSignalSpy opened(&*view_, &TimelineView::open_requested);
        view_->set_playhead(10);
        view_->split_at_playhead();
        QCOMPARE(project_->count(), 4);
        QCOMPARE(project_->shot(0).out, 10);
        QCOMPARE(view_->selected(), 1);
        view_->remove_selected(); // the shots behind it close the gap
        QCOMPARE(project_->count(), 3);
        QCOMPARE(project_->frames(), 10 + 17 + 9);
        view_->set_playhead(0);
        QCOMPARE(view_->playhead(), 0);
        view_->set_playhead(14);
        view_->trim_to_playhead(true);
        QCOMPARE(project_->shot(1).in, 4);
        QCOMPARE(view_->playhead(), 10);
        view_->select_beside(1);
        view_->move_selected(-1);
        view_->open_selected();
        QCOMPARE(opened.count(), 1);
        while (project_->undo().canUndo()) project_->undo().undo();
        QCOMPARE(project_->count(), 0);
    }

    /// An undo out of sight would seem to do nothing.
    void what_is_undone_comes_into_sight() {
        fill();
        project_->trim(0, 3, 30);
        view_->zoom(64);
        view_->horizontalScrollBar()->setValue(view_->horizontalScrollBar()->maximum());
        const auto in_sight = [this](int row) { return view_->viewport()->rect().intersects(view_->shot_rect(row)); };
        QVERIFY(!in_sight(0));
        project_->undo().undo();
        QVERIFY(in_sight(0));
        view_->horizontalScrollBar()->setValue(view_->horizontalScrollBar()->maximum());
        project_->undo().redo();
        QVERIFY(in_sight(0));
        QVERIFY(!in_sight(2));
    }

    /// The shot that comes back is selected, since the next key should mean it.
    void a_shot_that_comes_back_is_selected() {
        fill();
        for (const int row : {1, 2}) {
            view_->select(row);
            view_->remove_selected();
            QCOMPARE(view_->selected(), 1);
            project_->undo().undo();
            QCOMPARE(project_->count(), 3);
            QCOMPARE(view_->selected(), row);
        }
        project_->add_shot(take_of_video(file("a.mkv")), 0); // a new shot does not take the selection
        QCOMPARE(view_->selected(), 3);
    }

    void the_selected_shot_stays_itself() {
        fill(); // the shots a, b, c
        view_->select(1);
        project_->move_shot(0, 2);
        QCOMPARE(view_->selected(), 0);
        view_->select(1);
        project_->undo().undo();
        QCOMPARE(view_->selected(), 2); // it is c
        // When two halves become one shot again, that one is selected.
        view_->set_playhead(10);
        view_->split_at_playhead();
        QCOMPARE(view_->selected(), 1);
        project_->undo().undo();
        QCOMPARE(project_->count(), 3);
        QCOMPARE(view_->selected(), 0);
        view_->select(2);
        project_->undo().redo();
        QCOMPARE(view_->selected(), 3);
    }

    void rename_in_place() {
        fill();
        view_->select(1);
        view_->rename_selected();
        auto* edit = view_->findChild<QLineEdit*>();
        QVERIFY(edit);
        QTest::keyClicks(edit, QStringLiteral("xsx")); // letters are text here and no commands
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(project_->shot(1).name, QStringLiteral("xsx"));
        QCOMPARE(project_->count(), 3);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        view_->rename_selected();
        edit = view_->findChild<QLineEdit*>();
        QTest::keyClicks(edit, QStringLiteral("never mind"));
        QTest::keyClick(edit, Qt::Key_Escape);
        QCOMPARE(project_->shot(1).name, QStringLiteral("xsx"));
    }

    void ruler_scrubs_and_double_click_opens() {
        fill();
        QSignalSpy shown(&*view_, &TimelineView::show_frame), opened(&*view_, &TimelineView::open_requested);
        drag({view_->shot_rect(0).left() + 40, 10}, {view_->shot_rect(1).left() + 10, 10}, 6);
        QVERIFY(view_->playhead() >= 33);
        QVERIFY(shown.count() >= 5);
        QCOMPARE(shown.last()[0].toString(), file("b.mkv"));
        QTest::mouseDClick(view_->viewport(), Qt::RightButton, {}, view_->shot_rect(2).center());
        QCOMPARE(opened.count(), 0);
        QTest::mouseDClick(view_->viewport(), Qt::LeftButton, {}, view_->shot_rect(2).center());
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][1].toString(), file("c.mkv"));
    }

    /// Also on its edges, which may be all that is visible of it, and not into the next shot.
    void a_click_goes_into_the_shot() {
        fill();
        const QRect second = view_->shot_rect(1);
        for (const int x : {second.left() + 1, second.center().x(), second.right() - 1}) {
            view_->set_playhead(0);
            QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, {x, second.center().y()});
            QCOMPARE(project_->place(view_->playhead()).row, 1);
            QCOMPARE(view_->selected(), 1);
        }
        QCOMPARE(project_->shot(1).frames(), 17);
    }

    void escape_lets_go_of_an_edge() {
        fill();
        const int steps = project_->undo().count();
        const QRect rect = view_->shot_rect(0);
        QWidget* viewport = view_->viewport();
        const QPoint from(rect.right() - 3, rect.center().y()), to = from - QPoint(80, 0);
        QTest::mousePress(viewport, Qt::LeftButton, {}, from);
        move(to);
        QVERIFY(project_->shot(0).out < 33);
        QTest::keyClick(&*view_, Qt::Key_Escape);
        QCOMPARE(project_->shot(0).out, 33);
        QCOMPARE(project_->undo().count(), steps);
        move(to - QPoint(40, 0));
        QCOMPARE(project_->shot(0).out, 33);
        QTest::mouseRelease(viewport, Qt::LeftButton, {}, to);
        // If the shot is removed while its edge is held, the drag must not go on with the next one.
        QTest::mousePress(viewport, Qt::LeftButton, {}, from);
        move(to);
        view_->remove_selected();
        move(to - QPoint(40, 0));
        QTest::mouseRelease(viewport, Qt::LeftButton, {}, to);
        QCOMPARE(project_->shot(0).frames(), 17);
        QCOMPARE(project_->count(), 2);
    }

    void the_menu_key_means_what_is_selected() {
        fill();
        view_->select(2);
        const QPoint first = view_->shot_rect(0).center();
        QContextMenuEvent event(QContextMenuEvent::Keyboard, first, view_->mapToGlobal(first));
        QApplication::sendEvent(view_->viewport(), &event);
        auto* menu = view_->findChild<QMenu*>();
        QVERIFY(menu);
        const auto named = [&](const char* text) {
            for (QAction* action : menu->actions())
                if (action->text() == QLatin1String(text)) return action;
            return static_cast<QAction*>(nullptr);
        };
        QVERIFY(named("Retake") && named("Remove"));
        QVERIFY(!named("Retake")->isEnabled()); // a video from elsewhere has no request to make it again
        named("Remove")->trigger();
        menu->close();
        QCOMPARE(project_->count(), 2);
        QCOMPARE(project_->shot(1).current().video, file("b.mkv"));
    }

    void names_of_takes_are_read_as_they_are() {
        fill();
        Take take = take_of_video(file("b.mkv"));
        take.name = QStringLiteral("Tom & Jerry");
        project_->add_take(0, take);
        view_->select(0);
        QContextMenuEvent event(QContextMenuEvent::Keyboard, {}, {});
        QApplication::sendEvent(view_->viewport(), &event);
        const auto actions = view_->findChildren<QAction*>();
        const auto is_it = [](const QAction* action) { return action->iconText() == QLatin1String("2  Tom & Jerry"); };
        QVERIFY(std::any_of(actions.begin(), actions.end(), is_it));
    }

    /// If there is no room beside it for the number of the take.
    void a_shot_of_several_takes_tells_its_length() {
        fill();
        view_->resize(320, 140);
        const auto end_of_title = [&] {
            const QRect rect = view_->shot_rect(0);
            return view_->viewport()->grab({rect.right() - 24, rect.top() + 3, 16, 16}).toImage();
        };
        project_->rename_shot(0, QStringLiteral("x"));
        const QImage of_one = end_of_title();
        project_->add_take(0, take_of_video(file("a.mkv")));
        QCOMPARE(end_of_title(), of_one);
    }

    void tips_say_rates_and_lengths_as_people_write_them() {
        Take take = take_of_video(file("a.mkv"));
        take.fps = 23.976;
        take.name = QStringLiteral("Tom%2C Jerry.mkv"); // must not be read as a placeholder for a number
        project_->add_shot(take);
        view_->setLocale(QLocale(QLocale::German));
        const auto tip = [&](int row) {
            const QPoint at = view_->shot_rect(row).center();
            QHelpEvent event(QEvent::ToolTip, at, view_->viewport()->mapToGlobal(at));
            QApplication::sendEvent(view_->viewport(), &event);
            return QToolTip::text();
        };
        QVERIFY2(tip(0).contains(QStringLiteral("23,976 fps")), qPrintable(tip(0)));
        QVERIFY2(tip(0).startsWith(take.name + QStringLiteral("\nframes 1 to ")), qPrintable(tip(0)));
        take.kind = Take::Kind::still, take.frames = 1, take.fps = 24;
        project_->add_shot(take);
        project_->trim(1, 0, Take::longest_still);
        QVERIFY2(tip(1).contains(QStringLiteral("41.666,7 s")), qPrintable(tip(1)));
    }

    /// A trimmed edge stays under the pointer, and shots that are added afterwards can be seen.
    void the_whole_cut_is_seen_again_after_a_trim() {
        fill();
        const QRect rect = view_->shot_rect(0);
        drag({rect.right() - 3, rect.center().y()}, {rect.right() - 83, rect.center().y()}, 9);
        QCOMPARE(view_->shot_rect(0).left(), rect.left());
        for (int i = 0; i < 4; ++i) project_->add_shot(take_of_video(file("a.mkv")));
        QCOMPARE(view_->horizontalScrollBar()->maximum(), 0);
    }

    void files_become_shots_and_takes() {
        QSignalSpy issue(&*view_, &TimelineView::issue_found);
        view_->add_files({file("a.mkv")});
        QTRY_COMPARE_WITH_TIMEOUT(project_->count(), 1, 30000);
        drop(file("b.mkv"), {view_->shot_rect(0).right() - 4, 60});
        QTRY_COMPARE_WITH_TIMEOUT(project_->count(), 2, 30000);
        QCOMPARE(project_->shot(1).current().video, file("b.mkv"));
        drop(file("c.mkv"), view_->shot_rect(0).center());
        QTRY_COMPARE_WITH_TIMEOUT(int(project_->shot(0).takes.size()), 2, 30000);
        QCOMPARE(project_->shot(0).frames(), 9);
        QFile text(file("text.mp4"));
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write("no video");
        text.close();
        drop(file("text.mp4"), {5, 60});
        QTRY_COMPARE_WITH_TIMEOUT(issue.count(), 1, 30000);
        QVERIFY(!issue[0][0].value<Issue>().hint.isEmpty());
        QVERIFY(!issue[0][0].value<Issue>().line().contains("too long"));
        drop(home_.path(), {5, 60}); // a folder that is no run
        QTRY_COMPARE_WITH_TIMEOUT(issue.count(), 2, 30000);
        QCOMPARE(project_->count(), 2);
        const int steps = project_->undo().count();
        QSignalSpy refused(&*view_, &TimelineView::files_refused);
        view_->add_files({file("b.mkv"), file("text.mp4"), file("c.mkv")}, 1);
        QTRY_COMPARE_WITH_TIMEOUT(project_->count(), 4, 30000);
        QCOMPARE(issue.count(), 2); // several are reported together
        QCOMPARE(refused.count(), 1);
        QCOMPARE(refused[0][1].toInt(), 2);
        QCOMPARE(project_->shot(1).current().video, file("b.mkv"));
        QCOMPARE(project_->shot(2).current().video, file("c.mkv"));
        QCOMPARE(project_->undo().count(), steps + 1); // files that are dropped together are undone together
        project_->undo().undo();
        QCOMPARE(project_->count(), 2);
    }

    /// Files that the cut has no room for must not be reported as added.
    void only_what_was_added_is_told() {
        write_png(to_path(file("full.png")), Image(96, 54));
        const Take still = take_of_picture(file("full.png"), 24);
        for (int row = 0; row < 20; ++row) {
            project_->add_shot(still);
            QVERIFY(project_->trim(row, 0, Take::longest_still));
        }
        QSignalSpy added(&*view_, &TimelineView::files_added), issue(&*view_, &TimelineView::issue_found);
        view_->add_files({file("full.png")});
        QTRY_COMPARE_WITH_TIMEOUT(issue.count(), 1, 30000);
        QCOMPARE(added.count(), 0);
    }

    /// The thumbnail must show what another program has written meanwhile.
    void a_video_that_is_written_anew_is_drawn_anew() {
        const QString video = file("anew.mkv");
        write_grey_clip(video, 3, 96, 54);
        project_->add_shot(take_of_video(video));
        const auto grey = [&] { return qGray(thumbnails_->frame(video, 0, 32).pixel(2, 2)); };
        QTRY_VERIFY_WITH_TIMEOUT(!thumbnails_->frame(video, 0, 32).isNull(), 30000);
        const int before = grey();
        background_pool()->waitForDone(); // until the file has been looked at
        QCoreApplication::processEvents();
        write_grey_clip(video, 4, 96, 54, 200);
        project_->look_at_media();
        const auto anew = [&] { return !thumbnails_->frame(video, 0, 32).isNull() && grey() > before + 100; };
        QTRY_VERIFY_WITH_TIMEOUT(anew(), 30000);
    }

    /// A still picture and another program's frames become shots, as videos do.
    void pictures_and_frames_become_shots() {
        Image card(96, 54);
        std::fill(card.rgb.begin(), card.rgb.end(), std::uint8_t(200));
        write_png(to_path(file("card.png")), card);
        QDir(home_.path()).mkdir("sequence");
        for (int n = 1; n < 11; ++n) write_png(to_path(file("sequence/") + QString::number(n) + ".png"), card);
        view_->set_usual_rate(16);
        drop(file("card.png"), {5, 60});
        QTRY_COMPARE_WITH_TIMEOUT(project_->count(), 1, 30000);
        QCOMPARE(project_->shot(0).frames(), 32);
        drop(file("sequence"), {view_->shot_rect(0).right() - 4, 60});
        QTRY_COMPARE_WITH_TIMEOUT(project_->count(), 2, 30000);
        QCOMPARE(project_->shot(1).frames(), 10);
        QCOMPARE(project_->shot(1).current().fps, 16.0);
        // Keys lengthen it at its edges, and it comes back in as many steps.
        const int steps = project_->undo().count();
        QSignalSpy shown(&*view_, &TimelineView::show_frame);
        QRect rect = view_->shot_rect(0);
        drag({rect.right() - 3, rect.center().y()}, {rect.right() + 100, rect.center().y()}, 9);
        const int longer = project_->shot(0).frames();
        QVERIFY(longer > 32);
        rect = view_->shot_rect(0);
        drag({rect.left() + 3, rect.center().y()}, {rect.left() - 60, rect.center().y()}, 9);
        QVERIFY(project_->shot(0).frames() > longer);
        QCOMPARE(project_->shot(0).in, 0);
        view_->select(0);
        const int before = project_->shot(0).frames();
        for (int i = 0; i < 3; ++i) view_->lengthen_selected(1);
        QCOMPARE(project_->shot(0).frames(), before + 3);
        QCOMPARE(project_->undo().count(), steps + 3);
        for (const auto& each : shown) QCOMPARE(each[2].toInt(), 0); // a still has only one picture
        view_->select(1);
        view_->lengthen_selected(1);
        QCOMPARE(project_->shot(1).frames(), 10); // there are no more frames to show
        view_->lengthen_selected(-1);
        QCOMPARE(project_->shot(1).frames(), 9);
        QCOMPARE(project_->undo().count(), steps + 4);
        for (int i = 0; i < 4; ++i) project_->undo().undo();
        QCOMPARE(project_->shot(0).frames(), 32);
        for (int row = 0; row < 2; ++row) {
            const QPoint at(view_->shot_rect(row).left() + 40, view_->shot_rect(row).bottom() - 20);
            QTRY_COMPARE_WITH_TIMEOUT(qGreen(view_->grab().toImage().pixel(at)), 200, 10000);
        }
    }

    /// A scroll bar makes the track lower, and must not hide a part of it.
    void all_of_a_shot_is_seen_above_a_scroll_bar() {
        view_->resize(900, view_->minimumSizeHint().height());
        fill();
        QVERIFY(view_->viewport()->height() - view_->shot_rect(0).bottom() >= 4);
        for (int i = 0; i < 8; ++i) view_->zoom(1.25);
        QTRY_VERIFY_WITH_TIMEOUT(view_->horizontalScrollBar()->isVisible(), 5000);
        QVERIFY(view_->viewport()->height() - view_->shot_rect(0).bottom() >= 4);
    }

    void another_project_begins_at_its_beginning() {
        fill();
        save_as(*project_, file("one.denoir"));
        view_->set_playhead(20);
        view_->select(2);
        view_->zoom(8);
        view_->set_playing(true);
        open(*project_, file("one.denoir"));
        QVERIFY(!view_->playing());
        QCOMPARE(view_->playhead(), 0);
        QCOMPARE(view_->selected(), -1);
        QCOMPARE(view_->meant(), 0);
        QCOMPARE(view_->horizontalScrollBar()->maximum(), 0);
    }

    void zoom_and_scroll_keep_the_place() {
        fill();
        view_->set_playhead(40);
        view_->zoom(1.25);
        const int wide = view_->shot_rect(0).width();
        for (int i = 0; i < 8; ++i) view_->zoom(1.25);
        QVERIFY(view_->shot_rect(0).width() > 4 * wide);
        QVERIFY(view_->horizontalScrollBar()->maximum() > 0);
        view_->set_playhead(0);
        QVERIFY(view_->shot_rect(0).left() >= 0 && view_->shot_rect(0).left() < view_->width());
        view_->zoom_to_fit();
        QCOMPARE(view_->horizontalScrollBar()->maximum(), 0);
    }

    void tells_assistive_technology() {
        fill();
        QAccessibleInterface* face = QAccessible::queryAccessibleInterface(&*view_);
        QVERIFY(face && face->valueInterface());
        QCOMPARE(face->text(QAccessible::Name), QStringLiteral("Timeline"));
        // Frames are counted from 1, and the end is behind the last one.
        QCOMPARE(face->valueInterface()->minimumValue().toInt(), 1);
        QCOMPARE(face->valueInterface()->maximumValue().toInt(), 60);
        face->valueInterface()->setCurrentValue(12);
        QCOMPARE(face->valueInterface()->currentValue().toInt(), 12);
        QCOMPARE(view_->playhead(), 11);
        QVERIFY2(view_->accessibleDescription().contains("frame 12 of 59"), qPrintable(view_->accessibleDescription()));
        view_->set_playhead(59);
        QVERIFY2(view_->accessibleDescription().contains("at the end"), qPrintable(view_->accessibleDescription()));
        view_->select(1);
        QVERIFY(view_->accessibleDescription().contains(QStringLiteral("shot 2")));
    }

    /// The thumbnails are those of the chosen take from its beginning on, and a missing file has none.
    void shots_show_their_pictures() {
        fill();
        project_->trim(0, 4, 30);
        project_->add_take(1, take_of_video(file("c.mkv")));
        Take gone;
        gone.video = file("gone.mp4"), gone.name = QStringLiteral("lost"), gone.frames = 12, gone.width = 96,
        gone.height = 54;
        project_->add_shot(gone);
        // The grey of the clip at this place, or -1 if something else is painted there.
        const auto grey = [&](int row) {
            const QRect rect = view_->shot_rect(row);
            const QRgb pixel = view_->grab().toImage().pixel(rect.left() + 40, rect.bottom() - 20);
            return qRed(pixel) == qGreen(pixel) + 1 ? qGreen(pixel) : -1;
        };
        QTRY_VERIFY_WITH_TIMEOUT(grey(0) >= 40, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(grey(1) >= 160, 30000);
        QCOMPARE(grey(3), -1);
    }

private:
    void drop(const QString& path, QPoint at) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(view_->viewport(), &enter);
        QDragMoveEvent move(at, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(view_->viewport(), &move);
        QDropEvent end(at, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(view_->viewport(), &end);
    }
};

QTEST_MAIN(TimelineViewTest)
#include "timeline_view_test.moc"
