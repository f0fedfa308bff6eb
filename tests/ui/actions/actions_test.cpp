// SPDX-License-Identifier: Apache-2.0
// The table of actions, how it is searched and edited, and which keys are whose.
#include <QAction>
#include <QApplication>
#include <QFile>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMainWindow>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/actions/action_table.h"
#include "ui/actions/command_palette.h"
#include "ui/actions/shortcut_editor.h"
#include "ui/actions/shortcut_guard.h"
#include "ui/widgets/announcer.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/field.h"

using namespace denoir;
using namespace denoir::ui;

class ActionsTest : public QObject {
    Q_OBJECT

    static QPushButton* button(const QWidget& in, const char* words) {
        for (auto* each : in.findChildren<QPushButton*>())
            if (each->text() == QLatin1String(words)) return each;
        return nullptr;
    }

private slots:
    void shortcuts_are_kept_and_conflicts_named() {
        QTemporaryDir folder;
        const QString file = folder.filePath("shortcuts.json");
        const auto fill = [](ActionTable& table) {
            table.add("a", "Group", "&First", {QKeySequence("Ctrl+A")});
            table.add("b", "Group", "Second", {QKeySequence("Ctrl+B"), QKeySequence("B")});
        };
        {
            QMainWindow window;
            ActionTable table(window, file);
            fill(table);
            QCOMPARE(table.conflicts("a", {QKeySequence("B")}), QStringList{"b"});
            QVERIFY(table.set_shortcuts("a", {QKeySequence("B")}));
            // The key was taken over from the other action.
            QCOMPARE(table.at("b")->shortcuts(), QList<QKeySequence>{QKeySequence("Ctrl+B")});
            QVERIFY(table.is_changed("a") && table.is_changed("b"));
        }
        {
            QMainWindow window;
            ActionTable table(window, file);
            fill(table);
            QCOMPARE(table.at("a")->shortcut(), QKeySequence("B"));
            QVERIFY(table.reset_all());
            QCOMPARE(table.at("a")->shortcut(), QKeySequence("Ctrl+A"));
            QVERIFY(!table.is_changed("b"));
        }
        // A damaged file means that nothing was changed, and it is not overwritten.
        QFile broken(file);
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("{\"shortcuts\": {\"a\": 7, \"b\": [[]], ");
        broken.close();
        QMainWindow window;
        ActionTable table(window, file);
        fill(table);
        QCOMPARE(table.at("a")->shortcut(), QKeySequence("Ctrl+A"));
    }

