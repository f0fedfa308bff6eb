// SPDX-License-Identifier: Apache-2.0
// The studio in the hands of somebody who knows nothing and fears nothing: random actions, keys, clicks, drags and
// files in one session after another, each in the data folder that the last one left. It must not crash, nor keep its
// user waiting, and what was undone must come back as it was. The window that a session leaves is then given one size
// after another: each must come to rest. `ui_monkey SEED SESSIONS EVENTS SIZES`; what was done is printed, so that what
// preceded a crash can be read.
#include <QAbstractItemView>
#include <QContextMenuEvent>
#include <QDesktopServices>
#include <QDockWidget>
#include <QDrag>
#include <QElapsedTimer>
#include <QFile>
#include <QMenu>
#include <QRandomGenerator>
#include <QScopedValueRollback>
#include <QTimer>
#include <QUrl>
#include <QWheelEvent>

#include <array>
#include <cstdio>
#include <utility>

#include "app/base/text.h"
#include "app/request/request_document.h"
#include "tests/app/clips.h"
#include "tests/ui/studio_fixture.h"
#include "ui/window/translation.h"

namespace denoir::ui {
namespace {

constexpr int slow = 250;       ///< an event that takes longer, in ms, is reported
constexpr int too_long = 20000; ///< how long a run may take, in ms, since its settings are random

constexpr int endless = 500000; ///< so many events between two actions mean that they never end

/// Counts events. If two receivers keep sending each other events without end, they are named.
class Program : public QApplication {
public:
    using QApplication::QApplication;
    void begin() { seen_ = 0; }
    bool notify(QObject* receiver, QEvent* event) override {
        if (++seen_ > endless) {
            QStringList names;
            for (const QObject* each = receiver; each; each = each->parent())
                names << QLatin1String(each->metaObject()->className()) + QLatin1Char(' ') + each->objectName();
            std::printf("ENDLESS: event %d to %s\n", int(event->type()), qPrintable(names.join(QLatin1String(" < "))));
            if (seen_ > endless + 40) std::abort();
        }
        return QApplication::notify(receiver, event);
    }

private:
    int seen_ = 0;
};

/// Keeps programs of the desktop from being started for a folder or a page.
class Deaf : public QObject {
    Q_OBJECT
public:
    Deaf() {
        for (const QString& scheme : schemes()) QDesktopServices::setUrlHandler(scheme, this, "hear");
    }
    ~Deaf() override {
        for (const QString& scheme : schemes()) QDesktopServices::unsetUrlHandler(scheme);
    }

private:
    static QStringList schemes() { return {QStringLiteral("file"), QStringLiteral("http"), QStringLiteral("https")}; }

public slots:
    void hear(const QUrl&) {}
};

class Monkey : public QObject {
    Q_OBJECT
public:
    Monkey(StudioFixture& studio, quint32 seed, const QStringList& files)
        : studio_(studio), random_(seed), files_(files) {}

    /// Does so many things, also in the loops of menus and dialogs that these open.
    void play(int events) {
        left_ = events;
        next();
        loop_.exec();
    }

    /// Tries one size after another, mostly near the one before, because scroll bars come and go within a few pixels.
    void try_sizes(int count) {
        static const QStringList layouts{QStringLiteral("view.create"), QStringLiteral("view.compare"),
                                         QStringLiteral("view.tune")};
        auto& window = studio_.window();
        QSize size = window.size();
        for (int i = 0; i < count; ++i) {
            static_cast<Program*>(qApp)->begin();
            if (i % 200 == 0) {
                const QString& layout = layouts[below(3)];
                tell(layout);
                window.actions().at(layout)->trigger();
                size = {900 + below(900), 600 + below(500)};
            }
            size += below(2) ? QSize(below(9) - 4, 0) : QSize(0, below(9) - 4);
            if (i % 20 == 0) tell(QStringLiteral("sizes from %1 %2").arg(size.width()).arg(size.height()));
            if (i % 10 == 0) shift_docks();
            window.resize(size);
            for (int turn = 0; turn < 3; ++turn) QCoreApplication::processEvents();
        }
    }

