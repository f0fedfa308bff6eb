// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "engine/media/colour.h"

namespace denoir::media {
namespace {

const AVPixFmtDescriptor& description(const AVFrame& frame) {
    const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    if (!d) throw Error("", "", "the picture has an unknown pixel format", "save it as PNG or JPEG");
    return *d;
}

/// A format with the 8-bit samples of a pixel side by side: `step` bytes, in which red, green and blue have these
/// places.
struct Packing {
    AVPixelFormat format;
    int step, red, green, blue;
};
constexpr std::array packings{Packing{AV_PIX_FMT_GRAY8, 1, 0, 0, 0}, Packing{AV_PIX_FMT_GRAY8A, 2, 0, 0, 0},
                              Packing{AV_PIX_FMT_RGB24, 3, 0, 1, 2}, Packing{AV_PIX_FMT_BGR24, 3, 2, 1, 0},
                              Packing{AV_PIX_FMT_RGBA, 4, 0, 1, 2},  Packing{AV_PIX_FMT_RGB0, 4, 0, 1, 2},
                              Packing{AV_PIX_FMT_BGRA, 4, 2, 1, 0},  Packing{AV_PIX_FMT_BGR0, 4, 2, 1, 0},
                              Packing{AV_PIX_FMT_ARGB, 4, 1, 2, 3},  Packing{AV_PIX_FMT_0RGB, 4, 1, 2, 3},
                              Packing{AV_PIX_FMT_ABGR, 4, 3, 2, 1},  Packing{AV_PIX_FMT_0BGR, 4, 3, 2, 1}};

Image unpack_bytes(const AVFrame& frame, const Packing& packing) {
    const auto [format, step, red, green, blue] = packing;
    Image image(frame.width, frame.height);
    for (int y = 0; y < image.height; ++y) {
        const std::uint8_t* in = frame.data[0] + std::ptrdiff_t{y} * frame.linesize[0];
        std::uint8_t* out = image.row(y);
        for (int x = 0; x < image.width; ++x, in += step, out += 3) {
            out[0] = in[red];
            out[1] = in[green];
            out[2] = in[blue];
        }
    }
    return image;
}

Image unpack_palette(const AVFrame& frame) {
    Image image(frame.width, frame.height);
    const auto* palette = reinterpret_cast<const std::uint32_t*>(frame.data[1]); // 0xAARRGGBB in native byte order
    for (int y = 0; y < image.height; ++y) {
        const std::uint8_t* in = frame.data[0] + std::ptrdiff_t{y} * frame.linesize[0];
        std::uint8_t* out = image.row(y);
        for (int x = 0; x < image.width; ++x, out += 3) {
            const std::uint32_t colour = palette[in[x]];
            out[0] = static_cast<std::uint8_t>(colour >> 16);
            out[1] = static_cast<std::uint8_t>(colour >> 8);
            out[2] = static_cast<std::uint8_t>(colour);
        }
    }
    return image;
}

/// Unpacks any layout and depth, one component of one row at a time.
Image unpack_components(const AVFrame& frame, const AVPixFmtDescriptor& d) {
    Image image(frame.width, frame.height);
    std::vector<std::uint16_t> line(static_cast<std::size_t>(frame.width));
    const bool grey = d.nb_components < 3, inverted = frame.format == AV_PIX_FMT_MONOWHITE;
    for (int y = 0; y < image.height; ++y) {
        for (int c = 0; c < (grey ? 1 : 3); ++c) {
            const int depth = d.comp[c].depth;
            const unsigned top = (1u << depth) - 1;
            av_read_image_line2(line.data(), const_cast<const std::uint8_t**>(frame.data), frame.linesize, &d, 0, y, c,
                                frame.width, 0, 2);
            std::uint8_t* out = image.row(y) + c;
            for (int x = 0; x < image.width; ++x, out += 3) {
                const unsigned v =
                    inverted ? top - line[static_cast<std::size_t>(x)] : line[static_cast<std::size_t>(x)];
                *out = static_cast<std::uint8_t>(depth >= 8 ? v >> (depth - 8) : v * 255 / top);
                if (grey) out[1] = out[2] = *out;
            }
        }
    }
    return image;
}

} // namespace

bool is_rgb_or_grey(const AVFrame& frame) {
    const AVPixFmtDescriptor& d = description(frame);
    const bool integers =
        !(d.flags & (AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER)) && d.comp[0].depth <= 16;
    return integers && (d.nb_components < 3 || (d.flags & AV_PIX_FMT_FLAG_RGB));
}

Image unpack_rgb(const AVFrame& frame) {
    if (frame.format == AV_PIX_FMT_PAL8) return unpack_palette(frame);
    const auto packed = std::ranges::find(packings, frame.format, &Packing::format);
    return packed == packings.end() ? unpack_components(frame, description(frame)) : unpack_bytes(frame, *packed);
}

} // namespace denoir::media
