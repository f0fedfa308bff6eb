// SPDX-License-Identifier: Apache-2.0
// Fields, banners, and the dialog that asks where to save.
#include <QAbstractItemView>
#include <QApplication>
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QTreeView>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <cmath>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "engine/media/frames.h"
#include "tests/app/home.h"
#include "tests/ui/fields.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/elided_combo.h"
#include "ui/widgets/elided_edit.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/literal.h"
#include "ui/widgets/open_dialog.h"
#include "ui/widgets/page_area.h"
#include "ui/widgets/save_dialog.h"
#include "ui/widgets/wrapped_lines.h"

using namespace denoir;
using namespace denoir::ui;

namespace {

/// A page that wants another height each time it is asked.
class RestlessPage : public QWidget {
public:
    QSize minimumSizeHint() const override { return {100, 400 + 37 * (++asked_ % 11)}; }

private:
    mutable int asked_ = 0;
};

} // namespace

class WidgetsTest : public QObject {
    Q_OBJECT
private slots:
    void marks_of_keys_are_no_text_and_ampersands_are() {
        QCOMPARE(plain_text(QStringLiteral("Save &as")), QStringLiteral("Save as"));
        QCOMPARE(plain_text(literal(QStringLiteral("a&b && c"))), QStringLiteral("a&b && c"));
        QCOMPARE(plain_text(QStringLiteral("&")), QString());
    }

    /// Text that does not fit must not end without a sign.
    void wrapped_lines_say_that_there_is_more() {
        const QString text = QStringLiteral("not a safetensors file, or a damaged one");
        const QFont font = QApplication::font();
        const int width = QFontMetrics(font).horizontalAdvance(QStringLiteral("safetensors file, "));
        const QStringList all = wrapped_lines(text, font, width, 9), some = wrapped_lines(text, font, width, 2);
        QCOMPARE(all.join(QLatin1Char(' ')), text);
        QVERIFY(all.size() > 2);
        QCOMPARE(some.size(), 2);
        QCOMPARE(some[0], all[0]);
        QVERIFY2(some[1].endsWith(QChar(0x2026)), qPrintable(some[1]));
        for (const QString& line : all + some) QVERIFY(QFontMetrics(font).horizontalAdvance(line) <= width);
        QVERIFY(wrapped_lines({}, font, width, 3).join(QString()).isEmpty());
    }

    /// In a low dock the words come before their picture, and words that are cut off can still be read.
    void an_empty_dock_shows_its_words() {
        const QString words = QStringLiteral("Runs wait here for the engine. Generate adds one.");
        EmptyState empty(QStringLiteral("queue"), words);
        const QList<QLabel*> labels = empty.findChildren<QLabel*>();
        const QLabel *picture = labels[0], *text = labels[1];
        QCOMPARE(text->text(), words);
        const auto cut = [&] { return text->height() < text->heightForWidth(text->width()); };
        empty.resize(300, 200);
        empty.show();
        QVERIFY(picture->isVisible() && !cut() && empty.toolTip().isEmpty());
        empty.resize(300, text->heightForWidth(text->width()) + 24);
        QTRY_VERIFY(!cut());
        QVERIFY(!picture->isVisible() && empty.toolTip().isEmpty());
        empty.resize(100, 30);
        QCOMPARE(empty.toolTip(), words);
        empty.resize(300, 200);
        QVERIFY(picture->isVisible() && empty.toolTip().isEmpty());
    }

    /// For a name with a dot of its own Qt would not ask and would overwrite the file.
    void a_file_that_is_there_is_asked_about() {
        const app::Home home;
        app::Settings settings;
        settings.set_value("window/save_folder", home.path());
        QWidget window;
        window.show();
        QFile there(home.file("take 2.1.mp4"));
        QVERIFY(there.open(QIODevice::WriteOnly));
        QStringList saved;
        for (const auto answer : {QMessageBox::No, QMessageBox::Yes}) {
            ask_where_to_save(&window, settings, "Save", "clip", "Video (*.mp4)",
                              [&](const QString& file) { saved << file; });
            auto* dialog = window.findChild<QFileDialog*>();
            QVERIFY(dialog);
            dialog->selectFile("take 2.1");
            static_cast<QDialog*>(dialog)->accept();
            auto* box = window.findChild<QMessageBox*>();
            QVERIFY(box && !box->isModal());
            QVERIFY(saved.isEmpty());
            box->button(answer)->click();
            QTRY_VERIFY(!window.findChild<QMessageBox*>() && !window.findChild<QFileDialog*>());
        }
        QCOMPARE(saved, QStringList{home.file("take 2.1.mp4")});
    }

