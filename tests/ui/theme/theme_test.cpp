// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/theme.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QDBusVariant>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QTreeWidget>

#include <algorithm>
#include <cmath>

using namespace denoir;
using namespace denoir::ui;

class ThemeTest : public QObject {
    Q_OBJECT
private slots:
    void colours_are_readable() {
        for (const Colours* c : {&light_colours(), &dark_colours()}) {
            const auto readable = [](const QColor& ink, const QColor& ground) {
                QVERIFY2(contrast(ink, ground) >= 4.5, qPrintable(ink.name() + " on " + ground.name()));
            };
            for (const QColor& ground : {c->canvas, c->window, c->panel, c->field, c->raised, c->hover, c->selection})
                for (const QColor& ink : {c->text, c->quiet, c->error}) readable(ink, ground);
            for (const QColor& ground : {c->panel, c->field, c->selection})
                for (const QColor& ink : {c->warning, c->a, c->b}) readable(ink, ground);
            QVERIFY(contrast(c->accent, c->on_accent) >= 4.5);
            // On these surfaces a border is a control's only mark.
            for (const QColor& ground : {c->window, c->panel, c->field})
                QVERIFY2(contrast(c->edge, ground) >= 3, qPrintable(c->edge.name() + " on " + ground.name()));
            for (const QColor& grey : {c->canvas, c->window, c->panel, c->field})
                QCOMPARE(grey.saturation(), 0); // pictures are judged on it, so it must be neutral
        }
        QCOMPARE(contrast(Qt::black, Qt::white), 21.0);
    }

    /// GNOME's light style means "no preference", so leaving the dark style must be noticed, too.
    void the_desktop_is_followed_back() {
        const bool dark_before = qApp->palette().color(QPalette::Window).lightness() < 128;
        Theme theme(*qApp);
        QCOMPARE(theme.dark(), dark_before);
        const auto says = [&theme](uint scheme) {
            return QMetaObject::invokeMethod(&theme, "desktop_changed", Q_ARG(QString, "org.freedesktop.appearance"),
                                             Q_ARG(QString, "color-scheme"),
                                             Q_ARG(QDBusVariant, QDBusVariant(QVariant(scheme))));
        };
        for (const auto& [scheme, dark] : {std::pair{1U, true}, {0U, dark_before}, {1U, true}, {2U, false}}) {
            QVERIFY(says(scheme));
            QCOMPARE(theme.dark(), dark);
        }
    }

    /// If a press elsewhere closes the menu, Qt does not say that the pointer has left the button.
    void a_button_does_not_look_touched_when_its_menu_has_closed() {
        Theme theme(*qApp);
        QWidget window;
        QToolButton button(&window);
        QMenu menu(&button);
        menu.addAction(QStringLiteral("an entry"));
        button.setMenu(&menu);
        window.resize(400, 300);
        window.move(20, 20);
        button.setGeometry(20, 20, 100, 30);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        for (const bool touched : {true, false}) {
            QCursor::setPos(window.mapToGlobal(touched ? button.geometry().center() : QPoint(420, 320)));
            QTRY_COMPARE(button.underMouse(), touched);
            menu.popup(window.mapToGlobal(QPoint(20, 60)));
            QTRY_VERIFY(menu.isVisible());
            button.setAttribute(Qt::WA_UnderMouse); // as Qt left it when the button was pressed
            menu.close();
            QTest::qWait(50);
            QCOMPARE(button.underMouse(), touched);
        }
    }

    void heads_stand_over_their_columns() {
        Theme theme(*qApp);
        theme.set_scheme(Scheme::dark);
        QTreeWidget table;
        table.setFocusPolicy(Qt::NoFocus);
        table.setRootIsDecorated(false);
        table.setColumnCount(2);
        table.setHeaderLabels({"M", "M"});
        new QTreeWidgetItem(&table, {"M", "M"});
        table.resize(300, 100);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        // How far from the left edge of its column the letter begins.
        const auto first_ink = [](const QImage& picture) {
            const QColor ground = picture.pixelColor(0, picture.height() / 2);
            for (int x = 0; x < picture.width(); ++x)
                for (int y = 2; y < picture.height() - 2; ++y)
                    if (std::abs(picture.pixelColor(x, y).lightness() - ground.lightness()) > 30) return x;
            return -1;
        };
        for (const int column : {0, 1}) {
            const QRect item = table.visualItemRect(table.topLevelItem(0));
            const int left = table.header()->sectionPosition(column), width = table.header()->sectionSize(column);
            const int head =
                first_ink(table.header()->viewport()->grab({left, 0, width, table.header()->height()}).toImage());
            const int text = first_ink(table.viewport()->grab({left, item.top(), width, item.height()}).toImage());
            QVERIFY(head >= 0 && text >= 0);
            QVERIFY2(std::abs(head - text) <= 1, qPrintable(QStringLiteral("%1 and %2").arg(head).arg(text)));
        }
    }

