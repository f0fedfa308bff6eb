// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "app/project.h"
#include "app/thumbnails.h"

namespace denoir::ui {

/// The cut: shots in order on one track, with thumbnails and a playhead. Drag a shot to move it, its edges to trim it;
/// S splits at the playhead, X removes (what follows moves up), F2 renames, Left/Right step through shots, Home/End go
/// to the ends, comma and full stop step one frame; everything is an undo step of the project. Accepts run folders and
/// videos dropped between shots or, on a shot, as another take. Borrows project and thumbnails.
class TimelineView : public QWidget {
    Q_OBJECT
public:
    TimelineView(app::Project& project, app::Thumbnails& thumbnails, QWidget* parent = nullptr);

    int playhead() const; ///< frame of the cut
    void set_playhead(int frame);
    int selected() const; ///< row, -1: none
    void select(int row);
    bool playing() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

public slots:
    void split_at_playhead();
    void remove_selected();
    void rename_selected();
    void set_playing(bool playing);
    void zoom_to_fit();
    void zoom(double factor); ///< around the playhead

signals:
    void playhead_moved(int frame); ///< of the cut
    /// What to show for the playhead: video (and run) of the take, frame of it. For the preview.
    void show_frame(const QString& video, const QString& run, int frame);
    void open_requested(const QString& run, const QString& video); ///< double click
    void selected_changed(int row);
    void playing_changed(bool playing);
    void extend_requested(int row);              ///< E, or the button at the end of the track
    void issue(const denoir::app::Issue& issue); ///< a dropped file that is none
};

} // namespace denoir::ui
