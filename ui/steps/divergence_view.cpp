// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/steps/divergence_view.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/base/engine_text.h"
#include "app/base/local_number.h"
#include "app/base/text.h"
#include "engine/compare/trace_map.h"
#include "ui/theme/colours.h"
#include "ui/widgets/painting.h"

namespace denoir::ui {
namespace {

constexpr double margin = 8;
constexpr int lowest_decade = -8;

} // namespace

DivergenceView::DivergenceView(app::RunDivergence& divergence, QWidget* parent)
    : QWidget(parent), divergence_(divergence) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Difference of the two runs after each step"));
    connect(&divergence_, &app::RunDivergence::changed, this, [this] {
        hover_ = step_ = -1;
        refresh();
    });
    refresh();
}

QRectF DivergenceView::area() const {
    const double axis = QFontMetricsF(small_font(font())).horizontalAdvance(QStringLiteral("1e-8 "));
    const double head = fontMetrics().height() + 4;
    return {margin + axis, head, std::max(8.0, width() - 2 * margin - axis), std::max(8.0, height() - head - margin)};
}

double DivergenceView::x_of(int step) const {
    return area().left() + step / double(std::max(1, divergence_.steps())) * area().width();
}

double DivergenceView::y_of(double error) const { return area().bottom() - error_level(error) * area().height(); }

const StepDivergence* DivergenceView::at(int step) const {
    const auto& steps = divergence_.found().steps;
    const auto nearest = std::min_element(steps.begin(), steps.end(), [&](const auto& p, const auto& q) {
        return std::abs(p.a - step) < std::abs(q.a - step);
    });
    return step < 0 || nearest == steps.end() ? nullptr : &*nearest;
}

QString DivergenceView::number_of(const StepDivergence& s) const {
    return s.a == s.b ? tr("step %1").arg(s.a) : tr("step %1 (B: %2)").arg(s.a).arg(s.b);
}

/// A summary in the same words as the command line's to_text().
QString DivergenceView::summary() const {
    const auto& found = divergence_.found();
    if (!found.first)
        return tr("Latents are equal in all %n step(s) that both runs keep", nullptr, int(found.steps.size()));
    const StepDivergence &first = found.steps[*found.first], &last = found.steps.back();
    const auto error = [](const StepDivergence& s) { return app::local_number(error_text(s.relative())); };
    QString text = *found.first == 0 ? tr("Latents differ from the first step that both keep")
                                     : tr("Latents are equal up to %1").arg(number_of(found.steps[*found.first - 1]));
    text += tr("; relative difference %1 after %2").arg(error(first), number_of(first));
    if (&first != &last) text += tr(", %1 after %2").arg(error(last), number_of(last));
    return text;
}

QString DivergenceView::text_of(const StepDivergence& s) const {
    const QString number = number_of(s);
    const QString latent = app::local_number(error_text(s.relative()));
    return s.x0 ? tr("%1: latent %2, estimate %3").arg(number, latent, app::local_number(error_text(s.x0->relative())))
                : tr("%1: latent %2").arg(number, latent);
}

void DivergenceView::set_step(int step) {
    if (step == step_) return;
    step_ = step;
    refresh();
}

void DivergenceView::refresh() {
    const StepDivergence* shown = at(step_);
    setAccessibleDescription(shown ? text_of(*shown) : divergence_.found().steps.empty() ? empty_text() : summary());
    QStringList notes;
    for (const std::string& note : divergence_.found().notes) notes << app::engine_text(app::to_qstring(note));
    setToolTip(notes.join(QLatin1Char('\n')));
    update();
}

void DivergenceView::paintEvent(QPaintEvent*) {
    const Colours& c = colours(palette());
    QPainter painter(this);
    painter.fillRect(rect(), c.panel);
    painter.setRenderHint(QPainter::Antialiasing);
    if (divergence_.found().steps.empty()) {
        painter.setPen(divergence_.issue().isEmpty() ? c.quiet : c.text);
        painter.drawText(rect().adjusted(12, 4, -12, -4), Qt::AlignCenter | Qt::TextWordWrap, empty_text());
        return paint_focus(painter, *this);
    }
    paint_axis(painter);
    const StepDivergence* shown = at(hover_ >= 0 ? hover_ : step_);
    paint_title(painter, shown);
    paint_key(painter);
    paint_steps(painter);
    if (shown) {
        painter.setBrush(c.accent);
        painter.drawEllipse(QPointF(x_of(shown->a), y_of(shown->relative())), 3.5, 3.5);
    }
    paint_focus(painter, *this);
}

/// Says why there is nothing to draw (yet).
QString DivergenceView::empty_text() const {
    const auto& notes = divergence_.found().notes;
    if (!divergence_.issue().isEmpty()) return divergence_.issue().line();
    if (divergence_.steps() > 0) {
        if (notes.empty()) return tr("No step's latents are stored in both runs.");
        QString note = app::engine_text(app::to_qstring(notes.back()));
        return note.replace(0, 1, note.at(0).toUpper()); // here it stands alone
    }
    return divergence_.reading() ? tr("Reading the latents …")
                                 : tr("Two runs as A and B: how their latents drift apart is drawn here.");
}

