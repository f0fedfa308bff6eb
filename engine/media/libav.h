// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to engine/media: handles, one-time set-up and reading from memory for libav (FFmpeg 5.1 and later).
extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/error.h"

namespace denoir::media {

/// Silences libav's own log and caps its single allocations. To be called before anything else of libav is used.
void prepare_libav();

/// Raises the cap on single allocations to `bytes` while it exists, for our own encoders, which allocate buffers for
/// the worst case. The cap applies to the whole process.
class LargeAllocations {
public:
    explicit LargeAllocations(std::size_t bytes);
    ~LargeAllocations();
    LargeAllocations(const LargeAllocations&) = delete;

private:
    std::size_t bytes_;
};

/// Whether `frame`, from this decoder, was decoded from damaged data: libav marks it or, with FFV1 and GIF, the decoder
/// has logged an error, which is all that these do (FFV1: for a slice with a wrong checksum). With these it stays true
/// for later frames, which may depend on a damaged one, until forget_damage().
bool is_damaged(const AVCodecContext& decoder, const AVFrame& frame);
/// To be called after a flush, when decoding starts again at a keyframe.
void forget_damage(AVCodecContext& decoder);
/// Whether the frame consists of two fields, taken one after the other.
bool is_interlaced(const AVFrame& frame);

/// libav's error number in our words: "no space left on device", "the data is damaged", …
std::string reason(int error);

template <auto free> struct Free {
    void operator()(auto* p) const { free(p); }
};
/// For functions that take the pointer's address, to set it to null.
template <auto free> struct FreeByAddress {
    void operator()(auto* p) const { free(&p); }
};
struct FreeIo {
    void operator()(AVIOContext* p) const {
        av_freep(&p->buffer);
        avio_context_free(&p);
    }
};
using Frame = std::unique_ptr<AVFrame, FreeByAddress<av_frame_free>>;
using Packet = std::unique_ptr<AVPacket, FreeByAddress<av_packet_free>>;
using CodecContext = std::unique_ptr<AVCodecContext, FreeByAddress<avcodec_free_context>>;
using Sws = std::unique_ptr<SwsContext, Free<sws_freeContext>>;
using InputContext = std::unique_ptr<AVFormatContext, FreeByAddress<avformat_close_input>>;
using OutputContext = std::unique_ptr<AVFormatContext, Free<avformat_free_context>>;
using Io = std::unique_ptr<AVIOContext, FreeIo>;

#if LIBAVFORMAT_VERSION_MAJOR >= 61
using WriteByte = const std::uint8_t;
#else
using WriteByte = std::uint8_t;
#endif
/// The object through which libav reads or writes, with a buffer of its own. `opaque` is passed to the functions.
Io make_io(bool writes, void* opaque, int (*read)(void*, std::uint8_t*, int), int (*write)(void*, WriteByte*, int),
           std::int64_t (*seek)(void*, std::int64_t, int));
Frame make_frame();
/// A frame with buffers of its own. Throws Error if there is not enough memory.
Frame make_frame(int width, int height, AVPixelFormat format);
Packet make_packet();

/// A decoder, not opened yet, for frames of at most `max_pixels`. It runs on one thread, so that errors belong to the
/// frame at which they are reported, reports all damage that it can detect, and gives the same bytes on every
/// processor. (libav's flag for that does not cover the transform, idct_algo, which is left to the caller.)
CodecContext make_strict_decoder(const AVCodec& codec, std::int64_t max_pixels);

/// The position from which the offset of a seek counts. `whence`: SEEK_SET, SEEK_CUR or SEEK_END, perhaps with
/// AVSEEK_FORCE.
std::int64_t seek_base(int whence, std::int64_t position, std::int64_t size);

/// Refuses to open anything. Set as AVFormatContext::io_open, so that no format can open another file or an address.
int refuse_open(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**);

/// Processor time of the calling thread in seconds. Limits use it so that a busy machine does not make a good file
/// fail.
double thread_seconds();

/// Stretches of memory that libav reads as one file, one after the other. When the allowed time (thread_seconds()) is
/// over, every read fails, which ends loops inside demuxers.
class MemorySource {
public:
    explicit MemorySource(std::vector<std::span<const std::uint8_t>> parts);
    AVIOContext* io() const { return io_.get(); }
    void allow(double seconds);
    bool expired() const;

private:
    static int read(void* self, std::uint8_t* out, int bytes);
    static std::int64_t seek(void* self, std::int64_t offset, int whence);

    std::size_t size() const { return begins_.back(); }

    std::vector<std::span<const std::uint8_t>> parts_;
    std::vector<std::size_t> begins_; ///< position of each part in the file; at the end the file's size
    std::size_t position_ = 0;
    double deadline_ = HUGE_VAL;
    Io io_;
};

} // namespace denoir::media
