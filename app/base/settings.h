// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QSettings>
#include <QStringList>
#include <QVariant>
#include <filesystem>

#include "app/base/issue.h"

namespace denoir::app {

/// What the studio remembers for its user, in `settings.ini` in the config folder (DENOIR_HOME, else XDG). Every value
/// has a default; values that equal it are not stored. Window geometry and the like go through value() and set_value()
/// with keys of their owner ("window/create/state"). GUI thread.
class Settings : public QObject {
    Q_OBJECT
public:
    explicit Settings(QObject* parent = nullptr);

    // Folders, created if missing. Throw Error if that fails.
    static std::filesystem::path runs_folder();   ///< data folder / runs
    static std::filesystem::path models_folder(); ///< data folder / models
    /// Names a folder of the studio that cannot be written to (rights, a read-only disk) and how to choose another.
    /// Empty if all can be.
    static Issue folder_issue();

    qint64 frame_cache_bytes() const;  ///< limit of the frame cache, at least 16 MiB; default 1 GiB
    qint64 history_bytes() const;      ///< limit of the runs' disk use; default 50 GiB; 0: no limit
    bool may_drop_latents() const;     ///< the user allowed removing the latents of old unstarred runs; default false
    bool notifications() const;        ///< default true
    QStringList model_folders() const; ///< watched in addition to the data folder's models and the bundled ones
    /// The files that the user named for parts of models: a map from a model's path to a map from keys of a request's
    /// `parts` to files.
    QVariantMap model_parts() const;
    QStringList recent_projects() const; ///< newest first, at most ten; some files may be gone (see RecentProjects)
    QString theme() const;               ///< "system" (default), "light", "dark"

    void set_may_drop_latents(bool may);
    void set_notifications(bool tell);
    void set_model_folders(const QStringList& folders);
    void set_parts_of_model(const QString& model, const QVariantMap& parts); ///< an empty map: all parts are found
    void add_recent_project(const QString& path);
    void set_theme(const QString& theme);

    /// Any other value; `otherwise` if it is not stored.
    QVariant value(const QString& key, const QVariant& otherwise = {}) const;
    /// An invalid value removes the key.
    void set_value(const QString& key, const QVariant& value);

signals:
    void changed(const QString& key); ///< "frame_cache_bytes", "model_folders", … or the key of set_value()

private:
    void store(const QString& key, const QVariant& value, const QVariant& otherwise);
    QSettings store_;
};

} // namespace denoir::app
