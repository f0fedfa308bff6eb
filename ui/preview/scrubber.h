// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSlider>
#include <utility>
#include <vector>

namespace denoir::ui {

/// The frames of a clip as a line, which shows the playhead, the decoded frames and a mark (the worst frame). Pressing
/// or dragging anywhere seeks at once. Keys, role and value are those of a slider.
class Scrubber : public QSlider {
    Q_OBJECT
public:
    explicit Scrubber(QWidget* parent = nullptr);
    void set_frames(int frames);
    void set_cached(std::vector<std::pair<int, int>> ranges);
    void set_mark(int frame); ///< -1 for none
    /// Sets the playhead. While a clip plays, the slider's value stays, as a screen reader would read each of sixteen
    /// values a second and nothing else.
    void show_frame(int frame, bool playing);
    /// Seeks as the mouse does, to a frame from 0; one out of range is limited.
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
