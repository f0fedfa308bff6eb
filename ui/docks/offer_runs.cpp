// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/offer_runs.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QMenu>

#include "app/run_history.h"
#include "ui/theme/icons.h"

namespace denoir::ui {
namespace {

constexpr int most_runs = 20, widest_name = 280;

} // namespace

void offer_runs(QMenu& menu, Studio& studio, const QString& except, QWidget* parent,
                const std::function<void(const QString&)>& chosen) {
    using Role = app::RunHistory::Role;
    int shown = 0;
    for (int row = 0; row < studio.history.rowCount() && shown < most_runs; ++row) {
        const QModelIndex at = studio.history.index(row);
        const QString path = at.data(Role::PathRole).toString();
        if (path == except || at.data(Role::VideoRole).toString().isEmpty()) continue;
        ++shown;
        QString text = at.data(Role::NameRole).toString();
        if (text.isEmpty()) text = at.data(Role::PromptRole).toString().simplified();
        text = menu.fontMetrics().elidedText(text, Qt::ElideRight, widest_name) + QStringLiteral("   ") +
               at.data(Role::SummaryRole).toString();
        menu.addAction(text.replace(QLatin1Char('&'), QLatin1String("&&")), parent, [chosen, path] { chosen(path); });
    }
    if (shown > 0) menu.addSeparator();
    const auto ask = [parent, chosen](const QString& title, QFileDialog::FileMode mode) {
        auto* dialog = new QFileDialog(parent, title);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(mode);
        QObject::connect(dialog, &QFileDialog::fileSelected, parent, chosen);
        dialog->show();
    };
    menu.addAction(icon(QStringLiteral("open")), QCoreApplication::translate("OfferRuns", "A video …"), parent, [ask] {
        ask(QCoreApplication::translate("OfferRuns", "Compare a video"), QFileDialog::ExistingFile);
    });
    // A dialog for files goes into a folder and never takes it.
    menu.addAction(
        icon(QStringLiteral("folder")), QCoreApplication::translate("OfferRuns", "A folder of frames …"), parent,
        [ask] { ask(QCoreApplication::translate("OfferRuns", "Compare a folder of frames"), QFileDialog::Directory); });
}

} // namespace denoir::ui
