// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>

#include "app/clips/player.h"
#include "ui/studio.h"

class QStackedWidget;
class QToolButton;
class QTreeWidget;

namespace denoir::ui {

class EmptyState;

/// Says what is A and what is B, and lets one choose: the newest runs, or a file. What is dropped on a half is its
/// side.
class CompareBar : public QFrame {
    Q_OBJECT
public:
    explicit CompareBar(Studio& studio, QWidget* parent = nullptr);
    void set_name(app::Side side, const QString& name);
    /// What tells it from the other, behind the name: "steps 12". Empty: nothing.
    void set_detail(app::Side side, const QString& detail);

signals:
    void chosen(denoir::app::Side side, const QString& path);
    void swap_asked();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void fill(app::Side side);
    void fit_names();
    Studio& studio_;
    QToolButton *a_, *b_;
    QString name_a_, name_b_;
};

/// The parameters of two runs, or of two clips that carry theirs, side by side: all or only what differs.
class DifferencesPanel : public QWidget {
    Q_OBJECT
public:
    explicit DifferencesPanel(QWidget* parent = nullptr);
    struct Source {
        bool there = false; ///< something is shown on this side
        QString run;        ///< its folder; empty: none
        QString request;    ///< JSON that the file carries; empty: none
        friend bool operator==(const Source&, const Source&) = default;
    };
    void set_sources(const Source& a, const Source& b);
    /// Name, value of A, value of B of the rows shown.
    QList<QStringList> rows() const;

signals:
    /// The first short values that differ, of A and of B; empty: nothing, or not two requests.
    void told_apart(const QString& a, const QString& b);

protected:
    void changeEvent(QEvent* event) override;

private:
    void fill();
    QString why_empty(bool has_a, bool has_b) const;
    QTreeWidget* table_;
    QToolButton* only_;
    QStackedWidget* stack_;
    EmptyState* nothing_;
    Source a_, b_;
};

} // namespace denoir::ui
