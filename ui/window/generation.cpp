// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/generation.h"

#include <utility>

#include "app/base/engine_text.h"
#include "app/base/preparations.h"
#include "app/request/prompt_history.h"
#include "app/request/request_document.h"
#include "app/runs/run_queue.h"
#include "app/sweep/sweep_document.h"
#include "ui/docks/parameters_panel.h"
#include "ui/window/entry_editing.h"
#include "ui/window/extension.h"

namespace denoir::ui {

Generation::Generation(const Parts& parts, ParametersPanel& parameters, EntryEditing& editing, Extension& extension,
                       QObject* parent)
    : QObject(parent), parts_(parts), parameters_(parameters), editing_(editing), extension_(extension) {
    connect(&parts_.document, &app::RequestDocument::resolved_changed, this, &Generation::generate_waiting);
    connect(&parts_.inputs, &app::Preparations::finished, this, &Generation::generate_waiting);
    // Nothing is generated without the inputs that were there when it was asked for.
    connect(&parts_.inputs, &app::Preparations::dropped, this, &Generation::give_up);
    connect(&parts_.inputs, &app::Preparations::failed, this, [this](const app::Issue& issue) {
        give_up();
        emit said(issue.line());
    });
}

/// Accepts what is still being typed. Returns false, and says so, if a field holds no valid value.
bool Generation::commit() {
    const QString refusal = parameters_.commit();
    if (refusal.isEmpty()) return true;
    emit refused();
    emit said(refusal);
    return false;
}

bool Generation::give_up() {
    const bool sweep = std::exchange(sweep_waits_, false), sweep_resolved = parts_.sweeps.give_up();
    return !std::exchange(waiting_, {}).empty() || sweep || sweep_resolved;
}

bool Generation::waits() const { return parts_.document.pending() || parts_.inputs.busy(); }

void Generation::generate_waiting() {
    if (waits()) return;
    while (!waiting_.empty() && !waits()) {
        const bool next = waiting_.front();
        waiting_.erase(waiting_.begin());
        generate(next);
    }
    if (std::exchange(sweep_waits_, false)) sweep();
}

void Generation::generate(bool next) {
    if (!commit()) return;
    const auto& document = parts_.document;
    if (parts_.inputs.busy() || (!document.valid() && document.pending())) return waiting_.push_back(next);
    if (!document.valid()) {
        const auto issues = document.issues();
        emit said(issues.isEmpty() ? tr("This request cannot start yet.") : issues.constFirst().line());
        emit refused();
        return;
    }
    emit begun();
    parts_.prompts.add(QString::fromStdString(document.asked().prompt));
    if (editing_.active()) {
        if (editing_.put(document.snapshot())) return emit said(tr("The waiting run was changed."));
        emit said(tr("That run has begun meanwhile: this one is put in line as a new one."));
    }
    put_in_line(next);
}

void Generation::put_in_line(bool next) {
    const int copies = parameters_.copies();
    const QString tag = extension_.tag();
    for (int i = 0; i < copies; ++i) // if `next`, in reverse, so that the first of them ends up first
        parts_.queue.add(parts_.document.snapshot(next ? copies - 1 - i : i), next, tag);
    if (waiting_.empty()) extension_.finish(); // otherwise Generate was pressed again, for runs that extend it as well
    if (parts_.queue.paused()) emit said(tr("The queue is paused: it waits there."));
}

void Generation::sweep() {
    auto& sweeps = parts_.sweeps;
    if (!commit() || sweeps.starting()) return;
    sweep_waits_ = parts_.inputs.busy();
    if (sweep_waits_) return;
    if (!sweeps.axes().issue().isEmpty()) return emit said(app::words(sweeps.axes().issue()));
    parts_.prompts.add(QString::fromStdString(parts_.document.asked().prompt));
    sweeps.start();
}

} // namespace denoir::ui
