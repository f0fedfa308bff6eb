// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/inspect.h"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/values.h"
#include "engine/core/text.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/carried_request.h"
#include "engine/session/request_json.h"

namespace denoir::cli {
namespace {

/// A folder's parts one line each; a single file has no role worth a line of its own.
std::string describe(const Inspection& found) {
    const std::string family = printable(found.family, 60), variant = printable(found.variant, 60);
    std::string out = fmt::format("{}, ", family == variant ? family : family + " " + variant); // twice unknown
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
        out += fmt::format("  {}: {}\n", printable(key, 40),
                           printable(value.dump(-1, ' ', false, Json::error_handler_t::replace), 80));
    for (const auto& missing : found.missing) out += fmt::format("  missing: {}\n", printable(missing, 200));
    for (const auto& warning : found.warnings) out += fmt::format("  warning: {}\n", printable(warning, 200));
    out.pop_back();
    return out;
}

/// The request behind what was rendered, if PATH is that. `none` is thrown where it is nothing of the kind either.
std::optional<Request> request_behind(const std::string& path, const std::exception_ptr& none) {
    std::optional<Request> carried;
    try {
        carried = carried_request(path);
    } catch (const Error&) {
        if (none) std::rethrow_exception(none);
        throw;
    }
    if (!carried && none) std::rethrow_exception(none);
    return carried;
}

int run(const Arguments& args, Console& console) {
    const std::string path = named_run(args.words()[0]);
    if (path.empty()) throw UsageError("", "PATH", "is empty", "name a file or folder");
    std::optional<Inspection> model;
    std::exception_ptr no_model;
    std::error_code code;
    if (std::filesystem::is_directory(path, code) && !is_run_folder(path)) try { // any picture may lie beside a model
            model = inspect(path);
        } catch (const Error&) {
            no_model = std::current_exception();
        }
    if (const auto made = model ? std::nullopt : request_behind(path, no_model)) {
        if (args.has("--tensors"))
            throw UsageError("", "--tensors", "a rendered clip has none", "leave it out, or name a checkpoint");
        console.say(Console::text(open_request_json(*made)));
        console.report(Json{{"request", to_json(*made)}});
        return 0;
    }
    const Inspection found = model ? std::move(*model) : inspect(path);
    std::string text = describe(found);
    if (args.has("--tensors"))
        for (const auto& t : found.tensors)
            text +=
                fmt::format("\n{} {} [{}]", printable(t.name, 160), printable(t.dtype, 40), fmt::join(t.shape, ", "));
    console.say(text);
    console.report(to_json(found, args.has("--tensors")));
    return 0;
}

} // namespace

Command inspect_command() {
    return {"inspect",
            "PATH [--tensors]",
            "What a checkpoint file or model folder is, from its headers alone.\n"
            "Of a video or PNG frame that Denoir made, or of a run: the request behind it, as a request file has it\n"
            "(with --json as it was resolved, with all that followed from the model).",
            1,
            1,
            {{"--tensors", "", "list every tensor with its type and shape (default: their number)"}, json_option},
            run};
}

} // namespace denoir::cli
