// SPDX-License-Identifier: Apache-2.0
#include "ui/layers/layers_panel.h"

#include <QComboBox>
#include <QDragEnterEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QMouseEvent>
#include <QProgressBar>
#include <QRegularExpression>
#include <QScopeGuard>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QUrl>

#include <algorithm>
#include <ctime>
#include <memory>
#include <vector>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/compare/run_divergence.h"
#include "engine/weights/safetensors_stream.h"
#include "tests/app/clips.h"
#include "tests/app/home.h"
#include "ui/layers/histogram_view.h"
#include "ui/layers/layer_map.h"
#include "ui/steps/divergence_view.h"
#include "ui/theme/theme.h"
#include "ui/widgets/elided_label.h"
#include "ui/window/translation.h"

using namespace denoir;
using namespace denoir::app;
using namespace denoir::ui;

namespace {

constexpr int blocks = 40, steps = 6;
const char* const leaves[] = {"norm1", "self_attn.q", "self_attn.k", "self_attn.o", "ffn.0", "ffn.2", ""};

Tensor values(const std::string& key, double error) {
    std::uint32_t state = 2166136261u;
    for (const char c : key) state = (state ^ static_cast<unsigned char>(c)) * 16777619u;
    Tensor t = Tensor::host({8, 16});
    for (float& v : t.span<float>()) {
        state = state * 1664525u + 1013904223u;
        v = float(state >> 8) / float(1 << 24) - 0.5f;
        v *= float(1 + error * ((state >> 4) % 2 ? 1 : -1));
    }
    return t;
}

/// Writes a trace like the transformer's. From block `wrong` (blocks.wrong.ffn.0 of step 2) on, values are off by a
/// hundredth.
QString write_trace(const QString& file, int wrong, int stop = blocks) {
    SafetensorsStream out(to_path(file), 1 << 19);
    for (int step = 1; step <= steps; ++step)
        for (int block = 0; block < stop; ++block)
            for (const char* leaf : leaves) {
                const std::string layer = "blocks." + std::to_string(block) + (*leaf ? "." : "") + leaf;
                const std::string key = "transformer/step_00" + std::to_string(step) + "/cond/" + layer;
                const std::string_view part = leaf;
                const bool later = block > wrong || (block == wrong && (part.starts_with("ffn") || part.empty()));
                const bool off = wrong >= 0 && (step > 2 || (step == 2 && later));
                out.append(key, values(key, off ? 1e-2 : 0));
            }
    out.commit({{"denoir_trace", "1"}, {"order", "execution"}, {"source", "denoir test"}});
    return file;
}

} // namespace

class LayersTest : public QObject {
    Q_OBJECT
    Home home_;

private slots:
    void initTestCase() {
        home_.use();
        good_ = write_trace(home_.file(QStringLiteral("good.safetensors")), -1);
        wrong_ = write_trace(home_.file(QStringLiteral("wrong.safetensors")), 7);
        other_ = write_trace(home_.file(QStringLiteral("other.safetensors")), -1, 3);
        worker_ = std::make_unique<EngineWorker>();
    }
    void cleanupTestCase() { worker_.reset(); }

