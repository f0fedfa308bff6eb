// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <QList>

#include "app/sweep/sweep_axes.h"
#include "ui/studio.h"

class QAction;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace denoir::app {
class SweepDocument;
}

namespace denoir::ui {

class FlowLayout;

/// One axis: its field, its values as they are typed, what is wrong with them, and a button to remove it.
class AxisChip : public QFrame {
    Q_OBJECT
public:
    explicit AxisChip(QWidget* parent = nullptr);
    void show_axis(const app::AxisText& axis, const QList<app::SweepField>& fields, const app::Issue& issue,
                   const QString& role);
    QLineEdit& values() { return *values_; }
    QComboBox& field() { return *field_; }
    QToolButton& away() { return *away_; }

signals:
    void field_picked(const QString& field);
    void typed(const QString& text);
    void typing_ended();
    void removed();

private:
    QLabel *role_, *error_;
    QComboBox* field_;
    QLineEdit* values_;
    QToolButton* away_;
};

/// The axes of the sweep being edited, what starting it would mean, and the button.
class SweepBar : public QFrame {
    Q_OBJECT
public:
    /// `sweep` is the window's action that the button triggers.
    SweepBar(Studio& studio, QAction& sweep, QWidget* parent = nullptr);
    QList<AxisChip*> chips() const { return chips_; }
    void add_axis(const QString& field);
    void swap();
    void focus_values(); ///< of the first axis

private:
    void refresh();
    void append_chip();
    void remove_chip();
    void order_tabs();
    void refresh_summary();
    void resizeEvent(QResizeEvent* event) override;
    void fit_start();
    static QString in_field(const app::Issue& issue);
    void fill_menu();
    Studio& studio_;
    app::SweepDocument& sweeps_;
    QAction& sweep_;
    FlowLayout* flow_;
    QList<AxisChip*> chips_;
    QToolButton *add_, *swap_;
    QPushButton* start_;
    QLabel *summary_, *warnings_;
};

} // namespace denoir::ui
