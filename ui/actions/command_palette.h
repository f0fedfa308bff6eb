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

/// How well `text` matches `query`: every word of the query must be in the text, preferably at the beginning of a word.
/// Higher is better; negative means no match. Case and accents are ignored.
int match_score(const QString& query, const QString& text);

/// Finds any action, and any choice that a banner offers, by typing. Lies over the window's content without being a
/// window, and disappears on Esc, after a choice, or when the focus leaves it.
class CommandPalette : public QFrame {
    Q_OBJECT
public:
    CommandPalette(const ActionTable& actions, const Banners& banners, QWidget* parent);
    /// Shows it with an empty query, beginning with the actions used last.
    void open();
    /// Ids of the actions that are listed now, and the texts of banners' choices; best first.
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
    QList<QPointer<QPushButton>> answers_; ///< the banners' buttons that are listed
    QLineEdit* query_;
    QListWidget* list_;
    Announcer* announcer_;
    QPointer<QWidget> before_;
};

} // namespace denoir::ui
