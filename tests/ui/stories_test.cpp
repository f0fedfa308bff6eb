// SPDX-License-Identifier: Apache-2.0
// The stories of the window, played with mouse and keyboard on a real display (Xvfb in CI).
#include <QAbstractItemModel>
#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProcess>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>
#include <QTreeWidget>

#include <csignal>

#include "app/cut_exporter.h"
#include "app/estimator.h"
#include "app/exact_clip.h"
#include "app/model_catalogue.h"
#include "app/request_document.h"
#include "app/text.h"
#include "tests/app/arrivals.h"
#include "tests/app/clips.h"
#include "tests/ui/studio_fixture.h"
#include "ui/docks/runs_panel.h"
#include "ui/layers/histogram_view.h"
#include "ui/layers/layer_map.h"
#include "ui/layers/layers_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/steps/divergence_view.h"
#include "ui/steps/step_strip.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/field.h"
#include "ui/window/compare_bar.h"
#include "ui/window/comparison_export.h"
#include "ui/window/translation.h"

using namespace denoir;
using namespace denoir::ui;
using QueueState = app::RunQueue::State;
using Role = app::RunHistory::Role;

namespace {
constexpr int second_life = 12; ///< steps of the run that is killed
}

class StoriesTest : public QObject {
    Q_OBJECT

private slots:
    void first_minute();
    void typed_in_a_hurry();
    void which_seed();
    void what_changed();
    void where_do_they_part();
    void stop_early();
    void a_cut_of_three();
    void longer();
    void in_windows();
    void with_a_cache();
    void after_the_crash();
    void does_it_fit();
};

