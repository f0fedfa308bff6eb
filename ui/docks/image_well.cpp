// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/image_well.h"

#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMimeData>
#include <QPainter>
#include <QPainterPath>
#include <QUrl>
#include <algorithm>

#include "app/base/text.h"
#include "engine/media/frames.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/drop.h"

namespace denoir::ui {

namespace {
constexpr int least_height = 56, most_height = 160; ///< of the picture
constexpr int beside = 6, above = 2;                ///< margins of words in it
} // namespace

DroppedImage dropped_image(const QMimeData& data) {
    for (const QUrl& url : data.urls()) {
        if (!url.isLocalFile()) continue;
        const QFileInfo info(url.toLocalFile());
        if (info.isFile() && is_frame_name(app::to_path(info.filePath()))) return {info.filePath(), {}};
    }
    if (data.hasUrls()) return {};
    return {{}, data.hasImage() ? data.imageData().value<QImage>() : QImage()};
}

ImageWell::ImageWell(const QString& name, const QString& hint, QWidget* parent)
    : QFrame(parent), name_(name), hint_(hint) {
    setFocusPolicy(Qt::StrongFocus);
    setAcceptDrops(true);
    setAccessibleName(name);
    setAccessibleDescription(hint);
    setCursor(Qt::PointingHandCursor);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setMinimumSize(72, least_height);
}

QSize ImageWell::sizeHint() const { return {120, heightForWidth(120)}; }

int ImageWell::heightForWidth(int width) const {
    const int picture = width * target_.height() / std::max(1, target_.width());
    return std::max(minimumHeight(), std::clamp(picture, least_height, most_height) + fontMetrics().lineSpacing() + 4);
}

void ImageWell::set_picture(const QImage& picture, const QString& file) {
    picture_ = picture;
    file_ = file;
    setAccessibleDescription(file.isEmpty() ? hint_ : QFileInfo(file).fileName());
    setToolTip(file.isEmpty() ? hint_ : tr("%1\nShown as the model will see it").arg(file));
    if (!error_.isEmpty()) {
        setAccessibleDescription(QStringLiteral("%1: %2").arg(QFileInfo(file).fileName(), whole_error_));
        setToolTip(QStringLiteral("%1\n%2").arg(file, whole_error_));
    }
    fit_words();
    update();
}

QString ImageWell::words() const {
    if (!picture_.isNull()) return {};
    return !error_.isEmpty() ? error_ : usable_ ? QString() : why_;
}

/// Sets the minimum height so that there is always room for all of the words.
void ImageWell::fit_words() {
    const int room = width() - 2 * beside, line = fontMetrics().lineSpacing();
    const int height = fontMetrics().boundingRect(0, 0, room, 1 << 15, Qt::TextWordWrap, words()).height();
    setMinimumHeight(std::clamp(height + 2 * above + line + 6, least_height, most_height + line));
}

void ImageWell::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fit_words();
}

void ImageWell::set_aspect(const QSize& target) {
    if (target.isEmpty() || target == target_) return;
    target_ = target;
    updateGeometry();
    update();
}

void ImageWell::set_error(const QString& error, const QString& whole) {
    error_ = error;
    whole_error_ = whole;
    fit_words();
    update();
}

void ImageWell::set_usable(bool usable, const QString& why) {
    usable_ = usable;
    why_ = why;
    fit_words();
    update();
}

