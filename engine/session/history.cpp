// SPDX-License-Identifier: Apache-2.0
#include "engine/session/history.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "engine/core/own_folders.h"
#include "engine/core/text.h"
#include "engine/session/request_json.h"
#include "engine/session/run_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

bool matches(const HistoryEntry& entry, const std::string& search) {
    const Json request = to_json(entry.record.request);
    std::string all = entry.path.string() + " " + entry.state;
    for (const char* key : {"prompt", "model", "mode", "seed"}) {
        const Json& value = request[key];
        all.append(1, ' ').append(value.is_string() ? value.get<std::string>() : value.dump());
    }
    all = lower_ascii(all);
    std::istringstream words(lower_ascii(search));
    for (std::string word; words >> word;)
        if (all.find(word) == std::string::npos) return false;
    return true;
}

fs::path runs_folder() { return data_place() / "runs"; }

} // namespace

std::vector<HistoryEntry> list_runs(const std::string& search) {
    std::vector<HistoryEntry> out;
    const fs::path runs = runs_folder();
    std::error_code code;
    fs::directory_iterator items(runs, code);
    std::set<fs::path> seen; // several links may lead to one run
    for (; !code && items != fs::directory_iterator(); items.increment(code)) {
        const fs::directory_entry& item = *items;
        try {
            if (!seen.insert(fs::canonical(item.path())).second) continue;
            const RunFolder run = RunFolder::open(item.path());
            HistoryEntry entry{fs::canonical(item.path()), run.record(), std::string(name(run.record().state))};
            if (run.record().state == RunState::running && !RunFolder::busy(item.path())) entry.state = "interrupted";
            if (matches(entry, search)) out.push_back(std::move(entry));
        } catch (const std::exception&) { // not a run, or one that was just removed
        }
    }
    if (code && code != std::errc::no_such_file_or_directory)
        throw Error(runs.string(), "", "cannot be read: " + code.message(), "check the folder's rights");
    std::sort(out.begin(), out.end(), [](const HistoryEntry& a, const HistoryEntry& b) {
        return a.record.created != b.record.created ? a.record.created > b.record.created : a.path < b.path;
    });
    return out;
}

fs::path find_run(const std::string& name) {
    if (name == "last") {
        const auto runs = list_runs("");
        return runs.empty() ? fs::path() : runs.front().path;
    }
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) return {};
    std::error_code code;
    const fs::path run = runs_folder() / name;
    return fs::is_directory(run, code) ? fs::canonical(run) : fs::path(); // a link leads to a run elsewhere
}

} // namespace denoir
