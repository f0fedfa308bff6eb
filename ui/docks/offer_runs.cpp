// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/offer_runs.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QHash>
#include <QLocale>
#include <QMenu>
#include <QPointer>

#include <utility>

#include "app/base/background.h"
#include "app/runs/request_lines.h"
#include "app/runs/run_history.h"
#include "app/runs/run_words.h"
#include "ui/theme/icons.h"
#include "ui/widgets/literal.h"
#include "ui/widgets/open_dialog.h"

namespace denoir::ui {
namespace {

constexpr int most_runs = 20, widest_name = 280;

struct Offered {
    QString path, text;
    QDateTime created;
};

/// The texts of the runs. Runs with the same text get what differs between them added to it or, if nothing does, the
/// time when they were made. Reads their requests.
QStringList told_texts(const QList<Offered>& runs) {
    QStringList texts;
    QHash<QString, QList<qsizetype>> alike;
    for (const Offered& run : runs) {
        alike[run.text] << texts.size();
        texts << run.text;
    }
    for (const QList<qsizetype>& group : std::as_const(alike)) {
        if (group.size() < 2) continue;
        QList<Json> requests;
        for (const qsizetype i : group) requests << app::request_of(runs[i].path, {});
        const QStringList told = app::told_apart(requests);
        for (qsizetype k = 0; k < group.size(); ++k) {
            QString more = told[k];
            if (told.count(more) > 1)
                more += (more.isEmpty() ? QString() : QStringLiteral(" · ")) +
                        QLocale().toString(runs[group[k]].created.toLocalTime(), QLocale::ShortFormat);
            texts[group[k]] += QStringLiteral(" · ") + more;
        }
    }
    return texts;
}

} // namespace

void ask_for_clip(QWidget* parent, app::Settings& settings, AskFor what,
                  const std::function<void(const QString&)>& chosen) {
    // Two kinds of dialog, as one for files would only open a folder and never return it.
    const bool folder = what == AskFor::folder;
    ask_to_open(parent, settings,
                folder ? QCoreApplication::translate("OfferRuns", "Compare a folder of frames")
                       : QCoreApplication::translate("OfferRuns", "Compare a video or picture"),
                {folder ? ToOpen::Kind::folder : ToOpen::Kind::file, ToOpen::Sort::videos},
                [chosen](const QStringList& paths) { chosen(paths.constFirst()); });
}

void offer_runs(QMenu& menu, Studio& studio, const QString& except, QWidget* parent,
                const std::function<void(const QString&)>& chosen) {
    using Role = app::RunHistory::Role;
    QList<Offered> runs;
    for (int row = 0; row < studio.history.rowCount() && runs.size() < most_runs; ++row) {
        const QModelIndex at = studio.history.index(row);
        const QString path = at.data(Role::PathRole).toString();
        if (path == except || at.data(Role::VideoRole).toString().isEmpty()) continue;
        if (app::RunHistory::standing(at) == app::RunStanding::unreadable) continue;
        QString text = app::run_words::title(at.data(Role::NameRole).toString(), at.data(Role::PromptRole).toString());
        text = menu.fontMetrics().elidedText(text, Qt::ElideMiddle, widest_name) + QStringLiteral("   ") +
               at.data(Role::SummaryRole).toString();
        runs << Offered{path, text, at.data(Role::CreatedRole).toDateTime()};
    }
    QList<QPointer<QAction>> actions; // the menu may be filled again meanwhile
    for (const Offered& run : runs)
        actions << menu.addAction(literal(run.text), parent, [chosen, path = run.path] { chosen(path); });
    app::run_then(
        &menu, [runs] { return told_texts(runs); },
        [actions](const QStringList& texts) {
            for (qsizetype i = 0; i < actions.size(); ++i)
                if (actions[i]) actions[i]->setText(literal(texts[i]));
        });
    if (!runs.isEmpty()) menu.addSeparator();
    menu.addAction(icon(QStringLiteral("open")), QCoreApplication::translate("OfferRuns", "A video …"), parent,
                   [parent, &studio, chosen] { ask_for_clip(parent, studio.settings, AskFor::file, chosen); });
    menu.addAction(icon(QStringLiteral("folder")), QCoreApplication::translate("OfferRuns", "A folder of frames …"),
                   parent,
                   [parent, &studio, chosen] { ask_for_clip(parent, studio.settings, AskFor::folder, chosen); });
}

} // namespace denoir::ui