void ImageWell::paintEvent(QPaintEvent*) {
    const Colours& c = colours(palette());
    QPainter painter(this);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    const int line = fontMetrics().lineSpacing();
    const QRectF area = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -line - 4.5);
    QPainterPath path;
    path.addRoundedRect(area, 4, 4);
    painter.fillPath(path, c.canvas);
    if (!picture_.isNull()) {
        painter.setClipPath(path);
        const QSizeF size = QSizeF(picture_.size()).scaled(area.size(), Qt::KeepAspectRatio);
        painter.drawImage(QRectF(area.center() - QPointF(size.width() / 2, size.height() / 2), size), picture_);
        painter.setClipping(false);
    } else {
        paint_words(painter, area);
    }
    const bool marked = hovering_ || hasFocus();
    QPen pen(marked ? c.accent : !error_.isEmpty() ? c.error : c.edge, 1);
    if (picture_.isNull() && !marked) pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    painter.setPen(usable_ ? c.quiet : c.disabled);
    const QString words = file_.isEmpty() ? name_ : QStringLiteral("%1: %2").arg(name_, QFileInfo(file_).fileName());
    painter.drawText(QRect(0, height() - line - 1, width(), line), Qt::AlignHCenter | Qt::AlignVCenter,
                     fontMetrics().elidedText(words, Qt::ElideMiddle, width()));
}

/// Paints, in place of a picture, a sign and below it what is wrong with the image or why there can be none.
void ImageWell::paint_words(QPainter& painter, const QRectF& area) const {
    const Colours& c = colours(palette());
    constexpr double mark = 16, between = 4;
    const QRectF room = area.adjusted(beside, above, -beside, -above);
    const auto fits = [&](const QString& text) {
        return painter.boundingRect(room, Qt::AlignHCenter | Qt::TextWordWrap, text).height() <= room.height();
    };
    // An error is shown with what to do about it if there is room. The tool tip always says both.
    const QString words = !error_.isEmpty() && fits(whole_error_) ? whole_error_ : this->words();
    const double height = painter.boundingRect(room, Qt::AlignHCenter | Qt::TextWordWrap, words).height();
    // If there is no room for both, the words matter more than the sign.
    const bool sign = words.isEmpty() || mark + between + height <= room.height();
    const double all = words.isEmpty() ? mark : sign ? mark + between + height : height;
    const double top = std::max(room.top(), room.center().y() - all / 2);
    if (sign)
        icon(error_.isEmpty() ? QStringLiteral("image") : QStringLiteral("error"))
            .paint(&painter, QRectF(area.center().x() - mark / 2, top, mark, mark).toRect(), Qt::AlignCenter,
                   QIcon::Disabled);
    painter.setPen(error_.isEmpty() ? c.quiet : c.error);
    painter.drawText(QRectF(room.left(), sign ? top + mark + between : top, room.width(), room.bottom() - top),
                     Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, words);
}

void ImageWell::mousePressEvent(QMouseEvent* event) { event->accept(); }

void ImageWell::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && rect().contains(event->pos())) {
        if (filled())
            emit menu_asked(event->globalPosition().toPoint());
        else
            emit choose_asked();
    }
}

void ImageWell::contextMenuEvent(QContextMenuEvent* event) { emit menu_asked(event->globalPos()); }

bool ImageWell::event(QEvent* event) {
    // Space chooses a file here; elsewhere in the window it plays.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Space && key->modifiers() == Qt::NoModifier) {
            event->accept();
            return true;
        }
    }
    return QFrame::event(event);
}

void ImageWell::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Paste)) {
        if (const auto* clip = QApplication::clipboard()->mimeData()) {
            const DroppedImage image = dropped_image(*clip);
            if (!image.isEmpty()) emit dropped(image);
        }
        return;
    }
    switch (event->key()) {
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        emit choose_asked();
        return;
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
        emit remove_asked();
        return;
    case Qt::Key_Menu:
        emit menu_asked(mapToGlobal(rect().center()));
        return;
    default:
        QFrame::keyPressEvent(event);
    }
}

void ImageWell::dragEnterEvent(QDragEnterEvent* event) {
    if (dropped_image(*event->mimeData()).isEmpty()) return;
    take_copy(*event);
    hovering_ = true;
    update();
}

void ImageWell::dragLeaveEvent(QDragLeaveEvent*) {
    hovering_ = false;
    update();
}

void ImageWell::dropEvent(QDropEvent* event) {
    hovering_ = false;
    update();
    const DroppedImage image = dropped_image(*event->mimeData());
    if (image.isEmpty()) return;
    take_copy(*event);
    emit dropped(image);
}

} // namespace denoir::ui
