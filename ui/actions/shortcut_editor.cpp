// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions/shortcut_editor.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/actions/action_table.h"
#include "ui/actions/command_palette.h"
#include "ui/theme/colours.h"
#include "ui/widgets/literal.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/note.h"

namespace denoir::ui {

namespace {

QString plain(const QAction& action) { return plain_text(action.text()); }

QString keys_of(const QAction& action) {
    QStringList keys;
    for (const QKeySequence& key : action.shortcuts()) keys.append(key.toString(QKeySequence::NativeText));
    return keys.join(QStringLiteral(", "));
}

} // namespace

ShortcutEditor::ShortcutEditor(ActionTable& actions, QWidget* parent)
    : QDialog(parent),
      actions_(actions),
      search_(new QLineEdit(this)),
      tree_(new QTreeWidget(this)),
      keys_(new QKeySequenceEdit(this)),
      note_(make_note(this, "quiet")),
      assign_(new QPushButton(tr("Set"), this)),
      clear_(new QPushButton(tr("No key"), this)),
      reset_(new QPushButton(tr("Default"), this)) {
    setObjectName(QStringLiteral("shortcut-editor"));
    setWindowTitle(tr("Keyboard shortcuts"));
    resize(600, 520);
    search_->setPlaceholderText(tr("Search actions and keys"));
    search_->setAccessibleName(search_->placeholderText());
    search_->setClearButtonEnabled(true);
    tree_->setColumnCount(2);
    tree_->setHeaderLabels({tr("Action"), tr("Keys")});
    tree_->setAccessibleName(tr("Shortcuts"));
    tree_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents); // names must not be cut; keys are short
    tree_->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    keys_->setAccessibleName(tr("New keys"));
    note_->setMinimumHeight(2 * note_->fontMetrics().height());

    auto* row = new QHBoxLayout;
    row->setSpacing(grid::unit);
    row->addWidget(keys_, 1);
    row->addWidget(assign_);
    row->addWidget(clear_);
    row->addWidget(reset_);
    auto* all = new QPushButton(tr("All to default"), this);
    auto* close = new QPushButton(tr("Close"), this);
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(all);
    bottom->addStretch(1);
    bottom->addWidget(close);
    auto* column = make_layout<QVBoxLayout>(this, grid::unit, {grid::two, grid::two, grid::two, grid::two});
    column->addWidget(search_);
    column->addWidget(tree_, 1);
    column->addLayout(row);
    column->addWidget(note_);
    column->addLayout(bottom);

    for (QPushButton* button : {assign_, clear_, reset_, all, close}) button->setAutoDefault(false);
    connect(search_, &QLineEdit::textChanged, this, &ShortcutEditor::filter);
    search_->installEventFilter(this);
    connect(tree_, &QTreeWidget::itemActivated, this, [this] {
        if (keys_->isEnabled()) keys_->setFocus(Qt::OtherFocusReason);
    });
    connect(tree_, &QTreeWidget::currentItemChanged, this, &ShortcutEditor::select);
    connect(keys_, &QKeySequenceEdit::keySequenceChanged, this, &ShortcutEditor::check);
    // keySequenceChanged() comes a second later, as another key might follow. The user must see conflicts before that.
    if (auto* line = keys_->findChild<QLineEdit*>())
        connect(line, &QLineEdit::textChanged, this, &ShortcutEditor::check);
    connect(assign_, &QPushButton::clicked, this, &ShortcutEditor::assign);
    connect(clear_, &QPushButton::clicked, this, [this] {
        if (const auto* item = tree_->currentItem())
            changed(actions_.set_shortcuts(item->data(0, Qt::UserRole).toString(), {}));
    });
    connect(reset_, &QPushButton::clicked, this, [this] {
        if (const auto* item = tree_->currentItem()) changed(actions_.reset(item->data(0, Qt::UserRole).toString()));
    });
    connect(all, &QPushButton::clicked, this, [this] { changed(actions_.reset_all()); });
    connect(close, &QPushButton::clicked, this, &QWidget::close);
    connect(&actions_, &ActionTable::shortcuts_changed, this, &ShortcutEditor::refresh);
    fill();
    select();
}

/// While QDialog's destructor runs, the children still emit signals, but this class's slots are gone.
ShortcutEditor::~ShortcutEditor() {
    keys_->disconnect(this);
    tree_->disconnect(this);
    if (auto* line = keys_->findChild<QLineEdit*>()) line->disconnect(this);
}

/// Gives the focus to the search, as keys pressed where it was left might change something.
void ShortcutEditor::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    if (event->spontaneous()) return;
    search_->setFocus(Qt::OtherFocusReason);
    search_->selectAll();
}

