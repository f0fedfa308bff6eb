// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/stories/stories.h"
#include "ui/window/translation.h"

using namespace denoir;
using namespace denoir::ui;

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("DENOIR_RESOURCES")) qputenv("DENOIR_RESOURCES", DENOIR_BUNDLED);
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs); // the stories can only answer Qt's own dialogs
    QApplication program(argc, argv);
    QLocale::setDefault(QLocale::c());
    const Translation words(program);
    if (qEnvironmentVariableIsSet("DENOIR_STORY_CHILD")) return child_life();
    StoriesTest test;
    return QTest::qExec(&test, argc, argv);
}
