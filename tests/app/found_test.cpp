// SPDX-License-Identifier: Apache-2.0
#include "app/found.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTest>

#include "app/project/project_json.h"
#include "tests/app/clips.h"
#include "tests/app/home.h"

namespace denoir::app {

class FoundTest : public QObject {
    Q_OBJECT

    Home home_;

    QString write(const QString& name, const QByteArray& bytes) {
        QDir(home_.path()).mkpath(QFileInfo(name).path());
        QFile file(home_.file(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("cannot write");
        return file.fileName();
    }
    static void is(const QString& path, Found::Kind kind, const QString& at = {}) {
        const Found found = look_at(path);
        QVERIFY2(found.kind == kind,
                 qPrintable(
                     QStringLiteral("%1: kind %2, %3").arg(path).arg(static_cast<int>(found.kind)).arg(found.refusal)));
        QCOMPARE(found.path, at.isEmpty() ? path : at);
        QCOMPARE(found.refusal, QString());
    }
    static void is_refused(const QString& path, const char* why) {
        const Found found = look_at(path);
        QCOMPARE(found.kind, Found::Kind::refused);
        QVERIFY2(found.refusal.contains(QLatin1String(why)) && !found.refusal.contains('\n'),
                 qPrintable(found.refusal));
    }

private slots:
    void every_kind_is_told() {
        using Kind = Found::Kind;
        is(home_.file("gone"), Kind::nothing);
        is(write("picture.png", "\x89PNG\r\n\x1a\n"), Kind::still); // whoever shows it will say that it is damaged
        is(write("text.mp4", "no video"), Kind::clip);
        write_clip(home_.file("clip.mkv"), 64, 48, 5);
        is(home_.file("clip.mkv"), Kind::clip);
        QVERIFY(QDir(home_.path()).mkpath("empty"));
        is(home_.file("empty"), Kind::clip);
        is(home_.file("empty") + "/", Kind::clip, home_.file("empty")); // by the name that everything else uses
        const QByteArray project =
            R"({"format": "denoir-project", "version": 1, "shots": [], "request": {}, "extra": {"a": 1}})";
        for (const char* name : {"a.denoir", "project.json"}) {
            is(write(name, project), Kind::project);
            QVERIFY(look_at(home_.file(name)).project->extra.contains("a")); // the project file has been read
        }
        is(write("sweep/sweep.json", R"({"axes": {}, "cells": []})"), Kind::sweep, home_.file("sweep"));
        is(home_.file("sweep"), Kind::sweep);
        is(QFileInfo(DENOIR_FIXTURES "/_inputs/style-kohya.safetensors").absoluteFilePath(), Kind::lora);
        is(QFileInfo(DENOIR_TINY_MODEL).absoluteFilePath(), Kind::models);
        // The extension does not make it a LoRA.
        is(QFileInfo(DENOIR_TINY_MODEL "/model.safetensors").absoluteFilePath(), Kind::models);
        for (const Kind kind : {Kind::run, Kind::still, Kind::clip}) QVERIFY(is_clip(kind));
        for (const Kind kind : {Kind::nothing, Kind::refused, Kind::sweep, Kind::trace}) QVERIFY(!is_clip(kind));
    }

    void a_relative_path_is_made_absolute() {
        const QString here = QDir::currentPath();
        QVERIFY(QDir::setCurrent(home_.path()));
        is("gone", Found::Kind::nothing, QDir::current().absoluteFilePath("gone"));
        QVERIFY(QDir::setCurrent(here));
    }

    void a_request_refers_to_what_lies_beside_it() {
        const Found found = look_at(write("in/request.json", R"({"schema": 1, "prompt": "p", "image": "a.png"})"));
        QCOMPARE(found.kind, Found::Kind::request);
        QCOMPARE(found.request.prompt, std::string("p"));
        QCOMPARE(QString::fromStdString(found.request.image.string()), home_.file("in/a.png"));
    }

    void axes_come_with_their_request() {
        const Found found = look_at(write("in/axes.json", R"({"schema": 1, "request": {"image": "a.png"},
                                                             "axes": {"steps": [4, 8], "guidance": [1, 3, 6]}})"));
        QCOMPARE(found.kind, Found::Kind::axes);
        QCOMPARE(QString::fromStdString(found.request.image.string()), home_.file("in/a.png"));
        QCOMPARE(found.axes.size(), std::size_t(2));
        QCOMPARE(found.axes[1].values.size(), std::size_t(3));
    }

    void a_run_comes_with_its_request_or_with_what_is_wrong() {
        const Found found = look_at(tiny_run(home_.file("run"), 2, 7));
        QCOMPARE(found.kind, Found::Kind::run);
        QCOMPARE(found.request.steps, 2);
        QCOMPARE(found.refusal, QString());
        write("half/run.json", "{\"schema\": 1, \"state\": \"runn");
        const Found half = look_at(home_.file("half"));
        QCOMPARE(half.kind, Found::Kind::run); // it can still be compared, and its error says the same
        QVERIFY2(half.refusal.contains("run.json"), qPrintable(half.refusal));
    }

    void what_is_damaged_is_refused_in_a_line() {
        is_refused(write("syntax.json", "{\"prompt\": "), "syntax.json");
        is_refused(write("future.json", R"({"schema": 99, "prompt": "x"})"), "future.json");
        is_refused(write("wrong-axes.json", R"({"schema": 1, "request": {}, "axes": {"colour": [1]}})"), "colour");
        is_refused(write("models/model.safetensors", "no weights"), "model.safetensors");
        QByteArray large(17 << 20, ' ');
        large.replace(0, 2, "{}");
        is_refused(write("large.json", large), "large.json");
        is_refused(write("cut-off.denoir", "{\"format\": \"denoir-proj"), "cut-off.denoir");
        is_refused(write("cut-off-project.json", "{\"format\": \"denoir-project\""), "cut-off-project.json");
    }
};

} // namespace denoir::app

QTEST_GUILESS_MAIN(denoir::app::FoundTest)
#include "found_test.moc"