/// Start, see a picture move, change one word, Ctrl+Enter, see it clear up in the strip, play it.
void StoriesTest::first_minute() {
    const app::Home home;
    {
        StudioFixture before;
        before.use_model();
        before.key(Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(before.idle());
        QTRY_COMPARE_WITH_TIMEOUT(before.core().history.total(), 1, 30000);
        before.window().close();
    }
    StudioFixture studio;
    auto& player = studio.window().preview().player();
    QTRY_VERIFY_WITH_TIMEOUT(player.frames() == StudioFixture::frames() && player.playing(), 30000);
    QSignalSpy moved(&player, &app::Player::frame_changed);
    QTRY_VERIFY_WITH_TIMEOUT(moved.count() >= 3, 30000);
    studio.picture("first-minute-1-start");

    auto* prompt = studio.find<QPlainTextEdit>("prompt");
    QCOMPARE(prompt->toPlainText(), QStringLiteral("A red balloon."));
    studio.click(prompt->viewport(), {4, 8});
    studio.key(Qt::Key_Home);
    for (int i = 0; i < 2; ++i) studio.key(Qt::Key_Right, Qt::ControlModifier); // before "balloon"
    studio.key(Qt::Key_Left, Qt::ControlModifier | Qt::ShiftModifier);
    studio.type("green ");
    QCOMPARE(prompt->toPlainText(), QStringLiteral("A green balloon."));
    QVERIFY(studio.core().document.wait_resolved(20000));
    app::Arrivals steps(&studio.core().worker, &app::EngineWorker::step_done);
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(steps.count() >= 2, 30000);
    QVERIFY(studio.find<QWidget>("live-steps")->isVisible());
    studio.picture("first-minute-2-clearing-up");
    QVERIFY(studio.idle());
    QTRY_COMPARE_WITH_TIMEOUT(studio.core().history.total(), 2, 30000);
    QTRY_COMPARE_WITH_TIMEOUT(studio.window().shown_run(), studio.core().history.newest_done(), 30000);
    studio.click(&studio.window().preview().canvas());
    // The first run's video plays on until the new one is open, which then plays by itself.
    const auto& preview = studio.window().preview();
    QTRY_COMPARE_WITH_TIMEOUT(preview.info(app::Side::a)->run, studio.window().shown_run(), 20000);
    QTRY_VERIFY_WITH_TIMEOUT(player.frames() == StudioFixture::frames() && player.playing(), 20000);
    studio.key(Qt::Key_Space);
    QVERIFY(!player.playing());
    studio.key(Qt::Key_Space);
    QVERIFY(player.playing());
    studio.picture("first-minute-3-result");
    QCOMPARE(app::RunHistory::record(studio.window().shown_run()).request.prompt, std::string("A green balloon."));
}

/// Two runs with another guidance, selected in the list and held against each other.
static void compare_two(StudioFixture& studio) {
    studio.use_model();
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(studio.idle());
    studio.core().document.set_value("guidance", 1.5);
    QVERIFY(studio.core().document.wait_resolved(20000));
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(studio.idle());
    auto* list = studio.find<RunsView>("runs");
    QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 2, 30000);
    studio.click(list->viewport(), studio.row_point(list, 1));
    studio.click(list->viewport(), studio.row_point(list, 0), Qt::ControlModifier);
    studio.key(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(studio.window().layouts().current(), Layout::compare);
}

/// What stands in a field counts when Ctrl+Enter is pressed there; what is no value stops it, and stays to be
/// corrected.
void StoriesTest::typed_in_a_hurry() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model();
    auto& history = studio.core().history;
    studio.click(studio.find<QLineEdit>("seed"));
    studio.key(Qt::Key_A, Qt::ControlModifier);
    studio.type("18");
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 1, 30000); // once the typed request is resolved
    QVERIFY(studio.idle());
    QCOMPARE(history.index(0).data(Role::SeedRole).toULongLong(), 18ULL);

    studio.click(studio.find<QDoubleSpinBox>("guidance")->findChild<QLineEdit*>());
    studio.key(Qt::Key_A, Qt::ControlModifier);
    studio.type("3,5");
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 2, 30000);
    QVERIFY(studio.idle());
    const QString second = history.index(0).data(Role::PathRole).toString();
    QCOMPARE(app::RunHistory::record(second).request.guidance.value_or(0), 3.5);

    auto* size = studio.find<QComboBox>("size")->lineEdit();
    const QString before = size->text();
    studio.click(size);
    studio.key(Qt::Key_A, Qt::ControlModifier);
    studio.type("300x");
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(!studio.core().queue.running() && studio.core().queue.waiting() == 0);
    QCOMPARE(size->text(), QStringLiteral("300x"));
    studio.picture("typed-in-a-hurry-refused");
    studio.click(studio.find<QDoubleSpinBox>("guidance")->findChild<QLineEdit*>());
    studio.key(Qt::Key_Z, Qt::ControlModifier); // nothing typed there: the last change goes back
    QVERIFY(studio.core().document.value("guidance").toDouble() != 3.5);
    QCOMPARE(size->text(), before);

    auto* frames = studio.find<QDoubleSpinBox>("frames");
    studio.click(frames->findChild<QLineEdit*>());
    studio.key(Qt::Key_A, Qt::ControlModifier);
    studio.type("10");
    studio.key(Qt::Key_Return);
    QCOMPARE(frames->value(), 9.0);
    const auto labels = studio.window().findChildren<QLabel*>();
    QVERIFY(
        std::any_of(labels.begin(), labels.end(), [](const QLabel* l) { return l->text().contains("10 became 9"); }));
}

/// Four seeds in the queue, star one, throw the others away, undo that.
void StoriesTest::which_seed() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model();
    studio.find<QSpinBox>("copies")->setValue(4);
    studio.click(studio.find<QPushButton>("generate"));
    QCOMPARE(studio.core().queue.rowCount(), 4);
    QVERIFY(studio.idle());
    auto& history = studio.core().history;
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 4, 30000);
    QSet<quint64> seeds;
    for (int row = 0; row < 4; ++row) seeds.insert(history.index(row).data(Role::SeedRole).toULongLong());
    QCOMPARE(seeds.size(), 4);

    auto* list = studio.find<RunsView>("runs");
    QTest::qWait(50);
    studio.click(list->viewport(), RunDelegate::star_rect(list->visualRect(list->model()->index(1, 0))).center());
    QVERIFY(history.index(1).data(Role::StarredRole).toBool());
    const QString kept = history.index(1).data(Role::PathRole).toString();
    studio.picture("which-seed-1-starred");
    studio.click(list->viewport(), studio.row_point(list, 0));
    for (const int row : {2, 3}) studio.click(list->viewport(), studio.row_point(list, row), Qt::ControlModifier);
    studio.key(Qt::Key_Delete);
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 1, 30000);
    QCOMPARE(history.index(0).data(Role::PathRole).toString(), kept);
    studio.picture("which-seed-2-thrown-away");
    QVERIFY(studio.press("Undo"));
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 4, 30000);
    QVERIFY(history.starred(kept));
    studio.click(list->viewport(), studio.row_point(list, 0));
    studio.key(Qt::Key_Delete);
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 3, 30000);
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 4, 30000);
    // Only the starred ones, then a search that nothing answers.
    studio.click(studio.find<QToolButton>("runs-starred"));
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 1, 30000);
    studio.click(studio.find<QToolButton>("runs-starred"));
    studio.key(Qt::Key_F, Qt::ControlModifier);
    studio.type("zeppelin");
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 0, 30000);
    QVERIFY(!list->isVisible());
}

