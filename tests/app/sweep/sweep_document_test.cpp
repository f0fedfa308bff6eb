// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/sweep_document.h"

#include <QTest>
#include <algorithm>

#include "app/base/text.h"
#include "app/project/project.h"
#include "app/request/estimator.h"
#include "app/runs/run_history.h"
#include "engine/core/own_folders.h"
#include "engine/pipeline/pipeline.h"
#include "engine/weights/model_folder.h"
#include "tests/app/sweep/sweep_fixture.h"

using namespace denoir;
using namespace denoir::app;

class SweepDocumentTest : public QObject, private SweepFixture {
    Q_OBJECT
private slots:
    void init() { begin(); }
    void cleanup() { end(); }
    void cells_are_filled_in();
    void a_thousand_clips_are_looked_at_soon();
    void runs_that_were_there_fill_the_grid_at_once();
    void equal_requests_are_rendered_once();
    void finished_runs_serve_again();
    void a_prompt_of_an_axis_has_no_template();
    void the_model_is_loaded_once();
    void one_that_is_planned_can_be_stopped();
    void another_reference_is_measured();
    void what_is_forgotten_is_measured_no_more();
    void a_cell_is_measured_of_its_own_run();
    void without_the_model_the_videos_are_measured();
    void what_a_plan_warns_of_is_told();
    void values_go_into_the_request();
    void earlier_sweeps_are_listed_and_opened();
    void titles_of_earlier_sweeps_are_read_as_they_were_meant();
    void another_sweep_is_told_before_its_cells();
    void one_sweep_by_another_name_is_the_same();
};

void SweepDocumentTest::cells_are_filled_in() {
    prepare();
    sweeps().set_watching(true);
    QTRY_VERIFY_WITH_TIMEOUT(!sweeps().outlook().pending, 20000);
    QCOMPARE(sweeps().outlook().clips, 4U);
    QCOMPARE(sweeps().outlook().to_render, 4U);
    start();
    QCOMPARE(queue().rowCount(), 4);
    QCOMPARE(sweeps().shown()->size(), 4U);
    // In each column the clip with most steps comes first, because the others are measured against it.
    QCOMPARE(queue().index(0).data(RunQueue::TagRole).toString().section('|', 2), QString("2"));
    finish();
    for (std::size_t i = 0; i < 4; ++i) {
        const SweepCell& cell = sweeps().shown()->cell(i);
        QVERIFY(cell.seconds > 0 && !cell.reused);
        const Request r = RunHistory::record(to_qstring(cell.run)).request;
        QCOMPARE(*r.steps, i < 2 ? 2 : 3);
        QCOMPARE(*r.guidance, i % 2 == 0 ? 1.0 : 3.0);
        QCOMPARE(cell.figures.has_value(), i < 2);
        if (i < 2) QVERIFY(cell.figures->psnr && *cell.figures->psnr > 5 && cell.figures->reference == i + 2);
    }
    QVERIFY(sweeps().flush());
    const auto stored = SweepFolder::open(to_path(sweeps().shown()->path())).record();
    QCOMPARE(stored.cells[1].figures->psnr.value(), sweeps().shown()->cell(1).figures->psnr.value());
    QCOMPARE(sweeps().progress().done, 4);
    // Now the clips are there.
    QTRY_VERIFY_WITH_TIMEOUT(!sweeps().outlook().pending && sweeps().outlook().there == 4, 20000);
    QCOMPARE(sweeps().outlook().to_render, 0U);
}

/// The headers of the model are read once for all cells that differ only in seed, prompt or shift.
void SweepDocumentTest::a_thousand_clips_are_looked_at_soon() {
    prepare({{"seed", "1..200"}, {"shift", "1..5"}});
    QElapsedTimer clock;
    clock.start();
    sweeps().set_watching(true);
    QTRY_VERIFY_WITH_TIMEOUT(!sweeps().outlook().pending && sweeps().outlook().clips == 1000, 20000);
    QCOMPARE(sweeps().outlook().to_render, 1000U);
    qInfo("looked at after %lld ms", clock.elapsed());
    queue().set_paused(true);
    start();
    QCOMPARE(queue().rowCount(), 1000);
    QCOMPARE(sweeps().progress().open, 1000);
    sweeps().clear_waiting();
    QCOMPARE(sweeps().progress().missing, 1000);
}

