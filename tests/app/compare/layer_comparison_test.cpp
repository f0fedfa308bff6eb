// SPDX-License-Identifier: Apache-2.0
#include "app/compare/layer_comparison.h"

#include <QDir>
#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <optional>

#include "app/base/text.h"
#include "app/compare/run_divergence.h"
#include "app/found.h"
#include "engine/compare/trace_compare.h"
#include "engine/core/own_folders.h"
#include "engine/session/trace.h"
#include "tests/app/home.h"
#include "tests/app/tiny.h"

using namespace denoir;
using namespace denoir::app;
using State = LayerComparison::State;

/// Compares two runs of the tiny model by their traces and by their stored latents.
class LayerComparisonTest : public QObject {
    Q_OBJECT

    QString render(const QString& name, double guidance, int steps = 3, int frames = 5) {
        Request r = tiny_request();
        r.frames = frames;
        r.guidance = guidance;
        r.steps = steps;
        RenderOptions options;
        options.run_dir = to_path(home_.file(name));
        Observer observer;
        Engine engine(Residency::Span::run);
        denoir::render(r, options, engine, observer, {});
        return home_.file(name);
    }
    QStringList kept() const {
        return QDir(to_qstring(cache_folder() / "traces")).entryList(QDir::Files | QDir::Hidden);
    }

private slots:
    void initTestCase() {
        home_.use();
        one_ = render(QStringLiteral("one"), 5);
        two_ = render(QStringLiteral("two"), 6);
        worker_.emplace();
    }
    void cleanupTestCase() { worker_.reset(); }

    void two_runs_are_traced_and_compared() {
        LayerComparison comparison(*worker_);
        QSignalSpy progressed(&comparison, &LayerComparison::progressed);
        comparison.compare_runs(one_, two_,
                                {QStringLiteral("transformer/blocks.+([0-9])"), QStringLiteral("sampler/*")},
                                QStringLiteral("1,last"));
        QCOMPARE(comparison.state(), State::tracing);
        QTRY_COMPARE_WITH_TIMEOUT(comparison.state(), State::done, 60000);
        QVERIFY2(comparison.issue().isEmpty(), qPrintable(comparison.issue().line()));
        QVERIFY(progressed.count() > 3);
        const auto found = comparison.result();
        // In step 1 the networks see the same, so nothing differs until guidance mixes their results.
        QVERIFY(found->begins);
        QCOMPARE(found->layers[*found->begins].parts.component, std::string("sampler"));
        QCOMPARE(found->layers[*found->begins].parts.layer, std::string("velocity"));
        for (const auto& l : found->layers) {
            QVERIFY(l.parts.component == "sampler" || l.parts.component == "transformer");
            QVERIFY(!l.parts.step || *l.parts.step <= 1 || *l.parts.step == 3);
        }
        QVERIFY(kept().isEmpty()); // nothing stays on the disk, and the tensors can still be shown
        QSignalSpy histograms(&comparison, &LayerComparison::histograms_ready);
        const QString key = to_qstring(found->layers[*found->worst].key);
        comparison.ask_histograms(QStringLiteral("sampler/step_001/latent"));
        comparison.ask_histograms(key);
        QTRY_VERIFY_WITH_TIMEOUT(!histograms.isEmpty() && histograms.last()[0].toString() == key, 30000);
        const auto spread = histograms.last()[1].value<metrics::PairHistograms>();
        std::uint64_t values = 0;
        for (const std::uint64_t n : spread.a) values += n;
        QCOMPARE(std::int64_t(values), found->layers[*found->worst].difference.elements);
    }

    void a_comparison_can_be_stopped() {
        LayerComparison comparison(*worker_);
        comparison.compare_runs(one_, two_, {}, {});
        comparison.cancel(); // does not wait for anything
        QCOMPARE(comparison.state(), State::none);
        QTRY_VERIFY_WITH_TIMEOUT(!worker_->busy(), 60000);
        QCOMPARE(comparison.state(), State::none);
        QVERIFY(!comparison.result());
        // Stopping it from elsewhere (Esc) has the same effect.
        comparison.compare_runs(one_, two_, {}, {});
        worker_->cancel_all();
        QTRY_COMPARE_WITH_TIMEOUT(comparison.state(), State::none, 60000);
        QVERIFY(kept().isEmpty());
    }

