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
    menu.addAction(
        icon(QStringLiteral("open")), QCoreApplication::translate("OfferRuns", "A video …"), parent, [parent, chosen] {
            auto* dialog = new QFileDialog(parent, QCoreApplication::translate("OfferRuns", "Compare a video"));
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->setFileMode(QFileDialog::ExistingFile);
            QObject::connect(dialog, &QFileDialog::fileSelected, parent, chosen);
            dialog->show();
        });
}

} // namespace denoir::ui
