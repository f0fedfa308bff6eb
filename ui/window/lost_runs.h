// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QStringList>

namespace denoir::app {
class RunHistory;
}

namespace denoir::ui {

class Banners;
class Opener;
class PreviewView;
class Viewer;

/// Says that another program has deleted a run that is shown, as long as it is shown and does not come back, and offers
/// what made it. Its picture stays. Borrows all.
class LostRuns : public QObject {
    Q_OBJECT
public:
    LostRuns(const app::RunHistory& history, const Viewer& viewer, const PreviewView& preview, Opener& opener,
             Banners& banners, QObject* parent);

private:
    void tell(const QStringList& lost);
    void look_again();

    const app::RunHistory& history_;
    const Viewer& viewer_;
    const PreviewView& preview_;
    Opener& opener_;
    Banners& banners_;
    QStringList told_; ///< runs of which a banner says it
};

} // namespace denoir::ui
