// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPlainTextEdit>
#include <QWidget>

#include "ui/studio.h"

class QLabel;
class QTimer;
class QToolButton;

namespace denoir::ui {

class ElidedLabel;

/// A plain text editor without undo of its own: every edit is a step of the document's undo stack.
class PromptEdit : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit PromptEdit(QWidget* parent = nullptr);
    /// Replaces the text and keeps the cursor's place if possible.
    void show_text(const QString& text);
    /// Sets the text shown while it is empty. If that does not fit, its end is cut off with dots, and the tool tip
    /// shows all of it.
    void set_placeholder(const QString& text);

signals:
    void edited(const QString& text);

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void insertFromMimeData(const QMimeData* source) override;
    bool canInsertFromMimeData(const QMimeData* source) const override;

private:
    void fit_placeholder();
    void tell_placeholder();
    bool showing_ = false;
    QString placeholder_;
};

/// Prompt and negative prompt with their token counts, earlier prompts, samples, and what wildcards will become.
class PromptPanel : public QWidget {
    Q_OBJECT
public:
    explicit PromptPanel(Studio& studio, QWidget* parent = nullptr);

public slots:
    void previous_prompt();
    void next_prompt();
    void focus_prompt();
    /// Takes the negative prompt of the model's reference.
    void use_default_negative();

signals:
    void said(const QString& text);

private:
    void make_editors();
    void make_buttons();
    void make_labels();
    void lay_out();
    void connect_parts();
    void refresh(const QStringList& keys);
    void refresh_defaults();
    void refresh_negative(); ///< its placeholder
    void refresh_wildcards();
    void ask_count();
    void counted(const QString& tag, int tokens, int limit);
    void set_negative_open(bool open);
    void fill_samples();
    void choose_prompt(const QString& text);

    Studio& studio_;
    PromptEdit *prompt_, *negative_;
    ElidedLabel *count_, *negative_count_, *wildcards_;
    QLabel* problem_;
    QToolButton *negative_toggle_, *default_negative_, *samples_, *older_, *newer_;
    QTimer* count_later_;
    QString counted_for_; ///< the model and its default negative prompt for which tokens were counted
};

} // namespace denoir::ui
