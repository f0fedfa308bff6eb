// SPDX-License-Identifier: Apache-2.0
#include "app/project/project.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTest>
#include <random>

#include "app/base/text.h"
#include "app/request/request_document.h"
#include "tests/app/full_disk.h"
#include "tests/app/home.h"
#include "tests/app/project/text_files.h"
#include "tests/app/projects.h"
#include "tests/app/takes.h"

using namespace denoir;
using namespace denoir::app;

class ProjectTest : public QObject {
    Q_OBJECT
private slots:
    void init() { home_.emplace(); }
    void cleanup() { home_.reset(); }

    void cutting() {
        Project p;
        QCOMPARE(p.add_shot(take(33, "a")), 0);
        QCOMPARE(p.add_shot(take(17, "b")), 1);
        QCOMPARE(p.add_shot(take(9, "c"), 0), 0);
        QCOMPARE(p.frames(), 59);
        QCOMPARE(p.start_of(2), 42);
        QVERIFY(p.trim(1, 3, 30));
        QVERIFY(!p.trim(1, 5, 5) && !p.trim(1, -1, 5) && !p.trim(1, 0, 34) && !p.trim(7, 0, 1));
        QCOMPARE(p.place(9).row, 1);
        QCOMPARE(p.place(9).frame, 3);
        QCOMPARE(p.place(p.frames()).row, -1);
        QVERIFY(p.split(1, 10));
        QVERIFY(!p.split(1, 10) && !p.split(1, 3));
        QCOMPARE(p.count(), 4);
        QCOMPARE(p.shot(1).out, 10);
        QCOMPARE(p.shot(2).in, 10);
        QVERIFY(p.shot(1).id != p.shot(2).id);
        QVERIFY(p.move_shot(0, 3));
        QCOMPARE(p.shot(3).current().name, QStringLiteral("c"));
        QVERIFY(p.add_take(3, take(5, "c2")));
        QCOMPARE(p.shot(3).out, 5); // all of the new take, as it was all of the old one
        QVERIFY(p.add_take(0, take(6, "a2")));
        QCOMPARE(p.shot(0).in, 3); // trimmed as before, as far as the take reaches
        QCOMPARE(p.shot(0).out, 6);
        QVERIFY(p.select_take(0, 0));
        QVERIFY(p.remove_take(3, 0) && !p.remove_take(3, 0));
        QVERIFY(p.remove_take(0, 0)); // the chosen take is removed, so the next one is chosen
        QCOMPARE(p.shot(0).take, 0);
        QCOMPARE(p.shot(0).current().name, QStringLiteral("a2"));
        QVERIFY(p.remove_shot(1) && !p.remove_shot(3));
        QVERIFY(p.rename_shot(0, QStringLiteral("  opening  ")));
        QCOMPARE(p.shot(0).name, QStringLiteral("opening"));
    }

    /// A part that was made again keeps its place in the shot, whichever take is chosen.
    void parts() {
        Project p;
        QCOMPARE(p.add_shot(take(33, "a"), -1, 33), -1);
        QCOMPARE(p.add_shot(take(33, "a"), -1, 17), 0);
        QCOMPARE(p.shot(0).in, 17);
        QVERIFY(p.trim(0, 20, 30));
        Take part = take(29, "part");
        part.part = 3;
        QVERIFY(p.add_take(0, part));
        QCOMPARE(p.shot(0).in, 17);
        QCOMPARE(p.shot(0).out, 27);
        QVERIFY(p.select_take(0, 0));
        QCOMPARE(p.shot(0).in, 20);
        QCOMPARE(p.shot(0).out, 30);
        part = take(17, "beginning");
        part.part = 0;
        QVERIFY(p.trim(0, 0, 17) && p.add_take(0, part) && p.select_take(0, 0));
        QCOMPARE(p.shot(0).out, 17); // all of the part, which is not all of the shot
        QVERIFY(p.select_take(0, 1) && p.trim(0, 0, 29) && p.remove_take(0, 1));
        p.undo().undo();
        QCOMPARE(*p.shot(0).takes[1].part, 3);
    }

