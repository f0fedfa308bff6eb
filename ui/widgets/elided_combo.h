// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QComboBox>

namespace denoir::ui {

/// A combo box of names. If the chosen name does not fit, it is shown with an ellipsis, and in full in the tool tip.
/// The last entry may be a command.
class ElidedCombo : public QComboBox {
    Q_OBJECT
public:
    /// `elided` says where names are cut.
    explicit ElidedCombo(Qt::TextElideMode elided, QWidget* parent = nullptr);
    /// Adds a command as the last entry; clear() removes it as well. It can only be chosen from the open list and does
    /// not become the value: wheel, arrows and letters skip it.
    void set_command(const QString& text);
    bool is_command(int row) const;
    /// Keeps this number of letters at the end of a row's name from being cut.
    void keep_end(int row, int letters);
    QString shown_text(int room) const; ///< the chosen name as it is shown in `room` pixels
    void showPopup() override;
    void hidePopup() override;

signals:
    void command_chosen();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void enable_command(bool enabled);
    int room() const; ///< width for the name in pixels
    Qt::TextElideMode elided_;
    int shown_ = -1; ///< the row when the list was opened
};

} // namespace denoir::ui
