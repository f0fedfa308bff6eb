// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QComboBox>

namespace denoir::ui {

/// A combo box of names. Shows an ellipsis where the chosen name does not fit, and all of it in the tool tip then. The
/// last entry may be a command.
class ElidedCombo : public QComboBox {
    Q_OBJECT
public:
    /// `elided`: where a name is cut.
    explicit ElidedCombo(Qt::TextElideMode elided, QWidget* parent = nullptr);
    /// Adds the command as last entry; clear() removes it as well. It can only be chosen from the open list, and does
    /// not become the value: wheel, arrows and letters pass it by.
    void set_command(const QString& text);
    bool is_command(int row) const;
    /// Keeps this number of letters at the end of a row's name from being cut.
    void keep_end(int row, int letters);
    QString shown_text(int room) const; ///< of the name that is chosen, in so many pixels
    void showPopup() override;
    void hidePopup() override;

signals:
    void command_chosen();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void enable_command(bool enabled);
    int room() const; ///< pixels of the name
    Qt::TextElideMode elided_;
    int shown_ = -1; ///< row, as the list was opened
};

} // namespace denoir::ui
