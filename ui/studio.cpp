// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/studio.h"

#include "app/studio.h"

namespace denoir::ui {

Studio::Studio(app::Studio& studio, app::FrameCache& clips, Theme& looks)
    : core(studio),
      settings(studio.settings),
      project(studio.project),
      document(studio.document),
      worker(studio.worker),
      queue(studio.queue),
      history(studio.history),
      models(studio.models),
      estimator(studio.estimator),
      tokens(studio.tokens),
      prompts(studio.prompts),
      thumbnails(studio.thumbnails),
      drafts(studio.drafts),
      frames(clips),
      exporter(studio.exporter),
      theme(looks) {}

} // namespace denoir::ui
