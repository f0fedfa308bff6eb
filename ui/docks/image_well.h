// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <QImage>

class QMimeData;

namespace denoir::ui {

/// The first image file or picture of a drop or of the clipboard.
struct DroppedImage {
    QString file;
    QImage picture;
    bool isEmpty() const { return file.isEmpty() && picture.isNull(); }
};
DroppedImage dropped_image(const QMimeData& data);

/// A place for one picture, showing what the model will see of it. Drop, paste, click or Enter to choose; Delete
/// empties it.
class ImageWell : public QFrame {
    Q_OBJECT
public:
    ImageWell(const QString& name, const QString& hint, QWidget* parent = nullptr);
    void set_picture(const QImage& picture, const QString& file);
    /// Width to height of what the model sees.
    void set_aspect(const QSize& target);
    /// What is wrong, and the same with what to do about it; empty: nothing. Before set_picture().
    void set_error(const QString& error, const QString& whole);
    /// Said instead of the hint where the model takes no such image.
    void set_usable(bool usable, const QString& why);
    const QImage& picture() const { return picture_; } ///< null: not seen (yet)
    bool filled() const { return !file_.isEmpty(); }
    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

signals:
    void choose_asked();
    void remove_asked();
    void dropped(const denoir::ui::DroppedImage& image);
    void menu_asked(const QPoint& global);

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    QString words() const; ///< instead of a picture
    void fit_words();
    void paint_words(QPainter& painter, const QRectF& area) const;
    QString name_, hint_, file_, error_, whole_error_, why_;
    QImage picture_;
    QSize target_{16, 9};
    bool usable_ = true, hovering_ = false;
};

} // namespace denoir::ui
