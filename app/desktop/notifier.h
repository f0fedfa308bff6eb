// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

namespace denoir::app {

/// Shows messages on the desktop (org.freedesktop.Notifications). Without such a service nothing happens.
class Notifier : public QObject {
    Q_OBJECT
public:
    explicit Notifier(QObject* parent = nullptr);
    /// Returns at once. `image` is the path of a thumbnail; it may be empty.
    void notify(const QString& title, const QString& text, const QString& image = {});

signals:
    void activated(); ///< the user clicked on the newest message

private slots:
    void action_invoked(uint id, const QString& action);

private:
    uint last_ = 0;
};

} // namespace denoir::app