    /// The corner between two scroll bars is empty, and the selection in a list looks as in a menu.
    void parts_that_qt_draws_are_the_themes() {
        Theme theme(*qApp);
        theme.set_scheme(Scheme::light);
        QTreeWidget table;
        for (int i = 0; i < 50; ++i) new QTreeWidgetItem(&table, {QString(200, 'x')});
        table.setColumnWidth(0, 1000);
        table.resize(200, 100);
        table.show();
        QVERIFY(table.verticalScrollBar()->isVisible() && table.horizontalScrollBar()->isVisible());
        const QImage whole = table.grab().toImage();
        for (int i = 1; i <= 10; ++i) // from the corner's left edge on
            QCOMPARE(whole.pixelColor(whole.width() - 10, whole.height() - i), light_colours().panel);
        QComboBox combo;
        combo.addItems({"first", "second"});
        combo.show();
        combo.showPopup();
        QVERIFY(QTest::qWaitForWindowExposed(combo.view()->window()));
        const QImage list = combo.view()->viewport()->grab().toImage();
        const int middle = combo.view()->visualRect(combo.model()->index(0, 0)).center().y();
        QCOMPARE(list.pixelColor(list.width() - 8, middle), light_colours().selection);
        combo.hidePopup();
    }

    /// How much is left must be visible, too: the rest of the bar stands out from its surroundings.
    void progress_is_seen_against_the_whole() {
        Theme theme(*qApp);
        QProgressBar bar;
        bar.setTextVisible(false);
        bar.setRange(0, 10);
        bar.setValue(5);
        bar.resize(160, bar.sizeHint().height());
        bar.show();
        for (const auto& [scheme, c] : {std::pair(Scheme::light, &light_colours()), {Scheme::dark, &dark_colours()}}) {
            theme.set_scheme(scheme);
            const QImage picture = bar.grab().toImage();
            const QColor done = picture.pixelColor(40, picture.height() / 2),
                         rest = picture.pixelColor(120, picture.height() / 2);
            QCOMPARE(done, c->accent);
            QVERIFY2(contrast(rest, c->window) >= 1.4, qPrintable(rest.name()));
            QVERIFY2(contrast(rest, done) >= 2, qPrintable(rest.name()));
        }
    }

    /// The list has one surface and one line around it, as a menu has.
    void the_list_of_a_combo_box_is_one_surface() {
        Theme theme(*qApp);
        QComboBox combo;
        combo.addItems({"first", "second", "third"});
        combo.show();
        for (const auto& [scheme, c] : {std::pair(Scheme::light, &light_colours()), {Scheme::dark, &dark_colours()}}) {
            theme.set_scheme(scheme);
            combo.showPopup();
            QWidget* popup = combo.view()->window();
            QVERIFY(QTest::qWaitForWindowExposed(popup));
            const QImage list = popup->grab().toImage();
            const int right = list.width() - 1, bottom = list.height() - 1;
            for (const int y : {1, 2, 3, bottom - 3, bottom - 2, bottom - 1})
                for (const int x : {1, 3, right / 2, right - 1}) QCOMPARE(list.pixelColor(x, y), c->panel);
            for (int x = 0; x <= right; ++x)
                QVERIFY(list.pixelColor(x, 0) == c->rim && list.pixelColor(x, bottom) == c->rim);
            for (int y = 0; y <= bottom; ++y)
                QVERIFY(list.pixelColor(0, y) == c->rim && list.pixelColor(right, y) == c->rim);
            combo.hidePopup();
        }
    }

    void tool_tips_are_shown_to_the_letter() {
        Theme theme(*qApp);
        QWidget window;
        window.show();
        QToolTip::showText({10, 10}, QStringLiteral("<b>A fox</b> in the snow"), &window);
        QCOMPARE(QToolTip::text(), QStringLiteral("<b>A fox</b> in the snow"));
        const QWidgetList all = QApplication::topLevelWidgets();
        const auto tip = std::ranges::find_if(all, [](QWidget* w) { return w->inherits("QTipLabel"); });
        QVERIFY(tip != all.end());
        QCOMPARE(qobject_cast<QLabel*>(*tip)->textFormat(), Qt::PlainText);
    }

    void style_sheets_leave_no_placeholder() {
        for (const Colours* c : {&light_colours(), &dark_colours()}) {
            const QString sheet = style_sheet_of(*c);
            QVERIFY(!sheet.contains('@'));
            QVERIFY(sheet.contains(c->accent.name()));
        }
    }
};

QTEST_MAIN(ThemeTest)
#include "theme_test.moc"
