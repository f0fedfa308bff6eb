// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/parameters_panel.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpressionValidator>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/base/background.h"
#include "app/base/text.h"
#include "app/project/project.h"
#include "app/request/estimator.h"
#include "app/request/model_catalogue.h"
#include "app/request/request_document.h"
#include "engine/backend/cards.h"
#include "engine/core/units.h"
#include "engine/pipeline/seed.h"
#include "engine/sampling/scheduler.h"
#include "ui/docks/parameters_text.h"
#include "ui/docks/sizes.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/elided_combo.h"
#include "ui/widgets/elided_edit.h"
#include "ui/widgets/escape.h"
#include "ui/widgets/field.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/note.h"
#include "ui/widgets/page_area.h"
#include "ui/widgets/row_changes.h"
#include "ui/widgets/tool_button.h"
#include "ui/widgets/wheel.h"

namespace denoir::ui {
namespace {

/// A box that lets the user type a number beyond its range, and takes the nearest in it. Qt would refuse the last
/// digit, so that 100 would become 10.
class CountBox : public QSpinBox {
public:
    using QSpinBox::QSpinBox;
    QValidator::State validate(QString& text, int& at) const override {
        const QValidator::State state = QSpinBox::validate(text, at);
        return state == QValidator::Invalid && typed(text) ? QValidator::Intermediate : state;
    }
    void fixup(QString& text) const override {
        if (const auto number = typed(text)) text = prefix() + textFromValue(std::clamp(*number, minimum(), maximum()));
    }

private:
    std::optional<int> typed(const QString& text) const {
        bool is_number = false;
        const int number = text.sliced(text.startsWith(prefix()) ? prefix().size() : 0).toInt(&is_number);
        return is_number ? std::optional(number) : std::nullopt;
    }
};

/// Scrolls until all of a widget is visible. QScrollArea::ensureWidgetVisible() stops when a text field's cursor is.
void show_whole(QScrollArea& scroll, const QWidget& widget) {
    const QPoint centre = widget.mapTo(scroll.widget(), widget.rect().center());
    scroll.ensureVisible(centre.x(), centre.y(), 0, widget.height() / 2 + grid::half);
}

QString title(Sampler sampler) {
    switch (sampler) {
    case Sampler::unipc:
        return QStringLiteral("UniPC");
    case Sampler::dpmpp:
        return QStringLiteral("DPM++ 2M");
    case Sampler::euler:
        return QStringLiteral("Euler");
    }
    return {};
}

} // namespace

ParametersPanel::ParametersPanel(Studio& studio, QAction& generate, QWidget* parent)
    : QWidget(parent), studio_(studio), advanced_(new QWidget), advanced_toggle_(new QToolButton) {
    auto* column = make_layout<QVBoxLayout>(this, 0);
    column->addWidget(make_form(), 1);
    add_bottom(column, generate);
    connect(&studio_.document, &app::RequestDocument::changed, this, [this] {
        refused_.clear();
        snapped_.clear();
        refresh();
    });
    connect(&studio_.document, &app::RequestDocument::resolved_changed, this, &ParametersPanel::refresh);
    connect(&studio_.document, &app::RequestDocument::seed_locked_changed, this, &ParametersPanel::refresh_seed);
    connect(&studio_.estimator, &app::Estimator::changed, this, &ParametersPanel::refresh_estimate);
    on_row_changes(studio_.models, this, [this] { refresh_models(); });
    refresh_models();
    refresh();
}

QScrollArea* ParametersPanel::make_form() {
    auto* scroll = new PageArea(this);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setMinimumWidth(256); // in less, its rows would be cut off
    auto* page = new QWidget;
    auto* form = make_layout<QVBoxLayout>(page, grid::half, {grid::unit, grid::half, grid::unit, grid::unit});

    add_model(form);
    add_loras(form);
    add_size(form);
    add_frames(form);
    add_number(form, QStringLiteral("steps"), tr("Steps"), {1, StepCount::max}, 1, 0);
    add_number(form, QStringLiteral("guidance"), tr("Guidance"), limits::guidance, 0.5, 2);
    add_number(form, key_guidance_low, tr("Guid. low"), limits::guidance, 0.5, 2)
        ->setToolTip(tr("Guidance of the low-noise expert, which takes the last steps"));
    add_seed(form); // up here, as one has to scroll to later fields in a low window
    add_number(form, QStringLiteral("shift"), tr("Shift"), limits::shift, 0.5, 2);
    auto* sampler = add_choice(form, QStringLiteral("sampler"), tr("Sampler"));
    for (const auto& [name, each] : samplers) sampler->addItem(title(each), app::to_qstring(name));
    add_number(form, QStringLiteral("fps"), tr("Rate"), limits::fps, 1, 3, tr(" fps"));
    add_advanced(form);
    form->addStretch(1);
    scroll->setWidget(page);
    // When Tab enters a field, Qt scrolls only far enough to show the field's cursor.
    connect(qApp, &QApplication::focusChanged, scroll, [scroll, page](const QWidget* before, QWidget* now) {
        // A field that is pressed must not move away from the mouse, and a window that only comes to the front again
        // must not scroll.
        const bool by_key = before && QApplication::mouseButtons() == Qt::NoButton;
        if (by_key && now && page->isAncestorOf(now)) show_whole(*scroll, *now);
    });
    return scroll;
}

void ParametersPanel::add_frames(QVBoxLayout* form) {
    auto* frames = add_number(form, QStringLiteral("frames"), tr("Frames"), {1, FrameCount::max}, 4, 0);
    frames->set_unit(tr(" frames"), tr(" frame"));
    frames->set_snap(nearest_frame_count);
    frames->setToolTip(tr("One more than a multiple of four: 5, 9, 13, …; or the seconds: 2 s"));
    // As in length_text(), the seconds of a clip that continues a video are those that it adds.
    frames->set_typed_unit(QStringLiteral("s"), [this](double seconds) {
        const auto& forcing = studio_.document.asked().forcing;
        const int given = forcing && !forcing->video.empty() ? forcing->overlap : 0;
        return given + std::round(seconds * studio_.document.value(QStringLiteral("fps")).toDouble());
    });
    connect(frames, &NumberEdit::snapped, this, [this](double asked, double used) {
        snapped_.insert(
            QStringLiteral("frames"),
            tr("%1 became %2: one more than a multiple of four").arg(number_text(asked), number_text(used)));
        refresh_field(QStringLiteral("frames"));
    });
}

void ParametersPanel::add_advanced(QVBoxLayout* form) {
    advanced_toggle_->setObjectName(QStringLiteral("more"));
    advanced_toggle_->setText(tr("More"));
    advanced_toggle_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    advanced_toggle_->setIconSize({12, 12});
    advanced_toggle_->setAccessibleName(tr("End of guidance, precision, device, threads and forcing"));
    form->addWidget(advanced_toggle_, 0, Qt::AlignLeft);
    auto* more = make_layout<QVBoxLayout>(advanced_, grid::half);
    auto* until = add_number(more, key_guidance_until, tr("Guid. until"), limits::guidance_until, 50, 2);
    until->setSpecialValueText(tr("the end"));
    until->setToolTip(tr("Guidance ends where the time, which falls from 1000 to 0, gets below this: a step without it "
                         "takes half as long, and fine detail needs none. 500 is a good start"));
    auto* precision = add_choice(more, key_precision, tr("Precision"));
    precision->addItem(tr("bf16, rounded as SkyReels does"), QStringLiteral("bf16/skyreels"));
    precision->addItem(tr("bf16, rounded as Wan does"), QStringLiteral("bf16/wan"));
    precision->addItem(tr("f32"), QStringLiteral("f32/f32"));
    auto* device = add_choice(more, QStringLiteral("device"), tr("Device"));
    device->addItem(tr("Processor"), QStringLiteral("cpu"));
    list_cards(device);
    add_number(more, QStringLiteral("threads"), tr("Threads"), {0, 1024}, 1, 0)->setSpecialValueText(tr("every core"));
    auto* latents = add_choice(more, QStringLiteral("latents"), tr("Keep"));
    latents->addItem(tr("the latents of every step"), QStringLiteral("all"));
    latents->addItem(tr("the last latents alone"), QStringLiteral("last"));
    latents->addItem(tr("no latents"), QStringLiteral("none"));
    add_cache(more);
    add_forcing(more);
    form->addWidget(advanced_);
    connect(advanced_toggle_, &QToolButton::clicked, this, [this] {
        const bool open = !advanced_->isVisibleTo(this);
        set_advanced(open);
        refresh_estimate(); // it names the errors of fields that are folded away
        // Scrolls once the page has its new height, as a low window might show nothing of the opened part.
        if (open) QMetaObject::invokeMethod(this, &ParametersPanel::show_advanced, Qt::QueuedConnection);
    });
    set_advanced(false);
}

void ParametersPanel::set_advanced(bool open) {
    advanced_->setVisible(open);
    advanced_toggle_->setIcon(icon(open ? QStringLiteral("down") : QStringLiteral("right")));
}

/// Scrolls to the opened part, no further than needed and not past the button.
void ParametersPanel::show_advanced() {
    auto* scroll = findChild<QScrollArea*>();
    QScrollBar* bar = scroll->verticalScrollBar();
    const int hidden = advanced_->geometry().bottom() - (bar->value() + scroll->viewport()->height());
    if (hidden > 0) bar->setValue(std::min(bar->value() + hidden, advanced_toggle_->y()));
}

QList<Field*> ParametersPanel::fields() const { return findChildren<Field*>(); }

bool ParametersPanel::go_to(const Field& field) {
    if (field.isHidden()) return false;
    if (advanced_->isAncestorOf(&field) && !advanced_->isVisibleTo(this)) {
        set_advanced(true);
        refresh_estimate();
    }
    // Some controls, such as the list of LoRAs, do not take the focus themselves.
    QWidgetList inside{field.control()};
    inside << field.control()->findChildren<QWidget*>();
    for (QWidget* each : std::as_const(inside))
        if (each->isEnabled() && each->isVisibleTo(this) && each->focusPolicy() & Qt::TabFocus) {
            each->setFocus(Qt::ShortcutFocusReason);
            show_whole(*findChild<QScrollArea*>(), *each);
            break;
        }
    return true;
}

void ParametersPanel::set(const QString& key, const QVariant& value) {
    const app::Issue refused = studio_.document.set_value(key, value);
    if (refused.isEmpty())
        refused_.remove(key);
    else
        refused_.insert(key, words(refused));
    if (fields_.contains(key))
        refresh_field(key);
    else
        refresh_forcing(); // an object with several fields
    refresh_estimate();
}

void ParametersPanel::reset(const QString& key) {
    refused_.remove(key); // the document may have nothing to change
    studio_.document.reset(key);
    refresh();
}

void ParametersPanel::reset_all() {
    const int step = studio_.project.step();
    const bool typed = !refused_.isEmpty();
    refused_.clear();
    studio_.document.reset_all();
    refresh();
    if (!typed && studio_.project.step() == step) emit said(tr("Every parameter is already at its default."));
}

QString ParametersPanel::commit() {
    QWidget* typed = QApplication::focusWidget();
    if (typed && isAncestorOf(typed)) {
        if (auto* number = qobject_cast<QAbstractSpinBox*>(typed)) {
            number->interpretText();
            emit number->editingFinished();
        }
        auto* line = qobject_cast<QLineEdit*>(typed);
        if (auto* box = qobject_cast<QComboBox*>(typed)) line = box->lineEdit();
        if (line) emit line->editingFinished();
    }
    return refused_.isEmpty() ? QString() : refused_.cbegin().value();
}

NumberEdit* ParametersPanel::add_number(QVBoxLayout* form, const QString& key, const QString& name, Range range,
                                        double step, int decimals, const QString& unit) {
    auto* edit = new NumberEdit(range.least, range.most, step, decimals);
    edit->setObjectName(key);
    edit->set_unit(unit);
    auto* field = new Field(name, edit);
    field->label()->set_scrubbable(true);
    form->addWidget(field);
    fields_.insert(key, field);
    show_.insert(key, [this, key, edit] {
        const QVariant value = studio_.document.value(key);
        edit->setEnabled(value.isValid());
        if (!value.isValid()) edit->show_unknown();
        if (refused_.contains(key)) return;
        if (value.isValid() && (!edit->hasFocus() || edit->value() != value.toDouble()))
            edit->show_value(value.toDouble());
    });
    connect(edit, &NumberEdit::edited, this, [this, key, decimals](double value) {
        set(key, decimals == 0 ? QVariant(static_cast<int>(std::lround(value))) : QVariant(value));
    });
    connect(field->label(), &ScrubLabel::scrubbed, edit, [edit](int notches) {
        if (edit->isEnabled()) edit->stepBy(notches); // disabled while its value is not known
    });
    connect(field, &Field::reset_asked, this, [this, key] { reset(key); });
    tell_limits(*edit, key);
    return edit;
}

void ParametersPanel::tell_limits(const NumberEdit& edit, const QString& key) {
    connect(&edit, &NumberEdit::limited, this, [this, key](const QString& told) {
        snapped_.insert(key, told);
        refresh();
    });
}

/// Adds the cards to the choice of devices when the driver has listed them, which can take a second.
void ParametersPanel::list_cards(QComboBox* device) {
    app::run_then(
        this, [] { return cards(); },
        [this, device](const std::vector<Card>& found) {
            while (device->count() > 1) device->removeItem(1);
            for (const Card& card : found) {
                const QString name = app::to_qstring(card.device.name());
                device->addItem(tr("%1 · %2").arg(name, app::to_qstring(card.short_name())), name);
            }
            // Offered even without a card, as choosing it says what is missing.
            if (found.empty()) device->addItem(tr("First graphics card"), QStringLiteral("cuda:0"));
            show_[QStringLiteral("device")]();
        });
}

QComboBox* ParametersPanel::add_choice(QVBoxLayout* form, const QString& key, const QString& name) {
    auto* box = new ElidedCombo(Qt::ElideRight);
    box->setObjectName(key);
    make_narrow(box, 8);
    auto* field = new Field(name, box);
    form->addWidget(field);
    fields_.insert(key, field);
    const bool precision = key == key_precision;
    show_.insert(key, [this, key, box, precision] {
        QString value = studio_.document.value(key).toString();
        if (precision) value = studio_.document.value(QStringLiteral("dtype")).toString() + QLatin1Char('/') + value;
        const bool absent_card = key == QLatin1String("device") && !value.isEmpty() && box->findData(value) < 0;
        if (absent_card) box->addItem(value, value);
        box->setCurrentIndex(box->findData(value));
    });
    connect(box, &QComboBox::activated, this, [this, key, box, precision](int row) {
        const QString value = box->itemData(row).toString();
        if (!precision) return set(key, value);
        const QStringList parts = value.split(QLatin1Char('/'));
        studio_.document.set_values({{QStringLiteral("dtype"), parts[0]}, {key, parts[1]}}, tr("Precision"));
    });
    connect(field, &Field::reset_asked, this, [this, key, precision] {
        if (precision)
            studio_.document.set_values({{QStringLiteral("dtype"), {}}, {key, {}}}, tr("Precision"));
        else
            studio_.document.reset(key);
    });
    return box;
}

void ParametersPanel::add_model(QVBoxLayout* form) {
    model_ = new ElidedCombo(Qt::ElideMiddle); // versions and sizes are at the end of a name
    model_->setObjectName(QStringLiteral("model"));
    make_narrow(model_, 8);
    auto* field = new Field(tr("Model"), model_);
    form->addWidget(field);
    fields_.insert(QStringLiteral("model"), field);
    show_.insert(QStringLiteral("model"), [this] {
        const int row = model_->findData(chosen_model());
        if (row < 0) return refresh_models(); // a model that is in no watched folder
        model_->setCurrentIndex(row);
        model_->setToolTip(model_->itemData(row, Qt::ToolTipRole).toString());
    });
    connect(model_, &QComboBox::activated, this, [this](int row) {
        if (!model_->is_command(row)) set(QStringLiteral("model"), model_->itemData(row));
    });
    connect(model_, &ElidedCombo::command_chosen, this, [this] {
        refresh_field(QStringLiteral("model")); // the list may have changed while it was open
        emit add_models_asked();
    });
    connect(field, &Field::reset_asked, this, [this] { studio_.document.reset(QStringLiteral("model")); });
}

void ParametersPanel::add_size(QVBoxLayout* form) {
    size_ = new QComboBox;
    size_->setObjectName(key_size);
    size_->setEditable(true);
    size_->setInsertPolicy(QComboBox::NoInsert);
    size_->setCompleter(nullptr);
    make_narrow(size_, 9); // 8192×8192
    escape_puts_back(*size_->lineEdit());
    auto* field = new Field(tr("Size"), size_);
    field->label()->set_scrubbable(true);
    auto* turn = new QToolButton;
    set_drawing(*turn, icon(QStringLiteral("swap")), tr("Swap width and height"));
    field->add_control(turn);
    form->addWidget(field);
    fields_.insert(key_size, field);
    const auto size_now = [this] { // empty if it is not known
        return QSize(studio_.document.value(QStringLiteral("width")).toInt(),
                     studio_.document.value(QStringLiteral("height")).toInt());
    };
    show_.insert(key_size, [this, turn, size_now] {
        const QSize size = size_now();
        turn->setEnabled(!size.isEmpty());
        if (!size.isEmpty() && !size_->lineEdit()->isModified() && !refused_.contains(key_size))
            size_->setEditText(size_text(size.width(), size.height()));
    });
    connect(size_, &QComboBox::activated, this, [this](int row) {
        const QSize size = size_->itemData(row).toSize();
        set_size(size_text(size.width(), size.height()));
    });
    connect(size_->lineEdit(), &QLineEdit::editingFinished, this, [this] {
        if (size_->lineEdit()->isModified()) set_size(size_->currentText());
    });
    connect(turn, &QToolButton::clicked, this,
            [this, size_now] { set_size(size_text(size_now().height(), size_now().width())); });
    connect(field->label(), &ScrubLabel::scrubbed, this, [this, size_now](int notches) {
        const QSize size = size_now();
        if (size.isEmpty()) return;
        // Both sides change together, as closely as the model's multiples allow, until one has the largest value.
        const int multiple = studio_.document.variant().multiple();
        const double aspect = double(size.height()) / size.width();
        const int widest = std::max(1, int(largest_side / std::max(1.0, aspect) / multiple)) * multiple;
        const int width = std::clamp(size.width() + multiple * notches, multiple, widest);
        set_size(size_text(width, nearest_side(width * aspect, multiple)));
    });
    connect(field, &Field::reset_asked, this, [this] {
        size_->lineEdit()->setModified(false);
        refused_.remove(key_size);
        studio_.document.set_values({{QStringLiteral("width"), {}}, {QStringLiteral("height"), {}}}, tr("Size"));
    });
}

void ParametersPanel::set_size(const QString& text) {
    const int multiple = studio_.document.variant().multiple();
    const auto size = parse_size(text);
    size_->lineEdit()->setModified(false);
    if (!size) {
        refused_.insert(
            key_size, is_written_as_size(text)
                          ? tr("“%1” is not possible: each side is a multiple of %2, from %2 to %3")
                                .arg(text.trimmed().left(40), QString::number(multiple), QString::number(largest_side))
                          : tr("“%1” is not a size; write width × height, like 256×144").arg(text.left(40)));
    } else {
        refused_.remove(key_size);
        const QSize used(nearest_side(size->width(), multiple), nearest_side(size->height(), multiple));
        const app::Issue refused = studio_.document.set_values(
            {{QStringLiteral("width"), used.width()}, {QStringLiteral("height"), used.height()}}, tr("Size"));
        if (!refused.isEmpty())
            refused_.insert(key_size, words(refused));
        else if (used != *size)
            snapped_.insert(key_size,
                            tr("%1 became %2: each side is a multiple of %3")
                                .arg(size_text(size->width(), size->height()), size_text(used.width(), used.height()))
                                .arg(multiple));
    }
    refresh_field(key_size);
    refresh_estimate();
}

void ParametersPanel::add_seed(QVBoxLayout* form) {
    seed_ = new ElidedEdit;
    seed_->setObjectName(QStringLiteral("seed"));
    seed_->setValidator(new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{0,20}")), seed_));
    seed_->setPlaceholderText(tr("random"));
    escape_puts_back(*seed_);
    auto* field = new Field(tr("Seed"), seed_);
    dice_ = new QToolButton;
    set_drawing(*dice_, icon(QStringLiteral("seed-random")), tr("Draw a seed"));
    lock_ = new QToolButton;
    lock_->setObjectName(QStringLiteral("seed-lock"));
    lock_->setCheckable(true);
    set_drawing(*lock_, icon(QStringLiteral("unlock"), QStringLiteral("lock")), tr("Lock the seed"),
                tr("Lock the seed: every run starts from this noise"));
    field->add_spare_control(dice_);
    seed_->setMinimumWidth(seed_->fontMetrics().horizontalAdvance(QString(10, QLatin1Char('0'))) + 20);
    field->add_control(lock_);
    form->addWidget(field);
    fields_.insert(QStringLiteral("seed"), field);
    connect(seed_, &QLineEdit::editingFinished, this, [this] {
        if (!seed_->isModified()) return;
        seed_->setModified(false);
        if (seed_->text().isEmpty()) return reset(QStringLiteral("seed"));
        bool fits = false;
        const qulonglong seed = seed_->text().toULongLong(&fits);
        if (!fits) {
            refused_.insert(QStringLiteral("seed"), tr("a seed is at most 18446744073709551615"));
            refresh_field(QStringLiteral("seed"));
            return refresh_estimate();
        }
        set(QStringLiteral("seed"), seed);
        studio_.document.set_seed_locked(true); // a typed seed is meant to stay
    });
    connect(dice_, &QToolButton::clicked, this, [this] { set(QStringLiteral("seed"), quint64{draw_seed()}); });
    connect(lock_, &QToolButton::toggled, this, [this](bool locked) {
        if (showing_) return;
        if (locked && !studio_.document.has_value(QStringLiteral("seed")))
            set(QStringLiteral("seed"), quint64{draw_seed()});
        studio_.document.set_seed_locked(locked);
    });
    connect(field, &Field::reset_asked, this, [this] { reset(QStringLiteral("seed")); });
}

void ParametersPanel::add_bottom(QVBoxLayout* column, QAction& generate) {
    auto* bottom = new QWidget(this);
    auto* rows = make_layout<QVBoxLayout>(bottom, grid::half, {grid::unit, grid::half, grid::unit, grid::unit});
    estimate_ = make_note(bottom, "quiet");
    estimate_->setObjectName(QStringLiteral("estimate"));
    changes_ = make_note(bottom, "warning");
    changes_->setObjectName(QStringLiteral("changes"));
    changes_->hide();
    generate_ = new QPushButton(bottom);
    generate_->setObjectName(QStringLiteral("generate"));
    generate_->setProperty("primary", true);
    copies_ = new CountBox(bottom);
    copies_->setObjectName(QStringLiteral("copies"));
    copies_->setRange(1, 64);
    copies_->setPrefix(QStringLiteral("× "));
    wheel_when_focused(copies_);
    copies_->setAccessibleName(tr("How many runs, each with its own seed"));
    connect(copies_, &QSpinBox::valueChanged, this, &ParametersPanel::refresh_estimate);
    auto* row = new QHBoxLayout;
    row->setSpacing(grid::half);
    row->addWidget(generate_, 1);
    row->addWidget(copies_);
    rows->addWidget(estimate_);
    rows->addWidget(changes_);
    rows->addLayout(row);
    column->addWidget(bottom);
    const auto follow = [this, &generate] {
        const QString keys = generate.shortcut().toString(QKeySequence::NativeText);
        QString text = generate.text();
        text.remove(QLatin1Char('&'));
        generate_->setText(keys.isEmpty() ? text : QStringLiteral("%1   %2").arg(text, keys));
        generate_->setEnabled(generate.isEnabled());
    };
    connect(&generate, &QAction::changed, this, follow);
    connect(generate_, &QPushButton::clicked, &generate, &QAction::trigger);
    follow();
}

void ParametersPanel::set_generates(bool generates) {
    generate_->setVisible(generates);
    copies_->setVisible(generates);
    refresh_estimate();
}

int ParametersPanel::copies() const { return copies_->isEnabled() ? copies_->value() : 1; }

} // namespace denoir::ui
