// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to engine/media: the packets of a video by number, in any order.
#include <deque>
#include <filesystem>
#include <stop_token>
#include <vector>

#include "engine/media/containers.h"

namespace denoir::media {

/// What is remembered of each packet.
struct PacketEntry {
    std::int64_t pts = AV_NOPTS_VALUE;
    bool key = false;
    bool discard = false; ///< decoded, but not shown (it lies before the beginning of an edit list)
};

/// Reads all packets once and keeps the first of them, as many as MediaLimits::packet_bytes allows. For the others it
/// reads the file again from its beginning, since containers' own seeking goes to a wrong place in too many files.
class PacketStore {
public:
    /// Throws Error for a file that claims more than it holds, or takes too long to read; Cancelled.
    PacketStore(const std::filesystem::path& path, const MediaLimits& limits, std::stop_token stop);

    const Demuxer& demuxer() const { return *first_; }
    MemorySource& source() { return first_->source(); }
    const std::vector<PacketEntry>& entries() const { return entries_; } ///< in order of decoding
    int size() const { return static_cast<int>(entries_.size()); }
    /// Sets `packet` to the packet number `index`, with that number as its time stamps: the decoder passes them on to
    /// the frame, which so tells the packet that it came from. Throws Error, Cancelled.
    void get(int index, AVPacket& packet);

private:
    void scan();
    std::filesystem::path path_;
    MediaLimits limits_;
    std::stop_token stop_;
    std::unique_ptr<Demuxer> first_, again_;
    std::vector<PacketEntry> entries_;
    std::vector<Packet> kept_; ///< the first packets
    /// The last packets that `again_` read, so that a step back need not read the file from its beginning.
    std::deque<Packet> recent_;
    std::uint64_t recent_bytes_ = 0;
    int next_ = 0; ///< number of the packet that `again_` reads next
};

} // namespace denoir::media
