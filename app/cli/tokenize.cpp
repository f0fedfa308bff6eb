// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/request_options.h"
#include "engine/core/log.h"
#include "engine/models/umt5/clean.h"
#include "engine/models/umt5/tokenizer.h"
#include "engine/pipeline/tokenizer_file.h"
#include "engine/session/model_lookup.h"
#include "engine/weights/model_folder.h"

namespace denoir::cli {
namespace {

/// The tokenizer in this file or folder, else the one of the model that lies there.
umt5::Tokenizer tokenizer_of(const std::filesystem::path& path) {
    try {
        return load_tokenizer(path);
    } catch (const Error&) {
        std::filesystem::path found;
        try {
            found = ModelFolder::open(path).tokenizer;
        } catch (const Error&) { // no model either: the first error says what is wrong
        }
        if (found.empty() || found == path) throw;
        return load_tokenizer(found);
    }
}

int run(const Arguments& args, Console& console) {
    refuse_empty(args, "--model", "name a folder");
    const auto model = find_model(args.get("--model"));
    const int limit = text_length(model);
    const auto tokenizer = naming_arguments(args, [&] { return tokenizer_of(model); });
    const std::string text = umt5::clean(args.words()[0]);
    bool cut = false;
    const auto ids = tokenizer.encode(text, limit, &cut);
    if (cut) log::warning(fmt::format("the text is longer than {} tokens; the rest is not used", limit));
    console.say(fmt::format("{}\n{} of {} tokens: {}", text, ids.size(), limit, fmt::join(ids, " ")));
    console.report(Json{{"ids", ids}, {"text", text}});
    return 0;
}

} // namespace

Command tokenize_command() {
    return {"tokenize",
            "[--model DIR] TEXT",
            "The token ids of a prompt, as the text encoder sees them. Reads only the tokenizer.",
            1,
            1,
            {{"--model", "DIR",
              "model or tokenizer folder, a spiece.model or tokenizer.json, or a text encoder's file that holds one "
              "(default: the bundled demo model)"},
             json_option},
            run};
}

} // namespace denoir::cli
