// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep/sweep_measurer.h"

#include "app/base/issue.h"
#include "app/base/text.h"
#include "app/clips/exact_clip.h"
#include "app/sweep/open_sweep.h"
#include "engine/pipeline/run_layout.h"

namespace denoir::app {
namespace {

std::filesystem::path exact_frames(const std::filesystem::path& run, const std::stop_token& stop) {
    return to_path(exact_clip(to_qstring(run), stop, [](double, double) {}));
}

} // namespace

SweepMeasurer::SweepMeasurer(QObject* parent) : QObject(parent) { qRegisterMetaType<SweepCell::Figures>(); }

void SweepMeasurer::measure(const OpenSweep& open) {
    for (std::size_t i = 0; i < open.size(); ++i) {
        const auto against = open.sweep().reference_of(i);
        if (!against || open.cell(i).figures || !open.has_video(i) || !open.has_video(*against)) continue;
        const std::filesystem::path cell = open.cell(i).run, reference = open.cell(*against).run;
        const QString question = QStringLiteral("%1|%2|%3").arg(*against).arg(to_qstring(cell), to_qstring(reference));
        Asked& asked = asked_[open.path()][i];
        if (asked.question == question) continue;
        thread_.cancel(asked.task); // it measures what the cell and its reference were before
        asked.question = question;
        asked.task = thread_.put([this, path = open.path(), i, index = *against, cell,
                                  reference](TaskThread::Id task, const std::stop_token& stop) {
            SweepCell::Figures figures;
            try {
                figures = figures_of(cell, reference, index, stop);
            } catch (const Cancelled&) {
                return;
            } catch (...) {
                // In the form of SweepMeter's notes: untranslated, since they are translated where they are shown.
                const Issue issue = Issue::from_current_exception();
                figures.note = QStringList{issue.field, issue.message}.join(QLatin1Char(' ')).trimmed().toStdString();
            }
            figures.reference = index;
            QMetaObject::invokeMethod(this, [this, task, path, i, figures] {
                if (asked_.value(path).value(i).task != task) return; // forgotten or asked anew meanwhile
                asked_[path].remove(i);
                emit measured(path, quint64(i), figures);
            });
        });
    }
}

/// Measures decoded latents if both runs have kept theirs and they can be decoded, else the videos. If both are the
/// same run, its video will do.
SweepCell::Figures SweepMeasurer::figures_of(const std::filesystem::path& cell, const std::filesystem::path& reference,
                                             std::size_t index, const std::stop_token& stop) {
    const auto measure = [&](const std::filesystem::path& a, const std::filesystem::path& b) {
        return meter_.figures(a, b, index, {}, stop);
    };
    const auto measure_videos = [&] { return measure(cell / run_file::video, reference / run_file::video); };
    if (cell == reference) return measure_videos();
    if (!has_exact_clip(to_qstring(cell)) || !has_exact_clip(to_qstring(reference))) return measure(cell, reference);
    std::filesystem::path a, b;
    try {
        a = exact_frames(cell, stop);
        b = exact_frames(reference, stop);
    } catch (const Error&) { // such as a missing model or a full disk; the videos are still there
        auto figures = measure_videos();
        // Without figures, the note says already why there are none.
        if (figures.note.empty())
            figures.note = "of the videos: the latents could not be decoded";
        else if (figures.measured())
            figures.note = "of the videos, the latents could not be decoded: " + figures.note;
        return figures;
    }
    return measure(a, b);
}

void SweepMeasurer::forget(const QString& path) {
    for (const Asked& asked : asked_.take(path)) thread_.cancel(asked.task);
}

} // namespace denoir::app
