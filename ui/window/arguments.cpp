// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/arguments.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <cstdio>
#include <string_view>

#include "ui/docks/sizes.h"

namespace denoir::ui {

QString help_text() {
    return QStringLiteral(
        "Usage: denoir [OPTION…] [PATH…]\n"
        "The studio. PATH: a project, run folder, video, picture, request (.json), sweep or model folder to open.\n"
        "\n"
        "  --open PATH          the same as PATH\n"
        "  --layout NAME        create (default), compare or tune\n"
        "  --theme NAME         light or dark (default: as in the settings, else as the desktop)\n"
        "  --size WxH           size of the window in pixels (default: as it was, else 1280x800)\n"
        "  --screenshot FILE    writes a picture (PNG) of the window and ends; works without a display, too\n"
        "  --help, --version\n"
        "\n"
        "DENOIR_HOME: where runs, settings and caches live (default: the XDG folders).\n"
        "DENOIR_VIEWER: opengl or painter, what draws the pictures (default: opengl on a graphics card).\n");
}

std::optional<int> answer_without_window(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--") break;
        if (word == "--help" || word == "-h") {
            std::fputs(help_text().toUtf8().constData(), stdout);
            return 0;
        }
        if (word == "--version") {
            std::printf("denoir %s\n", qPrintable(QCoreApplication::applicationVersion()));
            return 0;
        }
    }
    return std::nullopt;
}

Arguments read_arguments(const QStringList& arguments) {
    Arguments found;
    bool options = true;
    for (int i = 1; i < arguments.size(); ++i) {
        const QString& word = arguments[i];
        if (!options || !word.startsWith(QLatin1Char('-')) || word == QLatin1String("-")) {
            found.paths.append(QFileInfo(word).absoluteFilePath());
            continue;
        }
        if (word == QLatin1String("--")) {
            options = false;
            continue;
        }
        const qsizetype equals = word.indexOf(QLatin1Char('='));
        const QString name = equals < 0 ? word : word.left(equals);
        static const QStringList known{QStringLiteral("--open"), QStringLiteral("--layout"), QStringLiteral("--theme"),
                                       QStringLiteral("--size"), QStringLiteral("--screenshot")};
        if (!known.contains(name)) {
            found.error = QStringLiteral("%1: unknown option; see denoir --help").arg(name.left(60));
            return found;
        }
        if (equals < 0 && i + 1 >= arguments.size()) {
            found.error = QStringLiteral("%1: needs a value; see denoir --help").arg(name);
            return found;
        }
        const QString value = equals < 0 ? arguments[++i] : word.mid(equals + 1);
        const auto refuse = [&](const char* hint) {
            found.error =
                QStringLiteral("%1: '%2' is unknown; %3").arg(name, value.left(60).simplified(), QLatin1String(hint));
            return found;
        };
        if (name == QLatin1String("--open")) {
            found.paths.append(QFileInfo(value).absoluteFilePath());
        } else if (name == QLatin1String("--layout")) {
            found.layout = layout_from_name(value);
            if (!found.layout) return refuse("use create, compare or tune");
        } else if (name == QLatin1String("--theme")) {
            if (value != QLatin1String("light") && value != QLatin1String("dark")) return refuse("use light or dark");
            found.theme = scheme_from_name(value);
        } else if (name == QLatin1String("--size")) {
            found.size = parse_size(value);
            if (!found.size || found.size->width() < 640 || found.size->height() < 480 || found.size->width() > 8192 ||
                found.size->height() > 8192)
                return refuse("write WxH, 640x480 to 8192x8192");
        } else {
            found.screenshot = QFileInfo(value).absoluteFilePath();
        }
    }
    return found;
}

} // namespace denoir::ui
