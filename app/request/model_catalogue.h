// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractListModel>
#include <QStringList>
#include <QVariantMap>
#include <memory>

#include "app/base/issue.h"

namespace denoir::app {

/// The list of models: those in the watched folders and in the data folder's `models`, and the bundled one. They are
/// described from headers alone, on a thread of low priority, and again when a folder changes.
class ModelCatalogue : public QAbstractListModel {
    Q_OBJECT
public:
    enum class State { looking, ready, incomplete, unreadable };
    Q_ENUM(State)
    enum Role {
        PathRole = Qt::UserRole + 1,
        NameRole,       ///< folder or file name; "Demo" for the bundled one
        StateRole,      ///< State as int
        FamilyRole,     ///< "wan", "skyreels", "skyreels-df", "wan2.2", "unknown"
        VariantRole,    ///< "t2v", "i2v", "flf2v", "ti2v", "df", …
        DTypeRole,      ///< "bf16", "f32", "q8_0": the type of most bytes
        BytesRole,      ///< of all files
        ParametersRole, ///< of the transformer
        MissingRole,    ///< QStringList: missing parts that every task needs
        TasksRole,    ///< QVariantMap: task ("text to video") -> QStringList of missing parts, empty if it can be done
        FitsRole,     ///< "fits", "streams" (weights are read again and again), "too large"; "" if not known
        FitsTextRole, ///< a sentence
        BundledRole,
        IssueRole,
    };

    explicit ModelCatalogue(QObject* parent = nullptr);
    ~ModelCatalogue() override;

    /// The memory that models must fit into: that of a card, or 0 for what this machine had when they were looked at.
    void set_available(quint64 bytes);
    /// Looks into these folders now and whenever they change, at most six levels deep.
    void set_folders(const QStringList& folders);
    QStringList folders() const;
    /// Parts that lie elsewhere: Settings::model_parts(). If they change, the models are looked at again.
    void set_parts(const QVariantMap& parts);
    void refresh();
    bool wait_looked(int milliseconds);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    int row_of(const QString& path) const; ///< -1 if there is none; an empty path stands for the bundled model
    QString bundled() const;               ///< path of the bundled model; empty if there is none

signals:
    void looked(); ///< everything was looked at

private:
    struct Store;
    std::unique_ptr<Store> store_;
};

} // namespace denoir::app
