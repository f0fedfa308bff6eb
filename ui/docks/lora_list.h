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

/// The LoRAs of a request: a line for each with its strength and, if the model has two experts, the expert; and a
/// button that adds files. Files can be dropped as well.
class LoraList : public QWidget {
    Q_OBJECT
public:
    explicit LoraList(app::Settings& settings, QWidget* parent = nullptr); ///< borrows the settings
    /// Shows LoRAs as in the request's JSON: maps of `file`, `strength` and, unless the file's name decides, `expert`.
    void show_values(const QVariantList& loras);
    /// Whether the model has two experts, so that a LoRA may change only one of them. If not, an expert is shown only
    /// for LoRAs that have one set.
    void set_two_experts(bool two);
    /// Adds files at the end, like the button.
    void add(const QStringList& files);

signals:
    /// The user has changed them.
    void edited(const QVariantList& loras);
    /// NumberEdit::limited() of a strength.
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
