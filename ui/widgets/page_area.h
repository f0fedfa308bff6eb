// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QEvent>
#include <QScrollArea>

namespace denoir::ui {

/// A scroll area for a page that is as wide as the area. Qt's class resizes the page from within its resize event. If
/// the page wants another height each time, as it may if its words wrap at just the width at which the scroll bar
/// appears and disappears, this never ends and the program runs out of stack. Here it ends after a few sizes.
class PageArea : public QScrollArea {
public:
    explicit PageArea(QWidget* parent = nullptr) : QScrollArea(parent) {
        setWidgetResizable(true);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setFrameShape(QFrame::NoFrame);
    }

    bool eventFilter(QObject* watched, QEvent* event) override {
        constexpr int most = 8; // a scroll bar that appears or disappears takes fewer
        if (watched != widget() || event->type() != QEvent::Resize) return QScrollArea::eventFilter(watched, event);
        if (inside_ == most) return false;
        ++inside_;
        const bool eaten = QScrollArea::eventFilter(watched, event);
        --inside_;
        return eaten;
    }

private:
    int inside_ = 0; ///< number of resize events being handled, each within the one before
};

} // namespace denoir::ui
