// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/base/issue.h"

namespace denoir::app {

/// Writes one small file whole again and again, on a thread of its own: a disk that syncs slowly never holds up the
/// window. Of contents given in quick succession only the newest is written. Destroying it writes what is still
/// waiting.
class FileSaver : public QObject {
    Q_OBJECT
public:
    explicit FileSaver(std::filesystem::path path, QObject* parent = nullptr);
    ~FileSaver() override;
    /// Returns a serial number, which comes back with saved() or failed() (of it or a later one).
    quint64 save(std::string content);
    /// Saves what takes a while to be put into words: `write` is called on the saving thread, unless something newer
    /// comes before. It owns all it needs.
    quint64 save(std::function<std::string()> write);
    /// Forgets what is not being written yet.
    void discard();
    /// Blocks until everything given is written. False: the last write failed.
    bool flush();
    const std::filesystem::path& path() const;

signals:
    void saved(quint64 serial);
    void failed(quint64 serial, const denoir::app::Issue& issue);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Hands the text of a small file of our own to `read`; false where there is none. What cannot be read, or what `read`
/// throws at, is put aside as NAME.broken and said in `issue`: nothing is overwritten that somebody may still want.
bool read_own_file(const std::filesystem::path& path, Issue& issue,
                   const std::function<void(const std::string&)>& read);

} // namespace denoir::app