    /// The keyboard alone must do: search words, the action that they find, and its keys.
    void shortcuts_are_changed_by_keyboard() {
        QMainWindow window;
        ActionTable table(window, {});
        table.add("a", "Group", "&First", {QKeySequence("Ctrl+A")});
        table.add("b", "Group", "Second", {QKeySequence("Ctrl+B"), QKeySequence("B")});
        ShortcutEditor editor(table, &window);
        editor.show();
        QVERIFY(QTest::qWaitForWindowExposed(&editor));
        auto* tree = editor.findChild<QTreeWidget*>();
        auto* search = editor.findChild<QLineEdit*>();
        auto* keys = editor.findChild<QKeySequenceEdit*>();
        QVERIFY(!tree->currentItem() && !keys->isEnabled());
        search->setText("sec");
        QVERIFY(tree->currentItem());
        QCOMPARE(tree->currentItem()->text(0), QString("Second"));
        editor.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&editor, 5000));
        search->setFocus();
        QTest::keyClick(search, Qt::Key_Down);
        QVERIFY(tree->hasFocus());
        QTest::keyClick(tree, Qt::Key_Return);
        QVERIFY(keys->hasFocus() || keys->isAncestorOf(QApplication::focusWidget()));
        keys->setKeySequence(QKeySequence("Ctrl+G"));
        for (auto* button : editor.findChildren<QPushButton*>())
            if (button->text() == "Set") button->click();
        QCOMPARE(table.at("b")->shortcuts(), (QList<QKeySequence>{QKeySequence("Ctrl+G"), QKeySequence("B")}));
        keys->setKeySequence(QKeySequence("B")); // a key that the action has already
        for (auto* button : editor.findChildren<QPushButton*>())
            if (button->text() == "Set") button->click();
        QCOMPARE(table.at("b")->shortcuts(), QList<QKeySequence>{QKeySequence("B")});
    }

    /// The editor waits for further keys before a shortcut is complete. Somebody quick could press Set before hearing
    /// that another action has these keys.
    void keys_of_another_action_are_told_at_once() {
        QMainWindow window;
        ActionTable table(window, {});
        table.add("a", "Group", "First", {QKeySequence("Ctrl+A")});
        table.add("b", "Group", "Second", {QKeySequence("Ctrl+B")});
        ShortcutEditor editor(table, &window);
        editor.show();
        QVERIFY(QTest::qWaitForWindowExposed(&editor));
        auto* search = editor.findChild<QLineEdit*>();
        search->setText("second");
        auto* keys = editor.findChild<QKeySequenceEdit*>();
        QTest::keyPress(keys, Qt::Key_A, Qt::ControlModifier);
        const auto button = [&editor](const char* text) {
            const auto all = editor.findChildren<QPushButton*>();
            return std::any_of(all.begin(), all.end(),
                               [text](auto* each) { return each->text() == QLatin1String(text) && each->isEnabled(); });
        };
        QVERIFY(button("Take over") && !button("Set"));
        // The editor opens with the focus in its search and not on the button that was pressed last.
        editor.findChildren<QPushButton*>().constLast()->setFocus();
        editor.hide();
        editor.show();
        QCOMPARE(editor.focusWidget(), search);
        QCOMPARE(search->selectedText(), QString("second"));
    }

    /// The field shows the action's own keys, so keys that were taken from it can be entered again.
    void a_key_that_was_taken_away_can_be_set_again() {
        QMainWindow window;
        ActionTable table(window, {});
        QAction* action = table.add("a", "Group", "&First", {QKeySequence("Ctrl+A")});
        ShortcutEditor editor(table, &window);
        auto* tree = editor.findChild<QTreeWidget*>();
        auto* keys = editor.findChild<QKeySequenceEdit*>();
        tree->setCurrentItem(tree->topLevelItem(0)->child(0));
        button(editor, "No key")->click();
        QVERIFY(action->shortcuts().isEmpty());
        QVERIFY2(keys->keySequence().isEmpty(), qPrintable(keys->keySequence().toString()));
        keys->setKeySequence(QKeySequence("Ctrl+A"));
        QVERIFY(button(editor, "Set")->isEnabled());
        action->setText("&Another name"); // as the entry for undo changes its name
        QCOMPARE(tree->topLevelItem(0)->child(0)->text(0), QString("Another name"));
    }

    void keys_that_cannot_be_stored_are_reported() {
        QTemporaryDir folder;
        QMainWindow window;
        ActionTable table(window, folder.filePath("none/shortcuts.json"));
        table.add("a", "Group", "First", {QKeySequence("Ctrl+A")});
        ShortcutEditor editor(table, &window);
        auto* tree = editor.findChild<QTreeWidget*>();
        tree->setCurrentItem(tree->topLevelItem(0)->child(0));
        const auto told = [&] {
            for (const auto* label : editor.findChildren<QLabel*>())
                if (label->text().contains("until you close Denoir")) return true;
            return false;
        };
        for (const char* name : {"No key", "Default", "All to default"}) {
            button(editor, "No key")->setFocus();
            editor.findChild<QKeySequenceEdit*>()->setKeySequence(QKeySequence("Ctrl+G"));
            QVERIFY(!told());
            button(editor, name)->click();
            QVERIFY2(told(), name);
        }
    }

    /// A newer version may have given a key in an older file to another action. If both kept it, neither would work.
    void keys_in_an_older_file_belong_to_one_action() {
        QTemporaryDir folder;
        const QString file = folder.filePath("shortcuts.json");
        QFile older(file);
        QVERIFY(older.open(QIODevice::WriteOnly));
        older.write(R"({"schema": 1, "shortcuts": {"late": ["T"], "here": ["Left"], "last": ["Ctrl+D"],
                                                   "a": "Ctrl+G", "b": [7]}})");
        older.close();
        QMainWindow window;
        QWidget part(&window);
        ActionTable table(window, file);
        table.add("new", "Group", "New", {QKeySequence("T"), QKeySequence("Ctrl+T")});
        table.add("late", "Group", "Late");
        table.add("more", "Group", "More", {QKeySequence("T"), QKeySequence("Ctrl+D")});
        table.add("last", "Group", "Last");
        table.add("here", "Group", "Here");
        table.add("own", "Group", "Own", {QKeySequence("Left")});
        table.add("a", "Group", "First", {QKeySequence("Ctrl+A")});
        table.add("b", "Group", "Second", {QKeySequence("Ctrl+B")});
        table.keep_to("own", part);
        table.settle();
        QCOMPARE(table.at("late")->shortcut(), QKeySequence("T"));
        QCOMPARE(table.at("new")->shortcuts(), QList<QKeySequence>{QKeySequence("Ctrl+T")});
        QVERIFY(table.is_changed("new"));
        // A default does not take a key from what the user chose.
        QCOMPARE(table.at("last")->shortcut(), QKeySequence("Ctrl+D"));
        QVERIFY(table.at("more")->shortcuts().isEmpty());
        // This action has the key only in its own part of the window.
        QCOMPARE(table.at("own")->shortcut(), QKeySequence("Left"));
        QCOMPARE(table.at("a")->shortcut(), QKeySequence("Ctrl+A")); // a damaged entry changes nothing
        QCOMPARE(table.at("b")->shortcut(), QKeySequence("Ctrl+B"));
    }

    /// Long keys must not cut the names off.
    void names_in_the_editor_are_not_cut() {
        QMainWindow window;
        ActionTable table(window, {});
        table.add("a", "Group", "A name as long as those of the window are, or nearly so",
                  {QKeySequence("Ctrl+Shift+Return"), QKeySequence("Ctrl+Shift+Enter"), QKeySequence("Ctrl+Alt+F12")});
        ShortcutEditor editor(table, &window);
        editor.show();
        QVERIFY(QTest::qWaitForWindowExposed(&editor));
        const auto* tree = editor.findChild<QTreeWidget*>();
        const int wanted = static_cast<const QAbstractItemView*>(tree)->sizeHintForColumn(0);
        QVERIFY(tree->header()->sectionSize(0) >= wanted);
    }

    void palette_finds_and_runs() {
        QMainWindow window;
        window.resize(800, 600);
        ActionTable table(window, {});
        int ran = 0;
        connect(table.add("run.generate", "Run", "&Generate", {QKeySequence("Ctrl+Return")}), &QAction::triggered, this,
                [&] { ++ran; });
        table.add("run.stop", "Run", "Stop")->setEnabled(false);
        table.add("view.dark", "View", "Dark theme");
        Banners banners(&window);
        CommandPalette palette(table, banners, &window);
        window.show();
        palette.open();
        QCOMPARE(palette.shown().size(), 3);
        auto* query = palette.findChild<QLineEdit*>("command-query");
        QTest::keyClicks(query, "gen");
        QCOMPARE(palette.shown(), QStringList{"run.generate"});
        QTest::keyClick(query, Qt::Key_Return);
        QCOMPARE(ran, 1);
        QVERIFY(!palette.isVisible());
        palette.open();
        QCOMPARE(palette.shown().constFirst(), QString("run.generate")); // it was used last
        QCOMPARE(palette.shown().constLast(), QString("run.stop"));      // it cannot be used now
        // A screen reader is told which row Enter would take.
        const auto* announcer = palette.findChild<Announcer*>();
        QVERIFY(announcer->accessibleName().startsWith("Generate, Run"));
        QTest::keyClick(query, Qt::Key_Down);
        QCOMPARE(announcer->accessibleName(), QString("Dark theme, View"));
        QTest::keyClicks(query, "zzz");
        QCOMPARE(ran, 1);
        QTest::keyClick(query, Qt::Key_Return);
        QTest::keyClick(query, Qt::Key_Escape);
        QVERIFY(!palette.isVisible());
        // The buttons of a banner are found by their own words, too.
        int recovered = 0;
        banners.show_banner("crash", Banners::Kind::info, "Denoir ended unexpectedly. Kept: a cut.",
                            {{"Recover", [&] { ++recovered; }}, {"Discard", [] {}}});
        palette.open();
        QCOMPARE(palette.shown().constFirst(), QString("run.generate"));
        QTest::keyClicks(query, "unexp");
        QCOMPARE(palette.shown(), (QStringList{"Recover", "Discard"}));
        query->clear();
        QTest::keyClicks(query, "recover");
        QCOMPARE(palette.shown(), QStringList{"Recover"});
        QTest::keyClick(query, Qt::Key_Return);
        QCOMPARE(recovered, 1);
        QVERIFY(!palette.isVisible() && banners.texts().isEmpty());
        QVERIFY(match_score("th dark", "Dark theme View") > 0);
        QVERIFY(match_score("uber", QString::fromUtf8("Über Denoir")) > 0);
        QVERIFY(match_score("dark q", "Dark theme") < 0);
    }

    /// Words of other programs find the same actions.
    void the_palette_knows_other_words() {
        QMainWindow window;
        ActionTable table(window, {});
        table.add("file.export", "File", "&Export the cut …");
        table.add("run.generate", "Run", "&Generate");
        table.add("run.render", "Run", "&Render what is missing");
        table.set_other_words("run.generate", "render start");
        const Banners banners(&window);
        CommandPalette palette(table, banners, &window);
        window.show();
        palette.open();
        auto* query = palette.findChild<QLineEdit*>("command-query");
        QTest::keyClicks(query, "render");
        QCOMPARE(palette.shown(), (QStringList{"run.render", "run.generate"}));
        QTest::keyClicks(query, " run start");
        QCOMPARE(palette.shown(), QStringList{"run.generate"});
        QTest::keyClicks(query, "s");
        QVERIFY(!palette.shown().contains("run.generate"));
    }

    /// The palette is asked for again while it is open.
    void the_palette_gives_the_focus_back() {
        QMainWindow window;
        auto* line = new QLineEdit;
        window.setCentralWidget(line);
        ActionTable table(window, {});
        table.add("a", "Group", "First");
        Banners banners(&window);
        CommandPalette palette(table, banners, &window);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        line->setFocus();
        for (int i = 0; i < 2; ++i) palette.open();
        QTest::keyClick(palette.findChild<QLineEdit*>("command-query"), Qt::Key_Escape);
        QVERIFY(!palette.isVisible());
        QVERIFY(line->hasFocus());
    }

    void keys_of_a_part_come_before_the_windows() {
        ShortcutGuard guard;
        qApp->installEventFilter(&guard);
        QMainWindow window;
        auto* middle = new QWidget;
        auto* column = new QVBoxLayout(middle);
        auto* part = new QWidget;
        auto* line = new QLineEdit(part);
        auto* button = new QPushButton("press");
        part->setFocusPolicy(Qt::StrongFocus);
        column->addWidget(part);
        column->addWidget(button);
        window.setCentralWidget(middle);
        ActionTable table(window, {});
        int everywhere = 0, there = 0;
        connect(table.add("all", "G", "All", {QKeySequence(Qt::Key_S)}), &QAction::triggered, this,
                [&] { ++everywhere; });
        connect(table.add("own", "G", "Own", {QKeySequence(Qt::Key_S)}), &QAction::triggered, this, [&] { ++there; });
        table.keep_to("own", *part);
        QCOMPARE(table.conflicts("own", {QKeySequence(Qt::Key_S)}), QStringList());
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        const auto hit = [&](QWidget* where, int key) {
            where->setFocus();
            QTest::keyClick(window.windowHandle(), Qt::Key(key));
        };
        hit(part, Qt::Key_S);
        QCOMPARE(QPair(everywhere, there), QPair(0, 1));
        hit(button, Qt::Key_S);
        QCOMPARE(QPair(everywhere, there), QPair(1, 1));
        hit(line, Qt::Key_S); // there it is text, too
        QCOMPARE(line->text().toLower(), QString("s"));
        QCOMPARE(QPair(everywhere, there), QPair(1, 1));
        // After a change in the table the old key belongs to the window again, and the tooltips show the new one.
        QVERIFY(table.set_shortcuts("own", {QKeySequence(Qt::Key_M)}));
        QCOMPARE(table.at("all")->shortcuts().size(), 1);
        hit(part, Qt::Key_M);
        hit(part, Qt::Key_S);
        QCOMPARE(QPair(everywhere, there), QPair(2, 2));
        button->setToolTip("Press it");
        button->setProperty("action", "own");
        table.name_all_keys();
        QHelpEvent ask(QEvent::ToolTip, QPoint(1, 1), button->mapToGlobal(QPoint(1, 1)));
        QApplication::sendEvent(button, &ask);
        QCOMPARE(QToolTip::text(), QString("Press it (M)"));
        QToolTip::hideText();
        qApp->removeEventFilter(&guard);
    }

    void letters_stay_in_text_fields() {
        ShortcutGuard guard;
        qApp->installEventFilter(&guard);
        QMainWindow window;
        auto* middle = new QWidget;
        auto* column = new QVBoxLayout(middle);
        auto* line = new QLineEdit;
        auto* number = new NumberEdit(0, 100, 1, 0);
        auto* button = new QPushButton("press");
        for (QWidget* each :
             {static_cast<QWidget*>(line), static_cast<QWidget*>(number), static_cast<QWidget*>(button)})
            column->addWidget(each);
        window.setCentralWidget(middle);
        ActionTable table(window, {});
        int fired = 0, pressed = 0;
        connect(
            table.add("x", "G", "X", {QKeySequence(Qt::Key_X), QKeySequence(Qt::Key_Space), QKeySequence(Qt::Key_1)}),
            &QAction::triggered, this, [&] { ++fired; });
        connect(button, &QPushButton::clicked, this, [&] { ++pressed; });
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        const auto hit = [&](int key) { QTest::keyClick(window.windowHandle(), Qt::Key(key)); };
        line->setFocus();
        for (const int key : {Qt::Key_X, Qt::Key_Space, Qt::Key_1}) hit(key);
        QCOMPARE(line->text().toLower(), QString("x 1"));
        number->setFocus();
        hit(Qt::Key_X);
        QCOMPARE(fired, 0);
        button->setFocus();
        hit(Qt::Key_Space); // the button takes this key itself
        QCOMPARE(pressed, 1);
        QCOMPARE(fired, 0);
        hit(Qt::Key_X);
        QCOMPARE(fired, 1);
        qApp->removeEventFilter(&guard);
    }
};

int main(int argc, char** argv) {
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QApplication program(argc, argv);
    QLocale::setDefault(QLocale::c());
    ActionsTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "actions_test.moc"
