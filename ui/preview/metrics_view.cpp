// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/preview/metrics_view.h"

#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "ui/preview/accessible.h"
#include "ui/theme/colours.h"
#include "ui/theme/spoken.h"
#include "ui/widgets/painting.h"

namespace denoir::ui {
namespace {

constexpr double margin = 12, header = 22;

QString number(double value, int digits) { return QLocale().toString(value, 'f', digits); }

} // namespace

MetricsView::MetricsView(app::Comparison& comparison, QWidget* parent)
    : QWidget(parent), comparison_(comparison), exact_(new QToolButton(this)) {
    install_preview_roles();
    settled_.setSingleShot(true);
    settled_.setInterval(300);
    connect(&settled_, &QTimer::timeout, this, &MetricsView::describe);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("PSNR and SSIM over the frames"));
    exact_->setObjectName(QStringLiteral("from-latents"));
    exact_->setText(tr("from latents"));
    exact_->setCheckable(true);
    exact_->setAutoRaise(true);
    connect(exact_, &QToolButton::clicked, &comparison_, &app::Comparison::set_prefers_exact);
    connect(&comparison_, &app::Comparison::changed, this, &MetricsView::refresh);
    connect(&comparison_, &app::Comparison::begun, this, [this] {
        hover_ = -1; // the new pair may have fewer frames
        refresh();
    });
    set_empty_text({});
}

void MetricsView::set_empty_text(const QString& text) {
    empty_text_ = text.isEmpty() ? tr("Open a second clip as B: PSNR and SSIM of every frame appear here.") : text;
    refresh();
}

void MetricsView::set_frame(int frame) {
    if (frame == frame_) return;
    frame_ = frame;
    refresh();
}

void MetricsView::refresh() {
    exact_->setVisible(comparison_.can_be_exact());
    exact_->setChecked(comparison_.by_latents()); // also while they are being decoded
    const QString use = tr("Compare what the stored latents decode to, without the videos' compression");
    const app::Issue& undecoded = comparison_.undecoded();
    exact_->setToolTip(undecoded.isEmpty() ? use : tr("%1. Press to try again: %2").arg(use, undecoded.line()));
    setToolTip(comparison_.note());
    settled_.start();
    update();
}

void MetricsView::describe() {
    const auto frames = static_cast<int>(comparison_.curve().size());
    QString text = !comparison_.issue().isEmpty() ? comparison_.issue().line()
                   : comparison_.active()         ? comparison_.activity()
                                                  : empty_text_;
    if (frame_ < frames) {
        text = tr("frame %1: PSNR %2, SSIM %3")
                   .arg(frame_ + 1)
                   .arg(value_text(Kind::psnr, frame_), value_text(Kind::ssim, frame_));
        if (comparison_.worst() >= 0)
            text += (comparison_.complete() ? tr(", worst frame %1") : tr(", worst frame so far %1"))
                        .arg(comparison_.worst() + 1);
    }
    const QString& note = comparison_.note();
    set_spoken_description(*this, note.isEmpty() ? text : text + QStringLiteral(". ") + note);
}

bool MetricsView::is_measured(int frame) const {
    const auto& curve = comparison_.curve();
    return frame >= 0 && static_cast<std::size_t>(frame) < curve.size() && curve[static_cast<std::size_t>(frame)];
}

std::optional<double> MetricsView::value(Kind kind, int frame) const {
    if (!is_measured(frame)) return {};
    const metrics::FrameMetrics& m = *comparison_.curve()[static_cast<std::size_t>(frame)];
    return kind == Kind::psnr ? m.psnr : m.ssim;
}

/// PSNR and SSIM may have different worst frames, so each curve has its own flag.
int MetricsView::worst(Kind kind) const {
    if (kind == Kind::ssim) return comparison_.worst();
    int lowest = -1;
    for (int n = 0; n < static_cast<int>(comparison_.curve().size()); ++n)
        if (const auto v = value(kind, n); v && (lowest < 0 || *v < *value(kind, lowest))) lowest = n;
    return lowest;
}

QString MetricsView::value_text(Kind kind, int frame) const {
    if (!is_measured(frame)) return QStringLiteral("–");
    const auto v = value(kind, frame);
    if (kind == Kind::psnr) return v ? tr("%1 dB").arg(number(*v, 2)) : tr("equal");
    return v ? number(*v, 4) : tr("too small");
}

