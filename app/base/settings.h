// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QSettings>
#include <QStringList>
#include <QVariant>
#include <filesystem>

#include "app/base/issue.h"

namespace denoir::app {

/// What the studio remembers for its user, in `settings.ini` of the config folder (DENOIR_HOME, else XDG). Every value
/// has a default; what equals it is not stored. GUI thread. Window geometry and the like go through value()/set_value()
/// with keys of their owner ("window/create/state").
class Settings : public QObject {
    Q_OBJECT
public:
    explicit Settings(QObject* parent = nullptr);

    // Where things live; made when missing. Throw Error where that fails.
    static std::filesystem::path runs_folder();   ///< data folder / runs
    static std::filesystem::path models_folder(); ///< data folder / models
    /// Which of them refuses to be written (rights, a read-only disk) and how another is chosen; empty: none.
    static Issue folder_issue();

    qint64 frame_cache_bytes() const;  ///< bound of the frame cache; default 1 GiB
    qint64 history_bytes() const;      ///< bound of the runs' disk use; default 50 GiB; 0: none
    bool may_drop_latents() const;     ///< the user agreed once that old unstarred latents go; default false
    bool notifications() const;        ///< default true
    QStringList model_folders() const; ///< watched besides the data folder's models and the bundled ones
    /// Files that the user named for parts of models: by a model's path, then by the key of a request's `parts`.
    QVariantMap model_parts() const;
    QStringList recent_projects() const; ///< newest first, at most ten; some may be gone (RecentProjects)
    QString theme() const;               ///< "system" (default), "light", "dark"

    void set_may_drop_latents(bool may);
    void set_notifications(bool tell);
    void set_model_folders(const QStringList& folders);
    void set_parts_of_model(const QString& model, const QVariantMap& parts); ///< none: all are found
    void add_recent_project(const QString& path);
    void set_theme(const QString& theme);

    /// Anything else.
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