/// Every change writes the record and is seen by every view. Done one by one, a thousand changes took 20 s.
void SweepDocumentTest::runs_that_were_there_fill_the_grid_at_once() {
    Sweep sweep;
    sweep.request = tiny_request();
    sweep.axes = {parse_axis("seed", "1..200"), parse_axis("shift", "1..5")};
    sweep.reference = usual_reference(sweep.axes);
    OpenSweep open(SweepFolder::create(to_path(home_->file("sweep")), sweep));
    std::vector<OpenSweep::Done> found;
    for (std::size_t i = 0; i < open.size(); i += 2)
        found.push_back({{i, i + 1}, home_->file(QStringLiteral("run-%1").arg(i)), 2, false});
    Arrivals changed(&open, &OpenSweep::cells_changed);
    open.set_done(found);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed[0][0].value<std::vector<std::size_t>>().size(), std::size_t(1000));
    QCOMPARE(open.cell(999).run, to_path(home_->file("run-998")));
    QVERIFY(!open.cell(998).reused && open.cell(999).reused);
}

void SweepDocumentTest::equal_requests_are_rendered_once() {
    start_with_equal_requests();
    QCOMPARE(queue().rowCount(), 2);
    finish();
    const auto* sweep = sweeps().shown();
    QCOMPARE(sweep->cell(0).run, sweep->cell(2).run);
    QVERIFY(sweep->cell(0).reused != sweep->cell(2).reused);
}

void SweepDocumentTest::finished_runs_serve_again() {
    prepare();
    queue().add(studio_->document.snapshot());
    QTRY_VERIFY_WITH_TIMEOUT(!studio_->history.newest_done().isEmpty(), 30000);
    const QString before = studio_->history.newest_done();
    const double guidance = studio_->document.value("guidance").toDouble();
    sweeps().axes().set_all({{"steps", "2, 3"}, {"guidance", QString::number(guidance)}}, "axes");
    start();
    QCOMPARE(queue().rowCount(), 2); // the run that was there and one more
    QCOMPARE(sweeps().cell(1).state, CellState::done);
    QVERIFY(sweeps().shown()->cell(1).reused);
    QCOMPARE(to_qstring(sweeps().shown()->cell(1).run), before);
    finish();
}

/// The path may end in a slash, as a shell completes it, or lead through a link.
void SweepDocumentTest::one_sweep_by_another_name_is_the_same() {
    prepare({{"steps", "2"}});
    queue().set_paused(true);
    start();
    const OpenSweep* const shown = sweeps().shown();
    const QString link = home_->file("link");
    QVERIFY(QFile::link(QFileInfo(shown->path()).path(), link));
    Arrivals another(&sweeps(), &SweepDocument::shown_changed), earlier(&sweeps(), &SweepDocument::earlier_changed);
    QTRY_VERIFY_WITH_TIMEOUT(!sweeps().earlier().isEmpty(), 20000);
    for (const QString& name : {shown->path() + '/', link + '/' + QFileInfo(shown->path()).fileName()})
        sweeps().open(name);
    earlier.clear();
    sweeps().list_earlier(); // is listed after these
    QTRY_VERIFY_WITH_TIMEOUT(!earlier.isEmpty(), 20000);
    QCOMPARE(another.count(), 0);
    QCOMPARE(sweeps().shown(), shown);
}

/// The template of the request's prompt has nothing to do with a cell whose prompt comes from an axis.
void SweepDocumentTest::a_prompt_of_an_axis_has_no_template() {
    prepare({{"prompt", "A fox. | A boat."}});
    studio_->document.set_value("prompt", "A {red|blue} balloon.");
    QVERIFY(studio_->document.wait_resolved(20000));
    queue().set_paused(true);
    start();
    queue().add(studio_->document.snapshot());
    QStringList templates;
    for (int row = 0; row < queue().rowCount(); ++row)
        templates << queue().snapshot(queue().index(row).data(RunQueue::IdRole).toULongLong())->prompt_template;
    QCOMPARE(templates, (QStringList{{}, {}, "A {red|blue} balloon."}));
}