    /// Undoes and redoes everything. Returns whether all is as it was.
    bool undo_holds() {
        auto& project = studio_.core().project;
        const std::vector<app::Shot> shots = project.shots();
        const Json request = project.request();
        const int index = project.undo().index();
        project.undo().setIndex(0);
        project.undo().setIndex(project.undo().count());
        project.undo().setIndex(index);
        const bool same = project.shots() == shots;
        if (!same) std::printf("UNDO: other shots\n");
        return same;
    }

private:
    int below(int n) { return n < 1 ? 0 : int(random_.bounded(n)); }
    template <class List> auto any(const List& list) { return list[qsizetype(below(int(list.size())))]; }

    /// Each event has its own timer, because a timer that is being handled does not fire again in a loop inside.
    void next() {
        QTimer::singleShot(std::exchange(pause_, 3), this, [this] {
            QDrag::cancel(); // its loop waits for the window system's own events
            if (left_-- <= 0) return finish();
            next();
            once();
        });
    }

    void finish() {
        if (QWidget* popup = QApplication::activePopupWidget())
            popup->close();
        else if (QWidget* dialog = QApplication::activeModalWidget())
            dialog->close();
        else
            return loop_.quit();
        next();
    }

    /// The window on top, which gets the next event.
    QWidget* top() {
        if (QWidget* popup = QApplication::activePopupWidget()) return popup;
        if (QWidget* modal = QApplication::activeModalWidget()) return modal;
        QWidget* active = QApplication::activeWindow();
        return active && below(10) ? active : &studio_.window();
    }
    QWidget* widget_in(QWidget* window) {
        QList<QWidget*> all;
        for (QWidget* each : window->findChildren<QWidget*>())
            if (each->isVisible() && each->window() == window && !each->size().isEmpty()) all.append(each);
        return all.isEmpty() ? window : any(all);
    }
    QPoint point_in(const QWidget& widget) { return {below(widget.width()), below(widget.height())}; }
    Qt::KeyboardModifiers modifiers() {
        static const std::array all{Qt::KeyboardModifiers(),
                                    Qt::KeyboardModifiers(),
                                    Qt::KeyboardModifiers(),
                                    Qt::KeyboardModifiers(Qt::ShiftModifier),
                                    Qt::KeyboardModifiers(Qt::ControlModifier),
                                    Qt::KeyboardModifiers(Qt::AltModifier)};
        return all[std::size_t(below(int(all.size())))];
    }

    void once() {
        QElapsedTimer clock;
        clock.start();
        static_cast<Program*>(qApp)->begin();
        what_.clear();
        const int left = left_;
        do_something();
        // An action with a loop of its own did not hold anything up, since others were done meanwhile.
        if (const qint64 took = clock.elapsed(); took > slow && left == left_)
            std::printf("SLOW %lld ms: %s\n", static_cast<long long>(took), qPrintable(what_));
        stop_what_takes_long();
    }

    void tell(const QString& what) {
        what_ = what;
        std::printf("%s\n", qPrintable(what));
        std::fflush(stdout);
    }

    void do_something() {
        if (auto* files = visible_file_dialog()) {
            // The dialog may have asked whether to replace a file. It must not close before the loop of that question
            // has ended.
            if (!answers_) answer(*files);
            return;
        }
        QWidget* window = top();
        if (window != &studio_.window() && below(4) == 0) return press(window, Qt::Key_Escape, {});
        const int kind = below(100);
        if (kind < 25) return act();
        if (kind < 50) return click(widget_in(window));
        if (kind < 54) return double_click(widget_in(window));
        if (kind < 59) return context_menu(widget_in(window));
        if (kind < 76) return press_any(window);
        if (kind < 86) return drag(widget_in(window), widget_in(window));
        if (kind < 90) return wheel(widget_in(window));
        if (kind < 92) return resize();
        if (kind < 96) return open();
        if (kind < 97) return undo_all();
        pause_ = 400; // time for what was begun to end
    }

