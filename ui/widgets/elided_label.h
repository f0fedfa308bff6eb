// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>

namespace denoir::ui {

/// One line that never asks for room: what does not fit ends in an ellipsis and stands in the tool tip.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    void set_text(const QString& text);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();
    QString whole_;
};

/// Text that a wrapping label may break anywhere: long words would make the whole window as wide as they are.
QString breakable(const QString& text);

} // namespace denoir::ui
