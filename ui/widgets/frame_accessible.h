// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAccessibleWidget>
#include <QVariant>

#include <functional>
#include <utility>

namespace denoir::ui {

/// A slider along frames for assistive technology, which counts them from 1, as they are shown.
class FrameInterface : public QAccessibleWidget, public QAccessibleValueInterface {
public:
    /// The frames, counted from 0.
    struct Frames {
        std::function<int()> now, last;
        std::function<void(int)> go_to;
    };
    FrameInterface(QWidget* widget, Frames frames)
        : QAccessibleWidget(widget, QAccessible::Slider), frames_(std::move(frames)) {}
    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ValueInterface ? static_cast<QAccessibleValueInterface*>(this)
                                                   : QAccessibleWidget::interface_cast(type);
    }
    QVariant currentValue() const override { return frames_.now() + 1; }
    void setCurrentValue(const QVariant& value) override { frames_.go_to(value.toInt() - 1); }
    QVariant maximumValue() const override { return frames_.last() + 1; }
    QVariant minimumValue() const override { return 1; }
    QVariant minimumStepSize() const override { return 1; }

private:
    Frames frames_;
};

} // namespace denoir::ui
