// SPDX-License-Identifier: Apache-2.0
#include "engine/session/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <thread>

#include "engine/core/disk.h"
#include "engine/core/file.h"
#include "engine/media/image.h"
#include "engine/session/branch.h"
#include "engine/session/verify.h"
#include "engine/weights/safetensors_writer.h"
#include "tests/app/full_disk.h"
#include "tests/app/tiny.h"
#include "tests/engine/temp_folder.h"

using namespace denoir;
namespace fs = std::filesystem;

namespace {

Request tiny_request(const fs::path& model) {
    Request r = app::tiny_request();
    r.model = model;
    r.steps = 2;
    r.threads = 1;
    if (const char* device = std::getenv("DENOIR_TEST_DEVICE")) r.device = Device::parse(device);
    return r;
}

struct Outcome {
    std::vector<std::string> sums; ///< the checksums of each step's latents
    std::set<std::string> stages;
    std::size_t warnings = 0;
};

class EngineTest : public testing::Test {
protected:
    // Keeps the runs out of the user's history.
    EngineTest() { ::setenv("DENOIR_HOME", (folder_.path() / "home").c_str(), 1); }
    ~EngineTest() override { ::unsetenv("DENOIR_HOME"); }

    Outcome render_with(Engine& engine, const Request& r, const fs::path& conditioning_of = {}) {
        RenderOptions options;
        options.conditioning_of = conditioning_of;
        options.run_dir = folder_.path() / std::to_string(++runs_);
        Observer observer;
        const RenderResult result = render(r, options, engine, observer, {});
        Outcome out;
        const RunFolder run = RunFolder::open(result.run);
        for (const StepRecord& s : run.record().steps) out.sums.push_back(s.sha256);
        for (const auto& [stage, seconds] : result.stages) out.stages.insert(stage);
        out.warnings = run.record().warnings.size();
        return out;
    }
    Outcome render_alone(const Request& r) {
        Engine engine(Residency::Span::run);
        return render_with(engine, r);
    }
    /// A copy of the tiny model that a test may change.
    fs::path own_model() const {
        const fs::path copy = folder_.path() / "model";
        fs::copy(DENOIR_TINY_MODEL, copy, fs::copy_options::recursive);
        return copy;
    }

    test::TempFolder folder_;
    int runs_ = 0;
};

/// Puts a changed copy of the same size in the file's place.
template <class Change> void replace(const fs::path& file, Change&& change) {
    std::string bytes = read_text(file, 1 << 24);
    change(bytes);
    const fs::path other = file.string() + ".new";
    std::ofstream(other, std::ios::binary) << bytes;
    fs::rename(other, file);
}

/// Puts the last numbers of the file into another order.
void change_tail(const fs::path& file) {
    replace(file, [](std::string& bytes) {
        std::rotate(bytes.end() - std::ptrdiff_t(bytes.size() / 16 * 4), bytes.end() - 4, bytes.end());
    });
}

/// A LoRA of rank two for one layer of the tiny model.
fs::path write_lora(const fs::path& file) {
    Tensor down = Tensor::zeros({2, 64}), up = Tensor::zeros({64, 2});
    for (std::size_t i = 0; i < 128; ++i) {
        down.span<float>()[i] = 0.1f * float(i % 7) - 0.3f;
        up.span<float>()[i] = 0.1f * float(i % 5) - 0.2f;
    }
    write_safetensors(file, {{"blocks.0.self_attn.v.lora_A.weight", down}, {"blocks.0.self_attn.v.lora_B.weight", up}});
    return file;
}

/// Wan 2.2's second expert is loaded in the middle of denoising. That time must not count in both stages.
TEST_F(EngineTest, StagesTogetherTakeNoLongerThanTheRun) {
    struct Slow : Observer {
        int loads = 0;
        void stage_begins(Stage stage) override {
            if (stage == Stage::load_transformer && ++loads == 2)
                std::this_thread::sleep_for(std::chrono::milliseconds(1500));
        }
    } slow;
    Request r = tiny_request(fs::path(DENOIR_FIXTURES) / "_models" / "Wan2.2-T2V-A14B-tiny");
    r.steps = 4, r.shift = 1; // of the times 999, 749, … only the first is the first expert's
    Engine engine(Residency::Span::run);
    RenderOptions options;
    options.run_dir = folder_.path() / "run";
    const RenderResult result = render(r, options, engine, slow, {});
    EXPECT_EQ(slow.loads, 2);
    double all = 0;
    for (const auto& [stage, seconds] : result.stages) all += seconds;
    EXPECT_LE(all, result.seconds);
    EXPECT_GT(all, 1.5);
}

} // namespace

