// SPDX-License-Identifier: Apache-2.0
#include "engine/session/run_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>
#include <stop_token>
#include <vector>

#include "engine/core/atomic_file.h"
#include "engine/session/sha256.h"
#include "tests/engine/refusal.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

Tensor numbers(float first) {
    std::vector<float> values(2 * 1 * 2 * 2);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + float(i);
    return Tensor::from(values, {2, 1, 2, 2});
}

RunRecord record() {
    RunRecord r;
    Request& q = r.request; // a resolved request leaves nothing open
    q.mode = Mode::t2v, q.model = "/models/wan", q.family = Family::wan, q.prompt = "a \"fox\"\n",
    q.negative_prompt = "";
    q.width = 80, q.height = 48, q.frames = 9, q.fps = 16, q.steps = 3, q.guidance = 5, q.shift = 5,
    q.seed = 18446744073709551615u;
    q.sampler = Sampler::unipc, q.dtype = DType::f32, q.precision = PrecisionPolicy::f32,
    q.preprocess = Preprocess::original, q.device = Device{};
    r.out = "/videos/a.mp4";
    r.created = "2026-01-31T12:00:00Z";
    r.total_steps = 3;
    r.files = {{"/models/a.safetensors", 12, 34, ""}, {"/models/b.pth", 5, -6, std::string(64, 'a')}};
    r.stages = {{"text", 1.5}};
    r.warnings = {"careful"};
    return r;
}

class RunFolderTest : public ::testing::Test {
protected:
    fs::path path() const { return folder_.path() / "run"; }
    test::TempFolder folder_;
};

TEST_F(RunFolderTest, RecordSurvivesTheRoundTrip) {
    const Json once = to_json(record());
    EXPECT_EQ(once, to_json(record_from_json(parse_json(once.dump(), "run.json"), "/x/run.json")));
    EXPECT_TRUE(once["model_files"][0]["sha256"].is_null());
}

TEST_F(RunFolderTest, OfTwoSchemasTheRightOneIsNamed) {
    const auto field = [](const Json& json) -> std::string {
        try {
            record_from_json(json, "/x/run.json");
        } catch (const Error& e) {
            return e.field();
        }
        return "";
    };
    Json own = to_json(record()), request = own;
    own["schema"] = request["request"]["schema"] = 2;
    EXPECT_EQ(field(own), "schema");
    EXPECT_EQ(field(request), "request.schema");
}

// Whatever member is missing, null or of another type, the record is refused with an Error and never crashes.
TEST_F(RunFolderTest, RefusesChangedRecords) {
    const Json good = to_json(record());
    int refused = 0;
    for (const auto& [key, value] : good.items())
        for (const Json& other : {Json(), Json("text"), Json(-1), Json(1.5), Json(18446744073709551615u),
                                  Json::array({1}), Json::object({{"a", "b"}})}) {
            Json bad = good;
            bad[key] = other;
            try {
                record_from_json(bad, "/x/run.json");
            } catch (const Error& e) {
                EXPECT_EQ(std::string(e.what()).find("exception"), std::string::npos);
                ++refused;
            }
        }
    EXPECT_GT(refused, 90);
}

TEST_F(RunFolderTest, RefusesMoreStepsThanARunHas) {
    const auto said = [](const Json& changed) {
        return test::refusal([&] { record_from_json(changed, "/x/run.json"); });
    };
    Json more = to_json(record());
    more["total_steps"] = 100'001;
    EXPECT_NE(said(more).find("from 0 to 100000"), std::string::npos);
    more["total_steps"] = 3;
    more["steps"] = Json(std::vector<Json>(5)); // too many for three steps, which is refused before one is read
    EXPECT_NE(said(more).find("are more than the run has"), std::string::npos);
}

