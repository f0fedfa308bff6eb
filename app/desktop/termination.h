// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

#include <memory>

namespace denoir::app {

/// Turns SIGTERM, SIGINT and SIGHUP (unless nohup made the process ignore it) into a Qt signal, so that the end of a
/// session, `kill` and Ctrl+C close the studio properly. The same signal a second time ends the process at once. There
/// may be one in a process; when it is destroyed, signals end the process as before.
class Termination : public QObject {
    Q_OBJECT
public:
    explicit Termination(QObject* parent = nullptr);
    ~Termination() override;

signals:
    void asked(); ///< on this object's thread, for each signal that arrives

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace denoir::app
