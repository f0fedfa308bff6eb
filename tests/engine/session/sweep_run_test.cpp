// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sweep_run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <new>

#include "engine/compare/sweep_figures.h"
#include "engine/compare/sweep_outputs.h"
#include "engine/core/atomic_file.h"
#include "engine/core/file.h"
#include "engine/media/video_reader.h"
#include "engine/media/video_writer.h"
#include "engine/session/branch.h"
#include "engine/session/render.h"
#include "tests/app/tiny.h"
#include "tests/engine/temp_folder.h"

using namespace denoir;
namespace fs = std::filesystem;

namespace {

struct Told : Observer {
    std::vector<std::string> warnings;
    void warning(std::string_view text) override { warnings.emplace_back(text); }
};

/// Sweeps of a tiny model, with a home of their own.
class SweepRun : public testing::Test {
protected:
    SweepRun() {
        ::setenv("DENOIR_HOME", (folder_.path() / "home").c_str(), 1);
        sweep_.request = app::tiny_request();
        sweep_.request.model = DENOIR_TINY_MODEL;
        sweep_.request.steps = 2;
        sweep_.request.threads = 1;
        sweep_.axes = {parse_axis("steps", "1, 2"), parse_axis("guidance", "1, 3")};
        sweep_.reference = usual_reference(sweep_.axes);
    }
    ~SweepRun() override { ::unsetenv("DENOIR_HOME"); }

    static SweepPlan plan(const Sweep& sweep, bool reuse) {
        Observer observer;
        return plan_sweep(sweep, PlanDepth::all, reuse ? FinishedRuns::of_history() : FinishedRuns(), observer);
    }
    /// Renders until the end, or until the token asks it to stop when a cell begins.
    void work(SweepFolder& folder, bool reuse = true, std::function<void(std::size_t)> begins = {},
              std::stop_token stop = {}) {
        Observer observer;
        Engine engine;
        SweepCalls calls;
        calls.begins = [&](std::size_t cell, std::size_t, std::size_t) {
            rendered_.push_back(cell);
            if (begins) begins(cell);
        };
        run_sweep(folder, plan(folder.record().sweep, reuse), engine, calls, observer, stop);
    }
    std::map<std::string, std::string> sums(const fs::path& run) const {
        std::map<std::string, std::string> out;
        const RunFolder folder = RunFolder::open(run);
        for (const StepRecord& s : folder.record().steps) out[std::to_string(s.step)] = s.sha256;
        out["video"] = folder.record().video_sha256;
        return out;
    }
    std::map<std::string, std::string> alone(const Request& r) {
        Engine engine(Residency::Span::run);
        Observer observer;
        RenderOptions options;
        options.run_dir = folder_.path() / ("alone-" + std::to_string(alone_++));
        return sums(render(r, options, engine, observer, {}).run);
    }

    test::TempFolder folder_;
    Sweep sweep_;
    std::vector<std::size_t> rendered_;
    int alone_ = 0;
};

} // namespace

TEST_F(SweepRun, EveryCellHasTheBytesThatItHasAlone) {
    SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    work(folder, false);
    ASSERT_EQ(rendered_.size(), 4u);
    bool shared = false;
    for (std::size_t i = 0; i < 4; ++i) {
        const SweepCell& cell = folder.record().cells[i];
        ASSERT_EQ(cell.state, SweepCell::State::done) << i;
        EXPECT_EQ(sums(cell.run), alone(folder.record().sweep.request_of(i))) << i;
        const auto stages = RunFolder::open(cell.run).record().stages;
        shared |= std::none_of(stages.begin(), stages.end(), [](const auto& s) { return s.first == "text"; });
    }
    EXPECT_TRUE(shared); // at least the last cell took the prompt over from the one before
    const SweepFolder read = SweepFolder::open(folder.path());
    EXPECT_EQ(read.record().cells[3].run, folder.record().cells[3].run);
}

