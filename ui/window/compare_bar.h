// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>

#include "app/player.h"
#include "ui/studio.h"

class QToolButton;

namespace denoir::ui {

/// Says what is A and what is B, and lets one choose: the newest runs, or a file.
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

private:
    void fill(app::Side side);
    void fit_names();
    Studio& studio_;
    QToolButton *a_, *b_;
    QString name_a_, name_b_;
};

/// The parameters of two runs side by side, all or only what differs.
class DifferencesPanel : public QWidget {
    Q_OBJECT
public:
    explicit DifferencesPanel(QWidget* parent = nullptr);
    /// Run folders; empty: none. Unreadable ones count as none.
    void set_runs(const QString& a, const QString& b);
    void set_only_differences(bool only);
    /// Key, value of A, value of B of the rows shown.
    QList<QStringList> rows() const;

signals:
    /// The first short values that differ, of A and of B; empty: nothing, or not two runs.
    void told_apart(const QString& a, const QString& b);

protected:
    void changeEvent(QEvent* event) override;

private:
    void fill();
    class QTreeWidget* table_;
    class QToolButton* only_;
    class QStackedWidget* stack_;
    QString a_, b_;
};

} // namespace denoir::ui
