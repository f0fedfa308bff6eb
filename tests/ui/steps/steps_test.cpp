// SPDX-License-Identifier: Apache-2.0
// The pictures of a run's steps: how latents get their colours, and the strip that shows them.
#include <QAccessible>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPicture>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>

#include "app/clips/latent_colours.h"
#include "app/runs/stage_text.h"
#include "engine/core/atomic_file.h"
#include "engine/core/json.h"
#include "engine/core/units.h"
#include "engine/session/run_folder.h"
#include "tests/app/clips.h"
#include "tests/app/home.h"
#include "ui/steps/divergence_view.h"
#include "ui/steps/step_reel.h"
#include "ui/steps/step_strip.h"
#include "ui/steps/steps_panel.h"
#include "ui/theme/colours.h"

using namespace denoir;
using namespace denoir::app;
using namespace denoir::ui;
using View = StepPictures::View;

class StepsTest : public QObject {
    Q_OBJECT
    Home home_;
    QString run_;

    static Tensor random_latent(int c, int t, int h, int w, unsigned seed) {
        Tensor latent = Tensor::host({c, t, h, w});
        std::mt19937 random(seed);
        std::normal_distribution<float> draw;
        for (float& v : latent.span<float>()) v = draw(random);
        return latent;
    }

    static void load(StepPictures& pictures, const QString& run, int last) {
        pictures.load(run);
        QTRY_COMPARE_WITH_TIMEOUT(pictures.last_step(), last, 30000);
    }

private slots:
    void initTestCase() { run_ = tiny_run(home_.file("run"), 4); }

