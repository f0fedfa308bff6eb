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

/// The next run goes on after a shot of the cut, and its result comes after it: until it is put in line, declined, or
/// undone. Borrows all.
class Extension : public QObject {
    Q_OBJECT
public:
    Extension(const app::Project& project, app::RequestDocument& document, app::Preparations& inputs,
              ImagesPanel& images, Banners& banners, QObject* parent = nullptr);
    /// The request becomes one that goes on after the shot of that row.
    void begin(int row);
    bool active() const { return !tag_.isEmpty(); }
    void end();
    void finish();  ///< it is put in line: what is made next goes on after nothing
    void decline(); ///< by hand, which is said
    /// Where the results of the next run belong, as RunQueue::add() takes it, the same until the end or a split; empty:
    /// nowhere.
    const QString& tag() const { return tag_; }

signals:
    void empty_cut(); ///< there is no such row
    void shot_gone(); ///< meanwhile
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
    QString tag_;   ///< empty: none
    QString video_; ///< the next run goes on after this; empty: it begins with a picture
    int step_ = 0;  ///< Project::step() as it began
};

} // namespace denoir::ui
