// SPDX-License-Identifier: Apache-2.0
#include "app/request/tokens.h"

#include <QTest>

#include "tests/app/arrivals.h"
#include "tests/app/tiny.h"

using namespace denoir;
using namespace denoir::app;

class TokensTest : public QObject {
    Q_OBJECT
private slots:
    void tokens_by_the_models_own_tokenizer() {
        Tokens tokens;
        Arrivals counted(&tokens, &Tokens::counted), failed(&tokens, &Tokens::failed);
        tokens.count(QStringLiteral("prompt"), QStringLiteral("ab c"), QStringLiteral(DENOIR_TINY_MODEL));
        QTRY_COMPARE_WITH_TIMEOUT(counted.count(), 1, 20000);
        QCOMPARE(counted[0][0].toString(), QStringLiteral("prompt"));
        QCOMPARE(counted[0][1].toInt(), 6); // the tokens _ a b _ c </s>
        QCOMPARE(counted[0][2].toInt(), 64);
        tokens.count(QStringLiteral("negative"), QString(500, QLatin1Char('x')), QStringLiteral(DENOIR_TINY_MODEL));
        QTRY_COMPARE_WITH_TIMEOUT(counted.count(), 2, 20000);
        QCOMPARE(counted[1][1].toInt(), 502);
        tokens.count(QStringLiteral("prompt"), QStringLiteral("a"), QStringLiteral("/no/such/model"));
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 20000);
        QCOMPARE(failed[0][1].value<Issue>().field, QStringLiteral("model"));
    }
};

QTEST_GUILESS_MAIN(TokensTest)
#include "tokens_test.moc"
