// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>
#include <vector>

#include "app/base/issue.h"
#include "app/project/project.h"

namespace denoir::app {

/// Writes the cut as one video (.mp4 H.264, .mkv FFV1) or a folder of PNG frames, on a thread of its own. The file
/// appears whole or not at all. Shots of other sizes are fitted with bars, of other rates by repeating or leaving out
/// frames. A run that still has its last latents is decoded from them, so that no codec comes before the one asked for;
/// every other shot is read from its video, its folder of frames or its picture.
class CutExporter : public QObject {
    Q_OBJECT
public:
    explicit CutExporter(QObject* parent = nullptr);
    ~CutExporter() override; ///< cancels and joins

    struct Options {
        int width = 0, height = 0; ///< 0: as format_of() says
        double fps = 0;            ///< 0: as format_of() says
    };
    /// A copy of the shots is taken. False: one is running already.
    bool start(const std::vector<Shot>& shots, const QString& out, const Options& options);
    bool start(const std::vector<Shot>& shots, const QString& out) { return start(shots, out, Options{}); }
    void cancel();
    bool running() const;
    bool wait(int milliseconds);

signals:
    void progressed(int frame, int frames);
    void decoding(int shot, int shots, int frame, int frames); ///< latents of a shot (from 1), frames done and in all
    void noticed(const QString& text); ///< a shot whose latents could not be decoded: its video was taken
    // Exactly one of these ends an export.
    void finished(const QString& out);
    void failed(const denoir::app::Issue& issue);
    void cancelled();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace denoir::app