    /// Sizes, kinds and dates of files can be read to their ends, whatever widths Qt has stored from another dialog.
    void files_are_described_in_full() {
        const app::Home home;
        app::Settings settings;
        settings.set_value("window/save_folder", home.path());
        QFile there(home.file("clip.mp4"));
        QVERIFY(there.open(QIODevice::WriteOnly) && there.write(QByteArray(31289, 'x')) == 31289);
        there.close();
        QWidget window;
        window.show();
        const auto list = [&] { return window.findChild<QFileDialog*>()->findChild<QTreeView*>("treeView"); };
        for (const bool again : {false, true}) {
            ask_where_to_save(&window, settings, "Save", "clip", "Video (*.mp4)", [](const QString&) {});
            const QAbstractItemView& view = *list();
            QTRY_VERIFY(view.model()->rowCount(view.rootIndex()) > 0);
            for (const int column : {1, 2, 3}) {
                if (again)
                    QTRY_VERIFY2(list()->columnWidth(column) >= view.sizeHintForColumn(column),
                                 qPrintable(QStringLiteral("%1: %2").arg(column).arg(list()->columnWidth(column))));
                list()->header()->setSectionResizeMode(column, QHeaderView::Interactive);
                list()->header()->resizeSection(column, 30); // Qt stores these widths
            }
            window.findChild<QFileDialog*>()->reject();
            QTRY_VERIFY(!window.findChild<QFileDialog*>());
        }
    }

    /// The dialog comes to the front, and its answer goes to the last one who asked.
    void a_dialog_that_is_asked_for_again_is_one() {
        const app::Home home;
        app::Settings settings;
        settings.set_value("window/save_folder", home.path());
        QWidget window;
        window.show();
        QStringList answers;
        for (const char* who : {"first", "second"})
            ask_where_to_save(&window, settings, "Clip", "clip", "Video (*.mp4)",
                              [&answers, who](const QString&) { answers << who; });
        ask_to_open(&window, settings, "Clip", {}, [&](const QStringList&) { answers << "opened"; });
        QCOMPARE(window.findChildren<QFileDialog*>().size(), 2); // one for saving and one for opening
        for (auto* dialog : window.findChildren<QFileDialog*>())
            if (dialog->acceptMode() == QFileDialog::AcceptSave) static_cast<QDialog*>(dialog)->accept();
        QCOMPARE(answers, QStringList{"second"});
    }

    void what_is_listed_as_pictures_can_be_read() {
        for (const QString& ending : picture_endings.split(' '))
            QVERIFY2(is_frame_name(app::to_path("a" + ending.mid(1))), qPrintable(ending));
        for (const QString& ending : video_endings.split(' '))
            QVERIFY2(!is_frame_name(app::to_path("a" + ending.mid(1))), qPrintable(ending));
    }

    /// What only looks like the beginning of an extension is a part of the name.
    void a_name_with_a_dot_gets_its_ending() {
        const app::Home home;
        app::Settings settings;
        settings.set_value("window/save_folder", home.path());
        QWidget window;
        window.show();
        QString saved;
        for (const auto& [name, file] : {std::pair{"shot 1.m", "shot 1.m.mp4"}, {"shot 1.MKV", "shot 1.MKV"}}) {
            ask_where_to_save(&window, settings, "Save", "clip", "Video (*.mp4 *.mkv)",
                              [&](const QString& chosen) { saved = chosen; });
            auto* dialog = window.findChild<QFileDialog*>();
            dialog->selectFile(name);
            static_cast<QDialog*>(dialog)->accept();
            QCOMPARE(saved, home.file(file));
            QTRY_VERIFY(!window.findChild<QFileDialog*>());
        }
    }

