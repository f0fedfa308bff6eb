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

/// The parameters are those of a run that waits in the queue, and go back into it instead of into a new one: until that
/// is done, declined, or undone. Borrows all.
class EntryEditing : public QObject {
    Q_OBJECT
public:
    EntryEditing(app::RunQueue& queue, const app::Project& project, Banners& banners, QObject* parent = nullptr);
    void begin(quint64 entry); ///< 0: ends it
    void end() { begin(0); }
    bool active() const { return entry_ != 0; }
    /// Ends it. False: the run has begun meanwhile.
    bool put(const app::RequestDocument::Snapshot& snapshot);

private:
    app::RunQueue& queue_;
    const app::Project& project_;
    Banners& banners_;
    quint64 entry_ = 0; ///< 0: none
    int step_ = 0;      ///< Project::step() as it began
};

} // namespace denoir::ui
