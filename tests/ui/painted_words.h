// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QPaintDevice>
#include <QPaintEngine>
#include <QString>
#include <QWidget>

namespace denoir::ui {

/// Draws nothing, and keeps the words that it is to draw, separated by spaces.
class WordsEngine : public QPaintEngine {
public:
    WordsEngine() : QPaintEngine(AllFeatures) {}
    QString words;
    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    void updateState(const QPaintEngineState&) override {}
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    void drawPath(const QPainterPath&) override {}
    void drawTextItem(const QPointF&, const QTextItem& item) override { words += item.text() + QLatin1Char(' '); }
    Type type() const override { return User; }
};

class WordsDevice : public QPaintDevice {
public:
    explicit WordsDevice(const QWidget& like) : like_(like) {}
    QPaintEngine* paintEngine() const override { return &engine_; }
    QString words() const { return engine_.words.simplified(); }

protected:
    int metric(PaintDeviceMetric metric) const override {
        return metric == PdmWidth       ? like_.width()
               : metric == PdmHeight    ? like_.height()
               : metric == PdmDpiX      ? like_.logicalDpiX()
               : metric == PdmDpiY      ? like_.logicalDpiY()
               : metric == PdmNumColors ? 1 << 24
               : metric == PdmDepth     ? 32
                                        : QPaintDevice::metric(metric);
    }

private:
    const QWidget& like_;
    mutable WordsEngine engine_;
};

/// The words that a widget paints, separated by spaces.
inline QString painted_words(QWidget& widget) {
    WordsDevice device(widget);
    widget.render(&device);
    return device.words();
}

} // namespace denoir::ui
