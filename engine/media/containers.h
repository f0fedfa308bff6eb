// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to engine/media: tells which container a file is and whether it is complete, and demuxes it without access to
// anything else.
#include <filesystem>

#include "engine/core/mapped_file.h"
#include "engine/media/bytes.h"
#include "engine/media/libav.h"
#include "engine/media/video_reader.h"

namespace denoir::media {

struct Container {
    const char* name;    ///< "mp4", "mkv", "avi", "gif"
    const char* demuxer; ///< libav's name of the demuxer
};

/// Samples may share bytes of the file; but a stream that is larger than its file by more than this must use the same
/// bytes over and over.
inline constexpr std::uint64_t most_bytes_beyond = std::uint64_t{64} << 20;

/// The container, told by content; null if it is none that we read.
const Container* find_container(Data data);

/// The parts of the file that libav may read, in order: all of it, or those of scan_matroska(). Throws Error if one of
/// the outermost boxes reaches beyond the end or makes an impossible claim.
std::vector<Data> checked_parts(Data data, const Container& container);
/// Throws Error if an MP4 claims more samples than a video can have: libav's index of them would fill the memory.
void scan_mp4(Data data);
/// The parts of a Matroska file that libav needs: header, segment, stream descriptions and clusters. Tables that tell
/// where parts are (libav would follow them anywhere) and elements that it would keep although they are not used (cues,
/// chapters, attachments) are left out. Throws Error if more is left than streams need, since libav keeps a list of
/// every element, even of empty ones.
std::vector<Data> scan_matroska(Data data);

/// An open video file and its best video stream. Errors name the file.
class Demuxer {
public:
    Demuxer(const std::filesystem::path& path, const MediaLimits& limits);

    const Container& container() const { return *container_; }
    AVFormatContext& format() const { return *format_; }
    AVStream& stream() const { return *format_->streams[stream_]; }
    const std::string& name() const { return file_->name(); }
    MemorySource& source() { return *source_; }
    std::string comment() const;
    /// The orientation, 1 … 8 as in EXIF, from the stream's display matrix.
    int orientation() const;
    /// Reads the next packet of the stream; false at the end. Throws Error if all packets together are larger than the
    /// file by more than most_bytes_beyond.
    bool read(AVPacket& packet);
    [[noreturn]] void fail(const std::string& what) const;

private:
    void open(const MediaLimits& limits);
    /// Makes libav drop the packets of the streams for which unwanted(stream) is true.
    template <class Unwanted> void discard(Unwanted unwanted);
    std::shared_ptr<MappedFile> file_;
    const Container* container_ = nullptr;
    std::unique_ptr<MemorySource> source_;
    InputContext format_; // declared after the source, so that it is closed before it
    unsigned stream_ = 0;
    std::uint64_t packet_bytes_ = 0; ///< size of all packets that were read
};

/// What the file says about its video. `width` and `height` are those of its upright pictures.
VideoInfo describe(const Demuxer& demuxer, int width, int height);

/// A decoder for the demuxer's stream, with its limits set before it reads anything.
CodecContext open_decoder(const Demuxer& demuxer, const MediaLimits& limits);

} // namespace denoir::media
