// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QAbstractItemModelTester>
#include <QTest>

#include <filesystem>
#include <optional>

#include "app/runs/run_history.h"
#include "engine/core/own_folders.h"
#include "tests/app/home.h"

namespace denoir::app {

/// The history in a home of its own. Once open() is called it knows the runs that lie there.
class HistoryInHome {
protected:
    void enter() {
        home_.emplace();
        runs_ = data_folder() / "runs";
        std::filesystem::create_directories(runs_);
    }
    void leave() {
        tester_.reset();
        history_.reset();
        home_.reset();
    }
    void open() {
        history_.emplace();
        tester_.emplace(&*history_, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(history_->wait_scanned(30000));
    }

    std::optional<Home> home_;
    std::filesystem::path runs_;
    std::optional<RunHistory> history_;
    std::optional<QAbstractItemModelTester> tester_;
};

} // namespace denoir::app
