// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to engine/media: decoded frames to 8-bit RGB.
#include "engine/media/image.h"
#include "engine/media/libav.h"

namespace denoir::media {

/// Whether the frame's samples are red, green, blue, grey or palette entries, which need no colour arithmetic. Throws
/// Error, without a file's name, for a pixel format that libav cannot describe.
bool is_rgb_or_grey(const AVFrame& frame);
/// The upper 8 bits of each sample, or fewer bits spread over 0 … 255; alpha is dropped. For frames that are RGB or
/// grey. Throws Error like is_rgb_or_grey().
Image unpack_rgb(const AVFrame& frame);

/// Planar 8-bit YCbCr, full range, converted to RGB as libjpeg does it: with its triangle filter for halved chroma and
/// its fixed-point matrix. Throws Error, without a file's name, for frames of other kinds.
Image rgb_from_jpeg(const AVFrame& frame);
/// yuv420p, converted to RGB as libwebp does it: with its 9-3-3-1 filter and its fixed-point matrix. Throws Error,
/// without a file's name, for frames of other kinds.
Image rgb_from_webp(const AVFrame& frame);

/// Whether the frame names no matrix and is read with BT.709's, as players do above 576 rows.
bool is_taken_for_bt709(const AVFrame& frame);

/// Converts any frame to RGB: RGB and grey of full range with unpack_rgb(), others with swscale by their own matrix,
/// range and chroma position. Keeps swscale's tables from frame to frame.
class FrameConverter {
public:
    /// Stores the frame in `image`, whose memory is reused if the size fits. Throws Error, without a file's name, if
    /// swscale does not know the pixel format.
    void convert(const AVFrame& frame, Image& image);

private:
    struct Key {
        int width = 0, height = 0, format = -1, matrix = 0, full = 0, location = 0;
        friend bool operator==(const Key&, const Key&) = default;
    };
    void set_up(const Key& key);
    Key key_;
    Sws sws_;
};

/// One side of a conversion. `matrix`: SWS_CS_…; `full` 0: limited range, 1: full; `location`: position of the chroma
/// samples of 4:2:0.
struct SwsSide {
    int width, height;
    AVPixelFormat format;
    int matrix, full;
    AVChromaLocation location;
};
/// A context of swscale for exact results, the same on every processor. Throws Error, without a file's name, if swscale
/// does not know a pixel format.
Sws make_sws(const SwsSide& from, const SwsSide& to);

} // namespace denoir::media