TEST_F(RunFolderTest, ComesBackFromTheLastWholeStep) {
    {
        RunFolder run = RunFolder::create(path(), record());
        Conditioning c;
        c.text = numbers(0).reshape({4, 2});
        run.store_conditioning(c);
        run.store_step({.step = 0}, numbers(0), {}, {});
        run.store_step({.step = 1, .seconds = 1}, numbers(1), numbers(10), {{"solver.0.m", numbers(5)}});
        run.store_step({.step = 2, .seconds = 1, .forwards = 2, .reused = 1}, numbers(2), numbers(20),
                       {{"solver.0.m", numbers(6)}});
        EXPECT_EQ(run.record().find(2)->x0_change, 10);
    }
    {
        const test::TempFolder other; // a copy has no estimate in memory, so it reads the stored one
        fs::copy(path(), other.path() / "run", fs::copy_options::recursive);
        RunFolder run = RunFolder::take(other.path() / "run");
        run.store_step({.step = 3, .seconds = 1}, numbers(3), numbers(26), {});
        EXPECT_EQ(run.record().find(3)->x0_change, 6);
    }
    RunFolder run = RunFolder::take(path());
    ASSERT_TRUE(run.load_conditioning().has_value());
    EXPECT_FALSE(run.load_conditioning()->clip.defined());
    auto state = run.last_state();
    ASSERT_TRUE(state.has_value());
    EXPECT_EQ(state->step, 2);
    EXPECT_EQ(run.record().find(2)->forwards, 2) << "nothing comes after that could be lost";
    EXPECT_EQ(run.record().find(2)->reused, 1);
    EXPECT_EQ(state->solver.at("solver.0.m").span<float>()[0], 6);
    EXPECT_EQ(run.step_tensor(1, "x0").span<float>()[0], 10);

    const fs::path aside = run.file("aside");
    fs::rename(run.latents_file(2), aside);
    // A link in a circle cannot be read, even by root.
    fs::create_symlink(run.latents_file(2).filename(), run.latents_file(2));
    EXPECT_THROW(run.last_state(), Error);
    EXPECT_EQ(run.record().steps.size(), 3u) << "it may be whole";
    fs::remove(run.latents_file(2));
    fs::rename(aside, run.latents_file(2));
    EXPECT_EQ(run.last_state()->step, 2);

    fs::resize_file(run.latents_file(2), fs::file_size(run.latents_file(2)) - 1);
    state = run.last_state();
    EXPECT_EQ(state->step, 1);
    fs::remove(run.solver_file(1));
    EXPECT_EQ(run.last_state()->step, 0);
    fs::remove(run.latents_file(0));
    EXPECT_FALSE(run.last_state().has_value());
    write_file(run.file("conditioning.safetensors"), "{}");
    EXPECT_FALSE(run.load_conditioning().has_value());
}

// A sparse file of 256 GiB takes no space on the disk and would take an hour to sum.
TEST_F(RunFolderTest, DoesNotSumFilesThatAreTooLargeForTheRun) {
    RunFolder run = RunFolder::create(path(), record());
    Conditioning c;
    c.text = numbers(0).reshape({4, 2});
    run.store_conditioning(c);
    for (int step = 0; step < 3; ++step)
        run.store_step({.step = step}, numbers(float(step)), numbers(9), {{"solver.0.m", numbers(5)}});
    constexpr std::uintmax_t huge = std::uintmax_t{1} << 38; // ThreadSanitizer cannot map four times that
    fs::resize_file(run.file("conditioning.safetensors"), huge);
    EXPECT_FALSE(run.load_conditioning().has_value());
    // The same with a table that fits the length of the file.
    std::string table = R"({"latent":{"dtype":"F32","shape":[4,1,131072,131072],"data_offsets":[0,274877906944]}})";
    table.resize((table.size() + 7) / 8 * 8, ' ');
    write_file(run.latents_file(2), std::string{char(table.size()), 0, 0, 0, 0, 0, 0, 0} + table);
    fs::resize_file(run.latents_file(2), 8 + table.size() + huge);
    EXPECT_THROW(run.step_tensor(2, "latent"), Error);
    EXPECT_FALSE(run.has_step_tensor(2, "x0"));
    fs::resize_file(run.solver_file(1), huge);
    EXPECT_THROW(run.state(1), Error);
    EXPECT_EQ(run.last_state()->step, 0);
    write_file(run.file("video.mp4"), "abc");
    const std::string sum = file_sha256(run.file("video.mp4"));
    EXPECT_TRUE(run.intact(run.file("video.mp4"), sum));
    fs::resize_file(run.file("video.mp4"), huge);
    EXPECT_FALSE(run.intact(run.file("video.mp4"), sum));
}

