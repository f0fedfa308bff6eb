// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFileDialog>
#include <QString>
#include <QStringList>

#include <functional>

class QWidget;

namespace denoir::ui {

/// Asked for twice, a dialog comes to the front instead of a second time. False: `parent` has none of this title open.
bool raise_dialog(const QWidget& parent, const QString& title);

/// A file dialog that knows what is to be done with the answer: asked for again while it is open, it comes to the
/// front, and the answer is that of the last time.
class AskedDialog : public QFileDialog {
public:
    using Take = std::function<void(const QStringList&)>;
    using QFileDialog::QFileDialog;
    /// True: `parent` has one of this title and mode open already.
    static bool again(const QWidget& parent, const QString& title, QFileDialog::AcceptMode mode, const Take& take);
    Take take;
};

} // namespace denoir::ui
