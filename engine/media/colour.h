// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to engine/media: decoded frames to 8-bit RGB.
#include "engine/media/image.h"
#include "engine/media/libav.h"

namespace denoir::media {

/// Frames whose samples are red, green, blue, grey or palette entries: no colour arithmetic is needed.
bool is_rgb_or_grey(const AVFrame& frame);
/// The upper 8 bits of each sample, fewer bits spread over 0 … 255; alpha is dropped. For frames that
/// is_rgb_or_grey(); both throw Error, without a file's name, for a pixel format that libav cannot describe.
Image unpack_rgb(const AVFrame& frame);

/// Planar 8-bit YCbCr, full range, as libjpeg turns it into RGB: its triangle filter for halved chroma, its fixed-point
/// matrix. Throws Error, without a file's name, for frames of other kinds.
Image rgb_from_jpeg(const AVFrame& frame);
/// yuv420p as libwebp turns it into RGB: its 9-3-3-1 filter and its fixed-point matrix. Throws Error likewise.
Image rgb_from_webp(const AVFrame& frame);

/// Whether a frame that names no matrix is read by BT.709's, as players do above 576 rows.
bool is_taken_for_bt709(const AVFrame& frame);

/// Any other frame through swscale, with the frame's own matrix, range and chroma position; keeps its tables from frame
/// to frame.
class FrameConverter {
public:
    /// `image` becomes the frame, W x H, in its own memory where that fits. Throws Error, without a file's name, where
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

/// One end of a conversion. Chroma of 4:2:0 lies at `location`; matrix: SWS_CS_…; `full` 0: limited range, 1: full.
struct SwsSide {
    int width, height;
    AVPixelFormat format;
    int matrix, full;
    AVChromaLocation location;
};
/// swscale without short cuts, the same on every processor. Throws Error, without a file's name, where it does not know
/// a pixel format.
Sws make_sws(const SwsSide& from, const SwsSide& to);

} // namespace denoir::media