TEST_F(SweepRun, GoesOnAfterAnInterruption) {
    SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    std::stop_source stop;
    EXPECT_THROW(work(
                     folder, false,
                     [&](std::size_t) {
                         if (rendered_.size() == 2) stop.request_stop();
                     },
                     stop.get_token()),
                 Cancelled);
    const std::size_t first = rendered_[0], second = rendered_[1];
    EXPECT_EQ(folder.record().cells[first].state, SweepCell::State::done);
    EXPECT_EQ(folder.record().cells[second].state, SweepCell::State::waiting);
    rendered_.clear();
    work(folder, false);
    EXPECT_EQ(rendered_.size(), 3u);
    EXPECT_EQ(rendered_[0], second);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(sums(folder.record().cells[i].run), alone(folder.record().sweep.request_of(i))) << i;
}

TEST_F(SweepRun, EqualCellsAreRenderedOnceAndRunsOfTheHistoryTakenOver) {
    // One of the values is this model's default, so that two cells are equal.
    const Request defaults = plan(sweep_, false).cells[0].request;
    sweep_.axes = {parse_axis("steps", "1, 2"), parse_axis("shift", "default, " + std::to_string(*defaults.shift))};
    sweep_.reference.assign(2, std::nullopt);
    EXPECT_EQ(plan(sweep_, true).to_render().size(), 2u);
    SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    work(folder);
    EXPECT_EQ(rendered_.size(), 2u);
    EXPECT_EQ(folder.record().cells[0].run, folder.record().cells[1].run);
    const auto expect_times_of_runs = [](const SweepRecord& record) {
        for (const SweepCell& cell : record.cells) {
            EXPECT_GT(cell.seconds, 0);
            EXPECT_EQ(cell.seconds, RunFolder::open(cell.run).record().seconds);
        }
    };
    expect_times_of_runs(folder.record());

    rendered_.clear();
    SweepFolder again = SweepFolder::create(folder_.path() / "t", sweep_);
    work(again);
    EXPECT_TRUE(rendered_.empty());
    EXPECT_TRUE(again.record().cells[0].reused);
    EXPECT_EQ(fs::canonical(again.record().cells[0].run), fs::canonical(folder.record().cells[0].run));
    expect_times_of_runs(again.record());
    for (SweepCell& cell : again.record().cells) cell.seconds = 0; // earlier versions stored no times
    again.save();
    { const SweepFolder let_go = std::move(again); }
    expect_times_of_runs(SweepFolder::take(folder_.path() / "t").record());

    rendered_.clear();
    SweepFolder anew = SweepFolder::create(folder_.path() / "u", sweep_);
    work(anew, false);
    EXPECT_EQ(rendered_.size(), 2u);
}

/// Neither changes a byte of the clip.
TEST_F(SweepRun, RunsOfOtherThreadsAndKeptLatentsAreTakenOver) {
    SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    work(folder);
    sweep_.request.threads = 2;
    sweep_.request.latents = KeepLatents::last;
    EXPECT_TRUE(plan(sweep_, true).to_render().empty());
    sweep_.request.prompt = "A blue moon.";
    EXPECT_EQ(plan(sweep_, true).to_render().size(), 4u);
}

TEST_F(SweepRun, ARunOfAnotherVersionIsNotTakenOver) {
    SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    work(folder);
    ASSERT_FALSE(plan(sweep_, true).renders(0));
    {
        RunFolder run = RunFolder::take(folder.record().cells[0].run);
        run.record().build["version"] = "0.0.0";
        run.save();
    }
    EXPECT_TRUE(plan(sweep_, true).renders(0));
    EXPECT_FALSE(plan(sweep_, true).renders(1));
}

/// The noise of a branch was drawn by its parent, so its cells hold the parent's seed and are found by that.
TEST_F(SweepRun, BranchesHaveTheirParentsSeed) {
    alone(sweep_.request);
    sweep_.request = branch_of(folder_.path() / "alone-0", 1);
    sweep_.request.seed = 99;
    sweep_.axes = {parse_axis("guidance", "1, 3")};
    sweep_.reference.assign(1, std::nullopt);
    for (const SweepPlan::Cell& cell : plan(sweep_, false).cells) EXPECT_EQ(cell.request.seed, 7U);
}

