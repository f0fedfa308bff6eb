// SPDX-License-Identifier: Apache-2.0
#include "engine/media/containers.h"

#include "engine/media/still.h"

namespace denoir::media {
namespace {

constexpr Container mp4{"mp4", "mov"}, matroska{"mkv", "matroska"}, avi{"avi", "avi"}, gif{"gif", "gif"};

void check_avi(Data data) {
    const Bytes bytes{data, false};
    if (!bytes.has(0, std::uint64_t{8} + bytes.u32(4))) refuse_cut();
}

/// Limits the canvas: a frame of one pixel takes a few bytes in the file, but the whole canvas in memory.
void check_canvas(const Still& animation) {
    MediaLimits limits;
    limits.pixels = 16 << 20;
    check_size(static_cast<std::uint64_t>(animation.width), static_cast<std::uint64_t>(animation.height), limits);
}

} // namespace

const Container* find_container(Data data) {
    const Bytes bytes{data};
    for (const char* type : {"ftyp", "moov", "mdat", "wide", "free", "skip"})
        if (bytes.matches(4, type)) return &mp4;
    if (bytes.matches(0, "\x1A\x45\xDF\xA3")) return &matroska;
    if (bytes.matches(0, "RIFF") && bytes.matches(8, "AVI ")) return &avi;
    return is_gif(data) ? &gif : nullptr;
}

std::vector<Data> checked_parts(Data data, const Container& container) {
    if (&container == &matroska) return scan_matroska(data);
    if (&container == &mp4) scan_mp4(data);
    if (&container == &avi) check_avi(data);
    if (&container == &gif) check_canvas(scan_gif(data, Depth::headers));
    return {data};
}

} // namespace denoir::media
