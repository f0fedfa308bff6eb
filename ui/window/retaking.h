// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

#include "app/request/request_document.h"

namespace denoir::app {
struct Retake;
class Preparations;
class Project;
class RunQueue;
} // namespace denoir::app

namespace denoir::ui {

class Banners;

/// Makes shots of the cut again, with the prompt and the parameters that they were made with. Borrows all.
class Retaking : public QObject {
    Q_OBJECT
public:
    Retaking(const app::Project& project, const app::RequestDocument& document, app::RunQueue& queue,
             app::Preparations& inputs, Banners& banners, QObject* parent = nullptr);
    /// Puts a run in line that makes the shot of that row again, or the part of its take that it shows.
    void retake(int row);

signals:
    void begun();     ///< a run was put in line
    void empty_cut(); ///< there is no such row
    void shot_gone(); ///< the shot was removed meanwhile
    void said(const QString& text);

private:
    void put_in_line(const QString& shot, const app::Retake& retake, const QString& last);
    void offer_prompt(quint64 entry, const QString& tag, app::RequestDocument::Snapshot snapshot, const QString& words);

    const app::Project& project_;
    const app::RequestDocument& document_;
    app::RunQueue& queue_;
    app::Preparations& inputs_;
    Banners& banners_;
};

} // namespace denoir::ui
