// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>
#include <QImage>

class QLabel;
class QPushButton;

namespace denoir::ui {

/// Takes one picture with the first camera (Qt Multimedia). Not modal. Says what is wrong if there is no camera.
class CameraWindow : public QDialog {
    Q_OBJECT
public:
    explicit CameraWindow(QWidget* parent = nullptr);

signals:
    void taken(const QImage& picture);

private:
    void show_frame(const QImage& frame);
    QLabel* view_;
    QPushButton* take_;
    QImage frame_;
};

} // namespace denoir::ui