    void the_map_shows_what_was_compared() {
        LayerComparison comparison(*worker_);
        Settings settings;
        LayersPanel panel(comparison, settings);
        panel.resize(1000, 420);
        panel.show();
        auto* map = panel.findChild<LayerMapView*>(QStringLiteral("layer-map"));
        QVERIFY(!map->isVisible()); // the empty state is shown
        panel.take_files({wrong_, good_});
        QTRY_VERIFY_WITH_TIMEOUT(comparison.result(), 20000);
        const auto& found = *comparison.result();
        QVERIFY(map->isVisible());
        // A file from anywhere decides how layers are called.
        QCOMPARE(panel.findChild<QLabel*>(QStringLiteral("layers-verdict"))->textFormat(), Qt::PlainText);
        auto* model = qobject_cast<LayerMapModel*>(map->model());
        QCOMPARE(model->rowCount(), blocks * int(std::size(leaves)));
        QCOMPARE(model->columnCount(), steps);
        QCOMPARE(model->headerData(0, Qt::Horizontal).toString(), QStringLiteral("step 1 cond"));
        QCOMPARE(model->headerData(1, Qt::Vertical).toString(), QStringLiteral("blocks.0.self_attn.q"));
        {
            qputenv("DENOIR_LANGUAGE", "de");
            const auto back = qScopeGuard([] { qputenv("DENOIR_LANGUAGE", "en"); });
            const Translation german(*qApp);
            const QLocale before;
            const auto locale_back = qScopeGuard([&] { QLocale::setDefault(before); });
            LayerMapModel translated;
            translated.show(comparison.result(), model->map().component, false);
            QCOMPARE(translated.headerData(0, Qt::Horizontal).toString(), QStringLiteral("Schritt 1 cond"));
        }
        // Each cell shows its layer's error, equal layers show 0, and the first error is where it was planted.
        int first = 0;
        for (std::size_t i = 0; i < found.layers.size(); ++i) {
            const QModelIndex at = model->index_of_layer(i);
            QCOMPARE(at.data(LayerMapModel::LayerRole).toULongLong(), i);
            QCOMPARE(at.data(LayerMapModel::ErrorRole).toDouble(), found.layers[i].difference.relative());
            first += at.data(LayerMapModel::FirstRole).toBool();
        }
        QCOMPARE(first, 1);
        QVERIFY(found.first);
        QCOMPARE(found.layers[*found.first].parts.layer, std::string("blocks.7.ffn.0"));
        // The view begins there, with its numbers and histograms.
        QCOMPARE(map->currentIndex(), model->index_of_layer(*found.first));
        QCOMPARE(panel.findChild<QLabel*>(QStringLiteral("layer-name"))->text(),
                 QStringLiteral("transformer/blocks.7.ffn.0  step 2 cond"));
        const QString numbers = panel.findChild<QLabel*>(QStringLiteral("layer-numbers"))->text();
        QVERIFY(numbers.contains(QStringLiteral("begins here")));
        auto* histograms = panel.findChild<HistogramView*>(QStringLiteral("layer-histograms"));
        QTRY_VERIFY_WITH_TIMEOUT(histograms->shown(), 30000);
        QCOMPARE(histograms->shown()->equal, std::uint64_t(0));
        // A click on another cell shows that one's numbers.
        const QModelIndex equal = model->index(0, 0);
        map->scrollTo(equal);
        QTest::mouseClick(map->viewport(), Qt::LeftButton, {}, map->visualRect(equal).center());
        QTRY_VERIFY_WITH_TIMEOUT(histograms->shown() && histograms->shown()->equal == 128, 30000);
        QVERIFY(
            !panel.findChild<QLabel*>(QStringLiteral("layer-numbers"))->text().contains(QStringLiteral("begins here")));
        // A press beside the cells keeps the mark and the figures.
        const QPoint beside(map->viewport()->width() - 4, map->viewport()->height() / 2);
        QVERIFY(!map->indexAt(beside).isValid());
        QTest::mouseClick(map->viewport(), Qt::LeftButton, {}, beside);
        QCOMPARE(map->currentIndex(), equal);
        QVERIFY(map->selectionModel()->isSelected(equal));
    }

    /// In the dock of the smallest window, the map is scrolled to, and no words or figures are cut off.
    void a_low_dock_is_read_to_its_end() {
        LayerComparison comparison(*worker_);
        Settings settings;
        LayersPanel panel(comparison, settings);
        panel.show();
        panel.take_files({wrong_, good_});
        QTRY_VERIFY_WITH_TIMEOUT(comparison.result(), 20000);
        panel.resize(panel.minimumSizeHint().width(), 200);
        const auto* verdict = panel.findChild<QLabel*>(QStringLiteral("layers-verdict"));
        const auto high = [&] { return verdict->height() >= verdict->heightForWidth(verdict->width()); };
        QTRY_VERIFY2(high(), qPrintable(verdict->text()));
        QVERIFY(panel.minimumSizeHint().width() <= 572); // beside the list of runs
        const LayerMapView& map = panel.map();
        QVERIFY(map.viewport()->height() >= 2 * map.verticalHeader()->defaultSectionSize());
        int areas = 0;
        for (const auto* area : panel.findChildren<QScrollArea*>()) {
            QVERIFY2(
                area->widget()->width() <= area->viewport()->width(),
                qPrintable(QStringLiteral("%1 of %2").arg(area->widget()->width()).arg(area->viewport()->width())));
            ++areas;
        }
        QCOMPARE(areas, 2);
    }

