// SPDX-License-Identifier: Apache-2.0
// The window for who works by keyboard and has it read aloud: every widget that takes the focus has a name and a role.
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QSet>
#include <QSignalSpy>
#include <QTabBar>
#include <QToolButton>
#include <QWheelEvent>

#include "app/base/text.h"
#include "app/request/model_catalogue.h"
#include "app/request/request_document.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "tests/app/clips.h"
#include "tests/app/fake_runs.h"
#include "tests/ui/fields.h"
#include "tests/ui/studio_fixture.h"
#include "tests/ui/window/window_tools.h"
#include "ui/preview/preview_view.h"
#include "ui/preview/scrubber.h"
#include "ui/tune/sweep_grid.h"
#include "ui/widgets/announcer.h"
#include "ui/widgets/banner.h"

using namespace denoir;
using namespace denoir::ui;

class AccessibleTest : public QObject {
    Q_OBJECT

    static QString described(const QWidget& widget, const QAccessibleInterface& face) {
        QStringList path;
        for (const QWidget* w = &widget; w && !w->isWindow(); w = w->parentWidget())
            path.prepend(QLatin1String(w->metaObject()->className()) + '#' + w->objectName());
        return path.join('/') + " role " + QString::number(face.role()) + " name '" + face.text(QAccessible::Name) +
               "' value '" + face.text(QAccessible::Value) + "' says '" + face.text(QAccessible::Description) + '\'';
    }

    /// The widgets that take the focus and that a screen reader could not tell apart.
    static QStringList nameless(QWidget& window) {
        QStringList out;
        for (QWidget* widget : window.findChildren<QWidget*>()) {
            if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus) || widget->focusProxy()) continue;
            QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
            const bool own = widget->metaObject() != &QWidget::staticMetaObject;
            // Beside a label the name of a combo box is its current value, and a screen reader reads the label out.
            const auto* box = qobject_cast<QComboBox*>(widget);
            const bool chosen = box && !box->isEditable() &&
                                (!face->text(QAccessible::Description).startsWith(box->currentText()) ||
                                 (face->relations(QAccessible::Label).isEmpty() && widget->accessibleName().isEmpty()));
            if (face->text(QAccessible::Name).isEmpty() || chosen || (own && face->role() == QAccessible::Client))
                out << described(*widget, *face);
        }
        return out;
    }

    /// The fields that a wheel above them changes although they do not have the focus.
    static QStringList changed_by_the_wheel(QWidget& window) {
        QStringList out;
        for (QWidget* field : window.findChildren<QWidget*>()) {
            const auto* box = qobject_cast<QComboBox*>(field);
            const auto* number = qobject_cast<QAbstractSpinBox*>(field);
            if (!field->isVisible() || field->hasFocus() || !(box || number)) continue;
            const auto text = [&] { return box ? box->currentText() : number->text(); };
            const QString before = text();
            for (const int notch : {-120, 120}) {
                const QPointF at(field->width() / 2.0, field->height() / 2.0);
                QWheelEvent wheel(at, field->mapToGlobal(at), {}, {0, notch}, Qt::NoButton, Qt::NoModifier,
                                  Qt::NoScrollPhase, false);
                QApplication::sendEvent(field, &wheel);
                if (text() != before || field->hasFocus()) out << field->objectName() + ' ' + before + ' ' + text();
            }
        }
        out.removeDuplicates();
        return out;
    }

