// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include <libavutil/display.h>
}
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "engine/media/containers.h"
#include "engine/media/still.h"

namespace denoir::media {
namespace {

constexpr std::array video_codecs{
    AV_CODEC_ID_H264,    AV_CODEC_ID_HEVC,       AV_CODEC_ID_AV1,        AV_CODEC_ID_VP8,     AV_CODEC_ID_VP9,
    AV_CODEC_ID_MPEG4,   AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_FFV1,    AV_CODEC_ID_MJPEG,
    AV_CODEC_ID_PRORES,  AV_CODEC_ID_DNXHD,      AV_CODEC_ID_RAWVIDEO,   AV_CODEC_ID_HUFFYUV, AV_CODEC_ID_FFVHUFF,
    AV_CODEC_ID_UTVIDEO, AV_CODEC_ID_GIF};
/// The names of their decoders: the only ones that libav may open on its own while it probes the streams.
constexpr const char* decoder_names = "h264,hevc,libdav1d,av1,vp8,vp9,mpeg4,mpeg2video,mpeg1video,ffv1,mjpeg,prores,"
                                      "dnxhd,rawvideo,huffyuv,ffvhuff,utvideo,gif";
/// Bytes in the packets that libav holds while it probes the streams. (Each packet takes some hundred bytes more, which
/// it does not count.)
constexpr std::int64_t probe_bytes = 2 << 20;

bool allowed(AVCodecID id) { return std::ranges::find(video_codecs, id) != video_codecs.end(); }

/// Options for the decoders that avformat_find_stream_info() opens, one dictionary per stream.
class StreamOptions {
public:
    StreamOptions(const AVFormatContext& format, const MediaLimits& limits) : options_(format.nb_streams, nullptr) {
        for (AVDictionary*& option : options_) {
            av_dict_set_int(&option, "max_pixels", limits.pixels, 0);
            av_dict_set_int(&option, "threads", 1, 0);
        }
    }
    ~StreamOptions() {
        for (AVDictionary*& option : options_) av_dict_free(&option);
    }
    StreamOptions(const StreamOptions&) = delete;
    AVDictionary** data() { return options_.data(); }

private:
    std::vector<AVDictionary*> options_;
};

int interrupted(void* source) { return static_cast<MemorySource*>(source)->expired(); }

/// The display matrix of a stream; null if it has none. It moved to the codec parameters in FFmpeg 6.1.
const std::int32_t* display_matrix(const AVStream& stream) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
    const AVPacketSideData* data = av_packet_side_data_get(
        stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return data && data->size >= 9 * sizeof(std::int32_t) ? reinterpret_cast<const std::int32_t*>(data->data) : nullptr;
#else
    std::size_t size = 0;
    const std::uint8_t* data = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
    return data && size >= 9 * sizeof(std::int32_t) ? reinterpret_cast<const std::int32_t*>(data) : nullptr;
#endif
}

} // namespace

Demuxer::Demuxer(const std::filesystem::path& path, const MediaLimits& limits) {
    prepare_libav();
    file_ = MappedFile::open(path);
    const Data data = data_of(*file_);
    std::vector<Data> parts;
    try {
        if (data.empty()) throw Error("", "", "the file is empty", "choose a video");
        container_ = find_container(data);
        if (!container_) {
            throw Error("", "", is_still(data) ? "is a picture, not a video" : "is not a video that can be read",
                        "use MP4, MOV, MKV, WebM, AVI or GIF");
        }
        parts = checked_parts(data, *container_);
    } catch (const Error& error) {
        throw error.in_file(name());
    }
    source_ = std::make_unique<MemorySource>(std::move(parts));
    open(limits);
}

template <class Unwanted> void Demuxer::discard(Unwanted unwanted) {
    for (unsigned i = 0; i < format_->nb_streams; ++i)
        if (unwanted(*format_->streams[i])) format_->streams[i]->discard = AVDISCARD_ALL;
}

void Demuxer::open(const MediaLimits& limits) {
    source_->allow(limits.seconds);
    AVFormatContext* format = avformat_alloc_context();
    if (!format) throw std::bad_alloc();
    format->pb = source_->io();
    format->flags |= AVFMT_FLAG_CUSTOM_IO;
    format->io_open = refuse_open;
    format->protocol_whitelist = av_strdup("");
    format->format_whitelist = av_strdup(container_->demuxer);
    format->codec_whitelist = av_strdup(decoder_names);
    format->interrupt_callback = {interrupted, source_.get()};
    format->probesize = probe_bytes;
    format->max_streams = limits.streams;
    const AVInputFormat* demuxer = av_find_input_format(container_->demuxer);
    if (!demuxer) {
        avformat_free_context(format);
        fail("this build of libav cannot read it");
    }
    // The whitelist must equal the demuxer's whole list of names.
    av_freep(&format->format_whitelist);
    format->format_whitelist = av_strdup(demuxer->name);
    if (const int error = avformat_open_input(&format, "", demuxer, nullptr); error < 0) fail(reason(error));
    format_.reset(format);
    discard([](const AVStream& stream) { return stream.codecpar->codec_type != AVMEDIA_TYPE_VIDEO; });
    StreamOptions options(*format, limits);
    const int error = format->nb_streams > 0 ? avformat_find_stream_info(format, options.data()) : AVERROR_INVALIDDATA;
    if (error < 0) fail(reason(error));

    const int best = av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (best < 0) fail("it holds no video");
    stream_ = static_cast<unsigned>(best);
    if (!allowed(stream().codecpar->codec_id)) {
        const AVCodecDescriptor* codec = avcodec_descriptor_get(stream().codecpar->codec_id);
        fail(codec ? fmt::format("its codec {} is not supported", codec->name) : "its codec is not known");
    }
    discard([best](const AVStream& other) { return other.index != best; });
}

void Demuxer::fail(const std::string& what) const {
    throw Error(name(), "", what, "convert it to MP4 (H.264) or copy it again");
}

std::string Demuxer::comment() const {
    constexpr std::size_t limit = 1 << 20;
    const AVDictionaryEntry* entry = av_dict_get(format_->metadata, "comment", nullptr, 0);
    return entry && std::strlen(entry->value) <= limit ? entry->value : "";
}

int Demuxer::orientation() const {
    const std::int32_t* m = display_matrix(stream());
    if (!m) return 1;
    const std::int64_t a = m[0], b = m[1], c = m[3], d = m[4];
    if (std::abs(a) + std::abs(d) >= std::abs(b) + std::abs(c)) return a >= 0 ? (d >= 0 ? 1 : 4) : (d >= 0 ? 2 : 3);
    return c >= 0 ? (b >= 0 ? 5 : 8) : (b >= 0 ? 6 : 7);
}

bool Demuxer::read(AVPacket& packet) {
    for (;;) {
        av_packet_unref(&packet);
        const int error = av_read_frame(format_.get(), &packet);
        if (source_->expired()) fail("it takes too long to read");
        if (error == AVERROR_EOF) return false;
        if (error == AVERROR(EAGAIN)) continue;
        if (error < 0) fail(reason(error));
        if (packet.stream_index != static_cast<int>(stream_)) continue;
        if (packet.flags & AV_PKT_FLAG_CORRUPT) fail("the data is damaged or cut short");
        packet_bytes_ += static_cast<std::uint64_t>(packet.size);
        if (packet_bytes_ > file_->span().size() + most_bytes_beyond) fail("it claims more data than it holds");
        return true;
    }
}

namespace {

/// The name of a colour matrix that swscale does not have (it uses BT.601's instead, without an error); else empty.
std::string foreign_matrix(AVColorSpace space) {
    switch (space) {
    case AVCOL_SPC_YCGCO:
        return "YCgCo";
    case AVCOL_SPC_ICTCP:
        return "ICtCp";
    case AVCOL_SPC_SMPTE2085:
        return "SMPTE 2085";
    case AVCOL_SPC_CHROMA_DERIVED_NCL:
    case AVCOL_SPC_CHROMA_DERIVED_CL:
        return "YCbCr of its own primaries";
    default:
        return {};
    }
}

SampleKind kind_of(const AVStream& stream) {
    const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(stream.codecpar->format));
    if (!d) return {};
    // Not transparency: GIF pictures are drawn over each other, and libav's palette formats always have alpha.
    const bool drawn = stream.codecpar->codec_id == AV_CODEC_ID_GIF || (d->flags & AV_PIX_FMT_FLAG_PAL);
    const AVDictionaryEntry* beside = av_dict_get(stream.metadata, "alpha_mode", nullptr, 0); // WebM's alpha stream
    const bool alpha = (d->flags & AV_PIX_FMT_FLAG_ALPHA) || (beside && std::string_view(beside->value) == "1");
    return {std::max(8, d->comp[0].depth), alpha && !drawn, false};
}

/// The number of an MP4's frames that are shown: an edit list may leave out some of its samples.
std::int64_t shown_frames(AVStream& stream) {
    std::int64_t shown = 0;
    const int entries = avformat_index_get_entries_count(&stream);
    for (int i = 0; i < entries; ++i) shown += !(avformat_index_get_entry(&stream, i)->flags & AVINDEX_DISCARD_FRAME);
    return shown;
}

} // namespace

