// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>

namespace denoir::ui {

/// A label of one line that needs no minimum width: a text that does not fit is shown with an ellipsis, and in full in
/// the tool tip.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr, Qt::TextElideMode mode = Qt::ElideRight);
    void set_text(const QString& text);
    void set_tip(const QString& tip);               ///< shown in the tool tip, below the whole text if that is there
    const QString& whole() const { return whole_; } ///< the text of set_text()

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();
    const Qt::TextElideMode mode_;
    QString whole_, tip_;
};

/// `text` with zero-width spaces in long words, where a wrapping label may break them: long words would make the whole
/// window as wide.
QString breakable(const QString& text);

} // namespace denoir::ui
