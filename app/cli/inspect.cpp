// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/inspect.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/values.h"
#include "engine/core/json_fields.h"
#include "engine/core/text.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/carried_request.h"
#include "engine/session/model_lookup.h"
#include "engine/session/request_json.h"

namespace denoir::cli {
namespace {

/// A summary, and a line for each part, configuration value, missing part and warning.
std::string describe(const Inspection& found) {
    const std::string family = printable(found.family, 60), variant = printable(found.variant, 60);
    std::string out = fmt::format("{}, ", family == variant ? family : family + " " + variant); // both may be "unknown"
    if (!found.dtype().empty()) out += printable(found.dtype(), 160) + ", ";
    out += fmt::format("{}, {} parameters, {}\n", counted(found.tensors.size(), "tensor"), found.parameters,
                       bytes_text(double(found.bytes)));
    for (const auto& part : found.parts) {
        const std::string kind = part.layout.empty() ? "" : fmt::format("{} {}, ", part.format, part.layout);
        out += fmt::format("  {}: {}{}, {}\n", part.role, kind, counted(part.files.size(), "file"),
                           bytes_text(double(part.bytes)));
        for (const auto& file : part.files) out += fmt::format("    {}\n", printable(file.string(), 120));
    }
    for (const auto& [key, value] : found.config.items())
        out += fmt::format("  {}: {}\n", printable(key, 40), printable(one_line(value), 80));
    for (const auto& missing : found.missing) out += fmt::format("  missing: {}\n", printable(missing, 200));
    for (const auto& warning : found.warnings) out += fmt::format("  warning: {}\n", printable(warning, 200));
    out.pop_back();
    return out;
}

int show_model(const Inspection& found, const Arguments& args, Console& console) {
    std::string text = describe(found);
    if (args.has("--tensors"))
        for (const auto& t : found.tensors)
            text +=
                fmt::format("\n{} {} [{}]", printable(t.name, 160), printable(t.dtype, 40), fmt::join(t.shape, ", "));
    console.say(text);
    console.report(to_json(found, args.has("--tensors")));
    return 0;
}

int show_request(const Request& made, const Arguments& args, Console& console) {
    if (args.has("--tensors"))
        throw UsageError("", "--tensors", "a rendered clip has none", "leave it out, or name a checkpoint");
    console.say(Console::text(open_request_json(made)));
    console.report(Json{{"request", to_json(made)}});
    return 0;
}

/// The request that a folder's frames carry; empty also if they cannot be read.
std::optional<Request> request_of_frames(const std::string& folder) try {
    return carried_request(folder);
} catch (const Error&) {
    return std::nullopt;
}

/// `given`, or the folder of the run or the model of this name if there is no such file or folder.
std::string path_of(const std::string& given) {
    const std::string path = named_run(given);
    std::error_code code;
    if (path.empty() || path.find('/') != std::string::npos || std::filesystem::exists(path, code)) return path;
    const std::filesystem::path model = named_model(path);
    return model.empty() ? path : model.string();
}

int run(const Arguments& args, Console& console) {
    const std::string path = path_of(args.words()[0]);
    if (path.empty()) throw UsageError("", "PATH", "is empty", "name a file or folder");
    std::error_code code;
    if (!std::filesystem::is_directory(path, code) || is_run_folder(path)) {
        const auto made = carried_request(path);
        return made ? show_request(*made, args, console) : show_model(inspect(path), args, console);
    }
    std::optional<Inspection> model; // tried first, since pictures may lie beside a model
    try {
        model = inspect(path);
    } catch (const Error&) {
        const auto made = request_of_frames(path);
        if (!made) throw;
        return show_request(*made, args, console);
    }
    return show_model(*model, args, console);
}

} // namespace

Command inspect_command() {
    return {"inspect",
            "PATH [--tensors]",
            "What a checkpoint file or model folder is, from its headers alone.\n"
            "A model in the data folder's models can be given by its name.\n"
            "Of a video or PNG frame that Denoir made, or of a run: the request behind it, as a request file has it\n"
            "(with --json as it was resolved, with all that followed from the model).",
            1,
            1,
            {{"--tensors", "", "list every tensor with its type and shape (default: their number)"}, json_option},
            run};
}

} // namespace denoir::cli
