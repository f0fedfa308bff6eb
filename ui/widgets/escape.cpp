// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/escape.h"

#include <QKeyEvent>
#include <QLineEdit>

#include <memory>
#include <utility>

namespace denoir::ui {
namespace {

class EscapeFilter : public QObject {
public:
    EscapeFilter(QWidget& field, std::function<bool()> holds, std::function<void()> take_back)
        : QObject(&field), holds_(std::move(holds)), take_back_(std::move(take_back)) {
        field.installEventFilter(this);
    }

    bool eventFilter(QObject*, QEvent* event) override {
        const bool key = event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
        if (!key || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape || !holds_()) return false;
        event->accept();
        if (event->type() == QEvent::KeyPress) take_back_();
        return true;
    }

private:
    const std::function<bool()> holds_;
    const std::function<void()> take_back_;
};

} // namespace

void escape_first(QWidget& field, std::function<bool()> holds, std::function<void()> take_back) {
    new EscapeFilter(field, std::move(holds), std::move(take_back));
}

void escape_puts_back(QLineEdit& edit) {
    const auto kept = std::make_shared<QString>(edit.text());
    const auto keep = [&edit, kept] { *kept = edit.text(); };
    QObject::connect(&edit, &QLineEdit::editingFinished, &edit, keep);
    QObject::connect(&edit, &QLineEdit::textChanged, &edit, [&edit, keep] {
        if (!edit.isModified()) keep(); // it was not typed
    });
    QWidget* box = edit.focusProxy(); // a combo box or spin box gets the keys for its line edit
    escape_first(
        box ? *box : edit, [&edit, kept] { return edit.text() != *kept; },
        [&edit, kept] {
            edit.setText(*kept);
            emit edit.textEdited(*kept); // counts as typed, for those who react to every letter
        });
}

void escape_clears(QLineEdit& search) {
    escape_first(
        search, [&search] { return !search.text().isEmpty(); }, [&search] { search.clear(); });
}

} // namespace denoir::ui
