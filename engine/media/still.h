// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to engine/media. A picture file is first taken apart by us: every length checked, cut and damaged files
// refused, bombs measured. What libav's decoder then gets is put together anew from the parts it needs and nothing
// else.
#include <functional>
#include <string>
#include <vector>

#include "engine/media/bytes.h"
#include "engine/media/image.h"
#include "engine/media/libav.h"
#include "engine/media/sample_kind.h"
#include "engine/media/video.h"

namespace denoir::media {

struct Still {
    std::string format;
    AVCodecID codec = AV_CODEC_ID_NONE;
    int width = 0, height = 0; ///< as stored
    int orientation = 1;
    std::string comment{};              ///< PNG only
    std::vector<std::uint8_t> packet{}; ///< for the decoder; room for libav's padding is set aside where it is large
    SampleKind kind{};
};

/// How much a scan looks at.
enum class Depth {
    headers, ///< sizes and structure
    whole    ///< also all data (PNG's compressed stream); makes the packet
};

// Each throws Error without a file name. `is_…` looks at the first bytes only.
bool is_png(Data);
bool is_jpeg(Data);
bool is_webp(Data);
bool is_bmp(Data);
bool is_tiff(Data);
bool is_gif(Data);
bool is_pnm(Data);
/// Any of these but a GIF, which may be animated.
bool is_still(Data);
Still scan_png(Data, Depth);
Still scan_jpeg(Data, Depth);
Still scan_webp(Data, Depth);
Still scan_bmp(Data, Depth);
Still scan_tiff(Data, Depth);
Still scan_gif(Data, Depth);
Still scan_pnm(Data, Depth);

/// The scanner that fits the content, or an Error that says what can be read.
Still scan_still(Data, Depth);
/// The decoded picture, upright.
Image decode_still(Still);

/// Throws Error "size" if a picture has no pixels or exceeds the limits.
void check_size(std::uint64_t width, std::uint64_t height, const MediaLimits& limits = {});
/// A Still after check_size().
Still make_still(const char* format, AVCodecID codec, std::uint64_t width, std::uint64_t height);
/// Throws Error if a file of `bytes` exceeds `most`, the most that its picture can take, by more than 64 MiB: it would
/// be read, and kept in memory, for nothing.
void check_weight(std::uint64_t bytes, std::uint64_t most);
/// Throws Error "size" if a picture of so many bytes would not be decoded; to be called before all of it is scanned.
void check_decoded(const Still& still, std::uint64_t bytes);
/// Reserves memory for a packet of `bytes` and libav's padding, so that it need not be moved.
void reserve_packet(Still& still, std::uint64_t bytes);
[[noreturn]] void refuse_cut();                     ///< the file ends too early
[[noreturn]] void refuse_damaged(std::string what); ///< "the checksum of chunk IDAT is wrong"
[[noreturn]] void refuse_kind(std::string what);    ///< well-formed, but not for us

} // namespace denoir::media
