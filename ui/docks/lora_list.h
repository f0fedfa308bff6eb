// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QList>
#include <QVariant>
#include <QWidget>

class QToolButton;
class QVBoxLayout;

namespace denoir::ui {

class NumberEdit;

/// The LoRAs of a request: a line with the strength for each, and a button that adds files; they can be dropped, too.
class LoraList : public QWidget {
    Q_OBJECT
public:
    explicit LoraList(QWidget* parent = nullptr);
    /// As the request's JSON has them: maps of `file` and `strength`.
    void show_values(const QVariantList& loras);
    /// Puts files behind those that are there, as the button does.
    void add(const QStringList& files);

signals:
    /// By the user.
    void edited(const QVariantList& loras);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void choose();
    void append_row(int index);
    QVariantList loras_;
    QVBoxLayout* rows_;
    QToolButton* add_;
    QList<NumberEdit*> strengths_; ///< of the lines
};

} // namespace denoir::ui
