// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTimer>
#include <QWidget>

#include "app/runs/draft_decoder.h"
#include "app/runs/step_pictures.h"

class QButtonGroup;
class QLabel;
class QToolButton;

namespace denoir::ui {

class Scrubber;
class StepReel;

/// Shows how a run takes shape, step by step: one picture per step with the noise level below, through which one can go
/// by steps (Left, Right, dragging) and by frames (Up, Down, the slider). Shows latents, estimates or what the true VAE
/// makes of them (decoded on demand while the run goes on). Follows the newest step until one is picked. Borrows
/// pictures and decoder.
class StepStrip : public QWidget {
    Q_OBJECT
public:
    StepStrip(app::StepPictures& pictures, app::DraftDecoder& decoder, QWidget* parent = nullptr);

    int step() const { return step_; }   ///< the step shown; -1 if none is
    int frame() const { return frame_; } ///< of the video
    app::StepPictures::View view() const { return view_; }
    bool follows() const { return follows_; }
    QSize sizeHint() const override { return {480, 152}; }
    QSize minimumSizeHint() const override { return {192, 112}; }

    /// Sets how long the run will take, in the words that other places use; empty if it is not known.
    void set_time_left(const QString& words);

public slots:
    void set_step(int step); ///< shows a step, once it is there if the run is being read; stops following
    void set_frame(int frame);
    void set_view(denoir::app::StepPictures::View view);
    void follow(); ///< shows the newest step again
    void decode(); ///< decodes this frame of this step by the VAE and shows it

signals:
    /// For the preview: the picture that is looked at, or null. `label`: "step 6 of 20, estimate".
    void picture_changed(const QImage& picture, const QString& label);
    void resume_requested(const QString& run);
    void branch_requested(const QString& run, int step);
    void keep_requested(const QString& run, int step); ///< the draft of this step is to be written as a video
    void issue(const denoir::app::Issue& issue);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* make_controls();
    void show_step(int step);
    int told_step() const; ///< the step to name; before the first picture, the one with which the run begins
    void refresh();
    void refresh_text();
    void make_views(QWidget& row);
    void fit_width();
    void renew(); ///< shows another run
    QString label() const;

    app::StepPictures& pictures_;
    app::DraftDecoder& decoder_;
    StepReel* reel_;
    QButtonGroup* views_;
    QWidget* controls_;
    Scrubber* frames_;
    QLabel *state_, *frame_label_;
    QWidget* all_views_;     ///< a button for each view
    QToolButton* view_menu_; ///< shown if there is no room for them
    QToolButton *follow_, *resume_, *branch_, *keep_;
    QTimer decode_timer_; ///< delays decoding until scrubbing stands still
    app::DraftId draft_ = 0;
    int draft_step_ = -1, draft_frame_ = -1;
    QString run_;
    int step_ = -1, frame_ = 0;
    int asked_frame_ = 0;       ///< the frame that the user chose, for every run, unless no step makes it
    QString asked_in_;          ///< the run in which it was chosen, for which it is used in any case
    bool knows_frames_ = false; ///< whether the run's frames are known
    int wanted_ = -1;           ///< a step that was asked for and may still be read; -1 if none
    QString time_left_;
    bool follows_ = true;
    app::StepPictures::View view_ = app::StepPictures::View::estimate;
};

} // namespace denoir::ui