VideoInfo describe(const Demuxer& demuxer, int width, int height) {
    const AVStream& stream = demuxer.stream();
    VideoInfo info;
    info.width = width;
    info.height = height;
    const AVRational rate = stream.avg_frame_rate.num > 0 ? stream.avg_frame_rate : stream.r_frame_rate;
    if (rate.num > 0 && rate.den > 0) info.fps = {rate.num, rate.den};
    if (stream.nb_frames > 0) info.frames = stream.nb_frames;
    if (info.frames && demuxer.container().demuxer == std::string_view("mov"))
        if (const std::int64_t shown = shown_frames(demuxer.stream()); shown > 0) info.frames = shown;
    if (stream.duration > 0)
        info.duration = static_cast<double>(stream.duration) * av_q2d(stream.time_base);
    else if (demuxer.format().duration > 0)
        info.duration = static_cast<double>(demuxer.format().duration) / AV_TIME_BASE;
    info.container = demuxer.container().name;
    info.codec = avcodec_get_name(stream.codecpar->codec_id);
    if (stream.codecpar->color_trc == AVCOL_TRC_SMPTE2084) info.hdr = "PQ";
    if (stream.codecpar->color_trc == AVCOL_TRC_ARIB_STD_B67) info.hdr = "HLG";
    info.kind = kind_of(stream);
    info.matrix = foreign_matrix(stream.codecpar->color_space);
    info.comment = demuxer.comment();
    return info;
}

CodecContext open_decoder(const Demuxer& demuxer, const MediaLimits& limits) {
    const AVCodecParameters& parameters = *demuxer.stream().codecpar;
    const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
    if (!codec) demuxer.fail("this build of libav has no decoder for it");
    CodecContext context = make_strict_decoder(*codec, limits.pixels);
    if (avcodec_parameters_to_context(context.get(), &parameters) < 0) demuxer.fail("the data is damaged");
    context->pkt_timebase = demuxer.stream().time_base;
    if (const int error = avcodec_open2(context.get(), codec, nullptr); error < 0) demuxer.fail(reason(error));
    return context;
}

} // namespace denoir::media
