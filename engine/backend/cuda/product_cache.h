// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace denoir::cuda {

/// Which algorithm of a library is the fastest for a shape, kept in a text file: a line `KEY WORD×8` each.
/// What cannot be read is left out; what the library does not accept later is forgotten by `forget`.
class ProductCache {
public:
    using Words = std::array<std::uint64_t, 8>;
    /// The file for the choices `what` on a card with this version of the library; empty where the user has no folder.
    static std::filesystem::path file(std::string_view what, std::string card, std::size_t version);
    /// An empty path: nothing is kept on disk.
    explicit ProductCache(std::filesystem::path file);
    ~ProductCache();
    ProductCache(const ProductCache&) = delete;

    std::optional<Words> find(const std::string& key) const;
    /// Key: no spaces. Writes the file, but not for each of the hundreds of choices of a first step: every two seconds,
    /// and at the end; what another process has written meanwhile stays there, and is known from then on. A disk that
    /// refuses costs nothing but the next start's time.
    void keep(const std::string& key, const Words&);
    /// Until it is kept again or the next start.
    void forget(const std::string& key);
    std::size_t size() const;

private:
    /// One for all caches of a file in this process: what one backend has measured, the next must not measure again and
    /// choose otherwise.
    struct Known {
        std::mutex mutex;
        std::map<std::string, Words, std::less<>> words;
        std::set<std::string> forgotten;
        std::chrono::steady_clock::time_point written{}; ///< long ago: the first choice is written at once
        bool unwritten = false;
    };
    void write(Known&);
    static std::shared_ptr<Known> known_of(const std::filesystem::path& file);
    std::filesystem::path file_;
    std::shared_ptr<Known> known_;
};

} // namespace denoir::cuda
