// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QApplication>
#include <QLocale>
#include <QTest>

#include "ui/window/translation.h"

namespace denoir::ui {

/// The main() of the window's tests: with Qt's own dialogs, which a test can answer, with numbers as in C, and with the
/// studio's translations.
template <class Test> int run_window_test(int argc, char** argv) {
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QApplication program(argc, argv);
    QLocale::setDefault(QLocale::c());
    const Translation words(program);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace denoir::ui