private slots:
    /// What appears by itself, such as a notification, must be announced.
    void what_happens_is_said() {
        const app::Home home;
        StudioFixture studio;
        studio.core().document.load(app::tiny_request());
        QVERIFY(studio.core().document.wait_resolved(20000));
        studio.window().banners().show_banner("b", Banners::Kind::info, "a banner");
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(studio.idle());
        const auto said_by = [](const QWidget& by) {
            auto* announcer = by.findChild<Announcer*>();
            const QAccessibleInterface* face = QAccessible::queryAccessibleInterface(announcer);
            return face && face->role() == QAccessible::Notification ? face->text(QAccessible::Name) : QString();
        };
        auto* status = studio.find<QWidget>("status-line");
        QTRY_COMPARE_WITH_TIMEOUT(said_by(*status), QString("A video is ready: A red balloon."), 5000);
        QCOMPARE(said_by(studio.window().banners()), QString("a banner"));
        studio.window().say("a word");
        QCOMPARE(said_by(*status), QString("a word"));
    }

    void whatever_takes_the_focus_has_a_name_and_a_role() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 96, 64, 6);
        app::write_clip(home.file("b.mp4"), 96, 64, 6, 3);
        StudioFixture studio(Layout::create, Scheme::dark, {1600, 1000});
        studio.core().document.load(app::tiny_request());
        QVERIFY(studio.core().document.wait_resolved(20000));
        auto& window = studio.window();
        for (auto* dock : window.findChildren<QDockWidget*>()) dock->show();
        QTest::qWait(50);
        QStringList wrong = nameless(window) + changed_by_the_wheel(window);

        studio.key(Qt::Key_2, Qt::ControlModifier);
        auto& preview = window.preview();
        preview.show_clip(app::Side::a, home.file("a.mp4"));
        preview.show_clip(app::Side::b, home.file("b.mp4"));
        QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::b), 20000);
        for (const CompareMode mode : {CompareMode::difference, CompareMode::onion, CompareMode::wipe}) {
            preview.set_mode(mode);
            QTest::qWait(50);
            wrong << nameless(window) << changed_by_the_wheel(window);
        }

        studio.key(Qt::Key_3, Qt::ControlModifier);
        auto& sweeps = studio.core().sweeps();
        sweeps.axes().set_all({{"steps", "1, 2"}, {"seed", "1, 2"}, {"guidance", "1, 2"}}, {});
        QTRY_VERIFY_WITH_TIMEOUT(!sweeps.outlook().pending && sweeps.outlook().clips == 8, 20000);
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(sweeps.shown() && sweeps.progress().done == 8, 60000);
        QVERIFY(studio.idle());
        QTest::qWait(100);
        wrong << nameless(window) << changed_by_the_wheel(window);
        // The grid announces what its current cell holds, also when that changes.
        QAccessibleInterface* grid = QAccessible::queryAccessibleInterface(studio.find<SweepGrid>("sweep-grid"));
        QCOMPARE(grid->role(), QAccessible::Table);
        const QString first = grid->text(QAccessible::Value);
        QVERIFY2(first.contains("steps 1"), qPrintable(first));
        studio.key(Qt::Key_Down);
        QVERIFY(grid->text(QAccessible::Value).contains("steps 2"));
        studio.key(Qt::Key_S);
        QVERIFY(grid->text(QAccessible::Value).contains("starred"));
        wrong.removeDuplicates();
        QVERIFY2(wrong.isEmpty(), qPrintable('\n' + wrong.join('\n')));
    }

    /// The whole name without the mark of a change; the choice for an axis is named by the text before it.
    void fields_are_called_by_their_whole_names() {
        const app::Home home;
        StudioFixture studio;
        studio.core().document.load(app::tiny_request());
        QVERIFY(studio.core().document.wait_resolved(20000));
        const auto called = [&](const char* name) {
            QStringList names;
            QAccessibleInterface* face = QAccessible::queryAccessibleInterface(studio.find<QWidget>(name));
            for (const auto& [label, relation] : face->relations(QAccessible::Label))
                names << label->text(QAccessible::Name);
            return names.join('|');
        };
        studio.core().document.set_value("frames", 9);
        const auto* field = field_of(studio.find<QWidget>("frames"));
        QTRY_COMPARE(field->label()->text(), QString::fromUtf8("• Frames"));
        QCOMPARE(called("frames"), QString("Frames"));
        studio.window().layouts().show(Layout::tune);
        auto& axes = studio.core().sweeps().axes();
        axes.set_all({{"steps", "1, 2"}}, {});
        QCOMPARE(called("axis-0-field"), QString("What varies"));
        axes.set_all({{"steps", "1, 2"}, {"seed", "1, 2"}}, {});
        QCOMPARE(called("axis-0-field"), QString("What varies: rows"));
        QCOMPARE(called("axis-1-field"), QString("What varies: columns"));
    }

    /// A row shows state, step, failure and what to do about it as a picture. Its prompt alone would say none of these.
    void rows_say_all_that_is_painted() {
        const app::Home home;
        QDir().mkpath(home.data("runs"));
        const QString run = app::to_qstring(app::fake_run(app::to_path(home.data("runs")), 1234, false));
        StudioFixture studio;
        const auto spoken = [&](const char* list) {
            QAccessibleInterface* face = QAccessible::queryAccessibleInterface(studio.find<QListView>(list));
            const QAccessibleInterface* row = face->child(0);
            return row ? row->text(QAccessible::Name) : QString();
        };
        const auto says = [&](const char* list, const QStringList& all) {
            const QString text = spoken(list);
            for (const QString& words : all)
                if (words.isEmpty() || !text.contains(words)) return QString(words + " in " + text);
            return QString();
        };
        auto& history = studio.core().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 1, 30000);
        history.set_starred(run, true);
        QCOMPARE(says("runs", {"seed 1234", "starred", "CFG 5", " f"}), QString());

        app::RequestDocument::Snapshot wrong{app::tiny_request(), {}};
        wrong.request.image = home.file("none.png").toStdString();
        auto& queue = studio.core().queue;
        queue.set_paused(true);
        queue.add(wrong);
        QCOMPARE(says("queue", {"waits", "seed"}), QString());
        queue.set_paused(false);
        QVERIFY(studio.idle());
        const auto issue = queue.index(0).data(app::RunQueue::IssueRole).value<app::Issue>();
        QCOMPARE(says("queue", {app::tiny_request().prompt.c_str(), issue.message, issue.hint}), QString());

        auto& models = studio.core().models;
        models.set_folders({QStringLiteral(DENOIR_TINY_MODEL)});
        QVERIFY(models.wait_looked(20000));
        const int row = models.row_of(QStringLiteral(DENOIR_TINY_MODEL));
        QVERIFY(row >= 0);
        studio.core().document.set_value("model", QStringLiteral(DENOIR_TINY_MODEL));
        const QModelIndex model = studio.find<QListView>("models")->model()->index(row, 0);
        const QString text = model.data(Qt::AccessibleTextRole).toString();
        QVERIFY2(text.contains("in use") && text.contains(model.data(app::ModelCatalogue::FitsTextRole).toString()),
                 qPrintable(text));
    }

    /// When another layout replaces the widget with the focus, the focus goes to the main widget there, and later back
    /// to where it was.
    void the_focus_outlives_another_layout() {
        const app::Home home;
        StudioFixture studio;
        studio.core().document.load(app::tiny_request());
        QVERIFY(studio.core().document.wait_resolved(20000));
        auto* prompt = studio.find<QWidget>("prompt");
        auto* first = studio.find<QLineEdit>("axis-0-values");
        prompt->setFocus();
        studio.key(Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(qApp->focusWidget(), static_cast<QWidget*>(&studio.window().preview()));
        studio.key(Qt::Key_3, Qt::ControlModifier);
        QCOMPARE(qApp->focusWidget(), static_cast<QWidget*>(first));
        studio.key(Qt::Key_1, Qt::ControlModifier);
        QCOMPARE(qApp->focusWidget(), prompt);
        studio.key(Qt::Key_3, Qt::ControlModifier);
        QCOMPARE(qApp->focusWidget(), static_cast<QWidget*>(first));
    }

    /// The left column, the middle and the right column, wherever the docks are, and tabs before what they show.
    void tab_goes_as_the_eye_does() {
        const app::Home home;
        StudioFixture studio;
        studio.core().document.load(app::tiny_request());
        QVERIFY(studio.core().document.wait_resolved(20000));
        auto& window = studio.window();
        const auto place = [&](const QWidget* at) -> QString {
            if (qobject_cast<const QTabBar*>(at)) return "tabs";
            for (; at; at = at->parentWidget())
                if (at->parentWidget() == &window) break;
            return at == window.centralWidget() ? "middle" : at ? at->objectName().section('-', 0, 0) : QString();
        };
        const auto tour = [&](const char* first) {
            studio.find<QWidget>(first)->setFocus();
            const QWidget* begin = qApp->focusWidget();
            QStringList places;
            do {
                if (const QString here = place(qApp->focusWidget()); places.isEmpty() || places.last() != here)
                    places << here;
                studio.key(Qt::Key_Tab);
            } while (qApp->focusWidget() != begin && places.size() < 40);
            return places.join(' ');
        };
        QTest::qWait(50);
        QCOMPARE(tour("prompt"), QString("prompt images parameters middle timeline runs tabs queue"));
        window.addDockWidget(Qt::LeftDockWidgetArea, studio.find<QDockWidget>("runs-dock"));
        studio.find<QDockWidget>("images-dock")->hide();
        QTest::qWait(50);
        QCOMPARE(tour("prompt"), QString("prompt parameters runs middle timeline tabs queue"));
        studio.key(Qt::Key_2, Qt::ControlModifier);
        QTest::qWait(50);
        QCOMPARE(tour("runs-search"), QString("runs differences middle tabs metrics"));
        studio.key(Qt::Key_3, Qt::ControlModifier);
        QTest::qWait(50);
        QCOMPARE(tour("prompt"), QString("prompt images parameters middle queue"));

        // The button for the default comes behind the field that was changed.
        studio.key(Qt::Key_1, Qt::ControlModifier);
        auto* frames = studio.find<QWidget>("frames");
        studio.core().document.set_value("frames", 9);
        auto* reset = field_of(frames)->findChild<QToolButton*>("reset");
        QTRY_VERIFY(reset->isVisible());
        frames->setFocus();
        studio.key(Qt::Key_Tab);
        QCOMPARE(qApp->focusWidget(), static_cast<QWidget*>(reset));
        studio.key(Qt::Key_Tab);
        QCOMPARE(qApp->focusWidget(), studio.find<QWidget>("steps"));
    }

    /// Something must change where the focus goes.
    void the_focus_is_seen_wherever_it_is() {
        const app::Home home;
        const QString a = listed_run(home, "a", 2, 1), b = listed_run(home, "b", 2, 2);
        StudioFixture studio;
        studio.core().document.load(app::tiny_request());
        QVERIFY(studio.core().document.wait_resolved(20000));
        auto& queue = studio.core().queue;
        queue.set_paused(true);
        queue.add({app::tiny_request(), {}});
        auto& window = studio.window();
        QStringList unseen;
        const auto tour = [&](const char* first) {
            studio.find<QWidget>(first)->setFocus();
            QTest::qWait(50);
            QSet<const QWidget*> seen;
            for (;;) {
                const QImage before = window.grab().toImage();
                studio.key(Qt::Key_Tab);
                const QWidget* at = qApp->focusWidget();
                if (seen.contains(at)) break;
                seen.insert(at);
                const QRect place(at->mapTo(&window, QPoint(0, 0)), at->size());
                if (window.grab().toImage().copy(place) == before.copy(place))
                    unseen << at->metaObject()->className() + ('#' + at->objectName());
            }
        };
        tour("prompt");
        studio.key(Qt::Key_2, Qt::ControlModifier);
        tour("runs-search"); // with nothing to compare
        window.viewer().compare(a, b);
        QTRY_VERIFY_WITH_TIMEOUT(window.preview().info(app::Side::a) && window.preview().info(app::Side::b), 20000);
        window.preview().player().pause();
        tour("runs-search");
        unseen.removeDuplicates();
        QVERIFY2(unseen.isEmpty(), qPrintable(unseen.join('\n')));
    }

    /// A dock behind the tab of another one is not on the screen.
    void tab_goes_only_where_one_sees_it() {
        const app::Home home;
        StudioFixture studio;
        auto& window = studio.window();
        QVERIFY(studio.find<QWidget>("queue-dock")->isVisible());
        studio.find<QWidget>("prompt")->setFocus();
        QSet<const QWidget*> seen;
        for (const QWidget* at = qApp->focusWidget(); !seen.contains(at); at = qApp->focusWidget()) {
            seen.insert(at);
            QVERIFY2(!at->visibleRegion().isEmpty(), qPrintable(at->objectName()));
            studio.key(Qt::Key_Tab);
        }
        QVERIFY(seen.size() > 20);
        // Once it is in front it can be reached.
        auto* models = studio.find<QDockWidget>("models-dock");
        models->raise();
        QTRY_VERIFY(models->widget()->isVisible());
        QVERIFY(window.rect().contains(models->widget()->mapTo(&window, models->widget()->rect().center())));
    }

    /// Sixteen values a second would drown everything else.
    void playing_is_not_read_aloud() {
        const app::Home home;
        app::write_clip(home.file("a.mp4"), 96, 64, 24);
        StudioFixture studio;
        auto& preview = studio.window().preview();
        preview.show_clip(app::Side::a, home.file("a.mp4"));
        // Its first picture says how large it is shown, which would count as a change while it plays.
        QTRY_VERIFY_WITH_TIMEOUT(!preview.canvas().picture_rect().isEmpty(), 20000);
        auto* line = preview.findChild<Scrubber*>();
        // A screen reader is told every value of a slider.
        QSignalSpy said(line, &QAbstractSlider::valueChanged);
        auto& player = preview.player();
        const auto labels = preview.findChildren<QLabel*>();
        QStringList before;
        for (const QLabel* label : labels) before << label->text();
        player.play();
        QTRY_VERIFY(player.frame() > 4);
        QTRY_COMPARE(line->sliderPosition(), player.frame());
        QVERIFY(said.isEmpty());
        player.pause();
        // Qt announces every text of a label that has no name.
        int running = 0;
        for (qsizetype i = 0; i < labels.size(); ++i) {
            if (labels[i]->text() == before[i]) continue;
            ++running;
            QVERIFY2(!labels[i]->accessibleName().isEmpty(), qPrintable(labels[i]->text()));
        }
        QVERIFY(running >= 2); // the time and the frame
        QCOMPARE(said.count(), 1);
        QCOMPARE(line->value(), player.frame());
        // Whoever moves to it meanwhile hears the position.
        player.go_to(0);
        player.play();
        QTRY_VERIFY(player.frame() > 4);
        line->setFocus();
        QVERIFY(line->value() > 4);
    }
};

QTEST_MAIN(AccessibleTest)
#include "accessible_test.moc"
