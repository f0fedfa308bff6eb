// SPDX-License-Identifier: Apache-2.0
// Stills and folders of frames in a project.
#include "app/project/project.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include "app/base/text.h"
#include "engine/core/json.h"
#include "engine/media/image.h"
#include "tests/app/home.h"
#include "tests/app/project/text_files.h"
#include "tests/app/projects.h"
#include "tests/app/takes.h"

using namespace denoir;
using namespace denoir::app;

class ProjectPicturesTest : public QObject {
    Q_OBJECT
private slots:
    void init() { home_.emplace(); }
    void cleanup() { home_.reset(); }

    /// A still picture can be shown for any time and has no beginning of its own, whichever end is dragged.
    void stills() {
        Image white(40, 30);
        write_png(to_path(home_->file("title.png")), white);
        const Take still = take_of(home_->file("title.png"), 12);
        QVERIFY(still.still());
        QCOMPARE(still.width, 40);
        QCOMPARE(still.name, QStringLiteral("title"));
        Project p;
        p.add_shot(still);
        QCOMPARE(p.rate(), 12.0); // there is nothing else to take the rate from
        p.add_shot(take(33, "a"));
        QCOMPARE(p.rate(), 24.0);
        QCOMPARE(format_of(p.shots()).width, 48);
        QCOMPARE(p.shot(0).frames(), 24); // two seconds
        QVERIFY(p.trim(0, -6, 24));
        QCOMPARE(p.shot(0).in, 0);
        QCOMPARE(p.shot(0).out, 30);
        QVERIFY(p.trim(0, 0, 5000));
        const auto refused = [&](int in, int out) { return !p.trim(0, in, out); };
        QVERIFY(refused(0, 0) && refused(0, Take::longest_still + 1));
        QVERIFY(refused(std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
        QVERIFY(p.split(0, 1000));
        QCOMPARE(p.shot(0).out, 1000);
        QCOMPARE(p.shot(1).in, 0);
        QCOMPARE(p.shot(1).out, 4000);
        // A video in its place, and the still again, are shown as long in seconds as they reach.
        QVERIFY(p.trim(0, 0, 12) && p.add_take(0, take(99, "b")));
        QCOMPARE(p.shot(0).out, 24);
        QVERIFY(p.trim(0, 6, 30) && p.select_take(0, 0));
        QCOMPARE(p.shot(0).in, 0);
        QCOMPARE(p.shot(0).out, 12);
        QVERIFY(p.trim(0, 0, 500) && p.select_take(0, 1));
        QCOMPARE(p.shot(0).out, 99);
        for (int i = 0; i < 8; ++i) p.undo().undo();
        QCOMPARE(p.shot(0).out, 30);

        // A still moves with its project, is missed as a picture, and is read back as it was.
        const auto shots = p.shots();
        save_as(p, home_->file("cut.denoir"));
        QVERIFY(read(home_->file("cut.denoir")).contains("\"video\": \"title.png\""));
        p.clear();
        open(p, home_->file("cut.denoir"));
        QVERIFY(p.shots() == shots);
        QVERIFY(!p.is_missing(0));
        QVERIFY(QFile::remove(home_->file("title.png")));
        p.look_at_media();
        QTRY_VERIFY_WITH_TIMEOUT(p.is_missing(0), 30000);
        QVERIFY2(p.missing_issue(0).message.contains("picture"), qPrintable(p.missing_issue(0).message));
        const Json good = parse_json(read(home_->file("cut.denoir")).toStdString(), "good");
        const auto refuses = [&](const char* path, const Json& value) {
            Json json = good;
            json[Json::json_pointer(path)] = value;
            write(home_->file("bad.denoir"), QString::fromStdString(json.dump()));
            try {
                (void)read_project(home_->file("bad.denoir"));
            } catch (const Error& e) {
                return std::string(e.what()).find("exception") == std::string::npos;
            }
            return false;
        };
        QVERIFY(refuses("/shots/0/in", 1));
        QVERIFY(refuses("/shots/0/out", Take::longest_still + 1));
        QVERIFY(refuses("/shots/0/takes/0/frames", 2));
        for (const Json& kind : {Json("film"), Json(7), Json(std::string(9000, 'k'))})
            QVERIFY(refuses("/shots/0/takes/0/kind", kind));
        Json many = Json::array(); // together longer than can be counted
        for (int i = 0; i < 1100; ++i) {
            many.push_back(good["shots"][0]);
            many.back()["out"] = Take::longest_still;
        }
        QVERIFY(refuses("/shots", many));
        // One second of this cut has a thousand frames, and the still lasts three years.
        Json slow = good["shots"][0], fast = slow;
        fast["in"] = 0, fast["out"] = 1;
        fast["takes"][0].erase("kind");
        fast["takes"][0]["fps"] = 1000;
        slow["out"] = Take::longest_still;
        slow["takes"][0]["fps"] = Take::least_fps;
        QVERIFY(refuses("/shots", {fast, slow}));
    }

    /// No edit may make a cut longer or faster than what can be read back.
    void no_cut_is_longer_or_faster_than_can_be_counted() {
        write_png(to_path(home_->file("title.png")), Image(40, 30));
        QCOMPARE(take_of(home_->file("title.png"), 5000).fps, Take::most_fps);
        QCOMPARE(take_of(home_->file("title.png"), 1e-9).fps, Take::least_fps);
        Project p;
        QCOMPARE(p.add_shot(take(int(longest_cut), "a")), 0);
        const int steps = p.undo().count();
        QCOMPARE(p.add_shot(take(1, "b")), -1);
        QVERIFY(p.trim(0, 0, 10) && p.add_shot(take(1, "b")) == 1 && !p.trim(0, 0, int(longest_cut)));
        QCOMPARE(p.undo().count(), steps + 2);
        save_as(p, home_->file("cut.denoir"));
        (void)read_project(home_->file("cut.denoir"));
        write_png(to_path(home_->file("large.png")), Image(6000, 4000));
        p.clear();
        p.add_shot(take_of(home_->file("large.png"), 24));
        QCOMPARE(format_of(p.shots()).width, 1920);
        QCOMPARE(format_of(p.shots()).height, 1280);

        // The cut has the rate of its first shot.
        Take slow = take(10'000'000, "slow"), fast = take(1, "fast");
        slow.fps = 10, fast.fps = 1000;
        p.clear();
        p.add_shot(slow);
        p.add_shot(fast);
        const auto shots = p.shots();
        QVERIFY(!p.move_shot(1, 0));
        QVERIFY(p.shots() == shots);
    }

    /// If a still takes the place of a clip and is given up again, the clip shows what it showed.
    void a_still_gives_back_what_it_covered() {
        write_png(to_path(home_->file("title.png")), Image(40, 30));
        Project p;
        p.add_shot(take(59, "a"));
        QVERIFY(p.trim(0, 30, 59) && p.add_take(0, take_of(home_->file("title.png"), 16)));
        QCOMPARE(p.shot(0).out, 19);
        save_as(p, home_->file("cut.denoir"));
        const auto shots = p.shots();
        open(p, home_->file("cut.denoir"));
        QVERIFY(p.shots() == shots);
        QVERIFY(p.select_take(0, 0));
        QCOMPARE(p.shot(0).in, 30);
        QCOMPARE(p.shot(0).out, 59);
        QVERIFY(p.select_take(0, 1) && p.split(0, 10) && p.select_take(1, 0));
        QCOMPARE(p.shot(1).in, 45); // where the first half ends
        QCOMPARE(p.shot(1).out, 59);
    }

    /// A second half that begins behind the whole clip shows the clip's last frame.
    void a_still_longer_than_what_it_covered_can_be_split_behind_it() {
        write_png(to_path(home_->file("title.png")), Image(40, 30));
        Project p;
        p.add_shot(take(59, "a"));
        QVERIFY(p.trim(0, 30, 59) && p.add_take(0, take_of(home_->file("title.png"), 24)));
        QVERIFY(p.trim(0, 0, 100) && p.split(0, 60));
        save_as(p, home_->file("cut.denoir"));
        const auto shots = p.shots();
        open(p, home_->file("cut.denoir"));
        QVERIFY(p.shots() == shots);
        QVERIFY(p.select_take(1, 0));
        QCOMPARE(p.shot(1).in, 58);
        QCOMPARE(p.shot(1).out, 59);
    }

    /// Whatever rates the stills have.
    void stills_of_other_rates_give_it_back_too() {
        write_png(to_path(home_->file("title.png")), Image(40, 30));
        const auto still = [&](double fps) { return take_of(home_->file("title.png"), fps); };
        Project p;
        p.add_shot(take(59, "a"));
        // The clip is shorter than half a frame of the still.
        QVERIFY(p.trim(0, 30, 31) && p.add_take(0, still(10)) && p.select_take(0, 0));
        QCOMPARE(p.shot(0).in, 30);
        QCOMPARE(p.shot(0).out, 31);
        QVERIFY(p.trim(0, 5, 54) && p.select_take(0, 1));
        QVERIFY(p.add_take(0, still(24)) && p.select_take(0, 0));
        QCOMPARE(p.shot(0).in, 5);
        QCOMPARE(p.shot(0).out, 54);
    }

    /// A folder of frames has the rate that Denoir wrote into it, or otherwise the cut's.
    void folders_of_frames() {
        QDir(home_->path()).mkdir("frames");
        const auto frame = [&](int n) { return to_path(home_->file(QStringLiteral("frames/f_%1.png").arg(n))); };
        for (const int n : {9, 10, 11}) write_png(frame(n), Image(40, 30));
        Take frames = take_of(home_->file("frames"), 12);
        QCOMPARE(frames.kind, Take::Kind::frames);
        QCOMPARE(frames.frames, 3);
        QCOMPARE(frames.fps, 12.0);
        write_png(frame(9), Image(40, 30), R"({"schema": 1, "fps": 16})");
        frames = take_of(home_->file("frames"), 12);
        QCOMPARE(frames.fps, 16.0);
        Project p;
        p.add_shot(frames);
        QCOMPARE(p.shot(0).out, 3);
        save_as(p, home_->file("cut.denoir"));
        // Earlier versions, which cannot read this, must see a newer version number. A cut with videos alone keeps the
        // old one.
        const auto version = [&] { return parse_json(read(p.path()).toStdString(), "saved")["version"]; };
        QCOMPARE(int(version()), 2);
        p.remove_shot(0);
        p.add_shot(take(20));
        save(p);
        QCOMPARE(int(version()), 1);
        p.undo().undo();
        p.undo().undo();
        save(p);
        QCOMPARE(int(version()), 2);
        open(p, home_->file("cut.denoir"));
        QCOMPARE(p.shot(0).current().kind, Take::Kind::frames);
        QVERIFY(!p.is_missing(0));
        QVERIFY(QDir(home_->file("frames")).removeRecursively());
        p.look_at_media();
        QTRY_VERIFY_WITH_TIMEOUT(p.is_missing(0), 30000);
        QVERIFY2(p.missing_issue(0).message.contains("folder"), qPrintable(p.missing_issue(0).message));
        QDir(home_->path()).mkdir("none");
        for (const char* name : {"none", "nowhere"}) {
            try {
                take_of(home_->file(QString::fromLatin1(name)), 24);
                QFAIL(name);
            } catch (const Error& e) {
                QVERIFY(!e.hint().empty());
            }
        }
    }

private:
    std::optional<Home> home_;
};

QTEST_GUILESS_MAIN(ProjectPicturesTest)
#include "project_pictures_test.moc"
