// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to engine/media: a file that libav's muxers write to, without knowing its name.
#include <exception>
#include <filesystem>

#include "engine/core/atomic_file.h"
#include "engine/media/libav.h"

namespace denoir::media {

/// Errors of writing are kept, and thrown by rethrow() and finish(): exceptions must not pass through libav's C code.
class OutputFile {
public:
    /// Throws Error if no file can be created there.
    explicit OutputFile(const std::filesystem::path& path);
    /// Makes `format` write here. It may read back what it wrote (MP4 moves its index to the front), but open nothing
    /// else.
    void attach(AVFormatContext& format);
    /// The first error of a write, if any.
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }
    /// Flushes and syncs the file and gives it its name. Throws Error, also for errors of earlier writes.
    void finish();

private:
    struct Reader;
    int write(const std::uint8_t* data, int bytes);
    static std::int64_t seek(void* self, std::int64_t offset, int whence);
    static int open_again(AVFormatContext*, AVIOContext**, const char* url, int flags, AVDictionary**);
    static int close_again(AVFormatContext*, AVIOContext*);

    AtomicFile file_;
    std::int64_t position_ = 0, size_ = 0;
    std::exception_ptr error_;
    Io io_;
};

} // namespace denoir::media
