// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/sweep_axes.h"

#include <QTest>

#include "app/project/project.h"
#include "tests/app/sweep/sweep_fixture.h"

using namespace denoir::app;

class SweepAxesTest : public QObject, private SweepFixture {
    Q_OBJECT
private slots:
    void init() { begin(); }
    void cleanup() { end(); }
    void axes_are_edited_and_undone();
    void what_is_wrong_stands_at_its_axis();
    void axes_outlive_the_program();
    void fields_have_values_to_begin_with();
};

void SweepAxesTest::axes_are_edited_and_undone() {
    auto& axes = sweeps().axes();
    auto& undo = studio_->project.undo();
    QCOMPARE(axes.axes(), SweepAxes::usual());
    const int before = undo.count();
    axes.set_text(0, "4, 8");
    axes.set_text(0, "4, 8, 12");
    QCOMPARE(undo.count(), before + 1); // typing is one step
    axes.settle();
    axes.set_text(1, "2..4");
    axes.move(0, 1);
    QCOMPARE(axes.axes(), (QList<AxisText>{{"guidance", "2..4"}, {"steps", "4, 8, 12"}}));
    axes.add({"seed", "7, 8"});
    axes.remove(0);
    QCOMPARE(axes.axes(), (QList<AxisText>{{"steps", "4, 8, 12"}, {"seed", "7, 8"}}));
    for (int i = 0; i < 3; ++i) undo.undo();
    QCOMPARE(axes.axes(), (QList<AxisText>{{"steps", "4, 8, 12"}, {"guidance", "2..4"}}));
    undo.undo();
    undo.undo();
    QCOMPARE(axes.axes(), SweepAxes::usual());
    undo.redo();
    QCOMPARE(axes.axes()[0].text, QString("4, 8, 12"));
    QCOMPARE(axes.sweep({}).size(), 9U);
    // Typing after an undo is a step of its own, too.
    axes.settle();
    axes.set_text(0, "1, 2");
    axes.settle();
    axes.set_text(0, "1, 2, 3");
    undo.undo();
    axes.set_text(0, "1, 2, 4");
    undo.undo();
    QCOMPARE(axes.axes()[0].text, QString("1, 2"));
}

void SweepAxesTest::what_is_wrong_stands_at_its_axis() {
    auto& axes = sweeps().axes();
    axes.set_text(0, "4, many");
    QVERIFY(!axes.issue(0).isEmpty());
    QVERIFY(axes.issue(1).isEmpty());
    QCOMPARE(axes.issue().field, QString("axes.steps"));
    axes.set_text(0, "4");
    QVERIFY(axes.issue().isEmpty());
    axes.set_axis(1, {"steps", "8"}); // one field on two axes
    QVERIFY(axes.issue(0).isEmpty());
    QVERIFY(!axes.issue(1).isEmpty());
    axes.set_axis(1, {"loras.0.strength", "0, 1"}); // a LoRA that the request does not have
    QVERIFY(axes.issue(1).message.contains("0 LoRAs"));
    axes.set_axis(1, {"seed", "1..200"});
    axes.set_text(0, "1..20");
    QVERIFY2(axes.issue().message.contains("4000"), qPrintable(axes.issue().line()));

    // Errors that only the model can tell.
    prepare({{"size", "48x32, 50x32"}, {"guidance", "1, 3"}});
    sweeps().set_watching(true);
    QTRY_VERIFY_WITH_TIMEOUT(!sweeps().outlook().pending && !sweeps().outlook().issue.isEmpty(), 20000);
    Arrivals refused(&sweeps(), &SweepDocument::failed);
    sweeps().start();
    QTRY_COMPARE_WITH_TIMEOUT(refused.size(), 1, 20000);
    QCOMPARE(sweeps().axes().issue(0), refused[0][0].value<Issue>());
    QVERIFY(!sweeps().shown());
}

void SweepAxesTest::axes_outlive_the_program() {
    sweeps().axes().set_all({{"prompt", "A fox. | A boat, red."}, {"seed", "1..3"}}, "axes");
    studio_.reset();
    open();
    QCOMPARE(sweeps().axes().axes(), (QList<AxisText>{{"prompt", "A fox. | A boat, red."}, {"seed", "1..3"}}));
}

void SweepAxesTest::fields_have_values_to_begin_with() {
    prepare();
    QStringList names;
    for (const SweepField& field : sweep_fields(studio_->document)) {
        names << field.field;
        if (field.usual.isEmpty()) continue;
        SweepAxes axes(studio_->project.undo(), studio_->settings);
        axes.set_all({{field.field, field.usual}}, "axes");
        axes.check_with(studio_->document.asked());
        QVERIFY2(axes.issue().isEmpty(), qPrintable(field.field + ": " + axes.issue().line()));
    }
    QVERIFY(names.contains("steps") && names.contains("sampler") && names.contains("cache.threshold"));
    QVERIFY(!names.contains("loras.0.strength"));
}

QTEST_MAIN(SweepAxesTest)
#include "sweep_axes_test.moc"
