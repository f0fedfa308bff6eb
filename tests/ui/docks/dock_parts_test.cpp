// SPDX-License-Identifier: Apache-2.0
// What docks are made of: sizes, LoRAs, crops, the choice of a clip.
#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMainWindow>
#include <QMouseEvent>
#include <QStandardItemModel>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <algorithm>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/clips/frame_cache.h"
#include "app/runs/run_history.h"
#include "app/studio.h"
#include "engine/core/error.h"
#include "engine/media/image.h"
#include "tests/app/fake_runs.h"
#include "tests/app/home.h"
#include "ui/docks/image_well.h"
#include "ui/docks/lora_list.h"
#include "ui/docks/offer_runs.h"
#include "ui/docks/runs_panel.h"
#include "ui/docks/seen_images.h"
#include "ui/docks/sizes.h"
#include "ui/studio.h"
#include "ui/theme/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/field.h"
#include "ui/window/held_layout.h"

using namespace denoir;
using namespace denoir::ui;

class DockPartsTest : public QObject {
    Q_OBJECT
private slots:
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

    /// If a search or a filter leaves no run, the list names it.
    void an_empty_list_of_runs_says_why() {
        const app::Home home;
        QVERIFY(QDir().mkpath(home.data("runs")));
        const QString run = app::to_qstring(app::fake_run(app::to_path(home.data("runs")), 1));
        app::Studio core;
        app::FrameCache frames(1 << 20);
        Theme theme(*qApp);
        ui::Studio studio(core, frames, theme);
        RunsPanel panel(studio);
        QVERIFY(core.history.wait_scanned(30000));
        QTRY_COMPARE(core.history.rowCount(), 1);
        const auto says = [&](const char* words) {
            const auto labels = panel.findChild<EmptyState*>()->findChildren<QLabel*>();
            return core.history.rowCount() == 0 && std::any_of(labels.begin(), labels.end(), [words](auto* label) {
                       return label->text().startsWith(QLatin1String(words));
                   });
        };
        auto* starred = panel.findChild<QToolButton*>("runs-starred");
        auto* search = panel.findChild<QLineEdit*>("runs-search");
        starred->setChecked(true);
        QTRY_VERIFY(says("No run has a star yet"));
        core.history.set_starred(run, true);
        QTRY_COMPARE(core.history.rowCount(), 1);
        search->setText("nothing of the kind");
        QTRY_VERIFY(says("No run with a star matches this search."));
        starred->setChecked(false);
        QTRY_VERIFY(says("No run matches this search."));
    }