/// Select two runs, only what differs, wipe, jump to the worst frame, export the video and the report.
void StoriesTest::what_changed() {
    const app::Home home;
    StudioFixture studio;
    compare_two(studio);
    if (QTest::currentTestFailed()) return;
    auto& preview = studio.window().preview();
    QTRY_VERIFY_WITH_TIMEOUT(preview.info(app::Side::a) && preview.info(app::Side::b), 30000);
    QCOMPARE(preview.mode(), CompareMode::wipe);
    auto* differences = studio.window().findChild<DifferencesPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(!differences->rows().isEmpty(), 30000);
    QStringList keys;
    for (const auto& row : differences->rows()) keys.append(row[0]);
    QVERIFY2(keys.contains("guidance"), qPrintable(keys.join(' ')));
    QVERIFY2(!keys.contains("steps") && !keys.contains("width"), qPrintable(keys.join(' ')));
    studio.click(&preview.canvas());
    // Side by side, played: both at the same frame.
    studio.key(Qt::Key_Q);
    QCOMPARE(preview.mode(), CompareMode::side_by_side);
    QVERIFY(!preview.canvas().second_rect().isEmpty());
    QVERIFY(!preview.canvas().second_rect().intersects(preview.canvas().picture_rect()));
    auto& player = preview.player();
    if (player.playing()) studio.key(Qt::Key_Space);
    QSignalSpy moved(&player, &app::Player::frame_changed);
    studio.key(Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(moved.count() >= 3, 30000);
    QCOMPARE(player.frame_of(app::Side::a), player.frame_of(app::Side::b));
    studio.key(Qt::Key_Space);
    QVERIFY(!player.playing());
    studio.picture("what-changed-1-side-by-side");
    studio.key(Qt::Key_D);
    QCOMPARE(preview.mode(), CompareMode::difference);
    studio.picture("what-changed-2-difference");
    studio.key(Qt::Key_W);
    QCOMPARE(preview.mode(), CompareMode::wipe);
    // The line is dragged by the mouse, 0 shows the other one.
    const QRectF place = preview.canvas().picture_rect();
    const QPoint line = QPointF(place.left() + preview.canvas().wipe() * place.width(), place.center().y()).toPoint();
    studio.drag(&preview.canvas(), line, line + QPoint(int(place.width() / 5), 0));
    QVERIFY2(std::abs(preview.canvas().wipe() - 0.7) < 0.02, qPrintable(QString::number(preview.canvas().wipe())));
    studio.drag(&preview.canvas(), line + QPoint(int(place.width() / 5), 0), line);
    studio.key(Qt::Key_0);
    QCOMPARE(preview.mode(), CompareMode::single);
    QVERIFY(preview.canvas().shows_b());
    studio.key(Qt::Key_W);
    QTRY_VERIFY_WITH_TIMEOUT(preview.comparison().done() == StudioFixture::frames(), 60000);
    studio.key(Qt::Key_W, Qt::ShiftModifier);
    QTRY_COMPARE_WITH_TIMEOUT(preview.player().frame(), preview.comparison().worst(), 30000);
    studio.picture("what-changed-3-wipe");

    // The side-by-side video and the report, from the menu, into files.
    for (const auto& [action, name] :
         {std::pair{"compare.export-video", "both.mp4"}, std::pair{"compare.export-report", "report.html"}}) {
        studio.window().actions().at(QLatin1String(action))->trigger();
        QVERIFY(studio.answer_file_dialog(home.file(name)));
        auto* exporting = studio.window().findChild<ComparisonExport*>();
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(home.file(name)) && !exporting->running(), 120000);
    }
    QTest::qWait(100);
    studio.picture("what-changed-4-exported");
    studio.key(Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(studio.window().layouts().current(), Layout::create);
}

/// Two runs layer by layer: traced from the window, the place where they part, the tensors there; two sizes, two
/// themes.
void StoriesTest::where_do_they_part() {
    const app::Home home;
    StudioFixture studio;
    compare_two(studio);
    if (QTest::currentTestFailed()) return;
    auto* divergence = studio.find<DivergenceView>("step-divergence");
    QTRY_VERIFY_WITH_TIMEOUT(divergence->isVisible() && divergence->accessibleDescription().contains("relative"),
                             10000);
    studio.key(Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    auto* panel = studio.find<LayersPanel>("layers");
    QVERIFY(panel->isVisible());
    studio.picture("where-1-empty");
    studio.find<QComboBox>("trace-layers")->setEditText("transformer/* sampler/*");
    studio.click(studio.find<QPushButton>("trace-both"));
    QTRY_VERIFY_WITH_TIMEOUT(panel->map().isVisible(), 60000);
    QVERIFY(panel->map().currentIndex().isValid());
    const QString found = studio.find<QLabel>("layer-name")->text();
    QVERIFY2(!found.isEmpty(), qPrintable(found));
    auto* histograms = studio.find<HistogramView>("layer-histograms");
    QTRY_VERIFY_WITH_TIMEOUT(histograms->shown(), 30000);
    studio.picture("where-2-map");
    // Another cell, by hand: other numbers.
    auto* component = studio.find<QComboBox>("layers-component");
    component->setCurrentIndex(component->findData("transformer"));
    studio.find<QToolButton>("layers-blocks")->setChecked(true);
    panel->map().set_zoom(2);
    const QModelIndex cell = panel->map().model()->index(1, 1);
    panel->map().scrollTo(cell);
    studio.click(panel->map().viewport(), panel->map().visualRect(cell).center());
    QCOMPARE(panel->map().currentIndex(), cell);
    QVERIFY(studio.find<QLabel>("layer-name")->text() != found);
    QTRY_VERIFY_WITH_TIMEOUT(histograms->shown(), 30000);
    studio.picture("where-3-blocks");
    studio.click(divergence, {divergence->width() - 12, divergence->height() / 2});
    const int last = app::RunHistory::record(studio.window().shown_run()).total_steps;
    QCOMPARE(studio.find<StepStrip>("run-steps")->step(), last);
    QCOMPARE(studio.find<StepStrip>("run-steps-b")->step(), last);
    studio.theme().set_scheme(Scheme::light);
    studio.picture("where-4-light");
    studio.window().resize(2560, 1440);
    QTest::qWait(200);
    studio.picture("where-5-light-large");
    studio.theme().set_scheme(Scheme::dark);
    studio.picture("where-6-dark-large");
}

/// Esc, branch from step 3 with another guidance; the first three steps are not computed again.
void StoriesTest::stop_early() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model(200);
    app::Arrivals steps(&studio.core().worker, &app::EngineWorker::step_done);
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(steps.count() >= 6, 30000);
    const auto& history = studio.core().history;
    QTRY_COMPARE_WITH_TIMEOUT(history.index(0).data(Role::StateRole).toString(), QStringLiteral("running"), 30000);
    QTRY_VERIFY_WITH_TIMEOUT(history.index(0).data(Role::StepsDoneRole).toInt() >= 2, 30000);
    studio.key(Qt::Key_Escape);
    QVERIFY(studio.idle());
    const auto& queue = studio.core().queue;
    QCOMPARE(QueueState(queue.index(queue.rowCount() - 1).data(app::RunQueue::StateRole).toInt()),
             QueueState::cancelled);
    const QString parent = queue.index(queue.rowCount() - 1).data(app::RunQueue::RunRole).toString();
    studio.picture("stop-early-1-stopped");
    const int done = int(app::RunHistory::record(parent).steps.size()) - 1;
    QVERIFY(done >= 6 && done < 200);

    auto* strip = studio.find<StepStrip>("live-steps");
    QVERIFY(strip->isVisible());
    strip->set_step(3);
    studio.picture("stop-early-2-step-3");
    studio.click(&studio.window().preview().canvas());
    studio.key(Qt::Key_B);
    QTRY_VERIFY_WITH_TIMEOUT(studio.core().document.asked().start.has_value(), 20000);
    QCOMPARE(studio.core().document.asked().start->step, 3);
    // Another guidance, typed.
    auto* guidance = studio.find<QDoubleSpinBox>("guidance");
    studio.click(guidance->findChild<QLineEdit*>());
    studio.key(Qt::Key_A, Qt::ControlModifier);
    studio.type("2");
    studio.key(Qt::Key_Tab);
    QVERIFY(studio.core().document.wait_resolved(20000));
    QCOMPARE(studio.core().document.value("guidance").toDouble(), 2.0);
    steps.clear();
    app::Arrivals created(&studio.core().worker, &app::EngineWorker::run_created);
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(steps.count() >= 2, 30000);
    studio.key(Qt::Key_Escape);
    QVERIFY(studio.idle());
    // The branch began after step 3 and has the parent's first steps, byte for byte.
    QCOMPARE(created.first()[3].toInt(), 3);
    const auto branch = app::RunHistory::record(created.first()[1].toString()), from = app::RunHistory::record(parent);
    QCOMPARE(branch.request.guidance, std::optional<double>(2.0));
    for (int step = 0; step <= 3; ++step)
        if (branch.find(step)) QCOMPARE(branch.find(step)->sha256, from.find(step)->sha256);
    QVERIFY(branch.find(4)->sha256 != from.find(4)->sha256);
}

/// Three shots by the mouse: put in order, trimmed, split, removed, undone; played through; exported through the
/// dialog.
void StoriesTest::a_cut_of_three() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model();
    studio.find<QSpinBox>("copies")->setValue(3);
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(studio.idle());
    auto& project = studio.core().project;
    auto* list = studio.find<RunsView>("runs");
    QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 3, 30000);
    for (int row = 2; row >= 0; --row) {
        studio.click(list->viewport(), studio.row_point(list, row));
        studio.key(Qt::Key_T);
    }
    const int each = StudioFixture::frames(), all = 3 * each;
    QCOMPARE(project.shots().size(), std::size_t(3));
    QCOMPARE(project.frames(), all);
    auto* timeline = studio.find<TimelineView>("timeline");
    QWidget* track = timeline->viewport();
    QTest::qWait(300); // thumbnails
    studio.picture("cut-1-three-shots");

    const QString first = project.shot(0).current().run;
    studio.drag(track, timeline->shot_rect(0).center(), timeline->shot_rect(2).center() + QPoint(8, 0));
    QCOMPARE(project.shot(2).current().run, first);
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(project.shot(0).current().run, first);
    // An edge: two frames less, in one step of undo.
    const QRect shot = timeline->shot_rect(0);
    const QPoint edge(shot.right() - 2, shot.center().y());
    const double frame_width = double(shot.width() + 2) / each;
    studio.drag(track, edge, edge - QPoint(int(std::lround(2 * frame_width)), 0));
    QCOMPARE(project.shot(0).frames(), each - 2);
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(project.frames(), all);
    // The ruler moves the playhead; split there, remove, undo.
    studio.click(track, {timeline->shot_rect(0).left() + int(std::lround(2 * frame_width)), 10});
    QCOMPARE(timeline->playhead(), 2);
    studio.key(Qt::Key_S);
    QCOMPARE(project.shots().size(), std::size_t(4));
    QCOMPARE(project.frames(), all);
    studio.click(track, timeline->shot_rect(0).center());
    studio.key(Qt::Key_X);
    QCOMPARE(project.shots().size(), std::size_t(3));
    QCOMPARE(project.frames(), all - 2);
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(project.frames(), all);
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(project.shots().size(), std::size_t(3));
    QSignalSpy head(timeline, &TimelineView::playhead_moved);
    studio.key(Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(head.count() >= 2, 30000);
    studio.key(Qt::Key_Space);
    studio.picture("cut-2-played");

    // An export that is stopped leaves nothing.
    auto& exporter = studio.core().exporter;
    app::Arrivals decoding(&exporter, &app::CutExporter::decoding), cancelled(&exporter, &app::CutExporter::cancelled),
        finished(&exporter, &app::CutExporter::finished);
    const auto* stage = studio.find<QLabel>("status-stage");
    studio.key(Qt::Key_E, Qt::ControlModifier);
    QVERIFY(studio.answer_file_dialog(home.file("stopped.mp4")));
    QTRY_VERIFY_WITH_TIMEOUT(decoding.count() > 0, 30000);
    QVERIFY2(stage->text().contains("exporting"), qPrintable(stage->text()));
    studio.snapshot("cut-3-exporting");
    studio.window().activateWindow();
    studio.key(Qt::Key_Escape);
    QTRY_COMPARE_WITH_TIMEOUT(cancelled.count() + finished.count(), 1, 30000);
    QCOMPARE(cancelled.count(), 1);
    QVERIFY(!QFile::exists(home.file("stopped.mp4")));
    // The whole of it: the frames are those of the latents.
    const QString out = home.file("cut.mkv");
    studio.key(Qt::Key_E, Qt::ControlModifier);
    QVERIFY(studio.answer_file_dialog(out));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 120000);
    std::vector<Image> expected;
    for (const app::Shot& each_shot : project.shots())
        for (Image& frame : app::frames_in_turn(app::exact_clip(each_shot.current().run, {}, [](double, double) {})))
            expected.push_back(std::move(frame));
    QVERIFY(app::frames_in_turn(out) == expected);
    QVERIFY(studio.press("Show it"));
    QTRY_VERIFY_WITH_TIMEOUT(studio.window().preview().info(app::Side::a) &&
                                 studio.window().preview().info(app::Side::a)->frames == all,
                             10000);
    studio.picture("cut-4-exported");
}

