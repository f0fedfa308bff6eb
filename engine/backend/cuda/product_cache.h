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

/// For each shape the fastest algorithm of a library, or the fact that it has none. Cached in a text file of lines
/// `KEY WORD×8`. Unreadable lines are ignored; entries that the library no longer accepts are dropped by forget().
class ProductCache {
public:
    using Words = std::array<std::uint64_t, 8>;
    /// The file of the choices `what` for a card and a version of the library; empty if the user has no cache folder.
    static std::filesystem::path file(std::string_view what, std::string card, std::size_t version);
    /// If the path is empty, nothing is kept on disk.
    explicit ProductCache(std::filesystem::path file);
    ~ProductCache();
    ProductCache(const ProductCache&) = delete;

    std::optional<Words> find(const std::string& key) const;
    /// Keeps an entry; the key has no spaces. Writes the file at most every two seconds and at the end, as a first step
    /// makes hundreds of choices. Entries that another process wrote meanwhile are merged. If the disk refuses, the
    /// choices merely have to be made again at the next start.
    void keep(const std::string& key, const Words&);
    /// Hides an entry until it is kept again or the program is started again.
    void forget(const std::string& key);
    std::size_t size() const;

private:
    /// Shared by all caches of one file in this process, so that a second backend does not measure again and choose
    /// differently.
    struct Known {
        std::mutex mutex;
        std::map<std::string, Words, std::less<>> words;
        std::set<std::string> forgotten;
        std::chrono::steady_clock::time_point written{}; ///< long ago at first, so the first choice is written at once
        bool unwritten = false;
    };
    void write(Known&);
    static std::shared_ptr<Known> known_of(const std::filesystem::path& file);
    std::filesystem::path file_;
    std::shared_ptr<Known> known_;
};

} // namespace denoir::cuda
