// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

#include <memory>

namespace denoir::app {

/// Turns SIGTERM, SIGINT and SIGHUP (unless nohup has it ignored) into a signal of the event loop, so that the end of a
/// session, `kill` and Ctrl+C end the studio in order. The same one a second time ends the process at once. One a
/// process; when it goes, signals end the process as before.
class Termination : public QObject {
    Q_OBJECT
public:
    explicit Termination(QObject* parent = nullptr);
    ~Termination() override;

signals:
    void asked(); ///< on this object's thread; once for each that arrives

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace denoir::app