/// The studio offers to free space only for a NoSpace error. The requested output is larger than the run's own video,
/// so only the output does not fit.
TEST_F(EngineTest, ADiskThatIsFullWhenTheResultIsDeliveredIsToldApart) {
    struct Filler : Observer {
        std::optional<app::FullDisk> full;
        std::uintmax_t most = 0; ///< the most bytes a file may have; 0 for no limit
        void stage_ends(Stage stage, double) override {
            if (stage == Stage::decode && most > 0) full.emplace(most);
        }
    } filler;
    Request r = tiny_request(DENOIR_TINY_MODEL);
    Engine engine(Residency::Span::run);
    RenderOptions options;
    options.run_dir = folder_.path() / "first";
    options.out = folder_.path() / "first.mkv";
    render(r, options, engine, filler, {});
    filler.most = fs::file_size(options.out) - 1;
    ASSERT_GT(filler.most, fs::file_size(options.run_dir / "video.mp4"));
    options.run_dir = folder_.path() / "second";
    options.out = folder_.path() / "second.mkv";
    try {
        render(r, options, engine, filler, {});
        FAIL() << "it was delivered";
    } catch (const NoSpace& e) {
        EXPECT_EQ(e.file(), options.out.string());
        EXPECT_NE(e.hint().find("decode the run"), std::string::npos) << e.hint();
    }
    filler.full.reset();
    EXPECT_TRUE(fs::exists(options.run_dir / "video.mp4")) << "the run is kept";
}

TEST_F(EngineTest, ASecondRunGivesTheBytesOfAFirstOne) {
    Request r = tiny_request(DENOIR_TINY_MODEL);
    Engine engine;
    render_with(engine, r);
    r.seed = 8;
    EXPECT_EQ(render_with(engine, r).sums, render_alone(r).sums);
}

/// A run that is killed cannot store its time at the end.
TEST_F(EngineTest, EachStepStoresTheTimeUntilThen) {
    struct Reader : Observer {
        fs::path run;
        std::vector<double> seconds;
        void step_done(const StepInfo&) override { seconds.push_back(RunFolder::open(run).record().seconds); }
    } reader;
    RenderOptions options;
    options.run_dir = reader.run = folder_.path() / "run";
    Engine engine;
    const RenderResult result = render(tiny_request(DENOIR_TINY_MODEL), options, engine, reader, {});
    ASSERT_GE(reader.seconds.size(), 2u);
    const double last = reader.seconds.back();
    EXPECT_GT(last, 0);
    EXPECT_LE(last, result.seconds);
}

TEST_F(EngineTest, LaterRunsGiveTheBytesOfAFirstOne) {
    const Request first = tiny_request(DENOIR_TINY_MODEL);
    Request seed = first, prompt = first, bf16 = first, larger = first, threads = first, unguided = first;
    Request half = first, whole = first; // the same LoRA at two strengths
    seed.seed = 8;
    prompt.prompt = "A blue moon.";
    bf16.dtype = DType::bf16;
    larger.width = 64;
    threads.threads = 2;
    unguided.guidance = 1;
    half.loras = {{write_lora(folder_.path() / "lora.safetensors"), 0.5}};
    whole.loras = {{folder_.path() / "lora.safetensors", 1.0}};
    EXPECT_NE(render_alone(half).sums, render_alone(whole).sums);
    Engine engine;
    for (const Request& r : {first, seed, prompt, bf16, first, half, whole, larger, threads, unguided, first})
        EXPECT_EQ(render_with(engine, r).sums, render_alone(r).sums);
}

