// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "engine/core/tensor.h"

namespace denoir {

/// A regular file mapped read-only. Directories, FIFOs and devices are refused before they are opened for reading.
/// Throws Error naming the file as given.
class MappedFile : public Buffer {
public:
    static std::shared_ptr<MappedFile> open(const std::filesystem::path& path);
    ~MappedFile() override;
    std::span<const std::byte> span() const { return {data_, bytes_}; }
    const std::string& name() const { return name_; }
    void drop_pages(std::size_t offset, std::size_t bytes) const override;

private:
    MappedFile(std::byte* data, std::size_t bytes, std::string name)
        : Buffer(data, bytes, nullptr), name_(std::move(name)) {}
    std::string name_;
};

/// If another program truncates a mapped file that is in use, the missing part reads as zeros; without our handler
/// SIGBUS would end the process. Code that computes with mapped files makes a watch before, and checks it afterwards.
class MappedFileWatch {
public:
    MappedFileWatch();
    /// Throws Error naming the file if the missing part of one was read since this watch was made.
    void check() const;

private:
    unsigned seen_;
};

} // namespace denoir
