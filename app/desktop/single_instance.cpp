// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/single_instance.h"

#include <QCryptographicHash>
#include <QDeadlineTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLocalServer>
#include <QLocalSocket>
#include <QLockFile>

#include "app/base/text.h"
#include "engine/core/own_folders.h"

namespace denoir::app {
namespace {

constexpr int answer_ms = 10000;       ///< a studio that does not answer for so long has hung
constexpr qint64 most_bytes = 1 << 20; ///< of arguments, as any program may write to the socket
constexpr char taken = '\n';           ///< the answer

QString socket_name() {
    const QByteArray folder = to_qstring(data_folder()).toUtf8();
    return QStringLiteral("denoir-") +
           QString::fromLatin1(QCryptographicHash::hash(folder, QCryptographicHash::Sha256).toHex().left(24));
}

} // namespace

SingleInstance::SingleInstance(QObject* parent) : QObject(parent) {}
SingleInstance::~SingleInstance() = default;

bool SingleInstance::begin(const QStringList& arguments) {
    lock_ = std::make_unique<QLockFile>(to_qstring(data_folder() / "studio.lock"));
    lock_->setStaleLockTime(0); // a lock is stale only if its process has ended, never by its age
    const QDeadlineTimer end(answer_ms);
    if (lock_->tryLock(0)) {
        listen();
        return true;
    }
    if (lock_->error() != QLockFile::LockFailedError) return true; // locks do not work here: better two than none
    handed_over_ = hand_over(arguments, end);
    if (handed_over_) return false;
    // A studio that is ending no longer listens, and will be gone soon.
    if (!lock_->tryLock(int(end.remainingTime()))) return false;
    listen();
    return true;
}

void SingleInstance::end() {
    delete server_; // and with it the sockets of studios that got no answer
    server_ = nullptr;
}

void SingleInstance::listen() {
    QLocalServer::removeServer(socket_name()); // it may have been left by a crash
    server_ = new QLocalServer(this);
    server_->setSocketOptions(QLocalServer::UserAccessOption);
    connect(server_, &QLocalServer::newConnection, this, &SingleInstance::receive);
    server_->listen(socket_name());
}

bool SingleInstance::hand_over(const QStringList& arguments, const QDeadlineTimer& end) {
    QLocalSocket socket;
    socket.connectToServer(socket_name());
    if (!socket.waitForConnected(int(end.remainingTime()))) return false;
    socket.write(QJsonDocument(QJsonArray::fromStringList(arguments)).toJson(QJsonDocument::Compact) + '\n');
    // Only the answer says that the arguments were read: writing succeeds even if nobody reads.
    while (socket.bytesAvailable() == 0)
        if (!socket.waitForReadyRead(int(end.remainingTime()))) return false;
    return socket.read(1) == QByteArray(1, taken);
}

void SingleInstance::receive() {
    while (QLocalSocket* socket = server_->nextPendingConnection()) {
        connect(socket, &QLocalSocket::readyRead, this, [this, socket] {
            if (socket->bytesAvailable() > most_bytes) return socket->abort();
            if (!socket->canReadLine()) return;
            const QJsonDocument arguments = QJsonDocument::fromJson(socket->readLine());
            if (!arguments.isArray()) return socket->abort();
            socket->write(&taken, 1);
            socket->flush();
            emit arguments_received(arguments.toVariant().toStringList());
        });
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
    }
}

} // namespace denoir::app
