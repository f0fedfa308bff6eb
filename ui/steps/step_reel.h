// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSlider>

#include "app/runs/step_pictures.h"

namespace denoir::ui {

/// One picture per step, side by side, with empty places for steps to come and the noise level as a curve below. If
/// there are too many steps, a cell stands for several and shows the picked one or the newest. Pressing or dragging
/// picks a step. Keys, role and value are those of a slider.
class StepReel : public QSlider {
    Q_OBJECT
public:
    explicit StepReel(app::StepPictures& pictures, QWidget* parent = nullptr);
    void show_frame(int frame, app::StepPictures::View view);
    void refresh();
    QSize sizeHint() const override { return {400, 112}; }
    QSize minimumSizeHint() const override { return {160, 72}; }

signals:
    void step_picked(int step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// The places of the steps, in `cells` of equal width.
    struct Row {
        int steps, cells; ///< steps: including the start
        double each, height;
        int cell_of(int step) const;
        int first_step(int cell) const; ///< the first of the steps that it stands for
        QRectF rect(int cell) const;
        double centre(int step) const;
    };
    Row row() const;
    int step_at(double x) const;
    int step_in(const Row& row, int cell) const; ///< the step that the cell shows
    void pick(double x);
    void paint_cell(QPainter& painter, const Row& row, int cell) const;
    void paint_noise(QPainter& painter, const Row& row) const;

    app::StepPictures& pictures_;
    app::StepPictures::View view_ = app::StepPictures::View::estimate;
    int frame_ = 0, hover_ = -1;
};

} // namespace denoir::ui
