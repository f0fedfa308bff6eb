// SPDX-License-Identifier: Apache-2.0
#include "engine/media/libav.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <mutex>
#include <set>

namespace denoir::media {
namespace {

/// Larger than any single plane or index of a file within our limits. A hostile length fails here and does not fill the
/// memory.
constexpr std::size_t largest_allocation = std::size_t{336} << 20;
constexpr int io_buffer_bytes = 1 << 16;

std::mutex wishes_mutex;
std::multiset<std::size_t> wishes; ///< sizes of all LargeAllocations that exist

void set_cap() { av_max_alloc(wishes.empty() ? largest_allocation : std::max(largest_allocation, *wishes.rbegin())); }

/// The log callback: libav's lines are not shown. But the decoders of FFV1 and GIF report damage only there, so that
/// their context stores in `opaque`, which has no other use, that they did. Called on the decoder's only thread.
void on_log(void* speaker, int level, const char*, va_list) {
    if (level > AV_LOG_ERROR || !speaker || *static_cast<const AVClass**>(speaker) != avcodec_get_class()) return;
    auto* context = static_cast<AVCodecContext*>(speaker);
    if (context->codec_id == AV_CODEC_ID_FFV1 || context->codec_id == AV_CODEC_ID_GIF) context->opaque = context;
}

} // namespace

bool is_damaged(const AVCodecContext& decoder, const AVFrame& frame) {
    return frame.decode_error_flags != 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT) || decoder.opaque;
}

bool is_interlaced(const AVFrame& frame) {
#ifdef AV_FRAME_FLAG_INTERLACED // since FFmpeg 6.1; the older field is gone in FFmpeg 8
    return frame.flags & AV_FRAME_FLAG_INTERLACED;
#else
    return frame.interlaced_frame;
#endif
}

void forget_damage(AVCodecContext& decoder) { decoder.opaque = nullptr; }

void prepare_libav() {
    static std::once_flag once;
    std::call_once(once, [] {
        av_log_set_callback(on_log);
        av_max_alloc(largest_allocation);
    });
}

LargeAllocations::LargeAllocations(std::size_t bytes) : bytes_(bytes) {
    prepare_libav();
    const std::scoped_lock lock(wishes_mutex);
    wishes.insert(bytes_);
    set_cap();
}

LargeAllocations::~LargeAllocations() {
    const std::scoped_lock lock(wishes_mutex);
    wishes.erase(wishes.find(bytes_));
    set_cap();
}

std::string reason(int error) {
    if (error == AVERROR(ENOMEM)) return "it asks for too much memory";
    if (error == AVERROR_EOF) return "the file is cut short";
    if (error == AVERROR_EXIT) return "it takes too long to read";
    if (error == AVERROR_DECODER_NOT_FOUND || error == AVERROR_PATCHWELCOME || error == AVERROR(ENOSYS))
        return "this kind of file is not supported";
    constexpr int unnamed = -1; // many decoders return it for any error; it is also the number of EPERM
    if (error > AVERROR(4096) && error < unnamed && error != AVERROR(EINVAL) && error != AVERROR(EAGAIN))
        return std::strerror(AVUNERROR(error));
    return "the data is damaged";
}

Io make_io(bool writes, void* opaque, int (*read)(void*, std::uint8_t*, int), int (*write)(void*, WriteByte*, int),
           std::int64_t (*seek)(void*, std::int64_t, int)) {
    auto* buffer = static_cast<std::uint8_t*>(av_malloc(io_buffer_bytes));
    if (!buffer) throw std::bad_alloc();
    Io io(avio_alloc_context(buffer, io_buffer_bytes, writes, opaque, read, write, seek));
    if (!io) {
        av_free(buffer);
        throw std::bad_alloc();
    }
    return io;
}

Frame make_frame() {
    Frame frame(av_frame_alloc());
    if (!frame) throw std::bad_alloc();
    return frame;
}

Frame make_frame(int width, int height, AVPixelFormat format) {
    Frame frame = make_frame();
    frame->width = width;
    frame->height = height;
    frame->format = format;
    if (av_frame_get_buffer(frame.get(), 0) < 0)
        throw Error("", "size", "not enough memory for one picture", "use a smaller size");
    return frame;
}

Packet make_packet() {
    Packet packet(av_packet_alloc());
    if (!packet) throw std::bad_alloc();
    return packet;
}

CodecContext make_strict_decoder(const AVCodec& codec, std::int64_t max_pixels) {
    CodecContext context(avcodec_alloc_context3(&codec));
    if (!context) throw std::bad_alloc();
    context->max_pixels = max_pixels;
    context->thread_count = 1;
    context->err_recognition = AV_EF_EXPLODE | AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER;
    context->flags |= AV_CODEC_FLAG_BITEXACT;
    return context;
}

std::int64_t seek_base(int whence, std::int64_t position, std::int64_t size) {
    whence &= ~AVSEEK_FORCE;
    return whence == SEEK_CUR ? position : whence == SEEK_END ? size : 0;
}

int refuse_open(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) { return AVERROR(EACCES); }

double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

MemorySource::MemorySource(std::vector<std::span<const std::uint8_t>> parts) : parts_(std::move(parts)), begins_{0} {
    for (const auto& part : parts_) begins_.push_back(begins_.back() + part.size());
    io_ = make_io(false, this, &MemorySource::read, nullptr, &MemorySource::seek);
}

void MemorySource::allow(double seconds) { deadline_ = thread_seconds() + seconds; }
bool MemorySource::expired() const { return thread_seconds() > deadline_; }

int MemorySource::read(void* self, std::uint8_t* out, int bytes) {
    auto& source = *static_cast<MemorySource*>(self);
    if (source.expired()) return AVERROR_EXIT;
    const std::size_t n = std::min(static_cast<std::size_t>(bytes), source.size() - source.position_);
    if (n == 0) return AVERROR_EOF;
    // The last part that begins at the position or before it; parts that begin at the same place before it are empty.
    const auto behind = std::ranges::upper_bound(source.begins_, source.position_);
    auto part = static_cast<std::size_t>(behind - source.begins_.begin()) - 1;
    for (std::size_t done = 0; done < n; ++part) {
        const std::size_t from = source.position_ + done - source.begins_[part];
        const std::size_t here = std::min(n - done, source.parts_[part].size() - from);
        std::memcpy(out + done, source.parts_[part].data() + from, here);
        done += here;
    }
    source.position_ += n;
    return static_cast<int>(n);
}

std::int64_t MemorySource::seek(void* self, std::int64_t offset, int whence) {
    auto& source = *static_cast<MemorySource*>(self);
    const auto size = static_cast<std::int64_t>(source.size());
    if (whence & AVSEEK_SIZE) return size;
    if (source.expired()) return AVERROR_EXIT;
    const std::int64_t base = seek_base(whence, static_cast<std::int64_t>(source.position_), size);
    if (offset > size - base || offset < -base) return AVERROR(EINVAL);
    source.position_ = static_cast<std::size_t>(base + offset);
    return base + offset;
}

} // namespace denoir::media
