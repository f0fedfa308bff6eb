// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fnmatch.h>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/request_options.h"
#include "app/cli/values.h"
#include "bench/kernels.h"
#include "engine/backend/cards.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/residency.h"
#include "engine/session/model_lookup.h"
#include "engine/session/preflight.h"
#include "engine/session/request_json.h"
#include "engine/weights/model_folder.h"

namespace denoir::cli {
namespace {

constexpr std::string_view model_cases[] = {"model/text", "model/image", "model/step", "model/decode"};
constexpr int model_steps = 2; ///< the second one is timed: the first packs weights

bool wanted(const std::string& glob, std::string_view name) {
    return glob.empty() || ::fnmatch(glob.c_str(), std::string(name).c_str(), 0) == 0;
}

std::vector<std::string> case_names(const std::string& glob) {
    std::vector<std::string> out;
    for (const auto& c : bench::kernel_cases())
        if (wanted(glob, c.name)) out.push_back(c.name);
    for (const std::string_view name : model_cases)
        if (wanted(glob, name)) out.emplace_back(name);
    return out;
}

Json kernel_results(Backend& backend, const std::string& glob) {
    Json out = Json::array();
    double peak = 0;
    for (const auto& c : bench::kernel_cases()) {
        if (!wanted(glob, c.name)) continue;
        if (interrupt_token().stop_requested()) throw Cancelled();
        if (peak == 0) peak = bench::measured_peak_flops(backend);
        const bench::Measurement m = c.run(backend);
        out.push_back({{"name", c.name},
                       {"seconds", m.seconds},
                       {"gflop_per_second", m.flop / m.seconds / 1e9},
                       {"gbyte_per_second", m.bytes / m.seconds / 1e9},
                       {"share_of_peak", m.flop / m.seconds / peak}});
    }
    return out;
}

/// Seconds per stage, and of the last step alone.
class StageTimes : public Observer {
public:
    void stage_ends(Stage stage, double seconds) override { times[stage] += seconds; }
    void step_done(const StepInfo& info) override { step = info.seconds; }
    std::map<Stage, double> times;
    double step = 0;
};

struct ModelCase {
    ModelFolder model;
    Request request;
};

/// What the model's benchmarks run; refused before anything is timed.
ModelCase model_case(const Arguments& args) {
    Request r;
    if (args.has("--model")) set_field(r, "model", args.get("--model"));
    if (args.has("--image")) set_field(r, "image", args.get("--image"));
    if (args.has("--dtype")) set_field(r, "dtype", args.get("--dtype"));
    if (args.has("--size")) set_size_fields(r, args.get("--size"));
    if (args.has("--frames")) set_field(r, "frames", whole_number(args, "--frames", 1, 1 << 20, 1));
    r.prompt = "A red fox runs through deep snow at sunrise, slow motion, seen from the side.";
    r.seed = 0;
    r.steps = model_steps;
    r.device = device_of(args);
    ModelCase out{ModelFolder::open(find_model(r.model), r.parts), {}};
    out.request = Pipeline::resolve(r, out.model);
    preflight(out.request, out.model, Needs::everything);
    return out;
}

Json model_results(const ModelCase& c, const std::shared_ptr<Backend>& backend, const std::string& glob) {
    const Request& r = c.request;
    const ModelFolder& model = c.model;
    StageTimes observer;
    Residency residency;
    Pipeline pipeline(residency, backend);
    const Conditioning conditioning = pipeline.condition(r, model, observer, interrupt_token());
    DenoiseState state = pipeline.begin(r, model, conditioning);
    pipeline.denoise(r, model, conditioning, state, {}, observer, interrupt_token());
    if (wanted(glob, "model/decode"))
        pipeline.decode(
            r, model, {Pipeline::requested_frames(r, state.latent, state.step)}, [](int, const Tensor&) {}, observer,
            interrupt_token());
    Json out = Json::array();
    const auto add = [&](std::string_view name, double seconds) {
        if (seconds > 0 && wanted(glob, name)) out.push_back({{"name", name}, {"seconds", seconds}});
    };
    add("model/text", observer.times[Stage::text]);
    add("model/image", observer.times[Stage::clip] + observer.times[Stage::image]);
    add("model/step", observer.step);
    add("model/decode", observer.times[Stage::decode]);
    return out;
}

std::string line(const Json& result) {
    const std::string name = result["name"].get<std::string>();
    const double seconds = result["seconds"].get<double>();
    if (!result.contains("gflop_per_second")) return fmt::format("{:<44} {:>12.3f} ms\n", name, seconds * 1e3);
    return fmt::format("{:<44} {:>12.3f} ms {:>10.1f} GFLOP/s {:>8.1f} GB/s {:>5.0f} % of peak\n", name, seconds * 1e3,
                       result["gflop_per_second"].get<double>(), result["gbyte_per_second"].get<double>(),
                       result["share_of_peak"].get<double>() * 100);
}

int run(const Arguments& args, Console& console) {
    const std::string glob = args.get("--only");
    refuse_empty(args, "--only", "name benchmarks, as 'linear/*'");
    const auto names = case_names(glob);
    const std::optional<Device> asked = device_of(args);
    const int threads = threads_of(args);
    if (!args.has("--model"))
        for (const char* option : {"--image", "--size", "--frames", "--dtype"})
            if (args.has(option)) throw UsageError("", option, "goes with --model", "add --model, or leave it out");
    if (names.empty())
        throw UsageError("", "--only", fmt::format("'{}' matches no benchmark", printable(glob, 60)),
                         "see bench --list");
    if (args.has("--list")) {
        console.say(fmt::format("{}", fmt::join(names, "\n")));
        console.report(Json(names));
        return 0;
    }
    std::optional<ModelCase> model;
    if (args.has("--model")) model = model_case(args);
    const bool any_model = std::any_of(std::begin(model_cases), std::end(model_cases),
                                       [&](std::string_view name) { return wanted(glob, name); });
    const auto backend =
        naming_arguments(args, [&] { return open_backend(asked ? *asked : default_device(), threads); });
    backend->set_stop(interrupt_token());
    Json results = kernel_results(*backend, glob);
    if (any_model && model)
        for (Json& result : model_results(*model, backend, glob)) results.push_back(std::move(result));
    std::string text;
    for (const Json& result : results) text += line(result);
    console.say(text.empty() ? "the model's benchmarks need --model" : text.substr(0, text.size() - 1));
    console.report(Json{{"device", backend->device().name()}, {"threads", backend->threads()}, {"results", results}});
    return 0;
}

} // namespace

Command bench_command() {
    return {"bench",
            "[--list] [--only GLOB] [--model DIR [--size WxH] [--frames N]]",
            "Times the kernels, and with --model the stages of that model.",
            0,
            0,
            {{"--list", "", "names of the benchmarks (default: run them)"},
             {"--only", "GLOB", "those whose name matches, as 'linear/*' (default: all)"},
             {"--model", "DIR", "also time text encoder, step and decoder of this model (default: kernels only)"},
             {"--image", "FILE", "start image for --model (default: none)"},
             {"--size", "WxH", "pixels for --model (default: the model's)"},
             {"--frames", "N", "frames for --model, 4n+1 (default: the model's)"},
             {"--dtype", "T", "f32 or bf16 for --model (default bf16)"},
             device_option,
             threads_option,
             json_option},
            run};
}

} // namespace denoir::cli
