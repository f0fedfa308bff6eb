// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QMainWindow>
#include <QMap>

#include <functional>
#include <initializer_list>
#include <memory>

#include "app/clips/player.h"
#include "app/compare/layer_comparison.h"
#include "app/request/remembered_request.h"
#include "ui/actions/action_table.h"
#include "ui/studio.h"
#include "ui/window/layouts.h"
#include "ui/window/status_line.h"

namespace denoir::ui {

class Banners;
class Branching;
class CommandPalette;
class CompareBar;
class DifferencesPanel;
class Docks;
class EntryEditing;
class Exports;
class Extension;
class Generation;
class ImagesPanel;
class LayersPanel;
class LogPanel;
class MediaLocator;
class MetricsView;
class ModelsPanel;
class Opener;
class ParametersPanel;
class Place;
class Playback;
class PreviewView;
class ProjectFiles;
class PromptPanel;
class QueuePanel;
class Retaking;
class RunNews;
class RunsPanel;
class ShotAdder;
class StepsPanel;
class SweepTable;
class SweepView;
class TimelineView;
class Viewer;

/// The studio's window: one picture in the middle, docks around it, every action in one table. Makes its parts, which
/// do all the work, and connects them with each other.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(Studio& studio, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Puts the window where it was closed last. Call it before the window is shown.
    void restore_place();
    /// Restores what was there when the window was closed last, or shows a sample; offers what a crash left; starts the
    /// queue; opens `files`.
    void begin(Layout layout, const QStringList& files = {});
    /// begin() for a screenshot: shows the remembered request and the newest run, but starts, asks and stores nothing.
    void begin_for_picture(Layout layout);
    ActionTable& actions() { return actions_; }
    Layouts& layouts() { return *layouts_; }
    PreviewView& preview() { return *preview_; }
    Banners& banners() { return *banners_; }
    Viewer& viewer() { return *viewer_; }
    /// Opens a run folder, project, video, picture, request or model folder that was dropped or named on the command
    /// line.
    void open_path(const QString& path);
    /// Opens one after the other; two clips or runs become A and B in the layout Compare.
    void open_paths(const QStringList& paths);

public slots:
    void say(const QString& text);

protected:
    bool focusNextPrevChild(bool next) override;
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    // main_window.cpp
    void make_middle();
    void make_docks();
    void make_layouts();
    void make_parts();
    void name_keys(); ///< updates keys that are named in texts
    void layout_shown(Layout layout);
    void update_title();
    bool tunes() const; ///< whether the layout Tune is shown
    void select_clip(); ///< selects the grid's clip in the list of runs
    void select_seen();
    void show_newest();
    void clip_failed();
    /// Returns true if quitting would lose an export or a draft; then the window stays open, and a banner offers to
    /// quit anyway.
    bool keeps_export();
    void quit(); ///< closes the window once everything is saved
    // These show docks that the user has not asked for.
    void open_dock(const char* id);
    void reveal_dock(const char* id); ///< also brings it in front of its tabs
    void show_layers();
    void show_log(quint64 entry = 0); ///< of a queue entry; 0 for everything
    void say_empty_cut();
    // main_window_connections.cpp
    void connect_parts();
    void connect_words(); ///< the messages of the parts
    void connect_project();
    void connect_opener();
    void connect_preview();
    void forget_unseen(app::Side side);
    void connect_sides(); ///< what is A and what is B
    void connect_runs();
    void connect_generation();
    void connect_cut();
    void connect_tune();
    // main_window_actions.cpp
    QAction* add_action(const char* id, const QString& group, const QString& text, const QList<QKeySequence>& keys,
                        const char* picture, std::function<void()> act);
    void make_actions();
    void make_file_actions();
    void make_edit_actions();
    void make_view_actions();
    void make_help_actions();
    // main_window_work_actions.cpp
    void make_run_actions();
    void make_play_actions();
    void make_compare_actions();
    void make_pair_actions();       ///< what is compared
    void make_layer_actions();      ///< layer by layer
    void make_mode_actions();       ///< how two pictures are shown together
    void make_pairing_actions();    ///< which frames belong together, the wipe's edge, the worst frame
    void make_comparison_exports(); ///< and the end of a comparison
    void make_tune_actions();
    /// `act`, which only says that both are needed if A or B is missing.
    std::function<void()> with_both(std::function<void()> act);
    void generate(bool next);
    void stop_work();
    void add_what_is_meant();
    void compare_pair(const QStringList& runs);
    void show_compare(); ///< two runs that were selected since become A and B
    // main_window_timeline_actions.cpp
    void make_timeline_actions();
    // main_window_menus.cpp
    void make_menus();
    void add_menu(const QString& title, std::initializer_list<const char*> actions);
    void make_view_menu();
    void make_compare_menu();
    void add_parameter_actions();
    void add_other_words();
    void add_palette_button();
    void dress_further_menus();

    Studio& studio_;
    ActionTable actions_;
    std::unique_ptr<Layouts> layouts_;
    Place* place_;
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
    Playback* playback_;
    Viewer* viewer_;
    Opener* opener_;
    RunNews* news_;
    EntryEditing* editing_;
    Branching* branching_;
    Extension* extension_;
    Retaking* retaking_;
    ShotAdder* shot_adder_;
    MediaLocator* locator_;
    Generation* generation_;
    bool for_picture_ = false;            ///< whether nothing is stored
    bool awaits_first_ = false;           ///< whether a file named at the start may become what is shown first
    Layout last_layout_ = Layout::create; ///< the one shown before
    QMap<app::Side, QStringList> unseen_; ///< files that could not be shown on a side
    QStringList compared_;                ///< the two selected runs that became A and B
};

} // namespace denoir::ui
