// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QMessageBox>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/clips/frame_cache.h"
#include "app/desktop/session_bus.h"
#include "app/desktop/single_instance.h"
#include "app/desktop/termination.h"
#include "app/studio.h"
#include "engine/core/error.h"
#include "ui/actions/shortcut_guard.h"
#include "ui/studio.h"
#include "ui/theme/theme.h"
#include "ui/window/arguments.h"
#include "ui/window/main_window.h"
#include "ui/window/screenshot.h"
#include "ui/window/translation.h"

using namespace denoir;

namespace {

int refuse(const QString& text) {
    std::fprintf(stderr, "denoir: %s\n", qPrintable(text));
    return 1;
}

/// Whether somebody may read stderr: a terminal, a pipe or a file. Desktops start programs with a socket or nothing.
bool stderr_is_read() {
    struct stat s {};
    return isatty(STDERR_FILENO) != 0 || (fstat(STDERR_FILENO, &s) == 0 && (S_ISFIFO(s.st_mode) || S_ISREG(s.st_mode)));
}

/// Prints an error, and shows it in a window if the program was started from a desktop, where nobody sees stderr.
int refuse_to_start(const QString& text, const ui::Arguments& arguments) {
    refuse(text);
    if (arguments.screenshot.isEmpty() && !stderr_is_read())
        QMessageBox(QMessageBox::NoIcon, QApplication::applicationDisplayName(), text, QMessageBox::Close).exec();
    return 1;
}

/// Lets --screenshot work without a display, which Qt must know before it starts.
void draw_without_display(int argc, char** argv) {
    const bool picture = std::any_of(argv, argv + argc, [](std::string_view word) {
        return word == "--screenshot" || word.starts_with("--screenshot=");
    });
    if (picture && qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") &&
        qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        // The offscreen platform complains about every window, which would hide real errors.
        static QtMessageHandler others =
            qInstallMessageHandler([](QtMsgType type, const QMessageLogContext& context, const QString& text) {
                if (!text.startsWith(QLatin1String("This plugin does not support"))) others(type, context, text);
            });
    }
}

int run(QApplication& program, const ui::Arguments& arguments) {
    // --screenshot changes nothing, so it may run beside another studio.
    app::SingleInstance instance;
    if (arguments.screenshot.isEmpty() && !instance.begin(arguments.paths)) {
        if (instance.handed_over()) return 0;
        return refuse_to_start(QStringLiteral("another studio uses this data folder and does not answer; close it, or "
                                              "set DENOIR_HOME to another folder"),
                               arguments);
    }
    app::Studio core;
    app::FrameCache frames(core.settings.frame_cache_bytes());
    ui::Theme theme(program);
    theme.set_scheme(arguments.theme.value_or(ui::scheme_from_name(core.settings.theme())));
    ui::ShortcutGuard guard;
    program.installEventFilter(&guard);
    ui::Studio studio(core, frames, theme);
    ui::MainWindow window(studio);
    if (arguments.size) window.resize(*arguments.size);
    if (!arguments.screenshot.isEmpty()) return ui::take_screenshot(window, studio, arguments);

    // The end of a session, `kill` and Ctrl+C close the window as usual, so that nothing is lost.
    app::Termination termination;
    QObject::connect(&termination, &app::Termination::asked, &window, [&window] {
        window.close();
        QApplication::exit(); // even if a menu or question is open
    });
    if (!arguments.size) window.restore_place();
    window.show();
    window.begin(arguments.layout.value_or(ui::Layout::create), arguments.paths);
    const auto come_forward = [&window] {
        window.setWindowState(window.windowState() & ~Qt::WindowMinimized);
        window.raise();
        window.activateWindow();
    };
    QObject::connect(&instance, &app::SingleInstance::arguments_received, &window,
                     [&window, come_forward](const QStringList& paths) {
                         window.open_paths(paths);
                         come_forward();
                     });
    QObject::connect(&core.notifier, &app::Notifier::activated, &window, come_forward);
    const int code = QApplication::exec();
    instance.end();
    return code;
}

} // namespace

int main(int argc, char** argv) {
    QApplication::setApplicationName(QStringLiteral("denoir"));
    QApplication::setApplicationDisplayName(QStringLiteral("Denoir"));
    QApplication::setApplicationVersion(QStringLiteral(DENOIR_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("denoir"));
    // --help and the like need no display.
    if (const auto done = ui::answer_without_window(argc, argv)) return *done;
    app::never_start_a_session_bus();
    draw_without_display(argc, argv);
    QApplication program(argc, argv);
    ui::Translation translation(program);
    const auto arguments = ui::read_arguments(QApplication::arguments());
    if (!arguments.error.isEmpty()) {
        refuse(arguments.error);
        return 2;
    }
    try {
        return run(program, arguments);
    } catch (const Error& error) {
        return refuse_to_start(QString::fromUtf8(error.what()), arguments);
    }
}
