// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFileDialog>
#include <QString>
#include <QStringList>

#include <functional>

class QWidget;

namespace denoir::ui {

/// Brings the open dialog of this title to the front, instead of a second one. False: `parent` has none open.
bool raise_dialog(const QWidget& parent, const QString& title);

/// A file dialog that knows what to do with the answer. If it is asked for again while it is open, it comes to the
/// front and the answer goes to whoever asked last.
class AskedDialog : public QFileDialog {
public:
    using Take = std::function<void(const QStringList&)>;
    using QFileDialog::QFileDialog;
    /// True: `parent` has one of this title and mode open already.
    static bool again(const QWidget& parent, const QString& title, QFileDialog::AcceptMode mode, const Take& take);
    Take take;

protected:
    void showEvent(QShowEvent* event) override;
};

} // namespace denoir::ui
