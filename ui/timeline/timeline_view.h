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

/// What is wrong with a take that is not there and what to do, as missing_issue() has it, for who sees the shot itself.
QString words_of_missing(const app::Take& take, const app::Issue& issue);

/// The cut: shots in order on one track, with thumbnails and a playhead. Drag a shot to move it, its edges to trim it;
/// Esc lets go of what is dragged and leaves it as it was. Other keys are actions of the window, which call the slots.
/// Everything is an undo step of the project. Accepts run folders, videos, pictures and folders of frames dropped
/// between shots or, on the middle of a shot, as another take. Borrows project and thumbnails.
class TimelineView : public QAbstractScrollArea {
    Q_OBJECT
public:
    TimelineView(app::Project& project, app::Thumbnails& thumbnails, QWidget* parent = nullptr);

    app::Project& project() const { return project_; }
    app::TakeReader& reader() { return reader_; }    ///< of add_files()
    int playhead() const { return player_.frame(); } ///< frame of the cut, 0 … frames
    void set_playhead(int frame) { player_.go_to(frame); }
    int selected() const { return selected_; } ///< row, -1: none
    void select(int row);
    /// What keys and menus mean: the selected shot, else the one at the playhead; -1: none.
    int meant() const;
    bool playing() const { return player_.playing(); }
    double speed() const { return player_.speed(); } ///< negative: backwards
    /// Run folders, videos, pictures and folders of frames, each a shot of its own, from `row` on (-1: at the end);
    /// with `take_of` >= 0 as takes of that shot. Reads them in the background; all of them are one undo step.
    void add_files(const QStringList& paths, int row = -1, int take_of = -1);
    /// Playing goes on from frame to frame only where this says that nothing of show_frame() is waited for: the clock
    /// stands meanwhile.
    void set_settled(std::function<bool()> settled) { player_.set_settled(std::move(settled)); }
    /// Frame rate of pictures that come into an empty cut.
    void set_usual_rate(double fps) { usual_rate_ = fps; }
    /// Of what puts a run on the cut, as an empty one names them; empty: it has none.
    void set_add_keys(const QString& keys);
    /// Where a shot is drawn, in viewport coordinates. For tests and for what opens beside it.
    QRect shot_rect(int row) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

public slots:
    void split_at_playhead();
    void remove_selected();
    void rename_selected();
    void trim_to_playhead(bool in);     ///< the shot there begins, or ends, at it
    void lengthen_selected(int frames); ///< its end, as far as there is something to show; negative: shortens
    void select_beside(int by);         ///< another shot, with the playhead at its beginning; by -1, 1: its neighbour
    void move_selected(int by);         ///< along the cut
    void open_selected();
    void set_playing(bool playing);
    void show_playhead();                                       ///< asks for its frame to be shown
    void shuttle(int direction) { player_.shuttle(direction); } ///< as app::shuttled()
    void zoom_to_fit();
    void zoom(double factor); ///< around the playhead

signals:
    /// What to show for the playhead: video (and run) of the take, frame of it.
    void show_frame(const QString& video, const QString& run, int frame);
    /// As CutPlayer::frame_expected(): what show_frame() asks for then.
    void frame_expected(const QString& video, const QString& run, int frame);
    void open_requested(const QString& run, const QString& video); ///< double click
    void extend_requested(int row);                                ///< E, or the button at the end of the track
    void retake_requested(int row);
    void locate_requested(int row);                    ///< of a shot whose video is missing
    void issue_found(const denoir::app::Issue& issue); ///< a dropped file that is none, or comes too late
    /// Of several files these; the others became shots or takes.
    void files_refused(const QList<denoir::app::Issue>& issues, int added);
    void files_added(int shots, int stills);         ///< by add_files(), as shots of their own
    void shown_otherwise(const QStringList& videos); ///< of those added: what players show in another way, a line each
    void nothing_to_cut();                           ///< an empty cut cannot be played
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
    /// What lies below a point of the viewport.
    struct Hit {
        int row = -1;
        Grip grip = Grip::none;
        bool ruler = false, extend = false, middle = false; ///< middle: of a shot, for takes
        int gap = 0;                                        ///< the boundary between shots that is nearest
    };
    struct Drag {
        Grip grip = Grip::none;
        QPoint from;
        int row = -1, in = 0, out = 0;
        bool moving = false; ///< far enough to be meant
        int gap = -1;
    };
    Hit hit(const QPoint& point) const;
    int x_of(int frame) const; ///< viewport coordinate of a frame of the cut
    int frame_at(int x) const;
    QRect extend_rect() const;
    int track_height() const; ///< what the ruler and a scroll bar leave
    /// As shots from `row` on, or as takes of `shot`, unless that is empty.
    void add_found(const std::vector<app::TakeReader::Found>& all, int row, const QString& shot);
    void project_changed(const app::ProjectEvent& event);
    void set_selected(int row); ///< one that there is, or -1
    void follow_media();
    void update_range();
    void reveal(int frame);
    void reveal_shot(int row);
    /// `what` is done with the shot of that id, in whatever row it is by then; nothing if it is gone.
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
    bool fitted_ = true;      ///< follows the width until the user zooms
    bool scale_held_ = false; ///< while an edge is dragged, and until something else changes: nothing leaps away
    int selected_ = -1, drags_ = 0;
    QString selected_id_; ///< of that shot, whatever row it has next
    double usual_rate_ = 24;
    QString lengthened_; ///< shot whose end was moved by keys last, as drag number:
    int lengthening_ = -1;
    Drag drag_;
    Hit hover_;
    std::optional<Hit> drop_;
    QSet<QString> missing_; ///< videos drawn as such
    QLineEdit* rename_ = nullptr;
    QString add_keys_;
};

} // namespace denoir::ui