    /// Like all numbers in the window, wherever there is one. Names keep their dots.
    void figures_have_the_decimal_point_of_the_language() {
        const QLocale before;
        const auto back = qScopeGuard([&] { QLocale::setDefault(before); });
        QLocale::setDefault(QLocale(QStringLiteral("de")));
        LayerComparison comparison(*worker_);
        Settings settings;
        LayersPanel panel(comparison, settings);
        panel.resize(1000, 420);
        panel.show();
        panel.take_files({wrong_, good_});
        QTRY_VERIFY_WITH_TIMEOUT(comparison.result(), 20000);
        auto* histograms = panel.findChild<HistogramView*>(QStringLiteral("layer-histograms"));
        QTRY_VERIFY_WITH_TIMEOUT(histograms->shown(), 30000);
        const QModelIndex cell = panel.map().currentIndex();
        const QPointF at(histograms->width() / 2.0, histograms->height() / 4.0);
        QMouseEvent move(QEvent::MouseMove, at, histograms->mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
        QApplication::sendEvent(histograms, &move);
        const QStringList texts{cell.data().toString(),
                                cell.data(Qt::ToolTipRole).toString(),
                                panel.findChild<QComboBox*>(QStringLiteral("layers-component"))->currentText(),
                                panel.findChild<QLabel*>(QStringLiteral("layer-numbers"))->text(),
                                histograms->accessibleDescription(),
                                QToolTip::text()};
        static const QRegularExpression point(QStringLiteral("\\d\\.\\d")), comma(QStringLiteral("\\d,\\d"));
        for (const QString& text : texts) {
            QVERIFY2(comma.match(text).hasMatch(), qPrintable(text));
            QVERIFY2(!point.match(text).hasMatch(), qPrintable(text));
        }
        QVERIFY(texts[1].contains(QStringLiteral("blocks.7.ffn.0")));
    }

    void keys_zoom_and_blocks() {
        LayerComparison comparison(*worker_);
        Settings settings;
        LayersPanel panel(comparison, settings);
        panel.resize(900, 400);
        panel.show();
        panel.take_files({wrong_, good_});
        QTRY_VERIFY_WITH_TIMEOUT(comparison.result(), 20000);
        LayerMapView& map = panel.map();
        map.setFocus();
        const QModelIndex before = map.currentIndex();
        QTest::keyClick(&map, Qt::Key_Right);
        QCOMPARE(map.currentIndex(), before.siblingAtColumn(before.column() + 1));
        QTest::keyClick(&map, Qt::Key_Down);
        QCOMPARE(map.currentIndex().row(), before.row() + 1);
        const int zoom = map.zoom(), height = map.rowHeight(0);
        QTest::keyClick(&map, Qt::Key_Plus);
        QCOMPARE(map.zoom(), zoom + 1);
        QVERIFY(map.rowHeight(0) > height);
        for (int i = 0; i < 9; ++i) QTest::keyClick(&map, Qt::Key_Minus);
        QCOMPARE(map.zoom(), 0);
        QVERIFY(map.rowHeight(0) < height);
        panel.findChild<QToolButton*>(QStringLiteral("layers-blocks"))->setChecked(true);
        QCOMPARE(map.model()->rowCount(), blocks);
        QVERIFY(panel.go_to_first());
        QCOMPARE(map.currentIndex().row(), 7);
        QVERIFY(map.currentIndex().data(LayerMapModel::GeneratedRole).toBool());
        // Everything that can get the focus has a name.
        for (QWidget* w : panel.findChildren<QWidget*>())
            if (w->focusPolicy() != Qt::NoFocus && w->isVisible() &&
                !qobject_cast<QAbstractScrollArea*>(w->parentWidget()))
                QVERIFY2(!w->accessibleName().isEmpty() || !w->property("text").toString().isEmpty() ||
                             qobject_cast<QLineEdit*>(w) || qobject_cast<QScrollArea*>(w),
                         w->metaObject()->className());
    }

    /// With hundreds of layers, choosing, scrolling and drawing must take no longer than a frame or two.
    void it_stays_quick() {
        LayerComparison comparison(*worker_);
        Settings settings;
        LayersPanel panel(comparison, settings);
        panel.resize(2000, 1200);
        panel.show();
        panel.take_files({wrong_, good_});
        QTRY_VERIFY_WITH_TIMEOUT(comparison.result(), 20000);
        panel.map().set_zoom(0);
        QCoreApplication::processEvents();
        std::vector<qint64> times;
        for (int i = 0; i < 21; ++i) {
            timespec begin{}, end{};
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin); // processor time, whatever else the machine does
            panel.map().setCurrentIndex(panel.map().model()->index(i * 9, i % steps));
            panel.map().viewport()->repaint();
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
            times.push_back((end.tv_sec - begin.tv_sec) * 1000000 + (end.tv_nsec - begin.tv_nsec) / 1000);
        }
        std::sort(times.begin(), times.end());
        qInfo("a step on the map: median %lld us, largest %lld us", times[10], times[20]);
        QVERIFY(times[10] < 100000);
    }

