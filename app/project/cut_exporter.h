// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <stop_token>
#include <vector>

#include "app/base/exporter.h"
#include "app/project/project.h"

namespace denoir::app {

/// Writes the cut as one video (.mp4 H.264, .mkv FFV1) or a folder of PNG frames, in the size and rate of format_of().
/// Shots of other sizes get bars; for other rates, frames are repeated or left out. A run that still has its last
/// latents is decoded from them, so that it is compressed only once. Every other shot is read from its video, its
/// folder of frames or its picture.
class CutExporter : public Exporter {
    Q_OBJECT
public:
    using Exporter::Exporter;
    ~CutExporter() override { stop(); } ///< stops the thread while it can still emit the signals below

    /// Exports a copy of the shots; progressed() counts frames. Returns false if an export is running already.
    bool start(const std::vector<Shot>& shots, const QString& out);

signals:
    void decoding(int shot, int shots, int frame, int frames); ///< a shot's latents; `shot` from 1, `frame` frames done
    void noticed(const QString& text); ///< the latents of a shot could not be decoded, so its video is used

private:
    void write(const std::vector<Shot>& shots, const std::filesystem::path& out, const WorkCall& tell,
               const std::stop_token& stop);
    std::filesystem::path source_of(const Take& take, int shot, int shots, const std::stop_token& stop);
};

} // namespace denoir::app