    void number_field_snaps_scrubs_and_marks() {
        auto* edit = new NumberEdit(1, 1001, 4, 0);
        edit->set_snap([](double v) { return 4 * std::round((v - 1) / 4) + 1; });
        Field field("Frames", edit);
        field.label()->set_scrubbable(true);
        connect(field.label(), &ScrubLabel::scrubbed, edit, [edit](int n) { edit->stepBy(n); });
        field.resize(300, 40);
        field.show();
        edit->show_value(33);
        QSignalSpy edited(edit, &NumberEdit::edited);
        QSignalSpy reset(&field, &Field::reset_asked);
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, "40");
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(edit->value(), 41.0);
        QCOMPARE(edited.last()[0].toDouble(), 41.0);
        QTest::mousePress(field.label(), Qt::LeftButton, {}, {5, 5});
        QTest::mouseMove(field.label(), {5 + 24, 5});
        QTest::mouseRelease(field.label(), Qt::LeftButton, {}, {29, 5});
        QCOMPARE(edit->value(), 53.0);
        QWheelEvent wheel({5, 5}, edit->mapToGlobal(QPointF(5, 5)), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        edit->clearFocus();
        QApplication::sendEvent(edit, &wheel);
        QCOMPARE(edit->value(), 53.0);
        field.set_default("33", true);
        auto* button = field.findChild<QToolButton*>();
        QVERIFY(button->isVisible());
        QCOMPARE(button->text(), QString("33"));
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(reset.count(), 1);
        field.set_error("too many");
        QVERIFY(shows_error(&field) && edit->property("invalid").toBool());
        field.set_error({});
        QVERIFY(!shows_error(&field));
    }

    void seconds_may_be_typed_for_frames() {
        NumberEdit edit(1, 1001, 4, 0);
        edit.setLocale(QLocale(QLocale::English));
        edit.set_snap([](double v) { return 4 * std::round((v - 1) / 4) + 1; });
        edit.set_unit(" frames");
        edit.set_typed_unit("s", [](double seconds) { return std::round(seconds * 24); });
        edit.resize(200, 30);
        edit.show();
        const auto type = [&](const char* text) {
            edit.setFocus();
            edit.selectAll();
            QTest::keyClicks(&edit, text);
            QTest::keyClick(&edit, Qt::Key_Return);
            return edit.value();
        };
        QCOMPARE(type("2 s"), 49.0);
        QCOMPARE(edit.text(), QString("49 frames"));
        QCOMPARE(type("1.5s"), 37.0);
        QCOMPARE(type("0,5 s"), 13.0);
        QCOMPARE(type("33"), 33.0);
        QCOMPARE(type("1000 s"), 1001.0); // the longest clip
        QCOMPARE(type("9"), 9.0);
    }

    void one_has_a_unit_of_its_own() {
        NumberEdit edit(1, 1001, 1, 0);
        edit.set_unit(" latent frames", " latent frame");
        edit.resize(200, 30);
        edit.show();
        QCOMPARE(edit.text(), QString("1 latent frame"));
        edit.show_value(2);
        QCOMPARE(edit.text(), QString("2 latent frames"));
        edit.stepBy(-1);
        QCOMPARE(edit.text(), QString("1 latent frame"));
        edit.setFocus();
        edit.selectAll();
        QTest::keyClicks(&edit, "12");
        QTest::keyClick(&edit, Qt::Key_Return);
        QCOMPARE(edit.text(), QString("12 latent frames"));
        edit.show_value(1);
        edit.selectAll();
        QTest::keyClicks(&edit, "9 latent frames"); // replaces the unit for one
        QTest::keyClick(&edit, Qt::Key_Return);
        QCOMPARE(edit.value(), 9.0);
    }

    void a_line_too_long_keeps_its_ends() {
        ElidedLabel label(nullptr, Qt::ElideMiddle);
        label.resize(200, 20);
        label.show();
        const QString text = QStringLiteral("Saved as /") + QString(QStringLiteral("folder/")).repeated(40) + "film";
        label.set_text(text);
        QVERIFY2(label.text().startsWith("Saved") && label.text().endsWith("film"), qPrintable(label.text()));
        QVERIFY(label.fontMetrics().horizontalAdvance(label.text()) <= 200);
        QCOMPARE(label.toolTip(), text);
        label.set_text(QStringLiteral("ready"));
        QCOMPARE(label.text(), QStringLiteral("ready"));
        QCOMPARE(label.toolTip(), QString());
    }

