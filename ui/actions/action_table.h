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
        QString other_words = {}; ///< that people look for it by, with spaces between; never shown
    };

    /// Makes an action. It does not repeat while its keys are held, unless the caller sets autoRepeat. `icon`: a name
    /// for ui::icon(), may be empty. Asserts that `id` is new.
    QAction* add(const QString& id, const QString& group, const QString& text, const QList<QKeySequence>& defaults = {},
                 const QString& icon = {});
    /// Limits an action's keys to the time when `scope` or a widget in it has the focus. There they come before the
    /// keys of the whole window (see ShortcutGuard); elsewhere they may belong to another action.
    void keep_to(const QString& id, QWidget& scope);
    /// Words that the palette finds an action by, beside its text and its group.
    void set_other_words(const QString& id, const QString& words);
    /// To be called once all actions are added. If the user gave an action keys that are the default of another, as may
    /// happen with actions newer than the stored file, takes them from that other: otherwise neither would work.
    void settle();
    /// Appends the action's keys, whatever they are by then, to the tool tip of `widget`, which does the same.
    void name_keys(const QString& id, QWidget& widget);
    /// Does that for every widget in the window with a property `action`, an id or several with spaces between: for
    /// widgets that do not know this table.
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
