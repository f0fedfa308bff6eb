// SPDX-License-Identifier: Apache-2.0
#include "engine/media/video_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/media/colour.h"
#include "engine/media/containers.h"
#include "engine/media/exif.h"
#include "engine/media/frames.h"
#include "engine/media/still.h"

namespace denoir {

struct VideoReader::State {
    MediaLimits limits;
    media::Demuxer demuxer;
    media::CodecContext decoder;
    media::Packet packet = media::make_packet();
    media::Frame frame = media::make_frame(); // if `ready`, decoded but not yet returned
    media::FrameConverter converter;
    int orientation;
    VideoInfo info;
    std::int64_t index = 0;
    int width = 0, height = 0;
    bool ready = false, draining = false, ended = false;

    State(const std::filesystem::path& path, const MediaLimits& l)
        : limits(l), demuxer(path, l), decoder(media::open_decoder(demuxer, l)), orientation(demuxer.orientation()) {
        ready = decode(); // within the time limit of opening
        if (!ready) demuxer.fail("it holds no frames");
        width = frame->width;
        height = frame->height;
        const bool swap = media::swaps_sides(orientation);
        info = media::describe(demuxer, swap ? height : width, swap ? width : height);
        info.taken_for_bt709 = media::is_taken_for_bt709(*frame);
        info.interlaced = media::is_interlaced(*frame);
        const AVRational pixel = av_guess_sample_aspect_ratio(&demuxer.format(), &demuxer.stream(), frame.get());
        if (pixel.num > 0 && pixel.den > 0) info.pixel = {pixel.num, pixel.den};
    }

    [[noreturn]] void fail_frame(const std::string& what) {
        demuxer.fail(fmt::format("frame {}: {}", index + 1, what));
    }

    /// Decodes the next frame into `frame`; false at the end.
    bool decode() {
        while (!ended) {
            const int error = avcodec_receive_frame(decoder.get(), frame.get());
            if (error >= 0) {
                check_frame();
                return true;
            }
            ended = error == AVERROR_EOF;
            if (error != AVERROR(EAGAIN) && !ended) fail_frame(media::reason(error));
            if (error == AVERROR(EAGAIN)) feed();
        }
        return false;
    }

    void feed() {
        if (demuxer.source().expired()) fail_frame("it takes too long to decode");
        draining = draining || !demuxer.read(*packet);
        const int error = avcodec_send_packet(decoder.get(), draining ? nullptr : packet.get());
        if (error < 0 && error != AVERROR_EOF) fail_frame(media::reason(error));
    }

    void check_frame() {
        if (media::is_damaged(*decoder, *frame)) fail_frame("the data is damaged");
        if (width != 0 && (frame->width != width || frame->height != height))
            fail_frame(
                fmt::format("the size changes from {} x {} to {} x {}", width, height, frame->width, frame->height));
        try {
            media::check_size(static_cast<std::uint64_t>(frame->width), static_cast<std::uint64_t>(frame->height),
                              limits);
        } catch (const Error& error) {
            throw error.in_file(demuxer.name());
        }
    }
};

VideoReader::VideoReader(const std::filesystem::path& path, const MediaLimits& limits) {
    try {
        state_ = std::make_unique<State>(path, limits);
    } catch (const std::bad_alloc&) {
        throw Error(path.string(), "", "there is not enough memory to read it", "choose a smaller video");
    }
}

VideoReader::~VideoReader() = default;

const VideoInfo& VideoReader::info() const { return state_->info; }

bool VideoReader::read(Image& image) {
    State& s = *state_;
    s.demuxer.source().allow(s.limits.seconds);
    if (!s.ready) s.ready = s.decode();
    if (!s.ready) return false;
    try {
        s.converter.convert(*s.frame, image);
    } catch (const Error& error) {
        throw error.in_file(s.demuxer.name());
    }
    if (s.orientation != 1) image = media::upright(std::move(image), s.orientation);
    s.ready = false;
    ++s.index;
    return true;
}

std::string hdr_warning(const VideoInfo& info) {
    if (info.hdr.empty()) return {};
    return fmt::format("is HDR ({}) and read as if it were SDR, in paler colours than players show; convert it to "
                       "SDR (BT.709) first",
                       info.hdr);
}

std::vector<std::string> reading_warnings(const VideoInfo& info) {
    std::vector<std::string> all;
    if (!info.matrix.empty())
        all.push_back(
            fmt::format("has colours stored as {}, which are read as if they were BT.601; convert it to BT.709 "
                        "first",
                        info.matrix));
    if (info.taken_for_bt709)
        all.push_back("does not say how its colours are stored and is read as BT.709, as players do above 576 rows; "
                      "where it is BT.601, as of pictures that an encoder turned into video by itself, all colours are "
                      "a little off");
    if (info.interlaced)
        all.emplace_back("is interlaced, and its frames are compared as they are stored, both half pictures in one; "
                         "deinterlace it first");
    constexpr double visible = 0.01; // less is ignored: encoders write 1280:1281 if they rounded a side
    if (std::abs(info.pixel.value() - 1) > visible)
        all.push_back(
            fmt::format("has pixels of {}:{}, which are compared as they are stored, not stretched as players "
                        "show them",
                        info.pixel.num, info.pixel.den));
    SampleKind kind = info.kind;
    if (const std::string hdr = hdr_warning(info); !hdr.empty()) {
        all.push_back(hdr);
        kind.bits = 8; // no second warning about the bits, which matter less
    }
    for (std::string& part : unread_parts(kind)) all.push_back(std::move(part));
    return all;
}

bool holds_metadata(const std::filesystem::path& path) {
    const std::shared_ptr<MappedFile> file = MappedFile::open(path);
    const media::Data data = media::data_of(*file);
    return media::is_png(data) || media::find_container(data) != nullptr;
}

std::string read_request_metadata(const std::filesystem::path& path) {
    std::string comment;
    if (std::filesystem::is_directory(path)) {
        const auto files = frame_files(path);
        return files.empty() ? std::string() : read_request_metadata(files.front());
    }
    {
        const std::shared_ptr<MappedFile> file = MappedFile::open(path);
        const media::Data data = media::data_of(*file);
        if (media::is_png(data)) {
            try {
                comment = media::scan_png(data, media::Depth::headers).comment;
            } catch (const Error& error) {
                throw error.in_file(path.string());
            }
        } else if (media::find_container(data)) {
            comment = media::Demuxer(path, MediaLimits{}).comment();
        }
    }
    const std::size_t first = comment.find_first_not_of(" \t\r\n");
    return first != std::string::npos && comment[first] == '{' ? comment : std::string();
}

} // namespace denoir
