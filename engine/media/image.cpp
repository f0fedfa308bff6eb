// SPDX-License-Identifier: Apache-2.0
#include "engine/media/image.h"

#include <fmt/format.h>

#include <cassert>
#include <memory>
#include <mutex>

#include "engine/core/mapped_file.h"
#include "engine/media/exif.h"
#include "engine/media/still.h"

namespace denoir {
namespace {

/// Calls read(). Its errors get the file's name; a lack of memory becomes such an Error as well.
template <class Read> auto in_file(const std::filesystem::path& path, Read&& read) {
    try {
        return read();
    } catch (const Error& error) {
        throw error.in_file(path.string());
    } catch (const std::bad_alloc&) {
        throw Error(path.string(), "", "there is not enough memory to read it", "choose a smaller picture");
    }
}

/// Large pictures are read one after the other: a comparison reads two at the same time, and each takes memory as file,
/// as packet and as frame.
class Turn {
public:
    void wait() {
        if (!lock_) lock_.lock();
    }

private:
    static inline std::mutex mutex_;
    std::unique_lock<std::mutex> lock_{mutex_, std::defer_lock};
};

} // namespace

Image read_image(const std::filesystem::path& path) {
    constexpr std::size_t large_file = 32 << 20;
    constexpr std::int64_t large_picture = 16 << 20; // pixels
    return in_file(path, [&] {
        Turn turn;
        std::shared_ptr<MappedFile> file = MappedFile::open(path);
        if (file->span().size() > large_file) turn.wait();
        media::Still still = media::scan_still(media::data_of(*file), media::Depth::whole);
        file.reset();
        if (std::int64_t{still.width} * still.height > large_picture) turn.wait();
        return media::decode_still(std::move(still));
    });
}

bool is_picture(const std::filesystem::path& path) { return media::is_still(media::data_of(*MappedFile::open(path))); }

ImageInfo image_info(const std::filesystem::path& path) {
    return in_file(path, [&] {
        const media::Still still = media::scan_still(media::data_of(*MappedFile::open(path)), media::Depth::headers);
        const bool swap = media::swaps_sides(still.orientation);
        return ImageInfo{still.format, swap ? still.height : still.width, swap ? still.width : still.height};
    });
}

SampleKind sample_kind(const std::filesystem::path& path) {
    return in_file(
        path, [&] { return media::scan_still(media::data_of(*MappedFile::open(path)), media::Depth::headers).kind; });
}

std::vector<std::string> unread_parts(const SampleKind& kind) {
    std::vector<std::string> parts;
    if (kind.alpha) parts.emplace_back("has an alpha channel, which is not compared");
    if (kind.bits > 8)
        parts.push_back(fmt::format("has {} bits a colour, of which the upper 8 are compared", kind.bits));
    if (kind.more) parts.emplace_back("holds several pictures, of which the first is compared");
    return parts;
}

Tensor to_tensor(const Image& image) {
    assert(image.width > 0 && image.height > 0);
    Tensor tensor = Tensor::host({3, image.height, image.width});
    const std::size_t pixels = image.rgb.size() / 3;
    float* out = tensor.data<float>();
    for (std::size_t i = 0; i < pixels; ++i)
        for (std::size_t c = 0; c < 3; ++c) out[c * pixels + i] = image.rgb[3 * i + c];
    return tensor;
}

} // namespace denoir
