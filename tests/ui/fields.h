// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QLabel>

#include "ui/widgets/field.h"

namespace denoir::ui {

/// The field that contains a control.
inline Field* field_of(QWidget* control) {
    while (control && !qobject_cast<Field*>(control)) control = control->parentWidget();
    return qobject_cast<Field*>(control);
}

/// Whether the field shows an error below.
inline bool shows_error(const Field* field) {
    const auto* error = field->findChild<QLabel*>(QStringLiteral("error"));
    return error->isVisibleTo(field) && !error->text().isEmpty();
}

} // namespace denoir::ui
