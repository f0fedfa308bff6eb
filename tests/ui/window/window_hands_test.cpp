// SPDX-License-Identifier: Apache-2.0
// What is dropped on the window, dragged out of it, and chosen from menus in menus.
#include <QChildEvent>
#include <QDockWidget>
#include <QDrag>
#include <QDropEvent>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QPointer>
#include <QTimer>
#include <QUrl>

#include <algorithm>

#include "engine/weights/safetensors_stream.h"
#include "tests/ui/window/window_main.h"
#include "tests/ui/window/window_tools.h"
#include "ui/docks/runs_panel.h"
#include "ui/preview/preview_view.h"
#include "ui/window/layouts.h"

using namespace denoir;
using namespace denoir::ui;

namespace {

/// Sees what is dragged out of a list, and ends the drag.
class Drags : public QObject {
public:
    explicit Drags(QObject& source) { source.installEventFilter(this); }
    QStringList folders; ///< an empty text if a folder is not local, or if it would be moved away

private:
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() != QEvent::ChildAdded) return false;
        // By now the drag has its data. On some platforms it has an event loop of its own, on others it ends at once.
        const QPointer child(static_cast<QChildEvent*>(event)->child());
        QMetaObject::invokeMethod(
            this,
            [this, child] {
                const auto* drag = qobject_cast<QDrag*>(child.data());
                if (!drag) return;
                folders.clear();
                const bool moves = drag->supportedActions() != Qt::CopyAction;
                for (const QUrl& url : drag->mimeData()->urls())
                    folders << (moves || !url.isLocalFile() ? QString() : url.toLocalFile());
                QDrag::cancel();
            },
            Qt::QueuedConnection);
        return false;
    }
};

} // namespace

class WindowHandsTest : public QObject {
    Q_OBJECT

