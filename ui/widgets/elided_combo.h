// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QComboBox>

namespace denoir::ui {

/// A choice among names: says by dots that there is more than it has room for, all of which is in the tool tip then,
/// and may end with something to do.
class ElidedCombo : public QComboBox {
    Q_OBJECT
public:
    /// `elided`: where a name is cut.
    explicit ElidedCombo(Qt::TextElideMode elided, QWidget* parent = nullptr);
    /// The last entry, after all others; clear() takes it away as well. It is chosen from the open list alone, which
    /// then shows what it showed before: wheel, arrows and letters pass it by.
    void set_command(const QString& text);
    bool is_command(int row) const;
    /// So many letters at the end of a name are not cut.
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
