// SPDX-License-Identifier: Apache-2.0
#include "engine/media/video_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/core/disk.h"
#include "engine/core/file.h"
#include "engine/media/colour.h"
#include "engine/media/output.h"

namespace denoir {
namespace {

using Codec = VideoOptions::Codec;

Codec chosen_codec(const std::filesystem::path& path, const VideoOptions& options) {
    if (options.codec != Codec::automatic) return options.codec;
    return lower_extension(path) == ".mkv" ? Codec::ffv1 : Codec::h264;
}

/// Always a software encoder, since the results of hardware encoders differ from machine to machine.
const AVCodec* find_encoder(Codec codec) {
    return codec == Codec::ffv1 ? avcodec_find_encoder(AV_CODEC_ID_FFV1) : avcodec_find_encoder_by_name("libx264");
}

void set_up_h264(AVCodecContext& context, const VideoOptions& options) {
    context.width = even_side(options.width);
    context.height = even_side(options.height);
    context.pix_fmt = AV_PIX_FMT_YUV420P;
    context.color_range = AVCOL_RANGE_MPEG;
    context.color_primaries = AVCOL_PRI_BT709;
    context.color_trc = AVCOL_TRC_BT709;
    context.colorspace = AVCOL_SPC_BT709;
    context.chroma_sample_location = AVCHROMA_LOC_LEFT;
    context.gop_size = options.keyframe_interval;
    av_opt_set_double(context.priv_data, "crf", options.crf, 0);
    av_opt_set(context.priv_data, "preset", "medium", 0);
    // The processor-specific float kernels of x264 (macroblock tree) sometimes gave other bytes, depending on what was
    // in memory.
    av_opt_set(context.priv_data, "x264-params", "cpu-independent=1", 0);
}

/// The memory that FFV1's encoder allocates for a picture: the worst case of its version 3, 37 bytes per pixel for each
/// of four planes.
std::int64_t ffv1_bytes(const VideoOptions& o) { return std::int64_t{37} * 4 * o.width * o.height + (1 << 20); }

void set_up_ffv1(AVCodecContext& context, const VideoOptions& options) {
    context.width = options.width;
    context.height = options.height;
    context.pix_fmt = AV_PIX_FMT_0RGB32; // the 8-bit RGB format that every FFV1 decoder knows
    context.color_range = AVCOL_RANGE_JPEG;
    context.colorspace = AVCOL_SPC_RGB;
    context.gop_size = 1; // each frame can be decoded on its own
    context.level = 3;
    // 0 means four slices or, if they would be too large, more. A single one is allowed up to 352x288.
    const bool narrow = options.width < 64 || options.height < 64;
    context.slices = narrow && options.width <= 352 && options.height <= 288 ? 1 : 0;
    context.thread_type = FF_THREAD_SLICE;
    av_opt_set_int(context.priv_data, "slicecrc", 1, 0);
    av_opt_set_int(context.priv_data, "coder", 1, 0);
}

} // namespace

Rational frame_rate(double fps) {
    assert(fps > 0 && fps < 1e6);
    Rational best;
    double best_error = HUGE_VAL;
    for (int den = 1; den <= 1001; ++den) {
        const int num = static_cast<int>(std::lround(fps * den));
        const double error = std::abs(static_cast<double>(num) / den - fps);
        if (num > 0 && error < best_error * (1 - 1e-9) && error < best_error - 1e-12) {
            best = {num, den};
            best_error = error;
        }
    }
    return best.num > 0 ? best : Rational{1, 1001};
}

void check_video_output(const std::filesystem::path& path, const VideoOptions& o) {
    media::prepare_libav();
    const std::string extension = lower_extension(path), name = path.string();
    if (extension != ".mp4" && extension != ".mkv")
        throw UsageError(name, "out", "is not a kind of video that can be written", "use .mp4, .mkv or a folder");
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw Error(name, "out", "is an existing folder", "choose another name");
    const Codec codec = chosen_codec(path, o);
    if (codec == Codec::ffv1 && extension == ".mp4")
        throw UsageError(name, "out", "FFV1 cannot be stored in .mp4", "use .mkv");
    const auto usage = [&](const char* field, std::string message, const char* hint) {
        throw UsageError(name, field, std::move(message), hint);
    };
    const int side = MediaLimits{}.side;
    if (o.width < 2 || o.height < 2 || o.width > side || o.height > side)
        usage("size", fmt::format("{}x{} cannot be written", o.width, o.height), "use 2 to 16384 a side, or a folder");
    if (codec == Codec::ffv1 && ffv1_bytes(o) > std::numeric_limits<int>::max())
        usage("size", fmt::format("{}x{} is more than FFV1 can be written in", o.width, o.height),
              "use .mp4, a folder, or up to 14 million pixels");
    const bool odd = (o.width & 1) || (o.height & 1);
    if (codec == Codec::h264 && odd && o.odd_size == VideoOptions::OddSize::refuse)
        usage("size", fmt::format("H.264 has even sides only, not {}x{}", o.width, o.height),
              "use an even size, .mkv or a folder");
    if (o.fps.num <= 0 || o.fps.den <= 0 || o.fps.value() > 1000)
        usage("fps", fmt::format("{}/{} is out of range", o.fps.num, o.fps.den), "use up to 1000");
    if (o.crf < 0 || o.crf > 51) usage("crf", fmt::format("{} is out of range", o.crf), "use 0 to 51");
    if (o.keyframe_interval < 1 || o.keyframe_interval > 1000)
        usage("keyframe_interval", fmt::format("{} is out of range", o.keyframe_interval), "use 1 to 1000");
    if (o.threads < 1 || o.threads > 16) usage("threads", fmt::format("{} is out of range", o.threads), "use 1 to 16");
    if (!find_encoder(codec))
        throw Error(name, "out",
                    codec == Codec::h264 ? "this libav has no H.264 encoder (libx264)"
                                         : "this libav has no FFV1 encoder",
                    "use a folder of PNG or another codec");
}

struct VideoWriter::State {
    std::filesystem::path path;
    VideoOptions options;
    Codec codec;
    std::optional<media::LargeAllocations> room;
    media::OutputFile file;
    media::OutputContext format;
    media::CodecContext encoder;
    media::Frame rgb, encoded;
    media::Sws sws;
    media::Packet packet = media::make_packet();
    AVStream* stream = nullptr;
    std::int64_t frames = 0;