void DivergenceView::paint_axis(QPainter& painter) const {
    const Colours& c = colours(palette());
    const QRectF box = area();
    painter.fillRect(box, c.field);
    painter.setFont(small_font(font()));
    const double high = painter.fontMetrics().height();
    for (int e = lowest_decade; e <= 0; e += 4) {
        const double y = y_of(std::pow(10.0, e));
        painter.setPen(c.line);
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
        painter.setPen(c.quiet);
        // Beside its line, but not beyond the plot, where the title is.
        const double top = std::clamp(y - high / 2, box.top(), std::max(box.top(), box.bottom() - high));
        painter.drawText(QRectF(margin, top, box.left() - margin - 4, high), Qt::AlignRight | Qt::AlignVCenter,
                         e == 0 ? QStringLiteral("1") : QStringLiteral("1e%1").arg(e));
    }
    painter.setFont(font());
}

/// `shown` is the step under the pointer or the one that is picked; null if there is neither.
void DivergenceView::paint_title(QPainter& painter, const StepDivergence* shown) const {
    const Colours& c = colours(palette());
    painter.setPen(shown ? c.text : c.quiet);
    const QRectF title(margin, 0, width() - 2 * margin, area().top() - 2);
    const QString words = shown                       ? text_of(*shown)
                          : divergence_.found().first ? tr("Difference of the latents")
                                                      : tr("Latents are equal");
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(words, Qt::ElideRight, int(title.width())));
}

/// Paints latents as a line and estimates as dots.
void DivergenceView::paint_steps(QPainter& painter) const {
    const Colours& c = colours(palette());
    const auto& steps = divergence_.found().steps;
    QPainterPath line;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const QPointF p(x_of(steps[i].a), y_of(steps[i].relative()));
        i == 0 ? line.moveTo(p) : line.lineTo(p);
    }
    painter.setPen(QPen(c.text, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(line);
    painter.setPen(Qt::NoPen);
    for (const StepDivergence& s : steps) {
        painter.setBrush(c.text);
        if (steps.size() == 1) painter.drawEllipse(QPointF(x_of(s.a), y_of(s.relative())), 2, 2); // no line is drawn
        painter.setBrush(c.quiet);
        if (s.x0) painter.drawEllipse(QPointF(x_of(s.a), y_of(s.x0->relative())), 1.6, 1.6);
    }
}

/// Explains the line and the dots, in the corner that curves leave free, as runs drift apart and do not meet again.
void DivergenceView::paint_key(QPainter& painter) const {
    const auto& steps = divergence_.found().steps;
    if (std::none_of(steps.begin(), steps.end(), [](const StepDivergence& s) { return s.x0.has_value(); })) return;
    constexpr double sign = 14, gap = 6;
    const Colours& c = colours(palette());
    const QFontMetricsF metrics(small_font(font()));
    const QString line = tr("latent"), dots = tr("estimate");
    const QRectF box = area();
    const double middle = box.bottom() - metrics.height() / 2 - 2;
    double x = box.right() - metrics.horizontalAdvance(line) - metrics.horizontalAdvance(dots) - 2 * sign - 4 * gap;
    if (x < box.left() || box.height() < 3 * metrics.height()) return;
    painter.save();
    painter.setFont(small_font(font()));
    const auto entry = [&](const QString& words) {
        x += sign + gap;
        painter.setPen(c.quiet);
        painter.drawText(QRectF(x, middle - metrics.height() / 2, box.right() - x, metrics.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, words);
        x += metrics.horizontalAdvance(words) + gap;
    };
    painter.setPen(QPen(c.text, 1.5));
    painter.drawLine(QPointF(x, middle), QPointF(x + sign, middle));
    entry(line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(c.quiet);
    for (const double part : {0.1, 0.5, 0.9}) painter.drawEllipse(QPointF(x + part * sign, middle), 1.6, 1.6);
    entry(dots);
    painter.restore();
}

const StepDivergence* DivergenceView::under(double x) const {
    const double share = (x - area().left()) / area().width();
    return at(std::clamp(int(std::lround(share * divergence_.steps())), 0, divergence_.steps()));
}

void DivergenceView::request(const StepDivergence* s) {
    if (!s) return;
    set_step(s->a);
    emit step_requested(s->a, s->b);
}

void DivergenceView::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) request(under(event->position().x()));
}

void DivergenceView::mouseMoveEvent(QMouseEvent* event) {
    const StepDivergence* s = under(event->position().x());
    hover_ = s ? s->a : -1;
    if (event->buttons() & Qt::LeftButton) request(s);
    update();
}

void DivergenceView::leaveEvent(QEvent*) {
    hover_ = -1;
    update();
}

void DivergenceView::keyPressEvent(QKeyEvent* event) {
    const auto& steps = divergence_.found().steps;
    if (steps.empty()) return QWidget::keyPressEvent(event);
    const auto now = std::max<std::ptrdiff_t>(0, step_ < 0 ? 0 : at(step_) - steps.data());
    const auto last = std::ptrdiff_t(steps.size()) - 1;
    std::ptrdiff_t next = now;
    switch (event->key()) {
    case Qt::Key_Left:
        next = now - 1;
        break;
    case Qt::Key_Right:
        next = step_ < 0 ? 0 : now + 1;
        break;
    case Qt::Key_Home:
        next = 0;
        break;
    case Qt::Key_End:
        next = last;
        break;
    default:
        return QWidget::keyPressEvent(event);
    }
    request(&steps[std::size_t(std::clamp<std::ptrdiff_t>(next, 0, last))]);
}

} // namespace denoir::ui
