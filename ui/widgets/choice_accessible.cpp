// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/choice_accessible.h"

#include <QAbstractItemView>
#include <QAccessibleWidget>
#include <QComboBox>

namespace denoir::ui {
namespace {

class ChoiceInterface : public QAccessibleWidget {
public:
    explicit ChoiceInterface(QComboBox* box) : QAccessibleWidget(box, QAccessible::ComboBox), box_(*box) {}

    QString text(QAccessible::Text kind) const override {
        if (kind == QAccessible::Value) return box_.currentText();
        // Like Qt's class, which passes the label as a relation.
        if (kind == QAccessible::Name && !relations(QAccessible::Label).isEmpty()) return box_.currentText();
        const QString said = QAccessibleWidget::text(kind);
        // Readers say the content of an editable box by themselves.
        if (kind != QAccessible::Description || box_.isEditable()) return said;
        return said.isEmpty() ? box_.currentText() : QStringLiteral("%1. %2").arg(box_.currentText(), said);
    }
    QAccessible::State state() const override {
        QAccessible::State s = QAccessibleWidget::state();
        s.expandable = true;
        s.expanded = open();
        s.editable = box_.isEditable();
        return s;
    }
    /// While the list is open, it is one more child.
    int childCount() const override { return QAccessibleWidget::childCount() + (open() ? 1 : 0); }
    QAccessibleInterface* child(int index) const override {
        if (open() && index == QAccessibleWidget::childCount())
            return QAccessible::queryAccessibleInterface(box_.view());
        return QAccessibleWidget::child(index);
    }
    int indexOfChild(const QAccessibleInterface* child) const override {
        return child && open() && child->object() == box_.view() ? QAccessibleWidget::childCount()
                                                                 : QAccessibleWidget::indexOfChild(child);
    }
    QStringList actionNames() const override { return {showMenuAction(), pressAction()}; }
    void doAction(const QString& action) override {
        if (action != showMenuAction() && action != pressAction()) return;
        if (open())
            box_.hidePopup();
        else
            box_.showPopup();
    }

private:
    bool open() const { return box_.view()->isVisible(); }
    QComboBox& box_;
};

QAccessibleInterface* make(const QString&, QObject* object) {
    auto* box = qobject_cast<QComboBox*>(object);
    return box ? new ChoiceInterface(box) : nullptr;
}

} // namespace

void install_choice_accessibility() { QAccessible::installFactory(make); }

} // namespace denoir::ui
