// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <malloc.h>
#include <random>

#include "tests/app/home.h"
#include "tests/app/takes.h"

using namespace denoir;
using namespace denoir::app;

class ProjectUndoTest : public QObject {
    Q_OBJECT
private slots:
    /// An edit must take only as much memory as it changes, however long the cut is.
    void edits_of_a_long_cut_take_little_memory() {
        constexpr int shots = 300, edits = 200; // all of them are kept
        Project p;
        for (int i = 0; i < shots; ++i) p.add_shot(take(50));
        const auto used = [] { return double(::mallinfo2().uordblks); };
        const double before = used();
        for (int i = 0; i < edits; ++i) QVERIFY(p.trim(i % shots, i % 7, 20 + i % 11));
        const double each = (used() - before) / edits;
        QVERIFY2(each < 10'000, qPrintable(QStringLiteral("%1 bytes each").arg(each)));
    }

    /// Whatever the user does, undo and redo go through the same cuts.
    void every_edit_is_undone_and_done_again() {
        Project p;
        std::mt19937 random(5);
        const auto any = [&](int n) { return n > 0 ? int(random() % unsigned(n)) : 0; };
        std::vector<std::vector<Shot>> cuts{p.shots()};
        while (cuts.size() < 300) {
            const int row = any(p.count()), to = any(p.count()), steps = p.undo().count();
            switch (any(8)) {
            case 0:
                p.add_shot(take(20 + any(9)), any(p.count() + 1));
                break;
            case 1:
                p.move_shot(row, to);
                break;
            case 2:
                p.trim(row, any(5), 8 + any(8));
                break;
            case 3:
                p.split(row, any(16));
                break;
            case 4:
                p.add_take(row, take(30));
                break;
            case 5:
                p.select_take(row, any(2));
                break;
            case 6:
                p.rename_shot(row, QString::number(any(9)));
                break;
            default:
                if (p.count() > 6) p.remove_shot(row);
            }
            if (p.undo().count() > steps) cuts.push_back(p.shots());
        }
        for (int i = int(cuts.size()) - 2; i >= 0; --i) {
            p.undo().undo();
            QVERIFY(p.shots() == cuts[std::size_t(i)]);
        }
        for (std::size_t i = 1; i < cuts.size(); ++i) {
            p.undo().redo();
            QVERIFY(p.shots() == cuts[i]);
        }
    }

    /// Beyond a number of steps the oldest are forgotten, which must not confuse the count of the others.
    void steps_are_forgotten_and_counted() {
        Project p;
        constexpr int beyond = 30;
        for (int i = 0; i < Project::most_steps + beyond; ++i) {
            p.add_shot(take(50));
            QCOMPARE(p.step(), i + 1);
        }
        QCOMPARE(p.undo().count(), Project::most_steps);
        QVERIFY(p.trim(0, 0, 20, 1) && p.trim(0, 0, 30, 1)); // both trims are one growing step
        QCOMPARE(p.step(), Project::most_steps + beyond + 1);
        p.undo().undo();
        p.undo().undo();
        QCOMPARE(p.step(), Project::most_steps + beyond - 1);
        p.add_shot(take(50)); // replaces what was undone, so no more is forgotten
        QCOMPARE(p.step(), Project::most_steps + beyond);
        while (p.undo().canUndo()) p.undo().undo();
        QCOMPARE(p.step(), beyond + 1);
        QCOMPARE(p.count(), beyond + 1);
        QVERIFY(p.is_modified()); // the empty cut can no longer be reached
        p.clear();
        QCOMPARE(p.step(), 0);
    }

    void a_drag_is_one_step_and_none_where_it_comes_back() {
        Project p;
        for (int i = 0; i < 3; ++i) p.add_shot(take(50));
        const auto cut = p.shots();
        const int steps = p.undo().count();
        for (const int out : {40, 30, 20}) QVERIFY(p.trim(1, 5, out, 1));
        QCOMPARE(p.undo().count(), steps + 1);
        p.undo().undo();
        QVERIFY(p.shots() == cut);
        p.undo().redo();
        QCOMPARE(p.shot(1).out, 20);
        p.undo().undo();
        for (const int out : {40, 50}) QVERIFY(p.trim(1, 0, out, 2));
        QCOMPARE(p.undo().count(), steps);
        QVERIFY(p.shots() == cut);
    }

    /// The chosen take stays chosen if one before or behind it is removed.
    void the_chosen_take_stays_chosen() {
        Project p;
        p.add_shot(take(33, "a"));
        for (const char* name : {"b", "c", "d"}) QVERIFY(p.add_take(0, take(33, name)));
        QVERIFY(p.select_take(0, 1));
        QVERIFY(p.remove_take(0, 3));
        QCOMPARE(p.shot(0).current().name, QStringLiteral("b"));
        QVERIFY(p.remove_take(0, 0));
        QCOMPARE(p.shot(0).current().name, QStringLiteral("b"));
        p.undo().undo();
        QCOMPARE(p.shot(0).current().name, QStringLiteral("b"));
    }

    /// A drag of another shot is a step of its own, and so is another drag of the same, even the 65536th after it.
    void drags_are_steps_of_their_own() {
        Project p;
        for (int i = 0; i < 3; ++i) p.add_shot(take(50));
        std::vector<std::vector<Shot>> cuts{p.shots()};
        const int steps = p.undo().count();
        for (const auto& [row, out, drag] : {std::tuple(0, 40, 1), {1, 30, 1}, {1, 20, 0x10001}}) {
            QVERIFY(p.trim(row, 5, out, drag));
            cuts.push_back(p.shots());
        }
        QCOMPARE(p.undo().count(), steps + 3);
        for (int i = 2; i >= 0; --i) {
            p.undo().undo();
            QVERIFY(p.shots() == cuts[std::size_t(i)]);
        }
    }

private:
    Home home_;
};

QTEST_GUILESS_MAIN(ProjectUndoTest)
#include "project_undo_test.moc"
