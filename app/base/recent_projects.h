// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QStringList>

#include "app/base/newest_question.h"

namespace denoir::app {

class Settings;

/// Those of the projects opened before that are still there: looked for on a thread of its own, as one may lie on a
/// disk that does not answer. Borrows the settings. GUI thread.
class RecentProjects : public QObject {
    Q_OBJECT
public:
    explicit RecentProjects(const Settings& settings, QObject* parent = nullptr);
    /// As they were looked at last; newest first.
    const QStringList& there() const { return there_; }
    void look();

signals:
    void changed(); ///< there()

private:
    void take(NewestQuestion::Number question, const QStringList& there);

    const Settings& settings_;
    QStringList there_;
    TaskThread thread_;
    NewestQuestion question_{thread_};
};

} // namespace denoir::app
