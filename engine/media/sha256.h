// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <string>

namespace denoir {

/// SHA-256 over pieces.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;

    void update(const void* data, std::size_t bytes);
    /// 64 lower-case digits. Ends the sum: call once.
    std::string hex();

private:
    struct State;
    std::unique_ptr<State> state_;
};

std::string sha256_hex(const void* data, std::size_t bytes);

} // namespace denoir
