// SPDX-License-Identifier: Apache-2.0
#include <QAbstractItemModelTester>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTest>
#include <fstream>

#include "app/base/text.h"
#include "app/desktop/single_instance.h"
#include "app/request/estimator.h"
#include "app/request/model_catalogue.h"
#include "app/request/prompt_history.h"
#include "app/request/tokens.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/safetensors_writer.h"
#include "tests/app/arrivals.h"
#include "tests/app/home.h"
#include "tests/app/tiny.h"

using namespace denoir;
using namespace denoir::app;
namespace fs = std::filesystem;

namespace {

QString text(const char* t) { return QString::fromUtf8(t); }
enum Second { is_first = 3, no_answer = 5, handed_over = 7 }; ///< exit codes of a second studio
const fs::path fixtures = DENOIR_FIXTURES "/_models";

} // namespace

class ServicesTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        home_.emplace();
        qputenv("DENOIR_RESOURCES", home_->file(text("resources")).toUtf8());
    }
    void cleanup() {
        qunsetenv("DENOIR_RESOURCES");
        home_.reset();
    }

    void prompts_are_walked_like_a_shell() {
        PromptHistory history;
        QVERIFY(history.previous(text("new")).isNull());
        history.add(text("one"));
        history.add(text("two"));
        history.add(text("one")); // each once
        history.add(text("  "));
        QCOMPARE(history.prompts(), (QStringList{text("two"), text("one")}));
        QCOMPARE(history.previous(text("draft")), text("one"));
        QCOMPARE(history.previous(text("one")), text("two"));
        QVERIFY(history.previous(text("two")).isNull());
        QCOMPARE(history.next(), text("one"));
        QCOMPARE(history.next(), text("draft"));
        QVERIFY(history.next().isNull());
        QCOMPARE(history.previous(text("one")), text("two")); // what is shown is no step back
    }
    void prompts_are_kept() {
        {
            PromptHistory history;
            for (int i = 0; i < PromptHistory::limit + 20; ++i) history.add(QString::number(i));
        }
        QCOMPARE(PromptHistory().prompts().size(), PromptHistory::limit);
        QCOMPARE(PromptHistory().prompts().last(), QString::number(PromptHistory::limit + 19));
    }

    void tokens_by_the_models_own_tokenizer() {
        Tokens tokens;
        Arrivals counted(&tokens, &Tokens::counted), failed(&tokens, &Tokens::failed);
        tokens.count(text("prompt"), text("ab c"), text(DENOIR_TINY_MODEL));
        QTRY_COMPARE_WITH_TIMEOUT(counted.count(), 1, 20000);
        QCOMPARE(counted[0][0].toString(), text("prompt"));
        QCOMPARE(counted[0][1].toInt(), 6); // _ a b _ c </s>
        QCOMPARE(counted[0][2].toInt(), 64);
        tokens.count(text("negative"), QString(500, QLatin1Char('x')), text(DENOIR_TINY_MODEL));
        QTRY_COMPARE_WITH_TIMEOUT(counted.count(), 2, 20000);
        QCOMPARE(counted[1][1].toInt(), 502);
        tokens.count(text("prompt"), text("a"), text("/no/such/model"));
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 20000);
        QCOMPARE(failed[0][1].value<Issue>().field, text("model"));
    }

    void models_are_found_and_described() {
        const fs::path folder = to_path(home_->file(text("models-here")));
        fs::create_directories(folder / "deep");
        fs::copy(DENOIR_TINY_MODEL, folder / "tiny", fs::copy_options::recursive);
        fs::copy(fixtures / "SkyReels-V2-I2V-tiny", folder / "deep" / "i2v", fs::copy_options::recursive);
        fs::copy(DENOIR_TINY_MODEL, folder / "half", fs::copy_options::recursive);
        fs::remove(folder / "half" / "Wan2.1_VAE.safetensors");
        fs::copy(DENOIR_TINY_MODEL, folder / "vace", fs::copy_options::recursive);
        auto tensors = read_safetensors(folder / "vace" / "model.safetensors");
        tensors["vace_patch_embedding.bias"] = Tensor::host({4});
        write_safetensors(folder / "vace" / "model.safetensors", tensors);
        fs::create_directories(folder / "other");
        std::ofstream(folder / "other" / "broken.safetensors") << "no tensors";
        std::ofstream(folder / "readme.txt") << "hello";

        ModelCatalogue models;
        const QAbstractItemModelTester tester(&models, QAbstractItemModelTester::FailureReportingMode::QtTest);
        models.set_folders({to_qstring(folder)});
        QVERIFY(models.wait_looked(30000));
        const auto row = [&](const fs::path& path) { return models.index(models.row_of(to_qstring(path))); };
        const auto state = [&](const fs::path& path) {
            return ModelCatalogue::State(row(path).data(ModelCatalogue::StateRole).toInt());
        };
        QCOMPARE(state(folder / "tiny"), ModelCatalogue::State::ready);
        QCOMPARE(row(folder / "tiny").data(ModelCatalogue::FamilyRole).toString(), text("skyreels-df"));
        QCOMPARE(row(folder / "tiny").data(ModelCatalogue::DTypeRole).toString(), text("f32"));
        QCOMPARE(row(folder / "tiny").data(ModelCatalogue::FitsRole).toString(), text("fits"));
        QSignalSpy judged(&models, &QAbstractItemModel::dataChanged);
        models.set_available(1000); // a very small card
        QCOMPARE(judged.count(), 1);
        QCOMPARE(row(folder / "tiny").data(ModelCatalogue::FitsRole).toString(), text("too large"));
        models.set_available(0);
        QCOMPARE(row(folder / "tiny").data(ModelCatalogue::FitsRole).toString(), text("fits"));
        QVERIFY(row(folder / "tiny").data(ModelCatalogue::BytesRole).toULongLong() > 100000);
        QCOMPARE(row(folder / "tiny").data(ModelCatalogue::TasksRole).toMap().size(), 3);
        QCOMPARE(state(folder / "deep" / "i2v"), ModelCatalogue::State::ready);
        QCOMPARE(row(folder / "deep" / "i2v").data(ModelCatalogue::VariantRole).toString(), text("i2v"));
        QCOMPARE(state(folder / "half"), ModelCatalogue::State::incomplete);
        QCOMPARE(row(folder / "half").data(ModelCatalogue::MissingRole).toStringList(), QStringList{text("VAE")});
        QCOMPARE(state(folder / "other" / "broken.safetensors"), ModelCatalogue::State::unreadable);
        QVERIFY(!row(folder / "other" / "broken.safetensors").data(ModelCatalogue::IssueRole).value<Issue>().isEmpty());
        // A relative that no run would begin with is not called ready.
        QCOMPARE(state(folder / "vace"), ModelCatalogue::State::unreadable);
        const Issue relative = row(folder / "vace").data(ModelCatalogue::IssueRole).value<Issue>();
        QVERIFY2(relative.message.contains(text("VACE")), qPrintable(relative.line()));
        QCOMPARE(models.rowCount(), 5);
        QVERIFY(models.bundled().isEmpty());

        // The folder is watched.
        fs::remove_all(folder / "tiny");
        QTRY_COMPARE_WITH_TIMEOUT(models.rowCount(), 4, 20000);
        models.set_folders({});
        QVERIFY(models.wait_looked(20000));
        QCOMPARE(models.rowCount(), 0);
    }

    /// As in ComfyUI/models/diffusion_models/WanVideo/I2V, where several transformers lie in a folder.
    void models_deep_in_folders_are_found() {
        const fs::path root = to_path(home_->file(text("deep-models"))), place = root / "2" / "3" / "4" / "5" / "6";
        fs::create_directories(place / "7");
        for (const char* name : {"one.safetensors", "two.safetensors", "7/beyond.safetensors"})
            fs::copy(fs::path(DENOIR_TINY_MODEL) / "model.safetensors", place / name);
        ModelCatalogue models;
        models.set_folders({to_qstring(root)});
        QVERIFY(models.wait_looked(30000));
        for (const char* name : {"one.safetensors", "two.safetensors"})
            QVERIFY2(models.row_of(to_qstring(place / name)) >= 0, name);
        QCOMPARE(models.rowCount(), 2);
    }
    /// What fills one watched folder takes nothing from the next, nor what lies deep from what is near.
    void a_full_folder_hides_no_other() {
        const fs::path full = to_path(home_->file(text("full"))), other = to_path(home_->file(text("other-models")));
        fs::create_directories(full / "a" / "deep");
        for (int i = 0; i < 20'100; ++i) fs::create_symlink("nothing", full / "a" / "deep" / std::to_string(i));
        fs::create_directories(other);
        fs::copy(DENOIR_TINY_MODEL, full / "z", fs::copy_options::recursive);
        fs::copy(DENOIR_TINY_MODEL, other / "tiny", fs::copy_options::recursive);
        ModelCatalogue models;
        models.set_folders({to_qstring(full), to_qstring(other)});
        QVERIFY(models.wait_looked(60000));
        QVERIFY(models.row_of(to_qstring(full / "z")) >= 0);
        QVERIFY(models.row_of(to_qstring(other / "tiny")) >= 0);
    }

    void the_bundled_model_comes_first() {
        fs::create_directories(to_path(home_->file(text("resources"))));
        fs::copy(DENOIR_TINY_MODEL, to_path(home_->file(text("resources/demo-model"))), fs::copy_options::recursive);
        ModelCatalogue models;
        QVERIFY(models.wait_looked(20000));
        QCOMPARE(models.rowCount(), 1);
        QCOMPARE(models.row_of({}), 0);
        QVERIFY(models.index(0).data(ModelCatalogue::BundledRole).toBool());
    }

    void forecasts_learn_and_say_what_to_change() {
        const ModelFolder model = ModelFolder::open(DENOIR_TINY_MODEL);
        Request r = Pipeline::resolve(tiny_request(), model);
        const Estimate work = Pipeline::estimate(r, model);
        {
            Estimator estimator;
            QCOMPARE(estimator.forecast(r, work).seconds, -1.0);
            RunRecord record;
            record.request = r;
            record.total_steps = 3;
            record.stages = {{"load_text", 0.5}, {"text", 1}, {"load_transformer", 0.5}, {"denoise", 6}, {"decode", 2}};
            QSignalSpy changed(&estimator, &Estimator::changed);
            estimator.learn(record, work);
            QCOMPARE(changed.count(), 1);
            const auto f = estimator.forecast(r, work);
            QVERIFY(std::abs(f.seconds - 10) < 1e-6);
            QVERIFY(std::abs(f.step_seconds - 2) < 1e-6);
            QCOMPARE(f.basis, Estimator::Basis::measured);
            QVERIFY(f.text.contains(text("10 s")));
            // Twice as many steps: twice the work.
            Request longer = r;
            longer.steps = 6;
            QVERIFY(std::abs(estimator.forecast(longer, Pipeline::estimate(longer, model)).denoise - 12) < 1e-6);
        }
        Estimator again; // kept
        QVERIFY(std::abs(again.forecast(r, work).seconds - 10) < 1e-6);
        QVERIFY(again.forecast(r, work, work.peak_bytes).fits);
        const auto tight = again.forecast(r, work, work.peak_bytes - 1);
        QVERIFY(!tight.fits);
        Request large = r;
        large.frames = 81, large.width = 832, large.height = 480;
        const Estimate much = Pipeline::estimate(large, model);
        const auto no = again.forecast(large, much, much.least_bytes / 3);
        QVERIFY(!no.possible && !no.changes.isEmpty());
        QCOMPARE(no.changes[0], text("use 25 frames"));
        // What is offered is enough: a seventh of the latent frames less fits into a seventh less memory.
        large.frames = 69;
        QVERIFY(again.forecast(large, Pipeline::estimate(large, model), much.least_bytes * 6 / 7).possible);
        // Weights that do not fit beside the rest: only other weights help.
        Estimate heavy = much;
        heavy.held_bytes = 4 * much.peak_bytes, heavy.peak_bytes = 5 * much.peak_bytes;
        const auto streams = again.forecast(large, heavy, 3 * much.peak_bytes);
        QVERIFY(streams.possible && !streams.fits);
        QCOMPARE(streams.changes.size(), 1);
        QVERIFY2(streams.changes[0].startsWith(text("use a model with weights")), qPrintable(streams.changes[0]));
        const auto beside = again.forecast(large, heavy, heavy.peak_bytes - much.peak_bytes / 2);
        QCOMPARE(beside.changes[0], text("use 33 frames")); // half of 18 latent frames
    }

    /// Weights that the run before left in memory are there at once: the next run's, not those of tomorrow's first.
    void weights_that_were_there_teach_no_speed() {
        const ModelFolder model = ModelFolder::open(DENOIR_TINY_MODEL);
        const Request r = Pipeline::resolve(tiny_request(), model);
        const Estimate work = Pipeline::estimate(r, model);
        const auto learn = [&](Estimator& estimator, double load) {
            RunRecord record;
            record.request = r;
            record.total_steps = 3;
            record.stages = {{"load_transformer", load}, {"denoise", 6}};
            estimator.learn(record, work);
            return estimator.forecast(r, work).load;
        };
        const auto is = [](double a, double b) { return std::abs(a - b) < 1e-6; };
        {
            Estimator today;
            QVERIFY(is(learn(today, 8), 8));
            QVERIFY(is(learn(today, 1e-5), 1e-5));
            QVERIFY(is(learn(today, 2e-5), 2e-5));
        }
        {
            Estimator tomorrow;
            QVERIFY(is(tomorrow.forecast(r, work).load, 8));
            QVERIFY(is(learn(tomorrow, 1e-5), (8 + 1e-5) / 2)); // the system kept them; an average of the times
        }
        Estimator later;
        QVERIFY(is(learn(later, 8), ((8 + 1e-5) / 2 + 8) / 2));
    }

    void what_does_not_fit_is_said_before_anything_ran() {
        const ModelFolder model = ModelFolder::open(DENOIR_TINY_MODEL);
        const Request r = Pipeline::resolve(tiny_request(), model);
        Estimate work = Pipeline::estimate(r, model);
        work.peak_bytes = 28'000'000'000, work.least_bytes = 2'000'000'000;
        const Estimator estimator;
        const auto f = estimator.forecast(r, work, 25'000'000'000);
        QVERIFY(f.possible && !f.fits);
        QCOMPARE(f.text, text("time is known after the first run · needs 28 GB of 25 GB: weights are read again in "
                              "every step"));
    }

    /// Pictures that later windows are given are no text: other requests have none of them, or more.
    void forecasts_know_what_windows_take() {
        const ModelFolder model = ModelFolder::open(DENOIR_TINY_MODEL);
        const auto request = [&](int frames, int base) {
            Request r = tiny_request();
            r.frames = frames;
            if (base > 0) r.forcing = Forcing{.overlap = 5, .base = base};
            return Pipeline::resolve(r, model);
        };
        const Request two = request(21, 13), one = request(21, 0), three = request(29, 13);
        const auto work = [&](const Request& r) { return Pipeline::estimate(r, model); };
        RunRecord record;
        record.request = two;
        record.total_steps = Pipeline::step_count(two);
        record.stages = {{"text", 1}, {"image", 2}, {"denoise", 6}, {"decode", 26}};
        Estimator estimator;
        estimator.learn(record, work(two));
        const auto same = estimator.forecast(two, work(two));
        const auto is = [](double a, double b) { return std::abs(a - b) < 1e-6; };
        QVERIFY(is(same.seconds, 35) && is(same.prompt, 1) && is(same.image, 2) && is(same.decode, 26));
        QVERIFY(is(same.before, 1) && is(same.after, 13)); // the rest of it lies between the windows
        const auto whole = estimator.forecast(one, work(one));
        QVERIFY(is(whole.prompt, 1) && is(whole.image, 0) && is(whole.decode, 21) && is(whole.after, 21));
        const auto longer = estimator.forecast(three, work(three));
        QVERIFY(is(longer.prompt, 1) && is(longer.image, 4) && is(longer.decode, 39) && is(longer.after, 13));
        Request image = one; // one frame of the five that took two seconds
        image.image = "/pictures/start.png";
        QVERIFY(is(estimator.forecast(image, work(one)).image, 0.4));
        QVERIFY(is(estimator.forecast(image, work(one)).before, 1.4));
    }

    void a_card_is_judged_by_its_own_memory_and_speed() {
        const ModelFolder model = ModelFolder::open(DENOIR_TINY_MODEL);
        Request r = Pipeline::resolve(tiny_request(), model);
        const Estimate work = Pipeline::estimate(r, model);
        quint64 free = 0;
        int looks = 0;
        Estimator estimator(nullptr, [&](const Device& device) -> Estimator::Facts {
            ++looks;
            if (device.index == 1) return {.issue = {{}, {}, text("no driver"), text("use cpu")}};
            return {.flops = device.kind == Device::Kind::cpu ? 1e9 : 1e12, .free_bytes = free};
        });
        QSignalSpy changed(&estimator, &Estimator::changed);
        estimator.look_at(Device{});
        QTRY_COMPARE(changed.count(), 1);
        r.device = Device{Device::Kind::cuda, 0};
        // Of the processor's speed nothing follows for a card.
        QCOMPARE(estimator.forecast(r, work).basis, Estimator::Basis::none);
        QVERIFY(estimator.forecast(r, work).text.contains(text("needs")));
        free = work.steps_bytes - 1;
        estimator.look_at(*r.device);
        estimator.look_at(*r.device);
        QTRY_COMPARE(changed.count(), 2);
        QCOMPARE(looks, 2); // once each
        const auto f = estimator.forecast(r, work);
        QCOMPARE(f.available_bytes, free);
        QVERIFY(!f.fits && f.possible);
        QVERIFY2(f.text.contains(text("from this machine's memory")), qPrintable(f.text));
        QVERIFY(std::abs(f.denoise / (work.flop / 0.6e12) - 1) < 1e-9);
        r.device = Device{Device::Kind::cuda, 1};
        estimator.look_at(*r.device);
        QTRY_COMPARE(changed.count(), 3);
        QCOMPARE(estimator.forecast(r, work).issue.message, text("no driver"));
    }

    void a_trial_gives_a_first_idea() {
        Estimator estimator;
        QSignalSpy changed(&estimator, &Estimator::changed);
        estimator.look_at(Device{});
        QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 1, 20000);
        const ModelFolder model = ModelFolder::open(DENOIR_TINY_MODEL);
        const Request r = Pipeline::resolve(tiny_request(), model);
        const auto f = estimator.forecast(r, Pipeline::estimate(r, model));
        QCOMPARE(f.basis, Estimator::Basis::trial);
        QVERIFY(f.seconds > 0 && f.seconds < 100);
    }

    void a_second_studio_hands_over() {
        SingleInstance first;
        QVERIFY(first.begin({}));
        QSignalSpy received(&first, &SingleInstance::arguments_received);
        QProcess second;
        second.start(QCoreApplication::applicationFilePath(), {text("--second"), text("open this.denoir")});
        QTRY_COMPARE_WITH_TIMEOUT(received.count(), 1, 20000);
        QCOMPARE(received[0][0].toStringList().last(), text("open this.denoir"));
        QTRY_COMPARE_WITH_TIMEOUT(second.state(), QProcess::NotRunning, 30000);
        QCOMPARE(second.exitCode(), handed_over);
    }

    /// Bytes that lie with the system are no answer.
    void a_studio_that_hangs_takes_nothing() {
        SingleInstance first;
        QVERIFY(first.begin({}));
        QProcess second;
        second.start(QCoreApplication::applicationFilePath(), {text("--second")});
        QVERIFY(second.waitForFinished(30000)); // without our event loop
        QCOMPARE(second.exitCode(), no_answer);
    }

    void who_starts_while_a_studio_ends_is_the_next() {
        std::optional<SingleInstance> first(std::in_place);
        QVERIFY(first->begin({}));
        first->end();
        QProcess second;
        second.start(QCoreApplication::applicationFilePath(), {text("--second")});
        QVERIFY(!second.waitForFinished(500));
        first.reset();
        QVERIFY(second.waitForFinished(30000));
        QCOMPARE(second.exitCode(), is_first);
    }

private:
    std::optional<Home> home_;
};

int main(int argc, char** argv) {
    QCoreApplication program(argc, argv);
    if (QCoreApplication::arguments().value(1) == text("--second")) {
        SingleInstance instance;
        if (instance.begin(QCoreApplication::arguments())) return is_first;
        return instance.handed_over() ? handed_over : no_answer;
    }
    ServicesTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "services_test.moc"