    /// Drops files, as from a file manager, on a part of the window that takes nothing itself. Returns whether they
    /// were accepted.
    static bool drop(StudioFixture& studio, const QStringList& files) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& file : files) urls << QUrl::fromLocalFile(file);
        data.setUrls(urls);
        QDragEnterEvent enter({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, {});
        enter.ignore();
        QApplication::sendEvent(&studio.window(), &enter);
        if (!enter.isAccepted()) return false;
        QDropEvent event({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&studio.window(), &event);
        return looked_at(studio.window()) && event.isAccepted();
    }
    /// Writes a trace of one layer with this value.
    static QString trace(const app::Home& home, const char* name, float value) {
        const QString file = home.file(QLatin1String(name));
        SafetensorsStream out(app::to_path(file), 1 << 16);
        Tensor values = Tensor::host({4, 4});
        for (float& v : values.span<float>()) v = value;
        out.append("transformer/step_001/cond/blocks.0.norm1", values);
        out.commit({{"denoir_trace", "1"}, {"order", "execution"}, {"source", "denoir test"}});
        return file;
    }
    /// Makes three finished runs and returns them as listed, the newest first.
    static QStringList three_runs(StudioFixture& studio) {
        auto& history = studio.core().history;
        QStringList runs;
        (void)QTest::qWaitFor([&] { return history.rowCount() == 3; }, 30000);
        for (int row = 0; row < history.rowCount(); ++row)
            runs << history.index(row).data(app::RunHistory::PathRole).toString();
        return runs;
    }

private slots:
    /// Two traces become A and B, and a single one waits for another.
    void traces_that_are_dropped_are_compared() {
        const app::Home home;
        const QString one = trace(home, "one.safetensors", 1), two = trace(home, "two.safetensors", 2),
                      three = trace(home, "three.safetensors", 3);
        StudioFixture studio;
        load_tiny(studio);
        const auto* dock = studio.find<QDockWidget>("layers-dock");
        const auto shows = [&](const char* pair) {
            return QTest::qWaitFor(
                [&] { return studio.find<ElidedLabel>("layers-pair")->whole() == QLatin1String(pair); }, 30000);
        };
        QVERIFY(!dock->isVisible());
        QVERIFY(drop(studio, {two, one}));
        QVERIFY(dock->isVisible());
        QVERIFY2(shows((two + " | " + one).toUtf8()), qPrintable(studio.find<ElidedLabel>("layers-pair")->whole()));
        QVERIFY(studio.find<QWidget>("layer-map")->isVisible());
        QVERIFY(drop(studio, {three}));
        QVERIFY2(said(studio).contains("three.safetensors is A."), qPrintable(said(studio)));
        QVERIFY(drop(studio, {one}));
        QVERIFY2(shows((three + " | " + one).toUtf8()), qPrintable(studio.find<ElidedLabel>("layers-pair")->whole()));
        QVERIFY(!drop(studio, {})); // text, and addresses that are no files
    }

    /// The folders of all selected runs, in the order of the list and in a form that other programs understand.
    void runs_are_dragged_out_as_folders() {
        const app::Home home;
        for (const int seed : {1, 2, 3}) listed_run(home, QStringLiteral("run-%1").arg(seed), 1 + seed, quint64(seed));
        StudioFixture studio;
        const QStringList runs = three_runs(studio);
        QCOMPARE(runs.size(), 3);
        auto* list = studio.find<RunsView>("runs");
        const auto dragged = [&](int from) {
            const Drags drags(*list);
            const QPoint at = list->visualRect(list->model()->index(from, 0)).center();
            studio.drag(list->viewport(), at, at + QPoint(0, 40));
            return drags.folders;
        };
        list->clearSelection();
        QCOMPARE(dragged(1), QStringList{runs[1]});                     // pressing a row selects it
        for (const auto& [first, second] : {std::pair{0, 2}, {2, 0}}) { // whichever was selected first
            auto& selection = *list->selectionModel();
            selection.select(list->model()->index(first, 0), QItemSelectionModel::ClearAndSelect);
            selection.select(list->model()->index(second, 0), QItemSelectionModel::Select);
            QCOMPARE(dragged(2), (QStringList{runs[0], runs[2]}));
        }
        QCOMPARE(three_runs(studio), runs);
    }

    /// The run with the menu becomes A and the chosen one B. The menu does not offer its own run.
    void a_run_is_compared_with_another_by_its_menu() {
        const app::Home home;
        for (const int seed : {1, 2, 3}) listed_run(home, QStringLiteral("run-%1").arg(seed), 1 + seed, quint64(seed));
        StudioFixture studio;
        load_tiny(studio);
        const QStringList runs = three_runs(studio);
        QCOMPARE(runs.size(), 3);
        auto* list = studio.find<QListView>("runs");
        QStringList offered;
        /// `chosen` is the entry of "Compare with …" to choose.
        const auto choose = [&](int row, int chosen) {
            QTimer::singleShot(0, list, [&] {
                auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
                if (!menu) return;
                for (QAction* action : menu->actions()) {
                    if (action->text() != QString::fromUtf8("Compare with …")) continue;
                    for (const QAction* each : action->menu()->actions())
                        if (!each->isSeparator()) offered << each->text();
                    action->menu()->actions()[chosen]->trigger();
                }
                menu->close();
            });
            offered.clear();
            list->selectionModel()->setCurrentIndex(list->model()->index(row, 0), QItemSelectionModel::ClearAndSelect);
            emit list->customContextMenuRequested(studio.row_point(list, row));
        };
        const Viewer& viewer = studio.window().viewer();
        const auto compares = [&](const QString& a, const QString& b) {
            const auto& preview = studio.window().preview();
            return QTest::qWaitFor(
                [&] {
                    return viewer.run(app::Side::a) == a && viewer.run(app::Side::b) == b &&
                           preview.info(app::Side::a) && preview.info(app::Side::b);
                },
                30000);
        };
        choose(1, 1);
        QCOMPARE(studio.window().layouts().current(), Layout::compare);
        QVERIFY(compares(runs[1], runs[2]));
        QCOMPARE(offered.size(), 4);
        QCOMPARE(offered.mid(2),
                 (QStringList{QString::fromUtf8("A video …"), QString::fromUtf8("A folder of frames …")}));
        QVERIFY2(std::none_of(offered.begin(), offered.end(), [](const QString& t) { return t.contains("seed 2"); }),
                 qPrintable(offered.join('|')));
        choose(2, 0);
        QVERIFY(compares(runs[2], runs[0]));
    }
};

int main(int argc, char** argv) { return run_window_test<WindowHandsTest>(argc, argv); }

#include "window_hands_test.moc"
