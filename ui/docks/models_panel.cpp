// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/models_panel.h"

#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QStackedWidget>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <utility>

#include "app/base/engine_text.h"
#include "app/base/issue.h"
#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/request/field_title.h"
#include "app/request/model_catalogue.h"
#include "app/request/request_document.h"
#include "engine/weights/model_part_keys.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/make_layout.h"
#include "ui/widgets/open_dialog.h"
#include "ui/widgets/painting.h"
#include "ui/widgets/row_changes.h"
#include "ui/widgets/spoken_rows.h"
#include "ui/widgets/tool_button.h"
#include "ui/widgets/wrapped_lines.h"

namespace denoir::ui {

using Role = app::ModelCatalogue::Role;
using State = app::ModelCatalogue::State;

namespace {

State state_of(const QModelIndex& index) { return static_cast<State>(index.data(Role::StateRole).toInt()); }

QString parameters_text(double count) {
    if (count >= 1e9) return QLocale().toString(count / 1e9, 'f', 1) + QStringLiteral(" B");
    if (count >= 1e6) return QLocale().toString(count / 1e6, 'f', 1) + QStringLiteral(" M");
    return count > 0 ? QLocale().toString(count / 1e3, 'f', 0) + QStringLiteral(" k") : QString();
}

QString kind_line(const QModelIndex& index) {
    QStringList parts{
        index.data(Role::FamilyRole).toString(), index.data(Role::VariantRole).toString(),
        index.data(Role::DTypeRole).toString(), parameters_text(index.data(Role::ParametersRole).toDouble()),
        index.data(Role::BytesRole).toULongLong() > 0 ? app::bytes_text(index.data(Role::BytesRole).toDouble())
                                                      : QString()};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

QString task_line(const QModelIndex& index) {
    switch (state_of(index)) {
    case State::looking:
        return ModelsPanel::tr("looking …");
    case State::unreadable:
        return app::engine_text(index.data(Role::IssueRole).value<app::Issue>().message);
    case State::incomplete:
        return ModelsPanel::tr("missing: %1")
            .arg(index.data(Role::MissingRole).toStringList().join(QStringLiteral(", ")));
    case State::ready:
        break;
    }
    QStringList ready;
    const QVariantMap tasks = index.data(Role::TasksRole).toMap();
    for (auto it = tasks.begin(); it != tasks.end(); ++it)
        if (it.value().toStringList().isEmpty()) ready.append(it.key());
    return ready.join(QStringLiteral(" · "));
}

QString details(const QModelIndex& index) {
    QStringList lines{index.data(Role::PathRole).toString()};
    const QVariantMap tasks = index.data(Role::TasksRole).toMap();
    for (auto it = tasks.begin(); it != tasks.end(); ++it) {
        const QStringList missing = it.value().toStringList();
        lines.append(missing.isEmpty()
                         ? ModelsPanel::tr("%1: ready").arg(it.key())
                         : ModelsPanel::tr("%1: needs %2").arg(it.key(), missing.join(QStringLiteral(", "))));
    }
    const auto issue = index.data(Role::IssueRole).value<app::Issue>();
    if (!issue.isEmpty()) lines.append(issue.line());
    lines.append(index.data(Role::FitsTextRole).toString());
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

} // namespace

bool ModelDelegate::in_use(const QModelIndex& index) const {
    const QString chosen = studio_.document.value(QStringLiteral("model")).toString();
    return chosen == index.data(Role::PathRole).toString() ||
           (chosen.isEmpty() && index.data(Role::BundledRole).toBool());
}

QStringList ModelDelegate::lines(const QModelIndex& index) const {
    const QString name = index.data(Role::NameRole).toString();
    return {in_use(index) ? ModelsPanel::tr("%1 · in use").arg(name) : name, kind_line(index), task_line(index),
            index.data(Role::FitsTextRole).toString()};
}

QSize ModelDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
    return {200, 4 * option.fontMetrics.lineSpacing() + 14};
}

void ModelDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Colours& c = colours(option.palette);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRect row = option.rect.adjusted(4, 1, -4, -1);
    paint_behind_row(*painter, option, row);
    const bool used = in_use(index);
    icon(QStringLiteral("model"))
        .paint(painter, QRect(row.left() + 6, row.top() + 7, 14, 14), Qt::AlignCenter,
               used ? QIcon::Normal : QIcon::Disabled);
    const int line = option.fontMetrics.lineSpacing();
    QRect text(row.left() + 28, row.top() + 6, row.width() - 36, line);
    const auto write = [&](const QString& words, const QColor& colour) {
        painter->setPen(colour);
        painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(words, Qt::ElideRight, text.width()));
        text.translate(0, line);
    };
    QFont bold = option.font;
    bold.setBold(used);
    painter->setFont(bold);
    const QStringList words = lines(index);
    write(words[0], c.text);
    painter->setFont(option.font);
    const State state = state_of(index);
    if (state == State::unreadable) { // nothing else is known, so the reason has all the room
        for (const QString& part : wrapped_lines(words[2], option.font, text.width(), 3)) write(part, c.error);
    } else {
        write(words[1], c.quiet);
        write(words[2], state == State::incomplete ? c.warning : c.quiet);
        const QString fits = index.data(Role::FitsRole).toString();
        write(words[3], fits == QLatin1String("too large") ? c.warning : c.quiet);
    }
    painter->restore();
}

