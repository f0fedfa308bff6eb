// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <stop_token>
#include <vector>

#include "app/base/exporter.h"
#include "app/project/project.h"

namespace denoir::app {

/// Writes the cut, as format_of() says, as one video (.mp4 H.264, .mkv FFV1) or a folder of PNG frames. Shots of other
/// sizes are fitted with bars, of other rates by repeating or leaving out frames. A run that still has its last latents
/// is decoded from them, so that no codec comes before the one asked for; every other shot is read from its video, its
/// folder of frames or its picture.
class CutExporter : public Exporter {
    Q_OBJECT
public:
    using Exporter::Exporter;
    ~CutExporter() override { stop(); } ///< before the signals below go

    /// A copy of the shots is taken. False: one is running already. progressed() counts frames.
    bool start(const std::vector<Shot>& shots, const QString& out);

signals:
    void decoding(int shot, int shots, int frame, int frames); ///< latents of a shot (from 1), frames done and in all
    void noticed(const QString& text); ///< a shot whose latents could not be decoded: its video was taken

private:
    void write(const std::vector<Shot>& shots, const std::filesystem::path& out, const WorkCall& tell,
               const std::stop_token& stop);
    std::filesystem::path source_of(const Take& take, int shot, int shots, const std::stop_token& stop);
};

} // namespace denoir::app
