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

/// How a run clears up, step by step: one picture a step, noise level below, scrubbing through steps (Left, Right,
/// dragging) and frames (Up, Down, the slider). Switches between latent, estimate and what the true VAE makes of it
/// (decoded on demand, while the run goes on). Follows the newest step until a step is picked. Borrows pictures and
/// decoder.
class StepStrip : public QWidget {
    Q_OBJECT
public:
    StepStrip(app::StepPictures& pictures, app::DraftDecoder& decoder, QWidget* parent = nullptr);

    int step() const { return step_; }   ///< shown; -1: none
    int frame() const { return frame_; } ///< of the video
    app::StepPictures::View view() const { return view_; }
    bool follows() const { return follows_; }
    QSize sizeHint() const override { return {480, 152}; }
    QSize minimumSizeHint() const override { return {200, 112}; }

    /// How long the run will take, in the words that other places use; empty: not known.
    void set_time_left(const QString& words);

public slots:
    void set_step(int step); ///< stops following; of a run that is being read, once that step is there
    void set_frame(int frame);
    void set_view(denoir::app::StepPictures::View view);
    void follow(); ///< the newest step again
    void decode(); ///< this frame of this step through the VAE, and shows it

signals:
    /// For the preview: what is looked at, null when nothing is. `label`: "step 6 of 20, estimate".
    void picture_changed(const QImage& picture, const QString& label);
    void resume_requested(const QString& run);
    void branch_requested(const QString& run, int step);
    void keep_requested(const QString& run, int step); ///< the draft of this step as a video
    void issue(const denoir::app::Issue& issue);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* make_controls();
    void show_step(int step);
    int told_step() const; ///< the step to name: before the first picture, the one that the run begins with
    void refresh();
    void refresh_text();
    void make_views(QWidget& row);
    void fit_width();
    void renew(); ///< another run
    QString label() const;

    app::StepPictures& pictures_;
    app::DraftDecoder& decoder_;
    StepReel* reel_;
    QButtonGroup* views_;
    QWidget* controls_;
    Scrubber* frames_;
    QLabel *state_, *frame_label_;
    QWidget* all_views_;     ///< a button for each view
    QToolButton* view_menu_; ///< where there is no room for them
    QToolButton *follow_, *resume_, *branch_, *keep_;
    QTimer decode_timer_; ///< scrubbing decodes nothing before it stands still
    app::DraftId draft_ = 0;
    int draft_step_ = -1, draft_frame_ = -1;
    QString run_;
    int step_ = -1, frame_ = 0;
    int asked_frame_ = 0;       ///< of every run, but for frames that no step makes
    QString asked_in_;          ///< the run in which that was asked for: there it counts as it is
    bool knows_frames_ = false; ///< of the run
    int wanted_ = -1;           ///< step that was asked for and may still be read; -1: none
    QString time_left_;
    bool follows_ = true;
    app::StepPictures::View view_ = app::StepPictures::View::estimate;
};

} // namespace denoir::ui
