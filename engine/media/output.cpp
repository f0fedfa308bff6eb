// SPDX-License-Identifier: Apache-2.0
#include "engine/media/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace denoir::media {

/// Reads from the same file, with a position of its own.
struct OutputFile::Reader {
    OutputFile& file;
    std::int64_t position = 0;

    static int read(void* self, std::uint8_t* out, int bytes) {
        auto& reader = *static_cast<Reader*>(self);
        const ssize_t n = pread(reader.file.file_.descriptor(), out, static_cast<std::size_t>(bytes), reader.position);
        if (n < 0) return AVERROR(errno);
        reader.position += n;
        return n == 0 ? AVERROR_EOF : static_cast<int>(n);
    }
    static std::int64_t seek(void* self, std::int64_t offset, int whence) {
        auto& reader = *static_cast<Reader*>(self);
        if (whence & AVSEEK_SIZE) return reader.file.size_;
        if ((whence & ~AVSEEK_FORCE) != SEEK_SET || offset < 0) return AVERROR(EINVAL);
        return reader.position = offset;
    }
};

OutputFile::OutputFile(const std::filesystem::path& path) : file_(path) {
    const auto write = [](void* self, WriteByte* data, int bytes) {
        return static_cast<OutputFile*>(self)->write(data, bytes);
    };
    io_ = make_io(true, this, nullptr, write, &OutputFile::seek);
}

void OutputFile::attach(AVFormatContext& format) {
    format.pb = io_.get();
    format.flags |= AVFMT_FLAG_CUSTOM_IO;
    format.opaque = this;
    format.io_open = open_again;
    format.io_close2 = close_again;
}

int OutputFile::write(const std::uint8_t* data, int bytes) {
    if (error_) return AVERROR(EIO);
    try {
        if (lseek(file_.descriptor(), position_, SEEK_SET) != position_) return AVERROR(errno);
        file_.write(data, static_cast<std::size_t>(bytes));
    } catch (...) { // exceptions must not pass through libav's C code
        error_ = std::current_exception();
        return AVERROR(EIO);
    }
    position_ += bytes;
    size_ = std::max(size_, position_);
    return bytes;
}

std::int64_t OutputFile::seek(void* self, std::int64_t offset, int whence) {
    auto& file = *static_cast<OutputFile*>(self);
    if (whence & AVSEEK_SIZE) return file.size_;
    const std::int64_t base = seek_base(whence, file.position_, file.size_);
    if (base + offset < 0) return AVERROR(EINVAL);
    return file.position_ = base + offset;
}

int OutputFile::open_again(AVFormatContext* format, AVIOContext** io, const char*, int flags, AVDictionary**) {
    if (flags & AVIO_FLAG_WRITE) return AVERROR(EACCES);
    try {
        auto reader = std::make_unique<Reader>(Reader{*static_cast<OutputFile*>(format->opaque)});
        *io = make_io(false, reader.get(), &Reader::read, nullptr, &Reader::seek).release();
        reader.release();
        return 0;
    } catch (...) {
        return AVERROR(ENOMEM);
    }
}

int OutputFile::close_again(AVFormatContext*, AVIOContext* io) {
    if (!io) return 0;
    delete static_cast<Reader*>(io->opaque);
    Io{io}.reset();
    return 0;
}

void OutputFile::finish() {
    avio_flush(io_.get());
    rethrow();
    if (io_->error < 0)
        throw Error("", "", "the video cannot be written: " + reason(io_->error), "choose another place");
    file_.commit();
}

} // namespace denoir::media
