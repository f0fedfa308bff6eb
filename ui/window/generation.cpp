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

Generation::Generation(const Studio& studio, ParametersPanel& parameters, EntryEditing& editing, Extension& extension,
                       QObject* parent)
    : QObject(parent), studio_(studio), parameters_(parameters), editing_(editing), extension_(extension) {
    connect(&studio_.document, &app::RequestDocument::resolved_changed, this, &Generation::generate_waiting);
    connect(&studio_.inputs, &app::Preparations::finished, this, &Generation::generate_waiting);
    // Not without what it was asked for with.
    connect(&studio_.inputs, &app::Preparations::dropped, this, &Generation::give_up);
    connect(&studio_.inputs, &app::Preparations::failed, this, [this](const app::Issue& issue) {
        give_up();
        emit said(issue.line());
    });
}

/// What is still being typed counts; a field without a value is said.
bool Generation::commit() {
    const QString refusal = parameters_.commit();
    if (refusal.isEmpty()) return true;
    emit refused();
    emit said(refusal);
    return false;
}

bool Generation::give_up() {
    const bool sweep = std::exchange(sweep_waits_, false), sweep_resolved = studio_.sweeps.give_up();
    return !std::exchange(waiting_, {}).empty() || sweep || sweep_resolved;
}

bool Generation::waits() const { return studio_.document.pending() || studio_.inputs.busy(); }

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
    const auto& document = studio_.document;
    if (studio_.inputs.busy() || (!document.valid() && document.pending())) return waiting_.push_back(next);
    if (!document.valid()) {
        const auto issues = document.issues();
        emit said(issues.isEmpty() ? tr("This request cannot start yet.") : issues.constFirst().line());
        emit refused();
        return;
    }
    emit begun();
    studio_.prompts.add(QString::fromStdString(document.asked().prompt));
    if (editing_.active()) {
        if (editing_.put(document.snapshot())) return emit said(tr("The waiting run was changed."));
        emit said(tr("That run has begun meanwhile: this one is put in line as a new one."));
    }
    put_in_line(next);
}

void Generation::put_in_line(bool next) {
    const int copies = parameters_.copies();
    const QString tag = extension_.tag();
    for (int i = 0; i < copies; ++i) // next in line: the first of them ends up first
        studio_.queue.add(studio_.document.snapshot(next ? copies - 1 - i : i), next, tag);
    if (waiting_.empty()) extension_.finish(); // else the same was asked for more than once
    if (studio_.queue.paused()) emit said(tr("The queue is paused: it waits there."));
}

void Generation::sweep() {
    auto& sweeps = studio_.sweeps;
    if (!commit() || sweeps.starting()) return;
    sweep_waits_ = studio_.inputs.busy();
    if (sweep_waits_) return;
    if (!sweeps.axes().issue().isEmpty()) return emit said(app::words(sweeps.axes().issue()));
    studio_.prompts.add(QString::fromStdString(studio_.document.asked().prompt));
    sweeps.start();
}

} // namespace denoir::ui
