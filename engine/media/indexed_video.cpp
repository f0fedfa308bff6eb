// SPDX-License-Identifier: Apache-2.0
#include "engine/media/indexed_video.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/media/colour.h"
#include "engine/media/exif.h"
#include "engine/media/packet_store.h"
#include "engine/media/still.h"

namespace denoir {
namespace {

/// Whether every packet of this codec holds exactly one frame, which is shown at the packet's time. (VP8 has hidden
/// frames, MPEG-4 packs two frames into one packet, MPEG-2 has packets of one field.)
bool one_frame_a_packet(AVCodecID codec) {
    switch (codec) {
    case AV_CODEC_ID_H264:
    case AV_CODEC_ID_HEVC:
    case AV_CODEC_ID_AV1:
    case AV_CODEC_ID_VP9:
    case AV_CODEC_ID_FFV1:
    case AV_CODEC_ID_MJPEG:
    case AV_CODEC_ID_PRORES:
    case AV_CODEC_ID_DNXHD:
    case AV_CODEC_ID_RAWVIDEO:
    case AV_CODEC_ID_HUFFYUV:
    case AV_CODEC_ID_FFVHUFF:
    case AV_CODEC_ID_UTVIDEO:
        return true;
    default:
        return false;
    }
}

/// Whether every picture is drawn over the ones before it, whatever the packets' flags say.
bool only_from_the_start(AVCodecID codec) { return codec == AV_CODEC_ID_GIF; }

/// Limit in processor time of this thread for decoding all frames once.
constexpr double count_seconds = 60;

} // namespace

struct IndexedVideo::State {
    MediaLimits limits;
    std::stop_token stop;
    media::PacketStore packets;
    AVCodecID codec;
    media::CodecContext decoder;
    media::Packet packet = media::make_packet();
    media::Frame frame = media::make_frame();
    media::FrameConverter converter;
    int orientation;
    VideoInfo info;
    std::vector<int> packet_of;   ///< by frame, in order of presentation: its packet
    std::vector<int> frame_of;    ///< by packet: its frame; -1 if it is not shown
    std::vector<int> key_packets; ///< packets where decoding may begin; the first is packet 0
    std::vector<double> times;
    int next_packet = 0; ///< the packet to send next
    int expected = 0;    ///< the frame that comes out next if decoding just continues; -1: unknown
    int target = 0;      ///< the frame that is looked for
    bool draining = false;

    State(const std::filesystem::path& path, const MediaLimits& l, std::stop_token end)
        : limits(l),
          stop(std::move(end)),
          packets(path, l, stop),
          codec(packets.demuxer().stream().codecpar->codec_id),
          decoder(media::open_decoder(packets.demuxer(), l)),
          orientation(packets.demuxer().orientation()) {
        if (packets.size() == 0) packets.demuxer().fail("it holds no frames");
        if (!order_by_time()) order_by_decoding();
        if (packet_of.empty()) packets.demuxer().fail("it holds no frames");
        frame_of.assign(static_cast<std::size_t>(packets.size()), -1);
        for (std::size_t n = 0; n < packet_of.size(); ++n)
            frame_of[static_cast<std::size_t>(packet_of[n])] = static_cast<int>(n);
        key_packets.push_back(0);
        if (!only_from_the_start(codec))
            for (int i = 1; i < packets.size(); ++i)
                if (entry(i).key && frame_of[static_cast<std::size_t>(i)] >= 0) key_packets.push_back(i);
        restart(0);
    }

    const media::PacketEntry& entry(int i) const { return packets.entries()[static_cast<std::size_t>(i)]; }

    /// Finds the frames' packets from time stamps alone; false if these do not tell.
    bool order_by_time() {
        const auto& all = packets.entries();
        if (!one_frame_a_packet(codec) || std::ranges::find(all, AV_NOPTS_VALUE, &media::PacketEntry::pts) != all.end())
            return false;
        for (int i = 0; i < packets.size(); ++i)
            if (!entry(i).discard) packet_of.push_back(i);
        const auto pts = [this](int i) { return entry(i).pts; };
        std::ranges::sort(packet_of, {}, pts);
        const bool clear = std::ranges::adjacent_find(packet_of, {}, pts) == packet_of.end();
        if (!clear) packet_of.clear();
        return clear;
    }

