// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "app/cli/console.h"
#include "engine/session/sweep_folder.h"
#include "engine/session/sweep_plan.h"

namespace denoir::cli {

/// The cells that each warning was about; none if it came before the first cell began.
using Warnings = std::map<std::string, std::set<std::size_t>>;

/// Progress of a sweep: which cell is being rendered, and when all will be done, judging by the cells rendered so far.
/// Keeps the line that an interrupted sweep ends with up to date.
class SweepProgress : public Progress {
public:
    explicit SweepProgress(ProgressStyle style) : Progress(style), plain_(style == ProgressStyle::plain) {}

    /// Shows a warning once, for the first cell that it is about; warnings() has all of them.
    void warning(std::string_view text) override;
    const Warnings& warnings() const { return warnings_; }

    /// To be called when the folder exists; it and the plan must outlive the progress.
    void at(const SweepFolder& folder, const SweepPlan& plan);
    /// Cell `number` of `of` is begun, counting from 1 those that are rendered.
    void begins(std::size_t cell, std::size_t number, std::size_t of);
    void ends(std::size_t cell);
    /// No cell is being rendered any more.
    void over();
    /// The last line of a cancelled sweep: how far it came and how to resume it. Works after the folder is gone.
    std::string words() const;

private:
    std::string label(std::size_t cell) const { return folder_->record().sweep.label(cell); }
    double flop_to_do() const;

    bool plain_;
    Warnings warnings_;
    std::optional<std::size_t> cell_; ///< being rendered
    const SweepFolder* folder_ = nullptr;
    const SweepPlan* plan_ = nullptr;
    std::string resume_; ///< the command that resumes the sweep; empty: there is nothing to resume yet
    std::size_t number_ = 0, of_ = 0;
    double seconds_ = 0, flop_ = 0; ///< of the cells rendered so far
};

} // namespace denoir::cli
