// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/retaking.h"

#include <utility>

#include "app/base/preparations.h"
#include "app/base/text.h"
#include "app/project/project.h"
#include "app/project/shot_requests.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "engine/core/own_folders.h"
#include "engine/pipeline/seed.h"
#include "ui/docks/seen_images.h"
#include "ui/widgets/banner.h"

namespace denoir::ui {

Retaking::Retaking(const app::Project& project, const app::RequestDocument& document, app::RunQueue& queue,
                   app::Preparations& inputs, Banners& banners, QObject* parent)
    : QObject(parent), project_(project), document_(document), queue_(queue), inputs_(inputs), banners_(banners) {}

void Retaking::retake(int row) {
    const auto& shots = project_.shots();
    if (row < 0 || row >= int(shots.size())) return emit empty_cut();
    const app::Shot& shot = shots[std::size_t(row)];
    if (shot.current().run.isEmpty())
        return emit said(tr("This shot does not carry the request it was made with, so it cannot be made again."));
    struct Found {
        app::Retake retake;
        QString last; ///< file of the picture that follows the new frames
    };
    inputs_.put(
        this,
        [shot, to = app::to_qstring(data_folder() / "images")] {
            Found found{app::retake_of(shot, app::RunHistory::record(shot.current().run).request), {}};
            if (found.retake.end) found.last = kept_picture(app::frame_of(shot.current(), *found.retake.end), to);
            return found;
        },
        [this, id = shot.id](const Found& found) {
            project_.row_of(id) < 0 ? emit shot_gone() : put_in_line(id, found.retake, found.last);
        });
}

void Retaking::put_in_line(const QString& shot, const app::Retake& retake, const QString& last) {
    app::RequestDocument::Snapshot snapshot;
    snapshot.request = retake.request;
    snapshot.request.seed = draw_seed();
    if (!last.isEmpty()) snapshot.request.last_image = app::to_path(last);
    emit begun();
    const QString tag = app::ResultPlace{{shot}, retake.part, {}}.tag();
    const quint64 entry = queue_.add(snapshot, false, tag);
    const QString words = retake.part ? tr("This part of the shot is made again with the shot's own prompt and "
                                           "parameters; the new take joins it when it is done.")
                                      : tr("The new take is made with the shot's own prompt and parameters; it joins "
                                           "the shot when it is done.");
    if (snapshot.request.prompt == document_.asked().prompt) return emit said(words);
    offer_prompt(entry, tag, std::move(snapshot), words);
}

/// Offers to use the prompt in the window, which differs from that of the shot.
void Retaking::offer_prompt(quint64 entry, const QString& tag, app::RequestDocument::Snapshot snapshot,
                            const QString& words) {
    banners_.show_banner(QStringLiteral("retake"), Banners::Kind::info, words,
                         {{tr("With the prompt as it is now"),
                           [this, entry, tag, snapshot]() mutable {
                               const app::RequestDocument::Snapshot now = document_.snapshot();
                               snapshot.request.prompt = now.request.prompt;
                               snapshot.prompt_template = now.prompt_template;
                               if (queue_.replace(entry, snapshot)) return;
                               // The run has begun, and its shot may have been split since.
                               const QModelIndex at = queue_.index(queue_.row_of(entry));
                               const QString place = at.data(app::RunQueue::TagRole).toString();
                               queue_.cancel(entry);
                               queue_.add(snapshot, false, place.isEmpty() ? tag : place);
                           }}},
                         30);
}

} // namespace denoir::ui
