// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to engine/media: the packets of a video by number, in any order.
#include <deque>
#include <filesystem>
#include <stop_token>
#include <vector>

#include "engine/media/containers.h"

namespace denoir::media {

/// What is remembered of each packet, in order of decoding.
struct PacketEntry {
    std::int64_t pts = AV_NOPTS_VALUE;
    bool key = false;
    bool discard = false; ///< decoded, never shown (an edit list begins later)
};

/// Reads all packets once, keeps them as long as they are few, and reads the file again from its beginning for those
/// that were not kept: containers' own seeking lands elsewhere in too many files.
class PacketStore {
public:
    /// Throws Error for a file that claims more than it holds, or takes too long to go through, Cancelled.
    PacketStore(const std::filesystem::path& path, const MediaLimits& limits, std::stop_token stop);

    const Demuxer& demuxer() const { return *first_; }
    MemorySource& source() { return first_->source(); }
    const std::vector<PacketEntry>& entries() const { return entries_; }
    int size() const { return static_cast<int>(entries_.size()); }
    /// Makes `packet` number `index`, its time stamps replaced by that number: what the decoder gives back with the
    /// frame then tells the packet it came from.
    void get(int index, AVPacket& packet);

private:
    void scan();
    std::filesystem::path path_;
    MediaLimits limits_;
    std::stop_token stop_;
    std::unique_ptr<Demuxer> first_, again_;
    std::vector<PacketEntry> entries_;
    std::vector<Packet> kept_; ///< the first of them
    /// The last that `again_` read: stepping back does not begin at the front each time.
    std::deque<Packet> recent_;
    std::uint64_t recent_bytes_ = 0;
    int next_ = 0; ///< number of the packet that `again_` reads next
};

} // namespace denoir::media
