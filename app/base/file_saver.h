// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/base/issue.h"

namespace denoir::app {

/// Replaces one small file again and again, on a thread of its own, so that a disk that syncs slowly never holds up the
/// window. If contents come faster than they are written, only the newest is written. Destroying it writes what still
/// waits.
class FileSaver : public QObject {
    Q_OBJECT
public:
    explicit FileSaver(std::filesystem::path path, QObject* parent = nullptr);
    ~FileSaver() override;
    /// Returns a serial number. saved() or failed() follows with it, or with that of a later save.
    quint64 save(std::string content);
    /// Saves a text that takes a while to make: `write`, which returns it, is called on the saving thread, unless
    /// something newer comes first. It must own all that it uses.
    quint64 save(std::function<std::string()> write);
    /// Blocks until everything is written. Returns false if the last write failed.
    bool flush();
    const std::filesystem::path& path() const;

signals:
    void saved(quint64 serial);
    void failed(quint64 serial, const denoir::app::Issue& issue);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Passes the text of one of the studio's own files, at most 64 MiB, to `read`. Returns false if there is no such file,
/// it cannot be read or `read` throws. In the latter cases `issue` says so and the file is renamed to NAME.broken, so
/// that nothing is overwritten that somebody may still want.
bool read_own_file(const std::filesystem::path& path, Issue& issue,
                   const std::function<void(const std::string&)>& read);

} // namespace denoir::app
