// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractScrollArea>
#include <QTimer>
#include <optional>

#include "ui/studio.h"
#include "ui/tune/grid_shape.h"
#include "ui/tune/sweep_clips.h"

namespace denoir::app {
class SweepDocument;
}

namespace denoir::ui {

/// The cells of a sweep as a table of clips that play together, each with its figures, or its state while there is no
/// clip. If there are more than can play at once, the others are stills. Arrows move, with Shift they select; Enter
/// shows the run or renders what is missing; page keys turn the pages of further axes; plus and minus zoom. Other keys
/// for cells are in the action table.
class SweepGrid : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit SweepGrid(Studio& studio, QWidget* parent = nullptr);

    SweepClips& clips() { return clips_; }
    const GridShape& shape() const { return shape_; }
    /// To be called for another sweep, or another order of axes.
    void renew();
    void set_page(int which, int value);
    std::optional<std::size_t> current() const { return current_; }
    /// The current cell and the others that are selected.
    QList<std::size_t> selected() const;
    void set_current(std::size_t cell, bool extend = false);
    QRect cell_rect(std::size_t cell) const; ///< in the viewport; empty if it is on another page
    void renew_star();                       ///< to be called when a star was set or removed
    void zoom(double factor);
    void zoom_to_fit();
    /// Number of visible runs that are shown as stills, as only so many can play at once.
    int stills() const { return stills_; }
    QSize minimumSizeHint() const override { return {240, 140}; }

public slots:
    void activate(std::size_t cell); ///< does what Enter does

signals:
    void current_changed();
    void page_changed();
    void stills_changed();
    void open_run(const QString& run);
    void menu_asked(std::size_t cell, const QPoint& where);
    void star_asked(std::size_t cell);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int x, int y) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void place(); ///< sets sizes and scroll bars
    void want_clips();
    void describe(); ///< sets the description for screen readers
    void press(int key, Qt::KeyboardModifiers modifiers);
    void move(int rows, int columns, bool extend);
    void turn_page(int by);
    void show_page(const GridShape& before);
    std::optional<std::size_t> cell_at(const QPoint& at) const;
    QRect star_rect(const QRect& cell) const;
    bool is_star(std::size_t cell, const QMouseEvent& event) const; ///< whether the star was pressed
    QString run_of(std::size_t cell) const;
    QImage picture_of(const QString& run) const; ///< of its clip, or its still; null if there is none yet
    double aspect() const;
    void paint_headings(QPainter& painter) const;
    void paint_column_headings(QPainter& painter) const;
    void paint_row_headings(QPainter& painter) const;
    void paint_cell(QPainter& painter, std::size_t cell, const QRect& rect) const;
    void paint_state(QPainter& painter, std::size_t cell, const QRect& picture) const;
    void paint_caption(QPainter& painter, std::size_t cell, const QRect& line) const;

    Studio& studio_;
    app::SweepDocument& sweeps_;
    GridShape shape_;
    SweepClips clips_;
    std::optional<std::size_t> current_;
    QList<std::size_t> others_; ///< selected in addition to the current one
    double zoom_ = 1;           ///< with 1, all of the page fits
    double ratio_ = 0;          ///< width / height of a cell's picture
    int stills_ = 0;
    QSize picture_; ///< size of a cell's picture in pixels
    /// Where the cells begin, the width of the rows' headings, the height below the pictures.
    int left_ = 0, top_ = 0, heading_ = 0, caption_ = 0;
    QTimer want_later_;
};

} // namespace denoir::ui
