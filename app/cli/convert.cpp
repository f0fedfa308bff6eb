// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/convert.h"

#include <fmt/format.h>

#include <cstdio>

#include "app/cli/choices.h"
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/values.h"
#include "engine/core/log.h"
#include "engine/core/text.h"
#include "engine/session/inputs.h"
#include "engine/session/output_check.h"

namespace denoir::cli {
namespace {

ConvertOptions options_of(const Arguments& args) {
    ConvertOptions options;
    if (args.has("--dtype")) options.dtype = choice(args, "--dtype", convert_dtypes);
    options.layout = choice(args, "--layout", convert_layouts);
    if (!args.has("--quantize")) return options;
    options.quantize = choice(args, "--quantize", quantisations);
    if (options.layout == ConvertOptions::Layout::diffusers)
        throw UsageError("", "--layout", fmt::format("{} files do not have diffusers' names", args.get("--quantize")),
                         "leave --layout out, or --quantize");
    return options;
}

int run(const Arguments& args, Console& console) {
    const std::filesystem::path in = args.words()[0], out = output_file(args.words()[1]);
    if (in.empty() || out.empty()) throw UsageError("", in.empty() ? "IN" : "OUT", "is empty", "name a file");
    ConvertOptions options = options_of(args);
    Progress progress(progress_style(args));
    options.progress = [&](double done, double total) {
        constexpr double mib = 1 << 20;
        progress.work("converting", "MiB", done / mib, total / mib);
    };
    options.stop = interrupt_token();
    check_output_file(out, weights_inputs(in));
    const ConvertResult result = convert(in, out, options);
    progress.clear();
    for (const std::string& warning : result.warnings) log::warning(warning);
    console.say(fmt::format("{}: {}, {}", printable(args.words()[1], 1000), counted(result.tensors, "tensor"),
                            bytes_text(double(result.bytes))));
    console.report(Json{{"out", args.words()[1]}, {"tensors", result.tensors}, {"bytes", result.bytes}});
    return 0;
}

} // namespace

Command convert_command() {
    return {
        "convert",
        "IN OUT.safetensors|OUT.gguf [--dtype T] [--quantize fp8_scaled|q8_0] [--layout L]",
        "Reads one network in any layout and format and writes it as one safetensors file, or with q8_0 as GGUF.",
        2,
        2,
        {{"--dtype", "T",
          "f32, bf16 or f16 for the floating point tensors (default: as stored; quantised ones become f32)"},
         {"--quantize", "Q",
          "fp8_scaled: 8-bit floats with a scale per linear layer of the blocks; q8_0: 8-bit blocks of 32 in a .gguf "
          "file (default: none)"},
         {"--layout", "L", "names of original, diffusers or comfy files (default original)"},
         progress_option,
         json_option},
        run};
}

} // namespace denoir::cli
