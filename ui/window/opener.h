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

/// Finds out what a dropped file or folder is, or one named on the command line. Opens requests and sweeps itself; for
/// anything else it emits the signal of that kind. Borrows all. GUI thread.
class Opener : public QObject {
    Q_OBJECT
public:
    Opener(app::RequestDocument& document, app::SweepDocument& sweeps, Banners& banners, QWidget& window);
    /// A run folder, project, video, picture, request, sweep, trace, LoRA or model.
    void open(const QString& path);
    /// Opens one after the other. `compares`: two clips or runs are opened as a pair, pair_chosen().
    void open_all(const QStringList& paths, bool compares);
    /// Opens what was dropped together: traces are compared, LoRAs are added to the request, two pictures become start
    /// and end image, two clips are compared, more than two become shots; anything else is opened one after the other.
    void open_together(const QStringList& files);
    /// As open_together(), but for a single picture asks, in a menu at `where` on the screen, what it is to be.
    void take_dropped(const QStringList& files, const QPoint& where);
    void ask_what_it_is(const QString& picture, const QPoint& where);
    /// Says why something cannot be opened; while several are being opened, collects the reasons and says them once.
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