    void a_drag_is_one_step() {
        Project p;
        p.add_shot(take(33));
        QSignalSpy changed(&p, &Project::changed);
        for (int i = 1; i < 20; ++i) p.trim(0, i, 33, 5);
        QCOMPARE(p.undo().count(), 2);
        QCOMPARE(changed.count(), 19);
        QCOMPARE(int(changed.last()[0].value<ProjectEvent>().kind), int(ProjectEvent::Kind::shot_changed));
        for (int i = 19; i < 25; ++i) p.trim(0, i, 33, 6);
        QCOMPARE(p.undo().count(), 3);
        p.undo().undo();
        QCOMPARE(p.shot(0).in, 19);
        p.undo().undo();
        QCOMPARE(p.shot(0).in, 0);
    }

    /// Whatever is edited in whatever order, undo and redo go through the same states.
    void undo_round_trips() {
        Project p;
        std::mt19937 draw(3);
        std::vector<std::vector<Shot>> states{p.shots()};
        for (int i = 0; i < 300; ++i) {
            const int before = p.undo().count(), n = std::max(1, p.count()), row = int(draw() % unsigned(n));
            switch (draw() % 9) {
            case 0:
                p.add_shot(take(5 + int(draw() % 30)), int(draw() % unsigned(p.count() + 1)));
                break;
            case 1:
                p.remove_shot(row);
                break;
            case 2:
                p.move_shot(row, int(draw() % unsigned(n)));
                break;
            case 3:
                p.trim(row, int(draw() % 6), 6 + int(draw() % 30));
                break;
            case 4:
                p.split(row, int(draw() % 30));
                break;
            case 5:
                p.add_take(row, take(3 + int(draw() % 40)));
                break;
            case 6:
                p.select_take(row, int(draw() % 3));
                break;
            case 7:
                p.remove_take(row, int(draw() % 3));
                break;
            default:
                p.rename_shot(row, QString::number(draw() % 5));
                break;
            }
            for (const Shot& s : p.shots()) QVERIFY(s.take >= 0 && s.take < int(s.takes.size()));
            for (const Shot& s : p.shots()) QVERIFY(s.in >= 0 && s.in < s.out && s.out <= s.current().frames);
            if (p.undo().count() > before) states.push_back(p.shots());
        }
        QVERIFY(states.size() > 150);
        for (std::size_t i = states.size() - 1; i > 0; --i) {
            QVERIFY(p.shots() == states[i]);
            p.undo().undo();
        }
        for (std::size_t i = 1; i < states.size(); ++i) {
            p.undo().redo();
            QVERIFY(p.shots() == states[i]);
        }
    }

    void files() {
        const QString file = home_->file(QStringLiteral("cut.denoir"));
        Project p;
        QSignalSpy modified(&p, &Project::modified_changed);
        Take inside = take(20, "in");
        inside.run = home_->file(QStringLiteral("runs/one"));
        inside.video = inside.run + QStringLiteral("/video.mp4");
        inside.part = 4; // its place in the shot if another take is chosen
        p.add_shot(inside);
        p.add_shot(take(9, "outside"));
        p.set_request({{"schema", 1}, {"prompt", "a fox"}, {"seed", 18446744073709551615u}});
        QVERIFY(p.is_modified());
        save_as(p, file);
        QVERIFY(!p.is_modified());
        QCOMPARE(modified.count(), 2);
        // The path is relative, so that both can be moved together.
        QVERIFY(read(file).contains(QStringLiteral("\"runs/one/video.mp4\"")));
        const auto shots = p.shots();
        const Json request = p.request();
        p.remove_shot(0);
        QVERIFY(p.is_modified());
        p.undo().undo();
        QVERIFY(!p.is_modified());
        p.clear();
        QVERIFY(p.shots().empty() && p.path().isEmpty());
        const QString more = QStringLiteral("\"zoom\": 2"), text = read(file);
        write(file,
              QString(text).replace(QStringLiteral("\"extra\": {}"), QStringLiteral("\"extra\": {%1}").arg(more)));
        QVERIFY(read(file) != text);
        open(p, file);
        QVERIFY(p.shots() == shots);
        QVERIFY(p.request() == request);
        QCOMPARE(p.title(), QStringLiteral("cut"));
        QTRY_COMPARE_WITH_TIMEOUT(p.missing_media().size(), 2, 30000);
        QVERIFY(!p.read_only());
        save(p);
        QVERIFY(read(file).contains(more)); // what a newer version stored there stays
    }

