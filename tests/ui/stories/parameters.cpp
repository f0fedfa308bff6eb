// SPDX-License-Identifier: Apache-2.0
// What the parameters say and decide.
#include <QComboBox>
#include <QLabel>
#include <QScrollArea>
#include <QToolButton>

#include "app/request/estimator.h"
#include "app/request/model_catalogue.h"
#include "tests/ui/fields.h"
#include "tests/ui/stories/stories.h"
#include "ui/preview/preview_view.h"

namespace denoir::ui {

/// A clip longer than those that the model was trained for is made in windows, which fields show and change.
void StoriesTest::in_windows() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model(2);
    auto& document = studio.core().document;
    auto* frames = studio.find<NumberEdit>("frames");
    const auto type_into = [&](QWidget* edit, const QString& text) {
        edit->setFocus(Qt::TabFocusReason); // brings the field into sight
        studio.key(Qt::Key_A, Qt::ControlModifier);
        studio.type(text);
        studio.key(Qt::Key_Tab);
        QVERIFY(document.wait_resolved(20000));
    };
    const auto hint = [&] { return field_of(frames)->findChild<QLabel*>(QStringLiteral("hint"))->text(); };
    type_into(frames, "49");
    QCOMPARE(document.resolved()->forcing->base, 33);
    QVERIFY2(hint().contains("2") && hint().contains("33"), qPrintable(hint()));
    studio.picture("in-windows-1-automatic");
    type_into(frames, "29");
    QVERIFY(!document.resolved()->forcing->base && !hint().contains("33"));

    studio.click(studio.find<QToolButton>("more"));
    auto *base = studio.find<NumberEdit>("base"), *overlap = studio.find<NumberEdit>("overlap");
    QCOMPARE(base->text(), QStringLiteral("automatic"));
    type_into(base, "12"); // becomes 13, of which the 17 shared frames cannot be taken
    QCOMPARE(base->value(), 13.0);
    QVERIFY(shows_error(field_of(overlap)) && !shows_error(field_of(base)) && !document.resolved());
    type_into(overlap, "5");
    QVERIFY(!shows_error(field_of(overlap)));
    QVERIFY2(hint().contains("3") && hint().contains("13"), qPrintable(hint()));
    studio.picture("in-windows-2-chosen");
    app::Arrivals steps(&studio.core().worker, &app::EngineWorker::step_done);
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    // While the second window is made, the strip shows its first new frame.
    const auto shows = [&](const QString& text) {
        const auto labels = studio.window().findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel* label) { return label->isVisible() && label->text() == text; });
    };
    QTRY_VERIFY_WITH_TIMEOUT(shows(QStringLiteral("frame 14")), 60000);
    QVERIFY(steps.count() >= 3);
    studio.picture("in-windows-3-second");
    QVERIFY(studio.idle());
    auto& player = studio.window().preview().player();
    QTRY_COMPARE_WITH_TIMEOUT(player.frames(), 29, 30000);
    studio.picture("in-windows-4-result");
    // Each field has a button that takes it back to the default.
    QTest::mouseClick(field_of(base)->findChild<QToolButton*>(QStringLiteral("reset")), Qt::LeftButton);
    QTest::mouseClick(field_of(overlap)->findChild<QToolButton*>(QStringLiteral("reset")), Qt::LeftButton);
    QVERIFY(document.wait_resolved(20000));
    QVERIFY(!document.asked().forcing);
}

