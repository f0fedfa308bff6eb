// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace denoir::test {

/// An empty folder for one test, removed afterwards with everything in it. `name` is its last part, for code that tells
/// models apart by the names of their folders.
class TempFolder {
public:
    explicit TempFolder(std::string_view name = "folder") {
        std::string own = (std::filesystem::temp_directory_path() / "denoir-test-XXXXXX").string();
        if (!::mkdtemp(own.data())) throw std::runtime_error("no temporary folder");
        path_ = std::filesystem::path(own) / name;
        std::filesystem::create_directory(path_);
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_.parent_path(), ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
    /// How many files and folders are in it, not counting what lies in those folders.
    int entries() const { return int(std::distance(std::filesystem::directory_iterator(path_), {})); }

private:
    std::filesystem::path path_;
};

} // namespace denoir::test
