// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <QList>
#include <QPointer>
#include <QString>
#include <vector>

class QLineEdit;
class QListWidget;
class QPushButton;

namespace denoir::ui {

class ActionTable;
class Announcer;
class Banners;

/// How well `text` answers `query`: every word of the query must begin a word of the text, or stand in it; higher is
/// better, negative is no answer. Case and accents are ignored.
int match_score(const QString& query, const QString& text);

/// Finds any action by typing, and any choice that a banner offers. Lies over its window, is not a window of its own,
/// goes away on Esc, on a choice, or when the focus leaves it.
class CommandPalette : public QFrame {
    Q_OBJECT
public:
    CommandPalette(const ActionTable& actions, const Banners& banners, QWidget* parent);
    /// Shows it with an empty query, the actions used last first.
    void open();
    /// Ids of the actions that are listed now, and the words of banners' choices; best first.
    QStringList shown() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Hit;
    std::vector<Hit> hits(const QString& query) const;
    void filter(const QString& query);
    void run_current();
    void dismiss();
    void place();

    const ActionTable& actions_;
    const Banners& banners_;
    QList<QPointer<QPushButton>> answers_; ///< that are listed
    QLineEdit* query_;
    QListWidget* list_;
    Announcer* announcer_;
    QPointer<QWidget> before_;
};

} // namespace denoir::ui
