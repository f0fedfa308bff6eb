// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>

#include <cmath>
#include <utility>

#include "app/base/engine_text.h"
#include "app/base/issue.h"
#include "app/base/text.h"
#include "app/clips/thumbnails.h"
#include "app/runs/run_history.h"
#include "app/runs/run_words.h"
#include "ui/docks/runs_panel.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/painting.h"

namespace denoir::ui {

using Role = app::RunHistory::Role;
using Standing = app::RunStanding;

namespace {
constexpr int picture_width = 80, picture_height = 48;
constexpr int star_room = 20;   ///< left free by the title and the line below it
constexpr int most_details = 3; ///< lines below the title; even 240 pixels wide, they hold all but the longest numbers

QString state_words(const QModelIndex& index) {
    return app::run_words::standing(app::RunHistory::standing(index), index.data(Role::StepsDoneRole).toInt(),
                                    index.data(Role::StepsRole).toInt(),
                                    index.data(Role::IssueRole).value<app::Issue>());
}

/// "1:08" instead of "1 min 08 s". Below a minute the usual text is as short.
QString short_duration(double seconds) {
    const auto whole = std::llround(seconds);
    if (!(seconds >= 0) || whole < 60 || whole >= 3600) return app::duration_text(seconds);
    return QStringLiteral("%1:%2").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
}

const QString between = QStringLiteral(" · ");

/// The text below a title, as much of it as there is room for. The tool tip has all of it.
class Details {
public:
    explicit Details(const QModelIndex& index)
        : values_{app::run_words::seed(index.data(Role::SeedRole).toULongLong())} {
        const Standing standing = app::RunHistory::standing(index);
        const bool done = standing == Standing::done;
        if (standing == Standing::unreadable) { // nothing else is known of it
            sentence_ = state_words(index);
            return;
        }
        failed_ = standing == Standing::failed;
        // For a run that was stopped, the state says how many steps there are.
        if (done || failed_ || standing == Standing::waiting)
            values_ << app::run_words::steps(index.data(Role::StepsRole).toInt());
        if (const double guidance = index.data(Role::GuidanceRole).toDouble(); guidance > 0)
            values_ << app::run_words::guidance(guidance);
        if (!done) news_ << state_words(index); // if it is not done, its state comes first
        const int width = index.data(Role::WidthRole).toInt(), height = index.data(Role::HeightRole).toInt(),
                  frames = index.data(Role::FramesRole).toInt();
        length_ << RunsPanel::tr("%1×%2").arg(width).arg(height) << app::run_words::frames(frames);
        short_length_ << RunsPanel::tr("%1×%2×%3").arg(width).arg(height).arg(frames);
        if (done) { // how long it took
            const double seconds = index.data(Role::SecondsRole).toDouble();
            time_ << app::duration_text(seconds);
            short_time_ << short_duration(seconds);
        }
        if (const int step = index.data(Role::BranchStepRole).toInt(); step >= 0)
            for (QStringList* time : {&time_, &short_time_}) *time << RunsPanel::tr("from step %1").arg(step);
    }
    bool failed() const { return failed_; }
    QStringList all() const { return sentence_.isEmpty() ? values_ + news_ + length_ + time_ : QStringList{sentence_}; }
    QStringList lines(const QFontMetrics& metrics, int width) const {
        QStringList left, lines;
        if (!sentence_.isEmpty()) {
            const QString space = QStringLiteral(" ");
            left = sentence_.split(space);
            lines = {filled(left, metrics, width - star_room, space)};
            while (!left.isEmpty() && lines.size() + 1 < most_details) lines << filled(left, metrics, width, space);
            if (!left.isEmpty()) lines << left.join(space); // what does not fit is elided
            return lines;
        }
        // Tries briefer words until all of them fit.
        for (const auto& [length, time] :
             {std::pair{length_, time_}, std::pair{short_length_, time_}, std::pair{short_length_, short_time_}}) {
            left = values_;
            lines = {filled(left, metrics, width - star_room)};
            left = news_ + left + length + time;
            while (!left.isEmpty() && lines.size() < most_details) lines << filled(left, metrics, width);
            if (left.isEmpty()) break;
        }
        return lines;
    }

private:
    /// Takes as many words as fit into a line from the front of `words`, but at least one.
    static QString filled(QStringList& words, const QFontMetrics& metrics, int width, const QString& gap = between) {
        QString line = words.takeFirst();
        // The line must be narrower than the room: its width is rounded, and half a pixel too much would elide it.
        while (!words.isEmpty() && metrics.horizontalAdvance(line + gap + words.constFirst()) < width)
            line += gap + words.takeFirst();
        return line;
    }
    QString sentence_; ///< instead of all others
    QStringList values_, news_, length_, short_length_, time_, short_time_;
    bool failed_ = false;
};

QString title_of(const QModelIndex& index) {
    return app::run_words::title(index.data(Role::NameRole).toString(), index.data(Role::PromptRole).toString());
}

/// Paints a sign that the run is a branch, as there is seldom room for words.
void paint_branch(QPainter& painter, const QRect& picture, const Colours& c) {
    const QRect badge(picture.right() - 16, picture.bottom() - 16, 15, 15);
    painter.setPen(Qt::NoPen);
    painter.setBrush(c.panel);
    painter.drawRoundedRect(badge, 3, 3);
    icon(QStringLiteral("branch")).paint(&painter, badge.adjusted(2, 2, -2, -2));
}

/// Marks a run that is compared, with a corner for each of its `letters`.
void paint_sides(QPainter& painter, const QRect& picture, const QString& letters, const Colours& c) {
    const auto colour = [&c](QChar letter) { return letter == QLatin1Char('A') ? c.a : c.b; };
    painter.setPen(QPen(colour(letters[0]), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(picture, 3, 3);
    QRect corner(picture.left() + 3, picture.top() + 3, 14, 14);
    for (const QChar letter : letters) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour(letter));
        painter.drawRoundedRect(corner, 3, 3);
        painter.setPen(c.dark ? c.on_accent : Qt::white);
        painter.drawText(corner, Qt::AlignCenter, letter);
        corner.translate(corner.width() + 2, 0);
    }
}

/// Paints the star: always on a starred run, on others while the row is selected or hovered over, so that it can be
/// clicked.
void paint_star(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) {
    const bool starred = index.data(Role::StarredRole).toBool();
    if (!starred && !(option.state & (QStyle::State_MouseOver | QStyle::State_Selected))) return;
    icon(starred ? QStringLiteral("star-on") : QStringLiteral("star"))
        .paint(&painter, RunDelegate::star_rect(option.rect).adjusted(3, 3, -3, -3), Qt::AlignCenter,
               starred ? QIcon::Normal : QIcon::Disabled);
}

} // namespace

QStringList RunDelegate::details(const QModelIndex& index, const QFontMetrics& metrics, int width) {
    return Details(index).lines(metrics, width);
}

QStringList RunDelegate::words(const QModelIndex& index) const {
    const QString letters = side_letters(index);
    QStringList out{title_of(index),
                    letters.isEmpty()     ? QString()
                    : letters.size() == 1 ? RunsPanel::tr("compared as %1").arg(letters)
                                          : RunsPanel::tr("compared with itself, as A and B"),
                    index.data(Role::StarredRole).toBool() ? RunsPanel::tr("starred") : QString()};
    out << Details(index).all();
    // The hint is only in the tool tip.
    out << app::engine_text(index.data(Role::IssueRole).value<app::Issue>().hint);
    return out;
}

QString RunDelegate::side_letters(const QModelIndex& index) const {
    const QString path = index.data(Role::PathRole).toString();
    if (path.isEmpty()) return {};
    QString letters;
    if (path == a_) letters += QLatin1Char('A');
    if (path == b_) letters += QLatin1Char('B');
    return letters;
}

RunDelegate::RunDelegate(Studio& studio, QObject* parent) : QStyledItemDelegate(parent), studio_(studio) {}

QRect RunDelegate::star_rect(const QRect& row) { return {row.right() - 26, row.top() + 6, 20, 20}; }

void RunDelegate::set_playing(const QPersistentModelIndex& index, int tick) {
    playing_ = index;
    tick_ = tick;
}

void RunDelegate::set_sides(const QString& a, const QString& b) {
    a_ = a;
    b_ = b;
}

QSize RunDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
    // The same height whatever lines are needed, so that rows do not jump while the dock is resized. The list makes
    // rows as wide as itself; what does not fit into them is elided, not scrolled to.
    return {picture_width, std::max(picture_height + 12, (1 + most_details) * option.fontMetrics.lineSpacing() + 8)};
}

