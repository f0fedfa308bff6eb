// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>

#include "app/clips/player.h"
#include "ui/studio.h"

class QToolButton;

namespace denoir::ui {

/// Says what is A and what is B, and lets one choose: the newest runs, or a file. What is dropped on a half is its
/// side.
class CompareBar : public QFrame {
    Q_OBJECT
public:
    explicit CompareBar(Studio& studio, QWidget* parent = nullptr);
    void set_name(app::Side side, const QString& name);
    /// What tells it from the other, behind the name: "steps 12". Empty: nothing.
    void set_detail(app::Side side, const QString& detail);

signals:
    void chosen(denoir::app::Side side, const QString& path);
    void swap_asked();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void fill(app::Side side);
    void fit_names();
    void show_taker(bool a, bool b);
    Studio& studio_;
    QToolButton *a_, *b_;
    QString name_a_, name_b_;
};

} // namespace denoir::ui