/// The axis names two runs with different prompts. Both cells go on with the prompt of the run in the request, which
/// may surprise, so there is a warning.
TEST_F(SweepRun, WarnsOfRunsThatGoOnWithThePromptOfAnother) {
    alone(sweep_.request);
    Request other = sweep_.request;
    other.prompt = "a boat";
    alone(other);
    sweep_.request = branch_of(folder_.path() / "alone-0", 1);
    sweep_.axes = {{"start.run", {(folder_.path() / "alone-0").string(), (folder_.path() / "alone-1").string()}}};
    sweep_.reference.assign(1, std::nullopt);
    const auto told = [&] {
        Told out;
        plan_sweep(sweep_, PlanDepth::requests, FinishedRuns(), out);
        return out.warnings;
    };
    const auto warnings = told();
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("goes on with prompt of"), std::string::npos) << warnings[0];
    sweep_.request.prompt = "both asked for"; // given for all cells
    EXPECT_TRUE(told().empty());
}

/// Once the disk is full no further clip can succeed, so none is tried.
TEST_F(SweepRun, EndsWhereNothingMoreCanBeWritten) {
    const fs::path disk = folder_.path() / "disk";
    fs::create_directory(disk);
    if (::mount("none", disk.c_str(), "tmpfs", 0, "size=80m") != 0) GTEST_SKIP() << "needs to mount a small tmpfs";
    const std::unique_ptr<const fs::path, void (*)(const fs::path*)> mounted(
        &disk, [](const fs::path* path) { ::umount(path->c_str()); });
    SweepFolder folder = SweepFolder::create(disk / "s", sweep_);
    const auto fill = [&](std::size_t) {
        const int file = ::open((disk / "filler").c_str(), O_WRONLY | O_CREAT, 0600);
        ASSERT_EQ(::posix_fallocate(file, 0, off_t{72} << 20), 0);
        ::close(file);
    };
    EXPECT_THROW(work(folder, false, fill), Error);
    EXPECT_EQ(rendered_.size(), 1u);
    EXPECT_EQ(folder.record().cells[rendered_[0]].state, SweepCell::State::failed);
}

/// Runs of an older version did not store TeaCache's polynomial.
TEST_F(SweepRun, AnOlderSweepWithTeaCacheGoesOn) {
    sweep_.request.cache = StepCaching{.threshold = 0.1};
    SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    work(folder);
    for (const SweepCell& cell : folder.record().cells) {
        RunFolder run = RunFolder::take(cell.run);
        ASSERT_FALSE(run.record().request.cache->coefficients.empty());
        run.record().request.cache->coefficients.clear();
        run.save();
    }
    rendered_.clear();
    work(folder, false);
    EXPECT_TRUE(rendered_.empty());
    for (const SweepCell& cell : folder.record().cells) EXPECT_EQ(cell.state, SweepCell::State::done);
}

/// A default has changed since these clips were made, so they would not match the clips that are rendered now.
TEST_F(SweepRun, WarnsOfClipsThatAreMadeAgainForOtherDefaults) {
    SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    work(folder);
    std::vector<fs::path> done;
    for (const SweepCell& cell : folder.record().cells) done.push_back(cell.run);
    const auto planned = [&](const Sweep& sweep, Told& told) {
        return plan_sweep(sweep, PlanDepth::all, FinishedRuns(), told, {}, done).to_render().size();
    };
    Told told;
    EXPECT_EQ(planned(folder.record().sweep, told), 0u);
    for (const std::size_t i : {std::size_t(0), std::size_t(3)}) {
        RunFolder run = RunFolder::take(done[i]);
        run.record().request.shift = *run.record().request.shift + 1;
        run.save();
    }
    EXPECT_TRUE(told.warnings.empty());
    EXPECT_EQ(planned(folder.record().sweep, told), 2u);
    ASSERT_EQ(told.warnings.size(), 1u);
    EXPECT_NE(told.warnings[0].find("for 2 clips"), std::string::npos) << told.warnings[0];
    Sweep asked = folder.record().sweep; // here the user asks for another value, which has nothing to do with defaults
    asked.request.shift = 4.5;
    Told quiet;
    EXPECT_EQ(planned(asked, quiet), 4u);
    EXPECT_TRUE(quiet.warnings.empty());
}

