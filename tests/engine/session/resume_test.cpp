// SPDX-License-Identifier: Apache-2.0
/// What a run writes beside its latents, and that this is still right after the run was stopped and resumed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "engine/core/atomic_file.h"
#include "engine/core/file.h"
#include "engine/media/frames.h"
#include "engine/session/branch.h"
#include "engine/session/decode_run.h"
#include "engine/session/render.h"
#include "engine/session/verify.h"
#include "tests/app/tiny.h"
#include "tests/engine/refusal.h"
#include "tests/engine/temp_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// Stops a run once that step is stored.
struct StopAfter : Observer {
    explicit StopAfter(int after) : step(after) {}
    void step_done(const StepInfo& info) override {
        if (info.step == step) stop.request_stop();
    }
    int step;
    std::stop_source stop;
};

class Runs : public testing::Test {
protected:
    Runs() { ::setenv("DENOIR_HOME", (folder_ / "home").c_str(), 1); }
    ~Runs() override { ::unsetenv("DENOIR_HOME"); }

    static Request request() {
        Request r = app::tiny_request();
        r.threads = 1;
        if (const char* device = std::getenv("DENOIR_TEST_DEVICE")) r.device = Device::parse(device);
        return r;
    }
    static Request with_end_image(const fs::path& image) {
        Image picture(48, 32);
        for (std::size_t i = 0; i < picture.rgb.size(); ++i) picture.rgb[i] = std::uint8_t(i * 7);
        write_png(image, picture);
        Request r = request();
        r.last_image = image;
        return r;
    }
    RenderResult whole(const Request& r, const char* name, bool metadata = true) {
        RenderOptions options;
        options.run_dir = folder_ / name;
        options.metadata = metadata;
        return render(r, options, engine_, quiet_, {});
    }
    /// The folder of a run that its user stopped after that step.
    fs::path ended(const Request& r, int step, const fs::path& out = {}) {
        RenderOptions options;
        options.run_dir = folder_ / "ended";
        options.out = out;
        StopAfter observer(step);
        EXPECT_THROW(render(r, options, engine_, observer, observer.stop.get_token()), Cancelled);
        return options.run_dir;
    }
    RenderResult go_on(const fs::path& run, int threads = -1) { return resume(run, {}, threads, engine_, quiet_, {}); }
    std::vector<Image> pictures(const fs::path& run) {
        std::vector<Image> all;
        decode_frames(RunFolder::open(run), std::nullopt, 1,
                      [&](int, const Tensor& frame) { all.push_back(to_image(frame.unsqueeze(1), 0)); }, quiet_, {});
        return all;
    }

    test::TempFolder folder_;
    Engine engine_;
    Observer quiet_;
};

std::string bytes_of(const fs::path& file) { return read_text(file, std::size_t{1} << 26); }

bool holds(const fs::path& file, std::string_view text) { return bytes_of(file).find(text) != std::string::npos; }

TEST_F(Runs, TheTimeAndMemoryBeforeAnInterruptionCountToo) {
    const fs::path path = ended(request(), 1);
    {
        RunFolder run = RunFolder::take(path);
        run.record().seconds = 1000;
        run.record().peak_memory_bytes = std::uint64_t{1} << 50;
        run.save();
    }
    const RenderResult result = go_on(path, 2);
    EXPECT_GT(result.seconds, 1000);
    EXPECT_LT(result.seconds, 2000);
    EXPECT_EQ(result.peak_memory_bytes, std::uint64_t{1} << 50);
    const RunRecord record = RunFolder::open(path).record();
    EXPECT_EQ(record.seconds, result.seconds);
    EXPECT_EQ(record.peak_memory_bytes, result.peak_memory_bytes);
    EXPECT_EQ(record.request.threads, 2) << "as asked this time";
}

