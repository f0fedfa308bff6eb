// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/differences_panel.h"

#include <QEvent>
#include <QHeaderView>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>
#include <utility>

#include "app/base/background.h"
#include "app/request/field_title.h"
#include "app/runs/request_lines.h"
#include "ui/theme/colours.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/row_focus.h"

namespace denoir::ui {

DifferencesPanel::DifferencesPanel(QWidget* parent)
    : QWidget(parent), table_(new QTreeWidget(this)), only_(new QToolButton(this)), stack_(new QStackedWidget(this)) {
    table_->setObjectName(QStringLiteral("differences"));
    table_->setAccessibleName(tr("Parameters of A and B"));
    table_->setColumnCount(3);
    table_->setHeaderLabels({tr("Parameter"), QStringLiteral("A"), QStringLiteral("B")});
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setTextElideMode(Qt::ElideMiddle); // so that the ends of paths, where they differ, can be seen
    table_->viewport()->installEventFilter(this);
    choose_row_when_focused(*table_);
    table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->header()->setMinimumSectionSize(32);    // Qt's minimum is wider than a third of a narrow dock
    table_->header()->setStretchLastSection(false); // a stretched last section would never become narrower
    for (const int side : {1, 2}) table_->header()->setSectionResizeMode(side, QHeaderView::Stretch);
    only_->setObjectName(QStringLiteral("only-differences"));
    only_->setText(tr("Only what differs"));
    only_->setCheckable(true);
    only_->setChecked(true);
    nothing_ = new EmptyState(QStringLiteral("compare"), why_empty(false, false));
    stack_->addWidget(nothing_);
    stack_->addWidget(table_);
    auto* column = make_layout<QVBoxLayout>(this, 0);
    column->addWidget(stack_, 1);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(grid::unit, 2, grid::unit, 2);
    row->addStretch(1);
    row->addWidget(only_);
    column->addLayout(row);
    connect(only_, &QToolButton::toggled, this, &DifferencesPanel::fill);
    fill();
}

void DifferencesPanel::set_sources(const Source& a, const Source& b) {
    a_ = a;
    b_ = b;
    read();
}

/// Reads the requests, which may lie in files, on another thread. The rows stay until then, but labels no longer apply.
void DifferencesPanel::read() {
    reading_ = true;
    emit told_apart({}, {});
    const auto requests = [a = a_, b = b_] {
        return std::pair(app::request_of(a.run, a.request), app::request_of(b.run, b.request));
    };
    app::run_then(this, requests, [this, number = ++asked_](const std::pair<Json, Json>& found) {
        if (number != asked_) return; // the sources have changed meanwhile
        std::tie(request_a_, request_b_) = found;
        reading_ = false;
        fill();
    });
}

/// Fills the table again when the theme changes, as the colours of A and B are the theme's.
void DifferencesPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) fill();
}

bool DifferencesPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) fit_names();
    return QWidget::eventFilter(watched, event);
}

/// Limits the width of names, so that there is room for the values.
void DifferencesPanel::fit_names() {
    constexpr double most = 0.4; // of the width
    table_->resizeColumnToContents(0);
    const int wanted = table_->header()->sectionSize(0);
    table_->header()->resizeSection(0, std::min(wanted, int(most * table_->viewport()->width())));
}

void DifferencesPanel::set_compare_keys(const QString& keys) {
    compare_keys_ = keys;
    fill();
}

QString DifferencesPanel::why_empty(bool has_a, bool has_b) const {
    if (!a_.there || !b_.there)
        return compare_keys_.isEmpty()
                   ? tr("Choose two runs: their parameters stand side by side here. Drop one on A and one on B.")
                   : tr("Choose two runs: their parameters stand side by side here. Select two in the list of runs and "
                        "press %1, or drop one on A and one on B.")
                         .arg(compare_keys_);
    if (!has_a && !has_b) return tr("Neither A nor B carries the parameters it was made with.");
    return has_b
               ? tr("A does not carry the parameters it was made with, so there is nothing to compare those of B with.")
               : tr("B does not carry the parameters it was made with, so there is nothing to compare those of A "
                    "with.");
}

void DifferencesPanel::fill() {
    if (reading_) return; // called again when the requests of the new sources are there
    table_->clear();
    Json a = request_a_, b = request_b_;
    const bool both = a_.there && b_.there && a.is_object() && b.is_object();
    if (!both) {
        nothing_->set_text(why_empty(a.is_object(), b.is_object()));
        stack_->setCurrentIndex(0);
        emit told_apart({}, {});
        return;
    }
    // A file does not say how many threads made it, as its bytes are the same with any number.
    if (a_.run.isEmpty() || b_.run.isEmpty())
        for (Json* each : {&a, &b}) each->erase("threads");
    const Colours& c = colours(palette());
    int differ = 0;
    for (const app::RequestLine& line : app::request_lines(a, b)) {
        differ += !line.same;
        if (line.same && only_->isChecked()) continue;
        auto* item = new QTreeWidgetItem(table_, {app::field_title(line.field), line.a, line.b});
        item->setToolTip(0, item->text(0));
        item->setToolTip(1, line.a);
        item->setToolTip(2, line.b);
        if (line.same) continue;
        item->setForeground(1, c.a);
        item->setForeground(2, c.b);
    }
    const bool one_run = !a_.run.isEmpty() && a_.run == b_.run;
    if (differ == 0) {
        auto* item = new QTreeWidgetItem(table_, {one_run ? tr("A and B are the same run") : tr("nothing differs")});
        item->setFlags(Qt::NoItemFlags);
        item->setFirstColumnSpanned(true);
    }
    // If no row can be chosen, there is nothing to do by keyboard.
    table_->setFocusPolicy(table_->topLevelItem(0)->flags() & Qt::ItemIsEnabled ? Qt::StrongFocus : Qt::NoFocus);
    stack_->setCurrentIndex(1);
    fit_names();
    if (one_run) return emit told_apart({}, tr("the same run"));
    // The name of a run contains its seed, that of a file need not.
    const QStringList of_runs = app::told_apart({a, b}, {QStringLiteral("seed")}), of_files = app::told_apart({a, b});
    emit told_apart((a_.run.isEmpty() ? of_files : of_runs)[0], (b_.run.isEmpty() ? of_files : of_runs)[1]);
}

QList<QStringList> DifferencesPanel::rows() const {
    QList<QStringList> all;
    for (int i = 0; i < table_->topLevelItemCount(); ++i) {
        const auto* item = table_->topLevelItem(i);
        all.append({item->text(0), item->text(1), item->text(2)});
    }
    return all;
}

} // namespace denoir::ui