/// TeaCache from its field: off, a threshold, a run that reuses steps, and off again.
void StoriesTest::with_a_cache() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model(8);
    auto& document = studio.core().document;
    QVERIFY(document.wait_resolved(20000));
    const double whole = document.estimate().flop;
    studio.click(studio.find<QToolButton>("more"));
    auto* cache = studio.find<NumberEdit>("cache");
    QCOMPARE(cache->text(), QStringLiteral("off"));
    QTest::qWait(50); // until the section that has opened is in its place
    for (QWidget* above = cache; above; above = above->parentWidget())
        if (auto* page = qobject_cast<QScrollArea*>(above)) page->ensureWidgetVisible(cache);
    studio.click(cache);
    studio.key(Qt::Key_A, Qt::ControlModifier);
    studio.type(QStringLiteral("10"));
    studio.key(Qt::Key_Tab);
    QVERIFY(document.wait_resolved(20000));
    QCOMPARE(document.asked().cache->threshold, 10.0);
    QVERIFY(!shows_error(field_of(cache)) && document.estimate().flop < whole);
    studio.picture("cache-1-chosen");
    app::Arrivals ends(&studio.core().worker, &app::EngineWorker::finished);
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(ends.count() >= 1, 60000);
    QVERIFY(studio.idle());
    studio.click(field_of(cache)->findChild<QToolButton*>(QStringLiteral("reset")));
    QVERIFY(document.wait_resolved(20000));
    QVERIFY(!document.asked().cache && cache->text() == QStringLiteral("off"));
}

/// For a 14B model the studio says what will be streamed, how long it takes, and what would fit. A request that is far
/// too large is refused before it is started.
void StoriesTest::does_it_fit() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model();
    auto& document = studio.core().document;
    auto* estimate = studio.find<QLabel>("estimate");
    auto* changes = studio.find<QLabel>("changes");
    QTRY_VERIFY_WITH_TIMEOUT(!estimate->text().isEmpty(), 30000);
    QVERIFY(!changes->isVisible());
    const auto said = [&] {
        if (changes->isVisible()) return !changes->text().isEmpty();
        for (const auto* label : studio.find<QWidget>("parameters-dock")->findChildren<QLabel*>())
            if (label->isVisible() && label->property("error").toBool() && !label->text().isEmpty()) return true;
        return false;
    };
    QVERIFY(!said());

    // Its folder is opened, and the keyboard picks the model from the list.
    const QString large_model = QStringLiteral(DENOIR_HOLLOW_MODEL);
    studio.open({large_model});
    auto* model = studio.find<QComboBox>("model");
    QTRY_VERIFY_WITH_TIMEOUT(model->findData(large_model) >= 0, 30000);
    QVERIFY(studio.core().models.wait_looked(30000));
    document.reset_all();
    model->setFocus();
    for (int i = 0; i < model->count() && model->currentData() != large_model; ++i) studio.key(Qt::Key_Down);
    QCOMPARE(document.value("model").toString(), large_model);
    QVERIFY(document.wait_resolved(30000));
    const auto& estimator = studio.core().estimator;
    const auto forecast = [&] { return estimator.forecast(*document.resolved(), document.estimate()); };
    QVERIFY(document.resolved());
    QVERIFY(document.estimate().weight_bytes > std::size_t(26) << 30); // 14 billion parameters of two bytes each
    QTRY_VERIFY_WITH_TIMEOUT(forecast().seconds > 60, 30000);
    // On a machine with more memory the clip is made longer until it does not fit.
    for (int frames = 161; forecast().fits && frames < 5000; frames = 2 * frames - 1) {
        document.set_values({{"width", 1280}, {"height", 720}, {"frames", frames}}, "longer");
        QVERIFY(document.wait_resolved(30000));
        if (!document.resolved()) break;
    }
    QTRY_VERIFY_WITH_TIMEOUT(said(), 30000);
    if (document.resolved()) {
        QVERIFY2(estimate->text().contains("weights are read again in every step"), qPrintable(estimate->text()));
        QVERIFY2(changes->text().contains("fit: use"), qPrintable(changes->text()));
    }
    studio.picture("does-it-fit-1-streams");

    document.set_values({{"width", 4096}, {"height", 4096}, {"frames", 1201}}, "large");
    QVERIFY(document.wait_resolved(20000));
    QVERIFY2(QTest::qWaitFor(said, 5000), qPrintable(estimate->text()));
    studio.picture("does-it-fit-2-too-large");
    document.set_value("model", QString());
    document.reset_all();
    QVERIFY(document.wait_resolved(20000));
    QTRY_VERIFY_WITH_TIMEOUT(!said(), 30000);
}

} // namespace denoir::ui
