// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/termination.h"

#include <QSocketNotifier>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

namespace denoir::app {
namespace {

constexpr std::array numbers{SIGTERM, SIGINT, SIGHUP};

volatile std::sig_atomic_t write_end = -1; ///< of a pipe, as a signal handler may do little else than write

void arrived(int) {
    const int before = errno;
    const char byte = 0;
    [[maybe_unused]] const auto written = ::write(write_end, &byte, 1); // fails if the pipe is full, which is enough
    errno = before;
}

} // namespace

struct Termination::State {
    int read_end = -1;
    std::array<std::optional<struct sigaction>, numbers.size()> before;
};

Termination::Termination(QObject* parent) : QObject(parent), state_(std::make_unique<State>()) {
    Q_ASSERT(write_end < 0);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return; // signals then end the process as without this object
    state_->read_end = ends[0];
    write_end = ends[1];
    auto* notifier = new QSocketNotifier(state_->read_end, QSocketNotifier::Read, this);
    connect(notifier, &QSocketNotifier::activated, this, [this] {
        for (char byte = 0; ::read(state_->read_end, &byte, 1) == 1;) emit asked();
    });
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        struct sigaction now {};
        struct sigaction action {};
        action.sa_handler = arrived;
        action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
        if (::sigaction(numbers[i], nullptr, &now) != 0 || now.sa_handler == SIG_IGN) continue;
        if (::sigaction(numbers[i], &action, nullptr) == 0) state_->before[i] = now;
    }
}

Termination::~Termination() {
    if (state_->read_end < 0) return;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (state_->before[i]) ::sigaction(numbers[i], &*state_->before[i], nullptr);
    ::close(write_end);
    ::close(state_->read_end);
    write_end = -1;
}

} // namespace denoir::app