    /// Files of a request in the project's folder move with it, and relative paths that a user writes begin in that
    /// folder.
    void what_a_request_takes_moves_with_its_project() {
        QDir(home_->path()).mkpath("here/pictures");
        const QString here = home_->file("here"), there = home_->file("there");
        Project p;
        p.set_request({{"schema", 1},
                       {"model", "/models/one"},
                       {"image", (here + "/pictures/start.png").toStdString()},
                       {"last_image", "/elsewhere/end.png"},
                       {"loras", Json::array({{{"file", (here + "/style.safetensors").toStdString()}}})},
                       {"parts", {{"vae", (here + "/vae.safetensors").toStdString()}}},
                       {"noise", {{"file", (here + "/noise.safetensors").toStdString()}}},
                       {"forcing", {{"video", (here + "/before.mp4").toStdString()}}}});
        save_as(p, here + "/cut.denoir");
        const Json before = p.request();
        open(p, here + "/cut.denoir");
        QVERIFY(p.request() == before);
        p.clear();
        p.finish(); // lets go of the lock
        QVERIFY(QDir().rename(here, there));
        open(p, there + "/cut.denoir");
        QCOMPARE(to_qstring(p.request()["image"].get<std::string>()), there + "/pictures/start.png");
        QCOMPARE(to_qstring(p.request()["loras"][0]["file"].get<std::string>()), there + "/style.safetensors");
        QCOMPARE(to_qstring(p.request()["parts"]["vae"].get<std::string>()), there + "/vae.safetensors");
        QCOMPARE(to_qstring(p.request()["noise"]["file"].get<std::string>()), there + "/noise.safetensors");
        QCOMPARE(to_qstring(p.request()["forcing"]["video"].get<std::string>()), there + "/before.mp4");
        QVERIFY(p.request()["last_image"] == "/elsewhere/end.png");
        QVERIFY(p.request()["model"] == "/models/one");
        QDir(there).mkpath("wan");
        p.set_request({{"schema", 1}, {"model", (there + "/wan").toStdString()}});
        save(p);
        QVERIFY(QDir().rename(there, here)); // the model moves as well
        open(p, here + "/cut.denoir");
        QCOMPARE(to_qstring(p.request()["model"].get<std::string>()), here + "/wan");
        p.set_request({{"schema", 1}, {"model", "/models/one"}});
        save(p);
        QVERIFY(QDir().rename(here, there));
        const QString text = read(there + "/cut.denoir");
        write(there + "/cut.denoir", QString(text).replace("/models/one", "models/two"));
        QVERIFY(read(there + "/cut.denoir") != text);
        open(p, there + "/cut.denoir");
        QCOMPARE(to_qstring(p.request()["model"].get<std::string>()), there + "/models/two");
    }

    void hostile_and_future_files_change_nothing() {
        const QString file = home_->file(QStringLiteral("cut.denoir"));
        Project p;
        p.add_shot(take(20));
        save_as(p, file);
        const auto before = p.shots();
        const Json good = parse_json(read(file).toStdString(), "good");
        int refused = 0;
        const auto refuses = [&](const QString& text) {
            const QString bad = home_->file(QStringLiteral("bad.denoir"));
            write(bad, text);
            try {
                open(p, bad);
                QFAIL(qPrintable(QStringLiteral("accepted: ") + text.left(200)));
            } catch (const Error& e) {
                QVERIFY(std::string(e.what()).size() <= 400);
                QVERIFY(std::string(e.what()).find("exception") == std::string::npos);
                ++refused;
            }
            QVERIFY(p.shots() == before);
            QCOMPARE(p.path(), file);
        };
        for (const char* text : {"", "{", "[]", "7", "{\"format\": \"other\"}", "{\"format\": \"denoir-project\"}"})
            refuses(QString::fromLatin1(text));
        const auto with = [&](const char* path, const Json& value) {
            Json json = good;
            json[Json::json_pointer(path)] = value;
            return QString::fromStdString(json.dump());
        };
        refuses(with("/version", 99));
        QVERIFY(with("/version", 99).size() > 0);
        for (const char* field :
             {"/shots/0/in", "/shots/0/out", "/shots/0/take", "/shots/0/takes/0/frames", "/shots/0/takes/0/width"})
            for (const Json& value : {Json(-1), Json(1e300), Json("x"), Json(), Json(99999999999999), Json::array()})
                refuses(with(field, value));
        refuses(with("/shots/0/takes", Json::array()));
        refuses(with("/shots/0/takes/0/fps", 0));
        refuses(with("/shots/0/in", 20));
        refuses(with("/shots/0/name", std::string(100000, 'n')));
        refuses(with("/shots", 7));
        refuses(with("/request", {{"schema", 1}, {"steps", "many"}}));
        QVERIFY(refused > 40);
        refuses(read(file).left(read(file).size() / 2)); // half written
        try {
            open(p, home_->file(QStringLiteral("nowhere.denoir")));
            QFAIL("opened");
        } catch (const Error&) {
        }
    }