ModelsPanel::ModelsPanel(Studio& studio, QWidget* parent)
    : QWidget(parent),
      studio_(studio),
      list_(new QListView(this)),
      stack_(new QStackedWidget(this)),
      folders_(new QToolButton(this)) {
    list_->setObjectName(QStringLiteral("models"));
    list_->setAccessibleName(tr("Models"));
    auto* delegate = new ModelDelegate(studio_, list_);
    list_->setModel(new SpokenRows(
        studio_.models, [delegate](const QModelIndex& model) { return delegate->lines(model); }, list_));
    list_->setItemDelegate(delegate);
    list_->setMouseTracking(true);
    list_->setContextMenuPolicy(Qt::CustomContextMenu);
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    stack_->addWidget(new EmptyState(QStringLiteral("model"),
                                     tr("Models found in the watched folders are listed here, with what they can do "
                                        "and whether they fit. Add a folder, or drop one on the window.")));
    stack_->addWidget(list_);
    auto* add = new QToolButton(this);
    set_drawing(*add, icon(QStringLiteral("add")), tr("Watch a folder"));
    auto* again = new QToolButton(this);
    set_drawing(*again, icon(QStringLiteral("loop")), tr("Look again"));
    folders_->setObjectName(QStringLiteral("watched-folders"));
    give_menu(*folders_);
    connect(folders_->menu(), &QMenu::aboutToShow, this, &ModelsPanel::fill_folders);
    auto* row = make_layout<QHBoxLayout>(nullptr, 2, {grid::unit, 2, grid::half, 2});
    row->addWidget(folders_);
    row->addStretch(1);
    row->addWidget(again);
    row->addWidget(add);
    auto* column = make_layout<QVBoxLayout>(this, 0);
    column->addWidget(stack_, 1);
    column->addLayout(row);
    connect(add, &QToolButton::clicked, this, &ModelsPanel::add_folder);
    connect(again, &QToolButton::clicked, this, [this] { studio_.models.refresh(); });
    connect(list_, &QListView::activated, this, &ModelsPanel::use);
    connect(list_, &QListView::doubleClicked, this, &ModelsPanel::use);
    connect(list_, &QListView::customContextMenuRequested, this, &ModelsPanel::show_menu);
    connect(list_, &QListView::entered, this, [this](const QModelIndex& index) { list_->setToolTip(details(index)); });
    connect(&studio_.models, &app::ModelCatalogue::looked, this, &ModelsPanel::refresh);
    connect(&studio_.models, &app::ModelCatalogue::looked, this, &ModelsPanel::take_wanted);
    on_row_changes(studio_.models, this, [this] { refresh(); });
    connect(&studio_.document, &app::RequestDocument::changed, list_->viewport(), qOverload<>(&QWidget::update));
    refresh();
}

void ModelsPanel::refresh() {
    stack_->setCurrentIndex(studio_.models.rowCount() > 0 ? 1 : 0);
    const auto count = int(studio_.settings.model_folders().size());
    folders_->setText(tr("%n folder(s) watched", nullptr, count));
    folders_->setToolTip(studio_.settings.model_folders().join(QLatin1Char('\n')));
    folders_->setEnabled(count > 0);
}

void ModelsPanel::use(const QModelIndex& index) {
    if (!index.isValid()) return;
    const bool bundled = index.data(Role::BundledRole).toBool();
    studio_.document.set_value(QStringLiteral("model"), bundled ? QString() : index.data(Role::PathRole).toString());
}

void ModelsPanel::add_folder() { ask_folder(tr("Watch a folder of models"), &ModelsPanel::watch); }
void ModelsPanel::add_model() { ask_folder(tr("Add a folder of models"), &ModelsPanel::take); }

void ModelsPanel::ask_folder(const QString& title, void (ModelsPanel::*then)(const QString&)) {
    ask_to_open(this, studio_.settings, title, {ToOpen::Kind::folder, ToOpen::Sort::models},
                [this, then](const QStringList& folders) { (this->*then)(folders.constFirst()); });
}

void ModelsPanel::take(const QString& path) {
    const QFileInfo info(path);
    wanted_ = QDir::cleanPath(info.absoluteFilePath());
    watch(info.isDir() ? wanted_ : info.absolutePath());
}

