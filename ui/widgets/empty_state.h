// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

class QLabel;

namespace denoir::ui {

/// The content of an empty dock: says what it is for and what to press.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    EmptyState(const QString& icon_name, const QString& text, QWidget* parent = nullptr);
    void set_text(const QString& text);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void draw();
    void fit();
    QString icon_name_;
    QLabel *picture_, *text_;
};

} // namespace denoir::ui
