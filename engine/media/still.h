// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to engine/media. Our own code parses a picture file first: it checks every length, and refuses cut and
// damaged files and those that would decode to too much. libav's decoder then gets a new file, made of the parts that
// it needs and nothing else.
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
    std::vector<std::uint8_t> packet{}; ///< for the decoder; see reserve_packet()
    SampleKind kind{};
};

/// How much a scan checks.
enum class Depth {
    headers, ///< sizes and structure
    whole    ///< also all data (PNG's compressed stream), and makes the packet
};

// is_…() looks at the first bytes only; scan_…() throws Error without a file name.
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

/// Scans with the scanner that fits the content. Throws Error, also if there is none.
Still scan_still(Data, Depth);
/// The decoded picture, turned upright. Throws Error.
Image decode_still(Still);

/// Throws Error "size" if a picture has no pixels or exceeds the limits.
void check_size(std::uint64_t width, std::uint64_t height, const MediaLimits& limits = {});
/// A Still of this size. Throws Error like check_size().
Still make_still(const char* format, AVCodecID codec, std::uint64_t width, std::uint64_t height);
/// Throws Error if a file of `bytes` is larger, by more than 64 MiB, than `most`, the most that its picture can take:
/// the rest would be read, and kept in memory, for nothing.
void check_weight(std::uint64_t bytes, std::uint64_t most);
/// Throws Error "size" if a picture with so many bytes is too large to be decoded. To be called before all data is
/// scanned.
void check_decoded(const Still& still, std::uint64_t bytes);
/// Reserves memory for a packet of `bytes` and libav's padding, so that it need not be copied later.
void reserve_packet(Still& still, std::uint64_t bytes);
[[noreturn]] void refuse_cut();                     ///< the file ends too early
[[noreturn]] void refuse_damaged(std::string what); ///< "the checksum of chunk IDAT is wrong"
[[noreturn]] void refuse_kind(std::string what);    ///< the file is well-formed, but of a kind that we cannot read

} // namespace denoir::media
