// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>

#include "app/clips/player.h"
#include "ui/preview/clip_name.h"
#include "ui/studio.h"

class QToolButton;

namespace denoir::ui {

/// Shows what A and B are, and lets the user choose them: the newest runs, or a file. A clip dropped on a half replaces
/// that side.
class CompareBar : public QFrame {
    Q_OBJECT
public:
    explicit CompareBar(Studio& studio, QWidget* parent = nullptr);
    void set_name(app::Side side, const QString& name);
    /// Sets how a side differs from the other, shown after its name: "steps 12". May be empty.
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
    ClipName name_a_, name_b_;
};

} // namespace denoir::ui
