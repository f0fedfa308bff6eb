// SPDX-License-Identifier: Apache-2.0
#include "app/cli/sweep_progress.h"

#include <fmt/format.h>

#include "app/cli/interrupt.h"

namespace denoir::cli {

void SweepProgress::warning(std::string_view text) {
    const auto [said, is_new] = warnings_.try_emplace(std::string(text));
    if (cell_) said->second.insert(*cell_);
    if (is_new)
        Progress::warning(cell_ ? fmt::format("with {}: {}", folder_->record().sweep.label(*cell_, 24), text)
                                : std::string(text));
}

void SweepProgress::at(const SweepFolder& folder, const SweepPlan& plan) {
    folder_ = &folder;
    plan_ = &plan;
    resume_ = command_with("denoir-cli sweep --resume", folder.path().string());
    Interrupt::set_last_words(words());
}

void SweepProgress::begins(std::size_t cell, std::size_t number, std::size_t of) {
    cell_ = cell;
    number_ = number;
    of_ = of;
    Interrupt::set_last_words(words());
    if (plain_) {
        prefix_.clear();
        show(fmt::format("cell {} of {}: {}", number, of, label(cell)));
    }
    const std::string left =
        seconds_ > 0 && flop_ > 0 ? fmt::format(", all in about {}", duration(flop_to_do() * seconds_ / flop_)) : "";
    prefix_ = fmt::format("cell {}/{}{} · ", number, of, left);
}

void SweepProgress::ends(std::size_t cell) {
    const SweepCell& c = folder_->record().cells[cell];
    if (c.reused || c.state != SweepCell::State::done) return;
    seconds_ += c.seconds;
    flop_ += plan_->cells[cell].work.flop;
}

void SweepProgress::over() {
    prefix_.clear();
    cell_.reset();
}

std::string SweepProgress::words() const {
    if (resume_.empty()) return "cancelled";
    const std::string where = of_ > 0 ? fmt::format(" in cell {} of {}", number_, of_) : ""; // else none is rendered
    return fmt::format("cancelled{}; resume with: {}", where, resume_);
}

double SweepProgress::flop_to_do() const {
    double sum = 0;
    for (const std::size_t cell : plan_->to_render())
        if (folder_->record().cells[cell].state != SweepCell::State::done) sum += plan_->cells[cell].work.flop;
    return sum;
}

} // namespace denoir::cli
