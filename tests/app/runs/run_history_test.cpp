// SPDX-License-Identifier: Apache-2.0
#include "app/runs/run_history.h"

#include <QAbstractItemModelTester>
#include <QDateTime>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTranslator>
#include <optional>

#include <unistd.h>

#include "app/base/text.h"
#include "app/runs/run_row.h"
#include "app/runs/run_words.h"
#include "engine/core/file.h"
#include "engine/core/own_folders.h"
#include "tests/app/fake_runs.h"
#include "tests/app/runs/history_in_home.h"
#include "tests/app/without_root.h"

using namespace denoir;
using namespace denoir::app;
namespace fs = std::filesystem;

class RunHistoryTest : public QObject, protected HistoryInHome {
    Q_OBJECT
private slots:
    void init() { enter(); }
    void cleanup() { leave(); }

    void lists_newest_first_and_follows_the_folders() {
        for (int i = 1; i <= 40; ++i) fake_run(runs_, i, false);
        open();
        QCOMPARE(history_->rowCount(), 40);
        QCOMPARE(seed(0), quint64(40));
        QCOMPARE(seed(39), quint64(1));
        QCOMPARE(history_->newest_done(), history_->index(0).data(RunHistory::PathRole).toString());
        // The folder is watched, so a run of another program appears.
        fake_run(runs_, 41, false);
        QTRY_COMPARE_WITH_TIMEOUT(history_->rowCount(), 41, 30000);
        QCOMPARE(seed(0), quint64(41));
        fs::remove_all(runs_ / "run-000007");
        QTRY_COMPARE_WITH_TIMEOUT(history_->rowCount(), 40, 30000);
        QCOMPARE(history_->row_of(to_qstring(runs_ / "run-000007")), -1);
        // The newest clip must be one that can be shown.
        fs::remove(runs_ / "run-000041" / "video.mp4");
        history_->rebuild();
        QTRY_COMPARE_WITH_TIMEOUT(history_->newest_done(), to_qstring(runs_ / "run-000040"), 30000);
    }

    void search_and_filter() {
        for (int i = 1; i <= 28; ++i) fake_run(runs_, i, false);
        open();
        history_->set_search(QStringLiteral("FOX hills"));
        QCOMPARE(history_->rowCount(), 4);
        history_->set_search(QStringLiteral("seed:2"));
        QCOMPARE(history_->rowCount(), 1);
        history_->set_search(QStringLiteral("steps:24 balloon"));
        QCOMPARE(history_->rowCount(), 0);
        history_->set_search(QStringLiteral("steps:25 red state:done size:48x32"));
        QCOMPARE(history_->rowCount(), 1);
        history_->set_search(QStringLiteral("steps:2"));
        QCOMPARE(history_->rowCount(), 0);
        // Words as the rows show them.
        for (const char* words : {"5 steps", "steps 5", "seed 1", "5 steps cfg 5 5 f 48×32"}) {
            history_->set_search(QString::fromUtf8(words));
            QCOMPARE(history_->rowCount(), 1);
        }
        history_->set_name(to_qstring(runs_ / "run-000003"), QStringLiteral("a 2×4 grid"));
        for (const char* words : {"2×4", "2x4"}) { // as people type it, and as it is shown
            history_->set_search(QString::fromUtf8(words));
            QCOMPARE(history_->rowCount(), 1);
        }
        history_->set_search(QStringLiteral("cfg 6"));
        QCOMPARE(history_->rowCount(), 0);
        history_->set_search(QStringLiteral("nothing like that"));
        QCOMPARE(history_->rowCount(), 0);
        fake_run(runs_, 60, false); // this run does not match the search
        QTRY_COMPARE_WITH_TIMEOUT(history_->total(), 29, 30000);
        QCOMPARE(history_->rowCount(), 0);
        history_->set_search({});
        QCOMPARE(history_->rowCount(), 29);
    }

