// SPDX-License-Identifier: Apache-2.0
#include "app/request/prompt_history.h"

#include <QTest>

#include <optional>

#include "tests/app/home.h"

using namespace denoir;
using namespace denoir::app;

class PromptHistoryTest : public QObject {
    Q_OBJECT
private slots:
    void init() { home_.emplace(); }
    void cleanup() { home_.reset(); }

    void prompts_are_walked_like_a_shell() {
        PromptHistory history;
        QVERIFY(history.previous(QStringLiteral("new")).isNull());
        history.add(QStringLiteral("one"));
        history.add(QStringLiteral("two"));
        history.add(QStringLiteral("one")); // a repeated prompt counts once
        history.add(QStringLiteral("  "));
        QCOMPARE(history.prompts(), (QStringList{QStringLiteral("two"), QStringLiteral("one")}));
        QCOMPARE(history.previous(QStringLiteral("draft")), QStringLiteral("one"));
        QCOMPARE(history.previous(QStringLiteral("one")), QStringLiteral("two"));
        QVERIFY(history.previous(QStringLiteral("two")).isNull());
        QCOMPARE(history.next(), QStringLiteral("one"));
        QCOMPARE(history.next(), QStringLiteral("draft"));
        QVERIFY(history.next().isNull());
        // The prompt that is shown already is passed over.
        QCOMPARE(history.previous(QStringLiteral("one")), QStringLiteral("two"));
    }

    void prompts_are_kept() {
        {
            PromptHistory history;
            for (int i = 0; i < PromptHistory::limit + 20; ++i) history.add(QString::number(i));
        }
        QCOMPARE(PromptHistory().prompts().size(), PromptHistory::limit);
        QCOMPARE(PromptHistory().prompts().last(), QString::number(PromptHistory::limit + 19));
    }

private:
    std::optional<BareHome> home_;
};

QTEST_GUILESS_MAIN(PromptHistoryTest)
#include "prompt_history_test.moc"
