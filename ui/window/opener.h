// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QPoint>
#include <QStringList>
#include <QThreadPool>

#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/clips/player.h"
#include "app/found.h"

class QWidget;

namespace denoir::app {
class RequestDocument;
class SweepDocument;
} // namespace denoir::app

namespace denoir::ui {

class Banners;

/// Opens dropped files and folders, and those named on the command line, once a thread has looked at what they are
/// (app/found.h): requests and sweeps itself; for anything else it emits the signal of that kind. What is asked for
/// first is opened first. Borrows all. GUI thread.
class Opener : public QObject {
    Q_OBJECT
public:
    Opener(app::RequestDocument& document, app::SweepDocument& sweeps, Banners& banners, QWidget& window);
    ~Opener() override { end_.request_stop(); } ///< waits for the one file that is being looked at
    /// A run folder, project, video, picture, request, sweep, trace, LoRA or model.
    void open(const QString& path);
    /// Something is being looked at.
    bool busy() const { return answered_ < asked_; }
    /// Opens one after the other. `compares`: two clips or runs are opened as a pair, pair_chosen(). `otherwise` is
    /// called first if there is neither a clip nor a whole run among them.
    void open_all(const QStringList& paths, bool compares, std::function<void()> otherwise = {});
    /// Opens what was dropped together: traces are compared, LoRAs are added to the request, two pictures become start
    /// and end image, two clips are compared, more than two become shots; anything else is opened one after the other.
    /// For a single picture it is asked, in a menu at `where` on the screen, what it is to be.
    void take_dropped(const QStringList& files, const QPoint& where);
    /// What was dropped on the picture, on the side of A or B: two clips are shown there as a pair, one on its side,
    /// but a run as A is opened as elsewhere; anything else as take_dropped().
    void take_dropped_on(app::Side side, const QStringList& files, const QPoint& where);
    /// Says why something cannot be opened; while several are being opened, collects the reasons and says them once.
    void refuse(const QString& why);
    /// `request`: JSON that the file at `path` carries. Nothing is offered for a run in the list of runs, which
    /// restores it.
    void offer_request(const QString& request, const QString& path);

signals:
    void project_chosen(const QString& path, const std::shared_ptr<const denoir::app::ProjectContent>& content);
    void run_chosen(const QString& run);
    void clip_chosen(const QString& path); ///< a video, picture or folder of frames, or nothing known
    void side_chosen(denoir::app::Side side, const QString& clip); ///< in place of what is shown there
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
    /// Looks at `paths` on the other thread, then calls `use` on this one with what each of them is, in their order.
    void look(const QStringList& paths, std::function<void(const std::vector<app::Found>&)> use);
    /// Does `work` on the other thread, then calls `use` on this one with what it returns. `name`: of the file that may
    /// take its time.
    template <class Work, class Use> void ask(const QString& name, Work work, Use use);
    void tell_if_slow(int number, const QString& name); ///< the question of that number
    void ask_what_it_is(const QString& picture, const QPoint& where);
    void show_offer(const QString& request, const QString& path, const QString& name);
    void take_each(const std::vector<app::Found>& found);
    void take_together(const std::vector<app::Found>& found);
    void take_clips(const std::vector<app::Found>& clips);
    void take(const app::Found& found);
    void take_request(const app::Found& found);
    void take_axes(const app::Found& found);
    void restore(const Request& request);
    void show_sweep(const QString& folder);
    void watch(const QString& models);

    app::RequestDocument& document_;
    app::SweepDocument& sweeps_;
    Banners& banners_;
    QWidget& window_;
    std::optional<QStringList> refused_; ///< while several are being opened
    int asked_ = 0, answered_ = 0;
    std::stop_source end_;
    QThreadPool pool_; ///< last: joined before the rest goes
};

} // namespace denoir::ui
