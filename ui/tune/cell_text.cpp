// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/cell_text.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QLocale>

#include "app/runs/stage_text.h"
#include "app/sweep/open_sweep.h"

namespace denoir::ui {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(denoir::ui::SweepGrid)
};

} // namespace

bool is_reference(const app::OpenSweep& sweep, std::size_t cell) {
    if (sweep.sweep().reference_of(cell)) return false;
    const auto& reference = sweep.sweep().reference;
    for (const auto& each : reference)
        if (each) return true; // it is only measured against itself
    return false;
}

bool is_compared(const SweepCell& cell) { return cell.figures && cell.figures->measured(); }

QString psnr_text(const app::OpenSweep& sweep, std::size_t cell) {
    if (!sweep.has_video(cell)) return {};
    if (is_reference(sweep, cell)) return Words::tr("reference");
    const auto& figures = sweep.cell(cell).figures;
    if (!figures) return sweep.sweep().reference_of(cell) ? QStringLiteral("…") : QString();
    if (!is_compared(sweep.cell(cell))) return QStringLiteral("–");
    return figures->psnr ? Words::tr("%1 dB").arg(QLocale().toString(*figures->psnr, 'f', 1)) : Words::tr("equal");
}

QString state_text(const app::SweepDocument::CellView& view) {
    using State = app::SweepDocument::State;
    switch (view.state) {
    case State::missing:
        return Words::tr("not rendered");
    case State::waiting:
        return Words::tr("waits");
    case State::running: {
        QString text = view.step > 0 && view.step < view.steps ? Words::tr("step %1/%2").arg(view.step).arg(view.steps)
                                                               : Words::tr("at work");
        if (const QString left = app::time_left(view.eta, view.eta_of_denoising); !left.isEmpty())
            text += QStringLiteral(" · ") + left;
        return text;
    }
    case State::done:
        return Words::tr("done");
    case State::failed:
        return Words::tr("failed");
    case State::gone:
        return Words::tr("its run was deleted");
    }
    return {};
}

QString state_text(const app::SweepDocument::CellView& view, const QFontMetrics& metrics, const QSize& room) {
    const QString whole = state_text(view);
    const QRect words = metrics.boundingRect(QRect({}, room), Qt::AlignCenter | Qt::TextWordWrap, whole);
    return words.height() <= room.height() ? whole : whole.section(QStringLiteral(" · "), 0, 0);
}

QString state_hint(const app::SweepDocument::CellView& view) {
    using State = app::SweepDocument::State;
    if (view.state == State::failed) return Words::tr("Enter: try again");
    if (view.state == State::missing || view.state == State::gone) return Words::tr("Enter: render it");
    return {};
}

} // namespace denoir::ui
