// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

class QPainter;
class QWidget;

namespace denoir::ui {

/// Whether pictures are better scaled by the graphics card: the platform has OpenGL, and it is not emulated by the
/// processor. Never on the offscreen platform, where QOpenGLWidget crashes. `DENOIR_VIEWER`: `opengl` takes any OpenGL,
/// `painter` none. Looked up once. GUI thread, after the QApplication was made.
bool gl_is_usable();

/// A child of `parent` that calls `paint` with a painter that uses OpenGL. Mouse events go to its parent.
QWidget* make_gl_surface(QWidget* parent, std::function<void(QPainter&)> paint);

/// Returns false if the surface was shown but its context could not be made.
bool gl_surface_works(const QWidget* surface);

} // namespace denoir::ui
