// SPDX-License-Identifier: Apache-2.0
// From the fields of the parameters into the request, and back to its defaults.
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include <filesystem>

#include "app/base/text.h"
#include "app/project/project.h"
#include "app/request/field_title.h"
#include "app/request/request_document.h"
#include "tests/ui/fields.h"
#include "tests/ui/studio_fixture.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/widgets/field.h"

using namespace denoir;
using namespace denoir::ui;

class ParametersTest : public QObject {
    Q_OBJECT

    static void write(StudioFixture& studio, QLineEdit* line, const QString& text) {
        line->setFocus();
        studio.key(Qt::Key_A, Qt::ControlModifier);
        text.isEmpty() ? studio.key(Qt::Key_Delete) : studio.type(text);
        studio.key(Qt::Key_Return);
        QVERIFY(studio.core().document.wait_resolved(20000));
    }
    static void write(StudioFixture& studio, const NumberEdit* edit, const QString& text) {
        write(studio, edit->findChild<QLineEdit*>(), text);
    }
    static void choose(QComboBox* box, int row) {
        box->setCurrentIndex(row);
        emit box->activated(row);
    }
    static void reset(QWidget* control) { field_of(control)->findChild<QToolButton*>("reset")->click(); }
    static QString hint(QWidget* control) { return field_of(control)->findChild<QLabel*>("hint")->text(); }
    static QToolButton* named(Field* field, const char* name) {
        for (auto* button : field->findChildren<QToolButton*>())
            if (button->accessibleName() == QLatin1String(name)) return button;
        return nullptr;
    }

private slots:
    /// A seed that the user types is kept. A text that is no seed stays visible, and the seed before it counts.
    void a_seed_is_typed() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        auto* seed = studio.find<QLineEdit>("seed");
        document.set_seed_locked(false);
        write(studio, seed, "42");
        QCOMPARE(document.value("seed").toULongLong(), 42ULL);
        QVERIFY(document.seed_locked() && studio.find<QToolButton>("seed-lock")->isChecked());
        write(studio, seed, "99999999999999999999");
        QVERIFY(shows_error(field_of(seed)));
        QCOMPARE(seed->text(), QString("99999999999999999999"));
        QCOMPARE(document.value("seed").toULongLong(), 42ULL);
        QCOMPARE(studio.find<QLabel>("estimate")->text(), QString("cannot start yet"));
        write(studio, seed, "18446744073709551615"); // the largest seed
        QVERIFY(!shows_error(field_of(seed)));
        QCOMPARE(document.value("seed").toULongLong(), 18446744073709551615ULL);
        write(studio, seed, "");
        QVERIFY(!document.has_value("seed"));
        write(studio, seed, "5");
        reset(seed);
        QVERIFY(!document.has_value("seed") && seed->text().isEmpty());
    }

    /// Differences, undo and the axes of sweeps name a parameter as its field does, only without a capital.
    void a_parameter_has_one_name() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        for (const char* key : {"model", "size", "frames", "steps", "guidance", "seed", "shift", "sampler", "fps",
                                "device", "threads", "block", "base", "overlap"}) {
            auto* control = studio.find<QWidget>(key);
            QVERIFY2(control && field_of(control), key);
            const QString label = field_of(control)->label()->text().section(' ', -1); // a dot marks a change
            const bool member = QStringList{"block", "base", "overlap"}.contains(QLatin1String(key));
            const QString title = app::field_title((member ? "forcing." : "") + QLatin1String(key));
            QVERIFY2(title.endsWith(label, Qt::CaseInsensitive), qPrintable(title + " is not " + label));
        }
    }

    /// The rate of films is 24000/1001.
    void a_rate_has_three_decimals() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto* rate = studio.find<NumberEdit>("fps");
        write(studio, rate, "23.976");
        QCOMPARE(studio.core().document.value("fps").toDouble(), 23.976);
        write(studio, rate, "24");
        QCOMPARE(rate->text(), QString("24 fps"));
    }

    /// Qt scrolls to the cursor of a field, and the lower edge of its frame once stayed hidden.
    void whole_fields_are_seen_in_a_low_window() {
        const app::Home home;
        StudioFixture studio(Layout::create, Scheme::dark, {1280, 640});
        load_tiny(studio);
        const auto* dock = studio.find<QWidget>("parameters-dock");
        auto* first = studio.find<QWidget>("model");
        for (const Qt::KeyboardModifiers way : {Qt::NoModifier, Qt::ShiftModifier}) {
            QStringList seen;
            if (way == Qt::NoModifier) first->setFocus();
            for (int i = 0; i < 40; ++i) {
                studio.key(way ? Qt::Key_Backtab : Qt::Key_Tab, way);
                const QWidget* now = QApplication::focusWidget();
                if (!now || !dock->isAncestorOf(now) || now == first) break;
                QCOMPARE(now->visibleRegion().boundingRect().size(), now->size());
                seen << now->objectName();
            }
            for (const char* field : {"frames", "steps", "guidance", "seed", "shift", "fps"})
                QVERIFY2(seen.contains(QLatin1String(field)), qPrintable(seen.join(' ')));
        }
    }

    /// A lock keeps a seed, so without one it draws it first.
    void a_seed_is_drawn_and_locked() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        auto* lock = studio.find<QToolButton>("seed-lock");
        lock->setChecked(true);
        QCOMPARE(document.value("seed").toULongLong(), 7ULL); // keeps the seed that is there
        lock->setChecked(false);
        QVERIFY(!document.seed_locked());
        QCOMPARE(document.value("seed").toULongLong(), 7ULL);
        lock->setChecked(true);
        QVERIFY(document.seed_locked());
        QCOMPARE(document.value("seed").toULongLong(), 7ULL);
        document.reset("seed");
        document.set_seed_locked(false);
        lock->setChecked(true);
        QVERIFY(document.has_value("seed") && document.seed_locked());
        const qulonglong drawn = document.value("seed").toULongLong();
        named(field_of(studio.find<QLineEdit>("seed")), "Draw a seed")->click();
        QVERIFY(document.value("seed").toULongLong() != drawn);
    }

    void a_size_is_chosen_turned_and_reset() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        auto* size = studio.find<QComboBox>("size");
        const auto now = [&] { return QSize(document.value("width").toInt(), document.value("height").toInt()); };
        int row = 0; // a size with other proportions than the default's
        while (size->itemData(row).toSize().width() >= size->itemData(row).toSize().height()) ++row;
        choose(size, row);
        QVERIFY(document.wait_resolved(20000));
        const QSize tall = now();
        QCOMPARE(tall, size->itemData(row).toSize());
        QCOMPARE(size->currentText(), QStringLiteral("%1×%2").arg(tall.width()).arg(tall.height()));
        named(field_of(size), "Swap width and height")->click();
        QVERIFY(document.wait_resolved(20000));
        QCOMPARE(now(), tall.transposed());
        write(studio, size->lineEdit(), "nonsense");
        QVERIFY(shows_error(field_of(size)));
        QCOMPARE(now(), tall.transposed());
        document.settle();
        const int step = studio.core().project.step();
        reset(size);
        QVERIFY(document.wait_resolved(20000));
        QVERIFY(!document.has_value("width") && !document.has_value("height") && !shows_error(field_of(size)));
        QCOMPARE(size->currentText(), QStringLiteral("%1×%2").arg(now().width()).arg(now().height()));
        QCOMPARE(studio.core().project.step(), step + 1); // both sides change in one step
    }

    /// The length is one more than a multiple of four, which is said. It can be typed in seconds, to which a clip that
    /// goes on adds what it is given.
    void a_length_is_typed_in_frames_or_seconds() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        auto* frames = studio.find<NumberEdit>("frames");
        document.set_value("fps", 16);
        write(studio, frames, "10");
        QCOMPARE(document.value("frames").toInt(), 9);
        QVERIFY2(hint(frames).startsWith("10 became 9"), qPrintable(hint(frames)));
        write(studio, frames, "13");
        QCOMPARE(document.value("frames").toInt(), 13);
        QVERIFY(!hint(frames).contains("became"));
        write(studio, frames, "2 s");
        QCOMPARE(document.value("frames").toInt(), 33);
        app::write_clip(home.file("before.mp4"), 48, 32, 12);
        QVERIFY(
            document.set_value("forcing", QVariantMap{{"video", home.file("before.mp4")}, {"overlap", 9}}).isEmpty());
        QVERIFY(document.wait_resolved(20000));
        write(studio, frames, "1 s");
        QCOMPARE(document.value("frames").toInt(), 25); // the nearest to 9 + 16
        reset(frames);
        QVERIFY(!document.has_value("frames"));
    }

    /// Dragging a name changes the value beside it.
    void names_are_dragged() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        studio.find<QToolButton>("more")->click();
        const auto dragged = [&](const char* name, int notches) {
            emit field_of(studio.find<NumberEdit>(name))->label()->scrubbed(notches);
            QVERIFY(document.wait_resolved(20000));
        };
        dragged("steps", 4);
        QCOMPARE(document.value("steps").toInt(), 7);
        dragged("steps", -2);
        QCOMPARE(document.value("steps").toInt(), 5);
        dragged("cache", 2);
        QCOMPARE(document.asked().cache->threshold, 0.1);
        dragged("ar_step", 3);
        QCOMPARE(document.asked().forcing->ar_step, 3);
    }

    /// It sets two fields of the request in one step.
    void a_precision_is_both_of_its_parts() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        auto* precision = studio.find<QComboBox>("precision");
        const int step = studio.core().project.step();
        choose(precision, precision->findData("bf16/wan"));
        QCOMPARE(document.value("dtype").toString(), QString("bf16"));
        QCOMPARE(document.value("precision").toString(), QString("wan"));
        QCOMPARE(studio.core().project.step(), step + 1);
        reset(precision);
        QVERIFY(!document.has_value("dtype") && !document.has_value("precision"));
        auto* sampler = studio.find<QComboBox>("sampler");
        choose(sampler, sampler->findData("euler"));
        QCOMPARE(document.value("sampler").toString(), QString("euler"));
        reset(sampler);
        QVERIFY(!document.has_value("sampler"));
    }

    void a_model_is_chosen_and_reset() {
        namespace fs = std::filesystem;
        const app::Home home;
        fs::create_directory(app::to_path(home.file("models")));
        for (const char* name : {"models/one", "models/two"})
            fs::copy(DENOIR_TINY_MODEL, app::to_path(home.file(name)), fs::copy_options::recursive);
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        auto* model = studio.find<QComboBox>("model");
        studio.open({home.file("models")});
        const QString one = home.file("models/one"), two = home.file("models/two");
        QTRY_VERIFY_WITH_TIMEOUT(model->findData(one) >= 0 && model->findData(two) >= 0, 30000);
        for (const QString& each : {two, one}) {
            choose(model, model->findData(each));
            QCOMPARE(document.value("model").toString(), each);
            QVERIFY2(model->toolTip().contains(each), qPrintable(model->toolTip()));
        }
        reset(model);
        QVERIFY(!document.has_value("model"));
    }

    /// What a request file sets beside the threshold stays, and a threshold of 0 means no cache.
    void a_threshold_leaves_the_rest_of_the_cache() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        auto* cache = studio.find<NumberEdit>("cache");
        document.set_value("cache",
                           QVariantMap{{"threshold", 0.2}, {"ret_steps", true}, {"coefficients", QVariantList{1, 0}}});
        QCOMPARE(cache->value(), 0.2);
        emit cache->edited(0.3);
        QCOMPARE(*document.asked().cache, (StepCaching{.threshold = 0.3, .ret_steps = true, .coefficients = {1, 0}}));
        emit cache->edited(0);
        QVERIFY(!document.asked().cache);
        document.set_value("cache", QVariantMap{{"threshold", 0.2}});
        reset(cache);
        QVERIFY(!document.asked().cache);
        QCOMPARE(cache->value(), 0.0);
    }

    /// Each field is set by itself and removed at its usual value. The last one removes the whole object, which a model
    /// without windows would refuse.
    void windows_are_set_member_by_member() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        studio.find<QToolButton>("more")->click();
        auto *base = studio.find<NumberEdit>("base"), *noise = studio.find<NumberEdit>("condition_noise");
        write(studio, base, "4"); // no window is shorter than five frames
        QCOMPARE(base->value(), 5.0);
        QVERIFY(document.asked().forcing);
        QCOMPARE(document.asked().forcing->base, 5);
        write(studio, noise, "20");
        QCOMPARE(document.asked().forcing->condition_noise, 20);
        QCOMPARE(document.asked().forcing->base, 5);
        write(studio, base, "2"); // becomes automatic
        QVERIFY(!document.asked().forcing->base);
        QCOMPARE(document.asked().forcing->condition_noise, 20);
        write(studio, base, "13");
        reset(noise);
        QCOMPARE(*document.asked().forcing, (Forcing{.base = 13}));
        reset(base);
        QVERIFY(!document.asked().forcing);
    }

    /// What was typed is in the request before its key begins a run.
    void what_is_typed_is_rendered() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& queue = studio.core().queue;
        queue.set_paused(true);
        auto* size = studio.find<QComboBox>("size");
        size->lineEdit()->setFocus();
        studio.key(Qt::Key_A, Qt::ControlModifier);
        studio.type("64x48");
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(queue.rowCount(), 1, 30000);
        const auto made = queue.snapshot(queue.index(0).data(app::RunQueue::IdRole).toULongLong());
        QCOMPARE(made->request.width, 64);
        auto* seed = studio.find<QLineEdit>("seed");
        seed->setFocus();
        studio.key(Qt::Key_A, Qt::ControlModifier);
        studio.type("99999999999999999999"); // it is no seed, so nothing begins
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QVERIFY2(said(studio).contains("18446744073709551615"), qPrintable(said(studio)));
        QCOMPARE(queue.rowCount(), 1);
    }
};

int main(int argc, char** argv) { return run_window_test<ParametersTest>(argc, argv); }

#include "parameters_test.moc"