/// Older sweeps stored paths as they were written, on the axis and in the cells.
TEST_F(SweepRun, AnOlderSweepWithRelativePathsKeepsWhatIsThere) {
    sweep_.axes = {{"image", {"a.png", "b.png"}}};
    sweep_.reference = {1};
    const SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    const fs::path file = folder.file(SweepFolder::record_name);
    Json json = parse_json(read_text(file, 1 << 20), "");
    json["axes"]["image"] = {"a.png", "b.png"};
    json["reference"]["image"] = "b.png";
    for (std::size_t i = 0; i < 2; ++i) {
        Json& cell = json["cells"][i];
        cell["values"]["image"] = json["axes"]["image"][i];
        cell["state"] = "done";
        cell["run"] = "runs/" + std::to_string(i);
        if (i == 0) cell["figures"] = {{"reference", 1}, {"psnr", 20}, {"ssim", 0.5}};
    }
    write_file(file, json.dump());
    const SweepFolder read = SweepFolder::open(folder.path());
    const SweepRecord& kept = read.record();
    EXPECT_EQ(kept.sweep.axes[0].values[1], (folder.path() / "b.png").string());
    for (const SweepCell& cell : kept.cells) EXPECT_EQ(cell.state, SweepCell::State::done);
    EXPECT_TRUE(kept.cells[0].figures);
}

TEST_F(SweepRun, ARunOfChangedFilesIsNotTakenOver) {
    const fs::path model = folder_.path() / "model";
    fs::copy(DENOIR_TINY_MODEL, model, fs::copy_options::recursive);
    sweep_.request.model = model;
    SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    work(folder);
    ASSERT_FALSE(plan(sweep_, true).renders(0));
    for (const auto& file : fs::recursive_directory_iterator(model))
        if (file.path().extension() == ".safetensors")
            fs::last_write_time(file.path(), fs::file_time_type::clock::now() + std::chrono::seconds(5));
    EXPECT_TRUE(plan(sweep_, true).renders(0));
}

TEST_F(SweepRun, AClipThatIsLostOrDamagedIsMadeAgain) {
    SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    work(folder);
    const fs::path lost = folder.record().cells[0].run, damaged = folder.record().cells[3].run;
    const auto before = RunFolder::open(damaged).record();
    fs::remove(lost / "video.mp4");
    std::fstream(damaged / "video.mp4", std::ios::in | std::ios::out).seekp(100) << "?";
    ASSERT_FALSE(has_clip(RunFolder::open(damaged)));
    EXPECT_TRUE(plan(sweep_, true).renders(3));
    rendered_.clear();
    work(folder, false);
    EXPECT_EQ(rendered_.size(), 2u);
    EXPECT_TRUE(has_clip(RunFolder::open(lost)));
    EXPECT_TRUE(has_clip(RunFolder::open(damaged)));
    EXPECT_EQ(sums(damaged).at("video"), before.video_sha256);
    EXPECT_FALSE(plan(sweep_, true).renders(3));
}

TEST_F(SweepRun, ARunThatCannotBeReadIsNamedWithWhatHelps) {
    SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    work(folder);
    const fs::path damaged = folder.record().cells[2].run;
    std::ofstream(damaged / "run.json") << "{";
    work(folder, false);
    const SweepCell& cell = folder.record().cells[2];
    EXPECT_EQ(cell.state, SweepCell::State::failed);
    ASSERT_TRUE(cell.error);
    EXPECT_EQ(cell.error->file(), (damaged / "run.json").string());
    EXPECT_NE(cell.error->hint().find("move its folder"), std::string::npos) << cell.error->what();
    fs::rename(damaged, folder_.path() / "elsewhere");
    rendered_.clear();
    work(folder, false);
    EXPECT_EQ(rendered_, std::vector<std::size_t>{2});
    EXPECT_EQ(folder.record().cells[2].state, SweepCell::State::done);
}

TEST_F(SweepRun, AFailedCellDoesNotEndTheOthers) {
    SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    const fs::path blocked = folder.path() / "runs" / "000-steps-1-guidance-1";
    fs::create_directories(blocked / "not empty");
    work(folder);
    EXPECT_EQ(rendered_.size(), 4u);
    const SweepCell& cell = folder.record().cells[0];
    EXPECT_EQ(cell.state, SweepCell::State::failed);
    ASSERT_TRUE(cell.error);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(folder.record().cells[i].state, SweepCell::State::done);
    fs::remove_all(blocked);
    rendered_.clear();
    work(folder, false);
    EXPECT_EQ(rendered_, std::vector<std::size_t>{0});
    EXPECT_EQ(folder.record().cells[0].state, SweepCell::State::done);
}

