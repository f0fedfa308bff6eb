// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QStringList>
#include <memory>

class QLocalServer;
class QLockFile;

namespace denoir::app {

/// One studio for one data folder: the first takes it, a second hands its arguments over and ends.
class SingleInstance : public QObject {
    Q_OBJECT
public:
    explicit SingleInstance(QObject* parent = nullptr);
    ~SingleInstance() override;
    /// True: this is the first. False: `arguments` were given to the one that runs (or it does not answer, and
    /// handed_over() is false).
    bool begin(const QStringList& arguments);
    bool handed_over() const { return handed_over_; }

signals:
    void arguments_received(const QStringList& arguments);

private:
    void receive();
    std::unique_ptr<QLockFile> lock_;
    QLocalServer* server_ = nullptr;
    bool handed_over_ = false;
};

} // namespace denoir::app
