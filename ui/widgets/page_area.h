// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QEvent>
#include <QScrollArea>

namespace denoir::ui {

/// A scroll area for a page that is as wide as the area. Qt's gives the page another size from inside the event of a
/// new one, without end where the page wants another height each time that it is asked, as one may whose words wrap at
/// some width just where the scroll bar comes and goes: the program then ran out of stack. Here that ends after some
/// sizes.
class PageArea : public QScrollArea {
public:
    explicit PageArea(QWidget* parent = nullptr) : QScrollArea(parent) {
        setWidgetResizable(true);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setFrameShape(QFrame::NoFrame);
    }

    bool eventFilter(QObject* watched, QEvent* event) override {
        constexpr int most = 8; // a scroll bar that comes or goes takes fewer
        if (watched != widget() || event->type() != QEvent::Resize) return QScrollArea::eventFilter(watched, event);
        if (inside_ == most) return false;
        ++inside_;
        const bool eaten = QScrollArea::eventFilter(watched, event);
        --inside_;
        return eaten;
    }

private:
    int inside_ = 0; ///< events of the page's size that are being answered, each inside the one before
};

} // namespace denoir::ui