    /// The search must find what a row says, in whatever language that is.
    void search_finds_the_words_of_a_row() {
        class German : public QTranslator {
            bool isEmpty() const override { return false; }
            QString translate(const char*, const char* text, const char*, int) const override {
                const QByteArray source = text;
                return source == "stopped %1/%2" ? QStringLiteral("angehalten %1/%2")
                       : source == "%n step(s)"  ? QStringLiteral("%n Schritte")
                                                 : QString();
            }
        } german;
        for (int i = 1; i <= 3; ++i) fake_run(runs_, i, false);
        RunFolder stopped = RunFolder::take(runs_ / "run-000002");
        stopped.record().state = RunState::cancelled;
        stopped.save();
        open();
        const auto found = [&](const char* words) {
            history_->set_search(QString::fromUtf8(words));
            return history_->rowCount();
        };
        QCOMPARE(found("stopped"), 1);
        for (const char* field : {"state:stopped", "state:cancelled"}) QCOMPARE(found(field), 1);
        QCOMPARE(found("state:failed"), 0);
        QCOMPARE(found("angehalten"), 0);
        QCoreApplication::installTranslator(&german);
        QCOMPARE(found("angeh"), 1);
        QCOMPARE(found("Angehalten 6 Schritte"), 1);
        QCOMPARE(found("angehalten 7 Schritte"), 0);
        QCoreApplication::removeTranslator(&german);
    }

    /// A look at the folder between two clicks must not overwrite the second one.
    void the_newest_star_is_shown() {
        for (int i = 1; i <= 3; ++i) fake_run(runs_, i, false);
        open();
        const QString run = history_->index(1).data(RunHistory::PathRole).toString();
        int wrong = 0;
        const auto look = [&] { wrong += history_->starred(run); };
        connect(&*history_, &RunHistory::dataChanged, this, look);
        connect(&*history_, &RunHistory::rowsInserted, this, look);
        for (const bool only : {false, true}) {
            history_->set_starred_only(only);
            history_->set_starred(run, true);
            wrong = 0;
            history_->set_starred(run, false);
            history_->rebuild();
            QVERIFY(history_->wait_scanned(20000));
            QCOMPARE(wrong, 0);
            QVERIFY(!history_->starred(run));
            QCOMPARE(history_->rowCount(), only ? 0 : 3);
        }
        QVERIFY(!RunNotes::read(to_path(run)).starred);
        // What another program writes later counts.
        RunNotes{true, {}, {}}.write(to_path(run));
        history_->touch(run);
        QTRY_VERIFY_WITH_TIMEOUT(history_->starred(run), 20000);
    }

    void stars_and_names_live_in_the_run() {
        for (int i = 1; i <= 5; ++i) fake_run(runs_, i, false);
        open();
        const QString run = history_->index(2).data(RunHistory::PathRole).toString();
        QVERIFY(history_->setData(history_->index(2), true, RunHistory::StarredRole));
        history_->set_name(run, QStringLiteral("the good one"));
        history_->set_prompt_template(run, QStringLiteral("A {red|blue} fox"));
        QVERIFY(history_->starred(run));
        history_->set_starred_only(true);
        QCOMPARE(history_->rowCount(), 1);
        QVERIFY(history_->wait_scanned(20000));
        // If the index is lost, nothing else is.
        tester_.reset();
        history_.reset();
        QFile::remove(home_->data(QStringLiteral("history.sqlite")));
        open();
        QCOMPARE(history_->rowCount(), 5);
        QVERIFY(history_->starred(run));
        const QModelIndex row = history_->index(history_->row_of(run));
        QCOMPARE(row.data(Qt::DisplayRole).toString(), QStringLiteral("the good one"));
        QCOMPARE(row.data(RunHistory::TemplateRole).toString(), QStringLiteral("A {red|blue} fox"));
        history_->rebuild();
        QVERIFY(history_->wait_scanned(20000));
        QCOMPARE(history_->rowCount(), 5);
    }

    void a_damaged_index_is_made_again() {
        for (int i = 1; i <= 3; ++i) fake_run(runs_, i, false);
        for (const char* text : {"", "no database at all, but long enough to be looked at as one", "SQLite format 3"}) {
            QFile file(home_->data(QStringLiteral("history.sqlite")));
            QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
            file.write(QByteArray(text) + QByteArray(4096, '\7'));
            file.close();
            open();
            QCOMPARE(history_->rowCount(), 3);
            tester_.reset();
            history_.reset();
        }
    }

