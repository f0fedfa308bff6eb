// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QTest>
#include <optional>

#include "app/studio.h"
#include "app/sweep/open_sweep.h"
#include "app/sweep/sweep_document.h"
#include "tests/app/arrivals.h"
#include "tests/app/home.h"
#include "tests/app/tiny.h"

namespace denoir::app {

/// A studio with a home of its own, for sweeps of the tiny model.
class SweepFixture {
protected:
    using CellState = SweepDocument::State;

    void begin() {
        home_.emplace();
        open();
    }
    void end() {
        studio_.reset();
        home_.reset();
    }
    void open() {
        studio_.emplace();
        studio_->history.wait_scanned(10000);
    }
    /// Puts the tiny model into the document, and by default two axes of two values.
    void prepare(const QList<AxisText>& axes = {{"steps", "2, 3"}, {"guidance", "1, 3"}}) {
        studio_->start();
        studio_->document.load(tiny_request());
        QVERIFY(studio_->document.wait_resolved(20000));
        sweeps().axes().set_all(axes, "axes");
    }
    SweepDocument& sweeps() { return studio_->sweeps(); }
    RunQueue& queue() { return studio_->queue; }
    void start() {
        Arrivals begun(&sweeps(), &SweepDocument::started), refused(&sweeps(), &SweepDocument::failed);
        sweeps().start();
        QTRY_VERIFY_WITH_TIMEOUT(!begun.isEmpty() || !refused.isEmpty(), 20000);
        if (!refused.isEmpty()) QFAIL(qPrintable(refused[0][0].value<Issue>().line()));
    }
    /// Two values of guidance that mean the same, and two of steps: cells 0 and 2 share a run, and so do 1 and 3.
    void start_with_equal_requests() {
        prepare({{"guidance", "[3, null]"}, {"steps", "2, 3"}});
        studio_->document.set_value("guidance", 4.0);
        const double usual = studio_->document.default_value("guidance").toDouble();
        sweeps().axes().set_text(0, QStringLiteral("[%1, null]").arg(usual));
        QVERIFY(studio_->document.wait_resolved(20000));
        start();
    }
    bool all(CellState state) {
        for (std::size_t i = 0; i < sweeps().shown()->size(); ++i)
            if (sweeps().cell(i).state != state) return false;
        return true;
    }
    bool measured() {
        for (std::size_t i = 0; i < sweeps().shown()->size(); ++i)
            if (sweeps().shown()->sweep().reference_of(i) && !sweeps().shown()->cell(i).figures) return false;
        return true;
    }
    void finish() {
        QTRY_VERIFY_WITH_TIMEOUT(all(CellState::done), 60000);
        QTRY_VERIFY_WITH_TIMEOUT(measured(), 60000);
    }
    std::optional<Home> home_;
    std::optional<Studio> studio_;
};

} // namespace denoir::app