std::vector<MetricsView::Row> MetricsView::rows() const {
    std::vector<Row> rows;
    const double foot = comparison_.note().isEmpty() ? 0 : fontMetrics().lineSpacing();
    const double each = (height() - margin - foot) / 2.0;
    for (const Kind kind : {Kind::psnr, Kind::ssim}) {
        Row row{kind, {}, INFINITY, -INFINITY, false};
        const double top = static_cast<double>(rows.size()) * each + header;
        row.area = QRectF(left(), top, std::max(8.0, width() - margin - left()), std::max(8.0, each - header - 4));
        for (int n = 0; n < static_cast<int>(comparison_.curve().size()); ++n)
            if (const auto v = value(kind, n)) {
                row.low = std::min(row.low, *v);
                row.high = std::max(row.high, *v);
            }
        // The axis has a minimum range, so that tiny changes do not fill the whole height.
        const double least = kind == Kind::psnr ? 2 : 0.01;
        row.known = row.high >= row.low;
        if (!row.known) row.low = 0, row.high = 1;
        if (row.high - row.low < least) {
            const double middle = (row.low + row.high) / 2;
            row.low = middle - least / 2;
            row.high = middle + least / 2;
            if (kind == Kind::ssim && row.high > 1) row.low -= row.high - 1, row.high = 1;
        }
        rows.push_back(row);
    }
    return rows;
}

/// Where the curves begin; left of that are the figures of their axes.
double MetricsView::left() const {
    return margin + QFontMetricsF(small_font(font())).horizontalAdvance(QStringLiteral("0.000")) + 4;
}

double MetricsView::x_of(const Row& row, int frame) const {
    const auto last = static_cast<double>(comparison_.curve().size()) - 1;
    return row.area.left() + (last > 0 ? frame / last : 0.5) * row.area.width();
}

double MetricsView::y_of(const Row& row, double v) const {
    return row.area.bottom() - (v - row.low) / (row.high - row.low) * row.area.height();
}

int MetricsView::frame_at(const QPointF& position) const {
    const auto last = static_cast<int>(comparison_.curve().size()) - 1;
    if (last < 0) return -1;
    const double share = (position.x() - left()) / std::max(1.0, width() - margin - left());
    return std::clamp(static_cast<int>(std::lround(share * last)), 0, last);
}

void MetricsView::paintEvent(QPaintEvent*) {
    const Colours& c = colours(palette());
    QPainter painter(this);
    painter.fillRect(rect(), c.panel);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool failed = !comparison_.issue().isEmpty();
    if (!comparison_.active() || failed) {
        painter.setPen(failed ? c.text : c.quiet);
        painter.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap,
                         failed ? comparison_.issue().line() : empty_text_);
    } else {
        for (const Row& row : rows()) {
            paint_row(painter, row);
            paint_header(painter, row);
        }
        painter.setPen(c.quiet);
        const QRectF foot = QRectF(rect()).adjusted(margin, 0, -margin, -2);
        painter.drawText(foot, Qt::AlignLeft | Qt::AlignBottom,
                         fontMetrics().elidedText(comparison_.note(), Qt::ElideRight, int(foot.width())));
    }
    paint_focus(painter, *this);
}

