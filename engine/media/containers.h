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

/// Samples may share bytes of the file, but a stream that is larger than its file by more than this names one stretch
/// over and over.
inline constexpr std::uint64_t most_bytes_beyond = std::uint64_t{64} << 20;

/// By content; null: none that we read.
const Container* find_container(Data data);

/// The parts of the file that libav gets to see, in order: all of it, or what scan_matroska() leaves. Walks over the
/// outermost boxes and throws Error if one reaches beyond the end or makes an impossible claim.
std::vector<Data> checked_parts(Data data, const Container& container);
/// Throws Error if an MP4 claims more samples than a video can have: libav's index of them would fill the memory.
void scan_mp4(Data data);
/// The parts of a Matroska file that libav needs: header, segment, stream descriptions and clusters. Tables that tell
/// where parts are (libav would follow them anywhere) and elements that it would keep although nobody asks for them
/// (cues, chapters, attachments) are left out. Throws Error if more is left than streams need, since libav keeps a list
/// of every element, even of empty ones.
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
    /// The next packet of the stream; false at the end. Throws Error if all packets together are larger than the file
    /// by more than most_bytes_beyond.
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

/// What the file says about its video. `width`, `height`: of its upright pictures.
VideoInfo describe(const Demuxer& demuxer, int width, int height);

/// Decoder of the demuxer's stream, limits set before it sees a byte.
CodecContext open_decoder(const Demuxer& demuxer, const MediaLimits& limits);

} // namespace denoir::media