void ShortcutEditor::fill() {
    QHash<QString, QTreeWidgetItem*> groups;
    for (const auto& entry : actions_.entries()) {
        QTreeWidgetItem*& group = groups[entry.group];
        if (!group) {
            group = new QTreeWidgetItem(tree_, {entry.group});
            group->setFlags(Qt::ItemIsEnabled);
            group->setFirstColumnSpanned(true);
            group->setExpanded(true);
        }
        const QAction* action = entry.action;
        auto* item = new QTreeWidgetItem(group, {plain(*action), keys_of(*action)});
        item->setData(0, Qt::UserRole, entry.id);
        item->setIcon(0, action->icon());
        // The text of some actions says what they would do now.
        connect(action, &QAction::changed, tree_, [item, action] { item->setText(0, plain(*action)); });
    }
    tree_->expandAll();
}

void ShortcutEditor::refresh(const QString& id) {
    for (QTreeWidgetItemIterator it(tree_); *it; ++it) {
        if ((*it)->data(0, Qt::UserRole).toString() != id) continue;
        (*it)->setText(1, keys_of(*actions_.at(id)));
        QFont font = (*it)->font(1);
        font.setBold(actions_.is_changed(id));
        (*it)->setFont(1, font);
    }
}

bool ShortcutEditor::eventFilter(QObject* watched, QEvent* event) {
    if (watched != search_ || event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
    switch (static_cast<QKeyEvent*>(event)->key()) { // from the search to its results
    case Qt::Key_Down:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        tree_->setFocus(Qt::OtherFocusReason);
        return true;
    default:
        return QDialog::eventFilter(watched, event);
    }
}

void ShortcutEditor::filter(const QString& text) {
    QTreeWidgetItem* first = nullptr;
    for (int g = 0; g < tree_->topLevelItemCount(); ++g) {
        auto* group = tree_->topLevelItem(g);
        bool any = false;
        for (int i = 0; i < group->childCount(); ++i) {
            auto* item = group->child(i);
            const QString all = item->text(0) + QLatin1Char(' ') + item->text(1) + QLatin1Char(' ') + group->text(0);
            const bool fits = match_score(text, all) >= 0;
            item->setHidden(!fits);
            if (fits && !first) first = item;
            any = any || fits;
        }
        group->setHidden(!any);
    }
    // The chosen row must be visible; after a search, the first one found is chosen.
    const QTreeWidgetItem* now = tree_->currentItem();
    if (now ? now->isHidden() : !text.isEmpty()) tree_->setCurrentItem(first);
    if (!first) note_->setText(tr("No action has this name or these keys."));
}

void ShortcutEditor::select() {
    const auto* item = tree_->currentItem();
    const QString id = item ? item->data(0, Qt::UserRole).toString() : QString();
    const bool chosen = !id.isEmpty();
    for (QWidget* widget : {static_cast<QWidget*>(keys_), static_cast<QWidget*>(clear_), static_cast<QWidget*>(reset_)})
        widget->setEnabled(chosen);
    keys_->setKeySequence(chosen ? actions_.at(id)->shortcut() : QKeySequence());
    check();
}

void ShortcutEditor::check() {
    const auto* item = tree_->currentItem();
    const QString id = item ? item->data(0, Qt::UserRole).toString() : QString();
    const QKeySequence keys = keys_->keySequence();
    // Set after each change, as Qt then restores its own text, which is translated only if Qt's translations are there.
    if (auto* line = keys_->findChild<QLineEdit*>()) line->setPlaceholderText(tr("Press the keys"));
    assign_->setEnabled(!id.isEmpty() && !keys.isEmpty() && actions_.at(id)->shortcut() != keys);
    assign_->setText(tr("Set"));
    if (id.isEmpty()) {
        note_->setText(tr("Choose an action, then press its new keys."));
        return;
    }
    QStringList names;
    if (!keys.isEmpty())
        for (const QString& other : actions_.conflicts(id, {keys})) names.append(plain(*actions_.at(other)));
    if (names.isEmpty()) {
        const auto now = actions_.at(id)->shortcuts();
        note_->setText(now.size() < 2 ? tr("Press the new keys in the field, then Set.")
                                      : tr("Press the new keys in the field, then Set. They replace %1; its other "
                                           "keys stay.")
                                            .arg(now.constFirst().toString(QKeySequence::NativeText)));
        return;
    }
    note_->setText(tr("%1 belongs to “%2”. Taking it over leaves that action without this key.")
                       .arg(keys.toString(QKeySequence::NativeText), names.join(QStringLiteral("”, “"))));
    assign_->setText(tr("Take over"));
}

void ShortcutEditor::assign() {
    const auto* item = tree_->currentItem();
    const QKeySequence keys = keys_->keySequence();
    if (!item || keys.isEmpty()) return;
    const QString id = item->data(0, Qt::UserRole).toString();
    auto all = actions_.at(id)->shortcuts(); // the field edits the first of them
    all.removeAll(keys);
    if (!all.isEmpty() && actions_.at(id)->shortcut() != keys) all.removeFirst();
    all.prepend(keys);
    changed(actions_.set_shortcuts(id, all));
}

void ShortcutEditor::changed(bool stored) {
    select();
    if (!stored) note_->setText(tr("The change holds until you close Denoir: the settings folder cannot be written."));
}

} // namespace denoir::ui
