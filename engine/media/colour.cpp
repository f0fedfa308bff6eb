// SPDX-License-Identifier: Apache-2.0
#include "engine/media/colour.h"

#include <algorithm>
#include <cmath>

namespace denoir::media {
namespace {

const std::uint8_t* plane_row(const AVFrame& frame, int plane, int y) {
    return frame.data[plane] + std::ptrdiff_t{y} * frame.linesize[plane];
}
std::uint8_t clip8(int v) { return static_cast<std::uint8_t>(std::clamp(v, 0, 255)); }

/// libjpeg's "fancy" upsampling of one chroma row of n values to full width, 3:1 between neighbours (jdsample.c,
/// h2v1_fancy_upsample and h2v2_fancy_upsample). `halved_rows`: the values are four times too large, because they come
/// from the same filter between rows. The number added before the shift alternates, so that roundings do not drift.
void upsample_width(const int* in, int n, bool halved_rows, std::uint8_t* out, int width) {
    const int shift = halved_rows ? 4 : 2, even = halved_rows ? 8 : 1, odd = halved_rows ? 7 : 2;
    if (n <= 2 && !halved_rows) { // libjpeg repeats pixels if there are too few for its filter
        for (int x = 0; x < width; ++x) out[x] = static_cast<std::uint8_t>(in[x / 2]);
        return;
    }
    for (int x = 0; x < width; ++x) {
        const int i = x / 2, near = in[i];
        const bool first = x == 0, last = i == n - 1 && (x & 1);
        if (first || last)
            out[x] = static_cast<std::uint8_t>(halved_rows ? (4 * near + (first ? even : odd)) >> shift : near);
        else
            out[x] = static_cast<std::uint8_t>((3 * near + in[x & 1 ? i + 1 : i - 1] + (x & 1 ? odd : even)) >> shift);
    }
}

/// Upsamples a chroma plane to full size, row by row, as libjpeg does.
class JpegChroma {
public:
    JpegChroma(const AVFrame& frame, int plane, const AVPixFmtDescriptor& d)
        : frame_(frame),
          plane_(plane),
          sx_(d.log2_chroma_w),
          sy_(d.log2_chroma_h),
          width_(AV_CEIL_RSHIFT(frame.width, sx_)),
          height_(AV_CEIL_RSHIFT(frame.height, sy_)),
          sums_(static_cast<std::size_t>(width_)),
          row_(static_cast<std::size_t>(frame.width)) {}

