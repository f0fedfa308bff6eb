// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/open_dialog.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include "app/base/settings.h"
#include "ui/widgets/raise_dialog.h"

namespace denoir::ui {
namespace {

/// Knows what is to be done with the answer: asked for again while it is open, it is that of the last time.
class OpenDialog : public QFileDialog {
public:
    using QFileDialog::QFileDialog;
    std::function<void(const QStringList&)> taken_by;
};

QFileDialog::FileMode mode_of(ToOpen::Kind kind) {
    switch (kind) {
    case ToOpen::Kind::file:
        return QFileDialog::ExistingFile;
    case ToOpen::Kind::files:
        return QFileDialog::ExistingFiles;
    case ToOpen::Kind::folder:
        break;
    }
    return QFileDialog::Directory;
}

QString key_of(const QString& sort) { return QStringLiteral("window/%1_folder").arg(sort); }

} // namespace

QString last_folder(const app::Settings& settings, const QString& sort, QStandardPaths::StandardLocation usual) {
    const QString last = settings.value(key_of(sort)).toString();
    if (!last.isEmpty() && QFileInfo(last).isDir()) return last;
    const QString there = QStandardPaths::writableLocation(usual);
    return QFileInfo(there).isDir() ? there : QDir::homePath();
}

void remember_folder(app::Settings& settings, const QString& sort, const QString& file) {
    settings.set_value(key_of(sort), QFileInfo(file).absolutePath());
}

void ask_to_open(QWidget* parent, const QString& title, const ToOpen& what,
                 const std::function<void(const QStringList&)>& chosen) {
    for (auto* open : parent->findChildren<QFileDialog*>(QString(), Qt::FindDirectChildrenOnly))
        if (auto* same = dynamic_cast<OpenDialog*>(open); same && same->isVisible() && same->windowTitle() == title) {
            same->taken_by = chosen;
            raise_dialog(*parent, title);
            return;
        }
    auto* dialog = new OpenDialog(parent, title, what.place, what.filters);
    dialog->taken_by = chosen;
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(mode_of(what.kind));
    QObject::connect(dialog, &QFileDialog::filesSelected, parent,
                     [dialog](const QStringList& paths) { dialog->taken_by(paths); });
    dialog->show();
}

} // namespace denoir::ui
