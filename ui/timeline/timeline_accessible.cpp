// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_accessible.h"

#include <QAccessibleWidget>

#include "ui/timeline/timeline_view.h"

namespace denoir::ui {
namespace {

/// The playhead's frame, counted from 1 as wherever somebody reads or hears it. One more than there are: the end.
class TimelineInterface : public QAccessibleWidget, public QAccessibleValueInterface {
public:
    explicit TimelineInterface(TimelineView* view) : QAccessibleWidget(view, QAccessible::Slider), view_(view) {}
    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ValueInterface ? static_cast<QAccessibleValueInterface*>(this)
                                                   : QAccessibleWidget::interface_cast(type);
    }
    QVariant currentValue() const override { return view_->playhead() + 1; }
    void setCurrentValue(const QVariant& value) override { view_->set_playhead(value.toInt() - 1); }
    QVariant maximumValue() const override { return view_->project().frames() + 1; }
    QVariant minimumValue() const override { return 1; }
    QVariant minimumStepSize() const override { return 1; }

private:
    TimelineView* view_;
};

QAccessibleInterface* make_interface(const QString&, QObject* object) {
    auto* view = qobject_cast<TimelineView*>(object);
    return view ? new TimelineInterface(view) : nullptr;
}

} // namespace

void install_timeline_accessibility() {
    static const bool installed = (QAccessible::installFactory(make_interface), true);
    (void)installed;
}

} // namespace denoir::ui
