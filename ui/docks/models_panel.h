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
    /// Watches a folder, or a file's folder, that was dropped on the window. If exactly one model is found there, makes
    /// it the request's model, as an undo step.
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
    /// Sets the file of one part of a model; empty: use what lies in or beside the model again. If that model is in
    /// use, this is an undo step.
    void name_part(const QString& model, const QString& part, const QString& file);
    void fill_folders();
    void unwatch(const QString& folder);
    void refresh();

    Studio& studio_;
    QListView* list_;
    QStackedWidget* stack_;
    QString wanted_;       ///< what take() was given, until it was looked into
    QToolButton* folders_; ///< says how many are watched; its menu lists them, to stop watching one
};

} // namespace denoir::ui