    void impossible_comparisons_are_refused() {
        LayerComparison comparison(*worker_);
        comparison.compare_runs(one_, two_, {QStringLiteral("nothing*")}, QStringLiteral("1"));
        QTRY_VERIFY_WITH_TIMEOUT(!comparison.busy(), 60000);
        QVERIFY(comparison.issue().message.contains(QStringLiteral("nothing*")));
        comparison.compare_runs(one_, home_.file(QStringLiteral("nowhere")), {}, {});
        QVERIFY(!comparison.busy());
        QVERIFY(comparison.issue().file.contains(QStringLiteral("nowhere")));
        // This must be refused now and not after minutes.
        comparison.compare_runs(one_, render(QStringLiteral("long"), 5, 1, 9), {}, {});
        QVERIFY(!comparison.busy());
        QVERIFY2(comparison.issue().message.contains(QStringLiteral("x9: their layers have other shapes")),
                 qPrintable(comparison.issue().line()));
        comparison.compare_files(one_ + QStringLiteral("/run.json"), two_ + QStringLiteral("/run.json"));
        QTRY_VERIFY_WITH_TIMEOUT(!comparison.busy(), 30000);
        QVERIFY(comparison.issue().file.contains(QStringLiteral("run.json")));
        QVERIFY(!comparison.result());
    }

