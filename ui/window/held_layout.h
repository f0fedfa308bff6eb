// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLayout>
#include <QMainWindow>

namespace denoir::ui {

/// As long as this exists, the window does not lay out its docks, not even if its own size changes. During some changes
/// of docks Qt (6.4) lays them out too early and then uses objects that no longer exist.
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
