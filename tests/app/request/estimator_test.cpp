// SPDX-License-Identifier: Apache-2.0
#include "app/request/estimator.h"

#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <optional>

#include "engine/weights/model_folder.h"
#include "tests/app/home.h"
#include "tests/app/tiny.h"

using namespace denoir;
using namespace denoir::app;

class EstimatorTest : public QObject {
    Q_OBJECT
private slots:
    void init() { home_.emplace(); }
    void cleanup() { home_.reset(); }

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
            QVERIFY(f.text.contains(QStringLiteral("10 s")) && !f.text.contains(QStringLiteral("decoding")));
            Request branch = r; // a branch takes over one of the three steps
            branch.start = Request::Start{"run", 1, {}};
            QVERIFY(std::abs(estimator.forecast(branch, Pipeline::estimate(branch, model)).denoise - 4) < 1e-6);
            QVERIFY(std::abs(estimator.forecast(branch, Pipeline::estimate(branch, model)).step_seconds - 2) < 1e-6);
            // Twice as many steps are twice the work.
            Request longer = r;
            longer.steps = 6;
            QVERIFY(std::abs(estimator.forecast(longer, Pipeline::estimate(longer, model)).denoise - 12) < 1e-6);
        }
        Estimator again; // reads what the first one stored
        QVERIFY(std::abs(again.forecast(r, work).seconds - 10) < 1e-6);
        QVERIFY(again.forecast(r, work, work.peak_bytes).fits);
        const auto tight = again.forecast(r, work, work.peak_bytes - 1);
        QVERIFY(!tight.fits);
        Request large = r;
        large.frames = 81, large.width = 832, large.height = 480;
        // The keys and values of the prompts, and decoding, need the same memory for any number of frames.
        Estimate much = Pipeline::estimate(large, model);
        const auto of_latents = [&](quint64 latents) {
            much.fixed_bytes = 1'000'000'000, much.decode_bytes = 1'500'000'000;
            much.least_bytes = much.peak_bytes = much.fixed_bytes + latents * 100'000'000;
            return much;
        };
        const auto no = again.forecast(large, of_latents(21), 1'700'000'000);
        QVERIFY(!no.possible && !no.changes.isEmpty());
        QCOMPARE(no.changes[0], QStringLiteral("use 25 frames"));
        QVERIFY(again.forecast(large, of_latents(7), 1'700'000'000).possible); // the change that was offered is enough
        QVERIFY(!again.forecast(large, of_latents(21), 1'400'000'000).changes[0].contains(QStringLiteral("frames")));
        large.frames = 69;
        much = Pipeline::estimate(large, model);
        // If the weights do not fit beside the rest, only other weights help.
        Estimate heavy = much;
        heavy.held_bytes = 4 * much.peak_bytes, heavy.peak_bytes = 5 * much.peak_bytes, heavy.fixed_bytes = 0;
        const auto streams = again.forecast(large, heavy, 3 * much.peak_bytes);
        QVERIFY(streams.possible && !streams.fits);
        QCOMPARE(streams.changes.size(), 1);
        QVERIFY2(streams.changes[0].startsWith(QStringLiteral("use a model with weights")),
                 qPrintable(streams.changes[0]));
        const auto beside = again.forecast(large, heavy, heavy.peak_bytes - much.peak_bytes / 2);
        QCOMPARE(beside.changes[0], QStringLiteral("use 33 frames")); // half of the 18 latent frames
    }

    /// In whatever order the models that ran are stored.
    void a_model_that_never_ran_takes_what_others_take_on_average() {
        const ModelFolder model = ModelFolder::open(DENOIR_TINY_MODEL);
        Request r = Pipeline::resolve(tiny_request(), model);
        const Estimate work = Pipeline::estimate(r, model);
        Estimator estimator;
        for (const int seconds : {6, 4, 8, 2, 10}) {
            RunRecord record;
            record.request = r;
            record.request.model = "/models/" + std::to_string(seconds);
            record.total_steps = 3;
            record.stages = {{"denoise", seconds}};
            estimator.learn(record, work);
            record.request.model += "-cut"; // a run that ended before its first step was timed
            record.stages = {{"load_text", 1}};
            estimator.learn(record, work);
        }
        QVERIFY(std::abs(estimator.forecast(r, work).denoise - 6) < 1e-6);
        Request other = r; // in another precision, in which no model ran
        other.precision = *r.precision == PrecisionPolicy::f32 ? PrecisionPolicy::wan : PrecisionPolicy::f32;
        QVERIFY(std::abs(estimator.forecast(other, work).denoise - 6) < 1e-6);
        RunRecord cut; // and if this model's own run ended before its first step
        cut.request = r;
        cut.total_steps = 3;
        cut.stages = {{"load_text", 1}};
        estimator.learn(cut, work);
        QVERIFY(std::abs(estimator.forecast(r, work).denoise - 6) < 1e-6);
    }

    /// A small model uses little of what a device can do. From its speed a large model would be promised hours too
    /// many, and a small one from a large model's too few.
    void models_of_another_size_tell_less_than_a_trial() {
        const ModelFolder model = ModelFolder::open(DENOIR_TINY_MODEL);
        const Request small = Pipeline::resolve(tiny_request(), model);
        const Estimate work = Pipeline::estimate(small, model);
        Request large = small;
        large.model = "/models/large";
        Estimate much = work;
        much.flop *= 1000;
        double trial = 0;
        const auto look = [&](const Device&) -> Estimator::Facts { return {.flops = trial}; };
        RunRecord record;
        record.request = small;
        record.total_steps = 3;
        record.stages = {{"denoise", 6}};
        {
            Estimator estimator(nullptr, look);
            estimator.learn(record, work);
            // Without a trial the small model's speed is all that is known.
            QVERIFY(std::abs(estimator.forecast(large, much).denoise - 6000) < 1e-6);
        }
        trial = work.flop; // 1,000 s if no speed were lost
        Estimator estimator(nullptr, look);
        QSignalSpy changed(&estimator, &Estimator::changed);
        estimator.look_at(Device{}); // runs on this device are known, so no trial is needed
        estimator.look_at(small, work);
        QVERIFY(!estimator.looking());
        estimator.look_at(large, much);
        estimator.look_at(large, much);
        QTRY_COMPARE(changed.count(), 1); // asked twice, tried once
        const auto f = estimator.forecast(large, much);
        QCOMPARE(f.basis, Estimator::Basis::trial);
        QVERIFY(std::abs(f.denoise - 1000 / 0.6) < 1e-6);
        QCOMPARE(estimator.forecast(small, work).denoise, 6.0); // it has run itself
        Estimate alike = work;
        alike.flop *= 9;
        QCOMPARE(estimator.forecast(large, alike).basis, Estimator::Basis::measured);
        QVERIFY(std::abs(estimator.forecast(large, alike).denoise - 54) < 1e-6);
    }

    /// Weights that are still in memory after a run load at once in the next one, but not in tomorrow's first.
    void weights_still_in_memory_teach_no_speed() {
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
            // The system still had the files in memory, so the times are averaged.
            QVERIFY(is(learn(tomorrow, 1e-5), (8 + 1e-5) / 2));
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
        QCOMPARE(f.text,
                 QStringLiteral("time is known after the first run · needs 26 GiB of 23 GiB: weights are read again in "
                                "every step"));
    }

    /// Pictures that later windows are given take time in "image". Requests with other windows have more of them, or
    /// none.
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
        QVERIFY(is(same.before, 1) && is(same.after, 13)); // the rest of the decoding happens between the windows
        const auto whole = estimator.forecast(one, work(one));
        QVERIFY(is(whole.prompt, 1) && is(whole.image, 0) && is(whole.decode, 21) && is(whole.after, 21));
        const auto longer = estimator.forecast(three, work(three));
        QVERIFY(is(longer.prompt, 1) && is(longer.image, 4) && is(longer.decode, 39) && is(longer.after, 13));
        Request image = one; // one frame, where five took two seconds
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
            if (device.index == 1) return {.issue = {{}, {}, QStringLiteral("no driver"), QStringLiteral("use cpu")}};
            return {.flops = device.kind == Device::Kind::cpu ? 1e9 : 1e12, .free_bytes = free};
        });
        QSignalSpy changed(&estimator, &Estimator::changed);
        estimator.look_at(Device{});
        QTRY_COMPARE(changed.count(), 1);
        r.device = Device{Device::Kind::cuda, 0};
        // The processor's speed tells nothing about a card.
        QCOMPARE(estimator.forecast(r, work).basis, Estimator::Basis::none);
        QVERIFY(estimator.forecast(r, work).text.contains(QStringLiteral("needs")));
        free = work.steps_bytes - 1;
        estimator.look_at(*r.device);
        estimator.look_at(*r.device);
        QTRY_COMPARE(changed.count(), 2);
        QCOMPARE(looks, 2); // each device is looked at once
        const auto f = estimator.forecast(r, work);
        QCOMPARE(f.available_bytes, free);
        QVERIFY(!f.fits && f.possible);
        QVERIFY2(f.text.contains(QStringLiteral("from this machine's memory")), qPrintable(f.text));
        QVERIFY(std::abs(f.denoise / (work.flop / 0.6e12) - 1) < 1e-9);
        r.device = Device{Device::Kind::cuda, 1};
        estimator.look_at(*r.device);
        QTRY_COMPARE(changed.count(), 3);
        QCOMPARE(estimator.forecast(r, work).issue.message, QStringLiteral("no driver"));
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
        // The trial tells nothing about decoding.
        QVERIFY2(f.text.contains(QStringLiteral(", then decoding")), qPrintable(f.text));
    }

private:
    std::optional<BareHome> home_;
};

QTEST_GUILESS_MAIN(EstimatorTest)
#include "estimator_test.moc"
