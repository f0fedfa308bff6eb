// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLineEdit>

namespace denoir::ui {

/// A line edit that, while it has no focus, shows an ellipsis where its text does not fit, and all of it in the tool
/// tip then.
class ElidedEdit : public QLineEdit {
    Q_OBJECT
public:
    using QLineEdit::QLineEdit;
    QString shown_text() const; ///< while it has no focus

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QRect room() const; ///< of the text
};

} // namespace denoir::ui