/// Both the engine's own error and the system's are understood. The next cells get the memory that was kept for later
/// runs.
TEST_F(SweepRun, ACellThatRunsOutOfMemoryFailsAlone) {
    struct AtDenoising : Observer {
        std::function<void()> denoise = [] {};
        void stage_begins(Stage stage) override {
            if (stage == Stage::denoise) denoise();
        }
    };
    SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    const SweepPlan planned = plan(folder.record().sweep, false);
    AtDenoising observer;
    Engine engine;
    std::vector<std::shared_ptr<Backend>> backends; // the backend of each cell
    SweepCalls calls;
    calls.begins = [&](std::size_t, std::size_t number, std::size_t) {
        observer.denoise = [&, number] {
            backends.push_back(engine.open(Device{}, 1));
            if (number == 1) throw std::bad_alloc();
            if (number == 2) throw Error("", "memory", "cannot allocate 7 MiB more", "less");
            if (number == 3) throw Error("", "else", "went wrong", "");
        };
    };
    run_sweep(folder, planned, engine, calls, observer, {});
    ASSERT_EQ(backends.size(), 4u);
    std::vector<std::string> said;
    for (const std::size_t i : planned.order) {
        const SweepCell& cell = folder.record().cells[i];
        said.push_back(cell.error ? cell.error->field() + ": " + cell.error->message() : "");
        EXPECT_EQ(cell.state, cell.error ? SweepCell::State::failed : SweepCell::State::done);
        EXPECT_EQ(RunFolder::open(cell.run).record().state, cell.error ? RunState::failed : RunState::done);
    }
    EXPECT_EQ(said, (std::vector<std::string>{"memory: there was not enough", "memory: cannot allocate 7 MiB more",
                                              "else: went wrong", ""}));
    EXPECT_NE(backends[0], backends[1]);
    EXPECT_NE(backends[1], backends[2]);
    EXPECT_EQ(backends[2], backends[3]); // after any other failure the kept memory stays
    rendered_.clear();
    work(folder, false);
    EXPECT_EQ(rendered_.size(), 3u);
    for (const SweepCell& cell : folder.record().cells) EXPECT_EQ(cell.state, SweepCell::State::done);
}

/// Equal cells are rendered once. If that fails, both say why.
TEST_F(SweepRun, EqualCellsFailTogether) {
    const Request defaults = plan(sweep_, false).cells[0].request;
    sweep_.axes = {parse_axis("shift", "default, " + std::to_string(*defaults.shift))};
    sweep_.reference.assign(1, std::nullopt);
    SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    std::ofstream(folder.path() / "runs") << "in the way";
    for (SweepCell& cell : folder.record().cells) // as if the clips had been there once
        cell = {.state = SweepCell::State::done, .seconds = 1, .figures = SweepCell::Figures{0, 30.0, 0.9, 1, ""}};
    work(folder, false);
    EXPECT_EQ(rendered_.size(), 1u);
    ASSERT_EQ(folder.record().cells.size(), 2u);
    for (const SweepCell& cell : folder.record().cells) {
        EXPECT_EQ(cell.state, SweepCell::State::failed);
        EXPECT_FALSE(cell.figures);
        ASSERT_TRUE(cell.error);
        EXPECT_EQ(cell.error->message(), folder.record().cells[0].error->message());
    }
}

TEST_F(SweepRun, RefusesBeforeAnythingIsComputed) {
    sweep_.axes = {parse_axis("frames", "5, 257"), parse_axis("size", "32x32, 8192x8192")};
    sweep_.reference.assign(2, std::nullopt);
    try {
        plan(sweep_, false);
        FAIL() << "accepted";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("size 8192x8192"), std::string::npos) << e.what();
    }
}

TEST_F(SweepRun, WhoStopsWaitsForNoFurtherFile) {
    const SweepPlan made = plan(sweep_, false);
    std::stop_source stop;
    check_means(sweep_, made, folder_.path(), stop.get_token());
    stop.request_stop();
    EXPECT_THROW(check_means(sweep_, made, folder_.path(), stop.get_token()), Cancelled);
}

