// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/base/settings.h"

#include <QTemporaryFile>
#include <algorithm>

#include "app/base/text.h"
#include "engine/core/error.h"
#include "engine/core/own_folders.h"

namespace denoir::app {
namespace {

constexpr qint64 default_frame_cache = qint64{1} << 30;
constexpr qint64 default_history = qint64{50} << 30;
constexpr int most_recent = 10;

/// `value` as a whole number, or `otherwise` if it is none: the file may have been edited by hand.
qint64 whole_of(const QVariant& value, qint64 otherwise) {
    bool good = false;
    const qint64 number = value.toLongLong(&good);
    return good ? number : otherwise;
}

QString file_name() {
    try {
        return to_qstring(config_folder() / "settings.ini");
    } catch (const Error&) { // no folder: nothing can be remembered
        return QStringLiteral("/dev/null");
    }
}

} // namespace

Settings::Settings(QObject* parent) : QObject(parent), store_(file_name(), QSettings::IniFormat) {}

std::filesystem::path Settings::runs_folder() { return made_folder(data_folder() / "runs"); }
std::filesystem::path Settings::models_folder() { return made_folder(data_folder() / "models"); }

Issue Settings::folder_issue() {
    try {
        for (const auto& folder : {runs_folder(), data_folder(), config_folder()}) {
            // Writing is tried, as this finds missing rights, read-only disks and full quotas alike.
            QTemporaryFile probe(to_qstring(folder / ".probe-XXXXXX"));
            if (!probe.open())
                return {to_qstring(folder),
                        {},
                        tr("nothing can be written there, so nothing is kept"),
                        tr("change the folder's rights, or set DENOIR_HOME to another folder and start again")};
        }
        return {};
    } catch (const Error& error) {
        return Issue::from(error);
    }
}

qint64 Settings::frame_cache_bytes() const {
    return std::max<qint64>(whole_of(store_.value(QStringLiteral("frame_cache_bytes")), default_frame_cache), 16 << 20);
}
qint64 Settings::history_bytes() const {
    return std::max<qint64>(whole_of(store_.value(QStringLiteral("history_bytes")), default_history), 0);
}
bool Settings::may_drop_latents() const { return store_.value(QStringLiteral("may_drop_latents"), false).toBool(); }
bool Settings::notifications() const { return store_.value(QStringLiteral("notifications"), true).toBool(); }
QStringList Settings::model_folders() const { return store_.value(QStringLiteral("model_folders")).toStringList(); }
QVariantMap Settings::model_parts() const { return store_.value(QStringLiteral("model_parts")).toMap(); }
QString Settings::theme() const { return store_.value(QStringLiteral("theme"), QStringLiteral("system")).toString(); }

QStringList Settings::recent_projects() const {
    return store_.value(QStringLiteral("recent_projects")).toStringList().mid(0, most_recent);
}

void Settings::set_may_drop_latents(bool may) { store(QStringLiteral("may_drop_latents"), may, false); }
void Settings::set_notifications(bool tell) { store(QStringLiteral("notifications"), tell, true); }
void Settings::set_model_folders(const QStringList& folders) {
    store(QStringLiteral("model_folders"), folders, QStringList());
}
void Settings::set_parts_of_model(const QString& model, const QVariantMap& parts) {
    QVariantMap all = model_parts();
    if (parts.isEmpty())
        all.remove(model);
    else
        all[model] = parts;
    store(QStringLiteral("model_parts"), all, QVariantMap());
}
void Settings::set_theme(const QString& theme) { store(QStringLiteral("theme"), theme, QStringLiteral("system")); }

void Settings::add_recent_project(const QString& path) {
    QStringList all = store_.value(QStringLiteral("recent_projects")).toStringList();
    all.removeAll(path);
    all.prepend(path);
    store(QStringLiteral("recent_projects"), QStringList(all.mid(0, most_recent)), QStringList());
}

QVariant Settings::value(const QString& key, const QVariant& otherwise) const { return store_.value(key, otherwise); }

void Settings::set_value(const QString& key, const QVariant& value) {
    if (store_.value(key) == value && store_.contains(key) == value.isValid()) return;
    if (value.isValid())
        store_.setValue(key, value);
    else
        store_.remove(key);
    emit changed(key);
}

void Settings::store(const QString& key, const QVariant& value, const QVariant& otherwise) {
    if (store_.value(key, otherwise) == value) return;
    if (value == otherwise)
        store_.remove(key);
    else
        store_.setValue(key, value);
    emit changed(key);
}

} // namespace denoir::app