TEST_F(EngineTest, TheEncodingsOfAnotherRunServeWhileTheInputsAreTheSame) {
    Request r = tiny_request(DENOIR_TINY_MODEL);
    r.image = folder_.path() / "image.png";
    Image image(48, 32);
    for (std::size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = std::uint8_t(i * 7);
    write_png(r.image, image);
    Engine engine;
    const Outcome first = render_with(engine, r);
    ASSERT_TRUE(first.stages.contains("image"));
    const fs::path run = folder_.path() / "1";
    EXPECT_EQ(render_with(engine, r, run).sums, first.sums);
    r.seed = 8;
    r.guidance = 1;
    const Outcome taken = render_with(engine, r, run);
    EXPECT_FALSE(taken.stages.contains("image"));
    EXPECT_EQ(taken.sums, render_alone(r).sums);
    // An unguided run encoded no negative prompt, so a guided one cannot take it over.
    const std::string last = std::to_string(runs_);
    r.guidance = 4;
    EXPECT_EQ(render_with(engine, r, folder_.path() / last).sums, render_alone(r).sums);
    // Another picture with the name and the time of the first one.
    std::reverse(image.rgb.begin(), image.rgb.end());
    const auto old = fs::last_write_time(r.image);
    write_png(r.image, image);
    fs::last_write_time(r.image, old);
    const Outcome changed = render_with(engine, r, run);
    EXPECT_TRUE(changed.stages.contains("image"));
    EXPECT_EQ(changed.sums, render_alone(r).sums);
    // A folder that is missing or no run is ignored.
    EXPECT_EQ(render_with(engine, r, folder_.path() / "nowhere").sums, changed.sums);
}

TEST_F(EngineTest, APromptIsEncodedOnce) {
    Request r = tiny_request(DENOIR_TINY_MODEL);
    Engine engine;
    EXPECT_TRUE(render_with(engine, r).stages.contains("text"));
    r.seed = 9;
    EXPECT_FALSE(render_with(engine, r).stages.contains("text"));
    r.prompt = "A blue moon.";
    EXPECT_TRUE(render_with(engine, r).stages.contains("text"));
    r.prompt = "A red balloon.";
    EXPECT_FALSE(render_with(engine, r).stages.contains("text"));
    engine.clear();
    EXPECT_TRUE(render_with(engine, r).stages.contains("text"));

    r.prompt = std::string(2000, 'x'); // longer than the text encoder's limit
    EXPECT_EQ(render_with(engine, r).warnings, 1U);
    EXPECT_EQ(render_with(engine, r).warnings, 1U);
}

TEST_F(EngineTest, WeightsStayOnlyWhereTheOwnerRunsAgain) {
    const Request r = tiny_request(DENOIR_TINY_MODEL);
    Engine once(Residency::Span::run), often;
    render_with(once, r);
    const std::size_t without = once.residency().bytes();
    render_with(often, r);
    EXPECT_GT(often.residency().bytes(), without);
}

TEST_F(EngineTest, ReplacedFilesAreReadAnew) {
    const fs::path model = own_model();
    const Request r = tiny_request(model);
    Engine engine;
    const Outcome before = render_with(engine, r);
    for (const fs::directory_entry& part : fs::recursive_directory_iterator(model)) {
        const std::string name = part.path().filename().string();
        if (part.path().extension() != ".safetensors") continue;
        change_tail(part.path());
        const Outcome after = render_with(engine, r);
        EXPECT_EQ(after.sums, render_alone(r).sums) << name;
    }
    EXPECT_NE(render_with(engine, r).sums, before.sums);
}

TEST_F(EngineTest, ATokenizerAndWhatStandsBesideALoraAreReadAnew) {
    const fs::path model = own_model(), config = folder_.path() / "adapter_config.json";
    std::ofstream(config) << R"({"r": 2, "lora_alpha": 2})";
    Request r = tiny_request(model);
    r.loras = {{write_lora(folder_.path() / "adapter_model.safetensors"), 1.0}};
    Engine engine;
    const Outcome first = render_with(engine, r);
    replace(config, [](std::string& bytes) { bytes[bytes.rfind('2')] = '8'; });
    const Outcome stronger = render_with(engine, r);
    EXPECT_NE(stronger.sums, first.sums);
    EXPECT_EQ(stronger.sums, render_alone(r).sums);
    replace(model / "google/umt5-xxl/spiece.model", [](std::string& bytes) { // exchanges two letters of the vocabulary
        std::swap(bytes.at(bytes.find("\x01r\x15") + 1), bytes.at(bytes.find("\x01o\x15") + 1));
    });
    const Outcome other = render_with(engine, r);
    EXPECT_NE(other.sums, stronger.sums);
    EXPECT_EQ(other.sums, render_alone(r).sums);
}

/// The number of its frames may be known only after decoding them all, which a stop must not wait for.
TEST_F(EngineTest, LookingAtTheVideoBeforeCanBeStopped) {
    Request r = tiny_request(DENOIR_TINY_MODEL);
    r.mode = Mode::forcing;
    r.frames = 25;
    r.forcing = Forcing{.video = fs::path(DENOIR_FIXTURES) / "media/clips/animated.gif", .overlap = 17};
    Engine engine(Residency::Span::run);
    Observer observer;
    EXPECT_THROW(render(r, {}, engine, observer, {}), Error); // the clip has fewer frames than asked for
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(render(r, {}, engine, observer, stop.get_token()), Cancelled);
}

/// A branch starts from its parent's noise, so another seed in its record would promise a clip that it does not give.
TEST_F(EngineTest, ABranchHasItsParentsSeed) {
    Engine engine;
    render_with(engine, tiny_request(DENOIR_TINY_MODEL));
    Request branch = branch_of(folder_.path() / "1", 1);
    branch.seed = 99;
    branch.guidance = 2;
    render_with(engine, branch);
    EXPECT_EQ(RunFolder::open(folder_.path() / "2").record().request.seed, 7U);
}

TEST_F(EngineTest, VerificationNamesWhatChanged) {
    Engine engine;
    render_with(engine, tiny_request(DENOIR_TINY_MODEL));
    const fs::path run = folder_.path() / "1";
    Observer observer;
    const auto changed = [&] { return verify_run(run, 1, observer, {}).changed_files; };
    EXPECT_EQ(changed(), std::vector<std::string>{});
    replace(run / "conditioning.safetensors", [](std::string& bytes) { bytes.back() ^= 1; });
    EXPECT_EQ(changed(), std::vector<std::string>{run / "conditioning.safetensors"});
    replace(run / "conditioning.safetensors", [](std::string& bytes) { bytes.back() ^= 1; });
    {
        RunFolder folder = RunFolder::take(run); // a file of the model that is gone, and that nothing needs
        folder.record().files.push_back({"/nowhere/config.json", 7, 1, std::string(64, 'a')});
        folder.save();
    }
    EXPECT_EQ(changed(), std::vector<std::string>{"/nowhere/config.json"});
}
