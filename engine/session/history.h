// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "engine/session/run_record.h"

namespace denoir {

/// One line of the history.
struct HistoryEntry {
    std::filesystem::path path;
    RunRecord record;
    /// "waiting", "running", "done", "failed", "cancelled", or "interrupted": recorded as running, but by no live
    /// process.
    std::string state;
};

/// The runs below the data folder, newest first. `search`: words that must all occur in prompt, model, mode, state,
/// seed or path, ignoring case; empty for all runs.
std::vector<HistoryEntry> list_runs(const std::string& search);

/// The run of the history whose folder has this name, or the newest one for "last"; empty if there is none.
std::filesystem::path find_run(const std::string& name);

} // namespace denoir
