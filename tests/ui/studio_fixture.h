// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QApplication>
#include <QDialogButtonBox>
#include <QDir>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QListView>
#include <QPointer>
#include <QPushButton>
#include <QSemaphore>
#include <QTest>
#include <QWindow>

#include <memory>

#include "app/clips/frame_cache.h"
#include "app/project/project.h"
#include "app/runs/engine_worker.h"
#include "app/runs/run_history.h"
#include "app/runs/run_queue.h"
#include "app/studio.h"
#include "tests/app/home.h"
#include "tests/app/tiny.h"
#include "ui/actions/shortcut_guard.h"
#include "ui/studio.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/window/main_window.h"
#include "ui/window/opener.h"
#include "ui/window/project_files.h"
#include "ui/window/viewer.h"

namespace denoir::ui {

/// Waits until everything that was dropped or named has been looked at. True for a widget that is no main window.
inline bool looked_at(const QWidget& window) {
    const auto* opener = window.findChild<Opener*>();
    const auto* files = window.findChild<ProjectFiles*>();
    return !opener || QTest::qWaitFor([&] { return !opener->busy() && !files->busy(); }, 30000);
}

/// The whole studio as main() composes it, with a hand on its keyboard and mouse. Events enter at the window as the
/// window system gives them, so that shortcuts, focus and hit tests are the real ones.
class StudioFixture {
public:
    /// `files` are named on the command line.
    explicit StudioFixture(Layout layout = Layout::create, Scheme scheme = Scheme::dark, QSize size = {1280, 800},
                           const QStringList& files = {})
        : core_(std::make_unique<app::Studio>()),
          frames_(256 << 20),
          theme_(*qApp),
          studio_(*core_, frames_, theme_),
          window_(std::make_unique<MainWindow>(studio_)) {
        theme_.set_scheme(scheme);
        qApp->installEventFilter(&guard_);
        core_->history.wait_scanned(10000);
        window_->resize(size);
        window_->show();
        (void)QTest::qWaitForWindowExposed(window_.get());
        window_->activateWindow();
        (void)QTest::qWaitForWindowActive(window_.get(), 2000);
        window_->begin(layout, files);
        const auto* projects = window_->findChild<ProjectFiles*>();
        (void)QTest::qWaitFor([&] { return !projects->busy(); }, 30000); // the last project is opened by itself
    }
    ~StudioFixture() { qApp->removeEventFilter(&guard_); }

    MainWindow& window() { return *window_; }
    app::Studio& core() { return *core_; }
    Theme& theme() { return theme_; }
    template <class W> W* find(const char* name) { return window_->findChild<W*>(QLatin1String(name)); }

    /// Shortcuts belong to the active window. Without a window manager nobody takes care of that, and the window of the
    /// test before may take the focus away when it closes, at any later time.
    void have_focus() {
        for (int i = 0; i < 3 && QGuiApplication::focusWindow() != window_->windowHandle(); ++i) {
            window_->activateWindow();
            (void)QTest::qWaitForWindowActive(window_.get(), 2000);
        }
    }
    /// Opens files as if they were dropped on the window or named on the command line. Returns once all are opened.
    void open(const QStringList& paths) {
        window_->open_paths(paths);
        QVERIFY(looked_at(*window_));
    }
    /// Sends a key as the window system does.
    void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        have_focus();
        QTest::keyClick(window_->windowHandle(), Qt::Key(key), modifiers);
    }
    void type(const QString& text) {
        have_focus();
        for (const QChar c : text) QTest::keyClick(window_->windowHandle(), c.toLatin1());
    }
    void click(QWidget* widget, QPoint at = {}, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        if (at.isNull()) at = widget->rect().center();
        QTest::mouseClick(window_->windowHandle(), Qt::LeftButton, modifiers, widget->mapTo(window_.get(), at));
    }
    void drag(QWidget* widget, QPoint from, QPoint to) {
        const auto at = [&](QPoint p) { return widget->mapTo(window_.get(), p); };
        QTest::mousePress(window_->windowHandle(), Qt::LeftButton, {}, at(from));
        for (int i = 1; i <= 8; ++i) {
            QTest::mouseMove(window_->windowHandle(), at(from + (to - from) * i / 8));
            QTest::qWait(5);
        }
        QTest::mouseRelease(window_->windowHandle(), Qt::LeftButton, {}, at(to));
    }
    QPoint row_point(QListView* list, int row) { return list->visualRect(list->model()->index(row, 0)).center(); }