/// The field that a control is in.
static Field* field_of(QWidget* control) {
    while (control && !qobject_cast<Field*>(control)) control = control->parentWidget();
    return qobject_cast<Field*>(control);
}

/// A clip longer than those that the model was made for: made in windows, of which the fields tell and decide.
void StoriesTest::in_windows() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model(2);
    auto& document = studio.core().document;
    auto* frames = studio.find<NumberEdit>("frames");
    const auto type_into = [&](QWidget* edit, const QString& text) {
        edit->setFocus(Qt::TabFocusReason); // scrolls there
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
    type_into(base, "12"); // snaps to 13, of which 17 cannot be given
    QCOMPARE(base->value(), 13.0);
    QVERIFY(field_of(overlap)->has_error() && !field_of(base)->has_error() && !document.resolved());
    type_into(overlap, "5");
    QVERIFY(!field_of(overlap)->has_error());
    QVERIFY2(hint().contains("3") && hint().contains("13"), qPrintable(hint()));
    studio.picture("in-windows-2-chosen");
    app::Arrivals steps(&studio.core().worker, &app::EngineWorker::step_done);
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    // While the second window is made, the strip shows the first frame that it makes.
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
    // Back to what is usual, each by its button.
    QTest::mouseClick(field_of(base)->findChild<QToolButton*>(QStringLiteral("reset")), Qt::LeftButton);
    QTest::mouseClick(field_of(overlap)->findChild<QToolButton*>(QStringLiteral("reset")), Qt::LeftButton);
    QVERIFY(document.wait_resolved(20000));
    QVERIFY(!document.asked().forcing);
}

