// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/media/exif.h"
#include "engine/media/still.h"

namespace denoir::media {
namespace {

/// A block of 64 pixels takes at least one bit, in the cheapest scan there is.
constexpr std::uint64_t pixels_per_byte = 512;
/// A progressive file may go over all pixels again for a few bytes each time.
constexpr std::uint64_t scan_pixels = std::uint64_t{1} << 30;
constexpr std::uint64_t usual_scans = 16;

struct JpegScan {
    Bytes bytes;
    Still still;
    std::uint64_t at = 2, scans = 0;
    bool keep;

    void frame_header(std::uint64_t body, std::uint64_t length) {
        if (still.width != 0) refuse_damaged("it has two frame headers");
        const std::uint32_t components = bytes.u8(body + 5);
        if (length < 6 || length != 6 + 3 * components) refuse_damaged("its frame header is not valid");
        if (bytes.u8(body) != 8) refuse_kind("a JPEG with " + std::to_string(bytes.u8(body)) + " bits");
        if (components != 1 && components != 3 && components != 4)
            refuse_damaged("its number of components is not valid");
        check_size(bytes.u16(body + 3), bytes.u16(body + 1));
        still.height = static_cast<int>(bytes.u16(body + 1));
        still.width = static_cast<int>(bytes.u16(body + 3));
        const std::uint64_t pixels = std::uint64_t(still.width) * std::uint64_t(still.height);
        if (pixels > bytes.data.size() * pixels_per_byte) refuse_cut();
        check_weight(bytes.data.size(), pixels * components); // more than eight bits for each is none
        if (keep) reserve_packet(still, bytes.data.size());
    }

    /// Steps over the coded data of a scan to the next marker that is no restart.
    void coded_data(std::uint64_t begin) {
        if (still.width == 0) refuse_damaged("picture data comes before the frame header");
        const std::uint64_t pixels = std::uint64_t(still.width) * std::uint64_t(still.height);
        if (++scans > usual_scans && scans * pixels > scan_pixels) refuse_damaged("it has too many scans");
        std::uint64_t p = begin;
        const std::uint8_t* d = bytes.data.data();
        for (;; ++p) {
            const void* found = p < bytes.data.size() ? std::memchr(d + p, 0xFF, bytes.data.size() - p) : nullptr;
            if (!found) refuse_cut();
            p = static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(found) - d);
            if (p + 1 >= bytes.data.size()) refuse_cut();
            const std::uint8_t code = d[p + 1];
            if (code == 0xFF) continue;
            if (code != 0 && (code < 0xD0 || code > 0xD7)) break;
            ++p;
        }
        if (keep) append(still.packet, bytes.part(begin, p - begin));
        at = p;
    }

    void segment(std::uint32_t code) {
        const std::uint64_t length = bytes.u16(at + 2);
        if (!bytes.has(at, 4) || !bytes.has(at + 2, length)) refuse_cut();
        if (length < 2) refuse_damaged("a segment has no length");
        const std::uint64_t body = at + 4;
        if (code == 0xE1 && still.orientation == 1 && bytes.matches(body, std::string_view("Exif\0\0", 6)))
            still.orientation = exif_orientation(bytes.part(body, length - 2));
        if (code >= 0xC0 && code <= 0xC2) frame_header(body, length - 2);
        const bool other_frame = code >= 0xC3 && code <= 0xCF && code != 0xC4 && code != 0xC8;
        if (other_frame || code == 0xDE || code == 0xDF)
            refuse_kind("a lossless, hierarchical or arithmetic-coded JPEG");
        // Tables, frame, scan, and Adobe's segment, which tells RGB and CMYK apart; all else is nothing to the decoder.
        const bool needed =
            (code >= 0xC0 && code <= 0xC4) || code == 0xDA || code == 0xDB || code == 0xDD || code == 0xEE;
        if (keep && needed) append(still.packet, bytes.part(at, 2 + length));
        at += 2 + length;
        if (code == 0xDA) coded_data(at);
    }
};

} // namespace

bool is_jpeg(Data data) { return Bytes{data}.matches(0, "\xFF\xD8\xFF"); }

Still scan_jpeg(Data data, Depth depth) {
    JpegScan scan{Bytes{data}, Still{"JPEG", AV_CODEC_ID_MJPEG}, 2, 0, depth == Depth::whole};
    scan.still.kind.lossy = true;
    if (scan.keep) append(scan.still.packet, "\xFF\xD8");
    for (;;) {
        if (!scan.bytes.has(scan.at, 2)) refuse_cut();
        if (scan.bytes.u8(scan.at) != 0xFF) refuse_damaged("a marker is missing");
        const std::uint32_t code = scan.bytes.u8(scan.at + 1);
        if (code == 0xFF) { // fill
            ++scan.at;
            continue;
        }
        if (code == 0xD9) break;
        if (code == 0x00 || code == 0x01 || (code >= 0xD0 && code <= 0xD8)) refuse_damaged("a marker is out of place");
        scan.segment(code);
    }
    if (scan.scans == 0) refuse_damaged("it has no picture data");
    if (scan.keep) append(scan.still.packet, "\xFF\xD9");
    return std::move(scan.still);
}

} // namespace denoir::media
