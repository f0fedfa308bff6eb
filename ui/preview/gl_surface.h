// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

class QPainter;
class QWidget;

namespace denoir::ui {

/// True where pictures are better scaled by the graphics card: the platform gives windows with OpenGL, and it is not
/// a processor that plays the card. Never on the offscreen platform, where QOpenGLWidget crashes. `DENOIR_VIEWER`:
/// `opengl` takes any OpenGL, `painter` none. Looked up once; GUI thread, after the QApplication.
bool gl_is_usable();

/// A child of `parent` that calls `paint` with a painter on OpenGL; lets the mouse through to its parent.
QWidget* make_gl_surface(QWidget* parent, std::function<void(QPainter&)> paint);

/// False: the surface was shown, and its context could not be made.
bool gl_surface_works(const QWidget* surface);

} // namespace denoir::ui