    /// However unsteady the hand is, and wherever the pointer goes then.
    void nothing_is_dragged_from_a_star() {
        struct View : RunsView {
            int drags = 0;
            bool rests() const { return state() == NoState; }
            void startDrag(Qt::DropActions) override { ++drags; }
        } view;
        QStandardItemModel rows(3, 1);
        for (int i = 0; i < 3; ++i) rows.setData(rows.index(i, 0), QSize(100, 40), Qt::SizeHintRole);
        view.setModel(&rows);
        view.resize(300, 300);
        view.show();
        const auto row = [&](int i) { return view.visualRect(rows.index(i, 0)); };
        const auto send = [&](QEvent::Type type, QPoint at, bool held) {
            const bool moves = type == QEvent::MouseMove;
            QMouseEvent event(type, at, view.viewport()->mapToGlobal(at), moves ? Qt::NoButton : Qt::LeftButton,
                              held ? Qt::LeftButton : Qt::NoButton, {});
            QApplication::sendEvent(view.viewport(), &event);
        };
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, row(0).center());
        const QPoint star = RunDelegate::star_rect(row(1)).center();
        send(QEvent::MouseButtonPress, star, true);
        send(QEvent::MouseMove, star + QPoint(1, 0), true);
        QVERIFY(view.rests());
        send(QEvent::MouseButtonRelease, star + QPoint(1, 0), false);
        send(QEvent::MouseMove, row(2).center(), false);
        QCOMPARE(view.drags, 0);
        QCOMPARE(view.selectionModel()->selectedIndexes(), {rows.index(0, 0)});
    }

    /// In a list of 256 pixels, without picture, star and margins, the seed and the step are shown whole.
    void rows_of_runs_are_brief() {
        using Role = app::RunHistory::Role;
        QStandardItem* run = new QStandardItem;
        for (const auto& [role, value] :
             std::initializer_list<std::pair<Role, QVariant>>{{Role::StandingRole, int(app::RunStanding::interrupted)},
                                                              {Role::StepsDoneRole, 4},
                                                              {Role::StepsRole, 40},
                                                              {Role::SeedRole, quint64(3190748612)},
                                                              {Role::GuidanceRole, 5.0},
                                                              {Role::WidthRole, 960},
                                                              {Role::HeightRole, 544},
                                                              {Role::FramesRole, 97}})
            run->setData(value, role);
        QStandardItemModel model;
        model.appendRow(run);
        const QFontMetrics metrics(QApplication::font());
        constexpr int room = 146, star = 20;
        const QStringList lines = RunDelegate::details(model.index(0, 0), metrics, room);
        QVERIFY2(lines.join('|').contains("interrupted 4/40"), qPrintable(lines.join('|')));
        for (const QString& line : lines)
            QVERIFY2(metrics.horizontalAdvance(line) <= (line == lines[0] ? room - star : room), qPrintable(line));
        for (int wider = room; wider < 400; ++wider) // only whole words are left out
            for (const QString& line : RunDelegate::details(model.index(0, 0), metrics, wider))
                QCOMPARE(metrics.elidedText(line, Qt::ElideRight, wider), line);
    }

    void a_run_of_a_minute_shows_its_time() {
        using Role = app::RunHistory::Role;
        QStandardItem* run = new QStandardItem;
        for (const auto& [role, value] :
             std::initializer_list<std::pair<Role, QVariant>>{{Role::StandingRole, int(app::RunStanding::done)},
                                                              {Role::StepsRole, 20},
                                                              {Role::SeedRole, quint64(319)},
                                                              {Role::GuidanceRole, 5.0},
                                                              {Role::WidthRole, 256},
                                                              {Role::HeightRole, 144},
                                                              {Role::BranchStepRole, -1},
                                                              {Role::SecondsRole, 68.0},
                                                              {Role::FramesRole, 33}})
            run->setData(value, role);
        QStandardItemModel model;
        model.appendRow(run);
        const auto time = [&](int room) {
            return RunDelegate::details(model.index(0, 0), QFontMetrics(QApplication::font()), room).join('|');
        };
        QVERIFY2(time(600).contains("1 min 08 s"), qPrintable(time(600)));
        int room = 600;
        while (time(room).contains("1 min 08 s")) --room;
        QVERIFY2(time(room).contains("1:08"), qPrintable(time(room)));
    }

    /// In a well of any height.
    void a_well_says_all_of_why_it_takes_nothing() {
        ImageWell well("Start", "a hint");
        well.set_usable(false, "This model takes no start image, nor does it take any other");
        well.resize(76, 100);
        well.show();
        const QFontMetrics metrics = well.fontMetrics();
        const int words = metrics
                              .boundingRect(0, 0, 64, 1000, Qt::TextWordWrap,
                                            "This model takes no start image, nor does it take any other")
                              .height();
        QVERIFY2(well.minimumHeight() >= words + metrics.lineSpacing() + 4, qPrintable(QString::number(words)));
        well.set_usable(true, {});
        QCOMPARE(well.minimumHeight(), 56);
    }

    void loras_are_lines_with_a_strength() {
        const app::Home home;
        app::Settings settings;
        LoraList list(settings);
        list.show();
        QVariantList loras; // as the document would hold them
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
        QCOMPARE(shown("lora-strength").size(), 1); // lines that were made anew in a list that is visible
        QCOMPARE(qobject_cast<NumberEdit*>(shown("lora-strength")[0])->value(), -0.5);
        qobject_cast<QToolButton*>(shown("remove-lora")[0])->click();
        QVERIFY(loras.isEmpty() && shown("lora-strength").isEmpty());
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

    /// It is asked for A of a comparison, and for B while the dialog is still open.
    void what_to_open_is_asked_once_and_for_the_last_who_asked() {
        const app::Home home;
        QFile clip(home.file("clip.mp4"));
        QVERIFY(clip.open(QIODevice::WriteOnly));
        app::Settings settings;
        QWidget window;
        window.show();
        QStringList taken;
        for (const char* by : {"A", "B"})
            ask_for_clip(&window, settings, AskFor::file, [&, by](const QString& path) { taken << by << path; });
        const auto dialogs = window.findChildren<QFileDialog*>();
        QCOMPARE(dialogs.size(), 1);
        dialogs.first()->setDirectory(home.path());
        dialogs.first()->selectFile(clip.fileName());
        static_cast<QDialog*>(dialogs.first())->accept();
        QCOMPARE(taken, (QStringList{"B", clip.fileName()}));
        QTRY_VERIFY(!window.findChild<QFileDialog*>());
    }

    /// In the middle of a change the docks stay where they are.
    void a_held_layout_is_laid_out_in_the_end() {
        QMainWindow window;
        auto* dock = new QDockWidget(&window);
        window.addDockWidget(Qt::LeftDockWidgetArea, dock);
        window.resize(400, 300);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const int before = dock->height();
        {
            const HeldLayout held(window);
            window.resize(400, 500);
            window.layout()->activate();
            QTest::qWait(20);
            QCOMPARE(dock->height(), before);
        }
        QTRY_VERIFY(dock->height() > before);
    }
};

int main(int argc, char** argv) {
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QApplication program(argc, argv);
    QLocale::setDefault(QLocale::c());
    DockPartsTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "dock_parts_test.moc"