QWidget* RunDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const {
    auto* edit = new QLineEdit(index.data(Role::NameRole).toString(), parent);
    edit->setAccessibleName(RunsPanel::tr("Name of the run"));
    edit->setPlaceholderText(index.data(Role::PromptRole).toString().simplified()); // its title without a name
    return edit;
}

void RunDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex&) const {
    const int left = option.rect.left() + picture_width + 14;
    editor->setGeometry(left, option.rect.top() + 2, option.rect.right() - left - 4, editor->sizeHint().height());
}

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Colours& c = colours(option.palette);
    painter->save();
    painter->setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    const QRect row = option.rect.adjusted(4, 1, -4, -1);
    paint_behind_row(*painter, option, row);
    if (option.state & QStyle::State_HasFocus) {
        painter->setPen(c.accent);
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(QRectF(row).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }
    const QRect frame(row.left() + 6, row.center().y() - picture_height / 2 + 1, picture_width, picture_height);
    paint_picture(*painter, frame, index, c);
    if (index.data(Role::BranchStepRole).toInt() >= 0) paint_branch(*painter, frame, c);
    if (const QString letters = side_letters(index); !letters.isEmpty()) paint_sides(*painter, frame, letters, c);
    paint_star(*painter, option, index);
    paint_words(*painter, option, index,
                {frame.right() + 9, row.top(), row.right() - frame.right() - 16, row.height()});
    painter->restore();
}

