// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/branching.h"

#include "app/base/preparations.h"
#include "app/base/text.h"
#include "app/request/request_document.h"
#include "engine/session/branch.h"
#include "ui/widgets/banner.h"

namespace denoir::ui {

namespace {
const QString start_key = QStringLiteral("start");
} // namespace

Branching::Branching(app::RequestDocument& document, app::Preparations& inputs, Banners& banners, QObject* parent)
    : QObject(parent), document_(document), inputs_(inputs), banners_(banners) {
    connect(&document_, &app::RequestDocument::changed, this, [this](const QStringList& keys) {
        if (keys.contains(start_key)) tell();
    });
}

void Branching::branch(const QString& run, int step) {
    if (run.isEmpty() || step < 0) return emit said(tr("Pick a step in the strip first."));
    if (step == 0)
        return emit said(tr(
            "Step 0 is the noise: a branch from it is a new run with the same seed. Restore the run's parameters, then "
            "Generate; or pick a later step."));
    inputs_.put(
        this, [run, step] { return branch_of(app::to_path(run), step); }, // reads and hashes files
        [this, step](const Request& request) {
            document_.restore_branch(request, tr("Branch after step %1").arg(step));
            emit prepared();
        });
}

bool Branching::active() const { return document_.asked().start.has_value(); }

void Branching::end() {
    document_.reset(start_key);
    emit said(tr("The next run begins with its first step again; undo brings the branch back."));
}

void Branching::tell() {
    const auto& start = document_.asked().start;
    if (!start) return banners_.remove(QStringLiteral("branch"));
    const auto anew = [this] { document_.reset(start_key); };
    banners_.show_banner(QStringLiteral("branch"), Banners::Kind::info,
                         tr("Change guidance or prompt, then Generate: the first %n step(s) are not computed again.",
                            nullptr, start->step),
                         {{tr("From the beginning instead"), anew}}, 0, [this] { end(); });
}

} // namespace denoir::ui
