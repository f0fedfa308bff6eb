// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFileDialog>
#include <QString>
#include <QStringList>

#include <functional>

class QWidget;

namespace denoir::ui {

/// Brings an open dialog of this title to the front, instead of opening a second one. Returns false if `parent` has
/// none.
bool raise_dialog(const QWidget& parent, const QString& title);

/// A file dialog with a function that takes the answer. If it is asked for again while it is open, it comes to the
/// front and the answer goes to the last one who asked.
class AskedDialog : public QFileDialog {
public:
    using Take = std::function<void(const QStringList&)>;
    using QFileDialog::QFileDialog;
    /// If `parent` has one of this title and mode open, brings it to the front with the new `take` and returns true.
    static bool again(const QWidget& parent, const QString& title, QFileDialog::AcceptMode mode, const Take& take);
    Take take;

protected:
    void showEvent(QShowEvent* event) override;
};

} // namespace denoir::ui
