// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QPointer>
#include <QTimer>
#include <QWidget>

#include "app/base/issue.h"
#include "ui/docks/image_well.h"
#include "ui/docks/seen_images.h"
#include "ui/studio.h"

class QToolButton;

namespace denoir::ui {

class CameraWindow;
class ElidedLabel;
class Field;

/// Start and last image, which can be dropped, pasted, chosen, or taken with the camera, and cut to the target's
/// aspect. They are shown as the model will see them.
class ImagesPanel : public QWidget {
    Q_OBJECT
public:
    explicit ImagesPanel(Studio& studio, QWidget* parent = nullptr);

    enum class Side { start, last };
    /// Takes a file, or a picture from the clipboard or camera, which is stored in the data folder.
    void take(Side side, const DroppedImage& image);
    void begin_anew(); ///< the clip no longer continues a video

public slots:
    void choose_start() { choose(Side::start); }
    void choose_last() { choose(Side::last); }
    void paste_start();
    void camera_start() { camera(Side::start); }
    void swap();

signals:
    void said(const QString& text);

private:
    struct Origin {
        QString file;
        CropPreset preset = CropPreset::model;
    };
    ImageWell* well(Side side) const { return side == Side::start ? start_ : last_; }
    static QString key(Side side) {
        return side == Side::start ? QStringLiteral("image") : QStringLiteral("last_image");
    }
    void choose(Side side);
    void camera(Side side);
    void remove(Side side);
    bool goes_on() const;          ///< whether the clip continues a video
    QVariant forcing_anew() const; ///< `forcing` without that video
    void crop(Side side, CropPreset preset);
    void show_menu(Side side, const QPoint& global);
    void refresh();
    void look(); ///< asks what the model will see of the images
    void show_pictures();
    void refresh_before();
    QString folder() const;
    QSize target() const;

    Studio& studio_;
    ImageWell *start_, *last_;
    QToolButton* swap_;
    Field* before_;                       ///< shows the video that the clip continues
    QString before_video_, before_title_; ///< path and title of that video
    ElidedLabel* before_name_;
    SeenImages seen_;
    QTimer ask_; ///< delays look()
    QPointer<CameraWindow> camera_;
    Side camera_side_ = Side::start; ///< the side that the camera's picture is for
    struct Seen {
        QString file; ///< the file that `picture` shows
        QImage picture;
    };
    Seen& seen(Side side) { return side == Side::start ? seen_start_ : seen_last_; }
    Seen seen_start_, seen_last_;
    app::Issue unseen_;              ///< about a picture that cannot be read to its end
    QHash<QString, Origin> origins_; ///< by files that were cut here
};

} // namespace denoir::ui
