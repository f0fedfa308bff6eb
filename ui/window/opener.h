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

/// Opens dropped files and folders, and those named on the command line, once another thread has found out what they
/// are (app/found.h): requests and sweeps itself, anything else by emitting the signal for its kind. They are opened in
/// the order of the calls. Borrows all. GUI thread.
class Opener : public QObject {
    Q_OBJECT
public:
    Opener(app::RequestDocument& document, app::SweepDocument& sweeps, Banners& banners, QWidget& window);
    ~Opener() override { end_.request_stop(); } ///< then waits for the file that is being looked at
    /// Opens a run folder, project, video, picture, request, sweep, trace, LoRA or model.
    void open(const QString& path);
    /// Whether a file is being looked at.
    bool busy() const { return answered_ < asked_; }
    /// Opens one after the other. If `compares`, two clips or runs are opened as a pair, pair_chosen(). `otherwise` is
    /// called first if there is neither a clip nor an undamaged run among them.
    void open_all(const QStringList& paths, bool compares, std::function<void()> otherwise = {});
    /// Opens what was dropped together: traces are compared, LoRAs are added to the request, two pictures become start
    /// and end image, two clips are compared, more than two become shots; anything else is opened one after the other.
    /// For a single picture, a menu at `where` on the screen asks what it is to be.
    void take_dropped(const QStringList& files, const QPoint& where);
    /// Opens what was dropped on the picture, on the side of A or B: two clips are shown as a pair, one clip on its
    /// side, except that a run as A is opened as usual. Anything else is opened as by take_dropped().
    void take_dropped_on(app::Side side, const QStringList& files, const QPoint& where);
    /// Says why something cannot be opened; while several are being opened, collects the reasons and says them
    /// together.
    void refuse(const QString& why);
    /// Offers to use `request`, JSON that the file at `path` carries. Does nothing for a run in the list of runs, from
    /// which it can be restored.
    void offer_request(const QString& request, const QString& path);
    /// Puts that request, which has made what is at `path`, into the parameters.
    void restore_made(const QString& request, const QString& path);

signals:
    void project_chosen(const QString& path, const std::shared_ptr<const denoir::app::ProjectContent>& content);
    void run_chosen(const QString& run);
    void clip_chosen(const QString& path); ///< a video, picture or folder of frames, or a file of an unknown kind
    void side_chosen(denoir::app::Side side, const QString& clip); ///< replaces what is shown there
    void pair_chosen(const QString& a, const QString& b);
    void shots_chosen(const QStringList& clips);
    void start_chosen(const QString& picture);
    void end_chosen(const QString& picture);
    void traces_chosen(const QStringList& files);
    void loras_chosen(const QStringList& files);
    void models_chosen(const QString& path);
    void sweep_found();  ///< a sweep is going to be opened, or its axes are
    void sweep_opened(); ///< its clips can be looked at
    void said(const QString& text);

private:
    /// Looks at `paths` on the other thread, then calls `use` on this one with what each of them is, in the same order.
    void look(const QStringList& paths, std::function<void(const std::vector<app::Found>&)> use);
    /// Does `work` on the other thread, then calls `use` on this one with its result. `name` is that of the file, to be
    /// shown if it takes long.
    template <class Work, class Use> void ask(const QString& name, Work work, Use use);
    void tell_if_slow(int number, const QString& name); ///< says it if the call of ask() with that number takes long
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
    std::optional<QStringList> refused_; ///< reasons that refuse() collects while several are being opened
    int asked_ = 0, answered_ = 0;
    std::stop_source end_;
    QThreadPool pool_; ///< declared last, so that it is joined before the rest is destroyed
};

} // namespace denoir::ui