    void runs_have_titles() {
        fake_run(runs_, 1, false);
        open();
        const QString run = history_->index(0).data(RunHistory::PathRole).toString();
        QCOMPARE(RunHistory::title(run), history_->index(0).data(RunHistory::PromptRole).toString());
        // Sizes are written as everywhere else in the window.
        QVERIFY(history_->index(0).data(RunHistory::SummaryRole).toString().startsWith(QStringLiteral("48×32 · 5 f")));
        QVERIFY(run_words::summary(tiny_request()).startsWith(QStringLiteral("48×32 · 5 f")));
        history_->set_name(run, QStringLiteral("the good one"));
        QTRY_COMPARE_WITH_TIMEOUT(RunHistory::title(run), QStringLiteral("the good one"), 30000);
        QCOMPARE(RunHistory::title(QStringLiteral("/nowhere/a-run")), QStringLiteral("a-run"));
        QVERIFY(RunHistory::is_own_folder(run) && RunHistory::is_own_folder(to_qstring(runs_)));
        QVERIFY(RunHistory::is_own_folder(to_qstring(data_folder())));
        QVERIFY(!RunHistory::is_own_folder(run + QStringLiteral("/latents")));
        QVERIFY(!RunHistory::is_own_folder(QStringLiteral("/nowhere/model")));
    }

    void removal_can_be_undone() {
        for (int i = 1; i <= 6; ++i) fake_run(runs_, i, false);
        open();
        QSignalSpy removed(&*history_, &RunHistory::removed);
        const QString a = history_->index(1).data(RunHistory::PathRole).toString(),
                      b = history_->index(4).data(RunHistory::PathRole).toString();
        QCOMPARE(history_->remove({a, b}), (QStringList{a, b}));
        QCOMPARE(history_->rowCount(), 4);
        QVERIFY(!QDir(a).exists());
        QCOMPARE(removed.count(), 1);
        const QString c = history_->index(0).data(RunHistory::PathRole).toString();
        history_->remove({c});
        QVERIFY(history_->can_restore());
        history_->restore(); // takes back the newest removal
        QTRY_COMPARE_WITH_TIMEOUT(history_->rowCount(), 4, 30000);
        QVERIFY(history_->contains(c) && !history_->contains(a));
        history_->restore();
        QTRY_COMPARE_WITH_TIMEOUT(history_->rowCount(), 6, 30000);
        QVERIFY(QFile::exists(a + QStringLiteral("/run.json")));
        history_->remove({a});
        history_->purge_trash(1);
        QVERIFY(history_->can_restore());
        QTest::qWait(5);
        history_->purge_trash(0, {a}); // the cut needs this run
        QVERIFY(history_->wait_scanned(30000) && history_->can_restore());
        history_->purge_trash(0);
        QTRY_VERIFY_WITH_TIMEOUT(!history_->can_restore(), 30000);
    }

    /// A folder that somebody put in a removed run's place stays, and earlier removals can still be taken back.
    void a_folder_with_a_removed_runs_name_does_not_hinder_the_others() {
        for (int i = 1; i <= 2; ++i) fake_run(runs_, i, false);
        open();
        const QString older = history_->index(0).data(RunHistory::PathRole).toString(),
                      newer = history_->index(1).data(RunHistory::PathRole).toString();
        history_->remove({older});
        history_->remove({newer});
        QVERIFY(QDir().mkpath(newer));
        history_->restore();
        QTRY_VERIFY_WITH_TIMEOUT(history_->contains(older), 30000);
        QVERIFY(QDir(newer).isEmpty() && history_->can_restore());
    }

    /// The views are reset only once, and the run behind those that went becomes the current one.
    void many_go_at_once() {
        constexpr int many = 3000;
        for (int i = 0; i < many; ++i) fake_run_quickly(runs_, i);
        open();
        QCOMPARE(history_->rowCount(), many);
        QStringList all;
        for (int row = 0; row < many; ++row) all << history_->index(row).data(RunHistory::PathRole).toString();
        QStringList going = all.mid(10, many - 20);
        going << going.first(); // named twice
        QSignalSpy resets(&*history_, &QAbstractItemModel::modelReset),
            single(&*history_, &QAbstractItemModel::rowsRemoved), removed(&*history_, &RunHistory::removed);
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(history_->remove(going), all.mid(10, many - 20));
        qInfo("%lld ms", timer.elapsed());
        QCOMPARE(removed.first().at(1).toString(), all[many - 10]);
        QVERIFY(history_->wait_scanned(30000));
        QCOMPARE(history_->rowCount(), 20);
        QCOMPARE(resets.count(), 1);
        QCOMPARE(single.count(), 0);
        QSignalSpy inserted(&*history_, &QAbstractItemModel::rowsInserted);
        history_->restore();
        QVERIFY(history_->wait_scanned(30000));
        QTRY_COMPARE(history_->rowCount(), many);
        QCOMPARE(inserted.count(), 0);
        QVERIFY2(resets.count() < 20, qPrintable(QString::number(resets.count())));
    }

