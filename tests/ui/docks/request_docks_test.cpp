// SPDX-License-Identifier: Apache-2.0
// The docks in which a request is written, as far as no story tells of them.
#include <QAbstractItemView>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>
#include <filesystem>

#include "app/base/text.h"
#include "app/project/project.h"
#include "app/request/model_catalogue.h"
#include "app/request/request_document.h"
#include "engine/pipeline/windows.h"
#include "tests/app/clips.h"
#include "tests/app/fake_runs.h"
#include "tests/ui/fields.h"
#include "tests/ui/studio_fixture.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/docks/lora_list.h"
#include "ui/docks/prompt_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/theme/colours.h"
#include "ui/widgets/elided_combo.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/field.h"

using namespace denoir;
using namespace denoir::ui;

class RequestDocksTest : public QObject {
    Q_OBJECT

    /// A folder like Wan 2.2 A14B's, with the tiny transformer for both experts.
    static QString two_expert_model(const app::Home& home) {
        namespace fs = std::filesystem;
        const fs::path one = DENOIR_FIXTURES "/_models/Wan2.1-T2V-tiny",
                       two = app::to_path(home.file("Wan2.2-T2V-A14B"));
        fs::copy(one, two, fs::copy_options::recursive);
        for (const char* expert : {"high_noise_model", "low_noise_model"}) {
            fs::create_directory(two / expert);
            for (const char* file : {"config.json", "diffusion_pytorch_model.safetensors"})
                fs::copy(one / file, two / expert / file);
        }
        for (const char* file : {"config.json", "diffusion_pytorch_model.safetensors"}) fs::remove(two / file);
        return app::to_qstring(two);
    }
    static QVariantMap lora(const QString& file) { return {{"file", file}, {"strength", 1.0}}; }
    static QAction* expert_action(const QToolButton* button, const QString& expert) {
        for (QAction* action : button->menu()->actions())
            if (action->data().toString() == expert) return action;
        return nullptr;
    }

private slots:
    void a_clip_that_begins_anew_keeps_its_windows() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        const auto begin_anew = [&](QVariantMap forcing, int frames) {
            Request request = app::tiny_request();
            request.frames = frames;
            document.load(request);
            forcing.insert("video", home.file("before.mp4"));
            forcing.insert("video_frames", 9);
            QVERIFY(document.set_value("forcing", forcing).isEmpty());
            QVERIFY(document.wait_resolved(20000));
            QVERIFY2(document.resolved(), qPrintable(document.issue("forcing").line()));
            studio.find<QToolButton>("begin-anew")->click();
            QVERIFY(document.wait_resolved(20000));
            QVERIFY(document.resolved() && document.resolved()->forcing->video.empty() &&
                    !document.resolved()->forcing->video_frames);
        };
        app::write_clip(home.file("before.mp4"), 48, 32, 12);
        begin_anew({{"base", 13}, {"overlap", 5}, {"condition_noise", 20}, {"ar_step", 2}}, 29);
        QVERIFY(document.asked().forcing);
        QCOMPARE(*document.asked().forcing, (Forcing{.ar_step = 2, .overlap = 5, .base = 13, .condition_noise = 20}));
        // Also windows that the user did not ask for.
        const int usual = document.default_value("frames").toInt();
        begin_anew({{"overlap", 5}}, 2 * usual - 1);
        QCOMPARE(document.resolved()->forcing->base, usual);
        QCOMPARE(document.resolved()->forcing->overlap, 5);
        // A setting that belongs to the video alone goes with it.
        begin_anew({{"overlap", 5}}, 29);
        QVERIFY(!document.asked().forcing);
    }

    /// The pictures that a clip begins with are in the cut already, so it only adds the others.
    void an_extension_says_what_it_adds() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        Request request = app::tiny_request();
        request.frames = 29;
        request.fps = 24;
        document.load(request);
        QVERIFY(document.wait_resolved(20000));
        const auto says = [&](const QString& length) {
            const auto labels = studio.window().findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](QLabel* label) { return label->text() == length; });
        };
        QVERIFY(says("1.2 s"));
        app::write_clip(home.file("before.mp4"), 48, 32, 12);
        QVERIFY(
            document.set_value("forcing", QVariantMap{{"video", home.file("before.mp4")}, {"overlap", 5}}).isEmpty());
        QVERIFY(document.wait_resolved(20000));
        QVERIFY(says("+1.0 s"));
        QVERIFY(!says("1.2 s"));
    }

    void guidance_ends_where_it_is_told_to() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        document.load(app::tiny_request());
        auto* until = studio.find<NumberEdit>("guidance_until");
        QVERIFY(document.wait_resolved(20000));
        QVERIFY(!document.has_value("guidance_until") && !field_of(until)->is_changed());
        QCOMPARE(until->text(), until->specialValueText());
        emit until->edited(950);
        QVERIFY(document.wait_resolved(20000));
        QVERIFY(document.resolved());
        QCOMPARE(document.resolved()->guidance_until, 950.0);
        QVERIFY(document.is_changed("guidance_until") && field_of(until)->is_changed());
        const int guided = document.estimate().guided_steps, all = document.estimate().steps;
        QVERIFY(guided > 0 && guided < all && all == *document.resolved()->steps);
        QCOMPARE(field_of(until)->findChild<QLabel*>("hint")->text(),
                 QStringLiteral("%1 of %2 steps").arg(guided).arg(all));
        document.set_value("guidance_until", 400.5);
        QVERIFY(document.wait_resolved(20000));
        QCOMPARE(until->value(), 400.5);
        document.set_value("guidance", 1); // nothing is guided
        QVERIFY(document.wait_resolved(20000));
        QVERIFY(field_of(until)->findChild<QLabel*>("hint")->text().isEmpty());
        QVERIFY(until->toolTip().contains(until->specialValueText())); // the default is in the tooltip
        field_of(until)->findChild<QToolButton*>("reset")->click();
        QVERIFY(!document.has_value("guidance_until"));
        QCOMPARE(until->value(), 0.0);
    }

    /// A long run of one window is restored as one from the history, which is said beside its fields.
    void a_run_of_one_window_is_restored_as_one() {
        const app::Home home;
        RunRecord record = app::fake_record(1);
        record.request.frames = 193;
        const std::filesystem::path folder = app::to_path(home.data("runs/run-000001"));
        std::filesystem::create_directories(folder.parent_path());
        record.out = folder / "video.mp4";
        const Request made = record.request;
        RunFolder::create(folder, std::move(record));
        StudioFixture studio;
        auto& document = studio.core().document;
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 1, 30000);
        list->setCurrentIndex(list->model()->index(0, 0));
        studio.find<QAction>("run.restore")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!studio.core().inputs.busy(), 30000);
        QVERIFY(document.wait_resolved(20000));
        QVERIFY2(document.resolved(), qPrintable(document.issues().value(0).line()));
        QCOMPARE(document.resolved()->forcing->base, 193);
        QCOMPARE(Pipeline::step_count(*document.resolved()), *made.steps);
        auto* base = studio.find<NumberEdit>("base");
        QCOMPARE(base->value(), 193.0);
        field_of(base)->findChild<QToolButton*>("reset")->click(); // as a new clip is made
        QVERIFY(document.wait_resolved(20000));
        QCOMPARE(document.resolved()->forcing->base, document.default_value("frames").toInt());
    }

    void two_experts_have_a_guidance_and_loras_each() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        document.load(app::tiny_request());
        const QString style = QFileInfo(DENOIR_FIXTURES "/_inputs/style-kohya.safetensors").absoluteFilePath(),
                      low_style = home.file("style_low_noise.safetensors");
        QVERIFY(QFile::copy(style, low_style));
        document.set_value("loras", QVariantList{lora(style), lora(low_style)});
        QVERIFY(document.wait_resolved(20000));
        auto* guidance_low = studio.find<NumberEdit>("guidance_low");
        const auto experts = [&] { return studio.find<LoraList>("loras")->findChildren<QToolButton*>("lora-expert"); };
        QCOMPARE(experts().size(), 2);
        QVERIFY(!guidance_low->isVisible() && !experts()[0]->isVisible());

        document.set_value("model", two_expert_model(home));
        QVERIFY(document.wait_resolved(20000));
        QVERIFY2(document.resolved(), qPrintable(document.issues().value(0).line()));
        QVERIFY(guidance_low->isVisible() && experts()[0]->isVisible() && experts()[1]->isVisible());
        QCOMPARE(guidance_low->value(), 3.0);
        document.set_value("guidance", 6); // it counts for both experts, unless the low one has its own
        QVERIFY(document.wait_resolved(20000));
        QCOMPARE(guidance_low->value(), 6.0);
        QCOMPARE(document.resolved()->guidance_low, 6.0);
        QVERIFY(!document.is_changed("guidance_low"));
        emit guidance_low->edited(2.5);
        QVERIFY(document.wait_resolved(20000));
        QCOMPARE(document.resolved()->guidance_low, 2.5);
        QVERIFY(guidance_low->toolTip().contains("low-noise") && guidance_low->toolTip().contains("Default"));

        QCOMPARE(experts()[0]->text(), QStringLiteral("(both)"));
        QCOMPARE(experts()[1]->text(), QStringLiteral("(low)"));
        expert_action(experts()[0], "high")->trigger();
        QCOMPARE(document.asked().loras[0].expert, Expert::high);
        QVERIFY(!document.asked().loras[1].expert);
        QCOMPARE(experts()[0]->text(), QStringLiteral("high"));
        QVERIFY(expert_action(experts()[0], "high")->isChecked());
        for (const auto* name : studio.find<LoraList>("loras")->findChildren<ElidedLabel*>())
            QVERIFY2(name->width() > 40, qPrintable(QString::number(name->width())));
        studio.picture("request-docks-1-two-experts");
        expert_action(experts()[1], "both")->trigger();
        QCOMPARE(document.asked().loras[1].expert, Expert::none);
        expert_action(experts()[1], "")->trigger();
        QVERIFY(!document.asked().loras[1].expert);

        // A value that the model has no use for stays visible and is removed by its button.
        document.set_value("model", QStringLiteral(DENOIR_TINY_MODEL));
        QVERIFY(document.wait_resolved(20000));
        QVERIFY(experts()[0]->isVisible() && !experts()[1]->isVisible());
        QVERIFY(guidance_low->isVisible() && shows_error(field_of(guidance_low)));
        field_of(guidance_low)->findChild<QToolButton*>("reset")->click();
        QVERIFY(document.wait_resolved(20000));
        QVERIFY(!guidance_low->isVisible() && !document.asked().guidance_low);
    }

    /// It is said before the run is started, and not when it fails.
    void a_card_that_is_not_there_is_said() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        document.load(app::tiny_request());
        QVERIFY(document.wait_resolved(20000));
        auto* changes = studio.find<QLabel>("changes");
        QVERIFY(!changes->isVisible());
        QVERIFY(!said(studio).contains("cuda:63"));
        document.set_value("device", "cuda:63");
        QTRY_VERIFY_WITH_TIMEOUT(changes->isVisible() && !changes->text().isEmpty(), 30000);
        QVERIFY2(changes->text().contains("CUDA") || changes->text().contains("cuda"), qPrintable(changes->text()));
        QCOMPARE(studio.find<QLabel>("estimate")->text(), QStringLiteral("cannot start yet"));
        const app::Issue issue = studio.core().estimator.issue({Device::Kind::cuda, 63});
        QVERIFY2(!issue.isEmpty() && said(studio).contains(issue.line()), qPrintable(said(studio)));
        document.set_value("device", "cpu");
        QTRY_VERIFY_WITH_TIMEOUT(!changes->isVisible(), 30000);
        QVERIFY(studio.find<QLabel>("estimate")->text().contains("fits"));
        QVERIFY(!studio.find<QLabel>("estimate")->text().startsWith("each"));
        studio.find<QSpinBox>("copies")->setValue(4);
        QVERIFY(studio.find<QLabel>("estimate")->text().startsWith("each"));
    }

    void changes_that_are_folded_away_are_told() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        document.load(app::tiny_request());
        QVERIFY(document.wait_resolved(20000));
        auto* more = studio.find<QToolButton>("more");
        QCOMPARE(more->text(), QStringLiteral("• More"));
        QVERIFY2(more->toolTip().contains("Threads"), qPrintable(more->toolTip()));
        for (const char* key : {"threads", "dtype", "precision"}) document.reset(key);
        QVERIFY(document.wait_resolved(20000));
        QCOMPARE(more->text(), QStringLiteral("More"));
        QVERIFY(more->toolTip().isEmpty());
        auto* changes = studio.find<QLabel>("changes");
        QVERIFY(!changes->isVisible());
        document.set_values({{"dtype", "bf16"}, {"precision", "f32"}}, "precision");
        QVERIFY(document.wait_resolved(20000));
        QCOMPARE(studio.find<QLabel>("estimate")->text(), QStringLiteral("cannot start yet"));
        QVERIFY(changes->isVisible() && !changes->text().isEmpty());
        more->click(); // it stands under its field now
        auto* field = field_of(studio.find<QComboBox>("precision"));
        QVERIFY(field->isVisible() && shows_error(field) && !changes->isVisible());
        more->click();
        QVERIFY(changes->isVisible());
    }

    /// Also in a window that is too low for it, where nothing would seem to happen.
    void what_is_unfolded_comes_into_sight() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        studio.window().resize(1280, 840);
        auto* more = studio.find<QToolButton>("more");
        QTRY_VERIFY(!more->visibleRegion().isEmpty());
        more->click();
        for (const char* key : {"guidance_until", "precision", "latents"})
            QTRY_VERIFY2(!studio.find<QWidget>(key)->visibleRegion().isEmpty(), key);
        QVERIFY(!more->visibleRegion().isEmpty());
        const auto* latents = studio.find<ElidedCombo>("latents");
        QVERIFY(latents && latents->shown_text(100).endsWith(u'…')); // its field is narrow
    }

    /// With as many digits as a prompt of a thousand words needs, in the window's usual size.
    void a_prompt_that_is_too_long_is_told_to_its_end() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto* count = studio.find<ElidedLabel>("prompt-tokens");
        studio.find<QPlainTextEdit>("prompt")->setPlainText(QStringLiteral("a large red ball ").repeated(400));
        QTRY_VERIFY2_WITH_TIMEOUT(count->whole().contains("cut off"), qPrintable(count->whole()), 20000);
        QTRY_COMPARE(count->text(), count->whole());
    }

    void what_a_field_cannot_take_is_told_below_it() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        document.load(app::tiny_request());
        QVERIFY(document.wait_resolved(20000));
        const auto write = [&](QLineEdit* line, const char* text) {
            line->setFocus();
            studio.key(Qt::Key_A, Qt::ControlModifier);
            studio.type(QString::fromLatin1(text));
            studio.key(Qt::Key_Return);
            (void)document.wait_resolved(20000);
        };
        const auto hint = [](QWidget* control) {
            const auto* label = field_of(control)->findChild<QLabel*>("hint");
            return label->isVisible() ? label->text() : QString();
        };
        auto* steps = studio.find<QDoubleSpinBox>("steps");
        write(steps->findChild<QLineEdit*>(), "5000");
        QCOMPARE(document.value("steps").toInt(), 1000);
        QCOMPARE(hint(steps), QStringLiteral("5000 became 1000: at least 1, at most 1000"));
        write(steps->findChild<QLineEdit*>(), "5");
        QVERIFY(hint(steps).isEmpty());
        studio.find<QToolButton>("more")->click();
        auto* threads = studio.find<QDoubleSpinBox>("threads");
        write(threads->findChild<QLineEdit*>(), "9999");
        QVERIFY2(hint(threads).contains("at most 1024"), qPrintable(hint(threads)));
        // The nearest size that the model can make, in one undo step.
        auto* size = studio.find<QComboBox>("size");
        // Without the time, because the processor's short trial may end meanwhile.
        const auto estimate_of_memory = [&] {
            return studio.find<QLabel>("estimate")->text().section(QChar(0xB7), -1);
        };
        const QString before = size->currentText(), estimate = estimate_of_memory();
        write(size->lineEdit(), "100x50");
        QCOMPARE(size->currentText(), QStringLiteral("96×48"));
        QCOMPARE(document.value("width").toInt(), 96);
        QVERIFY2(hint(size).startsWith("100×50 became 96×48"), qPrintable(hint(size)));
        studio.core().project.undo().undo();
        QVERIFY(document.wait_resolved(20000));
        QCOMPARE(size->currentText(), before);
        QTRY_COMPARE(estimate_of_memory(), estimate);
        // For a text that is no size there is no estimate.
        write(size->lineEdit(), "99999x16");
        QVERIFY(shows_error(field_of(size)));
        QCOMPARE(studio.find<QLabel>("estimate")->text(), QStringLiteral("cannot start yet"));
        write(size->lineEdit(), "64x48");
        QVERIFY(!shows_error(field_of(size)));
        QVERIFY(studio.find<QLabel>("estimate")->text() != QStringLiteral("cannot start yet"));
    }

    /// While a model is read its negative prompt is not known. Neither "none" nor the one of the model before may be
    /// shown.
    void a_models_negative_prompt_waits_for_the_model() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        QVERIFY(document.wait_resolved(20000));
        document.load(app::tiny_request());
        QVERIFY(document.pending());
        studio.find<QAction>("edit.negative-default")->trigger();
        QVERIFY2(said(studio).contains("still being looked at"), qPrintable(said(studio)));
        QVERIFY(!document.has_value("negative_prompt"));
        QVERIFY(document.wait_resolved(20000));
        studio.find<QAction>("edit.negative-default")->trigger();
        QVERIFY(document.has_value("negative_prompt"));
        QCOMPARE(document.value("negative_prompt"), document.default_value("negative_prompt"));
    }

    /// Some models have a long default. The dots show that it goes on.
    void a_long_placeholder_ends_in_dots() {
        PromptEdit edit;
        edit.resize(200, 60);
        edit.show();
        const QString words = QString("worst quality, blurred details, static, ").repeated(8);
        edit.set_placeholder(words);
        const QString shown = edit.placeholderText();
        QVERIFY2(shown.startsWith("worst quality, blurred") && shown.endsWith(QChar(0x2026)), qPrintable(shown));
        QCOMPARE(edit.toolTip(), words);
        edit.show_text("a blurred picture"); // then none of it is shown
        QCOMPARE(edit.toolTip(), QString());
        edit.show_text({});
        QCOMPARE(edit.toolTip(), words);
        edit.resize(600, 200);
        QTRY_COMPARE(edit.placeholderText(), words);
        QCOMPARE(edit.toolTip(), QString());
        QFont larger = edit.font(); // without a change of size
        larger.setPixelSize(40);
        edit.setFont(larger);
        QVERIFY2(edit.placeholderText().endsWith(QChar(0x2026)), qPrintable(edit.placeholderText()));
    }

    /// A style sheet makes Qt leave out the titles of sections.
    void samples_and_prompts_used_before_have_headings() {
        const app::Home home;
        StudioFixture studio;
        studio.core().prompts.add("a fox");
        QMenu& menu = *studio.find<QToolButton>("prompt-samples")->menu();
        emit menu.aboutToShow();
        QStringList headings;
        for (const QAction* action : menu.actions())
            if (!action->isSeparator() && !action->isEnabled()) headings << action->text();
        QCOMPARE(headings, QStringList({"Samples", "Used before"}));
    }

    /// A negative prompt that was emptied is not the default.
    void an_empty_negative_prompt_is_said() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        auto* negative = studio.find<QPlainTextEdit>("negative-prompt");
        studio.find<QToolButton>("negative-toggle")->click();
        QTRY_VERIFY(negative->isVisible());
        QVERIFY(!document.default_value("negative_prompt").toString().isEmpty());
        const QString standard = negative->placeholderText();
        QVERIFY2(standard.startsWith("The model's default"), qPrintable(standard));
        const auto tokens = [&] { return studio.find<ElidedLabel>("negative-tokens")->whole(); };
        document.set_value("negative_prompt", "");
        QVERIFY(document.resolved()->negative_prompt->empty());
        QVERIFY2(!negative->placeholderText().contains("default:"), qPrintable(negative->placeholderText()));
        document.reset("negative_prompt");
        // They are not the tokens of the empty prompt, which may still be shown.
        QTRY_VERIFY_WITH_TIMEOUT(tokens().contains('/') && !tokens().startsWith("1/"), 20000);
        const QString all = tokens();
        document.set_value("negative_prompt", "");
        QTRY_VERIFY2_WITH_TIMEOUT(tokens().startsWith("1/"), qPrintable(tokens()), 20000);
        document.reset("negative_prompt");
        QCOMPARE(negative->placeholderText(), standard);
        QTRY_COMPARE_WITH_TIMEOUT(tokens(), all, 20000);
    }

    /// Before a model is found there is no value to begin with.
    void an_unknown_value_cannot_be_dragged() {
        const app::BareHome home;
        StudioFixture studio;
        auto& document = studio.core().document;
        QVERIFY(document.wait_resolved(20000));
        QVERIFY2(!document.value("width").isValid() && !document.value("steps").isValid(), "a default is known");
        for (const char* name : {"size", "steps"}) {
            Field* field = nullptr;
            for (auto* each : studio.window().findChildren<Field*>())
                if (each->control()->objectName() == QLatin1String(name)) field = each;
            QVERIFY(field);
            emit field->label()->scrubbed(3);
            for (auto* button : field->findChildren<QToolButton*>())
                if (button->toolTip().startsWith("Swap")) button->click();
            QVERIFY(field->findChild<QLabel*>("error")->text().isEmpty());
        }
        for (const char* key : {"width", "height", "steps"}) QVERIFY2(!document.has_value(key), key);
    }

    /// As far as sizes can be typed, whichever side is longer.
    void the_size_is_dragged_as_far_as_it_may_be_typed() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        auto& document = studio.core().document;
        const auto* edit = studio.find<QComboBox>("size");
        ScrubLabel* label = nullptr;
        for (auto* each : studio.window().findChildren<Field*>())
            if (each->control() == edit) label = each->label();
        QVERIFY(label);
        const auto dragged = [&](const QString& from, int notches) {
            edit->lineEdit()->setText(from);
            edit->lineEdit()->setModified(true);
            emit edit->lineEdit()->editingFinished();
            for (int i = 0; i < 2; ++i) emit label->scrubbed(notches);
            return QStringLiteral("%1×%2").arg(document.value("width").toInt()).arg(document.value("height").toInt());
        };
        QCOMPARE(dragged("4096×2048", 1000), QStringLiteral("8192×4096"));
        QCOMPARE(dragged("2048×4096", 1000), QStringLiteral("4096×8192"));
        const int least = document.variant().multiple();
        QCOMPARE(dragged("64×64", -1000), QStringLiteral("%1×%1").arg(least));
    }

    /// Below the button, where the field itself is not visible. Names of files are shown as they are.
    void errors_are_no_rich_text() {
        const app::Home home;
        StudioFixture studio;
        load_tiny(studio);
        studio.find<QDockWidget>("images-dock")->hide();
        studio.core().document.set_value("image", "/nowhere/<b>x</b>");
        QVERIFY(studio.core().document.wait_resolved(20000));
        const auto* told = studio.find<QLabel>("changes");
        QVERIFY2(told->text().contains("<b>"), qPrintable(told->text()));
        QCOMPARE(told->textFormat(), Qt::PlainText);
    }

    void a_selection_without_the_focus_is_quiet() {
        const app::Home home;
        StudioFixture studio;
        const QPalette palette = studio.find<QWidget>("prompt")->palette();
        const Colours c = colours(qApp->palette());
        QCOMPARE(palette.color(QPalette::Active, QPalette::Highlight), c.accent);
        QCOMPARE(palette.color(QPalette::Inactive, QPalette::Highlight), c.selection);
    }

    void the_seed_is_seen_in_a_low_window() {
        const app::Home home;
        StudioFixture studio(Layout::create, Scheme::dark, {1280, 720});
        studio.core().document.load(app::tiny_request());
        QVERIFY(studio.core().document.wait_resolved(20000));
        const auto* seed = studio.find<QLineEdit>("seed");
        QTRY_COMPARE(seed->visibleRegion().boundingRect().size(), seed->size());
    }

    /// A folder is added where the model is chosen. If it holds a single model, that is chosen, which can be undone.
    void a_folder_with_one_model_is_the_model() {
        namespace fs = std::filesystem;
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        document.load(app::tiny_request());
        QVERIFY(document.wait_resolved(20000));
        const auto add = [&](const char* path) {
            fs::create_directories(app::to_path(home.file(path)).parent_path());
            fs::copy(DENOIR_TINY_MODEL, app::to_path(home.file(path)), fs::copy_options::recursive);
            return home.file(path);
        };
        auto* box = studio.find<ElidedCombo>("model");
        const QString before = document.value("model").toString();
        const QString one = add("one/Wan2.1-a-name-far-too-long-for-a-box-of-this-width-T2V-1.3B");
        studio.open({home.file("one")});
        QTRY_COMPARE_WITH_TIMEOUT(document.value("model").toString(), one, 30000);
        QVERIFY2(box->toolTip().contains(one), qPrintable(box->toolTip()));
        studio.picture("request-docks-3-long-name");
        studio.core().project.undo().undo();
        QCOMPARE(document.value("model").toString(), before);
        add("two/a"), add("two/b");
        studio.open({home.file("two")});
        QTRY_VERIFY_WITH_TIMEOUT(studio.core().models.wait_looked(1000) && box->findData(home.file("two/b")) >= 0,
                                 30000);
        QCOMPARE(document.value("model").toString(), before); // the user has not said which one

        const QString third = add("three/c");
        box->setFocus();
        studio.key(Qt::Key_End); // not even by keys that pass through the list
        QVERIFY(!box->is_command(box->currentIndex()) && box->is_command(box->count() - 1));
        const QString chosen = document.value("model").toString();
        box->showPopup();
        box->view()->setCurrentIndex(box->model()->index(box->count() - 1, 0));
        QTest::keyClick(box->view(), Qt::Key_Return);
        QVERIFY(studio.answer_file_dialog(home.file("three")));
        QCOMPARE(box->currentData().toString(), chosen);
        QTRY_COMPARE_WITH_TIMEOUT(document.value("model").toString(), third, 30000);
    }

    void the_cache_says_which_steps_are_whole() {
        const app::Home home;
        StudioFixture studio;
        auto& document = studio.core().document;
        document.load(app::tiny_request());
        QVERIFY(document.wait_resolved(20000));
        studio.find<QToolButton>("more")->click();
        auto* whole = studio.find<QComboBox>("cache.ret_steps");
        QVERIFY(!whole->isVisible());
        document.set_value("cache", QVariantMap{{"threshold", 0.2}, {"coefficients", QVariantList{1, 0}}});
        QVERIFY(document.wait_resolved(20000));
        QVERIFY(whole->isVisible() && !whole->currentData().toBool());
        whole->setFocus();
        QTest::keyClick(whole, Qt::Key_Down);
        QCOMPARE(*document.asked().cache, (StepCaching{.threshold = 0.2, .ret_steps = true, .coefficients = {1, 0}}));
        QVERIFY(document.wait_resolved(20000));
        QVERIFY(document.resolved() && document.resolved()->cache->ret_steps);
        for (QWidget* above = whole; above; above = above->parentWidget())
            if (auto* page = qobject_cast<QScrollArea*>(above)) page->ensureWidgetVisible(whole);
        studio.picture("request-docks-2-whole-steps");
        field_of(whole)->findChild<QToolButton*>("reset")->click();
        QVERIFY(!document.asked().cache->ret_steps && document.asked().cache->threshold == 0.2);
        QVERIFY(!whole->currentData().toBool());
    }
};

int main(int argc, char** argv) { return run_window_test<RequestDocksTest>(argc, argv); }

#include "request_docks_test.moc"