    void files_come_by_drop() {
        LayerComparison comparison(*worker_);
        Settings settings;
        LayersPanel panel(comparison, settings);
        panel.show();
        QSignalSpy said(&panel, &LayersPanel::said);
        const auto drop = [&](const QStringList& files) {
            QMimeData data;
            QList<QUrl> urls;
            for (const QString& file : files) urls << QUrl::fromLocalFile(file);
            data.setUrls(urls);
            QDragEnterEvent enter({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, {});
            QApplication::sendEvent(&panel, &enter);
            QDropEvent event({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, {});
            if (enter.isAccepted()) QApplication::sendEvent(&panel, &event);
        };
        drop({wrong_});
        QCOMPARE(said.count(), 1); // waits for the second file
        QVERIFY(!comparison.busy());
        drop({good_});
        QTRY_VERIFY_WITH_TIMEOUT(comparison.result(), 20000);
        QVERIFY(comparison.result()->name_a.ends_with("wrong.safetensors"));
        drop({good_, other_});
        QTRY_VERIFY_WITH_TIMEOUT(!comparison.busy(), 20000);
        QCOMPARE(comparison.result()->layers.size(), std::size_t(3 * std::size(leaves) * steps));
        QVERIFY(!comparison.result()->first);
        QVERIFY(!panel.go_to_first());
        // A file that cannot be read is reported, and the view stays.
        drop({good_, home_.file(QStringLiteral("nothing.safetensors"))});
        const QString broken = home_.file(QStringLiteral("broken.safetensors"));
        QFile file(broken);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("no trace") == 8);
        file.close();
        drop({good_, broken});
        QTRY_VERIFY_WITH_TIMEOUT(!comparison.busy() && !comparison.issue().isEmpty(), 20000);
        auto* issue = panel.findChild<QLabel*>(QStringLiteral("layers-issue"));
        QVERIFY(issue->isVisible() && issue->text().contains(QStringLiteral("broken.safetensors")));
        QVERIFY(panel.map().isVisible());
    }

    /// A result that took minutes stays when other runs are compared, and says which runs it is about.
    void figures_say_what_they_are_of() {
        const QString a = tiny_run(home_.file(QStringLiteral("layers-a")), 2, 1),
                      b = tiny_run(home_.file(QStringLiteral("layers-b")), 2, 2);
        LayerComparison comparison(*worker_);
        Settings settings;
        LayersPanel panel(comparison, settings);
        panel.show();
        const auto of = [&] { return panel.findChild<ElidedLabel*>(QStringLiteral("layers-pair"))->whole(); };
        panel.set_runs(a, b);
        comparison.compare_runs(a, b, {QStringLiteral("sampler/*")}, {});
        QTRY_VERIFY_WITH_TIMEOUT(comparison.result(), 60000);
        QCOMPARE(of(), QStringLiteral("a red balloon · seed 1 | a red balloon · seed 2"));
        panel.set_runs(b, a);
        QCOMPARE(of(), QStringLiteral("A and B exchanged: a red balloon · seed 1 | a red balloon · seed 2"));
        panel.set_runs(b, home_.file(QStringLiteral("another")));
        QCOMPARE(of(),
                 QStringLiteral("Not of the two that are shown: a red balloon · seed 1 | a red balloon · seed 2"));
        panel.set_runs(a, b);
        QVERIFY(!of().startsWith(QStringLiteral("Not")));
        panel.take_files({good_, wrong_});
        QTRY_VERIFY_WITH_TIMEOUT(of().contains(QStringLiteral("good.safetensors")), 20000);
        panel.set_runs(b, a);
        QVERIFY(!of().startsWith(QStringLiteral("Not")));
    }

    /// Otherwise it would seem to be about the present A and B.
    void a_refusal_goes_with_the_pair_that_it_is_of() {
        const QString a = tiny_run(home_.file(QStringLiteral("of-two-steps")), 2, 1);
        Request longer = RunFolder::open(to_path(a)).record().request;
        longer.frames = 13;
        const QString b = rendered(longer, home_.file(QStringLiteral("longer")));
        LayerComparison comparison(*worker_);
        Settings settings;
        LayersPanel panel(comparison, settings);
        panel.show();
        const auto* issue = panel.findChild<QLabel*>(QStringLiteral("layers-issue"));
        panel.set_runs(a, b);
        panel.trace_runs();
        QVERIFY2(issue->isVisible() && issue->text().contains(QStringLiteral("A is 64x48x9")),
                 qPrintable(issue->text()));
        panel.set_runs(a, b); // the same pair once more
        QVERIFY(issue->isVisible());
        panel.set_runs(b, a);
        QVERIFY2(!issue->isVisible(), qPrintable(issue->text()));
    }

    /// Somebody who traces by keyboard can stop it there, and is then at the result.
    void the_focus_follows_the_work() {
        LayerComparison comparison(*worker_);
        Settings settings;
        LayersPanel panel(comparison, settings);
        panel.show();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        panel.set_runs(tiny_run(home_.file(QStringLiteral("c")), 2, 1),
                       tiny_run(home_.file(QStringLiteral("d")), 2, 2));
        panel.take_focus();
        QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("trace-both"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
        QVERIFY(comparison.busy());
        QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("layers-stop"));
        // What is being done stands beside the bar, which is too low for words.
        const auto* stage = panel.findChild<ElidedLabel*>(QStringLiteral("layers-stage"));
        QVERIFY(stage->whole().startsWith(QStringLiteral("tracing A")));
        QVERIFY(stage->height() >= stage->fontMetrics().height());
        QVERIFY(!panel.findChild<QProgressBar*>(QStringLiteral("layers-progress"))->isTextVisible());
        QTRY_VERIFY_WITH_TIMEOUT(!comparison.busy(), 60000);
        QVERIFY2(comparison.result(), qPrintable(comparison.issue().line()));
        QVERIFY(panel.map().hasFocus());
    }

    void divergence_of_two_runs() {
        const QString a = tiny_run(home_.file(QStringLiteral("a")), 4, 1),
                      b = tiny_run(home_.file(QStringLiteral("b")), 4, 2);
        RunDivergence divergence;
        DivergenceView view(divergence);
        view.resize(300, 120);
        view.show();
        const QImage empty = view.grab().toImage();
        divergence.set_runs(a, b);
        QTRY_VERIFY_WITH_TIMEOUT(!divergence.reading(), 20000);
        QVERIFY(view.grab().toImage() != empty);
        QVERIFY2(view.accessibleDescription().startsWith("Latents differ from the first step") &&
                     view.accessibleDescription().endsWith(" after step 4"),
                 qPrintable(view.accessibleDescription()));
        QSignalSpy asked(&view, &DivergenceView::step_requested);
        QTest::keyClick(&view, Qt::Key_Home);
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(asked.last(), (QList<QVariant>{1, 1}));
        QVERIFY(view.accessibleDescription().contains(QStringLiteral("step 1")));
        QTest::keyClick(&view, Qt::Key_End);
        QCOMPARE(view.step(), 4);
        QTest::mouseClick(&view, Qt::LeftButton, {}, {view.width() - 10, 60});
        QCOMPARE(asked.last(), (QList<QVariant>{4, 4}));
    }

private:
    QString good_, wrong_, other_;
    std::unique_ptr<EngineWorker> worker_;
};

QTEST_MAIN(LayersTest)
#include "layers_test.moc"
