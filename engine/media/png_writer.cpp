// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <cassert>

#include "engine/core/atomic_file.h"
#include "engine/core/disk.h"
#include "engine/media/bytes.h"
#include "engine/media/image.h"
#include "engine/media/libav.h"

namespace denoir {
namespace {

using media::append;
using media::append_u32_be;

media::Packet compressed(const Image& image) {
    media::prepare_libav();
    const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_PNG);
    if (!codec) throw Error("", "", "this build of libav cannot write PNG", "install a full libavcodec");
    const media::CodecContext context(avcodec_alloc_context3(codec));
    if (!context) throw std::bad_alloc();
    context->width = image.width;
    context->height = image.height;
    context->pix_fmt = AV_PIX_FMT_RGB24;
    context->time_base = {1, 1};
    context->thread_count = 1;
    context->flags |= AV_CODEC_FLAG_BITEXACT;
    av_opt_set(context->priv_data, "pred", "mixed", 0);
    const media::Frame frame = media::make_frame(image.width, image.height, AV_PIX_FMT_RGB24);
    for (int y = 0; y < image.height; ++y)
        std::memcpy(frame->data[0] + std::ptrdiff_t{y} * frame->linesize[0], image.row(y),
                    3 * static_cast<std::size_t>(image.width));
    media::Packet packet = media::make_packet();
    int error = avcodec_open2(context.get(), codec, nullptr);
    if (error >= 0) error = avcodec_send_frame(context.get(), frame.get());
    if (error >= 0) error = avcodec_send_frame(context.get(), nullptr);
    if (error >= 0) error = avcodec_receive_packet(context.get(), packet.get());
    if (error < 0) throw Error("", "", "the picture could not be compressed", media::reason(error));
    return packet;
}

/// An iTXt chunk: the keyword, flags for no compression, no language, the text.
std::vector<std::uint8_t> comment_chunk(std::string_view comment) {
    std::vector<std::uint8_t> chunk;
    append(chunk, std::string_view("iTXtComment\0\0\0\0\0", 16));
    append(chunk, comment);
    std::vector<std::uint8_t> whole;
    append_u32_be(whole, static_cast<std::uint32_t>(chunk.size() - 4));
    append(whole, media::Data(chunk));
    append_u32_be(whole, static_cast<std::uint32_t>(crc32(0, chunk.data(), static_cast<uInt>(chunk.size()))));
    return whole;
}

} // namespace

std::vector<std::uint8_t> encode_png(const Image& image) {
    assert(image.width > 0 && image.height > 0);
    const media::Packet packet = compressed(image);
    return {packet->data, packet->data + packet->size};
}

void write_png(const std::filesystem::path& path, const Image& image, std::string_view comment) {
    assert(image.width > 0 && image.height > 0 &&
           image.rgb.size() == 3 * std::size_t(image.width) * std::size_t(image.height));
    constexpr std::size_t header_end = 33; // signature and IHDR
    try {
        const media::Packet packet = compressed(image);
        AtomicFile file(path);
        file.write(packet->data, header_end);
        if (!comment.empty()) {
            const std::vector<std::uint8_t> chunk = comment_chunk(comment);
            file.write(chunk.data(), chunk.size());
        }
        file.write(packet->data + header_end, static_cast<std::size_t>(packet->size) - header_end);
        file.commit();
    } catch (const NoSpace&) { // names its file already, and must stay a NoSpace
        throw;
    } catch (const Error& error) {
        throw error.in_file(path.string());
    }
}

} // namespace denoir
