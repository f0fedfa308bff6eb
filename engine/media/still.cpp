// SPDX-License-Identifier: Apache-2.0
#include "engine/media/still.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/media/colour.h"
#include "engine/media/containers.h"
#include "engine/media/exif.h"

namespace denoir::media {
namespace {

struct Kind {
    bool (*is)(Data);
    Still (*scan)(Data, Depth);
};
constexpr std::array kinds{Kind{is_png, scan_png}, Kind{is_jpeg, scan_jpeg}, Kind{is_webp, scan_webp},
                           Kind{is_bmp, scan_bmp}, Kind{is_tiff, scan_tiff}, Kind{is_gif, scan_gif},
                           Kind{is_pnm, scan_pnm}};

} // namespace

bool is_still(Data data) {
    return !is_gif(data) && std::ranges::any_of(kinds, [&](const Kind& k) { return k.is(data); });
}

namespace {

/// Bytes of a decoded picture: 64 million pixels of 8 bits with alpha, or 55 million of 16 bits. Two of them at the
/// same time, as a comparison reads them, with their results stay below a gigabyte.
constexpr int largest_frame = 320 << 20;

[[noreturn]] void refuse_deep(const Still& still) {
    throw Error("", "size", fmt::format("{} x {} of this depth is too large", still.width, still.height),
                fmt::format("at most {} MiB of pixels: save it with 8 bits per colour", largest_frame >> 20));
}

/// Refuses large buffers: headers limit only the number of pixels, and the decoder chooses how many bytes each takes.
int buffer_within_limit(AVCodecContext* context, AVFrame* frame, int flags) {
    const int bytes =
        av_image_get_buffer_size(static_cast<AVPixelFormat>(frame->format), frame->width, frame->height, 1);
    if (bytes < 0 || bytes > largest_frame) return AVERROR(ENOMEM);
    return avcodec_default_get_buffer2(context, frame, flags);
}

CodecContext open_decoder(const Still& still) {
    const AVCodec* codec = avcodec_find_decoder(still.codec);
    if (!codec) refuse_kind("a " + still.format + " (this build of libav has no decoder for it)");
    CodecContext context = make_strict_decoder(*codec, MediaLimits{}.pixels);
    context->get_buffer2 = buffer_within_limit;
    context->idct_algo = FF_IDCT_FAAN; // the one of libav's transforms that is nearest to libjpeg's, as it rounds least
    if (const int error = avcodec_open2(context.get(), codec, nullptr); error < 0) refuse_damaged(reason(error));
    return context;
}

/// A packet that owns `bytes`, without copying them.
Packet as_packet(std::vector<std::uint8_t> bytes) {
    const std::size_t size = bytes.size();
    bytes.resize(size + AV_INPUT_BUFFER_PADDING_SIZE);
    auto owner = std::make_unique<std::vector<std::uint8_t>>(std::move(bytes));
    Packet packet = make_packet();
    packet->buf = av_buffer_create(
        owner->data(), owner->size(),
        [](void* all, std::uint8_t*) { delete static_cast<std::vector<std::uint8_t>*>(all); }, owner.get(), 0);
    if (!packet->buf) throw std::bad_alloc();
    packet->data = owner.release()->data();
    packet->size = static_cast<int>(size);
    packet->flags |= AV_PKT_FLAG_KEY;
    return packet;
}

Frame decode_frame(Still& still) {
    const CodecContext context = open_decoder(still);
    const Packet packet = as_packet(std::move(still.packet));
    Frame frame = make_frame();
    int error = avcodec_send_packet(context.get(), packet.get());
    if (error >= 0) error = avcodec_send_packet(context.get(), nullptr);
    if (error >= 0) error = avcodec_receive_frame(context.get(), frame.get());
    if (error == AVERROR_EOF) refuse_damaged("it holds no whole picture");
    if (error == AVERROR(ENOMEM)) refuse_deep(still);
    if (error < 0) refuse_damaged(reason(error));
    if (is_damaged(*context, *frame)) refuse_damaged("its picture data is broken");
    if (frame->width != still.width || frame->height != still.height)
        refuse_damaged("its picture has another size than its header says");
    return frame;
}

} // namespace

Still scan_still(Data data, Depth depth) {
    prepare_libav();
    constexpr std::size_t largest_file = std::size_t{512} << 20;
    if (data.empty()) throw Error("", "", "the file is empty", "choose a picture");
    if (data.size() > largest_file) throw Error("", "", "the file is larger than 512 MiB", "choose a smaller picture");
    for (const Kind& kind : kinds)
        if (kind.is(data)) return kind.scan(data, depth);
    if (const Container* video = find_container(data)) {
        checked_parts(data, *video); // throws for AVIF and HEIF, which use MP4's container
        throw Error("", "", "is a video, not a picture", "take a frame of it as PNG");
    }
    throw Error("", "", "is not a picture that can be read", "use PNG, JPEG, WebP, BMP, TIFF, GIF or PNM");
}

Image decode_still(Still still) {
    Image image;
    {
        const Frame frame = decode_frame(still);
        if (is_rgb_or_grey(*frame))
            image = unpack_rgb(*frame);
        else if (still.codec == AV_CODEC_ID_WEBP)
            image = rgb_from_webp(*frame);
        else if (still.codec == AV_CODEC_ID_MJPEG)
            image = rgb_from_jpeg(*frame);
        else
            FrameConverter().convert(*frame, image);
    }
    return upright(std::move(image), still.orientation);
}

void check_size(std::uint64_t width, std::uint64_t height, const MediaLimits& limits) {
    if (width == 0 || height == 0) throw Error("", "size", "has no pixels", "choose another file");
    const auto side = static_cast<std::uint64_t>(limits.side);
    if (width > side || height > side || width * height > static_cast<std::uint64_t>(limits.pixels))
        throw Error("", "size", fmt::format("{} x {} is too large", width, height),
                    fmt::format("at most {} million pixels and {} a side", limits.pixels / 1000000, limits.side));
}

Still make_still(const char* format, AVCodecID codec, std::uint64_t width, std::uint64_t height) {
    check_size(width, height);
    return {format, codec, static_cast<int>(width), static_cast<int>(height)};
}

void check_weight(std::uint64_t bytes, std::uint64_t most) {
    constexpr std::uint64_t further = 64 << 20; // for profiles, thumbnails, texts
    if (bytes > most && bytes - most > further) refuse_damaged("it is far larger than its picture");
}

void check_decoded(const Still& still, std::uint64_t bytes) {
    if (bytes > largest_frame) refuse_deep(still);
}

void reserve_packet(Still& still, std::uint64_t bytes) { still.packet.reserve(bytes + AV_INPUT_BUFFER_PADDING_SIZE); }

void refuse_cut() { throw Error("", "", "the file is cut short", "copy or download it again"); }
void refuse_damaged(std::string what) {
    throw Error("", "", "the file is damaged: " + what, "copy or download it again");
}
void refuse_kind(std::string what) { throw Error("", "", what + " cannot be read", "save it as PNG or JPEG"); }

} // namespace denoir::media
