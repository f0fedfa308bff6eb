// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/open_dialog.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QStandardPaths>

#include "app/base/settings.h"
#include "ui/widgets/raise_dialog.h"

namespace denoir::ui {
namespace {

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

/// The key of the setting that holds the folder of the last choice, and where the desktop keeps such files.
struct Home {
    QString key;
    QStandardPaths::StandardLocation usual;
};

Home home_of(ToOpen::Sort sort) {
    switch (sort) {
    case ToOpen::Sort::images:
        return {QStringLiteral("window/images_folder"), QStandardPaths::PicturesLocation};
    case ToOpen::Sort::loras:
        return {QStringLiteral("window/loras_folder"), QStandardPaths::DownloadLocation};
    case ToOpen::Sort::models:
        return {QStringLiteral("window/models_folder"), QStandardPaths::DownloadLocation};
    case ToOpen::Sort::projects:
        return {QStringLiteral("window/projects_folder"), QStandardPaths::DocumentsLocation};
    case ToOpen::Sort::traces:
        return {QStringLiteral("window/traces_folder"), QStandardPaths::DocumentsLocation};
    case ToOpen::Sort::videos:
        break;
    }
    return {QStringLiteral("window/videos_folder"), QStandardPaths::MoviesLocation};
}

QString first_folder(const app::Settings& settings, const Home& home) {
    const QString last = settings.value(home.key).toString();
    if (!last.isEmpty() && QFileInfo(last).isDir()) return last;
    const QString usual = QStandardPaths::writableLocation(home.usual);
    return QFileInfo(usual).isDir() ? usual : QDir::homePath();
}

} // namespace

void ask_to_open(QWidget* parent, app::Settings& settings, const QString& title, const ToOpen& what,
                 const std::function<void(const QStringList&)>& chosen) {
    if (AskedDialog::again(*parent, title, QFileDialog::AcceptOpen, chosen)) return;
    const Home home = home_of(what.sort);
    auto* dialog =
        new AskedDialog(parent, title, what.place.isEmpty() ? first_folder(settings, home) : what.place, what.filters);
    dialog->take = chosen;
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(mode_of(what.kind));
    QObject::connect(dialog, &QFileDialog::filesSelected, parent, [dialog, home, &settings](const QStringList& paths) {
        settings.set_value(home.key, QFileInfo(paths.constFirst()).absolutePath());
        dialog->take(paths);
    });
    dialog->show();
}

} // namespace denoir::ui