    /// Presses the button of a banner with these words. False if there is none.
    bool press(const QString& words) {
        for (auto* button : window_->banners().findChildren<QPushButton*>())
            if (button->isVisible() && button->text() == words) {
                click(button);
                return true;
            }
        return false;
    }
    bool idle(int milliseconds = 300000) {
        return QTest::qWaitFor(
            [&] { // a run may be waiting for its request to be resolved
                return !core_->document.pending() && !core_->inputs.busy() && core_->queue.running() == 0 &&
                       core_->queue.waiting() == 0 && !core_->worker.busy();
            },
            milliseconds);
    }
    /// Puts the bundled model into the parameters, as if remembered from an earlier session, with so small a size that
    /// a story takes seconds. DENOIR_STORIES=large uses the model as it is meant, for pictures that people will look
    /// at.
    void use_model(int steps = 3) {
        Request request;
        request.prompt = prompt().toStdString();
        request.width = 128, request.height = 80, request.frames = 5, request.steps = steps;
        request.seed = 7;
        request.threads = 2;
        if (large()) {
            request.width = 256, request.height = 144, request.frames = frames();
            request.steps = std::max(steps, 20);
        }
        core_->document.load(request);
        core_->document.wait_resolved(20000);
        for (const auto& issue : core_->document.issues()) QFAIL(qPrintable(issue.line()));
    }
    static QString prompt() {
        return large() ? QStringLiteral("A red balloon floats up over the sea.") : QStringLiteral("A red balloon.");
    }
    /// The frames of each run that use_model() leads to.
    static int frames() { return large() ? 33 : 5; }
    static bool large() { return qEnvironmentVariable("DENOIR_STORIES") == QStringLiteral("large"); }

    /// Gives a name to the file dialog that an action opened, and presses its button. False if none was opened.
    bool answer_file_dialog(const QString& path) {
        QPointer<QFileDialog> dialog;
        const auto there = [&] {
            for (auto* each : window_->findChildren<QFileDialog*>())
                if (each->isVisible()) dialog = each;
            return dialog && dialog->windowHandle();
        };
        if (!QTest::qWaitFor(there, 5000) || !QTest::qWaitForWindowExposed(dialog)) return false;
        dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(path);
        auto* box = dialog->findChild<QDialogButtonBox*>();
        auto* accept = box->button(dialog->acceptMode() == QFileDialog::AcceptSave ? QDialogButtonBox::Save
                                                                                   : QDialogButtonBox::Open);
        if (!QTest::qWaitFor([&] { return accept->isEnabled(); }, 2000)) return false;
        QTest::mouseClick(dialog->windowHandle(), Qt::LeftButton, {}, accept->mapTo(dialog, accept->rect().center()));
        return QTest::qWaitFor([&] { return !dialog || !dialog->isVisible(); }, 5000);
    }
    /// Leaves a picture of the window at this moment, without waiting.
    void snapshot(const QString& name) { save(name); }
    /// Leaves a picture in the build folder. If large() also in both themes and at twice the size, for people to look
    /// at.
    void picture(const QString& name) {
        QTest::qWait(large() ? 800 : 60); // for the thumbnails
        save(name);
        if (!large()) return;
        const Scheme scheme = theme_.scheme();
        const QSize size = window_->size();
        for (const Scheme each : {Scheme::dark, Scheme::light})
            for (const QSize pixels : {QSize(1280, 800), QSize(2560, 1440)}) {
                theme_.set_scheme(each);
                window_->resize(pixels);
                QTest::qWait(400); // for the thumbnails of another size
                save(QStringLiteral("looks/%1-%2-%3").arg(name, scheme_name(each)).arg(pixels.width()));
            }
        theme_.set_scheme(scheme);
        window_->resize(size);
        QTest::qWait(100);
    }

private:
    void save(const QString& name) {
        const QString file = QStringLiteral(DENOIR_PICTURES) + QLatin1Char('/') + name + QStringLiteral(".png");
        QVERIFY(QDir().mkpath(QFileInfo(file).path()));
        QVERIFY(window_->grab().save(file));
    }

    std::unique_ptr<app::Studio> core_;
    app::FrameCache frames_;
    Theme theme_;
    ShortcutGuard guard_;
    Studio studio_;
    std::unique_ptr<MainWindow> window_;
};

/// Holds up everything that is prepared from now on until `go_on` is released.
inline void hold_up_inputs(StudioFixture& studio, QSemaphore& go_on) {
    const auto wait = [&go_on] {
        go_on.acquire();
        return true;
    };
    studio.core().inputs.put(&studio.window(), wait, [](bool) {});
}

} // namespace denoir::ui
