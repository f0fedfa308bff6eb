// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <QList>
#include <QPointer>
#include <QString>

class QAction;
class QLineEdit;
class QListWidget;

namespace denoir::ui {

class ActionTable;
class Announcer;

/// How well `text` answers `query`: every word of the query must begin a word of the text, or stand in it; higher is
/// better, negative is no answer. Case and accents are ignored.
int match_score(const QString& query, const QString& text);

/// Finds any action by typing. Lies over its window, is not a window of its own, goes away on Esc, on a choice, or
/// when the focus leaves it.
class CommandPalette : public QFrame {
    Q_OBJECT
public:
    CommandPalette(const ActionTable& actions, QWidget* parent);
    /// Shows it with an empty query, the actions used last first.
    void open();
    /// Ids of what is listed now, best first.
    QStringList shown() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& query);
    void run_current();
    void dismiss();
    void place();

    const ActionTable& actions_;
    QLineEdit* query_;
    QListWidget* list_;
    Announcer* announcer_;
    QPointer<QWidget> before_;
};

} // namespace denoir::ui
