// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace denoir {

/// The name of a device: `cpu`, `cuda` (the first card) or `cuda:1`. Owns nothing.
struct Device {
    enum class Kind { cpu, cuda } kind = Kind::cpu;
    int index = 0;
    /// Throws UsageError naming the field `device`.
    static Device parse(std::string_view text);
    std::string name() const;
    /// Whether it computes on tensors in this machine's memory, not in memory of its own.
    bool uses_host_memory() const { return kind == Kind::cpu; }
    friend bool operator==(const Device&, const Device&) = default;
};

} // namespace denoir
