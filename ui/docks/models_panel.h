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

/// Paints a model: name, family, precision and size, what it can do, what is missing, whether it fits.
class ModelDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    ModelDelegate(Studio& studio, QObject* parent) : QStyledItemDelegate(parent), studio_(studio) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QStringList lines(const QModelIndex& index) const; ///< the lines that are painted; some may be empty

private:
    bool in_use(const QModelIndex& index) const;
    Studio& studio_;
};

/// Shows the models found and the watched folders.
class ModelsPanel : public QWidget {
    Q_OBJECT
public:
    explicit ModelsPanel(Studio& studio, QWidget* parent = nullptr);

public slots:
    void add_folder();
    /// The same for choosing a model: take() follows.
    void add_model();
    void watch(const QString& folder);
    /// Watches a folder, or a file's folder, that was dropped on the window. If exactly one model is found there, makes
    /// it the request's model, as an undo step.
    void take(const QString& path);

signals:
    void taken(const QString& name); ///< take() has made this the request's model

private:
    void ask_folder(const QString& title, void (ModelsPanel::*then)(const QString&));
    void take_wanted();
    void use(const QModelIndex& index);
    void show_menu(const QPoint& at);
    void fill_parts(QMenu& menu, const QModelIndex& index);
    void choose_part(const QString& model, const QString& part, const QString& title);
    /// Sets the file of one part of a model; with an empty one, the file in or beside the model is used again. An undo
    /// step if the model is in use.
    void name_part(const QString& model, const QString& part, const QString& file);
    void fill_folders();
    void unwatch(const QString& folder);
    void refresh();

    Studio& studio_;
    QListView* list_;
    QStackedWidget* stack_;
    QString wanted_;       ///< the argument of take() until that was looked into
    QToolButton* folders_; ///< says how many folders are watched; its menu can stop watching each
};

} // namespace denoir::ui
