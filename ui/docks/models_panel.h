// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStyledItemDelegate>
#include <QWidget>

#include "ui/studio.h"

class QListView;
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

private:
    Studio& studio_;
};

/// The models found, and the folders that are watched.
class ModelsPanel : public QWidget {
    Q_OBJECT
public:
    explicit ModelsPanel(Studio& studio, QWidget* parent = nullptr);

public slots:
    void add_folder();
    /// A folder dropped on the window.
    void watch(const QString& folder);

private:
    void use(const QModelIndex& index);
    void show_menu(const QPoint& at);
    void fill_folders();
    void unwatch(const QString& folder);
    void refresh();

    Studio& studio_;
    QListView* list_;
    QStackedWidget* stack_;
    QToolButton* folders_; ///< how many; its menu says which, and lets go of them
};

} // namespace denoir::ui