    void order_by_decoding() {
        std::vector<bool> seen(static_cast<std::size_t>(packets.size()), false);
        const double end = media::thread_seconds() + count_seconds;
        while (next()) {
            if (media::thread_seconds() > end) packets.demuxer().fail("counting its frames takes too long");
            const std::int64_t from = frame->pts;
            // A second frame from the same packet could not be found again, as frames are known by their packet.
            if (from < 0 || from >= packets.size() || seen[static_cast<std::size_t>(from)])
                fail_frame(static_cast<int>(packet_of.size()), "it cannot be told from its neighbours");
            seen[static_cast<std::size_t>(from)] = true;
            packet_of.push_back(static_cast<int>(from));
        }
    }

    [[noreturn]] void fail_frame(int n, const std::string& what) const {
        packets.demuxer().fail(fmt::format("frame {}: {}", n + 1, what));
    }

    void restart(int packet_number) {
        if (only_from_the_start(codec)) {
            decoder = media::open_decoder(packets.demuxer(), limits);
        } else {
            avcodec_flush_buffers(decoder.get());
            while (avcodec_receive_frame(decoder.get(), frame.get()) >= 0) {
            } // FFmpeg 7.1's HEVC decoder still returns frames from before the flush
            media::forget_damage(*decoder);
        }
        next_packet = packet_number;
        draining = false;
        packets.source().allow(limits.seconds);
        expected = frame_of.empty() ? 0 : frame_of[static_cast<std::size_t>(packet_number)];
    }

    /// Decodes packets until the next frame is in `frame`; false at the end. Throws Error without a frame's number.
    bool next() {
        for (;;) {
            const int error = avcodec_receive_frame(decoder.get(), frame.get());
            if (error >= 0) {
                packets.source().allow(limits.seconds);
                return true;
            }
            if (error == AVERROR_EOF) return false;
            if (error != AVERROR(EAGAIN)) throw Error("", "", media::reason(error));
            if (packets.source().expired()) throw Error("", "", "it takes too long to decode");
            if (stop.stop_requested()) throw Cancelled();
            draining = draining || next_packet >= packets.size();
            if (!draining) {
                // On the way to the target, frames that no other depends on are skipped.
                const bool needed = frame_of.empty() || frame_of[static_cast<std::size_t>(next_packet)] >= target;
                decoder->skip_frame = needed ? AVDISCARD_DEFAULT : AVDISCARD_NONREF;
                packets.get(next_packet++, *packet);
            }
            const int sent = avcodec_send_packet(decoder.get(), draining ? nullptr : packet.get());
            if (sent < 0 && sent != AVERROR_EOF) throw Error("", "", media::reason(sent));
        }
    }

    /// Decodes until frame n is in `frame`; false if it does not come.
    bool reach(int n) {
        const int wanted = packet_of[static_cast<std::size_t>(n)];
        target = n;
        while (next()) {
            if (frame->pts == wanted) {
                expected = n + 1;
                return true;
            }
            // A later frame comes: the decoder left ours out, as it does with frames shown before the keyframe at
            // which it began.
            const std::int64_t from = frame->pts;
            if (from >= 0 && from < packets.size() && frame_of[static_cast<std::size_t>(from)] > n) return false;
        }
        return false;
    }

    /// Index of the last entry of key_packets that is decoded, and whose frame is shown, not after frame n.
    std::size_t key_for(int n) const {
        const int wanted = packet_of[static_cast<std::size_t>(n)];
        std::size_t k =
            static_cast<std::size_t>(std::ranges::upper_bound(key_packets, wanted) - key_packets.begin() - 1);
        while (k > 0 && frame_of[static_cast<std::size_t>(key_packets[k])] > n) --k;
        return k;
    }

    /// Decodes frame n into `frame`. An error on the way from a keyframe may only mean that decoding cannot begin there
    /// (open groups of pictures): then the two keyframes before are tried, and at last the very beginning.
    void seek(int n) {
        std::size_t key = key_for(n);
        const bool goes_on = expected >= 0 && expected <= n && next_packet > key_packets[key];
        std::string what = "it cannot be decoded";
        if (goes_on && attempt(n, what)) return;
        for (int tries = 1;; ++tries) {
            restart(key_packets[key]);
            if (attempt(n, what)) return;
            if (key == 0) fail_frame(n, what);
            key = tries < 3 ? key - 1 : 0;
        }
    }