/// TeaCache from its field: off, a threshold, a run that reuses, off again.
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
    QTest::qWait(50); // until what has opened has its place
    for (QWidget* above = cache; above; above = above->parentWidget())
        if (auto* page = qobject_cast<QScrollArea*>(above)) page->ensureWidgetVisible(cache);
    studio.click(cache);
    studio.key(Qt::Key_A, Qt::ControlModifier);
    studio.type(QStringLiteral("10"));
    studio.key(Qt::Key_Tab);
    QVERIFY(document.wait_resolved(20000));
    QCOMPARE(document.asked().cache->threshold, 10.0);
    QVERIFY(!field_of(cache)->has_error() && document.estimate().flop < whole);
    studio.picture("cache-1-chosen");
    app::Arrivals ends(&studio.core().worker, &app::EngineWorker::finished);
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(ends.count() >= 1, 60000);
    QVERIFY(studio.idle());
    studio.click(field_of(cache)->findChild<QToolButton*>(QStringLiteral("reset")));
    QVERIFY(document.wait_resolved(20000));
    QVERIFY(!document.asked().cache && cache->text() == QStringLiteral("off"));
}

/// A shot goes on with its last pictures, a part of it is made again, and all of it: by keys, and undone.
void StoriesTest::longer() {
    const app::Home home;
    StudioFixture studio;
    studio.use_model();
    studio.core().document.set_value(QStringLiteral("frames"), 13);
    QVERIFY(studio.core().document.wait_resolved(20000));
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(studio.idle());
    auto& project = studio.core().project;
    auto* list = studio.find<RunsView>("runs");
    QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 1, 30000);
    studio.click(list->viewport(), studio.row_point(list, 0));
    studio.key(Qt::Key_T);
    QTRY_COMPARE_WITH_TIMEOUT(project.count(), 1, 30000);
    auto* timeline = studio.find<TimelineView>("timeline");
    studio.click(timeline->viewport(), timeline->shot_rect(0).center());
    studio.key(Qt::Key_E);
    QTRY_VERIFY_WITH_TIMEOUT(studio.window().banners().texts().join('\n').contains("continues"), 20000);
    QVERIFY(studio.core().document.wait_resolved(20000));
    studio.picture("longer-1-extend");
    // It may begin anew instead, which is undone by one step.
    auto* after_field = studio.find<Field>("goes-on-after");
    QVERIFY(after_field->isVisible());
    QTest::mouseClick(after_field->findChild<QToolButton*>("begin-anew"), Qt::LeftButton);
    QVERIFY(!after_field->isVisible() && !studio.core().document.asked().forcing);
    QVERIFY(!studio.window().banners().texts().join('\n').contains("continues"));
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(after_field->isVisible());
    QVERIFY(studio.core().document.set_value("forcing.video", "/missing.mp4").isEmpty());
    QVERIFY(studio.core().document.wait_resolved(20000));
    QVERIFY(!studio.core().document.resolved() && after_field->has_error());
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    studio.click(timeline->viewport(), timeline->shot_rect(0).center());
    studio.key(Qt::Key_E);
    QTRY_VERIFY_WITH_TIMEOUT(studio.window().banners().texts().join('\n').contains("continues"), 20000);
    QVERIFY(studio.core().document.wait_resolved(20000));
    studio.key(Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(studio.idle());
    QTRY_COMPARE_WITH_TIMEOUT(project.count(), 2, 30000);
    const auto forcing = app::RunHistory::record(project.shot(1).current().run).request.forcing;
    QCOMPARE(app::to_qstring(forcing->video), project.shot(0).current().video);
    const int given = forcing->overlap;
    QCOMPARE(project.shot(1).in, given); // what it goes on after is not shown again
    // The new clip begins with the shot's last pictures, as far as one latent frame by itself can hold them.
    const auto before = app::frames_in_turn(project.shot(0).current().video),
               after = app::frames_in_turn(project.shot(1).current().video);
    const auto apart = [](const Image& a, const Image& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.rgb.size(); ++i) sum += std::abs(a.rgb[i] - b.rgb[i]);
        return sum / double(a.rgb.size());
    };
    const std::size_t seam = std::size_t(given);
    QVERIFY2(apart(before.back(), after[seam - 1]) < 16,
             qPrintable(QString::number(apart(before.back(), after[seam - 1]))));
    QVERIFY(apart(before.back(), after[seam - 1]) < apart(before.front(), after[seam - 1]));

    // A part of the first shot, between what comes before and after it.
    QVERIFY(project.split(0, 5) && project.split(1, 7));
    studio.click(timeline->viewport(), timeline->shot_rect(1).center());
    studio.key(Qt::Key_R);
    QVERIFY(studio.idle());
    QTRY_COMPARE_WITH_TIMEOUT(project.shot(1).takes.size(), std::size_t(2), 30000);
    const app::Shot& part = project.shot(1);
    QCOMPARE(part.frames(), 2);
    QCOMPARE(part.in, 5); // frames of the take before, which it begins with
    const Request again = app::RunHistory::record(part.current().run).request;
    QCOMPARE(*again.frames, 9);
    QCOMPARE(*again.forcing->video_frames, 5);
    studio.picture("longer-2-part-retaken");
    for (int i = 0; i < 3; ++i) studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(project.count(), 2);

    studio.click(timeline->viewport(), timeline->shot_rect(0).center());
    studio.key(Qt::Key_R);
    QVERIFY(studio.idle());
    QTRY_COMPARE_WITH_TIMEOUT(project.shot(0).takes.size(), std::size_t(2), 30000);
    QCOMPARE(project.shot(0).take, 1);
    QVERIFY(project.shot(0).takes[0].run != project.shot(0).takes[1].run);
    studio.picture("longer-3-retaken");
    studio.key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(project.shot(0).takes.size(), std::size_t(1));
}