    State(std::filesystem::path p, const VideoOptions& o)
        : path(std::move(p)), options(o), codec(chosen_codec(path, o)), file(path) {
        if (codec == Codec::ffv1) room.emplace(static_cast<std::size_t>(ffv1_bytes(options)));
        open_format();
        open_encoder();
        open_stream();
        encoded = media::make_frame(encoder->width, encoder->height, encoder->pix_fmt);
        if (codec == Codec::ffv1) return;
        rgb = media::make_frame(encoder->width, encoder->height, AV_PIX_FMT_RGB24);
        sws = media::make_sws(
            {encoder->width, encoder->height, AV_PIX_FMT_RGB24, SWS_CS_ITU709, 1, AVCHROMA_LOC_UNSPECIFIED},
            {encoder->width, encoder->height, AV_PIX_FMT_YUV420P, SWS_CS_ITU709, 0, AVCHROMA_LOC_LEFT});
    }

    /// Throws the file's own error if there is one, since libav only knows a number; else one for libav's `error`.
    void check(int error) {
        file.rethrow();
        if (error < 0)
            throw Error(path.string(), "", "the video cannot be written: " + media::reason(error),
                        "try another size, codec or place");
    }

    void open_format() {
        AVFormatContext* context = nullptr;
        const int error = avformat_alloc_output_context2(&context, nullptr,
                                                         lower_extension(path) == ".mkv" ? "matroska" : "mp4", nullptr);
        format.reset(context);
        check(error);
        file.attach(*format);
        format->flags |= AVFMT_FLAG_BITEXACT; // writes no dates and no versions
        if (!options.metadata_json.empty()) av_dict_set(&format->metadata, "comment", options.metadata_json.c_str(), 0);
    }

