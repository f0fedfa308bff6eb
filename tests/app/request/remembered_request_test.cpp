// SPDX-License-Identifier: Apache-2.0
#include "app/request/remembered_request.h"

#include <QFile>
#include <QTest>
#include <QUndoStack>

#include "app/base/settings.h"
#include "app/base/text.h"
#include "app/request/request_document.h"
#include "engine/core/atomic_file.h"
#include "engine/session/request_json.h"
#include "tests/app/home.h"
#include "tests/app/tiny.h"

using namespace denoir;
using namespace denoir::app;

class RememberedRequestTest : public QObject {
    Q_OBJECT
private slots:
    void init() { home_.emplace(); }
    void cleanup() { home_.reset(); }

    /// A crash a moment after the last edit must not lose it.
    void each_edit_is_kept_soon() {
        Session first(*this);
        first.kept.restore(QStringLiteral("a fox"));
        QCOMPARE(first.document.asked().prompt, std::string("a fox"));
        first.document.set_value(QStringLiteral("steps"), 7);
        first.document.set_value(QStringLiteral("seed"), 42);
        QTRY_VERIFY_WITH_TIMEOUT(stored() == asked_json(first.document.asked()), 30000);
        // Only a locked seed comes back, because the one that was drawn for a run is not meant for all others.
        first.document.set_seed_locked(false);
        QTRY_VERIFY_WITH_TIMEOUT(!stored().contains("seed"), 30000);
        first.document.set_seed_locked(true);
        QTRY_VERIFY_WITH_TIMEOUT(stored().contains("seed"), 30000);
        Session next(*this);
        next.kept.restore(QStringLiteral("a boat"));
        QVERIFY(asked_json(next.document.asked()) == asked_json(first.document.asked()));
        QVERIFY(next.document.seed_locked());
    }

    void saving_at_the_end_does_not_wait() {
        {
            Session last(*this);
            last.kept.restore(QStringLiteral("a fox"));
            last.kept.save();
        }
        QVERIFY(stored()["prompt"] == "a fox");
        {
            Session looks_only(*this);
            looks_only.kept.restore({});
            looks_only.kept.keep_nothing();
            looks_only.document.set_value(QStringLiteral("prompt"), QStringLiteral("a boat"));
            looks_only.kept.save();
        }
        QVERIFY(stored()["prompt"] == "a fox");
    }

    /// A file of another version is put aside, and the studio begins with the first sample prompt.
    void what_cannot_be_read_is_put_aside() {
        write_file(to_path(file()), R"({"schema": 1, "steps": "many"})");
        Session session(*this);
        session.kept.restore(QStringLiteral("a fox"));
        QCOMPARE(session.document.asked().prompt, std::string("a fox"));
        QVERIFY(!session.document.asked().steps);
        QVERIFY(QFile::exists(file() + QStringLiteral(".broken")));
    }

    /// Earlier versions kept the request in the settings.
    void what_the_settings_kept_is_taken_over() {
        Settings().set_value(QStringLiteral("document/last"), QStringLiteral(R"({"schema": 1, "prompt": "a boat"})"));
        Session session(*this);
        session.kept.restore(QStringLiteral("a fox"));
        QCOMPARE(session.document.asked().prompt, std::string("a boat"));
    }

private:
    struct Session {
        explicit Session(const RememberedRequestTest& test)
            : document(undo), kept(document, settings, to_path(test.file())) {}
        QUndoStack undo;
        Settings settings;
        RequestDocument document;
        RememberedRequest kept;
    };
    QString file() const { return home_->file(QStringLiteral("request.json")); }
    Json stored() const {
        QFile in(file());
        return in.open(QIODevice::ReadOnly) ? parse_json(in.readAll().toStdString(), "request.json") : Json();
    }
    std::optional<Home> home_;
};

int main(int argc, char** argv) {
    QCoreApplication program(argc, argv);
    RememberedRequestTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "remembered_request_test.moc"
