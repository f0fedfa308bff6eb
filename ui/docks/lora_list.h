// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QVariant>
#include <QWidget>

class QToolButton;
class QVBoxLayout;

namespace denoir::app {
class Settings;
}

namespace denoir::ui {

class NumberEdit;

/// The LoRAs of a request: a line with the strength for each, and the expert where there are two; a button that adds
/// files, which can be dropped, too.
class LoraList : public QWidget {
    Q_OBJECT
public:
    explicit LoraList(app::Settings& settings, QWidget* parent = nullptr); ///< borrowed
    /// As the request's JSON has them: maps of `file`, `strength` and, unless the file's name decides, `expert`.
    void show_values(const QVariantList& loras);
    /// Whether the model has two experts, of which each LoRA may change one alone. Where it has not, an expert is shown
    /// only of LoRAs that were given one.
    void set_two_experts(bool two);
    /// Puts files behind those that are there, as the button does.
    void add(const QStringList& files);

signals:
    /// By the user.
    void edited(const QVariantList& loras);
    /// As NumberEdit::limited().
    void limited(const QString& told);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void choose();
    void append_row(int index);
    QToolButton* expert_button(int index);
    void show_expert(int index);
    /// An invalid value leaves the member out.
    void edit(int index, const QString& member, const QVariant& value);
    struct Row {
        NumberEdit* strength;
        QToolButton* expert;
    };
    app::Settings& settings_;
    QVariantList loras_;
    QVBoxLayout* rows_;
    QToolButton* add_;
    QList<Row> lines_;
    bool two_experts_ = false;
};

} // namespace denoir::ui
