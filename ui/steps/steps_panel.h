// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QWidget>
#include <map>

#include "app/clips/player.h"
#include "app/compare/run_divergence.h"
#include "app/runs/step_pictures.h"

class QLabel;
class QStackedWidget;

namespace denoir::app {
class DraftDecoder;
}

namespace denoir::ui {

class DivergenceView;
class StepStrip;

/// The step strips of runs. In front is that of the run at work or of the run that is looked at (A). While runs are
/// compared, that of B is beside it, with how far the two are apart; then both strips show the same step. Borrows the
/// decoder.
class StepsPanel : public QWidget {
    Q_OBJECT
public:
    explicit StepsPanel(app::DraftDecoder& decoder, QWidget* parent = nullptr);
    ~StepsPanel() override;

    // These tell of the run at work, as the worker does.
    void begin(const QString& run, const Request& request, int steps, int first);
    void add(const app::StepUpdate& update);
    void set_time_left(const QString& words); ///< of that run; empty if it is not known
    void finish(bool whole = false);          ///< StepPictures::finish()
    const app::StepPictures& live() const { return live_pictures_; }

    void show_live(bool live = true); ///< brings the run at work to the front, or A if false
    bool shows_live() const;
    void show_run(const QString& run); ///< shows a run as A, in front, with its newest step
    void follow();                     ///< the strip in front shows the newest step again, and so does B's beside it
    bool follows() const;              ///< whether no step has been picked in the strip in front, or in B's beside it
    const app::StepPictures& pictures() const { return shows_live() ? live_pictures_ : pictures_; } ///< in front

    /// Sets the run of a side; empty for none. The strip of a run that has just ended stays in front as long as that
    /// run is A.
    void set_run(app::Side side, const QString& run);
    void set_compares(bool compares);
    void forget(const QStringList& runs); ///< to be called when runs are deleted
    void look_again(const QString& run);  ///< reads a run again, as it may have more steps
    void branch(); ///< emits branch_requested() for the step in front, or says why that is not possible

signals:
    /// StepStrip::picture_changed() of the strip in front. While runs are compared and a step is picked, `picture_b`
    /// and `label_b` are those of B's strip; otherwise they are null.
    void picture_changed(const QImage& picture, const QString& label, const QImage& picture_b, const QString& label_b);
    void resume_requested(const QString& run);
    void branch_requested(const QString& run, int step);
    void keep_requested(const QString& run, int step); ///< the draft of this step is to be written as a video
    void said(const QString& text);

private:
    /// What a strip has told of last.
    struct Shown {
        QString run;
        int step = -1, frame = 0;
        bool follows = true;
        app::StepPictures::View view = app::StepPictures::View::estimate;
        QImage picture;
        QString label;
    };
    void lay_out();
    QLabel* make_letter(const QString& side);
    void connect_strips();
    void show_both();
    bool shows_pair() const; ///< whether the strip in front is A's and B's is beside it
    void strip_changed(StepStrip& strip, const QImage& picture, const QString& label);
    bool has_pair();                           ///< whether a step is picked of which both strips have a picture
    void lead(StepStrip& from, StepStrip& to); ///< makes `to` show the step, frame and view of `from`
    void tell_pictures();
    StepStrip& front() const { return shows_live() ? *live_strip_ : *strip_; }

    app::StepPictures live_pictures_, pictures_, pictures_b_;
    app::RunDivergence divergence_;
    StepStrip *live_strip_, *strip_, *strip_b_;
    QStackedWidget* strips_; ///< of the run at work and of A
    QLabel *letter_a_, *letter_b_;
    DivergenceView* divergence_view_;
    QString run_a_, run_b_;
    bool compares_ = false;
    std::map<const StepStrip*, Shown> shown_;
    bool leading_ = false;   ///< one strip is being made to show what the other shows
    bool told_pair_ = false; ///< whether picture_changed() told of two pictures last
};

} // namespace denoir::ui
