// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSlider>
#include <utility>
#include <vector>

namespace denoir::ui {

/// The frames of a clip as a line: where the playhead is, which are decoded, which is marked (the worst). A press or
/// drag anywhere seeks at once. Keys, role and value are a slider's.
class Scrubber : public QSlider {
    Q_OBJECT
public:
    explicit Scrubber(QWidget* parent = nullptr);
    void set_frames(int frames);
    void set_cached(std::vector<std::pair<int, int>> ranges);
    void set_mark(int frame); ///< -1: none
    /// Where the playhead is. While a clip plays it is only drawn: sixteen values a second, each read aloud, would
    /// drown whatever a screen reader has to say.
    void show_frame(int frame, bool playing);
    /// As by the mouse: from 0, out of range goes to the nearest.
    void seek_to(int frame);
    QSize sizeHint() const override { return {200, 24}; }
    QSize minimumSizeHint() const override { return {64, 24}; }

signals:
    void seek_requested(int frame);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF track() const;
    double position_of(double frame) const;
    int frame_at(double x) const;
    void seek(double x);
    std::vector<std::pair<int, int>> cached_;
    int mark_ = -1, hover_ = -1;
};

} // namespace denoir::ui