    /// From a latent and the video that was made of it with a known map, the fit must find this map again.
    void fitting_finds_the_map() {
        LatentColours truth;
        truth.factors = {{0.1f, 0.02f, -0.05f}, {-0.03f, 0.06f, 0.01f}, {0.02f, 0.05f, 0.09f}};
        truth.bias = {0.5f, 0.4f, 0.45f};
        const Tensor latent = random_latent(3, 3, 6, 8, 1);
        std::vector<Image> frames;
        for (int f = 0; f < 9; ++f) {
            const Image small = to_image(truth.picture(latent, latent_frame_of(f)));
            Image frame(64, 48);
            for (int y = 0; y < 48; ++y)
                for (int x = 0; x < 64; ++x) std::copy_n(small.row(y / 8) + 3 * (x / 8), 3, frame.row(y) + 3 * x);
            frames.push_back(frame);
        }
        const auto fitted = LatentColours::fit(latent, frames);
        QVERIFY(fitted);
        for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t k = 0; k < 3; ++k) QVERIFY(std::abs(fitted->factors[c][k] - truth.factors[c][k]) < 2e-3f);
        frames.pop_back();
        QVERIFY(!LatentColours::fit(latent, frames)); // so many frames do not belong to this latent
        QVERIFY(!LatentColours::fit(random_latent(3, 3, 5, 8, 1), std::vector<Image>(9, Image(64, 48))));
    }

    void principal_directions_use_the_range() {
        const Tensor latent = random_latent(16, 2, 12, 20, 3);
        const LatentColours colours = LatentColours::principal(latent);
        const QImage picture = colours.picture(latent, 1);
        QCOMPARE(picture.size(), QSize(20, 12));
        double sum = 0, squares = 0;
        for (int y = 0; y < 12; ++y)
            for (int x = 0; x < 20; ++x) {
                const int g = qGray(picture.pixel(x, y));
                sum += g;
                squares += g * g;
            }
        const double mean = sum / 240, deviation = std::sqrt(squares / 240 - mean * mean);
        QVERIFY2(mean > 90 && mean < 165 && deviation > 20, qPrintable(QString::number(deviation)));
        QVERIFY(colours.picture(random_latent(4, 1, 2, 2, 1), 0).isNull());
    }

    /// The colours of the bundled model come with it, so that its very first run already shows them.
    void the_bundled_model_is_known() {
        const QString resources = QStringLiteral(DENOIR_FIXTURES "/../../resources");
        qputenv("DENOIR_RESOURCES", resources.toUtf8());
        Request request;
        request.model = to_path(resources + QStringLiteral("/demo-model"));
        const auto colours = known_colours(request);
        qunsetenv("DENOIR_RESOURCES");
        QVERIFY(colours);
        QCOMPARE(colours->factors.size(), 16u);
        QVERIFY(!learned_colours(request));
        request.model = DENOIR_TINY_MODEL;
        QVERIFY(!known_colours(request));
        request.model = to_path(home_.file("nowhere"));
        QVERIFY(!known_colours(request));
    }

    /// Adds an empty tensor to a safetensors file, which then has the size of a published one but takes no more room on
    /// the disk.
    static void grow(const std::filesystem::path& file) {
        constexpr std::uint64_t hole = 300'000'000;
        QFile whole(to_qstring(file));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const std::string old = whole.readAll().toStdString();
        std::uint64_t length = 0;
        std::memcpy(&length, old.data(), sizeof length);
        Json header = Json::parse(old.substr(8, length));
        const std::uint64_t data = old.size() - 8 - length;
        header["hole"] = {{"dtype", "U8"}, {"shape", {hole}}, {"data_offsets", {data, data + hole}}};
        std::string text = header.dump();
        text.append((8 - text.size() % 8) % 8, ' ');
        length = text.size();
        std::string grown(reinterpret_cast<const char*>(&length), sizeof length);
        write_file(file, grown + text + old.substr(old.size() - data));
        std::filesystem::resize_file(file, 8 + length + data + hole);
    }

    /// A published model is recognised by the size of its VAE and the channels of its latents, wherever its files come
    /// from.
    void the_published_models_are_known() {
        namespace fs = std::filesystem;
        const auto colours_of = [this](const char* name, bool large) {
            const fs::path model = to_path(home_.file(QString::fromLatin1(name) + (large ? "" : "-small")));
            fs::copy(fs::path(DENOIR_FIXTURES "/_models") / name, model, fs::copy_options::recursive);
            if (large) grow(model / "vae/diffusion_pytorch_model.safetensors");
            Request request;
            request.model = model;
            return known_colours(request);
        };
        qputenv("DENOIR_RESOURCES", QByteArray(DENOIR_FIXTURES "/../../resources"));
        const auto wan21 = colours_of("Wan2.1-T2V-tiny-Diffusers", true),
                   wan22 = colours_of("Wan2.2-TI2V-tiny-Diffusers", true),
                   small = colours_of("Wan2.2-TI2V-tiny-Diffusers", false);
        qunsetenv("DENOIR_RESOURCES");
        QVERIFY(wan21 && wan22 && !small);
        QCOMPARE(wan21->factors.size(), 16u);
        QCOMPARE(wan22->factors.size(), 48u);
        // The published factors are for values from -1 to 1. A latent of zeros shows the bias alone, and channel 39
        // carries most of the light.
        Tensor latent = Tensor::host({48, 1, 1, 1});
        std::fill_n(latent.data<float>(), 48, 0.0f);
        const auto published = [](double r, double g, double b) {
            const auto byte = [](double v) { return int(std::lround((v + 1) / 2 * 255)); };
            return qRgb(byte(r), byte(g), byte(b));
        };
        QCOMPARE(wan22->picture(latent, 0).pixel(0, 0), published(0.0317, -0.0878, -0.1388));
        latent.data<float>()[39] = -1;
        QCOMPARE(wan22->picture(latent, 0).pixel(0, 0), published(0.0317 + 0.3441, -0.0878 + 0.3543, -0.1388 + 0.2008));
    }

    void a_finished_run_is_read_from_its_folder() {
        StepPictures pictures;
        load(pictures, run_, 4);
        QCOMPARE(pictures.steps(), 4);
        QCOMPARE(pictures.frames(), 9);
        QCOMPARE(pictures.latent_frames(), 3);
        const auto& noise = pictures.noise_levels();
        QCOMPARE(noise.size(), 5u);
        QVERIFY(noise.front() > 0.9 && noise.back() == 0 && std::is_sorted(noise.rbegin(), noise.rend()));
        for (int step = 0; step <= 4; ++step)
            QTRY_COMPARE_WITH_TIMEOUT(pictures.picture(step, 8, View::latent).size(), QSize(8, 6), 30000);
        QVERIFY(pictures.picture(2, 8, View::estimate) != pictures.picture(2, 8, View::latent));
        QVERIFY(pictures.picture(2, 0, View::estimate) != pictures.picture(2, 5, View::estimate));
        QCOMPARE(pictures.picture(2, 5, View::estimate),
                 pictures.picture(2, 8, View::estimate)); // of the same latent frame
        QVERIFY(pictures.picture(2, 9, View::latent).isNull());
        QVERIFY(pictures.can_branch(2) && !pictures.can_branch(4) && !pictures.can_branch(7));
        // The map must have been learned: its colours are nearer to the video than a single colour would be. They
        // cannot be much nearer, as this VAE of random weights is no linear map. The first test covers a linear one.
        const Request request = RunFolder::open(to_path(run_)).record().request;
        QVERIFY(learned_colours(request));
        const auto frames = frames_in_turn(run_ + QStringLiteral("/video.mp4"));
        std::vector<double> wanted, got;
        for (int t = 0; t < 3; ++t) {
            const Image small = to_image(pictures.picture(4, 4 * t, View::latent));
            const int first = t == 0 ? 0 : 4 * t - 3, count = 4 * t - first + 1;
            for (int y = 0; y < 6; ++y)
                for (int x = 0; x < 8; ++x)
                    for (int c = 0; c < 3; ++c) {
                        double mean = 0;
                        for (int f = first; f <= 4 * t; ++f)
                            for (int p = 0; p < 64; ++p) {
                                const int row = 8 * y + p / 8, column = 8 * x + p % 8;
                                mean += frames[static_cast<std::size_t>(f)].row(row)[3 * column + c];
                            }
                        wanted.push_back(mean / 64 / count);
                        got.push_back(small.row(y)[3 * x + c]);
                    }
        }
        const double middle = std::accumulate(wanted.begin(), wanted.end(), 0.0) / static_cast<double>(wanted.size());
        double error = 0, flat = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            error += std::pow(wanted[i] - got[i], 2);
            flat += std::pow(wanted[i] - middle, 2);
        }
        QVERIFY2(error < flat, qPrintable(QStringLiteral("%1 of %2").arg(error).arg(flat)));
    }

    /// This clip is made in three windows of two steps each. A step shows the frames that it works on, and the last one
    /// shows the whole clip.
    void steps_of_a_clip_in_windows_show_what_they_work_on() {
        Request r;
        r.model = DENOIR_FIXTURES "/_models/SkyReels-V2-DF-tiny";
        r.prompt = "a red balloon";
        r.width = 64, r.height = 48, r.frames = 29, r.steps = 2, r.seed = 7, r.threads = 1;
        r.forcing.emplace();
        r.forcing->base = 13, r.forcing->overlap = 5;
        StepPictures pictures;
        load(pictures, rendered(r, home_.file("windows")), 6);
        QCOMPARE(pictures.frames(), 29);
        const auto frames_of = [&](int step) {
            return std::pair(pictures.worked_on(step, 0), pictures.worked_on(step, 28));
        };
        QCOMPARE(frames_of(1), std::pair(0, 12));
        QCOMPARE(frames_of(2), std::pair(0, 12));
        QCOMPARE(frames_of(3), std::pair(13, 20));
        QCOMPARE(frames_of(5), std::pair(21, 28));
        QCOMPARE(frames_of(6), std::pair(0, 28));
        const auto picture = [&](int step, int frame) { return pictures.picture(step, frame, View::latent); };
        for (int step = 0; step <= 6; ++step) QTRY_VERIFY_WITH_TIMEOUT(!picture(step, 0).isNull(), 30000);
        QVERIFY(picture(2, 13).isNull() && picture(4, 21).isNull()); // these frames are not made yet
        QVERIFY(picture(3, 13) != picture(4, 13));
        for (const int step : {3, 4, 6}) QCOMPARE(picture(step, 0), picture(2, 0));
        QCOMPARE(picture(6, 13), picture(4, 13));
        QVERIFY(!picture(6, 28).isNull() && picture(6, 29).isNull());
    }

    void a_run_at_work_is_followed() {
        const RunFolder folder = RunFolder::open(to_path(run_));
        StepPictures pictures;
        DraftDecoder decoder;
        StepStrip strip(pictures, decoder);
        strip.resize(700, 150);
        strip.show();
        QSignalSpy shown(&strip, &StepStrip::picture_changed);
        pictures.begin(run_, folder.record().request, 4);
        QVERIFY(pictures.running());
        QCOMPARE(strip.step(), -1);
        QCOMPARE(strip.findChild<StepReel*>()->accessibleDescription(), QStringLiteral("step 0 of 4, estimate"));
        const auto* state = strip.findChild<QLabel*>("step-state");
        QCOMPARE(state->text(), QStringLiteral("step 0/4"));
        pictures.begin(run_, folder.record().request, 4, 2); // a branch that has not taken its own first step
        QCOMPARE(state->text(), QStringLiteral("step 2/4"));
        pictures.begin(run_, folder.record().request, 4, 4); // a resumed run that only has to be decoded
        QTRY_COMPARE_WITH_TIMEOUT(strip.step(), 4, 30000);
        QVERIFY(!pictures.picture(0, 0, StepPictures::View::latent).isNull());
        pictures.begin(run_, folder.record().request, 4);
        for (int step = 1; step <= 3; ++step) {
            StepUpdate update{step, 4, folder.step_tensor(step, "latent"), folder.step_tensor(step, "x0"), 0.5};
            pictures.add(update);
            QTRY_COMPARE_WITH_TIMEOUT(strip.step(), step, 30000); // it follows the run
        }
        QVERIFY(!pictures.picture(0, 0, StepPictures::View::latent).isNull()); // the noise comes from the run folder
        QVERIFY(!shown.back().front().value<QImage>().isNull());
        strip.set_time_left(time_left(12.3)); // the queue's figure, so that the whole window tells one
        QCOMPARE(state->text(), QStringLiteral("step 3/4  ·  12 s left"));
        strip.set_time_left({});
        QCOMPARE(state->text(), QStringLiteral("step 3/4"));
        auto* reel = strip.findChild<StepReel*>();
        QTest::keyClick(reel, Qt::Key_Left);
        QCOMPARE(strip.step(), 2);
        QVERIFY(!strip.follows());
        pictures.add({4, 4, folder.step_tensor(4, "latent"), {}, 0.5});
        QTRY_COMPARE_WITH_TIMEOUT(pictures.last_step(), 4, 30000);
        QCOMPARE(strip.step(), 2); // a step that was picked by hand stays
        strip.follow();
        QCOMPARE(strip.step(), 4);
        QTest::keyClick(reel, Qt::Key_Up);
        QCOMPARE(strip.frame(), 1);
        pictures.finish();
        QVERIFY(!pictures.running());
        QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(reel);
        QCOMPARE(spoken->role(), QAccessible::Slider);
        QCOMPARE(spoken->valueInterface()->currentValue().toInt(), 4);
    }

    void what_was_stopped_can_be_resumed() {
        const RunFolder folder = RunFolder::open(to_path(run_));
        StepPictures pictures;
        DraftDecoder decoder;
        StepStrip strip(pictures, decoder);
        strip.resize(900, 150);
        strip.show();
        const auto buttons = strip.findChildren<QToolButton*>();
        const auto resume = std::find_if(buttons.begin(), buttons.end(), [](const QToolButton* button) {
            return button->accessibleName() == QLatin1String("Resume");
        });
        QVERIFY(resume != buttons.end() && !(*resume)->isVisible());
        pictures.begin(run_, folder.record().request, 4);
        pictures.add({3, 4, folder.step_tensor(3, "latent"), folder.step_tensor(3, "x0"), 0.5});
        QTRY_COMPARE_WITH_TIMEOUT(pictures.last_step(), 3, 30000);
        QVERIFY(!(*resume)->isVisible()); // the run is at work
        pictures.finish();
        QVERIFY((*resume)->isVisible());
        QSignalSpy asked(&strip, &StepStrip::resume_requested);
        (*resume)->click();
        QCOMPARE(asked.at(0).at(0).toString(), run_);
        load(pictures, run_, 4);
        QVERIFY(!(*resume)->isVisible()); // no step is left
        // A run that has taken its last step may still have been stopped while it was decoded.
        for (const bool whole : {false, true}) {
            pictures.begin(run_, folder.record().request, 4, 4);
            QTRY_COMPARE_WITH_TIMEOUT(pictures.last_step(), 4, 30000);
            pictures.finish(whole);
            QCOMPARE((*resume)->isVisible(), !whole);
        }
    }

    /// The steps of a run that was watched to its end are at hand until something else is looked at. Only then A's own
    /// strip comes to the front and is read from the disk.
    void what_was_seen_to_its_end_is_not_read_again() {
        const RunFolder folder = RunFolder::open(to_path(run_));
        DraftDecoder decoder;
        StepsPanel panel(decoder);
        panel.begin(run_, folder.record().request, 4, 0);
        panel.show_live();
        for (int step = 1; step <= 4; ++step)
            panel.add({step, 4, folder.step_tensor(step, "latent"), folder.step_tensor(step, "x0"), 0.5});
        QTRY_COMPARE_WITH_TIMEOUT(panel.pictures().last_step(), 4, 30000);
        panel.finish();
        panel.set_run(Side::a, run_);
        panel.show_run(run_);
        QVERIFY(panel.shows_live() && panel.follows());
        panel.look_again(run_);
        QCOMPARE(panel.pictures().last_step(), 4);
        panel.show_live(false);
        QCOMPARE(panel.pictures().last_step(), -1);
        QTRY_COMPARE_WITH_TIMEOUT(panel.pictures().last_step(), 4, 30000);
        QCOMPARE(panel.pictures().run(), run_);
        panel.set_run(Side::a, {});
        QCOMPARE(panel.pictures().steps(), 0);
    }

    /// The pictures of a long and large clip must fit into memory. Several frames then share a picture, so that every
    /// frame still has one.
    void pictures_have_a_bound() {
        Request r;
        r.width = 1280;
        r.height = 720;
        r.frames = 81;
        QCOMPARE(StepPictures::frames_of_a_picture(r, 50), 1);
        r.frames = 257;
        QCOMPARE(StepPictures::frames_of_a_picture(r, 50), 2);
        QCOMPARE(StepPictures::frames_of_a_picture(r, 50, 1), 65); // at least one picture is kept
        r.forcing = Forcing{.base = 97};
        QCOMPARE(StepPictures::frames_of_a_picture(r, 150), 2); // a step has pictures of its window alone
        r = {};
        r.width = r.height = 2048;
        r.frames = 17;
        r.latents = KeepLatents::last;
        const int steps = 400;
        QCOMPARE(StepPictures::frames_of_a_picture(r, steps), 4);
        StepPictures pictures;
        QSignalSpy ready(&pictures, &StepPictures::step_ready);
        pictures.begin({}, r, steps);
        pictures.add({1, steps, random_latent(16, 5, 256, 256, 4), {}, 0.1});
        QTRY_VERIFY_WITH_TIMEOUT(pictures.last_step() == 1, 30000);
        const auto at = [&](int frame) { return pictures.picture(1, frame, StepPictures::View::latent); };
        QCOMPARE(at(0).size(), QSize(256, 256));
        QCOMPARE(at(12), at(0)); // latent frame 3
        QVERIFY(at(16) != at(0));
        QVERIFY(!at(16).isNull());
    }

    /// A clip made in hundreds of windows has more steps than the reel has pixels.
    void a_reel_of_many_steps() {
        constexpr int steps = 50'000, there = 20'000;
        Request r;
        r.model = to_path(home_.file("nowhere"));
        r.mode = Mode::forcing, r.sampler = Sampler::unipc, r.shift = 8;
        r.forcing = Forcing{.overlap = 1, .base = 5};
        r.width = 64, r.height = 48, r.frames = 4 * 50 + 1, r.steps = 1000;
        StepPictures pictures;
        StepReel reel(pictures);
        reel.resize(800, 112);
        pictures.begin({}, r, steps);
        QCOMPARE(pictures.noise_levels().size(), std::size_t(steps + 1));
        pictures.add({there, steps, random_latent(16, 2, 6, 8, 1), random_latent(16, 2, 6, 8, 2), 0.5});
        QTRY_COMPARE_WITH_TIMEOUT(pictures.last_step(), there, 30000);
        reel.refresh();
        reel.show_frame(0, View::estimate);
        QPicture strokes; // a cell drawn for each step would make it much larger
        reel.render(&strokes);
        QVERIFY2(strokes.size() < 1'000'000, qPrintable(QString::number(strokes.size())));
        const QImage drawn = reel.grab().toImage();
        // The one step that is there is drawn at its place with its colours, and the rest of the reel is empty.
        const auto colours_at = [&](int step) {
            const int x = 8 + int(std::lround((800 - 16) * (step + 0.5) / (steps + 1)));
            QSet<QRgb> seen;
            for (int dx = -3; dx <= 3; ++dx)
                for (int y = 12; y < 70; ++y) seen << drawn.pixel(x + dx, y);
            return seen.size();
        };
        QVERIFY2(colours_at(there) > 20, qPrintable(QString::number(colours_at(there))));
        QVERIFY(colours_at(there / 2) < 8 && colours_at(steps - 2000) < 8);
        // The pointer picks a step as exactly as pixels allow, and keys reach every step.
        QSignalSpy picked(&reel, &StepReel::step_picked);
        QTest::mouseClick(&reel, Qt::LeftButton, {}, {400, 40});
        QVERIFY(std::abs(picked.back()[0].toInt() - steps / 2) < 2 * steps / 784);
        const int at = reel.value();
        QTest::keyClick(&reel, Qt::Key_Right);
        QCOMPARE(picked.back()[0].toInt(), at + 1);
    }

    void branch_keep_and_decode() {
        StepPictures pictures;
        DraftDecoder decoder;
        StepStrip strip(pictures, decoder);
        strip.resize(900, 150);
        strip.show();
        load(pictures, run_, 4);
        strip.set_step(2);
        QSignalSpy branch(&strip, &StepStrip::branch_requested), keep(&strip, &StepStrip::keep_requested),
            problem(&strip, &StepStrip::issue);
        for (QToolButton* button : strip.findChildren<QToolButton*>())
            if (button->isEnabled() && !button->isCheckable() && button->isVisible()) button->click();
        QCOMPARE(branch.count(), 1);
        QCOMPARE(branch.back().at(0).toString(), run_);
        QCOMPARE(branch.back().at(1).toInt(), 2);
        QCOMPARE(keep.count(), 1);
        strip.set_frame(5);
        strip.set_view(View::decoded);
        QTRY_VERIFY_WITH_TIMEOUT(!pictures.picture(2, 5, View::decoded).isNull(), 30000);
        QCOMPARE(pictures.picture(2, 5, View::decoded).size(), QSize(64, 48));
        QCOMPARE(problem.count(), 0);
        // The frame around the picked step must move with it.
        auto* reel = strip.findChild<StepReel*>();
        const auto framed = [&] {
            const QImage drawn = reel->grab().toImage();
            for (int x = 0; x < drawn.width(); ++x)
                for (int y = 0; y < drawn.height(); ++y)
                    if (drawn.pixel(x, y) == colours(strip.palette()).accent.rgb()) return x;
            return -1;
        };
        const int before = framed();
        strip.set_step(4);
        QVERIFY2(before >= 0 && framed() > before, qPrintable(QStringLiteral("%1, %2").arg(before).arg(framed())));
        pictures.clear();
        QCOMPARE(strip.step(), -1);
    }

    /// The model of a run may be gone. The panel must say so for B as it does for A.
    void what_cannot_be_decoded_is_said_of_both_sides() {
        const QString lost = tiny_run(home_.file("lost"), 2);
        RunFolder folder = RunFolder::take(to_path(lost));
        folder.record().request.model = "/nowhere";
        folder.save();
        DraftDecoder decoder;
        StepsPanel panel(decoder);
        QSignalSpy said(&panel, &StepsPanel::said);
        panel.set_run(Side::b, lost);
        auto* strip = panel.findChild<StepStrip*>("run-steps-b");
        QTRY_COMPARE_WITH_TIMEOUT(strip->step(), 2, 30000);
        strip->set_view(View::decoded);
        QTRY_COMPARE_WITH_TIMEOUT(said.count(), 1, 30000);
        QVERIFY2(said[0][0].toString().contains("/nowhere"), qPrintable(said[0][0].toString()));
    }

    /// While a run at work covers A, the steps of A are not read. They are read when one of them is picked in the curve
    /// of the difference, and then that step is shown.
    void a_step_of_the_difference_waits_for_a() {
        const QString other = tiny_run(home_.file("other"), 4, 2);
        DraftDecoder decoder;
        StepsPanel panel(decoder);
        panel.resize(1400, 160);
        panel.show();
        panel.begin(home_.file("at-work"), RunFolder::open(to_path(run_)).record().request, 4, 0);
        panel.show_live();
        panel.set_compares(true);
        panel.set_run(Side::a, run_);
        panel.set_run(Side::b, other);
        auto* difference = panel.findChild<DivergenceView*>();
        QSignalSpy asked(difference, &DivergenceView::step_requested);
        QTRY_VERIFY_WITH_TIMEOUT(difference->isVisible() && difference->accessibleDescription().startsWith("Latents"),
                                 30000);
        QTest::keyClick(difference, Qt::Key_Home);
        QTest::keyClick(difference, Qt::Key_Right);
        QCOMPARE(asked.count(), 2);
        const auto* strip = panel.findChild<StepStrip*>("run-steps");
        QTRY_COMPARE_WITH_TIMEOUT(panel.pictures().last_step(), 4, 30000);
        QCOMPARE(strip->step(), asked[1][0].toInt());
        QVERIFY(!strip->follows() && strip->step() < 4);
    }

    /// Frames that are given, like those of a continued video, look the same after every step. The first frame that the
    /// run makes is shown instead, unless the user picks another.
    void steps_show_a_frame_that_they_make() {
        const RunFolder folder = RunFolder::open(to_path(run_));
        Request extension = folder.record().request;
        extension.forcing.emplace();
        extension.forcing->video = "before.mp4";
        extension.forcing->overlap = 5;
        StepPictures pictures;
        DraftDecoder decoder;
        StepStrip strip(pictures, decoder);
        pictures.begin(run_, extension, 4);
        QCOMPARE(strip.frame(), 5);
        strip.set_frame(2);
        QCOMPARE(strip.frame(), 2);
        load(pictures, run_, 4); // no frame is given to this run
        QCOMPARE(strip.frame(), 2);
        extension.forcing->video.clear();
        extension.image = "start.png";
        strip.set_frame(0);
        pictures.begin(home_.file("another"), extension, 4);
        QCOMPARE(strip.frame(), 1);
        load(pictures, run_, 4);
        QCOMPARE(strip.frame(), 0);
    }

    /// A step may be asked for while its run is being read, when the number of steps is known but none of them is
    /// there.
    void a_step_is_waited_for_while_a_run_is_read() {
        StepPictures pictures;
        DraftDecoder decoder;
        StepStrip strip(pictures, decoder);
        bool asked = false;
        connect(&pictures, &StepPictures::changed, &strip, [&] {
            if (asked || pictures.steps() == 0) return;
            QCOMPARE(pictures.last_step(), -1);
            asked = true;
            strip.set_step(2);
        });
        pictures.load(run_);
        QTRY_COMPARE_WITH_TIMEOUT(pictures.last_step(), 4, 30000);
        QVERIFY(asked);
        QCOMPARE(strip.step(), 2);
        QVERIFY(!strip.follows());
        strip.set_step(9); // the run has no such step
        QCOMPARE(strip.step(), 4);
    }

    /// A cell has the shape of the clip whatever it shows, even if the pictures of this view are not there yet.
    void cells_keep_their_shape() {
        StepPictures pictures;
        StepReel reel(pictures);
        reel.resize(900, 112);
        load(pictures, run_, 4);
        reel.refresh();
        QSignalSpy picked(&reel, &StepReel::step_picked);
        for (const View view : {View::estimate, View::decoded}) {
            reel.show_frame(0, view);
            QTest::mouseClick(&reel, Qt::LeftButton, {}, {350, 40});
            QCOMPARE(picked.back()[0].toInt(), 3);
        }
    }

    void half_written_folders_are_said() {
        StepPictures pictures;
        pictures.load(home_.file("nowhere"));
        QTRY_VERIFY_WITH_TIMEOUT(!pictures.issue().isEmpty(), 30000);
        QVERIFY(QDir().mkpath(home_.file("half")));
        QFile half(home_.file("half/run.json"));
        QVERIFY(half.open(QIODevice::WriteOnly));
        half.write("{\"schema\": 1,");
        half.close();
        pictures.load(home_.file("half"));
        QTRY_VERIFY_WITH_TIMEOUT(!pictures.issue().isEmpty(), 30000);
        QCOMPARE(pictures.steps(), 0);
    }
};

QTEST_MAIN(StepsTest)
#include "steps_test.moc"
