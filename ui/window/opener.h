// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QPoint>
#include <QStringList>

#include <optional>

class QWidget;

namespace denoir {
struct Request;
}

namespace denoir::app {
class RequestDocument;
class SweepDocument;
} // namespace denoir::app

namespace denoir::ui {

class Banners;

/// Knows what a file or folder is, as dropped or named on the command line: requests and sweeps it opens itself, of
/// anything else it tells by the signal of its kind. Borrows all.
class Opener : public QObject {
    Q_OBJECT
public:
    Opener(app::RequestDocument& document, app::SweepDocument& sweeps, Banners& banners, QWidget& window);
    /// A run folder, project, video, picture, request, sweep, trace, LoRA or model.
    void open(const QString& path);
    /// One after the other; two clips or runs together where those are compared.
    void open_all(const QStringList& paths, bool compares);
    /// What was dropped together, none left out: traces are compared, LoRAs put into the request; two pictures are the
    /// ends of a clip, two clips are compared, more of them are shots.
    void open_together(const QStringList& files);
    /// As open_together(); of one picture it is asked, at `where` on the screen, what it is to be.
    void take_dropped(const QStringList& files, const QPoint& where);
    void ask_what_it_is(const QString& picture, const QPoint& where);
    /// Says why something cannot be opened; of what was opened together, all of it at once.
    void refuse(const QString& why);
    /// `request`: JSON that the file at `path` carries.
    void offer_request(const QString& request, const QString& path);

signals:
    void project_chosen(const QString& path);
    void run_chosen(const QString& run);
    void clip_chosen(const QString& path); ///< a video, picture or folder of frames, or nothing known
    void pair_chosen(const QString& a, const QString& b);
    void shots_chosen(const QStringList& clips);
    void start_chosen(const QString& picture);
    void end_chosen(const QString& picture);
    void traces_chosen(const QStringList& files);
    void loras_chosen(const QStringList& files);
    void models_chosen(const QString& path);
    void sweep_found();  ///< and is opened now, or its axes are
    void sweep_opened(); ///< its clips can be looked at
    void said(const QString& text);

private:
    void open_request(const QString& path);
    /// False: it is no sweep's folder, sweep.json or file with axes.
    bool open_sweep(const QString& path);
    void take(Request request);
    bool open_sweep_file(const QString& path);
    void show_sweep(const QString& folder);
    void open_clips(const QStringList& clips);
    void open_each(const QStringList& paths);

    app::RequestDocument& document_;
    app::SweepDocument& sweeps_;
    Banners& banners_;
    QWidget& window_;
    std::optional<QStringList> refused_; ///< while several are being opened
};

} // namespace denoir::ui
