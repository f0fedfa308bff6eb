// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/prompt_panel.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <initializer_list>
#include <utility>

#include "app/base/engine_text.h"
#include "app/request/prompt_history.h"
#include "app/request/request_document.h"
#include "app/request/tokens.h"
#include "app/request/wildcards.h"
#include "ui/docks/samples.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/literal.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/menu_heading.h"
#include "ui/widgets/note.h"
#include "ui/widgets/tool_button.h"

namespace denoir::ui {

namespace {
const QString negative_key = QStringLiteral("negative_prompt");
} // namespace

PromptEdit::PromptEdit(QWidget* parent) : QPlainTextEdit(parent) {
    setUndoRedoEnabled(false);
    setTabChangesFocus(true);
    setLineWrapMode(QPlainTextEdit::WidgetWidth);
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        tell_placeholder();
        if (!showing_) emit edited(toPlainText());
    });
}

void PromptEdit::show_text(const QString& text) {
    if (toPlainText() == text) return;
    showing_ = true;
    const int at = textCursor().position();
    const bool at_end = textCursor().atEnd();
    setPlainText(text);
    QTextCursor cursor = textCursor();
    cursor.setPosition(at_end ? static_cast<int>(text.size()) : std::min(at, static_cast<int>(text.size())));
    setTextCursor(cursor);
    showing_ = false;
}

void PromptEdit::set_placeholder(const QString& text) {
    placeholder_ = text;
    fit_placeholder();
}

void PromptEdit::fit_placeholder() {
    const int margin = int(document()->documentMargin());
    const QRect room = viewport()->rect().adjusted(margin, margin, -margin, -margin);
    const auto shown = [&](qsizetype letters) {
        return letters < placeholder_.size() ? placeholder_.first(letters) + QChar(0x2026) : placeholder_;
    };
    const auto fits = [&](qsizetype letters) {
        return fontMetrics().boundingRect(room, Qt::TextWordWrap, shown(letters)).height() <= room.height();
    };
    qsizetype most = placeholder_.size();
    if (!fits(most)) { // binary search
        qsizetype beyond = most;
        for (most = 0; beyond - most > 1;) {
            const qsizetype middle = (most + beyond) / 2;
            (fits(middle) ? most : beyond) = middle;
        }
    }
    setPlaceholderText(shown(most));
    tell_placeholder();
}

/// The tool tip has the whole placeholder while its end is cut off and there is no text.
void PromptEdit::tell_placeholder() {
    setToolTip(document()->isEmpty() && placeholderText() != placeholder_ ? placeholder_ : QString());
}

void PromptEdit::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    fit_placeholder();
}

void PromptEdit::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::FontChange) fit_placeholder();
}

bool PromptEdit::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore(); // for the window's own action
            return false;
        }
    }
    return QPlainTextEdit::event(event);
}

bool PromptEdit::canInsertFromMimeData(const QMimeData* source) const {
    return source->hasText() && !source->hasUrls();
}

void PromptEdit::insertFromMimeData(const QMimeData* source) { textCursor().insertText(source->text()); }

PromptPanel::PromptPanel(Studio& studio, QWidget* parent)
    : QWidget(parent),
      studio_(studio),
      prompt_(new PromptEdit(this)),
      negative_(new PromptEdit(this)),
      count_(new ElidedLabel(this)),
      negative_count_(new ElidedLabel(this)),
      wildcards_(new ElidedLabel(this)),
      problem_(make_note(this, "error")),
      negative_toggle_(new QToolButton(this)),
      default_negative_(new QToolButton(this)),
      samples_(new QToolButton(this)),
      older_(new QToolButton(this)),
      newer_(new QToolButton(this)),
      count_later_(new QTimer(this)) {
    make_editors();
    make_buttons();
    make_labels();
    lay_out();
    count_later_->setSingleShot(true);
    count_later_->setInterval(120); // not at every letter, which would only keep the tokenizer busy
    connect(count_later_, &QTimer::timeout, this, &PromptPanel::ask_count);
    connect_parts();
    set_negative_open(false);
    refresh({});
    refresh_defaults();
    ask_count();
}

void PromptPanel::make_editors() {
    prompt_->setObjectName(QStringLiteral("prompt"));
    prompt_->setAccessibleName(tr("Prompt"));
    prompt_->set_placeholder(tr("What the video shows, in a sentence or two."));
    prompt_->setMinimumHeight(4 * fontMetrics().lineSpacing() + 12);
    negative_->setObjectName(QStringLiteral("negative-prompt"));
    negative_->setAccessibleName(tr("Negative prompt"));
    negative_->setMinimumHeight(2 * fontMetrics().lineSpacing() + 20); // two whole lines
    negative_->setMaximumHeight(5 * fontMetrics().lineSpacing() + 12);
}

