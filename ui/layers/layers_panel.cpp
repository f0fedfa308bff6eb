// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layers/layers_panel.h"

#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/engine_text.h"
#include "app/base/local_number.h"
#include "app/base/text.h"
#include "app/runs/stage_text.h"
#include "ui/layers/histogram_view.h"
#include "ui/layers/layer_map.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/drop.h"
#include "ui/widgets/elided_combo.h"
#include "ui/widgets/elided_edit.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/escape.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/note.h"
#include "ui/widgets/open_dialog.h"
#include "ui/widgets/page_area.h"
#include "ui/widgets/save_dialog.h"
#include "ui/widgets/tool_button.h"
#include "ui/widgets/wheel.h"

namespace denoir::ui {
namespace {

/// Layers to choose from. The parts of a single block of a 14B model are gigabytes per step, unlike the results of
/// whole blocks.
constexpr const char* layer_choices[] = {"transformer*/blocks.+([0-9]) sampler/*", "sampler/*",
                                         "transformer*/* sampler/*", "vae_decoder/*", "*"};

/// The dropped files, without folders.
QStringList plain_files(const QMimeData& data) {
    QStringList files = dropped_files(data);
    files.removeIf([](const QString& file) { return !QFileInfo(file).isFile(); });
    return files;
}

} // namespace

LayersPanel::LayersPanel(app::LayerComparison& comparison, app::Settings& settings, QWidget* parent)
    : QWidget(parent), comparison_(comparison), settings_(settings), stack_(new QStackedWidget(this)) {
    setAcceptDrops(true);
    auto* column = make_layout<QVBoxLayout>(this, 0);
    column->addWidget(make_source_row());
    column->addWidget(make_progress_row());
    issue_ = make_note(this, "error");
    issue_->setObjectName(QStringLiteral("layers-issue"));
    issue_->setContentsMargins(grid::unit, 0, grid::unit, grid::half);
    column->addWidget(issue_);
    stack_->addWidget(new EmptyState(
        QStringLiteral("compare"),
        tr("Where two runs part, layer by layer: choose A and B, then trace both. Or drop two trace files here, "
           "Denoir's or PyTorch's.")));
    stack_->addWidget(make_result());
    column->addWidget(stack_, 1);
    stack_->setMinimumHeight(48); // its content can be scrolled
    connect(&comparison_, &app::LayerComparison::changed, this, &LayersPanel::refresh);
    connect(&comparison_, &app::LayerComparison::progressed, this, &LayersPanel::refresh_progress);
    connect(&comparison_, &app::LayerComparison::exported, this,
            [this](const QString& out) { emit said(tr("Written: %1").arg(out)); });
    connect(&comparison_, &app::LayerComparison::export_failed, this,
            [this](const app::Issue& issue) { emit said(issue.line()); });
    connect(&comparison_, &app::LayerComparison::histograms_ready, this,
            [this](const QString& key, const metrics::PairHistograms& histograms) {
                if (key == shown_key_) histograms_->show_pair(histograms);
            });
    refresh();
}

QWidget* LayersPanel::make_source_row() {
    auto* widget = new QWidget(this);
    auto* row = make_layout<QHBoxLayout>(widget, grid::half, {grid::unit, 2, grid::unit, grid::half});
    const auto label = [&](const QString& text, QWidget* of) {
        auto* l = new QLabel(text, widget);
        l->setProperty("quiet", true);
        l->setBuddy(of);
        row->addWidget(l);
        row->addWidget(of);
    };
    layers_ = new QComboBox(widget);
    make_narrow(layers_, 10);
    layers_->setObjectName(QStringLiteral("trace-layers"));
    layers_->setEditable(true);
    layers_->setLineEdit(new ElidedEdit(layers_));
    layers_->setInsertPolicy(QComboBox::NoInsert);
    layers_->setAccessibleName(tr("Layers to trace"));
    layers_->setToolTip(tr("Patterns of layers, with * and ?, separated by spaces: those with a slash are held against "
                           "COMPONENT/LAYER, others against LAYER. * is every layer, which may be many gigabytes."));
    layers_->lineEdit()->setToolTip(layers_->toolTip());
    for (const char* choice : layer_choices) layers_->addItem(QLatin1String(choice));
    escape_puts_back(*layers_->lineEdit());
    steps_ = new QLineEdit(QStringLiteral("1,last"), widget);
    steps_->setObjectName(QStringLiteral("trace-steps"));
    steps_->setAccessibleName(tr("Steps to trace"));
    steps_->setToolTip(tr("Steps to trace, like 1,4-6,last; empty: every step"));
    constexpr int frame = 24; // pixels beside the text
    steps_->setMinimumWidth(steps_->fontMetrics().horizontalAdvance(steps_->text()) + frame);
    steps_->setMaximumWidth(96);
    escape_puts_back(*steps_);
    label(tr("Layers"), layers_);
    row->setStretchFactor(layers_, 1);
    label(tr("Steps"), steps_);
    trace_ = new QPushButton(tr("Trace both runs"), widget);
    trace_->setObjectName(QStringLiteral("trace-both"));
    connect(trace_, &QPushButton::clicked, this, &LayersPanel::trace_runs);
    row->addWidget(trace_);
    open_ = flat_button(widget, icon(QStringLiteral("open")), tr("Two files …"),
                        tr("Compare two trace files: Denoir's or PyTorch's"));
    connect(open_, &QToolButton::clicked, this, &LayersPanel::open_files);
    row->addWidget(open_);
    export_ = flat_button(widget, icon(QStringLiteral("export")), tr("Export …"),
                          tr("Write the comparison as a page (HTML), JSON or a table (CSV)"));
    connect(export_, &QToolButton::clicked, this, &LayersPanel::export_result);
    row->addWidget(export_);
    return widget;
}

QWidget* LayersPanel::make_progress_row() {
    progress_row_ = new QWidget(this);
    auto* row = new QHBoxLayout(progress_row_);
    row->setContentsMargins(grid::unit, 0, grid::unit, grid::half);
    stage_ = new ElidedLabel(progress_row_);
    stage_->setObjectName(QStringLiteral("layers-stage"));
    bar_ = new QProgressBar(progress_row_);
    bar_->setObjectName(QStringLiteral("layers-progress"));
    bar_->setTextVisible(false); // too low for it
    bar_->setAccessibleName(tr("Progress of the comparison"));
    stop_ = new QPushButton(tr("Stop"), progress_row_);
    stop_->setObjectName(QStringLiteral("layers-stop"));
    connect(stop_, &QPushButton::clicked, &comparison_, &app::LayerComparison::cancel);
    row->addWidget(stage_, 1); // a share of the row: the bar does not move with the words
    row->addWidget(bar_, 3);
    row->addWidget(stop_);
    return progress_row_;
}

QHBoxLayout* LayersPanel::make_map_row(QWidget* parent) {
    auto* row = new QHBoxLayout;
    row->setSpacing(grid::half);
    component_ = new ElidedCombo(Qt::ElideRight, parent);
    make_narrow(component_, 6); // so that the panel fits into a window of 800 pixels
    component_->setObjectName(QStringLiteral("layers-component"));
    component_->setAccessibleName(tr("Part of the model"));
    blocks_ = flat_button(parent, icon(QStringLiteral("layout")), tr("By block"),
                          tr("One row for each block, with the largest error in it"));
    blocks_->setObjectName(QStringLiteral("layers-blocks"));
    blocks_->setCheckable(true);
    first_ = flat_button(parent, icon(QStringLiteral("warning")), tr("First error"),
                         tr("Go to the first layer that makes an error of its own"));
    first_->setObjectName(QStringLiteral("layers-first"));
    smaller_ =
        flat_button(parent, icon(QStringLiteral("remove")), tr("Smaller"), tr("Smaller cells (−, or Ctrl and wheel)"));
    larger_ = flat_button(parent, icon(QStringLiteral("add")), tr("Larger"),
                          tr("Larger cells, with figures (+, or Ctrl and wheel)"));
    row->addWidget(component_);
    row->addWidget(blocks_);
    row->addWidget(first_);
    row->addWidget(smaller_);
    row->addWidget(larger_);
    row->addStretch(1);
    row->addWidget(new ErrorScale(parent), 1);
    connect(component_, &QComboBox::currentIndexChanged, this, &LayersPanel::show_component);
    connect(blocks_, &QToolButton::toggled, this, &LayersPanel::show_component);
    connect(first_, &QToolButton::clicked, this, &LayersPanel::go_to_first);
    return row;
}

QWidget* LayersPanel::make_result() {
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setChildrenCollapsible(false);
    auto* area = new PageArea(splitter); // in a low dock the words are whole and the map is scrolled to
    auto* left = new QWidget(area);
    auto* column = make_layout<QVBoxLayout>(left, 2, {grid::unit, 0, grid::half, 0});
    pair_ = new ElidedLabel(left);
    pair_->setObjectName(QStringLiteral("layers-pair"));
    pair_->setProperty("quiet", true);
    column->addWidget(pair_);
    verdict_ = new QLabel(left);
    verdict_->setObjectName(QStringLiteral("layers-verdict"));
    verdict_->setWordWrap(true);
    verdict_->setTextFormat(Qt::PlainText); // as it contains names of layers
    verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(verdict_);
    column->addLayout(make_map_row(left));
    model_ = new LayerMapModel(this);
    map_ = new LayerMapView(left);
    map_->setObjectName(QStringLiteral("layer-map"));
    map_->setModel(model_);
    map_->setMinimumHeight(120); // some rows below the names of the steps
    column->addWidget(map_, 1);
    area->setWidget(left);
    area->setFocusPolicy(Qt::NoFocus); // the map has the keys
    area->setMinimumWidth(left->minimumSizeHint().width() + area->verticalScrollBar()->sizeHint().width());
    splitter->addWidget(area);
    splitter->addWidget(make_details());
    splitter->setStretchFactor(0, 1);
    connect(smaller_, &QToolButton::clicked, this, [this] { map_->set_zoom(map_->zoom() - 1); });
    connect(larger_, &QToolButton::clicked, this, [this] { map_->set_zoom(map_->zoom() + 1); });
    connect(map_, &LayerMapView::zoomed, this, [this](int zoom) {
        smaller_->setEnabled(zoom > 0);
        larger_->setEnabled(zoom < LayerMapView::sizes - 1);
    });
    connect(map_->selectionModel(), &QItemSelectionModel::currentChanged, this, &LayersPanel::show_cell);
    return splitter;
}

QWidget* LayersPanel::make_details() {
    auto* area = new PageArea(this);
    area->setMinimumWidth(184);
    auto* inside = new QWidget(area);
    auto* column = make_layout<QVBoxLayout>(inside, grid::half, {grid::half, 0, grid::unit, grid::half});
    layer_name_ = new QLabel(inside);
    layer_name_->setObjectName(QStringLiteral("layer-name"));
    numbers_ = new QLabel(inside);
    numbers_->setObjectName(QStringLiteral("layer-numbers"));
    for (QLabel* l : {layer_name_, numbers_}) {
        l->setWordWrap(true);
        l->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        column->addWidget(l);
    }
    numbers_->setTextFormat(Qt::RichText);
    numbers_->setToolTip(tr("largest: the largest difference, and the two values there\n"
                            "normalised: that over the mean size of B's values\n"
                            "relative: norm of the difference over that of B\n"
                            "of its inputs: the largest relative difference among what the layer is given\n"
                            "explained: relative difference that rounding and its inputs account for\n"
                            "cosine: of the angle between both; 1: they point the same way"));
    layer_name_->setTextFormat(Qt::PlainText);
    histograms_ = new HistogramView(inside);
    histograms_->setObjectName(QStringLiteral("layer-histograms"));
    column->addWidget(histograms_, 1);
    area->setWidget(inside);
    return area;
}

void LayersPanel::set_runs(const QString& a, const QString& b) {
    if (a == run_a_ && b == run_b_) return;
    run_a_ = a;
    run_b_ = b;
    comparison_.forget_issue();
    refresh();
}

void LayersPanel::take_files(const QStringList& files) {
    if (files.isEmpty()) return;
    QString a = files.value(0), b = files.value(1);
    if (b.isEmpty() && !waiting_file_.isEmpty() && waiting_file_ != a) {
        b = a;
        a = waiting_file_;
    }
    if (b.isEmpty()) {
        waiting_file_ = a;
        emit said(tr("%1 is A. Drop or open the trace that it is to be compared with.").arg(QFileInfo(a).fileName()));
        return;
    }
    waiting_file_.clear();
    comparison_.compare_files(a, b);
}

void LayersPanel::open_files() {
    ask_to_open(this, settings_, tr("Two traces: A, then B"),
                {ToOpen::Kind::files, ToOpen::Sort::traces, tr("Traces (*.safetensors *.pth *.gguf);;All files (*)")},
                [this](const QStringList& files) { take_files(files); });
}

void LayersPanel::take_focus() {
    QWidget* to = shown_ ? static_cast<QWidget*>(map_) : trace_->isEnabled() ? static_cast<QWidget*>(trace_) : layers_;
    to->setFocus(Qt::OtherFocusReason);
}

void LayersPanel::trace_runs() {
    if (run_a_.isEmpty() || run_b_.isEmpty()) return emit said(tr("Choose two runs as A and B first."));
    QStringList patterns =
        layers_->currentText().split(QRegularExpression(QStringLiteral("[\\s,]+")), Qt::SkipEmptyParts);
    if (patterns == QStringList{QStringLiteral("*")}) patterns.clear();
    comparison_.compare_runs(run_a_, run_b_, patterns, steps_->text().simplified());
}

void LayersPanel::export_result() {
    if (!comparison_.result()) return emit said(tr("There is no comparison of layers yet."));
    ask_where_to_save(this, settings_, tr("Export the comparison of layers"), tr("layers"),
                      tr("Page (*.html);;JSON (*.json);;Table (*.csv)"),
                      [this](const QString& file) { comparison_.write(file); });
}

void LayersPanel::refresh() {
    const bool busy = comparison_.busy(), pair = !run_a_.isEmpty() && !run_b_.isEmpty();
    // The focus goes from one of the two buttons to the other, not to a neighbour of a button that disappears.
    const bool stays = busy ? trace_->hasFocus() : stop_->hasFocus();
    progress_row_->setVisible(busy || stays);
    if (busy && stays) stop_->setFocus(Qt::OtherFocusReason);
    trace_->setEnabled(pair && !busy);
    trace_->setToolTip(pair
                           ? tr("Computes both runs once more and keeps the layers chosen here, in turn with the queue")
                           : tr("Choose two runs as A and B first."));
    export_->setEnabled(comparison_.result() != nullptr);
    const app::Issue& issue = comparison_.issue();
    issue_->setText(issue.line());
    issue_->setVisible(!issue.isEmpty());
    refresh_progress();
    if (comparison_.result() != shown_) show_result();
    refresh_pair();
    stack_->setCurrentIndex(shown_ ? 1 : 0);
    if (!busy && stays) take_focus();
    progress_row_->setVisible(busy);
}

/// The figures, which took minutes, stay when other runs become A and B; says which runs they are of.
void LayersPanel::refresh_pair() {
    if (!shown_) return;
    const QStringList& runs = comparison_.runs();
    const bool pair = !runs.isEmpty() && !run_a_.isEmpty() && !run_b_.isEmpty(),
               exchanged = runs == QStringList{run_b_, run_a_},
               other = pair && !exchanged && runs != QStringList{run_a_, run_b_};
    const QString names =
        QStringLiteral("%1 | %2").arg(app::to_qstring(shown_->name_a), app::to_qstring(shown_->name_b));
    pair_->set_text(other               ? tr("Not of the two that are shown: %1").arg(names)
                    : pair && exchanged ? tr("A and B exchanged: %1").arg(names)
                                        : names);
    set_look(*pair_, "warning", other);
}

void LayersPanel::refresh_progress() {
    if (!comparison_.busy()) return;
    QString text = tr("comparing");
    if (comparison_.state() == app::LayerComparison::State::tracing) {
        const app::JobProgress& engine = comparison_.engine_progress();
        text = tr("tracing %1: %2")
                   .arg(comparison_.side() == 0 ? QStringLiteral("A") : QStringLiteral("B"),
                        app::stage_text(engine.stage));
        if (engine.total > 0) text += QStringLiteral(" %1/%2").arg(engine.done).arg(engine.total);
    }
    stage_->set_text(text);
    bar_->setRange(0, comparison_.share() < 0 ? 0 : 1000);
    bar_->setValue(std::max(0, int(comparison_.share() * 1000)));
    bar_->setAccessibleDescription(text);
}

void LayersPanel::show_result() {
    shown_ = comparison_.result();
    verdict_->clear();
    fill_components();
    show_component();
    if (!shown_) return;
    verdict_->setText(app::engine_text(app::to_qstring(shown_->verdict)));
    verdict_->setToolTip(
        QStringLiteral("A: %1\nB: %2").arg(app::to_qstring(shown_->name_a), app::to_qstring(shown_->name_b)));
    first_->setEnabled(shown_->first.has_value());
    if (!go_to_first() && shown_->worst) select(*shown_->worst);
}

/// Keeps the chosen component if it is there again.
void LayersPanel::fill_components() {
    const QSignalBlocker quiet(component_);
    const QString before = component_->currentData().toString();
    component_->clear();
    if (!shown_) return;
    for (const std::string& component : components_of(*shown_)) {
        const TraceMap map = trace_map(*shown_, component, true);
        component_->addItem(tr("%1 · %2").arg(component.empty() ? tr("layers") : app::to_qstring(component),
                                              app::local_number(error_text(map.worst))),
                            app::to_qstring(component));
    }
    component_->setCurrentIndex(std::max(0, component_->findData(before)));
}

void LayersPanel::show_component() {
    model_->show(shown_, component_->currentData().toString().toStdString(), blocks_->isChecked());
    show_cell();
}

bool LayersPanel::go_to_first() {
    if (!shown_ || !shown_->first) return false;
    select(*shown_->first);
    return true;
}

void LayersPanel::select(std::size_t layer) {
    const int component = component_->findData(app::to_qstring(shown_->layers[layer].parts.component));
    if (component >= 0) component_->setCurrentIndex(component);
    const QModelIndex index = model_->index_of_layer(layer);
    if (!index.isValid()) return;
    map_->setCurrentIndex(index);
    map_->scrollTo(index, QAbstractItemView::PositionAtCenter);
}

void LayersPanel::show_cell() {
    const QVariant layer = map_->currentIndex().data(LayerMapModel::LayerRole);
    shown_key_.clear();
    histograms_->show_pair({});
    numbers_->clear();
    if (!shown_ || !layer.isValid()) {
        layer_name_->setText(tr("Choose a cell: its numbers and the histograms of both tensors appear here."));
        return;
    }
    const metrics::LayerError& l = shown_->layers[layer.toULongLong()];
    const metrics::TensorDifference& d = l.difference;
    layer_name_->setText(app::to_qstring(l.parts.row()) + QStringLiteral("  ") +
                         app::engine_text(app::to_qstring(l.parts.column())));
    const auto dtype = [](DType t) { return app::to_qstring(std::string(info(t).name)); };
    const auto error = [](double e) { return app::local_number(error_text(e)); };
    const QString quiet = colours(palette()).quiet.name();
    QString rows;
    const auto row = [&](const QString& what, const QString& value) {
        rows += QStringLiteral("<tr><td style='color:%1;padding-right:8px'>%2</td><td>%3</td></tr>")
                    .arg(quiet, what.toHtmlEscaped(), value.toHtmlEscaped());
    };
    row(tr("largest"), tr("%1 (A %2, B %3)")
                           .arg(app::local_number(d.max_abs, 'g', 3), app::local_number(d.worst_a, 'g', 5),
                                app::local_number(d.worst_b, 'g', 5)));
    row(tr("normalised"), error(d.normalised()));
    row(tr("relative"), error(d.relative()));
    row(tr("of its inputs"), error(l.inherited));
    row(tr("explained"), error(l.expected));
    row(tr("cosine"), app::local_number(d.cosine, 'f', 8));
    row(tr("dtypes"),
        d.dtype_a == d.dtype_b ? dtype(d.dtype_a) : tr("%1 in A, %2 in B").arg(dtype(d.dtype_a), dtype(d.dtype_b)));
    row(tr("shape"), app::to_qstring(to_string(d.shape)));
    if (const auto broken = d.not_finite + d.both_not_finite; broken > 0)
        row(tr("not finite"), QString::number(broken));
    QString text = QStringLiteral("<table cellspacing='0'>%1</table>").arg(rows);
    const bool first = shown_->first && *shown_->first == layer.toULongLong();
    if (l.generated)
        text += QStringLiteral("<p style='color:%1;margin:4px 0 0 0'>%2</p>")
                    .arg(colours(palette()).error.name(),
                         (first ? tr("The error begins here.")
                                : tr("More than rounding and the inputs explain: error is made here."))
                             .toHtmlEscaped());
    numbers_->setText(text);
    shown_key_ = app::to_qstring(l.key);
    comparison_.ask_histograms(shown_key_);
}

/// Shows the numbers again when the theme changes, as their text contains colours.
void LayersPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) show_cell();
}

void LayersPanel::dragEnterEvent(QDragEnterEvent* event) {
    if (!plain_files(*event->mimeData()).isEmpty()) take_copy(*event);
}

void LayersPanel::dropEvent(QDropEvent* event) {
    take_copy(*event);
    take_files(plain_files(*event->mimeData()));
}

} // namespace denoir::ui
