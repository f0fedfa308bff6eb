// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLocale>
#include <QString>
#include <string>

namespace denoir::app {

/// A number as the engine ("1.2e-05") or QString::number() writes it, but with the locale's decimal point.
/// QLocale::toString() would write exponents in another way and group digits.
inline QString local_number(QString plain) { return plain.replace(QLatin1Char('.'), QLocale().decimalPoint()); }
inline QString local_number(const std::string& plain) { return local_number(QString::fromStdString(plain)); }
inline QString local_number(double value, char format, int digits) {
    return local_number(QString::number(value, format, digits));
}

} // namespace denoir::app
