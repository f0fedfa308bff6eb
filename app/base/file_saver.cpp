// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/base/file_saver.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "app/base/text.h"
#include "engine/core/atomic_file.h"
#include "engine/core/file.h"

namespace denoir::app {
namespace {

constexpr std::size_t most_bytes = 64 << 20;

} // namespace

struct FileSaver::State {
    State(FileSaver& saver, std::filesystem::path file) : self(saver), path(std::move(file)) {}

    void loop(const std::stop_token& end) {
        for (;;) {
            std::function<std::string()> content;
            quint64 serial = 0;
            {
                std::unique_lock lock(mutex);
                wake.wait(lock, end, [&] { return waiting != nullptr; });
                if (!waiting) return; // stopped, and everything is written
                content = std::exchange(waiting, nullptr);
                writing = true;
                serial = last;
            }
            std::optional<Issue> issue;
            try {
                write_file(path, content());
            } catch (...) {
                issue = Issue::from_current_exception();
            }
            {
                const std::scoped_lock lock(mutex);
                writing = false;
                good = !issue;
                done.notify_all();
            }
            if (issue)
                emit self.failed(serial, *issue);
            else
                emit self.saved(serial);
        }
    }

    FileSaver& self;
    const std::filesystem::path path;
    std::mutex mutex;
    std::condition_variable_any wake, done;
    std::function<std::string()> waiting; ///< makes the content to write next; null if there is none
    quint64 last = 0;
    bool writing = false, good = true;
    std::jthread thread;
};

FileSaver::FileSaver(std::filesystem::path path, QObject* parent)
    : QObject(parent), state_(std::make_unique<State>(*this, std::move(path))) {
    qRegisterMetaType<Issue>();
    state_->thread = std::jthread([state = state_.get()](const std::stop_token& end) { state->loop(end); });
}

FileSaver::~FileSaver() {
    state_->thread.request_stop();
    state_->thread.join();
}

quint64 FileSaver::save(std::string content) {
    return save([content = std::move(content)]() mutable { return std::move(content); });
}

quint64 FileSaver::save(std::function<std::string()> write) {
    const std::scoped_lock lock(state_->mutex);
    state_->waiting = std::move(write);
    state_->wake.notify_all();
    return ++state_->last;
}

bool FileSaver::flush() {
    std::unique_lock lock(state_->mutex);
    state_->done.wait(lock, [&] { return !state_->waiting && !state_->writing; });
    return state_->good;
}

const std::filesystem::path& FileSaver::path() const { return state_->path; }

bool read_own_file(const std::filesystem::path& path, Issue& issue,
                   const std::function<void(const std::string&)>& read) {
    std::error_code code;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, code))) return false;
    try {
        read(read_text(path, most_bytes));
        return true;
    } catch (...) {
        issue = Issue::from_current_exception();
    }
    const std::filesystem::path aside = path.string() + ".broken";
    std::filesystem::rename(path, aside, code);
    issue.file = to_qstring(path);
    issue.hint =
        code ? QObject::tr("move it away") : QObject::tr("it was put aside as %1").arg(to_qstring(aside.filename()));
    return false;
}

} // namespace denoir::app
