// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QApplication>
#include <QLocale>
#include <QTest>

#include "ui/window/translation.h"

namespace denoir::ui {

/// main() of a test of the window: Qt's own dialogs, which a test can answer; numbers as in C; the studio's words.
template <class Test> int run_window_test(int argc, char** argv) {
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QApplication program(argc, argv);
    QLocale::setDefault(QLocale::c());
    const Translation words(program);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace denoir::ui
