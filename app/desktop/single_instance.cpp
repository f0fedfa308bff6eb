// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/single_instance.h"

#include <QCryptographicHash>
#include <QDataStream>
#include <QLocalServer>
#include <QLocalSocket>
#include <QLockFile>

#include "app/base/text.h"
#include "engine/core/file.h"

namespace denoir::app {
namespace {

constexpr int answer_ms = 3000;
constexpr qint64 most_bytes = 1 << 20; ///< of arguments: anybody may write to the socket

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
    lock_->setStaleLockTime(0); // only a process that is gone makes it stale
    if (lock_->tryLock(0)) {
        QLocalServer::removeServer(socket_name()); // left by a crash
        server_ = new QLocalServer(this);
        server_->setSocketOptions(QLocalServer::UserAccessOption);
        connect(server_, &QLocalServer::newConnection, this, &SingleInstance::receive);
        server_->listen(socket_name());
        return true;
    }
    if (lock_->error() != QLockFile::LockFailedError) return true; // no lock can be had: better two than none
    QLocalSocket socket;
    socket.connectToServer(socket_name());
    if (!socket.waitForConnected(answer_ms)) return false;
    QByteArray message;
    QDataStream out(&message, QIODevice::WriteOnly);
    out << arguments;
    socket.write(message);
    handed_over_ = socket.waitForBytesWritten(answer_ms);
    socket.disconnectFromServer();
    if (socket.state() != QLocalSocket::UnconnectedState) socket.waitForDisconnected(answer_ms);
    return false;
}

void SingleInstance::receive() {
    while (QLocalSocket* socket = server_->nextPendingConnection()) {
        connect(socket, &QLocalSocket::readyRead, this, [socket] {
            if (socket->bytesAvailable() > most_bytes) socket->abort();
        });
        connect(socket, &QLocalSocket::disconnected, this, [this, socket] {
            QStringList arguments;
            QDataStream in(socket->read(most_bytes));
            in >> arguments;
            if (in.status() == QDataStream::Ok) emit arguments_received(arguments);
            socket->deleteLater();
        });
    }
}

} // namespace denoir::app