/// The name of a partial file has the number of the process that was writing it.
TEST_F(Runs, HalfAnOutputOfAKilledProcessIsRemoved) {
    const pid_t killed = ::fork();
    if (killed == 0) ::_exit(0);
    ASSERT_EQ(::waitpid(killed, nullptr, 0), killed);
    for (const std::string name : {"out.mp4", "frames"}) {
        const fs::path path = ended(request(), 1, folder_ / name);
        const auto half = [&](const std::string& of) {
            return folder_ / ("." + of + ".partial-" + std::to_string(killed) + "-0");
        };
        for (const std::string& of : {name, std::string("other.mp4")}) {
            fs::create_directory(half(of)); // a folder of frames; the partial of a video is a file
            write_file(half(of) / "frame_00001.png", "half");
        }
        go_on(path);
        EXPECT_FALSE(fs::exists(half(name)));
        EXPECT_TRUE(fs::exists(half("other.mp4"))) << "another run's, which may go on";
        EXPECT_TRUE(fs::exists(folder_ / name));
        fs::remove_all(path);
    }
}

/// Runs of a sweep or of the studio write their video into their own folder, which may have been moved or copied.
TEST_F(Runs, TheirOwnVideoGoesWithTheirFolder) {
    const fs::path path = ended(request(), 1), copied = folder_ / "copied", moved = folder_ / "moved/ended";
    fs::copy(path, copied, fs::copy_options::recursive);
    EXPECT_EQ(go_on(copied).out, copied / "video.mp4");
    EXPECT_FALSE(fs::exists(path / "video.mp4"));
    fs::create_directory(moved.parent_path());
    fs::rename(path, moved);
    EXPECT_EQ(go_on(moved).out, moved / "video.mp4");
    EXPECT_EQ(bytes_of(moved / "video.mp4"), bytes_of(copied / "video.mp4"));
    const fs::path renamed = folder_ / "renamed";
    fs::rename(ended(request(), 1), renamed);
    EXPECT_EQ(go_on(renamed).out, renamed / "video.mp4");
    // An output outside the folder is written where it was asked for, whatever its name.
    const fs::path out = folder_ / "out/video.mp4", other = folder_ / "other";
    fs::create_directory(out.parent_path());
    write_file(out.parent_path() / "run.json", "another program's");
    fs::rename(ended(request(), 1, out), other);
    EXPECT_EQ(go_on(other).out, out);
    EXPECT_TRUE(fs::exists(out));
}

/// The history lists distant runs through links, which may be gone tomorrow.
TEST_F(Runs, TheirOwnVideoStaysWhereALinkLeadsToTheirFolder) {
    const fs::path path = ended(request(), 1), link = folder_ / "link";
    fs::create_directory_symlink(path, link);
    EXPECT_EQ(go_on(link).out, path / "video.mp4");
    fs::remove(link);
    EXPECT_EQ(RunFolder::open(path).record().out, path / "video.mp4");
}

TEST_F(Runs, ABranchCountsItsOwnForwards) {
    Request r = request();
    r.cache = StepCaching{.threshold = 0.1};
    whole(r, "parent");
    Request branch = branch_of(folder_ / "parent", 1);
    branch.prompt = "A blue moon.";
    const RenderResult result = whole(branch, "branch");
    int own = 0, all = 0;
    const RunFolder run = RunFolder::open(folder_ / "branch");
    for (const StepRecord& s : run.record().steps) {
        all += s.forwards;
        if (s.step > 1) own += s.forwards;
    }
    EXPECT_EQ(result.forwards, own);
    EXPECT_LT(own, all);
}

/// Brightness is weighted as in BT.709; the thumbnail shows the middle frame.
TEST_F(Runs, FiguresAndThumbnailAreOfThePictures) {
    whole(request(), "run");
    const std::vector<Image> frames = pictures(folder_ / "run");
    ASSERT_EQ(frames.size(), 5u);
    const Json metrics = parse_json(bytes_of(folder_ / "run" / "metrics.json"), "metrics.json");
    for (std::size_t i = 0; i < 5; ++i) {
        double luma = 0, squares = 0;
        for (std::size_t p = 0; p < frames[i].rgb.size(); ++p) {
            luma += (p % 3 == 0 ? 0.2126 : p % 3 == 1 ? 0.7152 : 0.0722) * frames[i].rgb[p];
            const double change = i > 0 ? double(frames[i].rgb[p]) - frames[i - 1].rgb[p] : 0;
            squares += change * change;
        }
        const Json& said = metrics["frames"][i];
        EXPECT_NEAR(said["luma"].get<double>(), luma * 3 / double(frames[i].rgb.size()), 1e-6) << i;
        if (i > 0)
            EXPECT_NEAR(said["change"].get<double>(), std::sqrt(squares / double(frames[i].rgb.size())), 1e-6) << i;
        else
            EXPECT_TRUE(said["change"].is_null());
    }
    EXPECT_NE(frames[0].rgb, frames[2].rgb);
    EXPECT_EQ(read_image(folder_ / "run" / "thumbnail.png").rgb, frames[2].rgb);
}

