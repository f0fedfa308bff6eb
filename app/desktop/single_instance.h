// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QStringList>
#include <memory>

class QDeadlineTimer;
class QLocalServer;
class QLockFile;

namespace denoir::app {

/// Makes sure that a data folder has only one studio: a second one hands its arguments to the first and ends.
class SingleInstance : public QObject {
    Q_OBJECT
public:
    explicit SingleInstance(QObject* parent = nullptr);
    ~SingleInstance() override;
    /// Returns true if this is the only studio, perhaps because another has just ended. Returns false if another took
    /// `arguments` or, if handed_over() is false, did not answer within seconds.
    bool begin(const QStringList& arguments);
    bool handed_over() const { return handed_over_; }
    /// Takes no more arguments: a studio that is started from now on waits until this one has ended.
    void end();

signals:
    void arguments_received(const QStringList& arguments);

private:
    void listen();
    bool hand_over(const QStringList& arguments, const QDeadlineTimer& end);
    void receive();
    std::unique_ptr<QLockFile> lock_;
    QLocalServer* server_ = nullptr;
    bool handed_over_ = false;
};

} // namespace denoir::app