    const std::uint8_t* row(int y) {
        const std::uint8_t* near = plane_row(frame_, plane_, y >> sy_);
        if (sx_ == 0 && sy_ == 0) return near;
        // libjpeg has the triangle filter only for halved chroma; it repeats pixels for other ratios, and if rows are
        // too short to filter.
        const bool rows = sy_ == 1 && sx_ <= 1 && !(sx_ == 1 && width_ <= 2), columns = sx_ == 1 && (sy_ == 0 || rows);
        const std::uint8_t* far = plane_row(frame_, plane_, std::clamp((y >> sy_) + (y & 1 ? 1 : -1), 0, height_ - 1));
        const auto n = static_cast<std::size_t>(width_);
        for (std::size_t i = 0; i < n; ++i) sums_[i] = rows ? 3 * near[i] + far[i] : near[i];
        if (columns)
            upsample_width(sums_.data(), width_, rows, row_.data(), frame_.width);
        else
            for (int x = 0; x < frame_.width; ++x) {
                const int v = sums_[static_cast<std::size_t>(x >> sx_)];
                row_[static_cast<std::size_t>(x)] = static_cast<std::uint8_t>(rows ? (v + (y & 1 ? 2 : 1)) >> 2 : v);
            }
        return row_.data();
    }

private:
    const AVFrame& frame_;
    int plane_, sx_, sy_, width_, height_;
    std::vector<int> sums_;
    std::vector<std::uint8_t> row_;
};

constexpr int fix16(double v) { return static_cast<int>(v * 65536 + 0.5); }

void jpeg_row(const std::uint8_t* y, const std::uint8_t* cb, const std::uint8_t* cr, std::uint8_t* out, int width) {
    constexpr int half = 1 << 15;
    for (int x = 0; x < width; ++x, out += 3) {
        const int b = cb[x] - 128, r = cr[x] - 128;
        out[0] = clip8(y[x] + ((fix16(1.40200) * r + half) >> 16));
        out[1] = clip8(y[x] + ((-fix16(0.34414) * b - fix16(0.71414) * r + half) >> 16));
        out[2] = clip8(y[x] + ((fix16(1.77200) * b + half) >> 16));
    }
}

/// A chroma value of libwebp's upsampler: the nearest sample weighs 9, its neighbours in the row and in the column 3
/// each, the diagonal one 1, with libwebp's roundings. `near` is the chroma row nearer to the pixel's row, `far` the
/// other.
int webp_chroma(const std::uint8_t* near, const std::uint8_t* far, int n, int x) {
    const int i = (x + 1) / 2;
    if (x == 0 || i >= n) {
        const int edge = x == 0 ? 0 : n - 1;
        return (3 * near[edge] + far[edge] + 2) >> 2;
    }
    const bool right = x & 1; // between columns i-1 and i, an odd pixel is nearer to i-1
    const int n0 = near[i - 1], n1 = near[i], f0 = far[i - 1], f1 = far[i];
    const int sum = n0 + n1 + f0 + f1 + 8;
    return right ? (((sum + 2 * (n1 + f0)) >> 3) + n0) >> 1 : (((sum + 2 * (n0 + f1)) >> 3) + n1) >> 1;
}

/// libwebp's YCbCr to RGB (src/dsp/yuv.h, VP8YUVToR, -G and -B): BT.601, limited range. Factors are in 1/16384; sums
/// and the constants that are subtracted (for the levels of black and grey) in 1/64.
void webp_pixel(int luma, int u, int v, std::uint8_t* out) {
    const auto scaled = [](int value, int factor) { return (value * factor) >> 8; };
    const auto clipped = [](int sum) { return clip8(sum >> 6); };
    const int y = scaled(luma, 19077);
    out[0] = clipped(y + scaled(v, 26149) - 14234);
    out[1] = clipped(y - scaled(u, 6419) - scaled(v, 13320) + 8708);
    out[2] = clipped(y + scaled(u, 33050) - 17685);
}

bool names_matrix(const AVFrame& frame) {
    return frame.colorspace != AVCOL_SPC_UNSPECIFIED && frame.colorspace != AVCOL_SPC_RGB &&
           frame.colorspace != AVCOL_SPC_RESERVED;
}

/// libav's old formats that imply the full range.
bool is_full_range_format(int format) {
    return format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P ||
           format == AV_PIX_FMT_YUVJ440P || format == AV_PIX_FMT_YUVJ411P;
}

/// The contrast to set in swscale, in 1/65536. It corrects that swscale divides a full range of more than 8 bits by a
/// power of two, so that 1023 of 10 bits becomes 255.75.
int contrast(const SwsSide& from) {
    constexpr int one = 1 << 16;
    const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(from.format);
    const int bits = d && from.full && !(d->flags & AV_PIX_FMT_FLAG_RGB) ? d->comp[0].depth : 8;
    if (bits <= 8) return one;
    return static_cast<int>(std::lround(one * 255 * std::ldexp(1, bits - 8) / (std::ldexp(1, bits) - 1)));
}

} // namespace

Image rgb_from_jpeg(const AVFrame& frame) {
    const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    if (!d || d->comp[0].depth != 8 || !(d->flags & AV_PIX_FMT_FLAG_PLANAR) || d->nb_components < 3)
        throw Error("", "", "this kind of JPEG cannot be read", "save it as PNG");
    Image image(frame.width, frame.height);
    JpegChroma cb(frame, 1, *d), cr(frame, 2, *d);
    for (int y = 0; y < image.height; ++y)
        jpeg_row(plane_row(frame, 0, y), cb.row(y), cr.row(y), image.row(y), image.width);
    return image;
}

Image rgb_from_webp(const AVFrame& frame) {
    if (frame.format != AV_PIX_FMT_YUV420P) throw Error("", "", "this kind of WebP cannot be read", "save it as PNG");
    Image image(frame.width, frame.height);
    const int n = (frame.width + 1) / 2, rows = (frame.height + 1) / 2;
    for (int y = 0; y < image.height; ++y) {
        const int near = y / 2, far = std::clamp(y & 1 ? near + 1 : near - 1, 0, rows - 1);
        const std::uint8_t *luma = plane_row(frame, 0, y), *u0 = plane_row(frame, 1, near),
                           *u1 = plane_row(frame, 1, far), *v0 = plane_row(frame, 2, near),
                           *v1 = plane_row(frame, 2, far);
        std::uint8_t* out = image.row(y);
        for (int x = 0; x < image.width; ++x, out += 3)
            webp_pixel(luma[x], webp_chroma(u0, u1, n, x), webp_chroma(v0, v1, n, x), out);
    }
    return image;
}

Sws make_sws(const SwsSide& from, const SwsSide& to) {
    Sws sws(sws_alloc_context());
    if (!sws) throw std::bad_alloc();
    const auto set = [&](const char* name, std::int64_t value) { av_opt_set_int(sws.get(), name, value, 0); };
    const auto set_side = [&](const char* prefix, const SwsSide& side) {
        const auto option = [&](const char* rest, std::int64_t value) {
            set((std::string(prefix) + rest).c_str(), value);
        };
        option("w", side.width);
        option("h", side.height);
        option("_format", side.format);
        const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(side.format);
        if (!d || (d->log2_chroma_w == 0 && d->log2_chroma_h == 0)) return;
        // In 1/256 of a luma pixel; centred unless the file says otherwise.
        const bool left = side.location == AVCHROMA_LOC_LEFT || side.location == AVCHROMA_LOC_TOPLEFT;
        const bool top = side.location == AVCHROMA_LOC_TOP || side.location == AVCHROMA_LOC_TOPLEFT;
        if (d->log2_chroma_w == 1) option("_h_chr_pos", left ? 0 : 128);
        if (d->log2_chroma_h == 1) option("_v_chr_pos", top ? 0 : 128);
    };
    set_side("src", from);
    set_side("dst", to);
    set("sws_flags", SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT);
    sws_setColorspaceDetails(sws.get(), sws_getCoefficients(from.matrix), from.full, sws_getCoefficients(to.matrix),
                             to.full, 0, contrast(from), 1 << 16);
    if (sws_init_context(sws.get(), nullptr, nullptr) < 0)
        throw Error("", "", "its pixel format cannot be converted", "convert the file first");
    return sws;
}

void FrameConverter::set_up(const Key& key) {
    const SwsSide from{key.width,  key.height, static_cast<AVPixelFormat>(key.format),
                       key.matrix, key.full,   static_cast<AVChromaLocation>(key.location)};
    sws_ = make_sws(from, {key.width, key.height, AV_PIX_FMT_RGB24, SWS_CS_ITU709, 1, AVCHROMA_LOC_UNSPECIFIED});
    key_ = key;
}

bool is_taken_for_bt709(const AVFrame& frame) {
    constexpr int tallest_standard_definition = 576;
    return !is_rgb_or_grey(frame) && !names_matrix(frame) && frame.height > tallest_standard_definition;
}

void FrameConverter::convert(const AVFrame& frame, Image& image) {
    if (is_rgb_or_grey(frame) && frame.color_range != AVCOL_RANGE_MPEG) {
        image = unpack_rgb(frame);
        return;
    }
    const bool j = is_full_range_format(frame.format), rgb = is_rgb_or_grey(frame);
    const int matrix = names_matrix(frame)         ? static_cast<int>(frame.colorspace)
                       : is_taken_for_bt709(frame) ? SWS_CS_ITU709
                                                   : SWS_CS_ITU601;
    const bool full = !rgb && (j || frame.color_range == AVCOL_RANGE_JPEG);
    AVChromaLocation location = frame.chroma_location;
    if (location == AVCHROMA_LOC_UNSPECIFIED && !j) location = AVCHROMA_LOC_LEFT; // the default of H.264 and HEVC
    const Key key{frame.width, frame.height, frame.format, matrix, full, location};
    if (!sws_ || !(key == key_)) set_up(key);
    // The size of `rgb` is checked as well: an image that was moved from still has its sides, but no pixels.
    if (image.width != frame.width || image.height != frame.height ||
        image.rgb.size() != 3 * static_cast<std::size_t>(frame.width) * static_cast<std::size_t>(frame.height))
        image = Image(frame.width, frame.height);
    std::uint8_t* planes[4] = {image.rgb.data(), nullptr, nullptr, nullptr};
    const int strides[4] = {3 * frame.width, 0, 0, 0};
    sws_scale(sws_.get(), const_cast<const std::uint8_t**>(frame.data), frame.linesize, 0, frame.height, planes,
              strides);
}

} // namespace denoir::media