    void files_and_what_is_written_of_them() {
        const QString a = home_.file(QStringLiteral("a.safetensors")), b = home_.file(QStringLiteral("b.safetensors"));
        for (const auto& [file, guidance] : {std::pair{a, 5.0}, std::pair{b, 7.0}}) {
            Request r = tiny_request();
            r.guidance = guidance;
            Observer observer;
            denoir::trace(r, {to_path(file), {{"sampler/*"}, "1,last"}, {}, {}}, observer, {});
            QCOMPARE(look_at(file).kind, Found::Kind::trace);
        }
        QVERIFY(look_at(one_ + QStringLiteral("/conditioning.safetensors")).kind != Found::Kind::trace);
        QVERIFY(look_at(one_ + QStringLiteral("/run.json")).kind != Found::Kind::trace);
        LayerComparison comparison(*worker_);
        comparison.compare_files(a, b);
        QTRY_COMPARE_WITH_TIMEOUT(comparison.state(), State::done, 30000);
        QCOMPARE(comparison.result()->layers.size(), TraceFiles(to_path(a), to_path(b)).compare({}, {}).layers.size());
        QSignalSpy exported(&comparison, &LayerComparison::exported),
            failed(&comparison, &LayerComparison::export_failed);
        const std::pair<const char*, const char*> kinds[] = {
            {"out.html", "<!doctype html>"}, {"out.json", "{"}, {"out.csv", "key,"}};
        for (const auto& [name, begin] : kinds) {
            const QString out = home_.file(QLatin1String(name));
            comparison.write(out);
            QTRY_VERIFY_WITH_TIMEOUT(!exported.isEmpty(), 30000);
            QCOMPARE(exported.takeFirst()[0].toString(), out);
            QFile file(out);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY(file.readAll().toLower().startsWith(begin));
        }
        // Histograms of an earlier result must not be shown as if they were the new one's.
        QSignalSpy histograms(&comparison, &LayerComparison::histograms_ready);
        const QString layer = QString::fromStdString(comparison.result()->layers[0].key);
        const auto before = comparison.result();
        comparison.compare_files(b, a);
        comparison.ask_histograms(layer); // asked of the earlier result
        QTRY_VERIFY_WITH_TIMEOUT(comparison.result() != before, 30000);
        comparison.ask_histograms(layer);
        QTRY_VERIFY_WITH_TIMEOUT(!histograms.isEmpty(), 30000);
        const QString another = QString::fromStdString(comparison.result()->layers[1].key);
        comparison.ask_histograms(another); // is answered after everything that was asked before
        QTRY_COMPARE_WITH_TIMEOUT(histograms.last()[0].toString(), another, 30000);
        QCOMPARE(histograms.count(), 2);
        // Nor must their errors be shown.
        const auto second = comparison.result();
        comparison.compare_files(a, b);
        comparison.ask_histograms(QStringLiteral("no/such/layer"));
        QTRY_VERIFY_WITH_TIMEOUT(comparison.result() != second, 30000);
        comparison.ask_histograms(layer);
        QTRY_COMPARE_WITH_TIMEOUT(histograms.count(), 3, 30000);
        QVERIFY2(comparison.issue().isEmpty(), qPrintable(comparison.issue().line()));
        comparison.write(a); // the file is an input
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 30000);
        QCOMPARE(look_at(a).kind, Found::Kind::trace);
        comparison.write(home_.file(QStringLiteral("nowhere/x.json")));
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 2, 30000);
    }

    /// The stored latents are compared step by step, and the newest pair of runs counts.
    void latents_drift_apart() {
        RunDivergence divergence;
        QSignalSpy changed(&divergence, &RunDivergence::changed);
        divergence.set_runs(one_, one_);
        divergence.set_runs(one_, two_);
        QVERIFY(divergence.reading());
        QTRY_VERIFY_WITH_TIMEOUT(!divergence.reading(), 30000);
        QCOMPARE(divergence.steps(), 3);
        const auto& steps = divergence.found().steps;
        QCOMPARE(steps.size(), std::size_t(4));
        QCOMPARE(steps[0].relative(), 0.0); // both begin with the same noise
        const RunFolder a = RunFolder::open(to_path(one_)), b = RunFolder::open(to_path(two_));
        for (int n = 1; n <= 3; ++n) {
            const Tensor x = a.step_tensor(n, "latent"), y = b.step_tensor(n, "latent");
            double apart = 0, length = 0;
            for (std::int64_t i = 0; i < x.elements(); ++i) {
                const double p = x.data<float>()[i], q = y.data<float>()[i];
                apart += (p - q) * (p - q);
                length += q * q;
            }
            QVERIFY(std::abs(steps[std::size_t(n)].relative() - std::sqrt(apart / length)) < 1e-12);
            QVERIFY(steps[std::size_t(n)].relative() > 0);
        }
        const QString more = render(QStringLiteral("more"), 5, 6);
        divergence.set_runs(one_, more);
        QTRY_VERIFY_WITH_TIMEOUT(!divergence.reading(), 30000);
        QCOMPARE(divergence.found().steps.back().b, 6); // after the last step of either run no noise is left
        QVERIFY(!divergence.found().notes.empty());
        // Either of the runs may have got further.
        for (const auto& [run, reads] : {std::pair(one_, true), {more, true}, {two_, false}}) {
            divergence.look_again(run);
            QCOMPARE(divergence.reading(), reads);
            QTRY_VERIFY_WITH_TIMEOUT(!divergence.reading(), 30000);
        }
        divergence.set_runs(one_, home_.file(QStringLiteral("nowhere")));
        QTRY_VERIFY_WITH_TIMEOUT(!divergence.reading(), 30000);
        QVERIFY(!divergence.issue().isEmpty());
        // A run that goes on gets more steps.
        const auto cut = [&](const std::vector<StepRecord>& kept) {
            RunFolder run = RunFolder::take(to_path(more));
            run.record().steps = kept;
            run.save();
        };
        const std::vector<StepRecord> all = RunFolder::open(to_path(more)).record().steps;
        cut({all.begin(), all.begin() + 3});
        divergence.set_runs(more, more);
        QTRY_VERIFY_WITH_TIMEOUT(!divergence.reading(), 30000);
        QCOMPARE(divergence.found().steps.size(), std::size_t(3));
        cut(all);
        divergence.look_again(one_);
        QVERIFY(!divergence.reading());
        divergence.look_again(more);
        QTRY_VERIFY_WITH_TIMEOUT(!divergence.reading(), 30000);
        QCOMPARE(divergence.found().steps.size(), all.size());
        divergence.set_runs({}, {});
        QVERIFY(!divergence.reading() && divergence.found().steps.empty());
    }

private:
    Home home_;
    QString one_, two_;
    std::optional<EngineWorker> worker_;
};

QTEST_GUILESS_MAIN(LayerComparisonTest)
#include "layer_comparison_test.moc"
