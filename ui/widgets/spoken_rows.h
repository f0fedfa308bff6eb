// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QIdentityProxyModel>

#include <functional>
#include <utility>

namespace denoir::ui {

/// The rows of a model with what a screen reader says of them: all the words that their delegate paints.
class SpokenRows : public QIdentityProxyModel {
public:
    using Words = std::function<QStringList(const QModelIndex&)>;
    SpokenRows(QAbstractItemModel& rows, Words words, QObject* parent)
        : QIdentityProxyModel(parent), words_(std::move(words)) {
        setSourceModel(&rows);
    }
    QVariant data(const QModelIndex& index, int role) const override {
        if (role != Qt::AccessibleTextRole) return QIdentityProxyModel::data(index, role);
        QStringList words = words_(index);
        words.removeAll(QString());
        return words.join(QStringLiteral(", "));
    }

private:
    const Words words_;
};

} // namespace denoir::ui
