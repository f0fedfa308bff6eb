// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSlider>

#include "app/step_pictures.h"

namespace denoir::ui {

/// One picture a step, side by side, with the noise level as a curve below; empty places for steps to come. A press or
/// drag picks a step. Keys, role and value are a slider's.
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
    QRectF cell(int step) const;
    int step_at(double x) const;
    void pick(double x);
    void paint_cell(QPainter& painter, int step) const;
    void paint_noise(QPainter& painter) const;

    app::StepPictures& pictures_;
    app::StepPictures::View view_ = app::StepPictures::View::estimate;
    int frame_ = 0, hover_ = -1;
};

} // namespace denoir::ui
