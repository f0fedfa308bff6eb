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

/// Writes files for the user: the cut, what a comparison or a sweep shows, drafts of steps. Asks where; shows progress
/// in the status line and the result in a banner. Borrows all.
class Exports : public QObject {
    Q_OBJECT
public:
    Exports(Studio& studio, const ActionTable& actions, PreviewView& preview, Banners& banners, StatusLine& status,
            QWidget& window);
    /// The cut must have a shot.
    void export_cut();
    void export_comparison(app::ComparisonExport kind); ///< of A and B in the preview
    void export_sweep(app::SweepExport kind);           ///< of the sweep shown
    void keep_draft(const QString& run, int step);

    bool running() const; ///< whether anything but a draft is being written
    bool keeps_draft() const { return !kept_drafts_.isEmpty(); }
    void cancel();      ///< cancels one export that is no draft, the cut first
    bool stop_drafts(); ///< returns false if there are none
    void stop_all();

signals:
    void said(const QString& text);
    void open_requested(const QString& path); ///< a file that was written is to be opened
    void shot_missing(int row);               ///< the cut cannot be exported, as this shot's pictures are missing
    void empty_cut();                         ///< there is nothing to export

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
    void tell_cut_at_work(); ///< says that the cut is being exported already
    /// Shows a banner whose button stops only this export, as Esc would stop the run at work first.
    void show_at_work(const QString& banner, const QString& out, const QString& stop_text,
                      const std::function<void()>& stop);
    /// Asks where to write; again_ asks once more if that failed.
    void ask(const QString& title, const QString& name, const QString& filters,
             const std::function<void(const QString&)>& take);
    /// `remark` is said with what was written; may be empty.
    void write(const QString& out, app::Exporter::Work work, const QString& remark = {});
    void say_at_work();
    bool draft_ended(app::DraftId draft); ///< returns false if it was not one to be kept
    void end_task(StatusLine::Task task);

    Studio& studio_;
    const ActionTable& actions_;
    PreviewView& preview_;
    Banners& banners_;
    StatusLine& status_;
    QWidget& window_;
    app::Exporter exporter_{this}; ///< for comparisons and sweeps
    std::function<void()> again_;  ///< asks again where to write what exporter_ writes
    QString out_, cut_out_;        ///< where exporter_ writes; where the cut is written
    QString remark_;               ///< on what exporter_ writes
    QString missed_;               ///< id of the shot because of which the cut could not be exported
    bool looks_ = false;           ///< whether the files of the cut are being looked for
    bool looks_again_ = false;     ///< whether that of the missing shot is
    struct Kept {
        QString run, out;
        int step = 0;
    };
    QHash<app::DraftId, Kept> kept_drafts_; ///< being written
};

} // namespace denoir::ui
