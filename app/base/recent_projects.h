// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QStringList>

#include "app/base/newest_question.h"

namespace denoir::app {

class Settings;

/// The recently opened projects whose files still exist. Looks on a thread of its own, as a file may lie on a disk that
/// does not answer. Borrows the settings. GUI thread.
class RecentProjects : public QObject {
    Q_OBJECT
public:
    explicit RecentProjects(const Settings& settings, QObject* parent = nullptr);
    /// What the last look() found, newest first.
    const QStringList& there() const { return there_; }
    void look();

signals:
    void changed(); ///< there() changed

private:
    void take(NewestQuestion::Number question, const QStringList& there);

    const Settings& settings_;
    QStringList there_;
    TaskThread thread_;
    NewestQuestion question_{thread_};
};

} // namespace denoir::app
