// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "app/compare/layer_comparison.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace denoir::app {
class Settings;
}

namespace denoir::ui {

class ElidedLabel;
class HistogramView;
class LayerMapModel;
class LayerMapView;

/// Compares two traces layer by layer: the choice of what to trace, the progress, the layer x step map, and the numbers
/// and histograms of its current cell. Trace files may be dropped here. Borrows the comparison.
class LayersPanel : public QWidget {
    Q_OBJECT
public:
    LayersPanel(app::LayerComparison& comparison, app::Settings& settings, QWidget* parent = nullptr);

    /// Sets the run folders for "Trace both", which is disabled until both are there.
    void set_runs(const QString& a, const QString& b);
    /// Takes one or two trace files; a single one waits for another.
    void take_files(const QStringList& files);
    /// Asks for two files.
    void open_files();
    void trace_runs();
    void export_result();
    /// Goes to the first place where an error is made. Returns false if there is none.
    bool go_to_first();
    LayerMapView& map() { return *map_; }
    /// Gives the focus to the map or, without a result, to the choices before it.
    void take_focus();

signals:
    void said(const QString& text);

protected:
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QWidget* make_source_row();
    QWidget* make_progress_row();
    /// Which part of the model the map shows, and how.
    QHBoxLayout* make_map_row(QWidget* parent);
    QWidget* make_result();
    QWidget* make_details();
    void refresh();
    void refresh_progress();
    void refresh_pair();
    void show_result();
    void fill_components();
    void show_component();
    void show_cell();
    void select(std::size_t layer);

    app::LayerComparison& comparison_;
    app::Settings& settings_;
    QString run_a_, run_b_, waiting_file_;
    std::shared_ptr<const metrics::TraceComparison> shown_;
    QString shown_key_;
    // What to trace
    QComboBox* layers_;
    QLineEdit* steps_;
    QPushButton *trace_, *stop_;
    QToolButton *open_, *export_;
    QWidget* progress_row_;
    ElidedLabel* stage_;
    QProgressBar* bar_;
    QLabel* issue_;
    // What was found
    QStackedWidget* stack_;
    ElidedLabel* pair_; ///< says what was compared
    QLabel* verdict_;
    QComboBox* component_;
    QToolButton *blocks_, *first_, *smaller_, *larger_;
    LayerMapModel* model_;
    LayerMapView* map_;
    QLabel *layer_name_, *numbers_;
    HistogramView* histograms_;
};

} // namespace denoir::ui
