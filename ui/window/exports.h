// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QObject>

#include <functional>

#include "app/exports.h"
#include "app/runs/draft_decoder.h"
#include "ui/studio.h"
#include "ui/window/status_line.h"

class QWidget;

namespace denoir::ui {

class ActionTable;
class Banners;
class PreviewView;

/// What is written into files of the user's: the cut, what a comparison or a sweep shows, drafts of steps. Asks where;
/// how far it is stands in the status line, what came of it in a banner. Borrows all.
class Exports : public QObject {
    Q_OBJECT
public:
    Exports(Studio& studio, const ActionTable& actions, PreviewView& preview, Banners& banners, StatusLine& status,
            QWidget& window);
    /// The cut has a shot.
    void export_cut();
    void export_comparison(app::ComparisonExport kind); ///< of A and B in the preview
    void export_sweep(app::SweepExport kind);           ///< the one that is shown
    void keep_draft(const QString& run, int step);

    bool running() const; ///< anything but a draft
    bool keeps_draft() const { return !kept_drafts_.isEmpty(); }
    void cancel();      ///< one of those that running() tells of, the cut first
    bool stop_drafts(); ///< false: there are none
    void stop_all();

signals:
    void said(const QString& text);
    void open_requested(const QString& path); ///< what was written
    void shot_missing(int row);               ///< the cut cannot be exported: this shot's pictures are not there
    void empty_cut();                         ///< there is nothing to be exported

private:
    void connect_cut();
    void look_again();
    void forget_missed();
    void say_looking();
    void ask_for_cut();
    void tell_missing(int row);
    void connect_exporter();
    void connect_drafts();
    void write_cut(const QString& out);
    void show_cut_at_work();
    void tell_cut_at_work(); ///< to who asks for another
    /// A banner whose button stops this export alone: Esc would stop the run at work first.
    void show_at_work(const QString& banner, const QString& out, const QString& stop_text,
                      const std::function<void()>& stop);
    /// Asks where to write; where that failed, again_ asks once more.
    void ask(const QString& title, const QString& name, const QString& filters,
             const std::function<void(const QString&)>& take);
    void write(const QString& out, app::Exporter::Work work);
    void say_at_work();
    bool draft_ended(app::DraftId draft); ///< false: it was not one to be kept
    void end_task(StatusLine::Task task);

    Studio& studio_;
    const ActionTable& actions_;
    PreviewView& preview_;
    Banners& banners_;
    StatusLine& status_;
    QWidget& window_;
    app::Exporter exporter_{this}; ///< of comparisons and sweeps
    std::function<void()> again_;  ///< asks where to write what exporter_ is at
    QString out_, cut_out_;        ///< where that is written to, and the cut
    QString missed_;               ///< the shot because of which the cut could not be exported
    bool looks_ = false;           ///< for the files of the cut
    bool looks_again_ = false;     ///< for that of the shot that was missing
    struct Kept {
        QString run, out;
        int step = 0;
    };
    QHash<app::DraftId, Kept> kept_drafts_; ///< being written
};

} // namespace denoir::ui
