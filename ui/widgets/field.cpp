// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/field.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QMouseEvent>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/theme/spoken.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/escape.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/note.h"
#include "ui/widgets/wheel.h"

namespace denoir::ui {

namespace {
constexpr double notch = 8;          // pixels of dragging per step
constexpr qsizetype most_typed = 12; // characters of a number out of range
} // namespace

ScrubLabel::ScrubLabel(const QString& text, QWidget* parent) : QLabel(text, parent) {}

void ScrubLabel::set_scrubbable(bool scrubbable) {
    scrubbable_ = scrubbable;
    setCursor(scrubbable ? Qt::SizeHorCursor : Qt::ArrowCursor);
}

void ScrubLabel::mousePressEvent(QMouseEvent* event) {
    if (!scrubbable_ || event->button() != Qt::LeftButton) return QLabel::mousePressEvent(event);
    dragging_ = true;
    from_ = event->globalPosition().x();
    rest_ = 0;
}

void ScrubLabel::mouseMoveEvent(QMouseEvent* event) {
    if (!dragging_) return QLabel::mouseMoveEvent(event);
    const double speed = event->modifiers() & Qt::ShiftModifier ? 0.1 : 1;
    rest_ += (event->globalPosition().x() - from_) * speed / notch;
    from_ = event->globalPosition().x();
    const int whole = static_cast<int>(rest_);
    rest_ -= whole;
    if (whole != 0) emit scrubbed(whole);
}

void ScrubLabel::mouseReleaseEvent(QMouseEvent* event) {
    if (!dragging_) return QLabel::mouseReleaseEvent(event);
    dragging_ = false;
}

NumberEdit::NumberEdit(double low, double high, double step, int decimals, QWidget* parent) : QDoubleSpinBox(parent) {
    setRange(low, high);
    setSingleStep(step);
    setDecimals(decimals);
    setKeyboardTracking(false);
    wheel_when_focused(this);
    escape_first(
        *this, [this] { return lineEdit()->isModified(); }, [this] { show_value(value()); });
    setAccelerated(true);
    setAlignment(Qt::AlignLeft);
    connect(this, &QDoubleSpinBox::valueChanged, this, &NumberEdit::commit);
    connect(this, &QDoubleSpinBox::editingFinished, this, [this] {
        lineEdit()->setModified(false);
        if (const QString asked = std::exchange(limited_, {}); !asked.isEmpty())
            emit limited(tr("%1 became %2: at least %3, at most %4")
                             .arg(asked, textFromValue(value()), textFromValue(minimum()), textFromValue(maximum())));
    });
}

void NumberEdit::stepBy(int steps) {
    QDoubleSpinBox::stepBy(steps);
    limited_.clear(); // it was about another value
}

void NumberEdit::set_snap(std::function<double(double)> snap) { snap_ = std::move(snap); }

void NumberEdit::set_unit(const QString& unit, const QString& of_one) {
    unit_ = unit;
    unit_of_one_ = of_one.isEmpty() ? unit : of_one;
    fit_unit();
}

void NumberEdit::set_typed_unit(const QString& unit, std::function<double(double)> value_of) {
    typed_unit_ = unit;
    value_of_ = std::move(value_of);
}

QString NumberEdit::without_unit(const QString& text) const {
    const bool has_unit = !suffix().isEmpty() && text.endsWith(suffix());
    return (has_unit ? text.chopped(suffix().size()) : text).trimmed();
}

std::optional<double> NumberEdit::of_typed_unit(const QString& text) const {
    const QString typed = without_unit(text);
    if (typed_unit_.isEmpty() || !typed.endsWith(typed_unit_)) return std::nullopt;
    bool is_number = false;
    const double number = locale().toDouble(typed.chopped(typed_unit_.size()).trimmed(), &is_number);
    return is_number ? std::optional(value_of_(number)) : std::nullopt;
}

std::optional<double> NumberEdit::beyond(const QString& text) const {
    bool is_number = false;
    const double plain = locale().toDouble(without_unit(text), &is_number);
    const std::optional<double> typed = is_number ? std::optional(plain) : of_typed_unit(text);
    return typed && (*typed < minimum() || *typed > maximum()) ? typed : std::nullopt;
}

double NumberEdit::valueFromText(const QString& text) const {
    const std::optional<double> typed = of_typed_unit(text);
    return typed ? *typed : QDoubleSpinBox::valueFromText(text);
}

/// Leaves out the unit if it would cut off digits.
void NumberEdit::fit_unit() {
    constexpr int cursor_room = 6;
    const int room = lineEdit()->width() - cursor_room;
    const QString& unit = value() == 1 ? unit_of_one_ : unit_;
    const QString shown = fontMetrics().horizontalAdvance(textFromValue(value()) + unit) <= room ? unit : QString();
    if (shown == suffix()) return;
    const QSignalBlocker quiet(this);
    setSuffix(shown);
    if (unknown_) show_unknown();
}

void NumberEdit::resizeEvent(QResizeEvent* event) {
    QDoubleSpinBox::resizeEvent(event);
    fit_unit();
}

/// Shows no number again if the value is not known, as Qt writes one when the widget is shown.
void NumberEdit::showEvent(QShowEvent* event) {
    QDoubleSpinBox::showEvent(event);
    if (unknown_) show_unknown();
}

void NumberEdit::show_value(double value) {
    const QSignalBlocker quiet(this);
    const bool was_unknown = std::exchange(unknown_, false);
    setValue(value);
    fit_unit();
    if (was_unknown) lineEdit()->setText(prefix() + textFromValue(QDoubleSpinBox::value()) + suffix());
}

void NumberEdit::show_unknown() {
    unknown_ = true;
    const QSignalBlocker quiet(this);
    lineEdit()->setText(QStringLiteral("–"));
}

void NumberEdit::commit() {
    const double asked = value();
    lineEdit()->setModified(false);
    if (snap_)
        show_value(snap_(asked));
    else
        fit_unit();
    emit edited(value());
    if (value() != asked) emit snapped(asked, value());
}

QValidator::State NumberEdit::validate(QString& text, int& at) const {
    text.replace(locale().decimalPoint() == QLatin1String(".") ? QLatin1Char(',') : QLatin1Char('.'),
                 locale().decimalPoint());
    for (const QString& unit : {unit_, unit_of_one_}) // for "9 frames" typed over "1 frame"
        if (!suffix().isEmpty() && unit != suffix() && text.endsWith(unit))
            text.replace(text.size() - unit.size(), unit.size(), suffix());
    if (beyond(text)) // may be typed, so that the user can be told what is wrong
        return without_unit(text).size() > most_typed ? QValidator::Invalid : QValidator::Intermediate;
    if (of_typed_unit(text)) return QValidator::Acceptable;
    const QValidator::State state = QDoubleSpinBox::validate(text, at);
    if (state != QValidator::Invalid || typed_unit_.isEmpty()) return state;
    bool is_number = false; // such as "1.5" before the unit is typed
    locale().toDouble(without_unit(text), &is_number);
    return is_number ? QValidator::Intermediate : state;
}

void NumberEdit::fixup(QString& text) const {
    const std::optional<double> asked = beyond(text);
    if (!asked) return QDoubleSpinBox::fixup(text);
    limited_ = without_unit(text);
    text = prefix() + textFromValue(std::clamp(*asked, minimum(), maximum())) + suffix();
}

QString NumberEdit::textFromValue(double value) const {
    // "5", not "5.00"
    QString text = locale().toString(value, 'f', decimals());
    text.remove(locale().groupSeparator());
    if (decimals() > 0) {
        while (text.endsWith(locale().zeroDigit())) text.chop(1);
        if (text.endsWith(locale().decimalPoint())) text.chop(1);
    }
    return text;
}

Field::Field(const QString& name, QWidget* control, QWidget* parent)
    : QWidget(parent),
      name_(name),
      control_(control),
      label_(new ScrubLabel(name, this)),
      row_(new QHBoxLayout),
      note_(new QLabel(this)),
      reset_(new QToolButton(this)),
      problem_(new QWidget(this)),
      error_(make_note(problem_, "error")),
      hint_(make_note(this, "quiet")) {
    const int name_width = std::max(80, 11 * fontMetrics().averageCharWidth()); // aligns the controls of all fields
    label_->setFixedWidth(name_width);
    label_->setBuddy(control);
    label_->setAccessibleName(name); // the control's name as well: without the mark, and never cut off
    label_->setProperty("quiet", true);
    control->setAccessibleName(name);
    control->setMinimumWidth(56); // so that a narrow dock need not scroll sideways
    note_->setProperty("quiet", true);
    note_->hide();
    reset_->setObjectName(QStringLiteral("reset"));
    reset_->setIcon(icon(QStringLiteral("reset")));
    reset_->setIconSize({12, 12});
    reset_->setAutoRaise(true);
    reset_->hide();

    row_->setContentsMargins(0, 0, 0, 0);
    row_->setSpacing(grid::half);
    row_->addWidget(label_);
    row_->addWidget(control, 1);
    row_->addWidget(note_);
    row_->addWidget(reset_);

    error_->setObjectName(QStringLiteral("error"));
    error_->setMinimumWidth(1); // instead of that of its longest word
    auto* below = make_layout<QHBoxLayout>(problem_, grid::half, {name_width + grid::half, 0, 0, 0});
    below->addWidget(error_, 1);
    problem_->hide();
    hint_->setObjectName(QStringLiteral("hint"));
    hint_->setContentsMargins(name_width + grid::half, 0, 0, 0);
    hint_->hide();

    auto* column = make_layout<QVBoxLayout>(this, 2);
    column->addLayout(row_);
    column->addWidget(problem_);
    column->addWidget(hint_);
    connect(reset_, &QToolButton::clicked, this, &Field::reset_asked);
}

void Field::add_control(QWidget* control) { row_->insertWidget(row_->indexOf(note_), control); }

void Field::add_spare_control(QWidget* control) {
    add_control(control);
    spare_ = control;
    spare_->setVisible(width() >= roomy);
}

void Field::set_note(const QString& note) {
    note_->setText(note);
    note_->setVisible(!note.isEmpty());
}

void Field::set_default(const QString& shown_default, bool changed) {
    const bool mark = changed_ = changed && !shown_default.isNull();
    label_->setText(mark ? QStringLiteral("• %1").arg(name_) : name_);
    set_look(*label_, "quiet", !mark);
    reset_->setVisible(mark);
    reset_->setText(shown_default);
    reset_->setToolTip(tr("Back to the model's default: %1").arg(shown_default));
    set_spoken_name(*reset_, tr("Reset %1 to %2").arg(name_, shown_default));
    if (control_->toolTip() != whole_tip_) tip_ = control_->toolTip();
    const QString standard = shown_default.isEmpty() ? QString() : tr("Default: %1").arg(shown_default);
    whole_tip_ = tip_.isEmpty() || standard.isEmpty() ? tip_ + standard : tip_ + QLatin1Char('\n') + standard;
    control_->setToolTip(whole_tip_);
    default_words_ = mark ? tr("changed; default %1").arg(shown_default) : QString();
    describe();
}

/// Sets what screen readers say of the control: the error, the hint, or that it is not the default, whichever there is.
void Field::describe() {
    const QString& below = wrong_.isEmpty() ? hint_->text() : wrong_;
    set_spoken_description(*control_, below.isEmpty() ? default_words_ : below);
}

void Field::set_error(const QString& error) {
    const bool wrong = !error.isEmpty();
    wrong_ = error;
    error_->setText(breakable(error)); // a long file name would make the dock scroll sideways
    problem_->setVisible(wrong);
    set_look(*control_, "invalid", wrong);
    describe();
    fit_words();
}

/// Sets the height of wrapped texts, as in little room a layout would allow for one line only and cut off the rest.
void Field::fit_words() {
    const int inner = width() - label_->width() - grid::half;
    const bool laid_out = inner >= control_->minimumWidth();
    error_->setMinimumHeight(laid_out && !error_->text().isEmpty() ? error_->heightForWidth(inner) : 0);
    hint_->setMinimumHeight(laid_out && !hint_->text().isEmpty() ? hint_->heightForWidth(width()) : 0);
}

void Field::resizeEvent(QResizeEvent* event) {
    reset_->setToolButtonStyle(width() >= wide ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
    if (spare_) spare_->setVisible(width() >= roomy);
    fit_words();
    QWidget::resizeEvent(event);
}

void Field::set_hint(const QString& hint) {
    hint_->setText(hint);
    hint_->setVisible(!hint.isEmpty());
    describe();
    fit_words();
}

} // namespace denoir::ui
