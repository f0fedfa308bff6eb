// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDockWidget>

class QLabel;
class QToolButton;

namespace denoir::ui {

/// A dock with a quiet title: its name, and buttons to float and close it that appear under the pointer. Among tabs,
/// the tab has the name, and the title is only a strip to drag it by. While floating, it has an edge and always shows
/// its buttons.
class Dock : public QDockWidget {
    Q_OBJECT
public:
    /// `id` must never change, as stored layouts use it.
    Dock(const QString& id, const QString& title, QWidget* content, QWidget* parent);
    ~Dock() override;

signals:
    void closed_with_focus(); ///< it had the focus, which Qt would give to some other widget

private:
    void show_floating(bool floating);
    void show_buttons(bool show);
    void follow_tabs();
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

    QWidget* bar_;
    QLabel* name_;
    QToolButton *float_, *close_;
};

} // namespace denoir::ui
