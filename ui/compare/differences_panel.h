// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QStringList>
#include <QWidget>

#include "engine/core/json.h"

class QStackedWidget;
class QToolButton;
class QTreeWidget;

namespace denoir::ui {

class EmptyState;

/// Shows the parameters of two runs, or of two clips that carry theirs, side by side: all, or only those that differ.
class DifferencesPanel : public QWidget {
    Q_OBJECT
public:
    explicit DifferencesPanel(QWidget* parent = nullptr);
    struct Source {
        bool there = false; ///< whether something is shown on this side
        QString run;        ///< its folder; empty if it is no run
        QString request;    ///< JSON that the file carries; empty if it has none
        friend bool operator==(const Source&, const Source&) = default;
    };
    void set_sources(const Source& a, const Source& b);
    /// The keys that compare the selected runs; may be empty.
    void set_compare_keys(const QString& keys);
    /// Name, value of A and value of B of each row shown.
    QList<QStringList> rows() const;

signals:
    /// The first short values that differ, of A and of B. Empty if nothing differs or there are not two requests, but
    /// "the same run" for B if it is.
    void told_apart(const QString& a, const QString& b);

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void read();
    void fill();
    void fit_names();
    QString why_empty(bool has_a, bool has_b) const;
    QTreeWidget* table_;
    QToolButton* only_;
    QStackedWidget* stack_;
    EmptyState* nothing_;
    Source a_, b_;
    Json request_a_, request_b_; ///< requests of the sources, once they have been read
    int asked_ = 0;              ///< number of the last read()
    bool reading_ = false;
    QString compare_keys_;
};

} // namespace denoir::ui
