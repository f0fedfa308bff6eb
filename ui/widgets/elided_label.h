// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>

namespace denoir::ui {

/// One line that never asks for room: where it does not fit an ellipsis stands for a part, and all of it in the tool
/// tip.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr, Qt::TextElideMode mode = Qt::ElideRight);
    void set_text(const QString& text);
    void set_tip(const QString& tip);               ///< below the whole text in the tool tip, or alone
    const QString& whole() const { return whole_; } ///< what set_text() was given

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();
    const Qt::TextElideMode mode_;
    QString whole_, tip_;
};

/// Text that a wrapping label may break anywhere: long words would make the whole window as wide as they are.
QString breakable(const QString& text);

} // namespace denoir::ui