    void two_studios_on_one_project() {
        const QString file = home_->file(QStringLiteral("cut.denoir"));
        Project first, second;
        first.add_shot(take(20));
        save_as(first, file);
        open(second, file);
        QVERIFY(second.read_only());
        QVERIFY(!second.issue().isEmpty());
        second.remove_shot(0);
        try {
            save(second);
            QFAIL("overwritten");
        } catch (const Error& e) {
            QVERIFY(!e.hint().empty());
        }
        const QString other = home_->file(QStringLiteral("other.denoir"));
        save_as(second, other);
        QVERIFY(!second.read_only());
        first.clear(); // lets go of the lock
        first.finish();
        open(second, file);
        QVERIFY(!second.read_only());
        QCOMPARE(second.count(), 1);
    }

    /// The lock must follow if the folder is moved while the project is open, or copied to another machine.
    void a_project_that_was_moved() {
        QVERIFY(QDir().mkpath(home_->file("film")));
        Project project;
        save_as(project, home_->file("film/a.denoir"));
        QVERIFY(QFile::rename(home_->file("film"), home_->file("moved")));
        open(project, home_->file("moved/a.denoir"));
        QVERIFY(!project.read_only() && project.issue().isEmpty());
        Project other;
        open(other, home_->file("moved/a.denoir"));
        QVERIFY(other.read_only());
        project.clear();
        project.finish();
        write(home_->file("moved/.a.denoir.lock"), "4711\ndenoir\nelsewhere\n0123456789abcdef\n\n");
        open(project, home_->file("moved/a.denoir"));
        QVERIFY(project.read_only());
        QVERIFY2(project.issue().message.contains("elsewhere") && project.issue().hint.contains(".a.denoir.lock"),
                 qPrintable(project.issue().line()));
        QVERIFY(QFile::remove(home_->file("moved/.a.denoir.lock")));
        open(project, home_->file("moved/a.denoir"));
        QVERIFY(!project.read_only());
    }

    void autosave_and_recovery() {
        const QString file = home_->file(QStringLiteral("cut.denoir"));
        std::vector<Shot> shots;
        {
            Project p;
            p.set_autosave(true);
            p.add_shot(take(20));
            save_as(p, file);
            QVERIFY(Project::recoverable().isEmpty());
            p.add_shot(take(9));
            shots = p.shots();
            QTRY_COMPARE_WITH_TIMEOUT(home_->autosaves().size(), 1, 30000);
            QVERIFY(Project::recoverable().isEmpty()); // this studio still runs
            QVERIFY(!read(file).contains(QStringLiteral("\"frames\": 9")));
        } // as if it had crashed, the file stays
        const auto left = Project::recoverable();
        QCOMPARE(left.size(), 1);
        QCOMPARE(left[0].path, file);
        QCOMPARE(left[0].shots, 2);
        QVERIFY(!left[0].kept);
        Project again;
        again.set_autosave(true);
        recover(again, left[0]);
        QVERIFY(again.shots() == shots);
        QCOMPARE(again.path(), file);
        QVERIFY(again.is_modified());
        QVERIFY(Project::recoverable().isEmpty());
        save(again);
        QVERIFY(!again.is_modified());
        again.clear();
        again.finish();
        QVERIFY(Project::recoverable().isEmpty());
        QVERIFY(QDir(home_->data(QStringLiteral("autosave"))).entryList(QDir::Files).isEmpty());

        // A project without a name is kept when the session ends.
        {
            Project p;
            p.set_autosave(true);
            p.add_shot(take(5));
            p.keep_for_next_start();
        }
        const auto kept = Project::recoverable();
        QCOMPARE(kept.size(), 1);
        QVERIFY(kept[0].kept && kept[0].path.isEmpty());
        Project::discard(kept[0]);
        QVERIFY(Project::recoverable().isEmpty());
        // A damaged autosave is not offered, and stays on the disk.
        write(home_->data(QStringLiteral("autosave/broken.json")), QStringLiteral("{\"project\": "));
        QVERIFY(Project::recoverable().isEmpty());
    }

