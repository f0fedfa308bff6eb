// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>

#include "ui/theme/colours.h"

namespace denoir::ui {

namespace {

QByteArray drawing(const QString& name) {
    QFile file(QStringLiteral(":/denoir/icons/%1.svg").arg(name));
    const bool there = file.open(QIODevice::ReadOnly);
    Q_ASSERT_X(there, "icon", qPrintable(name));
    return there ? file.readAll() : QByteArray();
}

/// Colours the icon when it is painted, so that a change of theme needs no new icons.
class DrawingEngine : public QIconEngine {
public:
    DrawingEngine(QString off, QString on) : off_(std::move(off)), on_(std::move(on)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const QString& name = state == QIcon::On && !on_.isEmpty() ? on_ : off_;
        const QPalette palette = QGuiApplication::palette();
        const Colours& c = colours(palette);
        const QColor ink = mode == QIcon::Disabled ? c.disabled : c.text;
        QByteArray svg = drawing(name);
        svg.replace("#000", ink.name().toLatin1());
        QSvgRenderer renderer(svg);
        const int side = std::min(rect.width(), rect.height());
        const QRect square(rect.left() + (rect.width() - side) / 2, rect.top() + (rect.height() - side) / 2, side,
                           side);
        renderer.render(painter, square);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        return scaledPixmap(size, mode, state, 1);
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal) override {
        const QString key = QStringLiteral("denoir/%1/%2/%3x%4/%5/%6/%7")
                                .arg(off_, on_)
                                .arg(size.width())
                                .arg(size.height())
                                .arg(mode)
                                .arg(state)
                                .arg(QGuiApplication::palette().color(QPalette::Text).rgb());
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap)) return pixmap;
        QImage image(size, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        painter.end();
        pixmap = QPixmap::fromImage(image);
        QPixmapCache::insert(key, pixmap);
        return pixmap;
    }

    QIconEngine* clone() const override { return new DrawingEngine(off_, on_); }
    QString key() const override { return QStringLiteral("denoir"); }

private:
    QString off_, on_;
};

} // namespace

QIcon icon(const QString& name, const QString& checked) { return QIcon(new DrawingEngine(name, checked)); }

} // namespace denoir::ui
