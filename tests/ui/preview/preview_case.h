// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QApplication>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>

#include "tests/app/clips.h"
#include "tests/app/home.h"
#include "ui/preview/preview_view.h"

namespace denoir::ui {

/// What the canvas paints, without a screen's scaling.
inline QImage painted(Canvas& canvas) {
    if (canvas.uses_gl()) // what is grabbed of OpenGL's surface was painted before
        for (QWidget* surface : canvas.findChildren<QWidget*>()) {
            QSignalSpy swapped(surface, SIGNAL(frameSwapped()));
            surface->update();
            if (!swapped.wait(30000)) qWarning("the canvas is not painted");
        }
    return canvas.grab().toImage().convertToFormat(QImage::Format_RGB32);
}

inline QRgb at(const QImage& image, QPointF p) { return image.pixel(p.toPoint()); }

/// A preview with as much room as it has in a small window.
struct View {
    app::FrameCache cache{64 << 20};
    PreviewView view{cache};
    View() {
        view.resize(640, 480);
        view.show();
    }
    void open(app::Side side, const QString& path) {
        QSignalSpy opened(&view, &PreviewView::clip_opened);
        view.show_clip(side, path);
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, 30000);
        settle();
    }
    void settle() {
        QTRY_VERIFY_WITH_TIMEOUT(view.player().clip(app::Side::a) || view.player().clip(app::Side::b), 30000);
        for (const app::Side side : {app::Side::a, app::Side::b})
            if (const app::Clip* clip = view.player().clip(side))
                QTRY_VERIFY_WITH_TIMEOUT(clip->is_settled(view.player().frame_of(side)), 30000);
        QTest::qWait(1);
    }
};

inline void drop(PreviewView& view, const QString& path, const QPoint& where) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(where, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&view, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(where, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&view, &event);
}

/// What tests of the preview begin with: two clips, and their frames.
class PreviewCase : public QObject {
protected:
    void make_clips() {
        // The offscreen platform must get no OpenGL even if it is asked for, since QOpenGLWidget would crash there.
        if (QGuiApplication::platformName() == QStringLiteral("offscreen")) qputenv("DENOIR_VIEWER", "opengl");
        app::write_clip(home_.file("a.mp4"), 160, 96, 24, 0, R"({"schema": 1, "prompt": "a"})");
        app::write_clip(home_.file("b.mp4"), 160, 96, 24, 20);
        frames_a_ = app::frames_in_turn(home_.file("a.mp4"));
        frames_b_ = app::frames_in_turn(home_.file("b.mp4"));
    }

    app::Home home_;
    std::vector<Image> frames_a_, frames_b_;
};

} // namespace denoir::ui
