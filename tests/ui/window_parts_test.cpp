// SPDX-License-Identifier: Apache-2.0
// The parts that the window is made of, each alone: actions, palette, guard, fields, sizes, arguments, crops, colours.
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QListWidget>
#include <QMainWindow>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "engine/core/error.h"
#include "engine/media/image.h"
#include "tests/app/home.h"
#include "ui/actions/action_table.h"
#include "ui/actions/command_palette.h"
#include "ui/actions/shortcut_editor.h"
#include "ui/actions/shortcut_guard.h"
#include "ui/docks/lora_list.h"
#include "ui/docks/offer_runs.h"
#include "ui/docks/seen_images.h"
#include "ui/docks/sizes.h"
#include "ui/theme/theme.h"
#include "ui/widgets/announcer.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/field.h"
#include "ui/widgets/save_dialog.h"
#include "ui/window/arguments.h"
#include "ui/window/engine_words.h"

using namespace denoir;
using namespace denoir::ui;

class WindowPartsTest : public QObject {
    Q_OBJECT

private slots:
    void colours_are_readable() {
        for (const Colours* c : {&light_colours(), &dark_colours()}) {
            const auto readable = [](const QColor& ink, const QColor& ground) {
                QVERIFY2(contrast(ink, ground) >= 4.5, qPrintable(ink.name() + " on " + ground.name()));
            };
            for (const QColor& ground : {c->canvas, c->window, c->panel, c->field, c->raised, c->hover, c->selection})
                for (const QColor& ink : {c->text, c->quiet, c->error}) readable(ink, ground);
            for (const QColor& ground : {c->panel, c->field, c->selection}) readable(c->warning, ground);
            for (const QColor& ink : {c->a, c->b}) readable(ink, c->panel);
            QVERIFY(contrast(c->accent, c->on_accent) >= 4.5);
            for (const QColor& ground : {c->window, c->panel, c->field}) // where a control's border is its only mark
                QVERIFY2(contrast(c->edge, ground) >= 3, qPrintable(c->edge.name() + " on " + ground.name()));
            for (const QColor& grey : {c->canvas, c->window, c->panel, c->field})
                QCOMPARE(grey.saturation(), 0); // pictures are judged on it
        }
        QCOMPARE(contrast(Qt::black, Qt::white), 21.0);
    }

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
            QCOMPARE(table.at("b")->shortcuts(), QList<QKeySequence>{QKeySequence("Ctrl+B")}); // taken over
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
        // A damaged file counts as no changes and is not touched.
        QFile broken(file);
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("{\"shortcuts\": {\"a\": 7, \"b\": [[]], ");
        broken.close();
        QMainWindow window;
        ActionTable table(window, file);
        fill(table);
        QCOMPARE(table.at("a")->shortcut(), QKeySequence("Ctrl+A"));
    }

    /// Words, into what they found, into the keys: without a pointer.
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
        keys->setKeySequence(QKeySequence("B")); // one that it has
        for (auto* button : editor.findChildren<QPushButton*>())
            if (button->text() == "Set") button->click();
        QCOMPARE(table.at("b")->shortcuts(), QList<QKeySequence>{QKeySequence("B")});
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
        CommandPalette palette(table, &window);
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
        QCOMPARE(palette.shown().constFirst(), QString("run.generate")); // used last
        QCOMPARE(palette.shown().constLast(), QString("run.stop"));      // cannot be pressed now
        // Who hears it is told the row that Enter takes.
        const auto* announcer = palette.findChild<Announcer*>();
        QVERIFY(announcer->accessibleName().startsWith("Generate, Run"));
        QTest::keyClick(query, Qt::Key_Down);
        QCOMPARE(announcer->accessibleName(), QString("Dark theme, View"));
        QTest::keyClicks(query, "zzz");
        QCOMPARE(ran, 1);
        QTest::keyClick(query, Qt::Key_Return);
        QTest::keyClick(query, Qt::Key_Escape);
        QVERIFY(!palette.isVisible());
        QVERIFY(match_score("th dark", "Dark theme View") > 0);
        QVERIFY(match_score("uber", QString::fromUtf8("Über Denoir")) > 0);
        QVERIFY(match_score("dark q", "Dark theme") < 0);
    }

    /// Of a name with a dot of its own Qt does not ask: it would have been written over.
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

    /// As A of a comparison and then, the dialog still open, as B.
    void what_to_open_is_asked_once_and_for_the_last_who_asked() {
        const app::Home home;
        QFile clip(home.file("clip.mp4"));
        QVERIFY(clip.open(QIODevice::WriteOnly));
        QWidget window;
        window.show();
        QStringList taken;
        for (const char* by : {"A", "B"})
            ask_for_clip(&window, ClipKind::file, [&, by](const QString& path) { taken << by << path; });
        const auto dialogs = window.findChildren<QFileDialog*>();
        QCOMPARE(dialogs.size(), 1);
        dialogs.first()->setDirectory(home.path());
        dialogs.first()->selectFile(clip.fileName());
        static_cast<QDialog*>(dialogs.first())->accept();
        QCOMPARE(taken, (QStringList{"B", clip.fileName()}));
        QTRY_VERIFY(!window.findChild<QFileDialog*>());
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
        hit(line, Qt::Key_S); // text, there too
        QCOMPARE(line->text().toLower(), QString("s"));
        QCOMPARE(QPair(everywhere, there), QPair(1, 1));
        // Changed in the table: the old key is the window's again, and tips follow.
        QVERIFY(table.set_shortcuts("own", {QKeySequence(Qt::Key_M)}));
        QCOMPARE(table.at("all")->shortcuts().size(), 1);
        hit(part, Qt::Key_M);
        hit(part, Qt::Key_S);
        QCOMPARE(QPair(everywhere, there), QPair(2, 2));
        button->setToolTip("Press it");
        table.name_keys("own", *button);
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
        hit(Qt::Key_Space); // the button's own
        QCOMPARE(pressed, 1);
        QCOMPARE(fired, 0);
        hit(Qt::Key_X);
        QCOMPARE(fired, 1);
        qApp->removeEventFilter(&guard);
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
        QVERIFY(field.has_error() && edit->property("invalid").toBool());
        field.set_error({});
        QVERIFY(!field.has_error());
    }

    void sizes() {
        QCOMPARE(*parse_size("256x144"), QSize(256, 144));
        QCOMPARE(*parse_size(QString::fromUtf8(" 960 × 544 ")), QSize(960, 544));
        for (const char* bad : {"", "256", "256x", "axb", "0x16", "99999x16", "256x144x3"})
            QVERIFY2(!parse_size(bad), bad);
        QVERIFY(is_written_as_size("99999x99999") && is_written_as_size("123456789012x16") &&
                is_written_as_size("0x16"));
        QVERIFY(!is_written_as_size("large") && !is_written_as_size("256x"));
        QVERIFY(!parse_size("123456789012x16"));
        for (const int multiple : {16, 32})
            for (const auto& preset : size_presets({1280, 704}, multiple)) {
                QCOMPARE(preset.size.width() % multiple, 0);
                QCOMPARE(preset.size.height() % multiple, 0);
            }
        QCOMPARE(size_presets({960, 544}, 16).constFirst().size, QSize(960, 544));
    }

    void loras_are_lines_with_a_strength() {
        LoraList list;
        list.show();
        QVariantList loras; // as the document would have them
        QObject::connect(&list, &LoraList::edited, &list, [&](const QVariantList& edited) {
            loras = edited;
            list.show_values(loras);
        });
        const auto shown = [&](const char* name) {
            QList<QWidget*> all = list.findChildren<QWidget*>(QString::fromLatin1(name));
            all.removeIf([&](QWidget* w) { return !w->isVisibleTo(&list); });
            return all;
        };
        list.add({"/loras/a.safetensors", "/loras/b.safetensors"});
        QCOMPARE(loras.size(), 2);
        QCOMPARE(shown("lora-strength").size(), 2);
        auto* strength = qobject_cast<NumberEdit*>(shown("lora-strength")[1]);
        strength->setFocus();
        strength->selectAll();
        QTest::keyClicks(strength, "-0.5");
        QTest::keyClick(strength, Qt::Key_Return);
        QCOMPARE(loras[1].toMap()["strength"].toDouble(), -0.5);
        QCOMPARE(loras[0].toMap()["strength"].toDouble(), 1.0);
        qobject_cast<QToolButton*>(shown("remove-lora")[0])->click();
        QCOMPARE(loras.size(), 1);
        QCOMPARE(loras[0].toMap()["file"].toString(), QString("/loras/b.safetensors"));
        QCOMPARE(shown("lora-strength").size(), 1); // lines made anew in a list that is shown already
        QCOMPARE(qobject_cast<NumberEdit*>(shown("lora-strength")[0])->value(), -0.5);
        qobject_cast<QToolButton*>(shown("remove-lora")[0])->click();
        QVERIFY(loras.isEmpty() && shown("lora-strength").isEmpty());
    }

    void arguments() {
        const auto read = [](QStringList words) { return read_arguments(QStringList{"denoir"} + words); };
        const auto good = read({"--layout", "compare", "--size=2560x1440", "--theme", "light", "--screenshot",
                                "/x/y.png", "--open", "/a", "/b"});
        QVERIFY(good.error.isEmpty());
        QCOMPARE(*good.layout, Layout::compare);
        QCOMPARE(*read({"--layout=tune"}).layout, Layout::tune);
        QCOMPARE(*good.size, QSize(2560, 1440));
        QCOMPARE(good.paths, (QStringList{"/a", "/b"}));
        for (const QStringList& bad : {QStringList{"--layout", "other"},
                                       {"--size", "10x10"},
                                       {"--size", "big"},
                                       {"--theme", "pink"},
                                       {"--theme"},
                                       {"--what"}}) {
            const QString error = read(bad).error;
            QVERIFY2(!error.isEmpty() && !error.contains('\n') && error.startsWith(bad[0]), qPrintable(error));
        }
        QCOMPARE(read({"--", "--odd"}).paths.size(), 1);
    }

    /// What the engine says comes with its values filled in, maybe with a sentence as a value.
    void the_engine_speaks_german() {
        EngineWords words;
        QVERIFY(!words.read(QStringLiteral(":/denoir/translations/engine_none.json")) && words.isEmpty());
        QVERIFY(words.read(QStringLiteral(":/denoir/translations/engine_de.json")));
        const auto german = [&](const char* text) { return words.translate("Engine", text, nullptr, -1); };
        QCOMPARE(german("image-to-video needs a start image"), QStringLiteral("Bild zu Video braucht ein Anfangsbild"));
        QCOMPARE(german("6 is not 1, 5, 9, 13, … (4n + 1)"), QStringLiteral("6 ist nicht 1, 5, 9, 13, … (4n + 1)"));
        QCOMPARE(german("the text encoder is missing"), QStringLiteral("es fehlt: Textencoder"));
        QCOMPARE(german("with steps 0: 0 is out of range"),
                 QStringLiteral("mit steps 0: 0 liegt außerhalb des Bereichs"));
        QCOMPARE(german("use 1 to 5 latent frames"), QStringLiteral("1 bis 5 latente Bilder nehmen"));
        QCOMPARE(
            german("The error begins in q of transformer (step 1): what it is computed from is equal, its result "
                   "agrees to 6.2e-01 (about 4.0e-06 would be rounding; f32). Largest difference over the mean "
                   "norm of a layer: 2.1e+01, in x0 of sampler (step 4)."),
            QStringLiteral("Der Fehler beginnt in q of transformer (step 1): woraus es berechnet wird, ist gleich; "
                           "das Ergebnis stimmt auf 6.2e-01 überein (etwa 4.0e-06 wäre Rundung; f32). Größter "
                           "Unterschied, gemessen an der mittleren Norm einer Schicht: 2.1e+01, in x0 of sampler "
                           "(step 4)."));
        QCOMPARE(german("The two differ in what they are given: latent of sampler (step 0) is 1.4 apart (f32)."),
                 QStringLiteral("Die beiden unterscheiden sich in dem, was ihnen gegeben ist: latent of sampler (step "
                                "0) liegt 1.4 auseinander (f32)."));
        QVERIFY(german("a sentence that nobody knows").isNull());
        QVERIFY(words.translate("Elsewhere", "is missing", nullptr, -1).isNull());
    }

    /// What the command line calls options are fields in the window.
    void the_engine_names_no_options() {
        EngineWords words;
        QVERIFY(words.read(QStringLiteral(":/denoir/translations/engine_en.json")));
        QCOMPARE(words.translate("Engine", "give --model DIR or FILE", nullptr, -1),
                 QStringLiteral("choose a model's folder or file"));
        QVERIFY(words.translate("Engine", "image-to-video needs a start image", nullptr, -1).isNull());
    }

    void crops() {
        QTemporaryDir folder;
        Image picture(40, 10);
        for (int y = 0; y < 10; ++y)
            for (int x = 0; x < 40; ++x) picture.row(y)[3 * x] = std::uint8_t(x * 6);
        const QString file = folder.filePath("wide.png");
        write_png(app::to_path(file), picture);
        const auto cut = [&](CropPreset preset) {
            return read_image(app::to_path(cropped_image(file, preset, {16, 16}, folder.filePath("images"))));
        };
        QCOMPARE(cropped_image(file, CropPreset::model, {16, 16}, folder.path()), file);
        QCOMPARE(cut(CropPreset::left).width, 10);
        QCOMPARE(cut(CropPreset::left).row(0)[0], std::uint8_t(0));
        QCOMPARE(cut(CropPreset::right).row(0)[0], std::uint8_t(30 * 6));
        QCOMPARE(cut(CropPreset::centre).row(0)[0], std::uint8_t(15 * 6));
        const Image whole = cut(CropPreset::whole);
        QCOMPARE(whole.width, 40);
        QCOMPARE(whole.height, 40);
        QCOMPARE(whole.row(20)[3 * 39], std::uint8_t(39 * 6));
        QVERIFY_EXCEPTION_THROWN(cropped_image(folder.filePath("none.png"), CropPreset::left, {16, 16}, folder.path()),
                                 Error);
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
        // Where the letter begins, from the left of its column.
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

    void style_sheets_leave_no_placeholder() {
        for (const Colours* c : {&light_colours(), &dark_colours()}) {
            const QString sheet = style_sheet_of(*c);
            QVERIFY(!sheet.contains('@'));
            QVERIFY(sheet.contains(c->accent.name()));
        }
    }
};

int main(int argc, char** argv) {
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QApplication program(argc, argv);
    QLocale::setDefault(QLocale::c());
    WindowPartsTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "window_parts_test.moc"
