// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLineEdit>

namespace denoir::ui {

/// A line edit that, while it has no focus, shows a text that does not fit with an ellipsis, and in full in the tool
/// tip.
class ElidedEdit : public QLineEdit {
    Q_OBJECT
public:
    using QLineEdit::QLineEdit;
    QString shown_text() const; ///< the text as it is shown without the focus

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QRect room() const; ///< the area for the text
};

} // namespace denoir::ui