    /// Prefers actions that make something, or else the studio would stay empty.
    void act() {
        static const QStringList makers{
            QStringLiteral("run.generate"),     QStringLiteral("run.to-timeline"), QStringLiteral("run.branch"),
            QStringLiteral("run.resume"),       QStringLiteral("timeline.split"),  QStringLiteral("timeline.extend"),
            QStringLiteral("timeline.retake"),  QStringLiteral("tune.take-all"),   QStringLiteral("compare.selected"),
            QStringLiteral("timeline.trim-in"), QStringLiteral("edit.undo"),       QStringLiteral("edit.redo")};
        QList<QAction*> all;
        QStringList names;
        const bool makes = below(3) == 0;
        for (const auto& each : studio_.window().actions().entries()) {
            if (!each.action->isEnabled() || each.id == QLatin1String("file.quit")) continue;
            if (makes && !makers.contains(each.id)) continue;
            all.append(each.action);
            names.append(each.id);
        }
        if (all.isEmpty()) return;
        const int i = below(int(all.size()));
        tell(QStringLiteral("action ") + names[i]);
        all[i]->trigger();
    }

    /// A file dialog with nothing above it, such as its question whether to replace a file.
    QFileDialog* visible_file_dialog() {
        if (QWidget* modal = QApplication::activeModalWidget()) return qobject_cast<QFileDialog*>(modal);
        for (QWidget* each : QApplication::topLevelWidgets())
            if (auto* dialog = qobject_cast<QFileDialog*>(each); dialog && dialog->isVisible()) return dialog;
        return nullptr;
    }
    /// Qt's own dialog can also rename and remove files, so it only gets a name and a press of its button.
    void answer(QFileDialog& dialog) {
        if (below(3) == 0) {
            tell(QStringLiteral("file dialog: cancel"));
            return dialog.reject();
        }
        const bool saves = dialog.acceptMode() == QFileDialog::AcceptSave;
        const QString name = saves ? new_name() : any(files_);
        tell(QStringLiteral("file dialog: ") + name);
        dialog.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(name);
        auto* button =
            dialog.findChild<QDialogButtonBox*>()->button(saves ? QDialogButtonBox::Save : QDialogButtonBox::Open);
        if (!button || !button->isEnabled()) return dialog.reject();
        const QScopedValueRollback answers(answers_, true);
        button->click();
    }
    QString new_name() {
        static const QStringList endings{QStringLiteral(".mp4"),  QStringLiteral(".denoir"), QStringLiteral(".png"),
                                         QStringLiteral(".json"), QStringLiteral(".html"),   QString()};
        const QString made =
            QFileInfo(files_.constFirst()).dir().filePath(QStringLiteral("made-%1%2").arg(below(9)).arg(any(endings)));
        if (!files_.contains(made)) files_.append(made);
        return made;
    }