void ModelsPanel::take_wanted() {
    if (wanted_.isEmpty() || !studio_.models.wait_looked(0)) return; // signalled by a look that began before take()
    const QString path = std::exchange(wanted_, {});
    QModelIndex found;
    for (int row = 0; row < studio_.models.rowCount(); ++row) {
        const QModelIndex at = studio_.models.index(row);
        const QString each = at.data(Role::PathRole).toString();
        if (state_of(at) != State::ready || (each != path && !each.startsWith(path + QLatin1Char('/')))) continue;
        if (found.isValid()) return; // several models, among which the user must choose
        found = at;
    }
    const auto chosen = [this] { return studio_.document.value(QStringLiteral("model")); };
    const QVariant before = chosen();
    use(found);
    if (chosen() != before) emit taken(found.data(Role::NameRole).toString());
}

void ModelsPanel::watch(const QString& folder) {
    QStringList folders = studio_.settings.model_folders();
    if (folders.contains(folder)) return studio_.models.refresh();
    folders.append(folder);
    studio_.settings.set_model_folders(folders);
    studio_.models.set_folders(folders);
    refresh();
}

/// Lists also folders in which nothing was found or that no longer exist.
void ModelsPanel::fill_folders() {
    folders_->menu()->clear();
    for (const QString& folder : studio_.settings.model_folders())
        folders_->menu()->addAction(icon(QStringLiteral("remove")), tr("Stop watching %1").arg(folder), this,
                                    [this, folder] { unwatch(folder); });
}

void ModelsPanel::unwatch(const QString& folder) {
    QStringList left = studio_.settings.model_folders();
    left.removeAll(folder);
    studio_.settings.set_model_folders(left);
    studio_.models.set_folders(left);
    refresh();
}

void ModelsPanel::fill_parts(QMenu& menu, const QModelIndex& index) {
    QStringList keys;
    for (const ModelPartKey& part : model_part_keys) keys << app::to_qstring(part.key);
    const auto name = [](const QString& key) { return app::field_title(QStringLiteral("parts.") + key); };
    const QString model = index.data(Role::PathRole).toString();
    const QVariantMap named = studio_.settings.model_parts().value(model).toMap();
    for (const QString& key : std::as_const(keys)) {
        const QString file = named.value(key).toString(), title = tr("Choose the %1").arg(name(key));
        menu.addAction(icon(QStringLiteral("model")),
                       file.isEmpty() ? title + QStringLiteral(" …")
                                      : tr("%1: %2 …").arg(name(key), QFileInfo(file).fileName()),
                       this, [this, model, key, title] { choose_part(model, key, title); });
    }
    if (named.isEmpty()) return;
    menu.addSeparator();
    for (const QString& key : std::as_const(keys))
        if (named.contains(key))
            menu.addAction(icon(QStringLiteral("remove")), tr("Look for the %1 beside the model again").arg(name(key)),
                           this, [this, model, key] { name_part(model, key, {}); });
}

void ModelsPanel::choose_part(const QString& model, const QString& part, const QString& title) {
    const QString filters = part == QLatin1String("tokenizer")
                                ? tr("Tokenizers (tokenizer.json *.model *.safetensors *.gguf);;All files (*)")
                                : tr("Weights (*.safetensors *.pth *.pt *.bin *.gguf);;All files (*)");
    ask_to_open(this, studio_.settings, title,
                {ToOpen::Kind::file, ToOpen::Sort::models, filters, QFileInfo(model).path()},
                [this, model, part](const QStringList& files) { name_part(model, part, files.constFirst()); });
}

void ModelsPanel::name_part(const QString& model, const QString& part, const QString& file) {
    QVariantMap parts = studio_.settings.model_parts().value(model).toMap();
    if (file.isEmpty())
        parts.remove(part);
    else
        parts[part] = file;
    studio_.settings.set_parts_of_model(model, parts);
    const QString key = QStringLiteral("parts");
    if (studio_.document.value(QStringLiteral("model")).toString() == model)
        studio_.document.set_value(key, parts.isEmpty() ? QVariant() : parts);
}

void ModelsPanel::show_menu(const QPoint& at) {
    const QModelIndex index = list_->indexAt(at);
    if (!index.isValid()) return;
    const QString path = index.data(Role::PathRole).toString();
    QMenu menu(this);
    menu.addAction(icon(QStringLiteral("model")), tr("Use this model"), this,
                   [this, at_index = QPersistentModelIndex(index)] { use(at_index); });
    menu.addAction(icon(QStringLiteral("folder")), tr("Reveal in folder"), this, [path] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).isDir() ? path : QFileInfo(path).path()));
    });
    if (!index.data(Role::BundledRole).toBool())
        fill_parts(*menu.addMenu(icon(QStringLiteral("model")), tr("&Parts from elsewhere")), index);
    const QStringList folders = studio_.settings.model_folders();
    for (const QString& folder : folders)
        if (path == folder || path.startsWith(folder + QLatin1Char('/')))
            menu.addAction(icon(QStringLiteral("remove")), tr("Stop watching %1").arg(folder), this,
                           [this, folder] { unwatch(folder); });
    menu.exec(list_->viewport()->mapToGlobal(at));
}

} // namespace denoir::ui
