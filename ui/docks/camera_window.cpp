// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/camera_window.h"

#include <QCamera>
#include <QCameraDevice>
#include <QLabel>
#include <QMediaCaptureSession>
#include <QMediaDevices>
#include <QPushButton>
#include <QVBoxLayout>
#include <QVideoFrame>
#include <QVideoSink>

#include "ui/theme/colours.h"
#include "ui/widgets/make_layout.h"

namespace denoir::ui {

CameraWindow::CameraWindow(QWidget* parent)
    : QDialog(parent), view_(new QLabel(this)), take_(new QPushButton(tr("Take this picture"), this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Camera"));
    view_->setMinimumSize(480, 270);
    view_->setAlignment(Qt::AlignCenter);
    view_->setWordWrap(true);
    view_->setAccessibleName(tr("Camera picture"));
    take_->setEnabled(false);
    auto* column = make_layout<QVBoxLayout>(this, grid::unit, {grid::two, grid::two, grid::two, grid::two});
    column->addWidget(view_, 1);
    column->addWidget(take_);
    connect(take_, &QPushButton::clicked, this, [this] {
        emit taken(frame_);
        close();
    });
    const QCameraDevice device = QMediaDevices::defaultVideoInput();
    if (device.isNull()) {
        view_->setText(tr("No camera was found. Connect one and open this window again."));
        return;
    }
    auto* session = new QMediaCaptureSession(this); // GStreamer complains of a session without a camera
    auto* camera = new QCamera(device, this);
    auto* sink = new QVideoSink(this);
    session->setCamera(camera);
    session->setVideoSink(sink);
    connect(sink, &QVideoSink::videoFrameChanged, this,
            [this](const QVideoFrame& frame) { show_frame(frame.toImage()); });
    connect(camera, &QCamera::errorOccurred, this, [this] {
        view_->setText(tr("The camera does not answer. Another program may be using it."));
        take_->setEnabled(false);
    });
    view_->setText(tr("starting the camera …"));
    camera->start();
}

void CameraWindow::show_frame(const QImage& frame) {
    if (frame.isNull()) return;
    frame_ = frame;
    take_->setEnabled(true);
    view_->setPixmap(QPixmap::fromImage(frame.scaled(view_->size(), Qt::KeepAspectRatio, Qt::SmoothTransformation)));
}

} // namespace denoir::ui
