// SPDX-License-Identifier: Apache-2.0
#include "engine/media/packet_store.h"

namespace denoir::media {
namespace {

constexpr std::size_t most_packets = std::size_t{1} << 20;
/// Limit in processor time of this thread for reading all packets once.
constexpr double scan_seconds = 20;

} // namespace

PacketStore::PacketStore(const std::filesystem::path& path, const MediaLimits& limits, std::stop_token stop)
    : path_(path), limits_(limits), stop_(std::move(stop)), first_(std::make_unique<Demuxer>(path, limits)) {
    scan();
}

void PacketStore::scan() {
    std::uint64_t bytes = 0;
    const double end = thread_seconds() + scan_seconds;
    first_->source().allow(limits_.seconds);
    for (Packet packet = make_packet(); first_->read(*packet);) {
        if (stop_.stop_requested()) throw Cancelled();
        if (thread_seconds() > end) first_->fail("it takes too long to read");
        first_->source().allow(limits_.seconds); // for each packet anew
        bytes += static_cast<std::uint64_t>(packet->size);
        if (entries_.size() >= most_packets) first_->fail("it has more than a million frames");
        entries_.push_back(
            {packet->pts, (packet->flags & AV_PKT_FLAG_KEY) != 0, (packet->flags & AV_PKT_FLAG_DISCARD) != 0});
        if (bytes <= limits_.packet_bytes && kept_.size() + 1 == entries_.size()) {
            kept_.push_back(std::move(packet));
            packet = make_packet();
        }
    }
}

void PacketStore::get(int index, AVPacket& packet) {
    const auto i = static_cast<std::size_t>(index);
    av_packet_unref(&packet);
    const AVPacket* found = nullptr;
    if (i < kept_.size()) {
        found = kept_[i].get();
    } else {
        if (!again_ || index < next_ - static_cast<int>(recent_.size())) {
            again_ = std::make_unique<Demuxer>(path_, limits_);
            recent_.clear();
            recent_bytes_ = 0;
            next_ = 0;
        }
        again_->source().allow(scan_seconds);
        for (; next_ <= index; ++next_) {
            if (stop_.stop_requested()) throw Cancelled();
            Packet next = make_packet();
            if (!again_->read(*next)) again_->fail("the file was changed");
            recent_.push_back(std::move(next));
            recent_bytes_ += static_cast<std::uint64_t>(recent_.back()->size);
            for (; recent_.size() > 1 && recent_bytes_ > limits_.packet_bytes / 4; recent_.pop_front())
                recent_bytes_ -= static_cast<std::uint64_t>(recent_.front()->size);
        }
        found = recent_[recent_.size() - static_cast<std::size_t>(next_ - index)].get();
    }
    if (av_packet_ref(&packet, found) < 0) throw std::bad_alloc();
    packet.pts = packet.dts = index;
}

} // namespace denoir::media
