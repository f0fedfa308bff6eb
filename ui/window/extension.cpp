// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/extension.h"

#include <filesystem>
#include <utility>

#include "app/base/preparations.h"
#include "app/base/text.h"
#include "app/project/project_json.h"
#include "app/project/shot_requests.h"
#include "app/request/field_title.h"
#include "app/request/request_document.h"
#include "app/request/request_values.h"
#include "ui/docks/images_panel.h"
#include "ui/widgets/banner.h"

namespace denoir::ui {

namespace {
const QString video_key = QStringLiteral("forcing.video");

/// The titles of fields to which `request` would give another value; empty if there are none. Compares with defaults as
/// they are shown, since the request of a run has a value for every field. `picture` if it will begin with a picture.
QString replaced_in(const app::RequestDocument& document, const Request& request, bool picture) {
    QStringList titles;
    const auto compare = [&](const char* key, const char* title = nullptr) {
        const QVariant after = app::field_value(request, QLatin1String(key));
        if (after.isValid() && after != document.value(QLatin1String(key)))
            titles << app::field_title(QLatin1String(title ? title : key));
    };
    const auto compare_images = [&](const char* key, const std::filesystem::path& after) {
        const QString before = document.value(QLatin1String(key)).toString();
        if (before != app::to_qstring(after)) titles << app::field_title(QLatin1String(key));
    };
    compare("prompt");
    compare("negative_prompt");
    compare("model");
    compare("width", "size");
    compare("height", "size");
    for (const char* key : {"frames", "fps", "steps", "guidance", "shift", "sampler", "loras"}) compare(key);
    if (document.seed_locked() && !request.seed) titles << app::field_title(QStringLiteral("seed"));
    if (!picture)
        compare_images("image", request.image);
    else if (!document.asked().image.empty())
        titles << app::field_title(QStringLiteral("image"));
    compare_images("last_image", request.last_image);
    titles.removeDuplicates(); // width and height have the same
    return titles.join(QStringLiteral(", "));
}

} // namespace

Extension::Extension(const app::Project& project, app::RequestDocument& document, app::Preparations& inputs,
                     ImagesPanel& images, Banners& banners, QObject* parent)
    : QObject(parent), project_(project), document_(document), inputs_(inputs), images_(images), banners_(banners) {
    connect(&project_, &app::Project::loaded, this, &Extension::end);
    connect(&project_, &app::Project::step_changed, this, [this](int step) {
        if (step < step_) end();
    });
    connect(&project_, &app::Project::shot_split, this, [this](const QString& first, const QString& second) {
        if (auto place = app::ResultPlace::of_tag(tag_); place && place->split(first, second)) tag_ = place->tag();
    });
    connect(&document_, &app::RequestDocument::changed, this, &Extension::check);
}

void Extension::begin(int row) {
    const auto& shots = project_.shots();
    if (row < 0 || row >= int(shots.size())) return emit empty_cut();
    const app::Shot& shot = shots[std::size_t(row)];
    const app::ChosenModel chosen{document_.asked(), document_.takes_image(), document_.forcing_model()};
    inputs_.put(
        this, [shot, chosen] { return app::continuation_of(shot, chosen); },
        [this, shot](const app::Continuation& how) {
            project_.row_of(shot.id) < 0 ? emit shot_gone() : take(shot, how);
        });
}

void Extension::take(const app::Shot& shot, const app::Continuation& how) {
    if (!how.possible)
        return emit said(tr("Extending starts from the shot's last picture, and this model takes no start image. "
                            "Choose one that does."));
    const bool still = shot.current().still(), goes_on = !still && how.last.isNull();
    const QString label = tr("Extend the shot");
    Request request = how.request ? *how.request : document_.to_keep(); // without a seed that is not locked
    const bool other = goes_on || how.request || !request.last_image.empty();
    if (goes_on)
        request = app::extension_of(shot, request);
    else
        request.last_image.clear(); // it was for another clip
    const QString replaced = replaced_in(document_, request, !goes_on);
    if (other) document_.restore(request, label);
    if (!goes_on) images_.take(ImagesPanel::Side::start, {still ? shot.current().video : QString(), how.last});
    tag_ = app::ResultPlace{{shot.id}, {}, {app::new_id()}}.tag();
    // The picture comes later, as an undo step of its own.
    step_ = project_.step() + (goes_on ? 0 : 1);
    video_ = goes_on ? document_.value(video_key).toString() : QString();
    tell(shot, goes_on, replaced);
}

void Extension::tell(const app::Shot& shot, bool goes_on, const QString& replaced) {
    QString words = shot.current().still()
                        ? tr("Generate now makes “%1” move: a clip that begins with it comes after it.")
                    : goes_on ? tr("Generate now continues “%1” with its last pictures; the result comes after it.")
                              : tr("Generate now continues “%1” from its last picture; the result comes after it.");
    const auto not_now = [this] { decline(); };
    words = words.arg(app::shortened(shot.title(), 60));
    if (!replaced.isEmpty()) words += QLatin1Char(' ') + tr("Changed for it: %1.").arg(replaced);
    banners_.show_banner(QStringLiteral("extend"), Banners::Kind::info, words, {{tr("Not now"), not_now}}, 0, not_now);
}

void Extension::decline() {
    end();
    emit said(tr("What is made next does not go to the timeline."));
}

/// Ends it if the request no longer continues the shot.
void Extension::check() {
    if (video_.isEmpty() || document_.value(video_key).toString() == video_) return;
    end(); // it was undone, or the clip continues another video
}

void Extension::finish() {
    if (active()) {
        // A start image stays, as it can be seen and most models need one.
        emit said(document_.asked().image.empty()
                      ? tr("The next clip stands on its own again.")
                      : tr("The next clip begins with the same picture, and stands on its own."));
        if (!video_.isEmpty()) images_.begin_anew();
    }
    end();
}

void Extension::end() {
    if (std::exchange(tag_, {}).isEmpty()) return;
    banners_.remove(QStringLiteral("extend"));
}

} // namespace denoir::ui
