// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>

class QLabel;
class QKeySequenceEdit;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace denoir::ui {

class ActionTable;

/// The table of all shortcuts: search, change, reset. A key that another action has is said at once, and taken over
/// only by pressing the button that says so. Of an action with several keys the first is changed, the others stay. By
/// keyboard: words, Down, Return, the new keys, Tab, Space. Not modal.
class ShortcutEditor : public QDialog {
    Q_OBJECT
public:
    ShortcutEditor(ActionTable& actions, QWidget* parent);
    ~ShortcutEditor() override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void fill();
    void refresh(const QString& id);
    void filter(const QString& text);
    void select();
    void check();
    void assign();
    void changed(bool stored); ///< the keys of what is chosen

    ActionTable& actions_;
    QLineEdit* search_;
    QTreeWidget* tree_;
    QKeySequenceEdit* keys_;
    QLabel* note_;
    QPushButton *assign_, *clear_, *reset_;
};

} // namespace denoir::ui
