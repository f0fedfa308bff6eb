// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QStringList>
#include <QWidget>
#include <utility>

#include "ui/studio.h"

class QAction;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QMenu;
class QStackedWidget;
class QToolButton;

namespace denoir::app {
class GridPlayer;
class SweepDocument;
} // namespace denoir::app

namespace denoir::ui {

class ElidedLabel;
class Scrubber;
class SweepBar;
class SweepGrid;

/// The middle of the layout Tune: axes, the sweep shown with its pages and reference, the grid, the controls for
/// playing.
class SweepView : public QWidget {
    Q_OBJECT
public:
    SweepView(Studio& studio, QAction& sweep, QWidget* parent = nullptr);

    SweepBar& bar() { return *bar_; }
    SweepGrid& grid() { return *grid_; }
    app::GridPlayer& player();
    /// The menu of exports, which the window fills.
    QMenu& export_menu() { return *export_menu_; }
    /// Whether the layout is shown; if not, nothing plays and nothing is computed for it.
    void set_shown(bool shown);
    void measure_against(std::size_t cell);
    QStringList selected_runs() const; ///< those of the selected cells that have a video

signals:
    void open_run(const QString& run);
    void compare_runs(const QString& a, const QString& b);
    void said(const QString& text);
    void current_run_changed(const QString& run);

public slots:
    void compare_selected();
    void star_current();
    void measure_current();
    void take_current(bool whole);
    void show_menu(std::size_t cell, const QPoint& where);

private:
    void star(std::size_t cell);
    void take(std::size_t cell, bool whole);
    QWidget* make_head();
    QWidget* make_transport();
    void say_no_clip();
    void resizeEvent(QResizeEvent* event) override;
    void fit_head();
    void refresh_head();
    void refresh_pages();
    void refresh_progress();
    void refresh_time();
    void fill_earlier();
    void fill_reference(QMenu* menu);
    QString reference_text() const;

    Studio& studio_;
    app::SweepDocument& sweeps_;
    SweepBar* bar_;
    SweepGrid* grid_;
    QStackedWidget* stack_;
    QWidget* head_; ///< above the grid
    QComboBox* earlier_;
    QHBoxLayout* pages_;
    QList<QComboBox*> page_boxes_;
    QList<std::pair<QString, QStringList>> page_words_; ///< title and values of each of these
    QToolButton *reference_, *missing_, *export_, *play_, *loop_;
    QMenu* export_menu_;
    ElidedLabel* progress_;
    Scrubber* scrubber_;
    QLabel *frame_, *rate_;
    bool was_playing_ = true;
};

} // namespace denoir::ui
