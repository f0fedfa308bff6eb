// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <QImage>

class QMimeData;

namespace denoir::ui {

/// The first image file or picture of a drop or the clipboard.
struct DroppedImage {
    QString file;
    QImage picture;
    bool isEmpty() const { return file.isEmpty() && picture.isNull(); }
};
DroppedImage dropped_image(const QMimeData& data);

/// A place for one picture, which shows what the model will see of it. Takes drops and pasted pictures; a click or
/// Enter chooses a file, Delete removes it.
class ImageWell : public QFrame {
    Q_OBJECT
public:
    ImageWell(const QString& name, const QString& hint, QWidget* parent = nullptr);
    void set_picture(const QImage& picture, const QString& file);
    /// Sets the size, whose aspect the model sees.
    void set_aspect(const QSize& target);
    /// Sets what is wrong, and the same together with what to do about it; empty if nothing is. Call it before
    /// set_picture().
    void set_error(const QString& error, const QString& whole);
    /// If the model takes no such image, `why` replaces the hint.
    void set_usable(bool usable, const QString& why);
    const QImage& picture() const { return picture_; } ///< null if it is not known (yet)
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
    QString words() const; ///< what is shown instead of a picture
    void fit_words();
    void paint_words(QPainter& painter, const QRectF& area) const;
    QString name_, hint_, file_, error_, whole_error_, why_;
    QImage picture_;
    QSize target_{16, 9};
    bool usable_ = true, hovering_ = false;
};

} // namespace denoir::ui
