// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "app/clips/player.h"
#include "app/compare/comparison.h"
#include "ui/preview/canvas.h"

class QButtonGroup;
class QComboBox;
class QLabel;
class QSlider;
class QSpinBox;
class QToolButton;

namespace denoir::ui {

class Scrubber;

/// The controls under the picture: ways to compare (if there are two), the scrubber, play, time, zoom. Borrows all that
/// it shows.
class TransportBar : public QWidget {
    Q_OBJECT
public:
    TransportBar(app::Player& player, Canvas& canvas, app::Comparison& comparison, QWidget* parent = nullptr);

    /// To be called when decoded frames and the like have changed.
    void refresh();
    /// Another picture lies over the clip: nothing is said of it. Playing it is possible where that may be taken away.
    void set_covered(bool covered, bool may_go = false);
    bool uncovers() const { return covered_ && may_go_ && player_.frames() > 1; }
    QSize minimumSizeHint() const override;

signals:
    void mode_picked(denoir::ui::CompareMode mode);
    void gain_picked(int gain);
    void swap_requested();
    void uncover_requested(); ///< then it plays
    void worst_requested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// `action` is its name in the window's table.
    QToolButton* button(const QString& icon, const QString& name, const char* action);
    QWidget* make_compare_row();
    QWidget* make_gain(QWidget& row);
    QWidget* make_onion(QWidget& row);
    QWidget* make_offset(QWidget& row);
    QWidget* make_play_row();
    static void set_usable(QToolButton& button, bool usable);
    void refresh_time();
    void refresh_zoom();
    void refresh_metrics();
    void fit_width();
    void fit_unit(int room);

    int frames() const; ///< that can be seen

    app::Player& player_;
    Canvas& canvas_;
    app::Comparison& comparison_;
    Scrubber* scrubber_;
    QWidget *compare_row_, *play_row_;
    QToolButton *swap_, *play_, *loop_, *worst_, *values_, *fit_, *true_size_, *previous_, *next_;
    QButtonGroup* modes_;
    QComboBox* gain_;
    QSlider* onion_;
    QSpinBox* offset_;
    QLabel *time_, *frame_, *speed_, *zoom_, *metrics_, *rate_;
    bool covered_ = false, may_go_ = false;
};

} // namespace denoir::ui