    /// A star or name that was given just before the removal is not written yet. It must go along, without an error.
    void a_star_given_just_before_goes_along() {
        for (int i = 0; i < 300; ++i) fake_run_quickly(runs_, i);
        open();
        const QString run = history_->index(7).data(RunHistory::PathRole).toString();
        history_->rebuild(); // keeps the history busy, so that writing waits
        history_->set_starred(run, true);
        history_->set_name(run, QStringLiteral("the good one"));
        QCOMPARE(history_->remove({run}), QStringList{run});
        QVERIFY(history_->wait_scanned(30000));
        QVERIFY2(history_->issue().isEmpty(), qPrintable(history_->issue().line()));
        QVERIFY(!history_->contains(run));
        history_->restore();
        QTRY_VERIFY_WITH_TIMEOUT(history_->contains(run), 30000);
        QVERIFY(history_->starred(run));
        QCOMPARE(RunHistory::title(run), QStringLiteral("the good one"));
    }

    /// The names in the trash are times in milliseconds. With a wrong unit a day would delete what was removed just
    /// now.
    void a_day_in_the_trash_is_a_day() {
        fake_run(runs_, 1, false);
        open();
        const QString run = history_->index(0).data(RunHistory::PathRole).toString();
        const fs::path trash = runs_ / ".trash";
        const auto remove_and_purge_after = [&](int hours) {
            history_->remove({run});
            const auto time = QDateTime::currentMSecsSinceEpoch() - qint64(hours) * 3'600'000;
            fs::rename(*fs::directory_iterator(trash), trash / (std::to_string(time) + "-run-000001"));
            history_->purge_trash(1);
            QVERIFY(history_->wait_scanned(30000));
        };
        remove_and_purge_after(12);
        history_->restore();
        QTRY_COMPARE_WITH_TIMEOUT(history_->rowCount(), 1, 30000);
        remove_and_purge_after(25);
        QTRY_VERIFY_WITH_TIMEOUT(!history_->can_restore(), 30000);
    }

    void a_run_that_is_linked_into_the_folder_is_ones_own() {
        const fs::path elsewhere = to_path(home_->file(QStringLiteral("elsewhere")));
        fs::create_directories(elsewhere);
        fake_run(elsewhere, 1, false);
        fs::create_directory_symlink(elsewhere / "run-000001", runs_ / "linked");
        QVERIFY(RunHistory::is_own_folder(to_qstring(runs_ / "linked")));
        QVERIFY(!RunHistory::is_own_folder(to_qstring(elsewhere / "run-000001")));
        QVERIFY(!RunHistory::is_own_folder(to_qstring(elsewhere)));
        QVERIFY(!RunHistory::is_own_folder({}));
    }

    /// Rows are painted with the answer, so it must not touch the disk.
    void a_name_tells_without_a_disk_whether_it_is_ones_own() {
        for (const fs::path& own : {runs_, runs_ / "gone", runs_ / "gone" / "", runs_ / "." / "gone", data_folder()})
            QVERIFY2(RunHistory::is_own_name(to_qstring(own)), own.c_str());
        for (const fs::path& other : {runs_ / "gone" / "latents", fs::path("/nowhere/model"), fs::path()})
            QVERIFY2(!RunHistory::is_own_name(to_qstring(other)), other.c_str());
    }

