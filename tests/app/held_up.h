// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QString>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace denoir::app {

/// A pipe in the place of a lock file. Whoever asks who holds the lock waits until let_go(), as on a disk that does not
/// answer, and then finds it held.
class HeldUp {
public:
    explicit HeldUp(const QString& file) : file_(file.toUtf8()) { there_ = ::mkfifo(file_.constData(), 0600) == 0; }
    /// Also lets go if nobody ever came.
    ~HeldUp() {
        if (there_) end(O_NONBLOCK);
    }
    HeldUp(const HeldUp&) = delete;
    bool there() const { return there_; }
    /// Waits until somebody waits for the lock, and then lets go for good.
    void let_go() {
        if (!there_) return;
        there_ = false;
        end(0);
    }

private:
    void end(int flags) {
        const int fd = ::open(file_.constData(), O_WRONLY | O_CLOEXEC | flags);
        ::unlink(file_.constData());
        if (fd >= 0) ::close(fd);
    }

    QByteArray file_;
    bool there_;
};

} // namespace denoir::app