    bool attempt(int n, std::string& what) {
        try {
            if (reach(n)) {
                check_frame();
                return true;
            }
        } catch (const Error& error) {
            if (!error.file().empty()) throw;
            what = error.message();
        }
        expected = -1;
        return false;
    }

    void check_frame() {
        if (media::is_damaged(*decoder, *frame)) throw Error("", "", "the data is damaged");
        if (info.width != 0) {
            const bool swap = media::swaps_sides(orientation);
            const int width = swap ? frame->height : frame->width, height = swap ? frame->width : frame->height;
            if (width != info.width || height != info.height)
                throw Error(
                    "", "",
                    fmt::format("the size changes from {} x {} to {} x {}", info.width, info.height, width, height));
        }
        media::check_size(static_cast<std::uint64_t>(frame->width), static_cast<std::uint64_t>(frame->height), limits);
    }

    void read(int n, Image& image) {
        packets.source().allow(limits.seconds);
        seek(n);
        try {
            converter.convert(*frame, image);
        } catch (const Error& error) {
            throw error.in_file(packets.demuxer().name());
        }
        if (orientation != 1) image = media::upright(std::move(image), orientation);
    }

    void fill_times() {
        const AVRational base = packets.demuxer().stream().time_base;
        const std::int64_t first = entry(packet_of.front()).pts;
        const double rate = info.fps.value() > 0 ? info.fps.value() : 25;
        bool told = first != AV_NOPTS_VALUE && base.num > 0 && base.den > 0;
        std::int64_t before = first;
        for (std::size_t n = 1; told && n < packet_of.size(); ++n) {
            const std::int64_t pts = entry(packet_of[n]).pts;
            told = pts != AV_NOPTS_VALUE && pts > before;
            before = pts;
        }
        for (std::size_t n = 0; n < packet_of.size(); ++n)
            times.push_back(told ? static_cast<double>(entry(packet_of[n]).pts - first) * av_q2d(base)
                                 : static_cast<double>(n) / rate);
    }
};

IndexedVideo::IndexedVideo(const std::filesystem::path& path, const MediaLimits& limits, std::stop_token stop) {
    try {
        state_ = std::make_unique<State>(path, limits, std::move(stop));
        State& s = *state_;
        Image first;
        s.read(0, first);
        s.info = media::describe(s.packets.demuxer(), first.width, first.height);
        s.info.frames = frames();
        s.fill_times();
        // One frame tells no rate, and two are not enough to overrule a stated one.
        if (s.times.size() > (s.info.fps.num > 0 ? 2 : 1) && s.times.back() > 0) {
            const double mean = static_cast<double>(s.times.size() - 1) / s.times.back();
            if (std::abs(s.info.fps.value() - mean) > 0.02 * mean) s.info.fps = frame_rate(mean);
        }
        if (s.info.fps.num > 0 && s.times.size() > 1)
            s.info.duration = s.times.back() + (s.times.back() - s.times[s.times.size() - 2]);
    } catch (const Error& error) {
        throw error.in_file(path.string());
    } catch (const std::bad_alloc&) {
        throw Error(path.string(), "", "there is not enough memory to read it", "choose a smaller video");
    }
}

IndexedVideo::~IndexedVideo() = default;
const VideoInfo& IndexedVideo::info() const { return state_->info; }
int IndexedVideo::frames() const { return static_cast<int>(state_->packet_of.size()); }
const std::vector<double>& IndexedVideo::times() const { return state_->times; }

int IndexedVideo::keyframe_before(int n) const {
    assert(n >= 0 && n < frames());
    const int packet = state_->key_packets[state_->key_for(n)];
    return std::max(0, state_->frame_of[static_cast<std::size_t>(packet)]);
}

void IndexedVideo::read(int n, Image& image) {
    assert(n >= 0 && n < frames());
    state_->read(n, image);
}

} // namespace denoir
