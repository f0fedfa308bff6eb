// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

class QAction;
class QLabel;
class QPushButton;

namespace denoir::ui {

/// What an empty dock says: what it is for and what to press.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    /// `action`: the thing to press, may be null.
    EmptyState(const QString& icon_name, const QString& text, QAction* action = nullptr, QWidget* parent = nullptr);
    void set_text(const QString& text);

protected:
    void changeEvent(QEvent* event) override;

private:
    void draw();
    QString icon_name_;
    QLabel *picture_, *text_;
};

} // namespace denoir::ui