TEST_F(SweepRun, MeasuresAndDrawsWhatItMade) {
    SweepFolder folder = SweepFolder::create(folder_.path() / "s", sweep_);
    work(folder);
    SweepRecord& record = folder.record();
    SweepMeter meter(1);
    for (std::size_t i = 0; i < 4; ++i)
        if (const auto reference = record.sweep.reference_of(i))
            record.cells[i].figures =
                meter.figures(record.cells[i].run, record.cells[*reference].run, *reference, {}, {});
    ASSERT_TRUE(record.cells[0].figures);
    ASSERT_TRUE(record.cells[0].figures->psnr);
    EXPECT_GT(*record.cells[0].figures->psnr, 1);
    EXPECT_FALSE(record.cells[2].figures); // the cell with two steps is the reference
    // Equal clips have no PSNR, and what could not be measured leaves a note.
    EXPECT_EQ(meter.figures(record.cells[1].run, record.cells[1].run, 1, {}, {}).psnr, std::nullopt);
    const auto out_of_memory = [](double, double) { throw std::bad_alloc(); };
    EXPECT_EQ(meter.figures(record.cells[1].run, record.cells[1].run, 1, out_of_memory, {}).note,
              "memory there was not enough");
    // Without stored latents the videos are compared instead. Equal ones are equal there, too.
    const fs::path bare = folder_.path() / "bare";
    fs::copy(record.cells[1].run, bare, fs::copy_options::recursive);
    fs::remove_all(bare / "latents");
    const SweepCell::Figures videos = meter.figures(bare, record.cells[1].run, 1, {}, {});
    EXPECT_EQ(videos.note, "of the videos: latents were not kept");
    EXPECT_EQ(videos.psnr, std::nullopt);
    EXPECT_EQ(videos.measured(), bool(videos.ssim));

    const SweepOutputs outputs = usual_outputs(folder.path());
    int told = 0;
    write_outputs(record, outputs, [&](std::string_view, std::int64_t, std::int64_t) { ++told; }, {});
    EXPECT_GT(told, 1);
    VideoReader video(outputs.video);
    const Image sheet = read_image(outputs.picture);
    EXPECT_EQ(video.info().width, sheet.width);
    int frames = 0;
    for (Image frame; video.read(frame);) ++frames;
    EXPECT_EQ(frames, *RunFolder::open(record.cells[0].run).record().request.frames);
    std::ifstream csv(outputs.csv);
    std::string line;
    std::getline(csv, line);
    EXPECT_EQ(line, "cell,steps,guidance,state,seconds,reference,psnr,ssim,run");
    int lines = 0;
    while (std::getline(csv, line)) ++lines;
    EXPECT_EQ(lines, 4);
    const std::string page = read_text(outputs.report, 1 << 24);
    EXPECT_NE(page.find("Seconds over steps"), std::string::npos);
    EXPECT_EQ(page.find("PSNR over steps"), std::string::npos) << "a single point";
    EXPECT_NE(page.find("data:image/png;base64,"), std::string::npos);

    // A clip that is damaged in the middle stops at its last good picture while the others go on.
    {
        VideoOptions options;
        options.width = options.height = 32;
        options.codec = VideoOptions::Codec::ffv1;
        VideoWriter writer(folder_.path() / "whole.mkv", options);
        Image noise(32, 32);
        std::uint32_t state = 1;
        for (int i = 0; i < 5; ++i) {
            for (auto& v : noise.rgb) v = std::uint8_t((state = state * 1664525u + 1013904223u) >> 24);
            writer.write(noise);
        }
        writer.finish();
        std::string bytes = read_text(folder_.path() / "whole.mkv", 1 << 20);
        for (std::size_t i = 0; i < bytes.size() / 4; ++i) bytes[bytes.size() / 2 + i] ^= 0x55;
        write_file(record.cells[3].run / "video.mp4", bytes);
    }
    EXPECT_EQ(write_outputs(record, outputs, [](std::string_view, std::int64_t, std::int64_t) {}, {}).size(), 1U);
    VideoReader again(outputs.video);
    int drawn = 0;
    for (Image frame; again.read(frame);) ++drawn;
    EXPECT_EQ(drawn, frames);
}
