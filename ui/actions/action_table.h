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

/// Every action of the window with its group and its default shortcuts: the one table behind menus, the command
/// palette and the shortcut editor. What the user changed is kept in a small JSON file; what is damaged or foreign
/// in it counts as "nothing changed" and is left as it is until the next change.
class ActionTable : public QObject {
    Q_OBJECT
public:
    /// Actions belong to `window` and work wherever it has the focus. `file`: where changes are kept, empty: nowhere.
    ActionTable(QWidget& window, QString file, QObject* parent = nullptr);

    struct Entry {
        QString id;    ///< stable, never shown: "run.generate"
        QString group; ///< shown: "Run"
        QList<QKeySequence> defaults;
        QAction* action;
        QWidget* scope = nullptr; ///< where its keys work; null: everywhere in the window
    };

    /// A new action, done once however long its keys are held; what is to go on meanwhile sets autoRepeat. `icon`: a
    /// name of ui::icon(), may be empty. An id twice asserts.
    QAction* add(const QString& id, const QString& group, const QString& text, const QList<QKeySequence>& defaults = {},
                 const QString& icon = {});
    /// From now on its keys work only where `scope` or what is in it has the focus, and there they come before those of
    /// the whole window (by the ShortcutGuard). Elsewhere they may be another action's.
    void keep_to(const QString& id, QWidget& scope);
    /// After all were added: keys that are stored for one and by default are another's, as of a version that is newer
    /// than the file, are the first one's alone. Else neither would work.
    void settle();
    /// The tip of `widget`, which does the same as that action, names the action's keys behind its own text.
    void name_keys(const QString& id, QWidget& widget);
    /// Names the keys of everything below `window` whose property `action` is an id, or several with spaces between: of
    /// rooms that know no table.
    void name_all_keys();
    QString tip(const QWidget& widget) const; ///< as it is shown, with the keys
    QString keys(const QString& id) const;    ///< as they are shown; of several the first
    /// The action of that id; asserts when there is none.
    QAction* at(const QString& id) const;
    const QList<Entry>& entries() const { return entries_; }
    const Entry* find(const QString& id) const;

    /// The actions other than `id` that use one of these keys in the same place.
    QStringList conflicts(const QString& id, const QList<QKeySequence>& keys) const;
    /// Changes and stores. Keys that other actions had are taken from them. False where the file could not be written
    /// (the change holds until the window closes).
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

/// Tool tip with the shortcut behind the text.
QString tip_of(const QAction& action);

} // namespace denoir::ui
