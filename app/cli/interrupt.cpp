// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupt.h"

#include <csignal>
#include <mutex>
#include <thread>

#include <unistd.h>

#include "app/cli/console.h"
#include "engine/core/atomic_file.h"
#include "engine/session/run_folder.h"

namespace denoir::cli {
namespace {

/// What the watching thread needs in order to end the process. Never destroyed, since that thread is still there while
/// the process exits.
struct Ending {
    std::stop_source source;
    std::mutex mutex;
    std::string last_words = "cancelled";
    std::filesystem::path output;
    bool json = false;   ///< a JSON document is due on stdout
    bool result = false; ///< main has begun to write the result: nothing else may be said
    bool over = false;   ///< main is about to return
};

Ending& ending() {
    static auto& it = *new Ending;
    return it;
}

sigset_t watched() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM}) sigaddset(&set, signal);
    struct sigaction hangup {};
    // Under nohup SIGHUP is ignored: then the end of the terminal does not concern us.
    if (::sigaction(SIGHUP, nullptr, &hangup) != 0 || hangup.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
    return set;
}

/// Also called before the constructors of any library, so that a Ctrl+C in the first moments waits for us instead of
/// ending the process.
void block_signals() {
    const sigset_t set = watched();
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const first_of_all)() = block_signals;

/// Ends the process. Returns only if main is writing the result, or has finished.
void end_now() {
    Ending& end = ending();
    const std::lock_guard lock(end.mutex);
    if (end.over || end.result) return;
    Console::say_cancelled(end.last_words, end.json, {}); // the main thread may be using stdio's buffers
    // Only now, since removing a large file that is being synced can take seconds.
    remove_temporaries(true);
    if (const std::filesystem::path& output = end.output; !output.empty()) {
        remove_partials(output.has_parent_path() ? output.parent_path() : ".", output.filename().string(), ::getpid());
        remove_partials(output, "", ::getpid()); // frames half-written to a folder that was there before
    }
    ::_exit(exit_code::cancelled);
}

void watch(std::stop_source source) {
    const sigset_t set = watched();
    int signal = 0;
    while (::sigwait(&set, &signal) != 0) {
    }
    source.request_stop();
    const timespec grace{0, 400'000'000};
    ::sigtimedwait(&set, nullptr, &grace); // until the time is over or a second signal comes
    end_now();
    while (::sigwait(&set, &signal) != 0) {
    }
    const std::lock_guard lock(ending().mutex);
    if (!ending().over) ::_exit(exit_code::cancelled); // the result is not read, and one more signal came
}

} // namespace

Interrupt::Interrupt() {
    block_signals();
    for (const int failed_write : {SIGPIPE, SIGXFSZ}) std::signal(failed_write, SIG_IGN); // the write reports it
    std::thread(watch, ending().source).detach();
}

Interrupt::~Interrupt() {
    const std::lock_guard lock(ending().mutex);
    ending().over = true;
}

std::stop_token interrupt_token() { return ending().source.get_token(); }

void Interrupt::set_last_words(const std::string& line) {
    const std::lock_guard lock(ending().mutex);
    ending().last_words = line;
}

void Interrupt::begin_result() {
    const std::lock_guard lock(ending().mutex);
    ending().result = true;
}

void Interrupt::set_json() {
    const std::lock_guard lock(ending().mutex);
    ending().json = true;
}

void Interrupt::set_output(const std::filesystem::path& out) {
    const std::lock_guard lock(ending().mutex);
    ending().output = out.has_filename() ? out : out.parent_path();
}

} // namespace denoir::cli