    void open_encoder() {
        const AVCodec* found = find_encoder(codec);
        encoder.reset(avcodec_alloc_context3(found));
        if (!encoder) throw std::bad_alloc();
        encoder->time_base = {options.fps.den, options.fps.num};
        encoder->framerate = {options.fps.num, options.fps.den};
        encoder->thread_count = options.threads;
        encoder->flags |= AV_CODEC_FLAG_BITEXACT;
        if (format->oformat->flags & AVFMT_GLOBALHEADER) encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
        codec == Codec::ffv1 ? set_up_ffv1(*encoder, options) : set_up_h264(*encoder, options);
        check(avcodec_open2(encoder.get(), found, nullptr));
    }

    void open_stream() {
        stream = avformat_new_stream(format.get(), nullptr);
        if (!stream) throw std::bad_alloc();
        stream->time_base = encoder->time_base;
        stream->avg_frame_rate = encoder->framerate;
        check(avcodec_parameters_from_context(stream->codecpar, encoder.get()));
        AVDictionary* muxer = nullptr;
        if (lower_extension(path) == ".mp4") av_dict_set(&muxer, "movflags", "+faststart", 0);
        const int error = avformat_write_header(format.get(), &muxer);
        av_dict_free(&muxer);
        check(error);
    }

    /// Converts the frame, with its last column and row repeated if the encoder needs even sides.
    void convert_h264(const std::uint8_t* in) {
        const std::size_t bytes = 3 * static_cast<std::size_t>(options.width);
        for (int y = 0; y < encoder->height; ++y) {
            std::uint8_t* to = rgb->data[0] + std::ptrdiff_t{y} * rgb->linesize[0];
            std::copy_n(in + bytes * static_cast<std::size_t>(std::min(y, options.height - 1)), bytes, to);
            if (encoder->width > options.width) std::copy_n(to + bytes - 3, 3, to + bytes);
        }
        sws_scale(sws.get(), rgb->data, rgb->linesize, 0, encoder->height, encoded->data, encoded->linesize);
    }

    void convert_ffv1(const std::uint8_t* in) {
        for (int y = 0; y < options.height; ++y) {
            auto* to = reinterpret_cast<std::uint32_t*>(encoded->data[0] + std::ptrdiff_t{y} * encoded->linesize[0]);
            for (int x = 0; x < options.width; ++x, in += 3)
                to[x] = std::uint32_t{in[0]} << 16 | std::uint32_t{in[1]} << 8 | in[2];
        }
    }

    void encode(const AVFrame* frame) {
        int error = avcodec_send_frame(encoder.get(), frame);
        while (error >= 0) {
            error = avcodec_receive_packet(encoder.get(), packet.get());
            if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) break;
            check(error);
            packet->stream_index = 0;
            if (packet->duration == 0) packet->duration = 1; // otherwise the last frame has no duration
            av_packet_rescale_ts(packet.get(), encoder->time_base, stream->time_base);
            error = av_interleaved_write_frame(format.get(), packet.get());
        }
        check(error == AVERROR(EAGAIN) || error == AVERROR_EOF ? 0 : error);
    }
};

VideoWriter::VideoWriter(std::filesystem::path path, const VideoOptions& options) {
    check_video_output(path, options);
    try {
        state_ = std::make_unique<State>(path, options);
    } catch (const NoSpace&) { // names its file already, and must stay a NoSpace
        throw;
    } catch (const Error& error) {
        throw error.in_file(path.string());
    }
}

VideoWriter::~VideoWriter() = default;

void VideoWriter::write(const std::uint8_t* rgb) {
    State& s = *state_;
    s.check(av_frame_make_writable(s.encoded.get()));
    s.codec == Codec::ffv1 ? s.convert_ffv1(rgb) : s.convert_h264(rgb);
    s.encoded->pts = s.frames++;
    s.encode(s.encoded.get());
}

void VideoWriter::write(const Image& frame) {
    assert(frame.width == state_->options.width && frame.height == state_->options.height);
    write(frame.rgb.data());
}

void VideoWriter::finish() {
    State& s = *state_;
    if (s.frames == 0) throw Error(s.path.string(), "", "there are no frames to write", "");
    s.encode(nullptr);
    s.check(av_write_trailer(s.format.get()));
    s.file.finish();
    state_.reset();
}

} // namespace denoir