void MetricsView::paint_row(QPainter& painter, const Row& row) const {
    const Colours& c = colours(palette());
    painter.setPen(Qt::NoPen);
    painter.setBrush(c.field);
    painter.drawRoundedRect(row.area.adjusted(-4, -2, 4, 2), 3, 3);
    const auto frames = static_cast<int>(comparison_.curve().size());

    QPainterPath line;
    bool down = false;
    painter.setBrush(c.text);
    for (int n = 0; n < frames; ++n) {
        auto v = value(row.kind, n);
        if (is_measured(n) && !v && row.kind == Kind::psnr) v = row.high; // equal frames are at the top
        if (!v) {
            down = false;
            continue;
        }
        const QPointF p(x_of(row, n), y_of(row, *v));
        if (down)
            line.lineTo(p);
        else
            line.moveTo(p);
        if (!down && !is_measured(n + 1)) painter.drawEllipse(p, 1.5, 1.5); // a single point
        down = true;
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(c.text, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(line);

    if (row.known) paint_axis(painter, row);
    const int lowest = worst(row.kind);
    if (const auto v = value(row.kind, lowest)) {
        const QPointF p(x_of(row, lowest), y_of(row, *v));
        const QPointF flag[] = {p + QPointF(0, -3), p + QPointF(-4, -10), p + QPointF(4, -10)};
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.warning);
        painter.drawPolygon(flag, 3);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (hover_ >= 0 && hover_ < frames) {
        painter.setPen(QPen(c.quiet, 1, Qt::DotLine));
        painter.drawLine(QPointF(x_of(row, hover_), row.area.top()), QPointF(x_of(row, hover_), row.area.bottom()));
    }
    if (frame_ < frames)
        painter.fillRect(QRectF(std::round(x_of(row, frame_)) - 0.5, row.area.top() - 2, 1.5, row.area.height() + 4),
                         c.accent);
    painter.setRenderHint(QPainter::Antialiasing);
}

/// Paints the figures at both ends of the axis, if there is room.
void MetricsView::paint_axis(QPainter& painter, const Row& row) const {
    painter.save();
    painter.setFont(small_font(font()));
    const QRectF beside(margin - 4, row.area.top() - 4, row.area.left() - margin - 4, row.area.height() + 8);
    if (beside.height() >= 2 * painter.fontMetrics().ascent()) {
        painter.setPen(colours(palette()).quiet);
        const int digits = row.kind == Kind::psnr ? 1 : 3;
        painter.drawText(beside, Qt::AlignRight | Qt::AlignTop, number(row.high, digits));
        painter.drawText(beside, Qt::AlignRight | Qt::AlignBottom, number(row.low, digits));
    }
    painter.restore();
}

/// Mean and worst of the measured frames, and how many these are if not all; empty if none is.
QString MetricsView::summary(Kind kind) const {
    QStringList parts;
    const auto mean = comparison_.mean();
    if (mean && !comparison_.complete())
        parts << tr("so far (%1 of %2)").arg(comparison_.done()).arg(comparison_.comparable());
    if (mean && kind == Kind::psnr)
        parts << (mean->psnr ? tr("mean %1 dB").arg(number(*mean->psnr, 2)) : tr("all frames are equal"));
    if (mean && kind == Kind::ssim && mean->ssim) parts << tr("mean %1").arg(number(*mean->ssim, 4));
    if (const int lowest = worst(kind); mean && lowest >= 0) parts << tr("worst frame %1").arg(lowest + 1);
    return parts.join(QStringLiteral("  ·  "));
}

void MetricsView::paint_header(QPainter& painter, const Row& row) const {
    const Colours& c = colours(palette());
    const QRectF box(margin - 4, row.area.top() - header, row.area.right() + 8 - margin, header - 4);
    const int frame = hover_ >= 0 ? hover_ : frame_;
    const QFontMetricsF metrics = painter.fontMetrics();
    const QString name = row.kind == Kind::psnr ? QStringLiteral("PSNR") : QStringLiteral("SSIM");
    painter.setPen(c.quiet);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, name);
    double x = box.left() + metrics.horizontalAdvance(name) + 8;
    const auto write = [&](const QString& text, const QColor& colour) {
        painter.setPen(colour);
        painter.drawText(QRectF(x, box.top(), std::max(0.0, box.right() - x), box.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
        x += metrics.horizontalAdvance(text) + 12;
    };
    write(value_text(row.kind, frame), c.text);
    if (hover_ >= 0) write(tr("frame %1").arg(hover_ + 1), c.quiet);

    // On the right, if there is room: the mean and the worst frame or, in the second row, what is being done.
    const bool told = row.kind == Kind::ssim && !comparison_.activity().isEmpty();
    const QString right = told ? comparison_.activity() : summary(row.kind);
    double edge = box.right();
    if (row.kind == Kind::psnr && exact_->isVisible()) edge = exact_->geometry().left() - 8;
    if (x + metrics.horizontalAdvance(right) <= edge) {
        painter.setPen(c.quiet);
        painter.drawText(QRectF(x, box.top(), edge - x, box.height()), Qt::AlignRight | Qt::AlignVCenter, right);
    }
}

void MetricsView::resizeEvent(QResizeEvent*) {
    const QSize size = exact_->sizeHint();
    exact_->setGeometry(width() - size.width() - 8, 0, size.width(), static_cast<int>(header) - 2);
}

void MetricsView::request(int frame) {
    const auto last = static_cast<int>(comparison_.curve().size()) - 1;
    if (last < 0) return;
    set_frame(std::clamp(frame, 0, last));
    emit frame_requested(frame_);
}

void MetricsView::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) request(frame_at(event->position()));
}

void MetricsView::mouseMoveEvent(QMouseEvent* event) {
    hover_ = comparison_.active() ? frame_at(event->position()) : -1;
    if (event->buttons() & Qt::LeftButton) request(hover_);
    update();
}

void MetricsView::leaveEvent(QEvent*) {
    hover_ = -1;
    update();
}

void MetricsView::keyPressEvent(QKeyEvent* event) {
    const int many = event->modifiers() & Qt::ShiftModifier ? 10 : 1;
    switch (event->key()) {
    case Qt::Key_Left:
        return request(frame_ - many);
    case Qt::Key_Right:
        return request(frame_ + many);
    case Qt::Key_Home:
        return request(0);
    case Qt::Key_End:
        return request(static_cast<int>(comparison_.curve().size()) - 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return emit worst_requested();
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace denoir::ui