/// Killed in mid-run; started again: prompt, queue, cut are there, the run at its last step: resume.
void StoriesTest::after_the_crash() {
    const app::Home home;
    QProcess child;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("DENOIR_STORY_CHILD", "1");
    child.setProcessEnvironment(environment);
    child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    child.start(QCoreApplication::applicationFilePath(), QStringList());
    QVERIFY(child.waitForStarted());
    QByteArray said;
    QVERIFY(QTest::qWaitFor([&] { return (said += child.readAllStandardOutput()).contains("at step"); }, 60000));
    ::kill(pid_t(child.processId()), SIGKILL);
    // Its engine's threads have the lowest priority, and each must run once more to end.
    QVERIFY(child.waitForFinished(120000) || child.state() == QProcess::NotRunning);

    StudioFixture studio;
    QCOMPARE(studio.find<QPlainTextEdit>("prompt")->toPlainText(), QStringLiteral("A boat that is cut short."));
    QCOMPARE(studio.core().queue.interrupted().size(), 1);
    QCOMPARE(studio.core().queue.rowCount(), 2); // the one that waited goes on by itself
    const QStringList said_now = studio.window().banners().texts();
    QVERIFY2(said_now.join('\n').contains("interrupted"), qPrintable(said_now.join('\n')));
    studio.picture("after-the-crash-1-offered");
    QVERIFY(studio.press("Resume"));
    QVERIFY(studio.idle());
    auto& history = studio.core().history;
    QTRY_COMPARE_WITH_TIMEOUT(history.rowCount(), 2, 30000);
    for (int row = 0; row < 2; ++row)
        QTRY_COMPARE_WITH_TIMEOUT(history.index(row).data(Role::StateRole).toString(), QStringLiteral("done"), 30000);
    studio.picture("after-the-crash-2-resumed");
}