    void the_end_of_a_name_may_stay_whole() {
        ElidedCombo box(Qt::ElideMiddle);
        const QString end = QStringLiteral(" (incomplete)");
        box.addItem(QStringLiteral("Wan2.1-a-name-far-too-long-for-a-box-T2V-1.3B") + end);
        box.keep_end(0, int(end.size()));
        const QString shown = box.shown_text(160);
        QVERIFY2(shown.startsWith("Wan") && shown.endsWith(end), qPrintable(shown));
        QVERIFY(box.fontMetrics().horizontalAdvance(shown) <= 160);
        QCOMPARE(box.shown_text(1000), box.currentText());
    }

    /// In the list when it is open, wherever on the screen that is.
    void names_are_whole_in_the_open_list() {
        ElidedCombo box(Qt::ElideMiddle);
        box.addItem(QStringLiteral("Wan2.1-a-name-far-too-long-for-a-box-T2V-1.3B (incomplete)"));
        box.resize(120, 24);
        box.show();
        box.showPopup();
        const QAbstractItemView& list = *box.view();
        QTRY_VERIFY(list.viewport()->width() >= list.sizeHintForColumn(0));
        QVERIFY(box.screen()->availableGeometry().contains(list.window()->geometry()));
        box.hidePopup();
    }

    /// A part of a text that looks like the whole is worse than dots. In a line that is being edited there are only
    /// letters.
    void a_line_shows_that_it_holds_more() {
        QWidget window;
        auto* column = new QVBoxLayout(&window);
        ElidedEdit edit;
        QLineEdit other;
        column->addWidget(&other);
        column->addWidget(&edit);
        edit.setToolTip("a seed");
        edit.setText("12345678901234567890");
        window.resize(400, 100);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const auto tip = [](QWidget& widget) {
            QToolTip::hideText();
            QHelpEvent asked(QEvent::ToolTip, {2, 2}, widget.mapToGlobal(QPoint(2, 2)));
            QApplication::sendEvent(&widget, &asked);
            return QToolTip::text();
        };
        QCOMPARE(edit.shown_text(), edit.text());
        QCOMPARE(tip(edit), QString("a seed"));
        const QImage whole = edit.grab().toImage();
        window.resize(120, 100);
        QTRY_VERIFY(edit.shown_text() != edit.text());
        QVERIFY2(edit.shown_text().startsWith("123") && edit.shown_text().endsWith(QChar(0x2026)),
                 qPrintable(edit.shown_text()));
        QCOMPARE(tip(edit), QString("12345678901234567890\na seed"));
        // The letters stay where they were.
        const QRect beginning(0, 0, 40, edit.height());
        QCOMPARE(edit.grab().toImage().copy(beginning), whole.copy(beginning));

        ElidedCombo box(Qt::ElideMiddle);
        box.addItem("Wan2.1-a-name-far-too-long-for-a-box-T2V-1.3B");
        box.resize(120, 24);
        QCOMPARE(tip(box), box.currentText());
    }

    /// A value outside the range can be typed, and then the range is shown.
    void a_number_beyond_its_range_tells_the_range() {
        NumberEdit edit(1, 1000, 1, 0);
        edit.set_typed_unit("s", [](double seconds) { return 16 * seconds; });
        edit.show_unknown();
        edit.show();
        QCOMPARE(edit.text(), QStringLiteral("–"));
        edit.show_value(20);
        QCOMPARE(edit.text(), QStringLiteral("20"));
        QSignalSpy limited(&edit, &NumberEdit::limited), edited(&edit, &NumberEdit::edited);
        const auto type = [&edit](const char* text) {
            edit.selectAll();
            QTest::keyClicks(&edit, text);
            QTest::keyClick(&edit, Qt::Key_Return);
        };
        type("5000");
        QCOMPARE(edit.value(), 1000.0);
        QCOMPARE(edited.count(), 1);
        QCOMPARE(limited.count(), 1);
        QCOMPARE(limited[0][0].toString(), QStringLiteral("5000 became 1000: at least 1, at most 1000"));
        type("0");
        QCOMPARE(edit.value(), 1.0);
        QVERIFY(limited.constLast()[0].toString().startsWith("0 became 1:"));
        type("100 s"); // becomes 1600
        QCOMPARE(edit.value(), 1000.0);
        QCOMPARE(limited.count(), 3);
        type("12345"); // the value stays, and the range is shown all the same
        QCOMPARE(limited.count(), 4);
        type("7");
        type("2s");
        QCOMPARE(edit.value(), 32.0);
        QCOMPARE(limited.count(), 4);
        QTest::keyClicks(&edit, "x"); // a text that is no number
        QCOMPARE(edit.cleanText(), QStringLiteral("32"));
    }

