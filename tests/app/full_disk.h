// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <signal.h>
#include <sys/resource.h>

namespace denoir::app {

/// While it lives, no file of this process can be written: as on a disk that is full.
class FullDisk {
public:
    FullDisk() {
        handler_ = ::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &before_);
        rlimit none = before_;
        none.rlim_cur = 0;
        ::setrlimit(RLIMIT_FSIZE, &none);
    }
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        ::signal(SIGXFSZ, handler_);
    }
    FullDisk(const FullDisk&) = delete;

private:
    rlimit before_{};
    void (*handler_)(int);
};

} // namespace denoir::app
