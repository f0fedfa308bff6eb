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

/// A table of all shortcuts, to search, change and reset them. If another action has the keys, it says so at once, and
/// takes them over only by a button that says so. For an action with several keys, the first is changed. By keyboard:
/// words, Down, Return, the new keys, Tab, Space. Not modal.
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
    void changed(bool stored); ///< to be called when the keys of the chosen action have changed

    ActionTable& actions_;
    QLineEdit* search_;
    QTreeWidget* tree_;
    QKeySequenceEdit* keys_;
    QLabel* note_;
    QPushButton *assign_, *clear_, *reset_;
};

} // namespace denoir::ui
