// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDockWidget>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace denoir::ui {

/// A dock with a quiet title: name, its own few buttons, float and close where the pointer or the focus is.
class Dock : public QDockWidget {
    Q_OBJECT
public:
    /// `id`: stable, for the stored layouts.
    Dock(const QString& id, const QString& title, QWidget* content, QWidget* parent);
    ~Dock() override;
    /// A button or label at the right end of the title.
    void add_title_widget(QWidget* widget);

private:
    void show_buttons(bool show);
    bool eventFilter(QObject* watched, QEvent* event) override;

    QWidget* bar_;
    QLabel* name_;
    QHBoxLayout* row_;
    QToolButton *float_, *close_;
};

} // namespace denoir::ui