/// A frame of its clip while the pointer is on it, otherwise its thumbnail or, if it has none, its last step.
QImage RunDelegate::picture_of(const QModelIndex& index, int side) const {
    const QString video = index.data(Role::VideoRole).toString(), still = index.data(Role::ThumbnailRole).toString();
    QImage picture;
    if (playing_ == index && tick_ > 2 && !video.isEmpty()) {
        const int frames = std::max(1, index.data(Role::FramesRole).toInt());
        picture = studio_.thumbnails.frame(video, (tick_ * 2) % frames, side);
    }
    if (picture.isNull() && !still.isEmpty()) picture = studio_.thumbnails.picture(still, side);
    const bool running = app::RunHistory::standing(index) == Standing::running;
    const int steps = index.data(Role::StepsDoneRole).toInt();
    if (picture.isNull() && still.isEmpty() && !running && steps > 0)
        picture = studio_.thumbnails.step(index.data(Role::PathRole).toString(), steps, side);
    return picture;
}

void RunDelegate::paint_picture(QPainter& painter, const QRect& frame, const QModelIndex& index,
                                const Colours& c) const {
    const double pixels = painter.device() ? painter.device()->devicePixelRatioF() : 1;
    const QImage picture = picture_of(index, int(std::max(picture_width, picture_height) * pixels));
    QPainterPath rounded;
    rounded.addRoundedRect(frame, 3, 3);
    painter.save();
    painter.setClipPath(rounded);
    painter.fillRect(frame, c.canvas);
    if (!picture.isNull()) {
        const QSizeF size = QSizeF(picture.size()).scaled(frame.size(), Qt::KeepAspectRatio);
        painter.drawImage(QRectF(frame.center().x() + 0.5 - size.width() / 2,
                                 frame.center().y() + 0.5 - size.height() / 2, size.width(), size.height()),
                          picture);
    } else {
        icon(QStringLiteral("timeline"))
            .paint(&painter, frame.adjusted(30, 14, -30, -14), Qt::AlignCenter, QIcon::Disabled);
    }
    painter.restore();
}

/// Paints the title and below it as many details as fit, vertically centred in `room`.
void RunDelegate::paint_words(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                              const QRect& room) const {
    const Colours& c = colours(option.palette);
    const int line = option.fontMetrics.lineSpacing(), width = room.width(), beside_star = width - star_room;
    const Details details(index);
    const QStringList lines = details.lines(option.fontMetrics, width);
    QRect text(room.left(), room.center().y() + 1 - (1 + int(lines.size())) * line / 2, width, line);
    const auto write = [&](const QString& words, int most, const QColor& colour) {
        painter.setPen(colour);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                         option.fontMetrics.elidedText(words, Qt::ElideRight, most));
        text.translate(0, line);
    };
    write(title_of(index), beside_star, c.text);
    for (qsizetype i = 0; i < lines.size(); ++i)
        write(lines[i], i == 0 ? beside_star : width, details.failed() && i == 1 ? c.error : c.quiet);
}

} // namespace denoir::ui
