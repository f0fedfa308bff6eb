// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to engine/media: which container a file is, whether it is whole, and a demuxer that sees nothing but its
// bytes.
#include <filesystem>

#include "engine/core/mapped_file.h"
#include "engine/media/bytes.h"
#include "engine/media/libav.h"
#include "engine/media/video_reader.h"

namespace denoir::media {

struct Container {
    const char* name;    ///< "mp4", "mkv", "avi", "gif"
    const char* demuxer; ///< libav's
};

/// Samples may share their bytes; where a stream has so many more than its file, one stretch is named over and over.
inline constexpr std::uint64_t most_bytes_beyond = std::uint64_t{64} << 20;

/// By content; null: none that we read.
const Container* find_container(Data data);

/// What libav is to see of the file, in that order: all of it, but of a Matroska what the scan below leaves. Walks over
/// the outermost parts: throws Error where one reaches beyond the end, or claims what cannot be.
std::vector<Data> checked_parts(Data data, const Container& container);
/// An MP4 must not claim more samples than a video has: libav's index of them fills memory.
void scan_mp4(Data data);
/// Header, a segment, what describes its streams, the clusters. Nothing tells where its parts are (libav would follow
/// it anywhere), and none is there that libav keeps but we never ask for: cues, chapters, attachments. Throws Error
/// where what is left is more than streams need: libav keeps a list of everything, of empty things too.
std::vector<Data> scan_matroska(Data data);

/// An open file, its best video stream found. Errors name the file.
class Demuxer {
public:
    Demuxer(const std::filesystem::path& path, const MediaLimits& limits);

    const Container& container() const { return *container_; }
    AVFormatContext& format() const { return *format_; }
    AVStream& stream() const { return *format_->streams[stream_]; }
    const std::string& name() const { return file_->name(); }
    MemorySource& source() { return *source_; }
    std::string comment() const;
    /// 1 … 8 as EXIF counts, from the stream's display matrix.
    int orientation() const;
    /// The next packet of the stream; false at the end. Throws Error where the packets are larger than the file by more
    /// than most_bytes_beyond.
    bool read(AVPacket& packet);
    [[noreturn]] void fail(const std::string& what) const;

private:
    void open(const MediaLimits& limits);
    /// Leaves out the packets of the streams that are `unwanted`.
    template <class Unwanted> void discard(Unwanted unwanted);
    std::shared_ptr<MappedFile> file_;
    const Container* container_ = nullptr;
    std::unique_ptr<MemorySource> source_;
    InputContext format_; // closed before its source
    unsigned stream_ = 0;
    std::uint64_t packet_bytes_ = 0; ///< of all that were read
};

/// What the file says of its video, whose pictures stand upright with `width` x `height`.
VideoInfo describe(const Demuxer& demuxer, int width, int height);

/// Decoder of the demuxer's stream, limits set before it sees a byte.
CodecContext open_decoder(const Demuxer& demuxer, const MediaLimits& limits);

} // namespace denoir::media
