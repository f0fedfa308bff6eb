// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/preview/accessible.h"

#include <QAccessibleWidget>

#include "ui/preview/canvas.h"
#include "ui/preview/metrics_view.h"
#include "ui/preview/preview_view.h"
#include "ui/preview/scrubber.h"

namespace denoir::ui {
namespace {

/// Frames are counted from 1 wherever somebody reads or hears them.
class ScrubberInterface : public QAccessibleWidget, public QAccessibleValueInterface {
public:
    explicit ScrubberInterface(Scrubber* scrubber)
        : QAccessibleWidget(scrubber, QAccessible::Slider), scrubber_(scrubber) {}
    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ValueInterface ? static_cast<QAccessibleValueInterface*>(this)
                                                   : QAccessibleWidget::interface_cast(type);
    }
    QVariant currentValue() const override { return scrubber_->sliderPosition() + 1; }
    void setCurrentValue(const QVariant& value) override { scrubber_->seek_to(value.toInt() - 1); }
    QVariant maximumValue() const override { return scrubber_->maximum() + 1; }
    QVariant minimumValue() const override { return 1; }
    QVariant minimumStepSize() const override { return 1; }

private:
    Scrubber* scrubber_;
};

QAccessibleInterface* make(const QString&, QObject* object) {
    if (auto* scrubber = qobject_cast<Scrubber*>(object)) return new ScrubberInterface(scrubber);
    if (auto* canvas = qobject_cast<Canvas*>(object)) return new QAccessibleWidget(canvas, QAccessible::Graphic);
    if (auto* metrics = qobject_cast<MetricsView*>(object)) return new QAccessibleWidget(metrics, QAccessible::Chart);
    if (auto* preview = qobject_cast<PreviewView*>(object))
        return new QAccessibleWidget(preview, QAccessible::Animation);
    return nullptr;
}

} // namespace

void install_preview_roles() {
    static const bool once = [] {
        QAccessible::installFactory(make);
        return true;
    }();
    (void)once;
}

} // namespace denoir::ui
