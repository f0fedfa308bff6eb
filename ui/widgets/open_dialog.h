// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>
#include <functional>

class QWidget;

namespace denoir::ui {

struct ToOpen {
    enum class Kind { file, files, folder };
    Kind kind = Kind::file;
    QString filters; ///< "LoRA (*.safetensors);;All files (*)"; empty: any file
    QString place;   ///< the folder to begin in; empty: the one that Qt was in last
};

/// Asks what to open, without blocking: the dialog is a child of `parent`, and comes to the front where it is asked for
/// again. `chosen` is called once, with one path unless several may be named; never when the dialog is left.
void ask_to_open(QWidget* parent, const QString& title, const ToOpen& what,
                 const std::function<void(const QStringList&)>& chosen);

} // namespace denoir::ui
