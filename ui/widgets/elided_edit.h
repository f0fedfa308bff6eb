// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLineEdit>

namespace denoir::ui {

/// A line that says by dots, while nobody writes in it, that it holds more than it has room for; all of it is in the
/// tool tip then.
class ElidedEdit : public QLineEdit {
    Q_OBJECT
public:
    using QLineEdit::QLineEdit;
    QString shown_text() const; ///< while nobody writes in it

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QRect room() const; ///< of the text
};

} // namespace denoir::ui
