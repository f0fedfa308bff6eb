// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>

#include "app/project/project.h"

namespace denoir::app {
struct Continuation;
class Preparations;
class RequestDocument;
} // namespace denoir::app

namespace denoir::ui {

class Banners;
class ImagesPanel;

/// Lets the next run continue a shot of the cut and places its result after it, until the run is put in line, declined
/// or undone. Borrows all.
class Extension : public QObject {
    Q_OBJECT
public:
    Extension(const app::Project& project, app::RequestDocument& document, app::Preparations& inputs,
              ImagesPanel& images, Banners& banners, QObject* parent = nullptr);
    /// Changes the request to one that continues the shot of that row.
    void begin(int row);
    bool active() const { return !tag_.isEmpty(); }
    void end();
    void finish();  ///< ends it as the run was put in line: later runs continue nothing
    void decline(); ///< ends it as the user wishes, and says so
    /// The tag for RunQueue::add(), which says where the results of the next run belong. Stays the same until the end
    /// or a split; empty if it is not active.
    const QString& tag() const { return tag_; }

signals:
    void empty_cut(); ///< there is no such row
    void shot_gone(); ///< the shot was removed meanwhile
    void said(const QString& text);

private:
    void take(const app::Shot& shot, const app::Continuation& how);
    void tell(const app::Shot& shot, bool goes_on, const QString& replaced);
    void check();

    const app::Project& project_;
    app::RequestDocument& document_;
    app::Preparations& inputs_;
    ImagesPanel& images_;
    Banners& banners_;
    QString tag_;   ///< empty if it is not active
    QString video_; ///< the video that the next run continues; empty if it begins with a picture
    int step_ = 0;  ///< Project::step() when it began
};

} // namespace denoir::ui
