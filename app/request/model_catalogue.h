// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractListModel>
#include <QStringList>
#include <QVariantMap>
#include <memory>

#include "app/base/issue.h"

namespace denoir::app {

/// The models found in the watched folders, the data folder's `models` and among the bundled ones; told from headers
/// alone on a thread of low priority, renewed when a folder changes.
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
        MissingRole,    ///< QStringList: parts that no task can do without
        TasksRole,      ///< QVariantMap: task ("text to video") -> QStringList of what it lacks, empty: ready
        FitsRole,       ///< "fits", "streams" (weights come and go), "too large", "" not known
        FitsTextRole,   ///< a sentence
        BundledRole,
        IssueRole,
    };

    explicit ModelCatalogue(QObject* parent = nullptr);
    ~ModelCatalogue() override;

    /// What models are held against: a card's memory; 0: the memory that this machine had when they were looked at.
    void set_available(quint64 bytes);
    /// Looks into them now and whenever they change; at most six levels deep.
    void set_folders(const QStringList& folders);
    QStringList folders() const;
    /// Parts that lie elsewhere, as Settings::model_parts(). Looks at the models again where they change.
    void set_parts(const QVariantMap& parts);
    void refresh();
    bool wait_looked(int milliseconds);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    int row_of(const QString& path) const; ///< -1: none; empty path: the bundled model
    QString bundled() const;               ///< its path; empty: there is none

signals:
    void looked(); ///< everything was looked at

private:
    struct Store;
    std::unique_ptr<Store> store_;
};

} // namespace denoir::app