    void click(QWidget* widget) {
        const QPoint at = point_in(*widget);
        tell(QStringLiteral("click ") + name_of(*widget));
        const QPoint there = widget->mapTo(widget->window(), at);
        const auto with = modifiers();
        const QPointer<QWindow> handle = widget->window()->windowHandle();
        if (handle) QTest::mousePress(handle, Qt::LeftButton, with, there);
        if (handle) QTest::mouseRelease(handle, Qt::LeftButton, with, there);
    }
    void double_click(QWidget* widget) {
        tell(QStringLiteral("double click ") + name_of(*widget));
        if (widget->window() != &studio_.window()) return; // the first click may close it
        QTest::mouseDClick(studio_.window().windowHandle(), Qt::LeftButton, {},
                           widget->mapTo(widget->window(), point_in(*widget)));
    }
    void context_menu(QWidget* widget) {
        tell(QStringLiteral("context menu ") + name_of(*widget));
        const QPoint at = point_in(*widget);
        QApplication::postEvent(widget, new QContextMenuEvent(QContextMenuEvent::Mouse, at, widget->mapToGlobal(at)));
    }
    void press(QWidget* window, int key, Qt::KeyboardModifiers with) {
        tell(QStringLiteral("key %1 %2 in %3")
                 .arg(QKeySequence(key).toString())
                 .arg(int(with), 0, 16)
                 .arg(name_of(*window)));
        // The press may close the window before the release, and each modifier adds another press.
        const QPointer<QWindow> handle = window->windowHandle();
        if (window != &studio_.window()) with = {};
        if (handle) QTest::keyPress(handle, Qt::Key(key), with);
        if (handle) QTest::keyRelease(handle, Qt::Key(key), with);
    }
    void press_any(QWidget* window) {
        static const std::array keys{Qt::Key_Tab,    Qt::Key_Return,   Qt::Key_Escape,    Qt::Key_Space,  Qt::Key_Left,
                                     Qt::Key_Right,  Qt::Key_Up,       Qt::Key_Down,      Qt::Key_Home,   Qt::Key_End,
                                     Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_Backspace, Qt::Key_Delete, Qt::Key_F1,
                                     Qt::Key_F2,     Qt::Key_A,        Qt::Key_B,         Qt::Key_E,      Qt::Key_R,
                                     Qt::Key_S,      Qt::Key_T,        Qt::Key_X,         Qt::Key_Z,      Qt::Key_0,
                                     Qt::Key_1,      Qt::Key_9,        Qt::Key_Comma,     Qt::Key_Period, Qt::Key_Minus,
                                     Qt::Key_Plus,   Qt::Key_Menu};
        const int key = keys[std::size_t(below(int(keys.size())))];
        press(window, key, modifiers());
    }
    void drag(QWidget* from, QWidget* to) {
        QWidget* window = from->window();
        if (to->window() != window || !window->windowHandle()) return;
        if (const auto* list = qobject_cast<QAbstractItemView*>(from->parentWidget()); list && list->dragEnabled())
            return; // the drag opens a loop that only the window system's own events can end
        tell(QStringLiteral("drag %1 to %2").arg(name_of(*from), name_of(*to)));
        QPointer<QWidget> still = window;
        const QPoint a = from->mapTo(window, point_in(*from)), b = to->mapTo(window, point_in(*to));
        const auto with = modifiers();
        QTest::mousePress(window->windowHandle(), Qt::LeftButton, with, a);
        for (int i = 1; i <= 4 && still && still->windowHandle(); ++i)
            QTest::mouseMove(still->windowHandle(), a + (b - a) * i / 4);
        if (still && still->windowHandle()) QTest::mouseRelease(still->windowHandle(), Qt::LeftButton, with, b);
    }
    void wheel(QWidget* widget) {
        tell(QStringLiteral("wheel ") + name_of(*widget));
        const QPoint at = point_in(*widget);
        QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, below(2) ? 120 : -120}, {}, modifiers(),
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(widget, &event);
    }
    void resize() {
        const QSize size(900 + below(1200), 600 + below(800));
        tell(QStringLiteral("resize %1 %2").arg(size.width()).arg(size.height()));
        studio_.window().resize(size);
    }
    void shift_docks() {
        QList<QDockWidget*> seen;
        for (auto* dock : studio_.window().findChildren<QDockWidget*>())
            if (dock->isVisible() && !dock->isFloating()) seen.append(dock);
        if (seen.isEmpty()) return;
        const bool across = below(2);
        studio_.window().resizeDocks({any(seen)}, {80 + below(500)}, across ? Qt::Horizontal : Qt::Vertical);
    }
    void open() {
        QStringList paths{any(files_)};
        if (below(3) == 0) paths.append(any(files_));
        tell(QStringLiteral("open ") + paths.join(QLatin1Char(' ')));
        studio_.window().open_paths(paths);
    }
    void undo_all() {
        tell(QStringLiteral("undo and redo everything"));
        if (!undo_holds()) std::abort();
    }

    void stop_what_takes_long() {
        auto& queue = studio_.core().queue;
        if (queue.running() == 0) return running_.invalidate();
        if (!running_.isValid()) running_.start();
        if (running_.elapsed() < too_long) return;
        tell(QStringLiteral("stops what takes long"));
        queue.cancel_current();
        running_.restart();
    }

    static QString name_of(const QWidget& widget) {
        QString name = QLatin1String(widget.metaObject()->className());
        for (const QWidget* each = &widget; each; each = each->parentWidget())
            if (!each->objectName().isEmpty()) return name + QLatin1Char(' ') + each->objectName();
        return name;
    }

