// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sweep_run.h"

#include <fmt/format.h>

#include "engine/core/disk.h"
#include "engine/core/file.h"
#include "engine/core/text.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/decode_run.h"
#include "engine/session/render.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

fs::path run_folder_of(const SweepFolder& folder, std::size_t cell) {
    return folder.path() / "runs" /
           fmt::format("{:03}-{}", cell, file_slug(folder.record().sweep.label(cell, 24), 60, "."));
}

bool is_of(const RunFolder& run, Request request) {
    // Runs of an older version do not hold TeaCache's polynomial.
    const auto& stored = run.record().request.cache;
    if (request.cache && stored && stored->coefficients.empty()) request.cache->coefficients.clear();
    return request_identity(run.record().request) == request_identity(request);
}

bool finished(const fs::path& path, const Request& request) {
    const auto run = open_run(path);
    return run && is_of(*run, request) && has_clip(*run);
}

/// Errors after which no other cell would fare better.
bool hopeless(const SweepFolder& folder) {
    constexpr std::uint64_t least = std::uint64_t{64} << 20;
    std::error_code code;
    return !fs::is_directory(folder.path(), code) || free_space(folder.path()).value_or(least) < least;
}

} // namespace

void run_sweep(SweepFolder& folder, const SweepPlan& plan, Engine& engine, const SweepCalls& calls, Observer& observer,
               std::stop_token stop) {
    SweepRecord& record = folder.record();
    std::error_code code;
    fs::create_directory(folder.path() / "runs", code);
    const auto ended = [&](std::size_t cell) {
        if (calls.ends) calls.ends(cell);
        folder.save();
    };
    const std::size_t of = plan.to_render().size();
    std::size_t number = 0;
    fs::path before; // the run rendered last
    for (const std::size_t cell : plan.order) {
        if (stop.stop_requested()) throw Cancelled();
        SweepCell& c = record.cells[cell];
        const Request& request = plan.cells[cell].request;
        const bool rendered_here = plan.renders(cell);
        if (rendered_here) ++number;
        if (c.state == SweepCell::State::done && finished(c.run, request)) {
            before = c.run;
            continue;
        }
        if (!rendered_here) {
            const SweepCell* other = plan.cells[cell].same ? &record.cells[plan.origin(cell)] : nullptr;
            c.run = other ? other->run : plan.cells[cell].found;
            c.state = other ? other->state : SweepCell::State::done;
            c.error = other ? other->error : std::nullopt;
            c.reused = true;
            ended(cell);
            continue;
        }
        if (calls.begins) calls.begins(cell, number, of);
        c = {};
        try {
            const auto on_run = [&](const RunFolder& run) {
                c.run = run.path();
                folder.save();
                if (calls.on_run) calls.on_run(run);
            };
            const fs::path own = run_folder_of(folder, cell);
            RenderResult result;
            const auto there = open_run(own);
            if (!there && is_run_folder(own))
                throw Error((own / run_file::record).string(), "", "cannot be read",
                            "move its folder elsewhere to have this clip rendered again");
            if (there) {
                if (!is_of(*there, request))
                    throw Error(own.string(), "", "holds the run of another request", "move it elsewhere");
                result = resume(own, on_run, request.threads, engine, observer, stop);
                if (!has_clip(RunFolder::open(own))) { // resume() leaves a finished run as it is
                    fs::rename(own / run_file::video, own / "video-damaged.mp4", code); // or it is gone
                    decode_run(own, std::nullopt, own / run_file::video, request.threads, observer, stop);
                }
                c.run = own; // a finished one tells nobody
            } else {
                RenderOptions options;
                options.run_dir = own;
                options.conditioning_of = before;
                options.on_run = on_run;
                result = render(request, options, engine, observer, stop);
            }
            c.state = SweepCell::State::done;
            c.seconds = result.seconds;
            before = c.run;
        } catch (const Error& e) {
            c.state = SweepCell::State::failed;
            c.error = e;
            if (hopeless(folder)) throw;
        }
        ended(cell);
    }
}

} // namespace denoir