    /// Also in a dock that is as low as it can be.
    void what_is_wrong_is_read_to_its_end() {
        QWidget dock;
        auto* column = new QVBoxLayout(&dock);
        auto* field = new Field("After", new QLineEdit);
        column->addWidget(field);
        dock.resize(240, 300);
        dock.show();
        const int before = dock.minimumSizeHint().height();
        field->set_error(
            "It has 9 frames, and the last 17 of them are wanted: choose a longer video, or a smaller overlap.");
        QTest::qWait(10);
        const auto* error = field->findChild<QLabel*>("error");
        QVERIFY(dock.minimumSizeHint().height() >= before + error->heightForWidth(error->width()));
        field->set_error({});
        QTest::qWait(10);
        QCOMPARE(dock.minimumSizeHint().height(), before);
    }

    /// It does not make the dock wider, whatever the file is called.
    void what_is_wrong_makes_nothing_wider() {
        auto* edit = new QLineEdit;
        Field field("LoRA", edit);
        field.resize(240, 60);
        field.show();
        const int least = field.minimumSizeHint().width();
        const QString words = QString("lora_unet_blocks_0_").repeated(4) + " is for a model of another size";
        field.set_error(words);
        QTest::qWait(10);
        QCOMPARE(field.minimumSizeHint().width(), least);
        const auto* error = field.findChild<QLabel*>("error");
        QVERIFY(error->heightForWidth(error->width()) > 3 * error->fontMetrics().lineSpacing()); // nothing is cut off
        QCOMPARE(edit->accessibleDescription(), words);
    }

    /// Qt's own scroll area would call itself until the stack is full.
    void a_page_that_cannot_decide_is_shown() {
        PageArea area;
        area.setWidget(new RestlessPage);
        area.resize(200, 300);
        area.show();
        for (int height = 100; height < 400; height += 10) area.resize(200, height);
        QVERIFY(QTest::qWaitForWindowExposed(&area));
        QVERIFY(area.widget()->height() >= 400);
    }

    /// An error comes first, then what became of the text, then that the value is not the default. Each must be about
    /// the present value.
    void a_field_says_what_holds_now() {
        auto* edit = new QLineEdit;
        Field field("Steps", edit);
        field.set_default("20", true);
        field.set_error("at most 1000");
        QCOMPARE(edit->accessibleDescription(), QString("at most 1000"));
        field.set_error({});
        QCOMPARE(edit->accessibleDescription(), QString("changed; default 20"));
        field.set_hint("17 became 16");
        QCOMPARE(edit->accessibleDescription(), QString("17 became 16"));
        field.set_hint({});
        field.set_default("20", false);
        QCOMPARE(edit->accessibleDescription(), QString());
        field.set_error("<b>x</b> is no number"); // as it was typed
        QCOMPARE(field.findChild<QLabel*>("error")->textFormat(), Qt::PlainText);
    }

    /// If the buttons would leave the words no room, they stand below them.
    void a_narrow_banner_is_read_to_its_end() {
        Banners banners;
        banners.resize(1000, 100);
        banners.show();
        const QString text = QStringLiteral("The queue is paused: the last two runs failed for the same reason.");
        banners.show_banner("k", Banners::Kind::error, text, {{"Continue all the same", [] {}}, {"Details", [] {}}});
        const auto* words = banners.findChild<QLabel*>(QStringLiteral("banner-text"));
        const auto buttons = banners.findChildren<QPushButton*>();
        const auto beside = [&] { return buttons[0]->mapTo(&banners, QPoint()).x() >= words->geometry().right(); };
        QTRY_VERIFY(beside());
        for (const int width : {420, 300, 200}) {
            const auto fits = [&] {
                banners.resize(width, banners.sizeHint().height());
                QCoreApplication::processEvents(); // until it is laid out
                return banners.height() == banners.sizeHint().height() && words->width() >= width - 80 &&
                       words->height() >= words->heightForWidth(words->width());
            };
            QTRY_VERIFY2(fits(), qPrintable(QString::number(words->width())));
            QVERIFY(!beside());
            for (const QPushButton* button : buttons)
                QVERIFY(banners.rect().contains(QRect(button->mapTo(&banners, QPoint()), button->size())));
        }
    }