    void autosave_follows_edits() {
        Project p;
        p.set_autosave(true);
        p.add_shot(take(5));
        QTRY_COMPARE_WITH_TIMEOUT(home_->autosaves().size(), 1, 30000);
        p.undo().undo(); // nothing is left that could be lost
        QTRY_COMPARE_WITH_TIMEOUT(home_->autosaves().size(), 0, 30000);
    }

    void a_full_disk_loses_nothing() {
        const QString file = home_->file(QStringLiteral("cut.denoir"));
        Project p;
        p.set_autosave(true);
        p.add_shot(take(5));
        save_as(p, file);
        const QString before = read(file);
        p.add_shot(take(6));
        {
            const FullDisk full;
            try {
                save(p);
                QFAIL("saved");
            } catch (const Error&) {
            }
            QVERIFY(!p.keep_for_next_start());
            QTRY_VERIFY_WITH_TIMEOUT(!p.issue().isEmpty(), 30000);
        }
        QCOMPARE(read(file), before);
        QVERIFY(p.is_modified());
        QCOMPARE(p.count(), 2);
        QCOMPARE(QDir(home_->path()).entryList({QStringLiteral("*partial*")}, QDir::Files | QDir::Hidden).size(), 0);
        save(p);
        QVERIFY(p.issue().isEmpty());
    }

    /// If the user ends the session all the same, the next one finds the older state that was kept, and no crash.
    void what_could_not_be_kept_is_no_crash() {
        {
            Project p;
            p.set_autosave(true);
            p.add_shot(take(5));
            QTRY_COMPARE_WITH_TIMEOUT(home_->autosaves().size(), 1, 30000);
            p.add_shot(take(6));
            const FullDisk full;
            QVERIFY(!p.keep_for_next_start());
            p.leave_older_autosave();
        }
        const auto found = Project::recoverable();
        QCOMPARE(found.size(), 1);
        QVERIFY(found[0].older && !found[0].kept);
        QCOMPARE(found[0].shots, 1);
        {
            Project p;
            p.set_autosave(true);
            recover(p, found[0]);
            QCOMPARE(p.count(), 1);
            p.add_shot(take(7));
            QVERIFY(p.keep_for_next_start());
        }
        const auto next = Project::recoverable();
        QCOMPARE(next.size(), 1);
        QVERIFY(next[0].kept && !next[0].older);
        QCOMPARE(next[0].shots, 2);
    }

    void one_stack_for_request_and_shots() {
        Project p;
        RequestDocument document(p.undo());
        document.set_value(QStringLiteral("prompt"), QStringLiteral("a fox"));
        p.add_shot(take(5));
        document.set_value(QStringLiteral("prompt"), QStringLiteral("a boat"));
        p.undo().undo();
        QCOMPARE(document.asked().prompt, std::string("a fox"));
        p.undo().undo();
        QCOMPARE(p.count(), 0);
        QCOMPARE(document.asked().prompt, std::string("a fox"));
        p.undo().undo();
        QVERIFY(document.asked().prompt.empty());
    }

private:
    std::optional<Home> home_;
};

QTEST_GUILESS_MAIN(ProjectTest)
#include "project_test.moc"
