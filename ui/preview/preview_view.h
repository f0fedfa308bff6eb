// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDeadlineTimer>
#include <QImage>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <utility>

#include "app/clips/clip_kind.h"
#include "app/clips/frame_cache.h"
#include "app/clips/player.h"
#include "app/compare/comparison.h"
#include "ui/preview/canvas.h"

namespace denoir::ui {

class TransportBar;

/// The picture in the middle of the window: plays a video, run, frame folder or picture frame by frame, and compares it
/// with a second one (A|B). The wheel zooms, dragging pans, a double click fits. Space plays, J K L shuttle, comma and
/// full stop step one frame (with Shift ten), Home and End, W wipe, D difference, O onion, Q side by side, 0 flips A
/// and B, I pixel values, 1 true size, F fit; the window's actions use the slots for these. A dropped file is shown, as
/// B if it is dropped on the right half while A is open. Borrows the cache.
class PreviewView : public QWidget {
    Q_OBJECT
public:
    /// A picture that is shown in place of a clip's, with its name.
    struct Overlay {
        QImage picture;
        QString name;
    };

    explicit PreviewView(app::FrameCache& cache, QWidget* parent = nullptr);
    ~PreviewView() override;

    app::Player& player() { return player_; }
    Canvas& canvas() { return *canvas_; }
    app::Comparison& comparison() { return comparison_; }
    /// The clip that is open; null if there is none, or it is still being opened.
    const app::ClipInfo* info(app::Side side) const;
    CompareMode mode() const;
    /// The text to show while nothing is open.
    void set_empty_text(const QString& text);
    /// The text to show instead while something that will be shown is on its way; empty if nothing is.
    void set_awaited(const QString& text);
    /// What tells this clip from the other, to be shown after its name over the picture; may be empty.
    void set_detail(app::Side side, const QString& detail);
    /// The path of the clip that is being opened; empty if none is, or if it is opened by a ClipOpener.
    QString path_in_opening(app::Side side) const { return is_opening(side) ? slot(side).path : QString(); }
    /// Whether a clip was asked for that is neither open nor refused yet.
    bool is_opening(app::Side side) const { return slot(side).pending != nullptr; }
    /// Whether nothing is being waited for: what was asked for last is shown, or cannot be opened or read.
    bool is_settled(app::Side side) const;
    /// Like show_clip() of a path, but opens the clip by `open`, which is called on another thread.
    void show_clip(app::Side side, app::ClipOpener open);

public slots:
    /// Opens a video, picture, frame folder or run folder. `by_hand` if the user asked for it; then opened_by_hand()
    /// and request_found() are emitted.
    void show_clip(denoir::app::Side side, const QString& path, bool by_hand = false);
    /// Shows one frame without playing, for a cut. Opens the clip if it is not open, and only once even if it is asked
    /// for several times meanwhile. The picture before stays until the frame is there.
    void show_frame(denoir::app::Side side, const QString& path, int frame);
    /// Opens and decodes what show_frame() will ask for soon. An empty path drops what was expected, as does opening
    /// something else.
    void expect_frame(denoir::app::Side side, const QString& path, int frame);
    /// Shows one picture in place of the clip (an estimate of a running step), or two in place of A and B; a null `a`
    /// takes them away and the clips, which were paused meanwhile, are seen again. `stands_for`: the size of the video
    /// that `a` is a sketch of; empty: its own. `of_clip`: it is a step of the clip, which is seen again as soon as
    /// somebody plays it.
    void show_overlay(const Overlay& a, const Overlay& b = {}, QSize stands_for = {}, bool of_clip = false);
    bool covered() const { return !overlay_.picture.isNull(); } ///< the clip cannot be seen, and is not to be played
    /// Asks for the clip below the picture, if that may go and the clip can be played; whether it is seen afterwards.
    bool uncover();
    void clear(denoir::app::Side side);
    void swap(); ///< A and B change places; if one of them is missing, says so
    void set_mode(denoir::ui::CompareMode mode);
    void toggle_mode(denoir::ui::CompareMode mode); ///< back to the wipe if it is already on
    void flip();                                    ///< shows the other of A and B
    void nudge(int way);                            ///< moves the wipe's edge, or the onion's share of B, by -1 or 1
    void set_gain(int gain);                        ///< of the difference: 1, 2, 4 … 64
    void go_to_frame_of_a(int frame);               ///< uncovers the clips
    /// Goes to the frame with the lowest SSIM, or PSNR if there is no SSIM; while frames are being measured, to the
    /// worst so far and later to the final one.
    void go_to_worst();

signals:
    void clip_opened(denoir::app::Side side, const denoir::app::ClipInfo& info);
    void clip_failed(denoir::app::Side side, const denoir::app::Issue& issue);
    void opened_by_hand(denoir::app::Side side); ///< clip_opened() follows
    void uncover_asked();                        ///< whoever gave the overlay takes it away
    void swapped();                              ///< A is what B was, and B what A was
    /// Files or folders were dropped: whoever listens finds out, on another thread, what they are and what becomes of
    /// them. `where` is global. Where nobody does, the first is shown on that side.
    void files_dropped(const QStringList& files, denoir::app::Side side, const QPoint& where);
    /// A video or picture made by Denoir was opened by hand: its request can be restored.
    void request_found(const QString& request, const QString& path);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    /// One side: the clip shown, the one being opened, the last picture.
    struct Slot {
        std::unique_ptr<app::Clip> clip, pending;
        bool by_hand = false;
        QImage shown;
        QString detail;
        QString path;           ///< of `pending`; empty if it is opened by a ClipOpener
        QString asked;          ///< path of show_frame() that is pending or could not be opened
        QDeadlineTimer refused; ///< a path that could not be opened is not tried again before this
        int frame = 0;          ///< that show_frame() asked for
    };
    /// What expect_frame() opened.
    struct Expected {
        std::unique_ptr<app::Clip> clip;
        QString path;
    };
    Slot& slot(app::Side side) { return side == app::Side::a ? a_ : b_; }
    const Slot& slot(app::Side side) const { return side == app::Side::a ? a_ : b_; }
    void open(app::Side side, std::unique_ptr<app::Clip> clip, bool by_hand);
    void tell_failure(app::Side side, const app::Issue& issue);
    void give_up(app::Side side, std::unique_ptr<app::Clip> clip);
    void adopt(app::Side side);
    void listen(app::Side side);
    void say(const QString& text); ///< shows it over the picture for some seconds
    void refresh();
    void compare_again();
    void follow_worst();
    std::pair<QString, QString> pair() const; ///< the paths of A and B
    app::Side side_at(const QPointF& position) const;
    bool press(int key, Qt::KeyboardModifiers modifiers);
    bool pan(const QKeyEvent& event);

    app::FrameCache& cache_;
    Slot a_, b_;
    Expected expected_;
    /// When clips that are paired by time are swapped, the offset is rounded to frames of the new A; swapping back
    /// restores the one before.
    struct SwappedOffset {
        int now, before;
    };
    std::optional<SwappedOffset> swapped_offset_;
    std::pair<QString, QString> shifted_; ///< A and B when the player's offset was chosen
    std::optional<int> worst_awaited_at_; ///< the player's frame when the worst one was asked for too early
    app::Player player_;
    app::Comparison comparison_;
    Canvas* canvas_;
    TransportBar* bar_;
    QTimer bar_timer_, message_timer_;
    Overlay overlay_, overlay_b_;
    QSize overlay_stands_for_;
    QString empty_text_, awaited_;
    bool dragged_over_ = false;
    bool by_keys_ = false;                 ///< whether the focus came here by a key
    std::optional<app::ClipKind> dragged_; ///< empty for several files
};

} // namespace denoir::ui