    void runs_on_another_disk_are_removed_too() {
        // This is another disk, on machines that have this folder.
        const QTemporaryDir disk(QStringLiteral("/dev/shm/denoir-XXXXXX"));
        const fs::path elsewhere = to_path(disk.isValid() ? disk.path() : home_->file(QStringLiteral("elsewhere")));
        fs::create_directories(elsewhere);
        fs::remove(runs_);
        fs::create_directory_symlink(elsewhere, runs_);
        fake_run(runs_, 1, false);
        fs::create_directories(data_folder() / "trash" / "1000-run-000009"); // where an earlier version kept its trash
        open();
        QCOMPARE(history_->rowCount(), 1);
        const QString run = history_->index(0).data(RunHistory::PathRole).toString();
        QVERIFY(RunHistory::is_own_folder(run) && RunHistory::is_own_folder(to_qstring(runs_ / "run-000001")));
        QVERIFY(RunHistory::is_own_folder(to_qstring(elsewhere / "run-000001")));
        QCOMPARE(history_->remove({run}), QStringList{run});
        QVERIFY(!fs::exists(elsewhere / "run-000001"));
        history_->purge_trash(1);
        QTRY_VERIFY_WITH_TIMEOUT(fs::is_empty(data_folder() / "trash"), 30000);
        history_->refresh();
        QVERIFY(history_->wait_scanned(20000));
        QCOMPARE(history_->rowCount(), 0); // runs in the trash are not listed
        history_->restore();
        QTRY_COMPARE_WITH_TIMEOUT(history_->rowCount(), 1, 30000);
        QVERIFY(fs::exists(elsewhere / "run-000001" / "run.json"));
    }

    void a_run_at_work_is_not_removed() {
        const fs::path path = fake_run(runs_, 1, false);
        open();
        const RunFolder taken = RunFolder::take(path);
        QVERIFY(history_->remove({to_qstring(path)}).isEmpty());
        QCOMPARE(history_->rowCount(), 1);
    }

    void half_written_and_foreign_folders_do_no_harm() {
        fake_run(runs_, 1, false);
        fs::create_directories(runs_ / "empty");
        fs::create_directories(runs_ / "half" / "latents");
        write_file(runs_ / "half" / "run.json", "{\"schema\": 1, \"state\": \"runn");
        fs::create_directories(runs_ / "directory-as-record" / "run.json");
        write_file(runs_ / "a-file", "x");
        fs::create_symlink("/nowhere", runs_ / "dangling");
        const fs::path interrupted = fake_run(runs_, 2, false);
        {
            RunFolder run = RunFolder::take(interrupted);
            run.record().state = RunState::running;
            run.save();
        }
        write_file(interrupted / "studio.json", "{\"starred\": 7, \"name\": []");
        open();
        QCOMPARE(history_->rowCount(), 3); // the half-written run is listed as unreadable
        const QModelIndex row = history_->index(history_->row_of(to_qstring(interrupted)));
        QCOMPARE(RunHistory::standing(row), RunStanding::interrupted);
    }

    /// No run may seem lost, neither with a damaged record nor with one of a newer version.
    void what_cannot_be_read_is_listed() {
        const fs::path run = fake_run(runs_, 1, false);
        const std::string whole = read_text(run / "run.json", 1 << 20);
        open();
        const auto row = [&] { return history_->index(history_->row_of(to_qstring(run))); };
        const auto state = [&] { return RunHistory::standing(row()); };
        std::string newer = whole;
        newer.replace(newer.find("\"schema\": 1"), 11, "\"schema\": 99");
        for (const std::string& text : {whole.substr(0, whole.size() / 2), newer}) {
            write_file(run / "run.json", text);
            history_->refresh();
            QTRY_COMPARE_WITH_TIMEOUT(state(), RunStanding::unreadable, 30000);
            QCOMPARE(row().data(Qt::DisplayRole).toString(), QStringLiteral("run-000001"));
            QVERIFY(!row().data(RunHistory::IssueRole).value<Issue>().isEmpty());
            QVERIFY(!row().data(RunHistory::VideoRole).toString().isEmpty());
            QVERIFY(row().data(RunHistory::CreatedRole).toDateTime().isValid());
            write_file(run / "run.json", whole); // the record is back
            history_->touch(to_qstring(run));
            QTRY_COMPARE_WITH_TIMEOUT(state(), RunStanding::done, 30000);
        }
        write_file(run / "run.json", newer);
        history_->refresh();
        QTRY_COMPARE_WITH_TIMEOUT(state(), RunStanding::unreadable, 30000);
        QCOMPARE(history_->remove({to_qstring(run)}).size(), 1); // it can be removed like any other
        QCOMPARE(history_->rowCount(), 0);
    }

