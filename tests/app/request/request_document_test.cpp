// SPDX-License-Identifier: Apache-2.0
#include "app/request/request_document.h"

#include <QFileInfo>
#include <QSignalSpy>
#include <QTest>
#include <filesystem>
#include <functional>
#include <random>
#include <set>
#include <utility>

#include "app/base/text.h"
#include "app/request/request_values.h"
#include "engine/pipeline/seed.h"
#include "tests/app/home.h"
#include "tests/app/tiny.h"

using namespace denoir;
using namespace denoir::app;

namespace {

QString key(const char* name) { return QString::fromLatin1(name); }
const QString tiny = QStringLiteral(DENOIR_TINY_MODEL);
const QString models = QStringLiteral(DENOIR_FIXTURES "/_models/");

} // namespace

class RequestDocumentTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        stack_.emplace();
        document_.emplace(*stack_);
        QVERIFY(document_->set_value(key("model"), tiny).isEmpty());
        QVERIFY(document_->wait_resolved(20000));
        stack_->clear();
    }
    void cleanup() {
        document_.reset();
        stack_.reset();
    }

    void defaults_marks_and_reset() {
        QVERIFY(document_->valid());
        QCOMPARE(document_->value(key("steps")), document_->default_value(key("steps")));
        QVERIFY(!document_->is_changed(key("steps")));
        document_->set_value(key("steps"), 4);
        QVERIFY(document_->is_changed(key("steps")));
        QVERIFY(document_->wait_resolved(20000));
        QCOMPARE(*document_->resolved()->steps, 4);
        document_->set_value(key("steps"), document_->default_value(key("steps")));
        QVERIFY(!document_->is_changed(key("steps")));
        document_->reset(key("steps"));
        QVERIFY(!document_->has_value(key("steps")));
        QVERIFY(document_->forcing_model() && document_->takes_image() && document_->takes_last_image());
        QVERIFY(document_->estimate().flop > 0);
    }

    void edits_of_one_field_merge_and_undo_restores_all() {
        const Json before = asked_json(document_->asked());
        for (int i = 1; i < 9; ++i) document_->set_value(key("steps"), i);
        QCOMPARE(stack_->count(), 1);
        document_->set_value(key("guidance"), 3.5);
        document_->set_values({{key("width"), 64}, {key("height"), 32}}, key("size"));
        document_->set_value(key("forcing.ar_step"), 2);
        QCOMPARE(document_->value(key("forcing.ar_step")).toInt(), 2);
        document_->set_value(key("prompt"), key("a fox"));
        QCOMPARE(stack_->count(), 5);
        const Json after = asked_json(document_->asked());
        while (stack_->canUndo()) stack_->undo();
        QVERIFY(asked_json(document_->asked()) == before);
        while (stack_->canRedo()) stack_->redo();
        QVERIFY(asked_json(document_->asked()) == after);
        document_->set_value(key("prompt"), key("a fox")); // nothing changes, so this is no step
        QCOMPARE(stack_->count(), 5);
    }

    /// Typing is one undo step until it settles; choosing is a step each time.
    void a_choice_is_a_step_of_its_own() {
        const auto type = [this](const char* text) { document_->set_value(key("prompt"), key(text)); };
        type("a"), type("a r"), type("a red ball");
        document_->settle();
        type("a red ball, spinning");
        stack_->undo();
        QCOMPARE(document_->value(key("prompt")).toString(), QStringLiteral("a red ball"));
        stack_->undo();
        QCOMPARE(document_->value(key("prompt")).toString(), QString());
        document_->set_value(key("image"), key("/one.png"));
        document_->set_value(key("image"), key("/two.png")); // for example a crop of the first
        stack_->undo();
        QCOMPARE(document_->value(key("image")).toString(), QStringLiteral("/one.png"));
    }

    /// Whatever is edited in whatever order, undo and redo go through the same states.
    void undo_round_trips() {
        std::mt19937 draw(5);
        std::vector<Json> states{asked_json(document_->asked())};
        const QStringList keys{key("steps"), key("guidance"), key("seed"), key("prompt"), key("frames"), key("image")};
        for (int i = 0; i < 60; ++i) {
            const QString& k = keys[qsizetype(draw() % 6)];
            const int n = int(draw() % 50) + 1;
            const int count = stack_->count();
            if (draw() % 4 == 0)
                document_->reset(k);
            else if (k == key("prompt") || k == key("image"))
                document_->set_value(k, QStringLiteral("/p%1").arg(n));
            else
                document_->set_value(k, k == key("frames") ? 4 * n + 1 : n);
            if (stack_->count() > count)
                states.push_back(asked_json(document_->asked()));
            else
                states.back() = asked_json(document_->asked());
        }
        for (int i = stack_->count(); i > 0; --i) {
            QVERIFY(asked_json(document_->asked()) == states[std::size_t(i)]);
            stack_->undo();
        }
        for (int i = 1; i <= stack_->count(); ++i) {
            stack_->redo();
            QVERIFY(asked_json(document_->asked()) == states[std::size_t(i)]);
        }
    }

    void impossible_values_are_refused_at_once() {
        for (const auto& [name, value] : QVariantMap{
                 {key("frames"), 6},
                 {key("steps"), key("many")},
                 {key("width"), 17},
                 {key("guidance"), 1e9},
                 {key("sampler"), key("magic")},
                 {key("seed"), -1},
                 {key("nonsense"), 1}}.asKeyValueRange()) {
            const Issue issue = document_->set_value(name, value);
            QVERIFY2(!issue.isEmpty(), qPrintable(name));
            QCOMPARE(issue.field, name);
            QVERIFY(issue.file.isEmpty());
        }
        QCOMPARE(stack_->count(), 0);
    }

    void messages_stand_at_their_fields() {
        document_->set_value(key("image"), key("/no/such/picture.png"));
        document_->set_value(key("guidance_low"), 3);
        document_->set_values({{key("width"), 64}}, key("size"));
        QVERIFY(document_->wait_resolved(20000));
        QVERIFY(!document_->valid() && !document_->resolved());
        QVERIFY(!document_->issue(key("image")).isEmpty());
        QVERIFY(!document_->issue(key("guidance_low")).isEmpty());
        QVERIFY(document_->issue(key("height")).isEmpty()); // the height was not set by the user
        QVERIFY(document_->issue(key("steps")).isEmpty());
        QVERIFY(document_->default_value(key("steps")).isValid());
        document_->set_value(key("model"), key("/no/such/model"));
        QVERIFY(document_->wait_resolved(20000));
        QCOMPARE(document_->issue(key("model")).message, key("no such file or folder"));
        while (stack_->canUndo()) stack_->undo();
        QVERIFY(document_->wait_resolved(20000));
        QVERIFY(document_->valid() && document_->issues().isEmpty());
    }

    void defaults_follow_the_model() {
        const QVariant before = document_->default_value(key("fps"));
        document_->set_value(key("model"), models + key("Wan2.1-T2V-tiny"));
        QVERIFY(document_->pending());
        QVERIFY(document_->wait_resolved(20000));
        QCOMPARE(document_->default_value(key("fps")).toDouble(), 16.0);
        QVERIFY(before != document_->default_value(key("fps")));
        QVERIFY(!document_->takes_image());
        document_->set_value(key("model"), models + key("SkyReels-V2-I2V-tiny"));
        QVERIFY(document_->wait_resolved(20000));
        QVERIFY(document_->takes_image() && !document_->takes_last_image());
        QVERIFY(!document_->issue(key("image")).isEmpty()); // this model needs an image
        QVERIFY(document_->default_value(key("steps")).isValid());
    }

    void snapshots_resolve_seed_and_wildcards() {
        document_->set_value(key("prompt"), key("a {red|blue|green} fox"));
        const auto free = document_->snapshot();
        QVERIFY(free.request.seed.has_value());
        QCOMPARE(free.prompt_template, key("a {red|blue|green} fox"));
        QVERIFY(free.request.prompt.find('{') == std::string::npos);
        QVERIFY(free.negative_template.isEmpty());
        document_->set_value(key("negative_prompt"), key("{blurred|static}"));
        const auto both = document_->snapshot();
        QCOMPARE(both.negative_template, key("{blurred|static}"));
        QVERIFY(*both.request.negative_prompt == "blurred" || *both.request.negative_prompt == "static");
        document_->set_value(key("seed"), QVariant::fromValue(~quint64{0}));
        QVERIFY(document_->seed_locked());
        QCOMPARE(*document_->snapshot().request.seed, ~quint64{0});
        QCOMPARE(*document_->snapshot(2).request.seed, quint64{1});
        QCOMPARE(document_->snapshot().request.prompt, document_->snapshot().request.prompt);
        document_->reset(key("seed"));
        QVERIFY(!document_->seed_locked());
    }

    void restoring_is_one_undo_step() {
        Request stored = tiny_request();
        stored.prompt = "a blue fox";
        document_->set_value(key("prompt"), key("what I wrote"));
        document_->restore(stored, key("restore"), key("a {red|blue} fox"));
        QCOMPARE(document_->asked().prompt, std::string("a {red|blue} fox"));
        QVERIFY(document_->seed_locked());
        stack_->undo();
        QCOMPARE(document_->asked().prompt, std::string("what I wrote"));
        QVERIFY(!document_->asked().steps.has_value());
    }

    /// A seed that comes back by undo is locked if it was locked before.
    void undo_takes_the_lock_back_with_the_seed() {
        document_->set_value(key("seed"), 7);
        for (const bool all : {false, true}) {
            all ? document_->reset_all() : document_->reset(key("seed"));
            QVERIFY(!document_->seed_locked());
            stack_->undo();
            QVERIFY(document_->seed_locked());
            QCOMPARE(*document_->snapshot().request.seed, quint64{7});
            stack_->redo();
            QVERIFY(!document_->seed_locked());
            stack_->undo();
        }
        stack_->undo();
        QVERIFY(!document_->seed_locked() && !document_->has_value(key("seed")));
        stack_->redo();
        document_->set_seed_locked(false); // the user opens the lock, and other steps leave it so
        document_->set_value(key("steps"), 5);
        stack_->undo();
        QVERIFY(!document_->seed_locked());
        document_->set_seed_locked(true); // after that step was undone
        stack_->redo();
        QVERIFY(document_->seed_locked());
        stack_->undo();
        document_->set_seed_locked(false);

        Request stored = tiny_request();
        stored.seed = 9;
        document_->restore(stored, key("restore"));
        QVERIFY(document_->seed_locked());
        stack_->undo();
        QVERIFY(!document_->seed_locked());
        QCOMPARE(document_->value(key("seed")).toInt(), 7);
        const RequestDocument::State before = document_->state();
        document_->load(stored);
        document_->replaced(before, key("open project"));
        QVERIFY(document_->seed_locked());
        stack_->undo();
        QVERIFY(!document_->seed_locked());
    }

    /// The dice, a retake and the command line draw seeds from the same range.
    void a_seed_is_drawn_from_one_range() {
        std::set<quint64> seeds;
        for (int i = 0; i < 20; ++i) seeds.insert(*document_->snapshot().request.seed);
        QVERIFY(seeds.size() > 15);
        QVERIFY(*seeds.rbegin() <= largest_drawn_seed);
    }

    /// Without a seed there is nothing to lock, since a new one is drawn each time.
    void a_request_without_a_seed_has_no_lock() {
        document_->set_value(key("seed"), 7);
        Request other = tiny_request();
        other.seed.reset();
        for (const bool made : {false, true}) {
            made ? document_->restore_made(other, key("extend")) : document_->restore(other, key("extend"));
            QVERIFY(!document_->has_value(key("seed")) && !document_->seed_locked());
            stack_->undo();
            QVERIFY(document_->seed_locked());
        }
    }

    void steps_are_named_as_people_read_fields() {
        document_->set_value(key("guidance_low"), 3.0);
        QCOMPARE(stack_->undoText(), key("change guidance low"));
        document_->reset(key("guidance_low"));
        QCOMPARE(stack_->undoText(), key("reset guidance low"));
        document_->set_value(key("cache"), QVariantMap{{key("threshold"), 0.1}});
        document_->set_value(key("cache.ret_steps"), true);
        QCOMPARE(stack_->undoText(), key("change cache: first steps in full"));
        document_->set_value(key("loras"), QVariantList{QVariantMap{{key("file"), tiny}, {key("strength"), 0.5}}});
        QCOMPARE(stack_->undoText(), key("change LoRAs"));
    }

    void only_a_locked_seed_is_kept() {
        document_->set_value(key("seed"), 7);
        QCOMPARE(document_->to_keep().seed, std::optional<std::uint64_t>(7));
        document_->set_seed_locked(false);
        QVERIFY(!document_->to_keep().seed);
        document_->load(document_->to_keep());
        QVERIFY(!document_->seed_locked());
    }

    /// A run that is older than windows, or was made in one, must repeat its clip in one window.
    void a_long_clip_of_one_window_stays_one() {
        const int usual = document_->default_value(key("frames")).toInt(), frames = 2 * usual - 1;
        Request made = tiny_request();
        made.mode = Mode::forcing;
        made.forcing = Forcing{};
        made.frames = frames;
        document_->restore_made(made, key("restore"));
        QVERIFY(document_->wait_resolved(20000));
        QCOMPARE(document_->resolved()->forcing->base, frames);
        QCOMPARE(document_->snapshot().request.forcing->base, frames);
        QCOMPARE(stack_->count(), 1);
        stack_->undo();
        QVERIFY(!document_->asked().forcing && !document_->asked().frames);
        stack_->redo();
        QCOMPARE(document_->asked().forcing->base, frames);

        // A request from a file, or with another length, is divided as a new clip is.
        made.seed = 8;
        document_->restore(made, key("open"));
        QVERIFY(document_->wait_resolved(20000));
        QCOMPARE(document_->resolved()->forcing->base, usual);
        made.seed = 9;
        document_->restore_made(made, key("restore"));
        document_->set_value(key("frames"), frames + 4);
        QVERIFY(document_->wait_resolved(20000));
        QCOMPARE(document_->resolved()->forcing->base, usual);
        // A clip of the usual length may grow into several windows.
        made.frames = usual;
        document_->restore_made(made, key("restore"));
        QVERIFY(document_->wait_resolved(20000));
        QVERIFY(document_->resolved() && !document_->asked().forcing->base);
    }

    void a_branch_is_one_undo_step() {
        document_->set_value(key("prompt"), key("a draft"));
        document_->set_value(key("steps"), 4);
        const Json before = asked_json(document_->asked());
        Request branch = tiny_request();
        branch.start = Request::Start{tiny.toStdString(), 1, {}};
        for (const bool one_window : {false, true}) {
            const int steps = stack_->index();
            if (one_window) branch.mode = Mode::forcing, branch.forcing = Forcing{};
            document_->restore_branch(branch, key("branch"));
            QVERIFY(document_->asked().start == branch.start);
            QCOMPARE(stack_->index(), steps + 1);
            stack_->undo();
            QVERIFY(asked_json(document_->asked()) == before);
            stack_->redo();
            QVERIFY(document_->asked().start == branch.start);
            stack_->undo();
        }
    }

    /// A branch has the windows of its run. If the user lets it begin anew instead, it keeps them.
    void a_branch_of_one_window_may_begin_anew() {
        Request made = tiny_request();
        made.start = Request::Start{tiny.toStdString(), 1, {}};
        made.mode = Mode::forcing;
        made.forcing = Forcing{};
        made.frames = 2 * document_->default_value(key("frames")).toInt() - 1;
        document_->restore_branch(made, key("branch"));
        QVERIFY(document_->wait_resolved(20000));
        QVERIFY(document_->resolved() && !document_->resolved()->forcing->base);
        const int steps = stack_->index();
        document_->reset(key("start"));
        QVERIFY(document_->wait_resolved(20000));
        QCOMPARE(document_->resolved()->forcing->base, made.frames);
        QCOMPARE(stack_->index(), steps + 1);
        stack_->undo();
        QVERIFY(document_->asked().start == made.start && !document_->asked().forcing->base);
        stack_->redo();
        QVERIFY(!document_->asked().start);
        QCOMPARE(document_->asked().forcing->base, made.frames);
    }

    void loras_are_a_field_with_its_errors() {
        document_->set_value(key("model"), models + key("Wan2.1-T2V-tiny"));
        const auto lora = [](const QString& file) {
            return QVariantList{QVariantMap{{key("file"), file}, {key("strength"), 0.5}}};
        };
        const QString good = QFileInfo(models + key("../_inputs/style-kohya.safetensors")).absoluteFilePath();
        QVERIFY(document_->set_value(key("loras"), lora(good)).isEmpty());
        QVERIFY(document_->wait_resolved(20000));
        QVERIFY2(document_->valid(), qPrintable(document_->issue(key("loras")).line()));
        QCOMPARE(document_->resolved()->loras.size(), std::size_t{1});
        QCOMPARE(document_->asked().loras[0].strength, 0.5);
        document_->reset_all();
        QCOMPARE(document_->asked().loras.size(), std::size_t{1});
        document_->set_value(key("loras"), lora(models + key("Wan2.1-T2V-tiny/config.json")));
        QVERIFY(document_->wait_resolved(20000));
        QVERIFY(!document_->valid() && document_->issue(key("loras")).message.contains(key("config.json")));
        document_->reset(key("loras"));
        QVERIFY(document_->wait_resolved(20000));
        QVERIFY(document_->valid() && document_->asked().loras.empty());
        stack_->undo();
        QCOMPARE(document_->asked().loras.size(), std::size_t{1});
    }

    void the_cache_is_off_or_has_a_threshold() {
        QVERIFY(document_->wait_resolved(20000));
        const double whole = document_->estimate().flop;
        QVERIFY(!document_->has_value(key("cache")) && !document_->value(key("cache")).isValid());
        QVERIFY(document_
                    ->set_value(key("cache"),
                                QVariantMap{{key("threshold"), 10}, {key("coefficients"), QVariantList{1, 0}}})
                    .isEmpty());
        QVERIFY(document_->wait_resolved(20000));
        QVERIFY(document_->valid());
        QCOMPARE(document_->resolved()->cache->threshold, 10.0);
        QVERIFY(document_->estimate().flop < whole);
        QCOMPARE(document_->set_value(key("cache"), QVariantMap{{key("threshold"), 11}}).field, key("cache.threshold"));
        document_->reset(key("cache"));
        QVERIFY(document_->wait_resolved(20000));
        QVERIFY(!document_->asked().cache);
        QCOMPARE(document_->estimate().flop, whole);
        stack_->undo();
        QVERIFY(document_->asked().cache.has_value());
        document_->reset_all();
        QVERIFY(!document_->asked().cache);
    }

    /// No control shows the family that a run was stored with. Another model has its own family, and the defaults must
    /// be those of the model.
    void no_family_outlives_its_model() {
        Request made = tiny_request();
        made.family = Family::skyreels_df;
        made.preprocess = Preprocess::original;
        document_->restore(made, key("restore"));
        QVERIFY(!document_->asked().family && !document_->asked().preprocess);
        QVERIFY(document_->wait_resolved(20000));
        QVERIFY(document_->valid());

        made.family = Family::skyreels; // the family that the run was made as, which its files do not tell
        made.preprocess = Preprocess::diffusers;
        document_->restore(made, key("restore"));
        QCOMPARE(document_->asked().family, std::optional(Family::skyreels));
        const Request hidden = document_->asked();
        document_->reset_all();
        QVERIFY(!document_->asked().family && !document_->asked().preprocess);
        const QString wan = models + key("Wan2.1-T2V-tiny");
        const std::pair<const char*, std::function<void()>> changes[] = {
            {"set", [&] { document_->set_value(key("model"), wan); }},
            {"several set",
             [&] {
                 document_->set_values({{key("model"), wan}}, key("take"));
             }},
            {"reset", [&] { document_->reset(key("model")); }}};
        for (const auto& [name, change] : changes) {
            document_->load(hidden);
            change();
            QVERIFY2(!document_->asked().family && !document_->asked().preprocess, name);
            stack_->undo();
            QCOMPARE(document_->asked().family, std::optional(Family::skyreels));
        }
        document_->load(hidden);
        document_->set_value(key("model"), to_qstring(hidden.model)); // the family that the files tell
        QCOMPARE(document_->asked().family, std::optional(Family::skyreels));
    }

    /// If no file tells the family, a request without it could not be started.
    void a_family_that_no_file_tells_stays() {
        const QString plain = home_.file(key("plain"));
        std::filesystem::copy(to_path(models + key("Wan2.1-T2V-tiny")), to_path(plain),
                              std::filesystem::copy_options::recursive);
        Request made;
        made.model = to_path(plain);
        made.prompt = "a fox";
        made.family = Family::wan;
        document_->restore(made, key("restore"));
        document_->reset_all();
        QCOMPARE(document_->asked().family, std::optional(Family::wan));
        QVERIFY(document_->wait_resolved(20000));
        QVERIFY2(document_->valid(), qPrintable(document_->issues().value(0).line()));
    }

    /// The mode of a stored run follows from its images, so another image gives another mode.
    void a_restored_run_takes_an_image() {
        Request stored = tiny_request();
        stored.model = to_path(models + key("Wan2.2-TI2V-tiny"));
        stored.width = 64, stored.height = 32;
        stored.mode = Mode::t2v;
        document_->restore(stored, key("restore"));
        QVERIFY(document_->wait_resolved(20000));
        QVERIFY(document_->valid() && document_->takes_image() && !document_->takes_last_image());
        QCOMPARE(document_->mode(), Mode::t2v);
        QCOMPARE(document_->variant().multiple(), 32);
        document_->set_value(key("image"), QFileInfo(models + key("../_inputs/landscape.png")).absoluteFilePath());
        QVERIFY(document_->wait_resolved(20000));
        QVERIFY2(document_->valid(), qPrintable(document_->issue(key("image")).line()));
        QCOMPARE(document_->mode(), Mode::i2v);
    }

    /// A field that changes neither defaults nor messages is edited while these are worked out. The answer must not
    /// undo that edit.
    void an_answer_is_of_the_newest_edits() {
        document_->set_value(key("steps"), 9);
        document_->set_value(key("prompt"), QStringLiteral("A fox."));
        document_->set_value(key("negative_prompt"), QStringLiteral("dark"));
        document_->set_value(key("seed"), 42);
        QVERIFY(document_->wait_resolved(20000));
        const Request& resolved = *document_->resolved();
        QCOMPARE(*resolved.steps, 9);
        QCOMPARE(to_qstring(resolved.prompt), QStringLiteral("A fox."));
        QCOMPARE(to_qstring(*resolved.negative_prompt), QStringLiteral("dark"));
        QCOMPARE(*resolved.seed, 42u);
    }

    /// Typing must not wait for the engine.
    void many_edits_ask_once_more() {
        QSignalSpy resolved(&*document_, &RequestDocument::resolved_changed);
        for (int i = 1; i <= 200; ++i) document_->set_value(key("steps"), i);
        QVERIFY(document_->wait_resolved(20000));
        QCOMPARE(*document_->resolved()->steps, 200);
        QVERIFY(resolved.count() <= 4);
    }

private:
    Home home_;
    std::optional<QUndoStack> stack_;
    std::optional<RequestDocument> document_;
};

int main(int argc, char** argv) {
    QCoreApplication program(argc, argv);
    RequestDocumentTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "request_document_test.moc"
