// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QObject>
#include <memory>

#include "app/base/issue.h"

namespace denoir::app {

using DraftId = quint64;

/// Decodes drafts through the true VAE while a run goes on, on a thread of low priority with a backend of its own, so
/// that neither waits for the other. Drafts are decoded one after another; a newer request does not cancel older ones.
class DraftDecoder : public QObject {
    Q_OBJECT
public:
    explicit DraftDecoder(QObject* parent = nullptr);
    ~DraftDecoder() override;

    /// Decodes a stored step of a run folder: its estimate or, for the last step, its latent. `frame` counts from 0;
    /// -1: every frame, in order. The VAE is causal, so the latent frames before are decoded, too: frame 0 is the
    /// cheapest.
    DraftId decode_step(const QString& run, int step, int frame = -1);
    /// Writes the draft of a step as a video file (.mp4, .mkv) or a folder of PNG files.
    DraftId keep(const QString& run, int step, const QString& out);
    void cancel(DraftId draft);
    void cancel_all();

signals:
    void frame_decoded(denoir::app::DraftId draft, int index, const QImage& frame); ///< RGB888
    // Exactly one of these ends every draft.
    void finished(denoir::app::DraftId draft);
    void kept(denoir::app::DraftId draft, const QString& out);
    void failed(denoir::app::DraftId draft, const denoir::app::Issue& issue);
    void cancelled(denoir::app::DraftId draft);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace denoir::app
