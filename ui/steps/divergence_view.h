// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "app/compare/run_divergence.h"

namespace denoir::ui {

/// Shows how far two runs are apart after each step, on a logarithmic scale: their latents as a line, their estimates
/// of the clean latent as dots. Hovering and Left, Right, Home, End show values, a click picks the step. Borrows the
/// data.
class DivergenceView : public QWidget {
    Q_OBJECT
public:
    explicit DivergenceView(app::RunDivergence& divergence, QWidget* parent = nullptr);
    int step() const { return step_; } ///< of A
    QSize sizeHint() const override { return {288, 120}; }
    QSize minimumSizeHint() const override { return {116, 72}; }

public slots:
    void set_step(int step);

signals:
    void step_requested(int a, int b); ///< a step of A and the one of B that it is compared with

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRectF area() const;
    double x_of(int step) const;
    double y_of(double error) const;
    const StepDivergence* at(int step) const; ///< the nearest step that is known; null if none is
    QString empty_text() const;
    void paint_axis(QPainter& painter) const;
    void paint_title(QPainter& painter, const StepDivergence* shown) const;
    void paint_key(QPainter& painter) const;
    void paint_steps(QPainter& painter) const;
    QString number_of(const StepDivergence& s) const;
    QString text_of(const StepDivergence& s) const;
    QString summary() const; ///< of all steps, of which there are some
    const StepDivergence* under(double x) const;
    void request(const StepDivergence* s);
    void refresh();

    app::RunDivergence& divergence_;
    int step_ = -1, hover_ = -1;
};

} // namespace denoir::ui
