// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractScrollArea>
#include <QSet>
#include <functional>
#include <optional>
#include <utility>

#include "app/clips/thumbnails.h"
#include "app/project/cut_player.h"
#include "app/project/project.h"
#include "app/project/take_reader.h"

class QAction;
class QLineEdit;
class QMenu;

namespace denoir::ui {

/// What is wrong with a missing take and what to do, from its missing_issue(), for a user who sees the shot.
QString words_of_missing(const app::Take& take, const app::Issue& issue);

/// The cut: shots in order on one track, with thumbnails and a playhead. Dragging a shot moves it, dragging its edges
/// trims it; Esc ends a drag and takes it back. Other keys are actions of the window, which call the slots. Every edit
/// is an undo step of the project. Accepts run folders, videos, pictures and folders of frames, dropped between shots
/// or, as another take, on the middle of a shot. Borrows project and thumbnails.
class TimelineView : public QAbstractScrollArea {
    Q_OBJECT
public:
    TimelineView(app::Project& project, app::Thumbnails& thumbnails, QWidget* parent = nullptr);

    app::Project& project() const { return project_; }
    app::TakeReader& reader() { return reader_; }    ///< used by add_files()
    int playhead() const { return player_.frame(); } ///< frame of the cut, 0 … frames
    void set_playhead(int frame) { player_.go_to(frame); }
    int selected() const { return selected_; } ///< row; -1 if none is
    void select(int row);
    /// The shot that keys and menus act on: the selected one, or that at the playhead; -1 if there is none.
    int meant() const;
    bool playing() const { return player_.playing(); }
    double speed() const { return player_.speed(); } ///< negative: backwards
    /// Adds run folders, videos, pictures and folders of frames: each as a shot, from `row` on or at the end (-1), or
    /// as takes of the shot `take_of` if that is >= 0. Reads them in the background; all of them are one undo step.
    void add_files(const QStringList& paths, int row = -1, int take_of = -1);
    /// `settled` returns whether nothing of show_frame() is being waited for; otherwise playing waits and the clock
    /// stands.
    void set_settled(std::function<bool()> settled) { player_.set_settled(std::move(settled)); }
    /// Sets the frame rate of pictures that are added to an empty cut.
    void set_usual_rate(double fps) { usual_rate_ = fps; }
    /// Sets the keys that add a run to the cut, which an empty cut names; may be empty.
    void set_add_keys(const QString& keys);
    /// The place of a shot in viewport coordinates. For tests and for what opens beside it.
    QRect shot_rect(int row) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

public slots:
    void split_at_playhead();
    void remove_selected();
    void rename_selected();
    void trim_to_playhead(bool in);     ///< lets the shot at the playhead begin or end there
    void lengthen_selected(int frames); ///< moves the shot's end, as far as there is something to show
    void select_beside(int by);         ///< selects another shot and moves the playhead to its beginning
    void move_selected(int by);         ///< moves the shot along the cut
    void open_selected();
    void set_playing(bool playing);
    void show_playhead();                                       ///< asks for its frame to be shown
    void shuttle(int direction) { player_.shuttle(direction); } ///< see app::shuttled()
    void zoom_to_fit();
    void zoom(double factor); ///< around the playhead

signals:
    /// What to show for the playhead: a frame of a take, by its video and run.
    void show_frame(const QString& video, const QString& run, int frame);
    /// CutPlayer::frame_expected(): what show_frame() will ask for soon.
    void frame_expected(const QString& video, const QString& run, int frame);
    void open_requested(const QString& run, const QString& video); ///< double click
    void extend_requested(int row);                                ///< E, or the button at the end of the track
    void retake_requested(int row);
    void locate_requested(int row);                    ///< for a shot whose video is missing
    void issue_found(const denoir::app::Issue& issue); ///< about a file that cannot be used, or was read too late
    /// Some of several files cannot be used; `added` others became shots or takes.
    void files_refused(const QList<denoir::app::Issue>& issues, int added);
    void files_added(int shots, int stills);         ///< add_files() has added so many shots
    void shown_otherwise(const QStringList& videos); ///< a line for each added video that players show differently
    void nothing_to_cut();                           ///< the cut is empty, so it cannot be played
    void said(const QString& text);                  ///< why nothing was done

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    enum class Grip { none, playhead, trim_in, trim_out, move };
    /// What is at a point of the viewport.
    struct Hit {
        int row = -1;
        Grip grip = Grip::none;
        bool ruler = false, extend = false, middle = false; ///< middle: the part of a shot that takes are dropped on
        int gap = 0;                                        ///< the nearest boundary between shots
    };
    struct Drag {
        Grip grip = Grip::none;
        QPoint from;
        int row = -1, in = 0, out = 0;
        bool moving = false; ///< moved far enough to be no click
        int gap = -1;
    };
    Hit hit(const QPoint& point) const;
    int x_of(int frame) const; ///< viewport coordinate of a frame of the cut
    int frame_at(int x) const;
    QRect extend_rect() const;
    int track_height() const; ///< the height left by the ruler and a scroll bar
    /// Adds what was read: as shots from `row` on, or as takes of `shot` unless that is empty.
    void add_found(const std::vector<app::TakeReader::Found>& all, int row, const QString& shot);
    void project_changed(const app::ProjectEvent& event);
    void set_selected(int row); ///< an existing row, or -1
    void follow_media();
    void update_range();
    void reveal(int frame);
    void reveal_shot(int row);
    /// Adds an entry that calls `what` with the row in which the shot of that id is by then, or does nothing if it is
    /// gone.
    QAction* add_of_shot(QMenu& menu, const QString& shot, const QString& text, std::function<void(int row)> what);
    void fill_takes(QMenu& menu, const app::Shot& shot);
    void drag_to(const QPoint& point);
    void let_go();
    void connect_player();
    void playhead_moved(int frame);
    void update_accessible();
    void paint_ruler(QPainter& painter, const QRect& area) const;
    void paint_playhead(QPainter& painter, const QRect& area) const;
    QString playhead_time() const;
    QRect time_rect(const QRect& area) const;
    QFont ruler_font() const;
    void paint_shot(QPainter& painter, int row) const;
    void paint_title(QPainter& painter, const app::Shot& shot, const QRect& title) const;
    void paint_edges(QPainter& painter, int row, const QRect& rect) const;
    void paint_trim(QPainter& painter, const app::Shot& shot, const QRect& rect) const;
    void paint_thumbnails(QPainter& painter, const app::Shot& shot, const QRect& area) const;
    void paint_missing(QPainter& painter, const app::Take& take, const QRect& area) const;
    void paint_empty(QPainter& painter) const;

    app::Project& project_;
    app::Thumbnails& thumbnails_;
    app::TakeReader reader_;
    app::CutPlayer player_;
    double pixels_per_frame_ = 6;
    bool fitted_ = true;      ///< whether the scale follows the width, as it does until the user zooms
    bool scale_held_ = false; ///< keeps the scale while an edge is dragged, so that nothing jumps away
    int selected_ = -1, drags_ = 0;
    QString selected_id_; ///< of the selected shot, whose row may change
    double usual_rate_ = 24;
    QString lengthened_; ///< the shot whose end was moved by keys last, and the drag number of that
    int lengthening_ = -1;
    Drag drag_;
    Hit hover_;
    std::optional<Hit> drop_;
    QSet<QString> missing_; ///< videos that are painted as missing
    QLineEdit* rename_ = nullptr;
    QString add_keys_;
};

} // namespace denoir::ui
