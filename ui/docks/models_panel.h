// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStyledItemDelegate>
#include <QWidget>

#include "ui/studio.h"

class QListView;
class QMenu;
class QStackedWidget;
class QToolButton;

namespace denoir::ui {

/// A model: name, family and precision and size, what it can do, what is missing, whether it fits.
class ModelDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    ModelDelegate(Studio& studio, QObject* parent) : QStyledItemDelegate(parent), studio_(studio) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QStringList lines(const QModelIndex& index) const; ///< as they are painted; some may be empty

private:
    bool in_use(const QModelIndex& index) const;
    Studio& studio_;
};

/// The models found, and the folders that are watched.
class ModelsPanel : public QWidget {
    Q_OBJECT
public:
    explicit ModelsPanel(Studio& studio, QWidget* parent = nullptr);

public slots:
    void add_folder();
    /// The same for whoever chooses a model: take() follows.
    void add_model();
    void watch(const QString& folder);
    /// Of a folder or file dropped on the window, watches the folder. Where there is one model in it and no other, that
    /// is the request's from then on, which is an undo step.
    void take(const QString& path);

signals:
    void taken(const QString& name); ///< by take()

private:
    void ask_folder(const QString& title, void (ModelsPanel::*then)(const QString&));
    void take_wanted();
    void use(const QModelIndex& index);
    void show_menu(const QPoint& at);
    void fill_parts(QMenu& menu, const QModelIndex& index);
    void choose_part(const QString& model, const QString& part, const QString& title);
    /// Of this model; none: what lies in or beside it. Of the model in use an undo step.
    void name_part(const QString& model, const QString& part, const QString& file);
    void fill_folders();
    void unwatch(const QString& folder);
    void refresh();

    Studio& studio_;
    QListView* list_;
    QStackedWidget* stack_;
    QString wanted_;       ///< what take() was given, until it was looked into
    QToolButton* folders_; ///< how many; its menu says which, and lets go of them
};

} // namespace denoir::ui