TEST_F(Runs, WithoutMetadataNoVideoHoldsTheRequest) {
    const Request r = request();
    for (const bool metadata : {true, false}) {
        const char* name = metadata ? "with" : "without";
        whole(r, name, metadata);
        const fs::path again = folder_ / (std::string(name) + ".mp4");
        decode_run(folder_ / name, std::nullopt, again, 1, quiet_, {});
        EXPECT_EQ(holds(folder_ / name / "video.mp4", r.prompt), metadata);
        EXPECT_EQ(holds(again, r.prompt), metadata);
    }
}

TEST_F(Runs, TheNumberOfThreadsDecidesNoByteOfAVideo) {
    Request r = request();
    whole(r, "one");
    r.threads = 2;
    whole(r, "two");
    EXPECT_EQ(bytes_of(folder_ / "one" / "video.mp4"), bytes_of(folder_ / "two" / "video.mp4"));
}

/// The end image is an extra latent frame behind the clip until the last step drops it.
TEST_F(Runs, WithAnEndImageDraftsAndTheLastStepCanBeShown) {
    const Request r = with_end_image(folder_ / "end.png");
    whole(r, "run");
    const fs::path path = folder_ / "run";
    for (int step = 0; step <= *r.steps; ++step) {
        int frames = 0;
        const auto count = [&](int, const Tensor&) { ++frames; };
        decode_frames(RunFolder::open(path), step, 1, count, quiet_, {});
        EXPECT_EQ(frames, 5) << step;
    }
    { // as if killed after its last step
        RunFolder run = RunFolder::take(path);
        run.record().state = RunState::running;
        fs::remove(run.file("video.mp4"));
        run.save();
    }
    go_on(path);
    EXPECT_EQ(RunFolder::open(path).record().state, RunState::done);
    EXPECT_TRUE(fs::exists(path / "video.mp4"));
}

TEST_F(Runs, ABranchOfARunWithoutItsLatentsIsToldWhatToDo) {
    Request r = request();
    r.latents = KeepLatents::last;
    whole(r, "run");
    const std::string said = test::refusal([&] { branch_of(folder_ / "run", 1); });
    EXPECT_NE(said.find("kept only the last latents"), std::string::npos) << said;
    EXPECT_NE(said.find("--latents all"), std::string::npos) << said;
}

TEST_F(Runs, VerificationNamesAChangedVideo) {
    whole(request(), "run");
    const fs::path video = folder_ / "run" / "video.mp4";
    std::string bytes = bytes_of(video);
    bytes.back() ^= 1;
    write_file(video, bytes);
    EXPECT_EQ(verify_run(folder_ / "run", 1, quiet_, {}).changed_files, std::vector<std::string>{video});
}

/// A run that takes over an encoded prompt would not say that the prompt was cut.
TEST_F(Runs, AnEncodingThatGaveAWarningIsNotTakenOver) {
    Request r = request();
    r.prompt = std::string(2000, 'x'); // longer than the text encoder's limit
    whole(r, "first");
    RenderOptions options;
    options.run_dir = folder_ / "second";
    options.conditioning_of = folder_ / "first";
    Engine engine(Residency::Span::run);
    render(r, options, engine, quiet_, {});
    EXPECT_EQ(RunFolder::open(folder_ / "second").record().warnings.size(), 1u);
}

} // namespace
} // namespace denoir
