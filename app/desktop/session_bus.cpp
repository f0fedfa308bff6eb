// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/session_bus.h"

#include <QByteArray>
#include <QFile>
#include <QtGlobal>

namespace denoir::app {
namespace {

constexpr auto variable = "DBUS_SESSION_BUS_ADDRESS";
const QByteArray none = "disabled:"; // D-Bus' word for no bus

} // namespace

bool has_session_bus() {
    const QByteArray address = qgetenv(variable);
    if (!address.isEmpty()) return address != none;
    const QByteArray runtime = qgetenv("XDG_RUNTIME_DIR");
    return !runtime.isEmpty() && QFile::exists(QFile::decodeName(runtime + "/bus"));
}

void never_start_a_session_bus() {
    if (!has_session_bus()) qputenv(variable, none);
}

} // namespace denoir::app