    /// More than there is room for is scrolled to, beginning with the newest; nothing is squeezed.
    void banners_without_room_are_scrolled() {
        Banners banners;
        banners.resize(300, 60);
        banners.show();
        const QString text = QStringLiteral("The queue is paused: the last two runs failed for the same reason.");
        for (const char* key : {"a", "b"})
            banners.show_banner(QLatin1String(key), Banners::Kind::error, text, {{"Continue all the same", [] {}}});
        const auto on_top = [&](const char* key) {
            const auto* line = banners.findChild<QFrame*>(QLatin1String(key));
            const int top = line->mapTo(&banners, QPoint()).y();
            return line->isVisible() && top >= 0 && top < 20;
        };
        QTRY_VERIFY(on_top("b"));
        for (const QLabel* words : banners.findChildren<QLabel*>(QStringLiteral("banner-text")))
            QVERIFY(words->height() >= words->heightForWidth(words->width()));
        QVERIFY(banners.minimumSizeHint().height() < 60);
        // One takes the place of another of the same height, so that the range of the scroll bar stays as it is.
        banners.remove("b");
        QTRY_VERIFY(on_top("a"));
        banners.show_banner("c", Banners::Kind::error, text, {{"Continue all the same", [] {}}});
        banners.remove("a");
        banners.show_banner("d", Banners::Kind::error, text, {{"Continue all the same", [] {}}});
        QTRY_VERIFY(on_top("d"));
        banners.remove("d");
        QTRY_VERIFY(on_top("c"));
    }

    void older_banners_are_folded() {
        Banners banners;
        banners.resize(400, 200);
        banners.show();
        auto* more = banners.findChild<QToolButton*>("banners-more");
        const auto seen = [&] {
            QStringList names;
            for (const auto* line : banners.findChildren<QFrame*>())
                if (line->isVisible() && line->property("banner").toBool()) names << line->objectName();
            return names;
        };
        for (const char* key : {"a", "b", "c", "d"})
            banners.show_banner(QLatin1String(key), Banners::Kind::info, QLatin1String(key));
        QCOMPARE(seen(), (QStringList{"c", "d"}));
        QCOMPARE(banners.texts().size(), 4);
        QVERIFY(more->isVisible() && more->text().startsWith("2 "));
        more->click();
        QCOMPARE(seen(), (QStringList{"a", "b", "c", "d"}));
        more->click();
        banners.remove("d");
        QCOMPARE(seen(), (QStringList{"b", "c"}));
        banners.remove("b");
        QCOMPARE(seen(), (QStringList{"a", "c"}));
        QVERIFY(!more->isVisible());
    }

    /// A message in place of another must not let the picture below grow and shrink again.
    void what_is_below_a_replaced_banner_stays() {
        QWidget window;
        auto* column = new QVBoxLayout(&window);
        auto* banners = new Banners(&window);
        auto* below = new QWidget(&window);
        column->addWidget(banners);
        column->addWidget(below, 1);
        window.resize(600, 400);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        banners->show_banner("k", Banners::Kind::info, "step 1");
        const int height = below->height();
        struct Resizes : QObject {
            int seen = 0;
            bool eventFilter(QObject*, QEvent* event) override {
                seen += event->type() == QEvent::Resize;
                return false;
            }
        } resizes;
        below->installEventFilter(&resizes);
        banners->show_banner("k", Banners::Kind::info, "step 2");
        QCOMPARE(below->height(), height);
        QCOMPARE(resizes.seen, 0);
        banners->remove("k");
        QVERIFY(below->height() > height);
    }

    void banners_answer_once() {
        Banners banners;
        banners.show();
        int done = 0;
        banners.show_banner("k", Banners::Kind::info, "first", {{"Do", [&] { ++done; }}});
        banners.show_banner("k", Banners::Kind::info, "second", {{"Do", [&] { done += 10; }}});
        QCOMPARE(banners.texts(), QStringList{"second"});
        for (auto* button : banners.findChildren<QPushButton*>())
            if (button->isVisible()) QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(done, 10);
        QVERIFY(banners.texts().isEmpty());
        QVERIFY(!banners.isVisible());
    }
};

int main(int argc, char** argv) {
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QApplication program(argc, argv);
    QLocale::setDefault(QLocale::c());
    WidgetsTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "widgets_test.moc"
