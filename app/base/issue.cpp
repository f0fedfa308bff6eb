// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/base/issue.h"

#include <QObject>
#include <new>
#include <stdexcept>

#include "app/base/engine_text.h"
#include "app/base/text.h"
#include "engine/core/disk.h"
#include "engine/core/memory.h"

namespace denoir::app {

QString Issue::line() const {
    QString out;
    for (const QString& part : {file, engine_text(field)})
        if (!part.isEmpty()) out += part + QStringLiteral(": ");
    return out + words(*this);
}

Issue Issue::from(const Error& error) {
    const auto clean = [](const std::string& text) { return to_qstring(printable(text, 240)); };
    return {clean(error.file()), clean(error.field()), clean(error.message()), clean(error.hint()),
            dynamic_cast<const NoSpace*>(&error) != nullptr};
}

Issue Issue::from_current_exception() try { throw; } catch (const Cancelled&) {
    return {};
} catch (const Error& error) {
    return from(error);
} catch (const std::bad_alloc&) {
    return from(not_enough_memory());
} catch (const std::length_error&) {
    return from(not_enough_memory());
} catch (...) {
    return {{}, {}, QObject::tr("an internal error"), QObject::tr("try again; if it stays, report it")};
}

} // namespace denoir::app
