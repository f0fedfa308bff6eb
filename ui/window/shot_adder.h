// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QStringList>

class QWidget;

namespace denoir::app {
struct Issue;
class ResultPlacer;
class Settings;
} // namespace denoir::app

namespace denoir::ui {

class Banners;
class Layouts;
class StatusLine;
class TimelineView;

/// Adds runs and files to the end of the cut and shows the progress; offers results that are held back. Borrows all.
class ShotAdder : public QObject {
    Q_OBJECT
public:
    ShotAdder(TimelineView& timeline, app::ResultPlacer& results, const Layouts& layouts, Banners& banners,
              StatusLine& status, app::Settings& settings, QWidget& window);
    void add(const QStringList& paths); ///< ignores empty ones
    void ask_for_files();               ///< videos and pictures
    void ask_for_folder();              ///< of frames

signals:
    void added_in_create(); ///< shots were added in the layout Create, which then shows the cut
    void said(const QString& text);

private:
    void show_progress();
    void tell_added(int shots, int stills);
    void tell_refused(const QList<app::Issue>& issues, int added);
    void tell_otherwise(const QStringList& videos);
    void offer_held(int held);

    TimelineView& timeline_;
    app::ResultPlacer& results_;
    const Layouts& layouts_;
    Banners& banners_;
    StatusLine& status_;
    app::Settings& settings_;
    QWidget& window_;
};

} // namespace denoir::ui