void PromptPanel::make_buttons() {
    set_drawing(*older_, icon(QStringLiteral("up")), tr("Prompt before"));
    set_drawing(*newer_, icon(QStringLiteral("down")), tr("Prompt after"));
    older_->setProperty("action", QStringLiteral("edit.prompt-before"));
    newer_->setProperty("action", QStringLiteral("edit.prompt-after"));
    set_drawing(*samples_, icon(QStringLiteral("prompt")), tr("Sample prompts and prompts used before"));
    samples_->setObjectName(QStringLiteral("prompt-samples"));
    samples_->setPopupMode(QToolButton::InstantPopup);
    samples_->setMenu(new QMenu(samples_));
    connect(samples_->menu(), &QMenu::aboutToShow, this, &PromptPanel::fill_samples);
    negative_toggle_->setObjectName(QStringLiteral("negative-toggle"));
    negative_toggle_->setText(tr("Negative"));
    negative_toggle_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    negative_toggle_->setIconSize({12, 12});
    negative_toggle_->setAccessibleName(tr("Show the negative prompt"));
    default_negative_->setText(tr("Model's default"));
    default_negative_->setToolTip(tr("Use the negative prompt of the model's authors"));
}

void PromptPanel::make_labels() {
    for (ElidedLabel* label : {count_, negative_count_}) {
        label->setProperty("quiet", true);
        label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        label->set_tip(tr(
            "Tokens as the model's own tokenizer counts them, end mark included; what exceeds the limit is cut off"));
    }
    count_->setObjectName(QStringLiteral("prompt-tokens"));
    negative_count_->setObjectName(QStringLiteral("negative-tokens"));
    wildcards_->setProperty("quiet", true);
    wildcards_->hide();
    problem_->hide();
}

void PromptPanel::lay_out() {
    // The Tab key follows the order in which they are seen.
    QWidget* before = prompt_;
    for (QWidget* next :
         std::initializer_list<QWidget*>{samples_, older_, newer_, negative_toggle_, default_negative_, negative_})
        setTabOrder(std::exchange(before, next), next);

    auto* under = new QHBoxLayout;
    under->setSpacing(2);
    under->addWidget(samples_);
    under->addWidget(older_);
    under->addWidget(newer_);
    under->addWidget(count_, 1);
    auto* negative_row = new QHBoxLayout;
    negative_row->setSpacing(2);
    negative_row->addWidget(negative_toggle_);
    negative_row->addWidget(default_negative_);
    negative_row->addWidget(negative_count_, 1);
    auto* column = make_layout<QVBoxLayout>(this, grid::half, {grid::unit, grid::half, grid::unit, grid::unit});
    column->addWidget(prompt_, 1);
    column->addWidget(wildcards_);
    column->addWidget(problem_);
    column->addLayout(under);
    column->addLayout(negative_row);
    column->addWidget(negative_);
}

void PromptPanel::connect_parts() {
    connect(prompt_, &PromptEdit::edited, this,
            [this](const QString& text) { studio_.document.set_value(QStringLiteral("prompt"), text); });
    connect(negative_, &PromptEdit::edited, this,
            [this](const QString& text) { studio_.document.set_value(negative_key, text); });
    connect(negative_toggle_, &QToolButton::clicked, this,
            [this] { set_negative_open(!negative_->isVisibleTo(this)); });
    connect(default_negative_, &QToolButton::clicked, this, &PromptPanel::use_default_negative);
    connect(older_, &QToolButton::clicked, this, &PromptPanel::previous_prompt);
    connect(newer_, &QToolButton::clicked, this, &PromptPanel::next_prompt);
    connect(&studio_.document, &app::RequestDocument::changed, this, &PromptPanel::refresh);
    connect(&studio_.document, &app::RequestDocument::resolved_changed, this, &PromptPanel::refresh_defaults);
    connect(&studio_.tokens, &app::Tokens::counted, this, &PromptPanel::counted);
    connect(&studio_.tokens, &app::Tokens::failed, this, [this](const QString& tag, const app::Issue&) {
        (tag == QLatin1String("prompt") ? count_ : negative_count_)->set_text(tr("no tokenizer"));
    });
}

void PromptPanel::focus_prompt() {
    prompt_->setFocus(Qt::ShortcutFocusReason);
    prompt_->selectAll();
}

void PromptPanel::refresh(const QStringList& keys) {
    const auto& document = studio_.document;
    prompt_->show_text(document.value(QStringLiteral("prompt")).toString());
    const bool has = document.has_value(negative_key);
    negative_->show_text(has ? document.value(negative_key).toString() : QString());
    refresh_negative();
    refresh_wildcards();
    if (keys.isEmpty() || keys.contains(QLatin1String("prompt")) || keys.contains(QLatin1String("negative_prompt")) ||
        keys.contains(QLatin1String("model")) || keys.contains(QLatin1String("parts")) ||
        keys.contains(QLatin1String("seed"))) // it decides what wildcards become
        count_later_->start();
}

