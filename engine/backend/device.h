// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace denoir {

/// `cpu`, `cuda` (the first card) or `cuda:1`. A value; owns nothing.
struct Device {
    enum class Kind { cpu, cuda } kind = Kind::cpu;
    int index = 0;
    /// Throws UsageError naming the field `device`.
    static Device parse(std::string_view text);
    std::string name() const;
    /// True where what it computes on lies in this machine's memory, not in its own.
    bool uses_host_memory() const { return kind == Kind::cpu; }
    friend bool operator==(const Device&, const Device&) = default;
};

} // namespace denoir