    /// A folder without permission, too; root gives up its rights for this test.
    void what_may_not_be_entered_is_listed() {
        const fs::path run = fake_run(runs_, 1, false), others = fake_run(runs_, 2, false);
        // Root sees it as a folder of another user, such as lost+found.
        if (::chown(others.c_str(), 1, 1) != 0) fs::remove_all(others);
        const WithoutRoot bound;
        for (const fs::path& folder : {run, others})
            if (fs::exists(folder)) fs::permissions(folder, fs::perms::none);
        open();
        QCOMPARE(history_->rowCount(), 1);
        const QModelIndex row = history_->index(0);
        QCOMPARE(RunHistory::standing(row), RunStanding::unreadable);
        QCOMPARE(row.data(RunHistory::IssueRole).value<Issue>().message, QStringLiteral("permission denied"));
        QCOMPARE(row.data(RunHistory::CreatedRole).toDateTime().date(), QDate::currentDate());
        fs::permissions(run, fs::perms::owner_all);
        history_->refresh();
        QTRY_COMPARE_WITH_TIMEOUT(RunHistory::standing(history_->index(0)), RunStanding::done, 30000);
    }

    /// They are read again at every look, in case they have become readable. If nothing changed, the list must not
    /// move.
    void what_stays_unreadable_leaves_the_list_alone() {
        constexpr int many = 30; // more than are shown one by one
        for (int i = 1; i <= many; ++i) write_file(fake_run(runs_, i, false) / "run.json", "{");
        open();
        QCOMPARE(history_->rowCount(), many);
        const QSignalSpy reset(&*history_, &QAbstractItemModel::modelReset);
        const QSignalSpy put(&*history_, &QAbstractItemModel::rowsInserted);
        const auto look = [&] {
            history_->refresh();
            return history_->wait_scanned(30000);
        };
        QVERIFY(look());
        QVERIFY(look());
        QCOMPARE(reset.count() + put.count(), 0);
        write_file(runs_ / "run-000007" / "run.json", "{}"); // as new as before
        QVERIFY(look());
        QCOMPARE(reset.count(), 0);
        QCOMPARE(put.count(), 1);
        fs::remove_all(runs_ / "run-000008");
        QVERIFY(look());
        QCOMPARE(history_->rowCount(), many - 1);
        history_->rebuild();
        QVERIFY(history_->wait_scanned(30000));
        QCOMPARE(history_->rowCount(), many - 1);
        tester_.reset();
        history_.reset();
        open(); // reads the index that was stored
        QCOMPARE(history_->rowCount(), many - 1);
    }

    /// A killed program leaves all files as they were, and only its lock is gone.
    void a_run_whose_program_was_killed_is_interrupted() {
        const fs::path path = fake_run(runs_, 1, false);
        std::optional<RunFolder> run(RunFolder::take(path));
        run->record().state = RunState::running;
        run->save();
        open();
        const auto state = [&] { return RunHistory::standing(history_->index(history_->row_of(to_qstring(path)))); };
        QCOMPARE(state(), RunStanding::running);
        run.reset();
        tester_.reset();
        history_.reset();
        open(); // the stored index still says that it runs
        QTRY_COMPARE_WITH_TIMEOUT(state(), RunStanding::interrupted, 20000);
        run.emplace(RunFolder::take(path));
        run->save();
        history_->refresh();
        QTRY_COMPARE_WITH_TIMEOUT(state(), RunStanding::running, 20000);
        run.reset();
        history_->refresh();
        QTRY_COMPARE_WITH_TIMEOUT(state(), RunStanding::interrupted, 20000);
    }

    void runs_elsewhere_are_removed_as_links() {
        const fs::path elsewhere = to_path(home_->file(QStringLiteral("elsewhere")));
        fs::create_directories(elsewhere);
        const fs::path run = fake_run(elsewhere, 3, false);
        fs::create_directory_symlink(run, runs_ / "link-to-it");
        open();
        QCOMPARE(history_->rowCount(), 1);
        QCOMPARE(history_->remove({to_qstring(run)}).size(), 1);
        QVERIFY(fs::exists(run / "run.json"));
        QTest::qWait(5);
        history_->purge_trash(0);
        QTRY_VERIFY_WITH_TIMEOUT(!history_->can_restore(), 30000);
        QVERIFY(fs::exists(run / "run.json"));
    }

