// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace denoir::app {

/// While it exists, root cannot read files without permission either, in this thread and in those that it starts.
class WithoutRoot {
public:
    WithoutRoot() {
        ::syscall(SYS_capget, &header_, before_);
        __user_cap_data_struct bound[2] = {before_[0], before_[1]};
        bound[0].effective &= ~((1U << CAP_DAC_OVERRIDE) | (1U << CAP_DAC_READ_SEARCH));
        ::syscall(SYS_capset, &header_, bound);
    }
    ~WithoutRoot() { ::syscall(SYS_capset, &header_, before_); }
    WithoutRoot(const WithoutRoot&) = delete;

private:
    __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct before_[2] = {};
};

} // namespace denoir::app
