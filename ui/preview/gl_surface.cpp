// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/preview/gl_surface.h"

#include <QGuiApplication>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QOpenGLWidget>
#include <QPainter>
#include <string_view>
#include <utility>

#include "engine/core/environment.h"

namespace denoir::ui {
namespace {

class GlSurface : public QOpenGLWidget {
public:
    GlSurface(QWidget* parent, std::function<void(QPainter&)> paint) : QOpenGLWidget(parent), paint_(std::move(paint)) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setUpdateBehavior(QOpenGLWidget::NoPartialUpdate); // as each paint fills all of it
    }

protected:
    void paintGL() override {
        QPainter painter(this);
        paint_(painter);
    }

private:
    std::function<void(QPainter&)> paint_;
};

/// Whether OpenGL runs on the processor (Mesa's rasterizers), where Qt's own painter is faster.
bool is_software(const QByteArray& renderer) {
    const QByteArray name = renderer.toLower();
    return name.contains("llvmpipe") || name.contains("softpipe") || name.contains("swrast") ||
           name.contains("software") || name.contains("swiftshader");
}

bool look() {
    const QString platform = QGuiApplication::platformName();
    if (platform != QLatin1String("xcb") && !platform.startsWith(QLatin1String("wayland"))) return false;
    const std::string_view asked = environment_word("DENOIR_VIEWER", {"opengl", "painter"});
    if (asked == "painter") return false;
    QOpenGLContext context;
    QOffscreenSurface surface;
    surface.create();
    if (!context.create() || !context.makeCurrent(&surface)) return false;
    const auto* renderer = reinterpret_cast<const char*>(context.functions()->glGetString(GL_RENDERER));
    const bool software = !renderer || is_software(renderer);
    context.doneCurrent();
    return !software || asked == "opengl";
}

} // namespace

bool gl_is_usable() {
    static const bool usable = look();
    return usable;
}

QWidget* make_gl_surface(QWidget* parent, std::function<void(QPainter&)> paint) {
    return new GlSurface(parent, std::move(paint));
}

bool gl_surface_works(const QWidget* surface) { return static_cast<const GlSurface*>(surface)->isValid(); }

} // namespace denoir::ui
