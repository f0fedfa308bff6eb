// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sweep_run.h"

#include <fmt/format.h>

#include <new>

#include "engine/core/disk.h"
#include "engine/core/memory.h"
#include "engine/core/text.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/decode_run.h"
#include "engine/session/render.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// The usual place of a cell's run.
fs::path run_folder_of(const SweepFolder& folder, std::size_t cell) {
    return folder.path() / "runs" /
           fmt::format("{:03}-{}", cell, file_slug(folder.record().sweep.label(cell, 24), 60, "."));
}

/// Gives a run folder that cannot be used another name, so that nothing is lost.
void set_aside(const fs::path& run) {
    std::error_code code;
    for (int n = 1;; ++n) {
        const fs::path other = fmt::format("{}-damaged{}", run.string(), n == 1 ? "" : fmt::format("-{}", n));
        if (fs::exists(fs::symlink_status(other, code))) continue;
        fs::rename(run, other, code);
        if (!code) return;
        throw Error(run.string(), "", "is damaged and cannot be renamed: " + code.message(), "move it elsewhere");
    }
}

bool finished(const fs::path& path, const Request& request) {
    const auto run = open_run(path);
    return run && is_of(*run, request) && has_clip(*run);
}

/// Whether every other cell would fail as well: nothing can be written any more.
bool hopeless(const SweepFolder& folder) {
    constexpr std::uint64_t least = std::uint64_t{64} << 20;
    std::error_code code;
    return !fs::is_directory(folder.path(), code) || free_space(folder.path()).value_or(least) < least;
}

/// Works on the cells of one sweep, in the plan's order.
class SweepRun {
public:
    SweepRun(SweepFolder& folder, const SweepPlan& plan, Engine& engine, const SweepCalls& calls, Observer& observer,
             std::stop_token stop)
        : folder_(folder),
          record_(folder.record()),
          plan_(plan),
          engine_(engine),
          calls_(calls),
          observer_(observer),
          stop_(std::move(stop)) {}

    void work() {
        std::error_code code;
        fs::create_directory(folder_.path() / "runs", code);
        const std::size_t of = plan_.to_render().size();
        std::size_t number = 0;
        for (const std::size_t cell : plan_.order) {
            if (stop_.stop_requested()) throw Cancelled();
            const bool rendered_here = plan_.renders(cell);
            if (rendered_here) ++number;
            SweepCell& c = record_.cells[cell];
            if (c.state == SweepCell::State::done && finished(c.run, request_of(cell))) {
                before_ = c.run;
                continue;
            }
            if (rendered_here && calls_.begins) calls_.begins(cell, number, of);
            if (rendered_here)
                render_cell(cell);
            else
                take_result(cell);
            if (calls_.ends) calls_.ends(cell);
            folder_.save();
        }
    }

private:
    const Request& request_of(std::size_t cell) const { return plan_.cells[cell].request; }

    /// Takes the result of the equal cell, or of the run in the history.
    void take_result(std::size_t cell) {
        SweepCell& c = record_.cells[cell];
        const SweepCell* other = plan_.cells[cell].same ? &record_.cells[plan_.origin(cell)] : nullptr;
        c = {}; // without the figures of a clip that it had before
        c.run = other ? other->run : plan_.cells[cell].found;
        c.seconds = other ? other->seconds : plan_.cells[cell].found_seconds;
        c.state = other ? other->state : SweepCell::State::done;
        c.error = other ? other->error : std::nullopt;
        c.reused = true;
    }

    void render_cell(std::size_t cell) {
        SweepCell& c = record_.cells[cell];
        const fs::path own = run_of(cell);
        c = {};
        try {
            const auto there = open_run(own);
            if (!there && is_run_folder(own))
                throw Error((own / run_file::record).string(), "", "cannot be read",
                            "move its folder elsewhere to have this clip rendered again");
            const RenderResult result = there ? finish(*there, cell) : render_new(own, cell);
            c.state = SweepCell::State::done;
            c.seconds = result.seconds;
            before_ = c.run;
        } catch (const Error& e) {
            failed(c, e);
        } catch (const std::bad_alloc&) {
            failed(c, not_enough_memory());
        }
    }

    /// Records the failure of a cell. To be called in an exception handler: rethrows if no other cell can succeed.
    void failed(SweepCell& c, const Error& e) {
        c.state = SweepCell::State::failed;
        c.error = e;
        if (is_out_of_memory(e)) engine_.clear(); // the next cell may need the memory of what was kept for it
        if (hopeless(folder_)) throw;
    }

    /// The folder of the cell's run. A run that was begun stays where it is, whatever its name would be now. A folder
    /// with a run of another request, from before sweep.json was changed by hand, is left alone.
    fs::path run_of(std::size_t cell) const {
        const auto fits = [&](const fs::path& run) {
            const auto there = open_run(run);
            return !there || is_of(*there, request_of(cell));
        };
        const fs::path& begun = record_.cells[cell].run;
        if (begun.parent_path() == folder_.path() / "runs" && is_run_folder(begun) && fits(begun)) return begun;
        const fs::path usual = run_folder_of(folder_, cell);
        fs::path own = usual;
        for (int n = 2; !fits(own); ++n) own = fmt::format("{}-{}", usual.string(), n);
        return own;
    }

    RenderResult render_new(const fs::path& own, std::size_t cell) {
        RenderOptions options;
        options.run_dir = own;
        options.conditioning_of = before_;
        options.on_run = [&](const RunFolder& run) { begun(run, cell); };
        return render(request_of(cell), options, engine_, observer_, stop_);
    }

    /// Resumes a run that was interrupted, and makes sure that it has its clip.
    RenderResult finish(const RunFolder& there, std::size_t cell) {
        const fs::path& own = there.path();
        const Request& request = request_of(cell);
        const auto on_run = [&](const RunFolder& run) { begun(run, cell); };
        RenderResult result = resume(own, on_run, request.threads, engine_, observer_, stop_);
        if (const RunFolder run = RunFolder::open(own); !has_clip(run)) { // resume() leaves a finished run as it is
            if (!run.can_be_decoded()) { // its latents were not kept, or are damaged as well
                set_aside(own);
                return render_new(own, cell);
            }
            std::error_code code;
            fs::rename(own / run_file::video, own / "video-damaged.mp4", code); // fails if the video is gone
            decode_run(own, std::nullopt, own / run_file::video, request.threads, observer_, stop_);
        }
        record_.cells[cell].run = own; // resume() does not call on_run for a finished run
        return result;
    }

    void begun(const RunFolder& run, std::size_t cell) {
        record_.cells[cell].run = run.path();
        folder_.save();
        if (calls_.on_run) calls_.on_run(run);
    }

    SweepFolder& folder_;
    SweepRecord& record_;
    const SweepPlan& plan_;
    Engine& engine_;
    const SweepCalls& calls_;
    Observer& observer_;
    const std::stop_token stop_;
    fs::path before_; ///< the run rendered last
};

} // namespace

void run_sweep(SweepFolder& folder, const SweepPlan& plan, Engine& engine, const SweepCalls& calls, Observer& observer,
               std::stop_token stop) {
    SweepRun(folder, plan, engine, calls, observer, std::move(stop)).work();
}

} // namespace denoir
