// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

namespace denoir {

/// SHA-256 of data that comes in pieces.
class Sha256 {
public:
    Sha256();
    ~Sha256();

    void update(const void* data, std::size_t bytes);
    /// The sum as 64 lower-case hexadecimal digits. To be called once, after the last update().
    std::string hex();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The sum of these bytes, as Sha256::hex().
std::string sha256_hex(const void* data, std::size_t bytes);
/// The sum of a regular file's bytes. Throws Error naming it, Cancelled.
std::string file_sha256(const std::filesystem::path& path, const std::stop_token& = {});

} // namespace denoir