void PromptPanel::refresh_defaults() {
    const QString standard = studio_.document.default_value(negative_key).toString();
    default_negative_->setEnabled(!standard.isEmpty());
    refresh_negative();
    // The default prompt and the tokenizer's limit are known only when the model has been looked at.
    const QString model = studio_.document.value(QStringLiteral("model")).toString();
    if (QString now = model + QLatin1Char('\n') + standard; now != counted_for_) {
        counted_for_ = std::move(now);
        count_later_->start();
    }
    const app::Issue issue = studio_.document.issue(QStringLiteral("prompt"));
    problem_->setText(app::words(issue));
    problem_->setVisible(!issue.isEmpty());
    refresh_wildcards();
}

/// Says what an empty negative prompt means: the model's default or, if the user has cleared it, none.
void PromptPanel::refresh_negative() {
    const QString standard = studio_.document.default_value(negative_key).toString();
    negative_->set_placeholder(standard.isEmpty()
                                   ? tr("What the video should not show. This model's default is nothing.")
                               : studio_.document.has_value(negative_key)
                                   ? tr("What the video should not show: nothing, instead of the model's default.")
                                   : tr("The model's default: %1").arg(standard));
}

void PromptPanel::refresh_wildcards() {
    const QString text = studio_.document.value(QStringLiteral("prompt")).toString();
    const bool any = app::has_wildcards(text);
    wildcards_->setVisible(any);
    if (!any) return;
    const quint64 seed = studio_.document.value(QStringLiteral("seed")).toULongLong();
    const QString resolved = app::resolve_wildcards(text, seed);
    wildcards_->set_text(studio_.document.has_value(QStringLiteral("seed")) ? tr("Seed %1: %2").arg(seed).arg(resolved)
                                                                            : tr("For example: %1").arg(resolved));
}

void PromptPanel::ask_count() {
    const QString model = studio_.document.value(QStringLiteral("model")).toString();
    const quint64 seed = studio_.document.value(QStringLiteral("seed")).toULongLong();
    const auto encoded = [seed](const QString& text) {
        return app::has_wildcards(text) ? app::resolve_wildcards(text, seed) : text;
    };
    const ModelParts& parts = studio_.document.asked().parts;
    studio_.tokens.count(QStringLiteral("prompt"), encoded(prompt_->toPlainText()), model, parts);
    const QString negative = studio_.document.value(negative_key).toString();
    studio_.tokens.count(QStringLiteral("negative"),
                         studio_.document.has_value(negative_key) ? encoded(negative) : negative, model, parts);
}

void PromptPanel::counted(const QString& tag, int tokens, int limit) {
    ElidedLabel* label = tag == QLatin1String("prompt") ? count_ : negative_count_;
    const bool over = tokens > limit;
    label->set_text(over ? tr("%1/%2 · end is cut off").arg(tokens).arg(limit)
                         : QStringLiteral("%1/%2").arg(tokens).arg(limit));
    label->setAccessibleName(tr("%1 of %2 tokens").arg(tokens).arg(limit));
    set_look(*label, "warning", over);
}

void PromptPanel::previous_prompt() {
    const QString text = studio_.prompts.previous(prompt_->toPlainText());
    text.isNull() ? emit said(tr("No older prompt is known.")) : choose_prompt(text);
}

void PromptPanel::next_prompt() {
    const QString text = studio_.prompts.next();
    text.isNull() ? emit said(tr("No newer prompt is known.")) : choose_prompt(text);
}

void PromptPanel::choose_prompt(const QString& text) {
    studio_.document.settle(); // a choice is an undo step of its own, not merged with typing before and after it
    studio_.document.set_value(QStringLiteral("prompt"), text);
    studio_.document.settle();
}

void PromptPanel::use_default_negative() {
    if (studio_.document.pending()) // the default known so far may be that of another model
        return emit said(tr("The request is still being looked at; its model's negative prompt is known in a moment."));
    const QString standard = studio_.document.default_value(negative_key).toString();
    if (standard.isEmpty()) return emit said(tr("The model has no negative prompt of its own."));
    studio_.document.set_value(negative_key, standard);
    set_negative_open(true);
}

void PromptPanel::set_negative_open(bool open) {
    negative_->setVisible(open);
    default_negative_->setVisible(open);
    negative_toggle_->setIcon(icon(open ? QStringLiteral("down") : QStringLiteral("right")));
    negative_toggle_->setToolTip(open ? tr("Hide the negative prompt") : tr("Show the negative prompt"));
}

void PromptPanel::fill_samples() {
    QMenu* menu = samples_->menu();
    menu->clear();
    const auto add = [this, menu](const QString& text) {
        menu->addAction(literal(menu->fontMetrics().elidedText(text, Qt::ElideRight, 480)), this, [this, text] {
            choose_prompt(text);
            prompt_->setFocus();
        });
    };
    add_heading(*menu, tr("Samples"));
    for (const QString& text : sample_prompts()) add(text);
    const QStringList before = studio_.prompts.prompts();
    if (before.isEmpty()) return;
    menu->addSeparator();
    add_heading(*menu, tr("Used before"));
    for (qsizetype i = before.size(), shown = 0; i-- > 0 && shown < 12; ++shown) add(before[i]);
}

} // namespace denoir::ui
