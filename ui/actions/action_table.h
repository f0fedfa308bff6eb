// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

class QAction;
class QWidget;

namespace denoir::ui {

/// Every action of the window with its group and its default shortcuts: the single table behind menus, the command
/// palette and the shortcut editor. The user's changes are kept in a small JSON file. Anything damaged or unknown in it
/// counts as unchanged and is kept until the next change.
class ActionTable : public QObject {
    Q_OBJECT
public:
    /// Actions belong to `window` and work wherever it has the focus. `file` keeps changes; if it is empty, none are
    /// kept.
    ActionTable(QWidget& window, QString file, QObject* parent = nullptr);

    struct Entry {
        QString id;    ///< never changes, never shown: "run.generate"
        QString group; ///< as shown: "Run"
        QList<QKeySequence> defaults;
        QAction* action;
        QWidget* scope = nullptr; ///< where its keys work; null for everywhere in the window
        QString other_words = {}; ///< other words to find it by, separated by spaces; never shown
    };

    /// Makes an action. It does not repeat while its keys are held, unless the caller sets autoRepeat. `icon` is a name
    /// for ui::icon() and may be empty. `id` must be new.
    QAction* add(const QString& id, const QString& group, const QString& text, const QList<QKeySequence>& defaults = {},
                 const QString& icon = {});
    /// Limits an action's keys to the time when `scope` or a widget in it has the focus. There they come before the
    /// keys of the whole window (see ShortcutGuard); elsewhere they may belong to another action.
    void keep_to(const QString& id, QWidget& scope);
    /// Sets words by which the palette finds an action, in addition to its text and its group.
    void set_other_words(const QString& id, const QString& words);
    /// To be called when all actions are added. If the user gave an action keys that are the default of another, as may
    /// happen with actions newer than the stored file, takes them from the other, as otherwise neither would work.
    void settle();
    /// Appends keys to the tool tip of every widget in the window that has a property `action`, which holds the id of
    /// the action that it triggers, or several separated by spaces. The keys stay up to date.
    void name_all_keys();
    QString tip(const QWidget& widget) const; ///< the tool tip as it is shown, with the keys
    QString keys(const QString& id) const;    ///< the keys as they are shown; the first if there are several
    /// The action of that id, which must exist.
    QAction* at(const QString& id) const;
    const QList<Entry>& entries() const { return entries_; }
    const Entry* find(const QString& id) const;

    /// The actions other than `id` that use one of these keys in the same place.
    QStringList conflicts(const QString& id, const QList<QKeySequence>& keys) const;
    /// Changes and stores the keys of an action, and takes them from other actions. Returns false if the file could not
    /// be written; then the change lasts until the window is closed.
    bool set_shortcuts(const QString& id, const QList<QKeySequence>& keys);
    bool reset(const QString& id);
    bool reset_all();
    bool is_changed(const QString& id) const;

    /// Ids in the order of their last use, newest first.
    const QStringList& recent() const { return recent_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

signals:
    void shortcuts_changed(const QString& id);

private:
    void load();
    bool store() const;
    void assign(const Entry& entry, const QList<QKeySequence>& keys);
    void take_from_others(const QString& id, const QList<QKeySequence>& keys);

    QWidget& window_;
    QString file_;
    QList<Entry> entries_;
    QHash<QString, int> index_;
    QHash<QString, QList<QKeySequence>> stored_;
    QStringList recent_;
};

/// A tool tip with the action's text and its shortcut.
QString tip_of(const QAction& action);

} // namespace denoir::ui