/// A run of that many pixels might have files of this size, so the table at the front of the file decides.
TEST_F(RunFolderTest, LooksAtTheTableBeforeItSums) {
    RunRecord large = record();
    large.request.width = large.request.height = 4096;
    RunFolder run = RunFolder::create(path(), large);
    run.store_step({.step = 0}, numbers(0), {}, {});
    fs::resize_file(run.latents_file(0), std::uintmax_t{4} << 30);
    const auto begin = std::clock();
    EXPECT_THROW(run.step_tensor(0, "latent"), Error);
    EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 0.5);
}

/// A file is summed without keeping its pages in memory, where they would count as this process's.
TEST_F(RunFolderTest, AChecksumKeepsNoPagesOfTheFile) {
    write_file(folder_.path() / "a", "");
    fs::resize_file(folder_.path() / "a", std::uintmax_t{512} << 20);
    const auto held = [] {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss; // in KiB
    };
    const auto before = held();
    EXPECT_EQ(file_sha256(folder_.path() / "a").size(), 64u);
    EXPECT_LT(held() - before, 128 << 10);
}

TEST_F(RunFolderTest, HasOneWriter) {
    RunFolder run = RunFolder::create(path(), record());
    EXPECT_TRUE(RunFolder::busy(path()));
    EXPECT_THROW(RunFolder::take(path()), Error);
    EXPECT_NO_THROW(RunFolder::open(path()));
}

TEST_F(RunFolderTest, KeepsWhatTheRequestWants) {
    for (const KeepLatents keep : {KeepLatents::all, KeepLatents::last, KeepLatents::none}) {
        RunRecord r = record();
        r.request.latents = keep;
        RunFolder run = RunFolder::create(folder_.path() / std::to_string(int(keep)), std::move(r));
        for (int step = 0; step <= 3; ++step) run.store_step({.step = step}, numbers(float(step)), {}, {});
        run.drop_latents();
        EXPECT_EQ(fs::exists(run.latents_file(1)), keep == KeepLatents::all);
        EXPECT_EQ(fs::exists(run.latents_file(3)), keep != KeepLatents::none);
    }
}

/// Three windows of two steps each: the last latent of every window is a part of the clip.
TEST_F(RunFolderTest, EachWindowHasAnEndAndEstimatesOfItsOwn) {
    RunRecord r = record();
    r.total_steps = 6;
    Request& q = r.request;
    q.mode = Mode::forcing, q.family = Family::skyreels_df, q.frames = 17, q.steps = 2;
    q.forcing = Forcing{.overlap = 5, .base = 9};
    q.latents = KeepLatents::last;
    RunFolder run = RunFolder::create(path(), std::move(r));
    run.store_step({.step = 0}, numbers(0), {}, {});
    for (int step = 1; step <= 6; ++step) {
        run.store_step({.step = step}, numbers(float(step)), numbers(10 * float(step)), {});
        EXPECT_EQ(run.record().find(step)->x0_change, step % 2 == 0 ? 10 : 0) << step;
    }
    run.drop_latents();
    for (int step = 0; step <= 6; ++step)
        EXPECT_EQ(fs::exists(run.latents_file(step)), step > 0 && step % 2 == 0) << step;
}

/// The last step drops the latent frame of an end image; the change of the estimate is then measured over the others.
TEST_F(RunFolderTest, AnEndImageIsNoPartOfTheLastChange) {
    RunRecord r = record();
    r.total_steps = 2;
    RunFolder run = RunFolder::create(path(), std::move(r));
    const Tensor before = Tensor::zeros({2, 3, 1, 2});
    std::vector<float> values(2 * 2 * 1 * 2, 5.0f);
    run.store_step({.step = 1}, before, before, {});
    run.store_step({.step = 2}, numbers(0), Tensor::from(values, {2, 2, 1, 2}), {});
    EXPECT_EQ(run.record().find(2)->x0_change, 5);
}

TEST_F(RunFolderTest, RefusesWhatIsNoRun) {
    EXPECT_THROW(RunFolder::open(folder_.path()), Error);
    EXPECT_THROW(RunFolder::open(folder_.path() / "missing"), Error);
    write_file(folder_.path() / "run.json", "{}");
    EXPECT_THROW(RunFolder::open(folder_.path()), Error);
    write_file(folder_.path() / "run.json", "[[[");
    EXPECT_THROW(RunFolder::open(folder_.path()), Error);
}

} // namespace
} // namespace denoir
