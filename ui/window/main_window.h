// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QMainWindow>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/clips/player.h"
#include "app/compare/layer_comparison.h"
#include "app/request/remembered_request.h"
#include "app/runs/engine_worker.h"
#include "ui/actions/action_table.h"
#include "ui/studio.h"
#include "ui/window/layouts.h"
#include "ui/window/status_line.h"

namespace denoir::ui {

class Banners;
class CommandPalette;
class CompareBar;
class DifferencesPanel;
class Docks;
class Exports;
class ImagesPanel;
class LayersPanel;
class LogPanel;
class MetricsView;
class ModelsPanel;
class ParametersPanel;
class PreviewView;
class ProjectFiles;
class PromptPanel;
class QueuePanel;
class RunsPanel;
class StepsPanel;
class SweepTable;
class SweepView;
class TimelineView;

/// The studio's window: one picture in the middle, docks around it, every action in one table.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(Studio& studio, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Puts the window back where it was closed last; before it is shown.
    void restore_place();
    /// Puts back what was there when the window closed last, or a sample; offers what a crash left; begins to feed the
    /// engine.
    void begin(Layout layout);
    /// begin() for a picture of the window: remembered request and newest run, but nothing is started, asked or stored.
    void begin_for_picture(Layout layout);
    ActionTable& actions() { return actions_; }
    Layouts& layouts() { return *layouts_; }
    PreviewView& preview() { return *preview_; }
    Banners& banners() { return *banners_; }
    /// A run folder, project, video, picture, request or model folder, as dropped or named on the command line.
    void open_path(const QString& path);
    void show_file(const QString& path); ///< a video, a picture, a folder of frames
    /// One after the other; two clips or runs in the layout Compare become A and B.
    void open_paths(const QStringList& paths);
    /// The run in the preview, A; empty: none.
    const QString& shown_run() const { return shown_run_; }

public slots:
    void generate(bool next = false);
    void show_run(const QString& run, bool select = true); ///< and selects it in the list
    void compare(const QString& a, const QString& b);
    void branch(const QString& run, int step);
    void say(const QString& text);

protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    // main_window.cpp
    void make_docks();
    void name_keys(); ///< where they stand in a text
    void connect_parts();
    void layout_shown(Layout layout);
    void update_title();
    /// An export or a draft would be lost by quitting, and whoever quits is told of it first.
    bool keeps_export();
    // main_window_begin.cpp
    void show_newest();
    void offer_to_resume(); ///< the run that a crash interrupted
    // main_window_actions.cpp
    QAction* add_action(const char* id, const QString& group, const QString& text, const QList<QKeySequence>& keys,
                        const char* picture, std::function<void()> act);
    void make_actions();
    void make_file_actions();
    void make_edit_actions();
    void make_view_actions();
    void make_run_actions();
    void make_play_actions();
    void make_compare_actions();
    void make_timeline_actions();
    void make_help_actions();
    void make_menus();
    void play_or_pause();
    void step_frames(int frames);
    void say_only_in_preview(); ///< in the layout that has none
    void shuttle(int direction);
    bool timeline_has_focus() const;
    // main_window_runs.cpp
    void connect_runs();
    void run_created(const QString& run, int steps, const Request& request);
    void run_finished(const app::RunResult& result);
    void entry_ended(quint64 id, int state, const QString& run);
    void show_step(const QImage& picture, const QString& label);
    void show_live();   ///< the steps of the run at work
    void look_away();   ///< something else is looked at now than the run at work
    void tell_branch(); ///< as long as the request is one: nothing else shows it
    void clip_opened(app::Side side, const QString& name, const QString& run);
    void begin_editing(quint64 id);
    void show_layers();
    void show_log(quint64 entry = 0); ///< of the queue; 0: everything
    void show_failure(const QString& run);
    void queue_failing(const app::Issue& issue);
    // main_window_files.cpp
    void ask_start_or_end(const QString& picture, const QPoint& where);
    void offer_request(const QString& request, const QString& path);
    void take_loras(const QStringList& files);
    void take_dropped(const QStringList& files);
    // main_window_tune.cpp
    void make_tune_actions();
    void connect_tune();
    bool tunes() const; ///< the layout Tune is shown
    void leave_tune();  ///< for what is looked at in the preview, which that layout has not
    void start_sweep();
    /// A sweep's folder, its sweep.json, or a file with axes. False: it is none.
    bool open_sweep(const QString& path);
    // main_window_shots.cpp
    void connect_shots();
    void add_to_timeline(const QStringList& runs);
    /// Asks for videos and pictures, or for one folder of frames; they come to the end of the cut.
    void ask_for_shots(bool folder);
    void shots_added(int shots, int stills = 0);
    void say_empty_cut();
    void say_shot_is_gone();
    void extend(int row);
    void check_extension(); ///< the request may not be one any more
    void end_extension();
    /// Undo went back to this step: what began after it, editing a waiting run or extending a shot, is over.
    void check_undone(int step);
    void retake(int row);
    void offer_held(int held); ///< results that are held back from the timeline

    Studio& studio_;
    ActionTable actions_;
    std::unique_ptr<Layouts> layouts_;
    Banners* banners_;
    ProjectFiles* files_;
    CompareBar* compare_bar_;
    PreviewView* preview_;
    CommandPalette* palette_;
    PromptPanel* prompt_;
    ImagesPanel* images_;
    ParametersPanel* parameters_;
    RunsPanel* runs_;
    QueuePanel* queue_;
    ModelsPanel* models_;
    TimelineView* timeline_;
    MetricsView* metrics_;
    DifferencesPanel* differences_;
    StatusLine* status_;
    SweepView* tune_;
    SweepTable* sweep_table_;
    Exports* exports_;
    app::LayerComparison layer_comparison_;
    LayersPanel* layers_panel_;
    LogPanel* log_;
    StepsPanel* steps_;
    Docks* docks_;
    app::RememberedRequest remembered_;
    QString shown_run_, shown_b_;
    QString deleted_while_shown_;              ///< run that its deletion took out of the preview
    QString b_of_compare_;                     ///< while another layout is shown
    bool for_picture_ = false;                 ///< nothing is stored
    bool watching_ = true;                     ///< the run at work comes into the preview by itself
    std::vector<bool> generate_when_resolved_; ///< `next` of each that was asked for while the request was resolved
    bool play_when_opened_ = false;
    quint64 editing_ = 0;                    ///< waiting entry whose request is being edited
    int editing_step_ = 0, extend_step_ = 0; ///< of the undo stack, as the edit or extension began
    QString extend_shot_;                    ///< the next run comes after it; empty: after none
    QString extend_video_;                   ///< that run goes on after this; empty: it begins with a picture
};

} // namespace denoir::ui