/// The life that ends in the middle: two runs in line, the first at work.
static int child_life() {
    StudioFixture studio;
    studio.use_model(second_life);
    studio.core().document.set_value(QStringLiteral("prompt"), QStringLiteral("A boat that is cut short."));
    studio.core().document.wait_resolved(20000);
    QTest::qWait(700); // what is being written is remembered after half a second
    QObject::connect(&studio.core().worker, &app::EngineWorker::step_done, qApp,
                     [&studio, said = false](app::JobId, const app::StepUpdate& update) mutable {
                         // Not before the second run is in line as well, and remembered.
                         if (said || update.step < 4 || studio.core().queue.rowCount() < 2) return;
                         said = studio.core().queue.flush();
                         std::printf("at step %d\n", update.step);
                         std::fflush(stdout);
                     });
    // Without the event loop between them: a slow machine would end the first before the second is asked for.
    auto* generate = studio.find<QAction>("run.generate");
    generate->trigger();
    generate->trigger();
    return QApplication::exec();
}

/// A 14B model on this machine says what will be streamed, how long it will take and what would fit; a request that is
/// far too large says so before it is started.
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

    // Its folder is opened, the model is picked from the list by the keyboard.
    const QString large_model = QStringLiteral(DENOIR_HOLLOW_MODEL);
    studio.window().open_path(large_model);
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
    QVERIFY(document.estimate().weight_bytes > std::size_t(26) << 30); // 14 billion parameters of two bytes
    QTRY_VERIFY_WITH_TIMEOUT(forecast().seconds > 60, 30000);
    // A machine where it fits gets a longer clip, until it does not.
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

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("DENOIR_RESOURCES")) qputenv("DENOIR_RESOURCES", DENOIR_BUNDLED);
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs); // the stories answer Qt's own
    QApplication program(argc, argv);
    QLocale::setDefault(QLocale::c());
    const Translation words(program);
    if (qEnvironmentVariableIsSet("DENOIR_STORY_CHILD")) return child_life();
    StoriesTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "stories_test.moc"
