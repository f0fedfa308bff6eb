// SPDX-License-Identifier: Apache-2.0
#include "app/cli/tables.h"

#include <memory>

#include "app/cli/values.h"
#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "engine/session/output_check.h"

namespace denoir::cli {

namespace fs = std::filesystem;

void check_tables(const Arguments& args, std::span<const fs::path> inputs) {
    for (const char* option : {"--report", "--csv"}) {
        if (!args.has(option)) continue;
        refuse_empty(args, option, "name a file");
        check_output_file(output_file(args, option), inputs);
    }
    if (args.has("--report") && args.has("--csv") &&
        same_place(output_file(args, "--report"), output_file(args, "--csv")))
        throw UsageError("", "--csv", "is the same file as --report", "give two names");
}

void write_tables(const Arguments& args, const std::function<std::string()>& csv,
                  const std::function<std::string()>& report) {
    const auto written = [&](const char* option, const std::function<std::string()>& text) {
        auto file = args.has(option) ? std::make_unique<AtomicFile>(output_file(args, option)) : nullptr;
        if (file) file->write(text());
        return file;
    };
    const auto table = written("--csv", csv), page = written("--report", report);
    OutputGroup outputs;
    if (table) outputs.finish(output_file(args, "--csv"), [&] { table->commit(); });
    if (page) outputs.finish(output_file(args, "--report"), [&] { page->commit(); });
    outputs.keep();
}

} // namespace denoir::cli
