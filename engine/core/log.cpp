// SPDX-License-Identifier: Apache-2.0
#include "engine/core/log.h"

#include <cstdio>
#include <mutex>
#include <utility>

#include "engine/core/error.h"

namespace denoir::log {
namespace {

void write_warnings(Level level, std::string_view text) {
    if (level == Level::warning) std::fprintf(stderr, "warning: %s\n", printable(text, 400).c_str());
}

struct State {
    std::mutex mutex;
    Sink sink = write_warnings;
};

/// Never destroyed, since threads may still log while the process ends.
State& state() {
    static State& state = *new State;
    return state;
}

void send(Level level, std::string_view text) {
    const std::lock_guard lock(state().mutex);
    state().sink(level, text);
}

} // namespace

void set_sink(Sink sink) {
    const std::lock_guard lock(state().mutex);
    state().sink = sink ? std::move(sink) : Sink(write_warnings);
}

void info(std::string_view text) { send(Level::info, text); }
void warning(std::string_view text) { send(Level::warning, text); }

} // namespace denoir::log
