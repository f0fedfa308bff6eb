// SPDX-License-Identifier: Apache-2.0
#include "app/request/wildcards.h"

#include <QSet>
#include <QTest>

using namespace denoir::app;

class WildcardsTest : public QObject {
    Q_OBJECT
private slots:
    void the_seed_decides() {
        const QString text = QStringLiteral("A {red|blue|dark {green|grey}} balloon, {slow|fast}.");
        QVERIFY(has_wildcards(text));
        QSet<QString> seen;
        for (quint64 seed = 0; seed < 200; ++seed) {
            const QString once = resolve_wildcards(text, seed);
            QCOMPARE(resolve_wildcards(text, seed), once);
            QVERIFY(!has_wildcards(once));
            QVERIFY(!once.contains(u'{') && !once.contains(u'|'));
            seen << once;
        }
        QCOMPARE(seen.size(), 8);
    }
    /// The numbers of this generator must never change, because stored seeds must go on giving the same prompts.
    void fixed_choices() {
        const QString text = QStringLiteral("{0|1|2|3|4|5|6|7|8|9}{0|1|2|3|4|5|6|7|8|9}");
        QCOMPARE(resolve_wildcards(text, 0), QStringLiteral("50"));
        QCOMPARE(resolve_wildcards(text, 7), resolve_wildcards(text, 7));
    }
    void ordinary_text_stays() {
        for (const char* plain : {"", "no braces", "a | b", "open { brace | here", "{one}", "\\{a|b\\}", "C:\\new"}) {
            const QString text = QString::fromLatin1(plain);
            QVERIFY2(!has_wildcards(text), plain);
            QCOMPARE(resolve_wildcards(text, 3), text);
        }
        QCOMPARE(resolve_wildcards(QStringLiteral("\\{{x|x}\\}"), 1), QStringLiteral("{x}"));
        QCOMPARE(resolve_wildcards(QStringLiteral("a{|}b"), 1), QStringLiteral("ab"));
    }
    void open_braces_are_looked_at_once() {
        // With so many braces, looking at the text once more for each would take longer than any limit.
        const QString text = QString(1 << 20, u'{') + QStringLiteral("a|b");
        QVERIFY(!has_wildcards(text));
        QVERIFY(has_wildcards(text + u'}'));
        QCOMPARE(resolve_wildcards(QStringLiteral("{{{a|a}"), 1), QStringLiteral("{{a"));
        QCOMPARE(resolve_wildcards(QStringLiteral("}{a|a}{"), 1), QStringLiteral("}a{"));
    }
    void deep_nesting_ends() {
        QString deep;
        for (int i = 0; i < 300; ++i) deep += QStringLiteral("{a|");
        for (int i = 0; i < 300; ++i) deep += QStringLiteral("}");
        QCOMPARE(resolve_wildcards(deep, 1), QStringLiteral("a"));
        // A choice that is nested too deep stays in the text.
        const auto within = [](int braces) {
            return QString(braces, u'{') + QStringLiteral("{a|a}") + QString(braces, u'}');
        };
        QCOMPARE(resolve_wildcards(within(63), 1), QString(63, u'{') + u'a' + QString(63, u'}'));
        QCOMPARE(resolve_wildcards(within(64), 1), within(64));
        QCOMPARE(resolve_wildcards(within(300), 1), within(300));
    }
};

QTEST_GUILESS_MAIN(WildcardsTest)
#include "wildcards_test.moc"
