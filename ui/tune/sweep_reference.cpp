// SPDX-License-Identifier: GPL-3.0-or-later
// The part of SweepView for the reference that clips are measured against.
#include <QMenu>

#include "app/base/text.h"
#include "app/request/field_title.h"
#include "app/studio.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "ui/tune/sweep_grid.h"
#include "ui/tune/sweep_view.h"
#include "ui/widgets/literal.h"

namespace denoir::ui {

using Reference = std::vector<std::optional<std::size_t>>;

QString SweepView::reference_text() const {
    if (!sweeps_.shown()) return {};
    const Sweep& sweep = sweeps_.shown()->sweep();
    QStringList parts;
    for (std::size_t i = 0; i < sweep.reference.size(); ++i)
        if (sweep.reference[i])
            parts << QStringLiteral("%1 %2").arg(app::field_title(app::to_qstring(sweep.axes[i].field)),
                                                 app::to_qstring(value_text(sweep.axes[i], *sweep.reference[i], 16)));
    return parts.isEmpty() ? tr("nothing measured") : tr("measured against %1").arg(parts.join(QStringLiteral(", ")));
}

void SweepView::fill_reference(QMenu* menu) {
    menu->clear();
    if (!sweeps_.shown()) return;
    const Sweep sweep = sweeps_.shown()->sweep();
    const auto add = [this](QMenu* to, const QString& text, const Reference& reference) {
        QAction* action = to->addAction(literal(text), this, [this, reference] { sweeps_.set_reference(reference); });
        action->setCheckable(true);
        action->setChecked(sweeps_.shown()->sweep().reference == reference);
    };
    add(menu, tr("Nothing"), Reference(sweep.axes.size()));
    const Reference usual = usual_reference(sweep.axes);
    if (usual != Reference(sweep.axes.size())) add(menu, tr("The usual: most steps, least cache, f32"), usual);
    if (const auto cell = grid_->current()) {
        const auto place = sweep.place(*cell);
        add(menu, tr("Only the selected clip"), Reference(place.begin(), place.end()));
    }
    menu->addSeparator();
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
        QMenu* values = menu->addMenu(app::field_title(app::to_qstring(sweep.axes[axis].field)));
        Reference reference = sweep.reference;
        reference[axis].reset();
        add(values, tr("each clip's own"), reference);
        for (std::size_t i = 0; i < sweep.axes[axis].values.size(); ++i) {
            reference[axis] = i;
            add(values, app::to_qstring(value_text(sweep.axes[axis], i, 60)), reference);
        }
    }
}

void SweepView::measure_against(std::size_t cell) {
    if (!sweeps_.shown()) return;
    const auto place = sweeps_.shown()->sweep().place(cell);
    sweeps_.set_reference({place.begin(), place.end()});
    emit said(tr("Every clip is measured against this one."));
}

} // namespace denoir::ui
