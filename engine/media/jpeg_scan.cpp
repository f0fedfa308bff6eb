// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/media/exif.h"
#include "engine/media/still.h"

namespace denoir::media {
namespace {

/// At most: a block of 64 pixels takes at least one bit, even in the smallest scan.
constexpr std::uint64_t pixels_per_byte = 512;
/// Limit of pixels times scans: each scan of a progressive file may go over all pixels again, for a few bytes.
constexpr std::uint64_t scan_pixels = std::uint64_t{1} << 30;
constexpr std::uint64_t usual_scans = 16;

/// The second bytes of markers (ITU-T T.81, table B.1); the first is 0xFF.
enum Marker : std::uint32_t {
    stuffed = 0x00, ///< not a marker: stands for a byte 0xFF of the coded data
    tem = 0x01,
    sof0 = 0xC0, ///< frame headers; the decoder reads those numbered 0 to 2: baseline, extended and progressive
    sof2 = 0xC2,
    sof3 = 0xC3,
    dht = 0xC4, ///< Huffman tables
    jpg = 0xC8, ///< reserved
    sof15 = 0xCF,
    rst0 = 0xD0, ///< restarts
    rst7 = 0xD7,
    soi = 0xD8,
    eoi = 0xD9,
    sos = 0xDA, ///< start of a scan
    dqt = 0xDB, ///< quantisation tables
    dri = 0xDD, ///< restart interval
    dhp = 0xDE, ///< hierarchical files
    expand = 0xDF,
    app1 = 0xE1,  ///< EXIF
    app14 = 0xEE, ///< Adobe's
    fill = 0xFF
};

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
        check_weight(bytes.data.size(), pixels * components); // no picture takes more than eight bits per value
        if (keep) reserve_packet(still, bytes.data.size());
    }

    /// Skips the coded data of a scan up to the next marker other than a restart.
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
            if (code == fill) continue;
            if (code != stuffed && (code < rst0 || code > rst7)) break;
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
        if (code == app1 && still.orientation == 1 && bytes.matches(body, exif_prefix))
            still.orientation = exif_orientation(bytes.part(body, length - 2));
        if (code >= sof0 && code <= sof2) frame_header(body, length - 2);
        const bool other_frame = code >= sof3 && code <= sof15 && code != dht && code != jpg;
        if (other_frame || code == dhp || code == expand)
            refuse_kind("a lossless, hierarchical or arithmetic-coded JPEG");
        // The decoder needs tables, frame, scan, and Adobe's segment, which tells RGB and CMYK from YCbCr.
        const bool needed =
            (code >= sof0 && code <= sof2) || code == dht || code == sos || code == dqt || code == dri || code == app14;
        if (keep && needed) append(still.packet, bytes.part(at, 2 + length));
        at += 2 + length;
        if (code == sos) coded_data(at);
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
        if (code == fill) {
            ++scan.at;
            continue;
        }
        if (code == eoi) break;
        if (code == stuffed || code == tem || (code >= rst0 && code <= soi)) refuse_damaged("a marker is out of place");
        scan.segment(code);
    }
    if (scan.scans == 0) refuse_damaged("it has no picture data");
    if (scan.keep) append(scan.still.packet, "\xFF\xD9");
    return std::move(scan.still);
}

} // namespace denoir::media
