// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions/action_table.h"

#include <QAction>
#include <QFile>
#include <QHelpEvent>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QToolTip>
#include <QWidget>

#include "ui/theme/icons.h"
#include "ui/widgets/literal.h"

namespace denoir::ui {

namespace {
constexpr qint64 most_bytes = 1 << 20;
constexpr int most_keys = 4;

QString with_keys(const QString& text, const QStringList& keys) {
    return keys.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, keys.join(QStringLiteral(", ")));
}

QString keys_of(const QAction& action) { return action.shortcut().toString(QKeySequence::NativeText); }

} // namespace

QString tip_of(const QAction& action) {
    const QString keys = keys_of(action);
    return with_keys(plain_text(action.text()), keys.isEmpty() ? QStringList() : QStringList{keys});
}

ActionTable::ActionTable(QWidget& window, QString file, QObject* parent)
    : QObject(parent), window_(window), file_(std::move(file)) {
    load();
}

QAction* ActionTable::add(const QString& id, const QString& group, const QString& text,
                          const QList<QKeySequence>& defaults, const QString& icon_name) {
    Q_ASSERT(!index_.contains(id));
    auto* action = new QAction(text, &window_);
    action->setObjectName(id);
    if (!icon_name.isEmpty()) action->setIcon(icon(icon_name));
    action->setShortcutContext(Qt::WindowShortcut);
    action->setShortcuts(stored_.value(id, defaults));
    action->setAutoRepeat(false);
    action->setToolTip(tip_of(*action));
    // A menu shows either the icon or the check mark, and the latter is needed to see what is on.
    connect(action, &QAction::changed, action, [action] {
        if (action->isCheckable() && action->isIconVisibleInMenu()) action->setIconVisibleInMenu(false);
    });
    window_.addAction(action);
    connect(action, &QAction::triggered, this, [this, id] {
        recent_.removeAll(id);
        recent_.prepend(id);
    });
    index_.insert(id, static_cast<int>(entries_.size()));
    entries_.append({id, group, defaults, action});
    return action;
}

const ActionTable::Entry* ActionTable::find(const QString& id) const {
    const auto found = index_.constFind(id);
    return found == index_.constEnd() ? nullptr : &entries_[*found];
}

void ActionTable::keep_to(const QString& id, QWidget& scope) {
    QAction* action = at(id);
    window_.removeAction(action);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    scope.addAction(action);
    entries_[index_.value(id)].scope = &scope;
}

void ActionTable::set_other_words(const QString& id, const QString& words) {
    Q_ASSERT(find(id));
    entries_[index_.value(id)].other_words = words;
}

void ActionTable::settle() {
    const auto chosen = stored_; // a copy, as taking keys from others stores that as well
    for (const Entry& entry : entries_)
        if (chosen.contains(entry.id)) take_from_others(entry.id, entry.action->shortcuts());
}

void ActionTable::name_all_keys() {
    for (QWidget* widget : window_.findChildren<QWidget*>())
        if (!widget->property("action").toString().isEmpty()) widget->installEventFilter(this);
}

QString ActionTable::tip(const QWidget& widget) const {
    QStringList named;
    for (const QString& id : widget.property("action").toString().split(QLatin1Char(' '), Qt::SkipEmptyParts))
        if (const QString own = keys(id); !own.isEmpty()) named << own;
    return with_keys(widget.toolTip(), named);
}

QString ActionTable::keys(const QString& id) const { return keys_of(*at(id)); }

bool ActionTable::eventFilter(QObject* watched, QEvent* event) {
    auto* widget = qobject_cast<QWidget*>(watched);
    if (event->type() != QEvent::ToolTip || !widget) return QObject::eventFilter(watched, event);
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), tip(*widget), widget);
    return true;
}

QAction* ActionTable::at(const QString& id) const {
    const Entry* entry = find(id);
    Q_ASSERT_X(entry, "ActionTable::at", qPrintable(id));
    return entry->action;
}

QStringList ActionTable::conflicts(const QString& id, const QList<QKeySequence>& keys) const {
    QStringList found;
    for (const Entry& entry : entries_) {
        if (entry.id == id || entry.scope != find(id)->scope) continue;
        for (const QKeySequence& key : entry.action->shortcuts())
            if (keys.contains(key)) {
                found.append(entry.id);
                break;
            }
    }
    return found;
}

void ActionTable::assign(const Entry& entry, const QList<QKeySequence>& keys) {
    entry.action->setShortcuts(keys);
    entry.action->setToolTip(tip_of(*entry.action));
    if (keys == entry.defaults)
        stored_.remove(entry.id);
    else
        stored_.insert(entry.id, keys);
    emit shortcuts_changed(entry.id);
}

void ActionTable::take_from_others(const QString& id, const QList<QKeySequence>& keys) {
    for (const QString& other : conflicts(id, keys)) {
        auto left = at(other)->shortcuts();
        left.removeIf([&keys](const QKeySequence& key) { return keys.contains(key); });
        assign(*find(other), left);
    }
}

bool ActionTable::set_shortcuts(const QString& id, const QList<QKeySequence>& keys) {
    const Entry* entry = find(id);
    Q_ASSERT(entry);
    take_from_others(id, keys);
    assign(*entry, keys);
    return store();
}

bool ActionTable::reset(const QString& id) {
    const Entry* entry = find(id);
    Q_ASSERT(entry);
    return set_shortcuts(id, entry->defaults);
}

bool ActionTable::reset_all() {
    stored_.clear();
    for (const Entry& entry : entries_) {
        entry.action->setShortcuts(entry.defaults);
        entry.action->setToolTip(tip_of(*entry.action));
        emit shortcuts_changed(entry.id);
    }
    return store();
}

bool ActionTable::is_changed(const QString& id) const { return stored_.contains(id); }

void ActionTable::load() {
    QFile file(file_);
    if (file_.isEmpty() || !file.open(QIODevice::ReadOnly) || file.size() > most_bytes) return;
    const QJsonObject keys =
        QJsonDocument::fromJson(file.readAll()).object().value(QLatin1String("shortcuts")).toObject();
    for (auto it = keys.begin(); it != keys.end(); ++it) {
        if (!it->isArray()) continue;
        QList<QKeySequence> list;
        const QJsonArray values = it->toArray();
        for (const auto& value : values) {
            const QKeySequence key(value.toString(), QKeySequence::PortableText);
            if (!key.isEmpty() && list.size() < most_keys) list.append(key);
        }
        if (!list.isEmpty() || values.isEmpty()) stored_.insert(it.key(), list); // an empty list means no keys
    }
}

bool ActionTable::store() const {
    if (file_.isEmpty()) return true;
    QJsonObject keys;
    for (auto it = stored_.begin(); it != stored_.end(); ++it) {
        QJsonArray list;
        for (const QKeySequence& key : it.value()) list.append(key.toString(QKeySequence::PortableText));
        keys.insert(it.key(), list);
    }
    QSaveFile file(file_);
    if (!file.open(QIODevice::WriteOnly)) return false;
    file.write(QJsonDocument(QJsonObject{{QStringLiteral("schema"), 1}, {QStringLiteral("shortcuts"), keys}}).toJson());
    return file.commit();
}

} // namespace denoir::ui
