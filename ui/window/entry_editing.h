// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

#include "app/request/request_document.h"

namespace denoir::app {
class Project;
class RunQueue;
} // namespace denoir::app

namespace denoir::ui {

class Banners;

/// Editing a run that waits in the queue: the parameters go back into its entry instead of into a new one, until that
/// is done, declined or undone. Borrows all.
class EntryEditing : public QObject {
    Q_OBJECT
public:
    EntryEditing(app::RunQueue& queue, const app::Project& project, Banners& banners, QObject* parent = nullptr);
    void begin(quint64 entry); ///< 0 ends it
    void end() { begin(0); }
    bool active() const { return entry_ != 0; }
    /// Puts a request into the entry and ends editing. Returns false if the run has begun meanwhile.
    bool put(const app::RequestDocument::Snapshot& snapshot);

private:
    app::RunQueue& queue_;
    const app::Project& project_;
    Banners& banners_;
    quint64 entry_ = 0; ///< 0 if none is edited
    int step_ = 0;      ///< Project::step() when it began
};

} // namespace denoir::ui