/// The model is loaded and the prompt encoded only once for all cells, and the forecast must say so.
void SweepDocumentTest::the_model_is_loaded_once() {
    prepare({{"steps", "2"}});
    const ModelFolder model = ModelFolder::open(DENOIR_TINY_MODEL);
    RunRecord record;
    record.request = Pipeline::resolve(tiny_request(), model);
    record.total_steps = *record.request.steps;
    record.stages = {{"load_text", 4}, {"text", 2}, {"load_transformer", 3}, {"denoise", 6}, {"decode", 1}};
    studio_->estimator.learn(record, Pipeline::estimate(record.request, model));
    sweeps().set_watching(true);
    const auto seconds = [&](const QString& steps) {
        sweeps().axes().set_all({{"steps", steps}}, "axes");
        const bool looked = QTest::qWaitFor([&] { return !sweeps().outlook().pending; }, 20000);
        return looked ? sweeps().outlook().seconds : -1;
    };
    const double four = seconds("4"), five = seconds("5"), both = seconds("4, 5");
    QVERIFY(four > 0 && five > 0);
    QVERIFY2(std::abs(four + five - both - 9) < 1e-6,
             qPrintable(QStringLiteral("%1 %2 %3").arg(four).arg(five).arg(both)));
}

/// At whatever moment it is stopped, nothing is left of it and the next one can begin.
void SweepDocumentTest::one_that_is_planned_can_be_stopped() {
    prepare();
    queue().set_paused(true);
    Arrivals begun(&sweeps(), &SweepDocument::started), refused(&sweeps(), &SweepDocument::failed);
    const auto made = [&] { return QDir(home_->data("sweeps")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(); };
    QVERIFY(!sweeps().stop_starting());
    for (const bool late : {false, true}) {
        sweeps().start();
        QVERIFY(sweeps().starting());
        // The folder is there, but the window was not told yet.
        for (int i = 0; late && made() == 0 && i < 20000; ++i) QThread::msleep(1);
        QVERIFY(!late || made() > 0);
        QVERIFY(sweeps().stop_starting() && !sweeps().starting());
        QTest::qWait(100);
        QTRY_COMPARE_WITH_TIMEOUT(made(), qsizetype(0), 10000);
        QVERIFY(begun.isEmpty() && refused.isEmpty() && !sweeps().shown());
        QCOMPARE(queue().rowCount(), 0);
    }
    start();
    QCOMPARE(queue().rowCount(), 4);
}

void SweepDocumentTest::another_reference_is_measured() {
    prepare();
    start();
    finish();
    sweeps().set_reference({std::nullopt, 0});
    QVERIFY(!sweeps().shown()->cell(1).figures);
    finish();
    QCOMPARE(sweeps().shown()->cell(1).figures->reference, 0U);
    QCOMPARE(sweeps().shown()->cell(3).figures->reference, 2U);
    QVERIFY(!sweeps().shown()->cell(0).figures && !sweeps().shown()->cell(2).figures);
    start(); // the choice also holds for the next sweep
    QCOMPARE(sweeps().shown()->sweep().reference, (std::vector<std::optional<std::size_t>>{std::nullopt, 0}));
    finish();
    sweeps().set_reference({std::nullopt, std::nullopt});
    for (std::size_t i = 0; i < 4; ++i) QVERIFY(!sweeps().shown()->cell(i).figures);
}

/// Each decoded clip leaves a file in the cache, by which the test sees what was measured.
void SweepDocumentTest::what_is_forgotten_is_measured_no_more() {
    constexpr std::size_t columns = 6;
    prepare({{"guidance", "1..6"}, {"steps", "2, 3"}});
    start();
    finish();
    const OpenSweep& shown = *sweeps().shown();
    QCOMPARE(shown.size(), 2 * columns);
    // Makes a copy of the sweep that is shown, with the runs from that cell on.
    const auto copy = [&](const char* name, std::size_t from) {
        OpenSweep sweep(SweepFolder::create(to_path(home_->file(QLatin1String(name))), shown.sweep()));
        std::vector<OpenSweep::Done> done;
        for (std::size_t i = from; i < shown.size(); ++i) done.push_back({{i}, to_qstring(shown.cell(i).run), 1, true});
        sweep.set_done(done);
        [&] { QVERIFY(sweep.flush()); }();
        return sweep.path();
    };
    const OpenSweep all(SweepFolder::open(to_path(copy("all", 0)))),
        last(SweepFolder::open(to_path(copy("last", shown.size() - 2))));
    const std::filesystem::path decoded = cache_folder() / "decoded";
    std::filesystem::remove_all(decoded);
    const auto clips = [&] {
        std::error_code code; // before the first clip there is no folder
        return std::count_if(std::filesystem::directory_iterator(decoded, code), {},
                             [](const auto& file) { return file.path().extension() == ".mkv"; });
    };
    SweepMeasurer measurer;
    Arrivals measured(&measurer, &SweepMeasurer::measured);
    measurer.measure(all);
    QVERIFY(measurer.open(all.path()) > 0);
    measurer.forget(all.path());
    const std::ptrdiff_t by_then = clips(); // none, unless the machine stood still in between
    QCOMPARE(measurer.open(all.path()), 0);
    measurer.measure(last);
    QTRY_COMPARE_WITH_TIMEOUT(measurer.open(last.path()), 0, 60000);
    for (const QVariantList& one : measured) QCOMPARE(one[0].toString(), last.path());
    QVERIFY(!measured.isEmpty());
    // Two clips of the last sweep, and perhaps the one that was nearly decoded when its sweep was forgotten.
    QVERIFY2(clips() >= 2 && clips() <= by_then + 1 + 2, qPrintable(QString::number(clips())));
}

/// A cell is measured with its newest run, not with the one it had when it was queued, and only once.
void SweepDocumentTest::a_cell_is_measured_of_its_own_run() {
    prepare();
    start();
    finish();
    const OpenSweep& shown = *sweeps().shown();
    const std::size_t reference = *shown.sweep().reference_of(0);
    OpenSweep sweep(SweepFolder::create(to_path(home_->file("copy")), shown.sweep()));
    const auto run_of = [&](std::size_t cell) { return to_qstring(shown.cell(cell).run); };
    sweep.set_done({{{0}, run_of(0), 1, false}, {{reference}, run_of(reference), 1, false}});
    SweepMeasurer measurer;
    Arrivals measured(&measurer, &SweepMeasurer::measured);
    measurer.measure(sweep);
    measurer.measure(sweep);
    sweep.set_done({{{0}, run_of(reference), 1, false}}); // the cell was rendered again
    measurer.measure(sweep);
    QTRY_COMPARE_WITH_TIMEOUT(measurer.open(sweep.path()), 0, 60000);
    QCOMPARE(measured.count(), 1);
    QCOMPARE(measured[0][1].toULongLong(), 0U);
    QVERIFY(measured[0][2].value<SweepCell::Figures>().ssim == 1.0); // measured against itself
}

void SweepDocumentTest::without_the_model_the_videos_are_measured() {
    prepare();
    const std::filesystem::path model = to_path(home_->file("model"));
    std::filesystem::copy(DENOIR_TINY_MODEL, model, std::filesystem::copy_options::recursive);
    studio_->document.set_value("model", to_qstring(model));
    QVERIFY(studio_->document.wait_resolved(20000));
    start();
    finish();
    QVERIFY(sweeps().shown()->cell(0).figures->note.empty());
    std::filesystem::remove_all(model);
    std::filesystem::remove_all(cache_folder() / "decoded");
    sweeps().set_reference({std::nullopt, 0});
    finish();
    const auto& figures = *sweeps().shown()->cell(1).figures;
    QCOMPARE(to_qstring(figures.note), QString("of the videos: the latents could not be decoded"));
    QVERIFY(figures.measured() && figures.psnr && *figures.psnr > 5);
}

void SweepDocumentTest::what_a_plan_warns_of_is_told() {
    const std::filesystem::path model = to_path(home_->file("model"));
    std::filesystem::copy(DENOIR_TINY_MODEL, model, std::filesystem::copy_options::recursive);
    std::filesystem::copy(model / "Wan2.1_VAE.safetensors", model / "second_vae.safetensors");
    prepare();
    Request request = tiny_request();
    request.model = model;
    studio_->document.load(request);
    sweeps().set_watching(true);
    QTRY_VERIFY_WITH_TIMEOUT(!sweeps().outlook().pending && sweeps().outlook().clips == 4, 20000);
    const QStringList said = sweeps().outlook().warnings;
    QCOMPARE(said.size(), 1);
    QVERIFY2(said[0].startsWith("2 files hold a VAE"), qPrintable(said[0]));
    studio_->document.load(tiny_request());
    QTRY_VERIFY_WITH_TIMEOUT(!sweeps().outlook().pending && sweeps().outlook().warnings.isEmpty(), 20000);
}

void SweepDocumentTest::values_go_into_the_request() {
    prepare();
    studio_->document.set_seed_locked(false);
    start();
    const auto seed = sweeps().shown()->sweep().request.seed;
    studio_->document.set_value("prompt", "Another prompt.");
    const Request before = studio_->document.asked();
    sweeps().take_values(1, false);
    const Request& now = studio_->document.asked();
    QCOMPARE(*now.steps, 2);
    QCOMPARE(*now.guidance, 3.0);
    QCOMPARE(now.seed, seed);
    QCOMPARE(now.prompt, std::string("Another prompt."));
    studio_->project.undo().undo();
    QCOMPARE(to_json(studio_->document.asked()).dump(), to_json(before).dump());
    sweeps().take_values(1, true);
    QCOMPARE(studio_->document.asked().prompt, tiny_request().prompt);
    finish();
}

/// To be typed again, such values are written as JSON, which nobody wants to read in a menu.
void SweepDocumentTest::titles_of_earlier_sweeps_are_read_as_they_were_meant() {
    prepare({{"prompt", R"(["a \"red\" ball | sea", "a boat"])"}, {"steps", "2"}});
    start();
    finish();
    sweeps().list_earlier();
    QTRY_COMPARE_WITH_TIMEOUT(sweeps().earlier().size(), 1, 10000);
    QCOMPARE(sweeps().earlier()[0].title, QStringLiteral("prompt a \"red\" ball | sea, a boat · steps 2"));
}

void SweepDocumentTest::earlier_sweeps_are_listed_and_opened() {
    prepare();
    start();
    const QString first = sweeps().shown()->path();
    finish();
    sweeps().axes().set_all({{"shift", "3, 5"}}, "axes");
    start();
    const QString second = sweeps().shown()->path();
    QVERIFY(first != second);
    finish();
    sweeps().list_earlier();
    QTRY_COMPARE_WITH_TIMEOUT(sweeps().earlier().size(), 2, 10000);
    QCOMPARE(sweeps().earlier()[0].path, second);
    QCOMPARE(sweeps().earlier()[1].total, 4);
    sweeps().open(first);
    QTRY_COMPARE_WITH_TIMEOUT(sweeps().shown()->path(), first, 10000);
    QVERIFY(sweeps().shown()->writable());
    sweeps().edit_shown();
    QCOMPARE(sweeps().axes().axes(), (QList<AxisText>{{"steps", "2, 3"}, {"guidance", "1, 3"}}));
    Arrivals refused(&sweeps(), &SweepDocument::failed);
    sweeps().open(home_->path());
    QVERIFY(refused.wait(10000));
}

/// Views have as many rows and columns as the sweep before until they are told of the new one. Its cells must not be
/// announced earlier.
void SweepDocumentTest::another_sweep_is_told_before_its_cells() {
    prepare();
    queue().set_paused(true);
    start();
    const QString first = sweeps().shown()->path();
    sweeps().axes().set_all({{"seed", "1..3"}}, "axes");
    start();
    QVERIFY(sweeps().shown()->path() != first);
    bool told = false, early = false;
    const QObject listener;
    connect(&sweeps(), &SweepDocument::shown_changed, &listener, [&] { told = true; });
    connect(&sweeps(), &SweepDocument::cells_changed, &listener, [&] { early = early || !told; });
    sweeps().open(first);
    QTRY_VERIFY_WITH_TIMEOUT(told, 20000);
    QVERIFY(!early);
    QCOMPARE(sweeps().shown()->path(), first);
    QVERIFY(all(CellState::waiting));
}

QTEST_MAIN(SweepDocumentTest)
#include "sweep_document_test.moc"
