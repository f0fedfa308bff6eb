// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/base/recent_projects.h"

#include <QFileInfo>

#include "app/base/settings.h"

namespace denoir::app {

RecentProjects::RecentProjects(const Settings& settings, QObject* parent) : QObject(parent), settings_(settings) {
    connect(&settings_, &Settings::changed, this, [this](const QString& key) {
        if (key == QStringLiteral("recent_projects")) look();
    });
    look();
}

void RecentProjects::look() {
    question_.ask([this, all = settings_.recent_projects()](TaskThread::Id question, const std::stop_token& stop) {
        QStringList there;
        for (const QString& path : all) {
            if (stop.stop_requested()) return;
            if (QFileInfo(path).isFile()) there << path;
        }
        QMetaObject::invokeMethod(this, [this, question, there] { take(question, there); });
    });
}

void RecentProjects::take(NewestQuestion::Number question, const QStringList& there) {
    if (question != question_.newest() || there == there_) return;
    there_ = there;
    emit changed();
}

} // namespace denoir::app
