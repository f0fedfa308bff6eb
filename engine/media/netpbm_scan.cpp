// SPDX-License-Identifier: Apache-2.0

#include "engine/media/still.h"

namespace denoir::media {
namespace {

bool is_space(std::uint32_t c) { return c == ' ' || (c >= 9 && c <= 13); }

/// Reads the next decimal number of up to nine digits, after blanks and comments, and moves `at` behind it.
std::uint64_t number(const Bytes& bytes, std::uint64_t& at) {
    while (is_space(bytes.u8(at)) || bytes.u8(at) == '#') {
        if (bytes.u8(at) == '#')
            while (bytes.has(at, 1) && bytes.u8(at) != '\n') ++at;
        else
            ++at;
    }
    std::uint64_t value = 0, begin = at;
    for (; bytes.u8(at) >= '0' && bytes.u8(at) <= '9' && at - begin < 9; ++at) value = value * 10 + bytes.u8(at) - '0';
    if (at == begin) bytes.has(at, 1) ? refuse_damaged("its header is not valid") : refuse_cut();
    if (bytes.u8(at) >= '0' && bytes.u8(at) <= '9') refuse_damaged("its header is not valid");
    return value;
}

} // namespace

bool is_pnm(Data data) {
    const Bytes bytes{data};
    return bytes.u8(0) == 'P' && bytes.u8(1) >= '1' && bytes.u8(1) <= '6' &&
           (is_space(bytes.u8(2)) || bytes.u8(2) == '#');
}

Still scan_pnm(Data data, Depth depth) {
    const Bytes bytes{data};
    const std::uint32_t kind = bytes.u8(1) - '0'; // bits, grey or colour: 1 to 3 as text, 4 to 6 binary
    std::uint64_t at = 2;
    const std::uint64_t w = number(bytes, at), h = number(bytes, at);
    const bool bits = kind == 1 || kind == 4, colour = kind == 3 || kind == 6;
    Still still = make_still("PNM", bits ? AV_CODEC_ID_PBM : colour ? AV_CODEC_ID_PPM : AV_CODEC_ID_PGM, w, h);
    const std::uint64_t largest = bits ? 1 : number(bytes, at);
    if (largest == 0 || largest > 65535 || !is_space(bytes.u8(at))) refuse_damaged("its header is not valid");
    const std::uint64_t samples = w * h * (colour ? 3 : 1);
    const std::uint64_t least = kind == 4   ? (w + 7) / 8 * h
                                : kind == 1 ? samples
                                : kind <= 3 ? 2 * samples - 1
                                            : samples * (largest > 255 ? 2 : 1);
    if (!bytes.has(at + 1, least)) refuse_cut();
    constexpr std::uint64_t widest = 8; // bytes of a sample as text: five digits, and blanks to align columns
    constexpr std::uint64_t most_as_text = 16 << 20;
    if (kind <= 3 && samples > most_as_text) refuse_kind("a PNM that writes so many samples as text");
    check_weight(data.size(), kind <= 3 ? widest * samples : least);
    still.kind.bits = largest > 255 ? 16 : 8;
    check_decoded(still, samples * (largest > 255 ? 2 : 1));
    if (depth == Depth::whole) {
        const Data picture = kind <= 3 ? data : bytes.part(0, at + 1 + least);
        reserve_packet(still, picture.size());
        append(still.packet, picture);
    }
    return still;
}

} // namespace denoir::media
