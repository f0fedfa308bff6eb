// SPDX-License-Identifier: Apache-2.0
#include "engine/session/module_runner.h"

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/request_options.h"
#include "app/cli/values.h"
#include "engine/session/request_json.h"

namespace denoir::cli {
namespace {

std::map<std::string, std::string> settings(const Arguments& args) {
    std::map<std::string, std::string> out;
    for (const std::string& text : args.all("--set")) {
        const std::size_t equals = text.find('=');
        if (equals == 0 || equals == std::string::npos)
            throw UsageError("", "--set", fmt::format("'{}' is not key=value", printable(text, 40)),
                             "write --set key=value");
        if (!out.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
            throw UsageError("", "--set " + printable(text.substr(0, equals), 40), "is given twice", "keep one");
    }
    return out;
}

int run(const Arguments& args, Console& console) {
    ModuleCall call;
    call.name = args.words()[0];
    for (const std::string& path : args.all("--weights")) call.weights.emplace_back(path);
    refuse_empty(args, "--weights", "name a file or folder");
    refuse_empty(args, "--inputs", "name a file");
    call.inputs = args.get("--inputs");
    call.out = output_file(args, "--out");
    call.set = settings(args);
    Request typed;
    if (args.has("--dtype")) set_field(typed, "dtype", args.get("--dtype"));
    if (args.has("--precision")) set_field(typed, "precision", args.get("--precision"));
    call.dtype = typed.dtype.value_or(DType::f32);
    call.precision = typed.precision;
    call.device = device_of(args).value_or(Device{});
    call.threads = threads_of(args);
    naming_arguments(args, [&] { run_module(call, interrupt_token()); });
    console.say(fmt::format("{}: wrote {}", call.name, printable(args.get("--out"), 1000)));
    console.report(Json{{"module", call.name}, {"out", args.get("--out")}});
    return 0;
}

} // namespace

Command module_command() {
    return {
        "module",
        "NAME [--weights PATH…] [--inputs F] --out F [--set key=value]…",
        "One network, solver, timestep plan or generator on tensors from a safetensors file.\nNAME: wan-transformer, "
        "wan-vae-encode, "
        "wan-vae-decode, umt5, clip-vision, scheduler, timestep-matrix, noise.",
        1,
        1,
        {{"--weights", "PATH…",
          "checkpoint files or folders: safetensors, .pth, GGUF (required; scheduler, timestep-matrix and noise take "
          "none)",
          Option::Count::list},
         {"--inputs", "FILE",
          "safetensors with the input tensors, without a batch axis (required; noise and timestep-matrix take none)"},
         {"--out", "FILE", "safetensors to write (required)"},
         {"--dtype", "f32|bf16", "arithmetic (default f32: weights of any type widened)"},
         {"--precision", "P",
          "cast points: f32, wan, skyreels (default: f32 with f32; with bf16 by the names of the weights, else wan)"},
         {"--set", "key=value",
          "wan-transformer, umt5, clip-vision: heads=N (default: config.json's, else by the widths). wan-transformer: "
          "causal_block=N latent frames (default: config.json's, else 0: off). scheduler: steps=N (required), "
          "sampler=unipc|dpmpp|euler (default unipc), shift=X (default 1), sigmas=A|B|C|D|E (default A, with dpmpp B). "
          "timestep-matrix, in latent frames: frames=N, steps=N (required), ar_step=N (default 0), block=N (default "
          "1), "
          "ready=N (default 0), base=N (default: frames), shift=X (default 1). noise: seed=N, shape=C,T,h,w "
          "(required), "
          "kind=torch-cpu|torch-cuda:N (default torch-cpu)",
          Option::Count::repeated},
         {"--device", "D", "cpu, cuda or cuda:N (default cpu)"},
         threads_option,
         json_option},
        run};
}

} // namespace denoir::cli