    StudioFixture& studio_;
    QRandomGenerator random_;
    QStringList files_; ///< files to open, good and bad ones
    QString what_;
    QElapsedTimer running_;
    int left_ = 0;
    int pause_ = 3;        ///< ms before the next action
    bool answers_ = false; ///< a file dialog is being answered further down the stack
    QEventLoop loop_;
};

/// Pictures, videos, requests, a run, a folder, and files that only pretend to be something.
QStringList make_files(const QTemporaryDir& folder) {
    QStringList files{folder.filePath(QStringLiteral("none.mp4"))};
    const auto write = [&](const char* name, const QByteArray& content) {
        const QString path = folder.filePath(QLatin1String(name));
        QFile file(path);
        if (file.open(QIODevice::WriteOnly)) file.write(content);
        files.append(path);
    };
    write("broken.mp4", QByteArray(3000, 'm'));
    write("broken.png", "\x89PNG\r\n\x1a\n");
    write("broken.denoir", "{\"version\": 2, \"shots\": [");
    write("broken.json", "[1, 2");
    write("empty.json", "");
    write("request.json", R"({"prompt": "A blue star.", "steps": 2, "frames": 5, "width": 64, "height": 48})");
    write("sweep.json",
          R"({"prompt": "A red ball.", "frames": 5, "steps": 2, "axes": {"seed": [1, 2], "guidance": [1, 3]}})");
    const auto picture = [&](const char* name, QSize size, Qt::GlobalColor colour) {
        QImage image(size, QImage::Format_RGB32);
        image.fill(colour);
        const QString path = folder.filePath(QLatin1String(name));
        if (image.save(path)) files.append(path);
    };
    picture("wide.png", {320, 90}, Qt::blue);
    picture("tall.jpg", {64, 200}, Qt::yellow);
    const QString clip = folder.filePath(QStringLiteral("clip.mp4"));
    app::write_clip(clip, 96, 64, 12);
    files.append(clip);
    files.append(app::tiny_run(folder.filePath(QStringLiteral("run"))));
    files.append(folder.path());
    return files;
}

int play(quint32 seed, int sessions, int events, int sizes) {
    const app::Home home;
    const Deaf deaf;
    const QTemporaryDir folder(QDir::temp().filePath(QStringLiteral("m-XXXXXX"))); // it may be on another disk
    const QStringList files = make_files(folder);
    QDir().mkpath(home.data(QStringLiteral("runs")));
    for (const quint64 each : {1, 2, 3}) app::tiny_run(home.data(QStringLiteral("runs/run-%1").arg(each)), 3, each);
    bool good = true;
    std::vector<app::Shot> left; ///< what the session before left
    for (int i = 0; i < sessions; ++i) {
        std::printf("== seed %u, session %d\n", seed, i);
        StudioFixture studio;
        studio.core().document.load(app::tiny_request()); // whatever the session before made of it
        if (i > 0 && studio.core().project.shots() != left) {
            std::printf("RESTART: other shots\n");
            good = false;
        }
        Monkey monkey(studio, seed + quint32(i) * 1000, files);
        monkey.play(events);
        monkey.try_sizes(sizes);
        good = monkey.undo_holds() && good;
        const auto& core = studio.core();
        std::printf("== %d shots, %d runs, %d undo steps\n", core.project.count(), core.history.total(),
                    core.project.step());
        left = core.project.shots();
        studio.window().close();
    }
    std::printf("== done\n");
    return good ? 0 : 1;
}

} // namespace
} // namespace denoir::ui

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("DENOIR_RESOURCES")) qputenv("DENOIR_RESOURCES", DENOIR_BUNDLED);
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    denoir::ui::Program program(argc, argv);
    QLocale::setDefault(QLocale::c());
    const denoir::ui::Translation words(program);
    const QStringList given = QCoreApplication::arguments();
    const auto number = [&](int i, int otherwise) { return given.size() > i ? given[i].toInt() : otherwise; };
    return denoir::ui::play(quint32(number(1, 1)), number(2, 3), number(3, 1000), number(4, 400));
}

#include "monkey.moc"
