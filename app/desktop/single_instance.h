// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QStringList>
#include <memory>

class QDeadlineTimer;
class QLocalServer;
class QLockFile;

namespace denoir::app {

/// One studio for one data folder: the first takes it, a second hands its arguments over and ends.
class SingleInstance : public QObject {
    Q_OBJECT
public:
    explicit SingleInstance(QObject* parent = nullptr);
    ~SingleInstance() override;
    /// True: this is the first, or the one before is just gone. False: the one that runs took `arguments` (or it does
    /// not answer within seconds, and handed_over() is false).
    bool begin(const QStringList& arguments);
    bool handed_over() const { return handed_over_; }
    /// Takes no more arguments: who starts from now on waits until this one is gone.
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
