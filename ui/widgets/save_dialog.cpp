// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/save_dialog.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QRegularExpression>

#include "app/base/settings.h"
#include "ui/widgets/raise_dialog.h"

namespace denoir::ui {
namespace {

const QString folder_key = QStringLiteral("window/save_folder");

/// "mp4" of "Video (*.mp4 *.mkv)"; empty if any name is allowed.
QString ending_of(const QString& filter) {
    static const QRegularExpression first(QStringLiteral("\\(\\*\\.(\\w+)"));
    return first.match(filter).captured(1);
}

QString free_name(const QDir& folder, const QString& name, const QString& ending) {
    const auto with = [&](const QString& base) { return ending.isEmpty() ? base : base + QLatin1Char('.') + ending; };
    QString found = with(name);
    for (int i = 2; i < 1000 && folder.exists(found); ++i)
        found = with(QStringLiteral("%1-%2").arg(name, QString::number(i)));
    return found;
}

/// Asks, not modally, whether to replace a file, and calls `replace` if the answer is yes.
void ask_to_replace(QWidget* parent, const QString& title, const QString& file, const std::function<void()>& replace) {
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, title,
        QCoreApplication::translate("SaveDialog", "“%1” already exists. Replace it?").arg(QFileInfo(file).fileName()),
        QMessageBox::Yes | QMessageBox::No, parent);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setModal(false);
    QObject::connect(box, &QMessageBox::finished, parent, [replace](int answer) {
        if (answer == QMessageBox::Yes) replace();
    });
    box->show();
}

/// `chosen` with the ending of `filter`, unless it has one of `filters`. Qt adds no ending to a name with a dot
/// ("take 2.1").
QString with_ending(const QString& chosen, const QString& filter, const QString& filters) {
    const QString ending = ending_of(filter);
    const QString own = QRegularExpression::escape(QFileInfo(chosen).suffix().toLower());
    const bool has_it =
        ending.isEmpty() || filters.contains(QRegularExpression(QStringLiteral("\\*\\.%1[ )]").arg(own)));
    return has_it ? chosen : chosen + QLatin1Char('.') + ending;
}

} // namespace

void ask_where_to_save(QWidget* parent, app::Settings& settings, const QString& title, const QString& name,
                       const QString& filters, const std::function<void(const QString&)>& accepted) {
    const auto take = [accepted](const QStringList& files) { accepted(files.constFirst()); };
    if (AskedDialog::again(*parent, title, QFileDialog::AcceptSave, take)) return;
    QDir folder(settings.value(folder_key).toString());
    if (settings.value(folder_key).toString().isEmpty() || !folder.exists()) folder = QDir::home();
    auto* dialog = new AskedDialog(parent, title, folder.path(), filters);
    dialog->take = take;
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    const auto follow = [dialog](const QString& filter, const QString& base) {
        const QString ending = ending_of(filter);
        dialog->setDefaultSuffix(ending);
        dialog->selectFile(free_name(dialog->directory(), base, ending));
    };
    follow(dialog->selectedNameFilter(), name);
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, follow, name](const QString& filter) {
        const QStringList chosen = dialog->selectedFiles();
        const QString base = chosen.isEmpty() ? QString() : QFileInfo(chosen.first()).completeBaseName();
        follow(filter, base.isEmpty() ? name : base);
    });
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, [=, &settings](const QString& chosen) {
        const auto then = dialog->take;
        const QString file = with_ending(chosen, dialog->selectedNameFilter(), filters);
        const auto go_on = [file, then, &settings] {
            settings.set_value(folder_key, QFileInfo(file).absolutePath());
            then({file});
        };
        if (file == chosen || !QFileInfo::exists(file)) return go_on(); // the dialog has asked about the chosen name
        ask_to_replace(parent, title, file, go_on);
    });
    dialog->show();
}

} // namespace denoir::ui
