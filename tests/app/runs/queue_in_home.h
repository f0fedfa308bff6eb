// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QAbstractItemModelTester>
#include <QFile>
#include <QTest>

#include <optional>

#include "app/runs/engine_worker.h"
#include "app/runs/run_queue.h"
#include "engine/core/json.h"
#include "tests/app/home.h"

namespace denoir::app {

/// A queue and its worker in a home of their own.
class QueueInHome {
protected:
    void enter() {
        home_.emplace();
        worker_.emplace();
        open();
    }
    void leave() {
        tester_.reset();
        queue_.reset();
        worker_.reset();
        home_.reset();
    }
    void open() {
        queue_.emplace(*worker_);
        tester_.emplace(&*queue_, QAbstractItemModelTester::FailureReportingMode::QtTest);
    }

    Json stored_queue() {
        queue_->flush();
        QFile file(home_->data(QStringLiteral("queue.json")));
        return file.open(QIODevice::ReadOnly) ? parse_json(file.readAll().toStdString(), "queue.json") : Json();
    }
    /// Writes the queue's file as an earlier session would have left it.
    void store(const Json& json) { store(json.dump().c_str()); }
    void store(const char* text) {
        tester_.reset();
        queue_.reset();
        QFile file(home_->data(QStringLiteral("queue.json")));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(text);
        file.close();
        open();
    }

    QVariant at(int row, int role) const { return queue_->index(row).data(role); }
    quint64 id(int row) const { return at(row, RunQueue::IdRole).toULongLong(); }
    QList<quint64> seeds() const {
        QList<quint64> out;
        for (int row = 0; row < queue_->rowCount(); ++row) out << at(row, RunQueue::SeedRole).toULongLong();
        return out;
    }

    std::optional<Home> home_;
    std::optional<EngineWorker> worker_;
    std::optional<RunQueue> queue_;
    std::optional<QAbstractItemModelTester> tester_;
};

} // namespace denoir::app
