// SPDX-License-Identifier: Apache-2.0
#include "app/request/prompt_history.h"

#include <QTest>

#include <optional>

#include "tests/app/home.h"

using namespace denoir;
using namespace denoir::app;

namespace {

QString text(const char* t) { return QString::fromUtf8(t); }

} // namespace

class PromptHistoryTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        home_.emplace();
        qputenv("DENOIR_RESOURCES", home_->file(text("resources")).toUtf8());
    }
    void cleanup() {
        qunsetenv("DENOIR_RESOURCES");
        home_.reset();
    }

    void prompts_are_walked_like_a_shell() {
        PromptHistory history;
        QVERIFY(history.previous(text("new")).isNull());
        history.add(text("one"));
        history.add(text("two"));
        history.add(text("one")); // each once
        history.add(text("  "));
        QCOMPARE(history.prompts(), (QStringList{text("two"), text("one")}));
        QCOMPARE(history.previous(text("draft")), text("one"));
        QCOMPARE(history.previous(text("one")), text("two"));
        QVERIFY(history.previous(text("two")).isNull());
        QCOMPARE(history.next(), text("one"));
        QCOMPARE(history.next(), text("draft"));
        QVERIFY(history.next().isNull());
        QCOMPARE(history.previous(text("one")), text("two")); // what is shown is no step back
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
    std::optional<Home> home_;
};

QTEST_GUILESS_MAIN(PromptHistoryTest)
#include "prompt_history_test.moc"
