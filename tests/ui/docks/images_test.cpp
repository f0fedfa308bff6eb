// SPDX-License-Identifier: Apache-2.0
// The images that a clip begins and ends with, as far as no story tells of them.
#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QSemaphore>
#include <QStandardPaths>
#include <QTimer>

#include <algorithm>

#include "app/request/request_document.h"
#include "tests/app/fake_runs.h"
#include "tests/ui/studio_fixture.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/docks/image_well.h"

using namespace denoir;
using namespace denoir::ui;

class ImagesTest : public QObject {
    Q_OBJECT

private slots:
    /// Without a model nobody knows what size a picture would be cropped to.
    void a_picture_is_cropped_to_a_size_that_is_known() {
        const app::Home home;
        const QByteArray resources = qgetenv("DENOIR_RESOURCES");
        qputenv("DENOIR_RESOURCES", home.file("nothing").toUtf8());
        const auto back = qScopeGuard(
            [&] { resources.isNull() ? qunsetenv("DENOIR_RESOURCES") : qputenv("DENOIR_RESOURCES", resources); });
        StudioFixture studio;
        auto& document = studio.core().document;
        QImage picture(32, 32, QImage::Format_RGB32);
        picture.fill(Qt::red);
        QVERIFY(picture.save(home.file("start.png")));
        QVERIFY(document.set_value("image", home.file("start.png")).isEmpty());
        QVERIFY(document.wait_resolved(20000));
        auto* well = studio.find<ImageWell>("start-image");
        const auto crops = [&] { // the entry for cropping, and how many sizes can be chosen
            QString title;
            qsizetype can = 0;
            QTimer::singleShot(0, well, [&] {
                for (auto* menu : studio.window().findChildren<QMenu*>()) {
                    if (menu->title().startsWith("Crop")) {
                        title = menu->title();
                        can = std::ranges::count_if(menu->actions(), &QAction::isEnabled);
                    }
                    if (menu->isVisible()) menu->close();
                }
            });
            emit well->menu_asked(well->mapToGlobal(QPoint(5, 5)));
            return std::pair(title, can);
        };
        QCOMPARE(crops(), std::pair(QStringLiteral("Crop: no size is known yet"), qsizetype(1)));
        document.set_values({{"width", 64}, {"height", 48}}, "size");
        QCOMPARE(crops(), std::pair(QStringLiteral("Crop to 64×48"), qsizetype(7)));
    }

    /// In a low window the pictures become smaller, and the words stay.
    void what_is_wrong_with_the_video_before_is_read_whole() {
        const app::Home home;
        for (const int height : {900, 800, 720, 640}) {
            StudioFixture studio(Layout::create, Scheme::light, {1280, height});
            load_tiny(studio);
            studio.core().document.set_value("forcing.video", "/nowhere/fr");
            QVERIFY(studio.core().document.wait_resolved(20000));
            auto* field = studio.find<QWidget>("goes-on-after");
            for (const char* words : {"error", "hint"}) {
                const auto* label = field->findChild<QLabel*>(QLatin1String(words));
                QTRY_VERIFY2(label->isVisible() && label->height() >= label->heightForWidth(label->width()),
                             qPrintable(QStringLiteral("%1: %2 of %3 at %4")
                                            .arg(label->text())
                                            .arg(label->height())
                                            .arg(label->heightForWidth(label->width()))
                                            .arg(height)));
                QTRY_COMPARE(label->visibleRegion().boundingRect().size(), label->size());
            }
        }
    }

    /// Cropping takes a while, and the picture may be removed meanwhile.
    void a_picture_that_is_gone_is_not_cropped() {
        const app::Home home;
        StudioFixture studio;
        auto& core = studio.core();
        QImage picture(64, 32, QImage::Format_RGB32);
        picture.fill(Qt::red);
        QVERIFY(picture.save(home.file("start.png")));
        core.document.set_values({{"image", home.file("start.png")}, {"width", 64}, {"height", 48}}, "picture");
        auto* well = studio.find<ImageWell>("start-image");
        const auto crop = [&](const QString& preset) {
            QTimer::singleShot(0, well, [&] {
                for (auto* menu : studio.window().findChildren<QMenu*>()) {
                    if (menu->title().startsWith("Crop"))
                        for (QAction* action : menu->actions())
                            if (action->text() == preset) action->trigger();
                    if (menu->isVisible()) menu->close();
                }
            });
            emit well->menu_asked(well->mapToGlobal(QPoint(5, 5)));
        };
        const auto shown = [&] { return core.document.value("image").toString(); };
        QSemaphore go_on;
        hold_up_inputs(studio, go_on);
        crop("Left");
        emit well->remove_asked();
        go_on.release();
        QTRY_VERIFY_WITH_TIMEOUT(!core.inputs.busy(), 30000);
        QCOMPARE(shown(), QString());
        // Of two crops of one picture the later one counts.
        core.document.set_value("image", home.file("start.png"));
        hold_up_inputs(studio, go_on);
        crop("Left");
        crop("As the model does it");
        go_on.release();
        QTRY_VERIFY_WITH_TIMEOUT(!core.inputs.busy(), 30000);
        QCOMPARE(shown(), home.file("start.png"));
    }

    /// In the place of the picture, or elsewhere if that is not visible.
    void a_missing_image_is_told_once() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        document.load(app::tiny_request());
        document.set_value("image", "/nowhere/boat.png");
        QTRY_VERIFY_WITH_TIMEOUT(!document.issue("image").isEmpty(), 20000);
        auto* changes = studio.find<QLabel>("changes");
        QVERIFY2(!changes->isVisible(), qPrintable(changes->text()));
        studio.find<QDockWidget>("images-dock")->hide();
        QTRY_VERIFY(changes->isVisible() && changes->text().contains("boat.png"));
        studio.find<QDockWidget>("images-dock")->show();
        QTRY_VERIFY(!changes->isVisible());
    }

    /// And not in the folder in which the program was started.
    void images_are_looked_for_where_they_were_last() {
        const app::Home home;
        StudioFixture studio;
        const auto begins_in = [&] {
            studio.find<QWidget>("start-image")->setFocus();
            QTest::keyClick(studio.find<QWidget>("start-image"), Qt::Key_Return);
            auto* dialog = studio.window().findChild<QFileDialog*>();
            return dialog ? dialog->directory().path() : QString();
        };
        const QString pictures = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
        QCOMPARE(begins_in(), QDir(pictures).exists() ? pictures : QDir::homePath());
        QVERIFY(QDir().mkpath(home.file("album")));
        QVERIFY(QImage(32, 32, QImage::Format_RGB32).save(home.file("album/boat.png")));
        QVERIFY(studio.answer_file_dialog(home.file("album/boat.png")));
        QTRY_COMPARE(studio.core().document.value("image").toString(), home.file("album/boat.png"));
        studio.core().document.set_value("image", QString());
        QTRY_VERIFY(!studio.window().findChild<QFileDialog*>());
        QCOMPARE(begins_in(), home.file("album"));
        // A pasted picture lies in the studio's own folder, in which the user does not look for pictures.
        studio.window().findChild<QFileDialog*>()->reject();
        QTRY_VERIFY(!studio.window().findChild<QFileDialog*>());
        QApplication::clipboard()->setImage(QImage(32, 32, QImage::Format_RGB32));
        studio.window().actions().at("edit.paste-image")->trigger();
        QTRY_VERIFY(!studio.core().document.value("image").toString().isEmpty());
        QCOMPARE(begins_in(), home.file("album"));
    }
};

int main(int argc, char** argv) { return run_window_test<ImagesTest>(argc, argv); }

#include "images_test.moc"