    /// A removed run must not replace whatever has its name meanwhile.
    void what_comes_back_replaces_nothing() {
        const fs::path elsewhere = to_path(home_->file(QStringLiteral("elsewhere"))), link = runs_ / "link";
        fs::create_directories(elsewhere);
        const fs::path first = fake_run(elsewhere, 1, false), second = fake_run(elsewhere, 2, false);
        fs::create_directory_symlink(first, link);
        open();
        QCOMPARE(history_->remove({to_qstring(first)}).size(), 1);
        fs::create_directory_symlink(second, link);
        history_->restore();
        QVERIFY(history_->wait_scanned(30000));
        QCOMPARE(to_qstring(fs::read_symlink(link)), to_qstring(second));
        QVERIFY(history_->can_restore()); // under another name
    }

    void the_disk_is_bounded_by_old_unstarred_latents() {
        for (int i = 1; i <= 6; ++i) fake_run(runs_, i);
        open();
        const quint64 all = history_->bytes();
        const QString oldest = history_->index(5).data(RunHistory::PathRole).toString(),
                      second = history_->index(4).data(RunHistory::PathRole).toString(),
                      third = history_->index(3).data(RunHistory::PathRole).toString();
        history_->set_starred(oldest, true);
        QVERIFY(history_->plan_drop(all).runs.isEmpty());
        const auto plan = history_->plan_drop(all - 9000);
        QCOMPARE(plan.runs, (QStringList{second, third}));
        history_->drop_latents(plan);
        QVERIFY(history_->wait_scanned(20000));
        // The star is stored in a file of its own.
        QTRY_VERIFY_WITH_TIMEOUT(history_->bytes() <= all - plan.bytes + 500, 30000);
        const RunFolder dropped = RunFolder::open(to_path(second)), kept = RunFolder::open(to_path(oldest));
        QVERIFY(!fs::exists(dropped.latents_file(0)) && !fs::exists(dropped.solver_file(1)));
        QVERIFY(fs::exists(dropped.latents_file(dropped.record().total_steps))); // the last latent stays
        QVERIFY(fs::exists(dropped.file("video.mp4")) && fs::exists(kept.latents_file(0)));
        QVERIFY(!history_->index(history_->row_of(second)).data(RunHistory::LatentsRole).toBool());
    }

    /// Unreadable runs cannot be freed, so no other run's steps may go because of their size.
    void runs_that_cannot_be_read_count_for_nothing_there() {
        for (int i = 1; i <= 3; ++i) fake_run(runs_, i);
        open();
        const quint64 all = history_->bytes();
        const fs::path newer = to_path(history_->index(2).data(RunHistory::PathRole).toString());
        write_file(newer / "run.json", R"({"schema": 99})");
        history_->rebuild();
        QVERIFY(history_->wait_scanned(30000));
        QTRY_COMPARE_WITH_TIMEOUT(history_->rowCount(), 3, 30000);
        QVERIFY(history_->bytes() > all / 2); // what they take is still shown
        QVERIFY(history_->plan_drop(all * 3 / 4).runs.isEmpty());
        QVERIFY(!history_->plan_drop(all / 4).runs.isEmpty());
    }

    /// If a step's file cannot be deleted, that is reported once and not tried again and again.
    void what_cannot_be_freed_is_said() {
        for (int i = 1; i <= 3; ++i) fake_run(runs_, i);
        open();
        const QString oldest = history_->index(2).data(RunHistory::PathRole).toString();
        const fs::path stays = RunFolder::open(to_path(oldest)).latents_file(0);
        fs::remove(stays);
        fs::create_directories(stays / "in the way");
        QSignalSpy totals(&*history_, &RunHistory::totals_changed), issues(&*history_, &RunHistory::issue_changed);
        history_->drop_latents(history_->plan_drop(1));
        QTRY_COMPARE_WITH_TIMEOUT(issues.count(), 1, 30000);
        QVERIFY2(history_->issue().line().contains("cannot be removed"), qPrintable(history_->issue().line()));
        QCOMPARE(totals.count(), 1);
        QVERIFY(!history_->index(0).data(RunHistory::LatentsRole).toBool()); // the files of the other steps are gone
    }

private:
    quint64 seed(int row) const { return history_->index(row).data(RunHistory::SeedRole).toULongLong(); }
};

QTEST_GUILESS_MAIN(RunHistoryTest)
#include "run_history_test.moc"
