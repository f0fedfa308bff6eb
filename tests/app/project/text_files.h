// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QFile>
#include <QTest>

namespace denoir::app {

inline QString read(const QString& file) {
    QFile in(file);
    return in.open(QIODevice::ReadOnly) ? QString::fromUtf8(in.readAll()) : QString();
}
inline void write(const QString& file, const QString& text) {
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly | QIODevice::Truncate));
    out.write(text.toUtf8());
}

} // namespace denoir::app
