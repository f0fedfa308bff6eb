// SPDX-License-Identifier: Apache-2.0
#include "ui/window/arguments.h"

#include <QTest>

using namespace denoir;
using namespace denoir::ui;

class ArgumentsTest : public QObject {
    Q_OBJECT
private slots:
    void arguments() {
        const auto read = [](QStringList words) { return read_arguments(QStringList{"denoir"} + words); };
        const auto good = read({"--layout", "compare", "--size=2560x1440", "--theme", "light", "--screenshot",
                                "/x/y.png", "--open", "/a", "/b"});
        QVERIFY(good.error.isEmpty());
        QCOMPARE(*good.layout, Layout::compare);
        QCOMPARE(*read({"--layout=tune"}).layout, Layout::tune);
        QCOMPARE(*good.size, QSize(2560, 1440));
        QCOMPARE(good.paths, (QStringList{"/a", "/b"}));
        for (const QStringList& bad : {QStringList{"--layout", "other"},
                                       {"--size", "10x10"},
                                       {"--size", "big"},
                                       {"--theme", "pink"},
                                       {"--theme"},
                                       {"--what"}}) {
            const QString error = read(bad).error;
            QVERIFY2(!error.isEmpty() && !error.contains('\n') && error.startsWith(bad[0]), qPrintable(error));
        }
        QCOMPARE(read({"--", "--odd"}).paths.size(), 1);
    }
};

QTEST_GUILESS_MAIN(ArgumentsTest)
#include "arguments_test.moc"
