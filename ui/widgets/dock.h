// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDockWidget>

class QLabel;
class QToolButton;

namespace denoir::ui {

/// A dock with a quiet title: its name, float and close where the pointer is. Among tabs the tab says the name, and the
/// title is only a strip to drag it by. Floating it has an edge and keeps its buttons in sight.
class Dock : public QDockWidget {
    Q_OBJECT
public:
    /// `id`: stable, for the stored layouts.
    Dock(const QString& id, const QString& title, QWidget* content, QWidget* parent);
    ~Dock() override;

signals:
    void closed_with_focus(); ///< which Qt would give to whatever comes next

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
