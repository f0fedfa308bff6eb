// SPDX-License-Identifier: Apache-2.0
// What A and B are called in the layout Compare, above all where there is little room for it.
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QSignalSpy>
#include <QToolTip>

#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/compare/compare_bar.h"
#include "ui/compare/differences_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/canvas.h"
#include "ui/preview/clip_name.h"

using namespace denoir::ui;
namespace app = denoir::app;

class ComparingNamesTest : public QObject {
    Q_OBJECT

    static ClipName name(const char* seed, const char* detail) {
        return {QString::fromUtf8("A red balloon rises over the sea at sunset. · seed ") + seed,
                QString::fromUtf8(detail)};
    }

private slots:
    /// The prompt gives way first, then a seed that both have, and then the last differences.
    void what_tells_clips_apart_stays_longest() {
        const QFontMetricsF metrics{QFont()};
        const ClipName a = name("12345", "guidance 2 · shift 3 · sampler unipc"),
                       b = name("777", "guidance 3 · shift 5 · sampler euler");
        const double all = metrics.horizontalAdvance(a.whole());
        QCOMPARE(a.fitted(b, metrics, all), a.whole());
        for (const double share : {0.9, 0.8, 0.7, 0.6, 0.5, 0.4}) {
            const QString shown = a.fitted(b, metrics, share * all);
            QVERIFY2(metrics.horizontalAdvance(shown) <= share * all, qPrintable(shown));
            QVERIFY2(shown.startsWith("A r") && shown.contains("seed 12345"), qPrintable(shown));
        }
        const QString shown = a.fitted(b, metrics, 0.78 * all);
        QVERIFY2(shown.endsWith(QString::fromUtf8(" · seed 12345 · ") + a.detail), qPrintable(shown));
        const ClipName same = name("12345", "guidance 3 · shift 5 · sampler euler");
        for (const double share : {0.6, 0.55}) {
            const QString without = a.fitted(same, metrics, share * all);
            QVERIFY2(metrics.horizontalAdvance(without) <= share * all, qPrintable(without));
            QVERIFY2(!without.contains("seed") && without.endsWith(QString::fromUtf8(" · ") + a.detail),
                     qPrintable(without));
        }
        // The names of files often differ at their end, which must therefore stay.
        const ClipName file{"a-film-of-a-red-balloon-at-sunset-0001.mp4", {}};
        const QString cut = file.fitted({"a-film-of-a-red-balloon-at-sunset-0002.mp4", {}}, metrics, 120);
        QVERIFY2(cut.endsWith("1.mp4"), qPrintable(cut));
    }

    /// There is room for three differences, and the seed must be among them wherever it stands in a request.
    void a_seed_is_told_among_many_differences() {
        DifferencesPanel panel;
        QSignalSpy told(&panel, &DifferencesPanel::told_apart);
        const auto with = [](int n) {
            const QString request =
                R"({"schema": 1, "frames": %1, "steps": %2, "guidance": %2, "shift": %2, "seed": %2})";
            return DifferencesPanel::Source{true, {}, request.arg(4 * n + 1).arg(n)};
        };
        panel.set_sources(with(2), with(3));
        QTRY_COMPARE_WITH_TIMEOUT(told.last()[0].toString(), QString::fromUtf8("seed 2 · frames 9 · steps 2"), 30000);
    }

    /// The name of a run contains its seed, that of a file need not.
    void a_run_beside_a_file_names_its_seed_once() {
        const app::Home home;
        DifferencesPanel panel;
        QSignalSpy told(&panel, &DifferencesPanel::told_apart);
        const DifferencesPanel::Source file{true, {}, R"({"schema": 1, "prompt": "a", "seed": 2})"};
        panel.set_sources({true, app::tiny_run(home.file("run"), 1, 1), {}}, file);
        QTRY_VERIFY_WITH_TIMEOUT(!told.isEmpty() && told.last()[1].toString().contains("seed 2"), 30000);
        QVERIFY2(!told.last()[0].toString().contains("seed"), qPrintable(told.last()[0].toString()));
        QVERIFY(!told.last()[0].toString().isEmpty());
    }

    /// The names are shortened in the bar and over the picture, where a tool tip tells the whole name.
    void names_stand_in_the_bar_and_on_the_picture() {
        const app::Home home;
        StudioFixture studio(Layout::compare, Scheme::dark, {900, 600});
        auto* bar = studio.window().findChild<CompareBar*>();
        const ClipName names[]{name("12345", "guidance 2 · shift 3 · sampler unipc"),
                               name("777", "guidance 3 · shift 5 · sampler euler")};
        bar->set_name(app::Side::a, names[0].name);
        bar->set_name(app::Side::b, names[1].name);
        bar->set_detail(app::Side::a, names[0].detail);
        bar->set_detail(app::Side::b, names[1].detail);
        const auto* a = studio.find<QToolButton>("choose-a");
        const auto* b = studio.find<QToolButton>("choose-b");
        QVERIFY2(a->text().contains("seed 12345") && b->text().contains("seed 777"),
                 qPrintable(a->text() + '\n' + b->text()));
        QCOMPARE(a->toolTip(), names[0].whole());
        Canvas canvas;
        canvas.resize(400, 240);
        QImage picture(64, 48, QImage::Format_RGB32);
        picture.fill(Qt::blue);
        canvas.set_pictures(picture, picture);
        canvas.set_mode(CompareMode::wipe);
        canvas.set_labels(names[0], names[1]);
        canvas.show();
        const auto tip_at = [&](QPoint at) {
            QHelpEvent event(QEvent::ToolTip, at, canvas.mapToGlobal(at));
            QApplication::sendEvent(&canvas, &event);
            return QToolTip::text();
        };
        QCOMPARE(tip_at({30, 16}), names[0].whole());
        QCOMPARE(tip_at({370, 16}), names[1].whole());
        QTRY_COMPARE(tip_at({200, 120}), QString());
        canvas.set_labels({"a boat", {}}, {"a ship", {}});
        QTRY_COMPARE(tip_at({30, 16}), QString()); // a name that was not shortened needs no tool tip
    }

    /// A run may be compared with itself. Every place that names A and B must say that both are this run.
    void a_run_is_compared_with_itself() {
        const app::Home home;
        const QString run = listed_run(home, "a", 2, 1);
        StudioFixture studio(Layout::compare);
        auto* list = studio.find<RunsView>("runs");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 1, 30000);
        const auto* delegate = dynamic_cast<const RunDelegate*>(list->itemDelegate());
        const auto words = [&] { return delegate->words(list->model()->index(0, 0)).join('\n'); };
        studio.window().viewer().compare(run, run);
        QTRY_VERIFY2_WITH_TIMEOUT(words().contains("compared with itself, as A and B"), qPrintable(words()), 30000);
        const auto* panel = studio.window().findChild<DifferencesPanel*>();
        QTRY_VERIFY_WITH_TIMEOUT(panel->rows().size() == 1 && panel->rows()[0][0] == "A and B are the same run", 30000);
        const auto* b = studio.find<QToolButton>("choose-b");
        QTRY_VERIFY2_WITH_TIMEOUT(b->toolTip().endsWith(QString::fromUtf8("seed 1 · the same run")),
                                  qPrintable(b->toolTip()), 30000);
    }
};

int main(int argc, char** argv) { return run_window_test<ComparingNamesTest>(argc, argv); }

#include "comparing_names_test.moc"
