// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLayout>
#include <QMainWindow>

namespace denoir::ui {

/// As long as this lives, the window does not lay out its docks, not even for another size of its own. Qt (6.4) does so
/// half way through some changes of them, of which it then uses what is not there any more.
class HeldLayout {
public:
    explicit HeldLayout(const QMainWindow& window) : layout_(*window.layout()), was_enabled_(layout_.isEnabled()) {
        layout_.setEnabled(false);
    }
    ~HeldLayout() {
        layout_.setEnabled(was_enabled_);
        layout_.invalidate();
    }
    HeldLayout(const HeldLayout&) = delete;
    HeldLayout& operator=(const HeldLayout&) = delete;

private:
    QLayout& layout_;
    const bool was_enabled_;
};

} // namespace denoir::ui
