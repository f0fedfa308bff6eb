// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>

#include "engine/core/file.h"
#include "engine/session/sweep_folder.h"
#include "tests/engine/temp_folder.h"

using namespace denoir;
namespace fs = std::filesystem;

namespace {

Sweep sweep_of(std::string_view json, const RequestSource& source = {"s.json", "/sweeps"}) {
    return sweep_from_json(parse_json(json, "s.json"), source);
}

/// The field and message of the Error that `run` throws.
template <class Run> std::string refusal(Run&& run) {
    try {
        run();
    } catch (const Error& e) {
        return e.field() + ": " + e.message();
    }
    return "accepted";
}

Sweep three_by_two() {
    return sweep_of(R"({"schema": 1, "request": {"prompt": "p", "seed": 7},
                        "axes": {"steps": [4, 20, 8], "guidance": [1, 3.5]}})");
}

} // namespace

TEST(SweepAxis, AFieldEndsWhereItsViewDoes) {
    Request r;
    r.loras.push_back({"a.safetensors"});
    const std::string_view field = "loras.0.strength";
    EXPECT_THROW(set_axis_value(r, field.substr(0, 7), 1, {}), UsageError) << field.substr(0, 7);
    EXPECT_THROW(set_axis_value(r, field.substr(0, 8), 1, {}), UsageError) << field.substr(0, 8);
    set_axis_value(r, field, 0.5, {});
    EXPECT_EQ(r.loras[0].strength, 0.5);
}

TEST(SweepAxisText, IsReadAsPeopleWriteIt) {
    const auto values = [](const char* field, const char* text) { return Json(parse_axis(field, text).values).dump(); };
    EXPECT_EQ(values("steps", "4, 8 20"), "[4,8,20]");
    EXPECT_EQ(values("seed", "3..6"), "[3,4,5,6]");
    EXPECT_EQ(values("guidance", "1..2:0.25, 6"), "[1,1.25,1.5,1.75,2,6]");
    EXPECT_EQ(values("guidance", "0.1..0.3:0.1"), "[0.1,0.2,0.3]"); // and not 0.30000000000000004
    EXPECT_EQ(values("seed", "18446744073709551613..18446744073709551615"),
              "[18446744073709551613,18446744073709551614,18446744073709551615]");
    EXPECT_EQ(values("size", "256x144, 512x288"), R"(["256x144","512x288"])");
    EXPECT_EQ(values("sampler", "unipc euler"), R"(["unipc","euler"])");
    EXPECT_EQ(values("prompt", "a fox|a fox, at night"), R"(["a fox","a fox, at night"])");
    EXPECT_EQ(values("prompt", "7, 8"), R"(["7","8"])"); // a prompt may look like a list of numbers
    EXPECT_EQ(values("prompt", R"(["a|b", "c"])"), R"(["a|b","c"])");
    for (const char* path : {"image", "start.run", "loras.0.file", "parts.vae"}) // so may the name of a file or a run
        EXPECT_EQ(values(path, "2026, 2027"), R"(["2026","2027"])") << path;
    EXPECT_EQ(values("guidance", "default, 3"), "[null,3]");
    EXPECT_EQ(values("guidance", "1e-400"), "[0.0]");       // too small for a double, as in JSON
    EXPECT_EQ(values("guidance", "1; 2,5;4"), "[1,2.5,4]"); // as people write whose decimal point is a comma
    EXPECT_EQ(values("guidance", "1..2:0,5; 3,25;"), "[1,1.5,2,3.25]");
    EXPECT_EQ(values("prompt", "a fox; at night, a dog"), R"(["a fox; at night","a dog"])");
    EXPECT_EQ(values("forcing.causal_attention", "on off"), "[true,false]");
    EXPECT_EQ(values("cache.threshold", "0 0.1"), "[0,0.1]");
}

TEST(SweepAxisText, ComesBackAsItWas) {
    for (const auto& [field, text] : {std::pair{"steps", "4, 8, 20"},
                                      {"guidance", "1, 3.5, default"},
                                      {"cache.threshold", "0.12345678901234, 1e-30"},
                                      {"prompt", "a | b, c"},
                                      {"size", "256x144"},
                                      {"prompt", R"(["one, only"])"},
                                      {"prompt", R"(["a|b","[c]"," d"])"},
                                      {"sampler", "unipc, euler"},
                                      {"cache", R"([null,{"threshold":0.1}])"},
                                      {"forcing.causal_attention", "on, off"},
                                      {"model", "a b | c"},
                                      {"loras.0.file", "[1]"}}) { // wrong, but only the request can tell
        const SweepAxis axis = parse_axis(field, text);
        EXPECT_EQ(parse_axis(field, axis_text(axis)), axis) << axis_text(axis);
    }
}

TEST(SweepAxisText, RefusesWhatTheFieldCannotHave) {
    const auto said = [](const char* field, const char* text) { return refusal([&] { parse_axis(field, text); }); };
    EXPECT_EQ(said("steps", "4, 2000"), "axes.steps: 2000 is out of range");
    EXPECT_EQ(said("steps", ""), "axes.steps: has no values");
    for (const char* text : {"1,,2", "1, ,2", ",1", "1,,", ","})
        EXPECT_EQ(said("seed", text), "axes.seed: has an empty value") << text;
    EXPECT_EQ(said("prompt", "a||b"), "axes.prompt: has an empty value");
    const auto hint = [](const char* field, const char* text) {
        try {
            parse_axis(field, text);
        } catch (const Error& e) {
            return e.hint();
        }
        return std::string("accepted");
    };
    // The hint tells another way to write it, and that one works.
    EXPECT_EQ(hint("negative_prompt", "|ugly"), R"(an empty text is written as JSON: ["", "another"])");
    EXPECT_EQ(parse_axis("negative_prompt", R"(["", "another"])").values.size(), 2u);
    EXPECT_EQ(hint("prompt", R"(["a, b"] | another)"),
              R"(write texts as one | another, or as JSON: ["one", "another"])");
    EXPECT_EQ(hint("steps", "[4"), "write it like [4, 8, 20]");
    EXPECT_EQ(said("steps", "8, 8"), "axes.steps: holds 8 twice");
    EXPECT_EQ(said("steps", "8..4"), "axes.steps: 8..4 is not a range");
    EXPECT_NE(said("seed", "18446744073709551615..18446744073709551614").find("is not a range"), std::string::npos);
    // The message shows the number as it was written.
    for (const std::string seed : {"18446744073709551616", "1..18446744073709551616"})
        EXPECT_EQ(said("seed", seed.c_str()),
                  "axes.seed: must be a whole number from 0 to 18446744073709551615, not \"" + seed + "\"");
    EXPECT_EQ(said("seed", "1..1e9"), "axes.seed: 1..1e9 holds more than 200 values");
    EXPECT_EQ(said("guidance", "1..2:0"), "axes.guidance: 1..2:0 is not a range");
    EXPECT_EQ(said("stepz", "8"), "axes.stepz: is not a key of a request");
    EXPECT_EQ(said("threads", "1, 2"), "axes.threads: changes nothing of the picture");
    EXPECT_EQ(said("size", "256"), "axes.size: 256 is not WIDTHxHEIGHT");
    EXPECT_EQ(said("size", "256x"), "axes.size: 256x is not WIDTHxHEIGHT");
    EXPECT_EQ(said("size", "x144"), "axes.size: x144 is not WIDTHxHEIGHT");
    EXPECT_EQ(said("prompt", "[1"), "axes.prompt: is not a JSON list: the text ends too early (line 1, column 3)");
    EXPECT_EQ(said("cache.threshold", "11").substr(0, 21), "axes.cache.threshold:");
    EXPECT_EQ(said("forcing.nothing", "1").substr(0, 21), "axes.forcing.nothing:");
    EXPECT_EQ(said("", "1").substr(0, 5), "axes.");
    EXPECT_EQ(said(".", "1").substr(0, 5), "axes.");
    EXPECT_EQ(said("cache.", "1").substr(0, 5), "axes.");
    EXPECT_EQ(said("cache.threshold.x", "1").substr(0, 5), "axes.");
}

TEST(Sweep, CellsAreCountedWithTheLastAxisFastest) {
    const Sweep sweep = three_by_two();
    ASSERT_EQ(sweep.size(), 6u);
    EXPECT_EQ(sweep.place(0), (std::vector<std::size_t>{0, 0}));
    EXPECT_EQ(sweep.place(5), (std::vector<std::size_t>{2, 1}));
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(sweep.cell(sweep.place(i)), i);
    EXPECT_EQ(sweep.label(3), "steps 20 · guidance 3.5");
    const std::size_t second[]{1};
    EXPECT_EQ(sweep.label(3, 40, second), "guidance 3.5");
    EXPECT_EQ(sweep.label(3, 40, {}), "");
    const Request r = sweep.request_of(3);
    EXPECT_EQ(r.steps, 20);
    EXPECT_EQ(r.guidance, 3.5);
    EXPECT_EQ(r.seed, 7u);
    EXPECT_EQ(r.prompt, "p");
}

TEST(Sweep, IsMeasuredAgainstTheMostStepsUnlessSomethingElseIsSaid) {
    Sweep sweep = three_by_two();
    EXPECT_EQ(sweep.reference_of(0), 2u); // the same guidance with 20 steps instead of 4
    EXPECT_EQ(sweep.reference_of(5), 3u);
    EXPECT_EQ(sweep.reference_of(3), std::nullopt);
    sweep = sweep_of(
        R"({"schema": 1, "axes": {"steps": [4, 8], "guidance": [1, 3]}, "reference": {"guidance": 3, "steps": 4}})");
    EXPECT_EQ(sweep.reference_of(0), 1u);
    EXPECT_EQ(sweep.reference_of(3), 1u);
    EXPECT_EQ(sweep.reference_of(1), std::nullopt);
    sweep = sweep_of(R"({"schema": 1, "axes": {"steps": [4, 8]}, "reference": null})");
    EXPECT_EQ(sweep.reference_of(0), std::nullopt);
    sweep = sweep_of(
        R"({"schema": 1, "axes": {"cache.threshold": [0.2, 0, 0.1], "dtype": ["bf16", "f32"], "seed": [1, 2]}})");
    EXPECT_EQ(sweep.reference, (std::vector<std::optional<std::size_t>>{1, 1, std::nullopt}));
    sweep = sweep_of(R"({"schema": 1, "axes": {"cache": [{"threshold": 0.1}, null]}})");
    EXPECT_EQ(sweep.reference, (std::vector<std::optional<std::size_t>>{1}));
}

TEST(Sweep, ACellNeverComesBeforeTheOneItIsMeasuredAgainst) {
    const Sweep sweep = sweep_of(R"({"schema": 1, "axes": {"seed": [1, 2, 3], "steps": [4, 20, 8], "model": ["a", "b"],
                                     "guidance": [1, 3], "prompt": ["x", "y"]}, "reference": {"steps": 20, "guidance": 3, "model": "b"}})");
    const std::vector<std::size_t> order = rendering_order(sweep);
    ASSERT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), sweep.size());
    std::vector<std::size_t> position(sweep.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    for (std::size_t cell = 0; cell < sweep.size(); ++cell)
        if (const auto reference = sweep.reference_of(cell)) {
            EXPECT_LT(position[*reference], position[cell]);
        }
    // The model is changed only once, and the prompt only once with each model.
    int models = 0, prompts = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
        models += sweep.place(order[i])[2] != sweep.place(order[i - 1])[2];
        prompts += sweep.place(order[i])[4] != sweep.place(order[i - 1])[4];
    }
    EXPECT_EQ(models, 1);
    EXPECT_EQ(prompts, 3);
}

TEST(Sweep, MembersAndPathsFindTheirPlace) {
    const Sweep sweep =
        sweep_of(R"({"schema": 1, "request": {"loras": [{"file": "l.safetensors"}], "forcing": {"ar_step": 2}},
        "axes": {"loras.0.strength": [0.5, 1], "image": ["a.png", null], "cache.threshold": [0, 0.2],
                 "forcing.video": ["clip.mp4", null], "parts.vae": ["vae.safetensors", null]}})");
    EXPECT_EQ(sweep.axes[1].values[0], "/sweeps/a.png");
    EXPECT_EQ(sweep.axes[3].values[0], "/sweeps/clip.mp4");
    const Request first = sweep.request_of(0), last = sweep.request_of(sweep.size() - 1);
    EXPECT_EQ(first.loras.at(0).strength, 0.5);
    EXPECT_EQ(first.loras.at(0).file, "/sweeps/l.safetensors");
    EXPECT_EQ(first.image, "/sweeps/a.png");
    EXPECT_FALSE(first.cache);
    EXPECT_EQ(first.forcing->ar_step, 2);
    EXPECT_EQ(first.forcing->video, "/sweeps/clip.mp4");
    EXPECT_EQ(first.parts.vae, "/sweeps/vae.safetensors");
    EXPECT_EQ(last.loras.at(0).strength, 1);
    EXPECT_TRUE(last.image.empty());
    EXPECT_EQ(last.cache->threshold, 0.2);
    EXPECT_TRUE(last.forcing->video.empty());
    EXPECT_TRUE(last.parts.vae.empty());
}

TEST(Sweep, RefusesWhatIsNoSweep) {
    const auto said = [](const char* json) { return refusal([&] { sweep_of(json); }); };
    EXPECT_EQ(said("[]"), ": must hold one JSON object");
    EXPECT_EQ(said(R"({"axes": {"steps": [1]}})"), "schema: is missing");
    EXPECT_EQ(said(R"({"schema": 2, "axes": {"steps": [1]}})"),
              "schema: 2 is not known to this version, which reads 1");
    EXPECT_EQ(said(R"({"schema": 1})"), "axes: are missing: nothing varies");
    EXPECT_EQ(said(R"({"schema": 1, "axes": [1]})"), "axes: must be an object");
    EXPECT_EQ(said(R"({"schema": 1, "axes": {"steps": 8}})"), "axes.steps: must be a list");
    EXPECT_EQ(said(R"({"schema": 1, "axes": {"steps": []}})"), "axes.steps: has no values");
    EXPECT_EQ(said(R"({"schema": 1, "axes": {"steps": ["many"]}})"),
              "axes.steps: must be a whole number from 1 to 1000, not \"many\"");
    EXPECT_EQ(said(R"({"schema": 1, "axis": {"steps": [8]}})"), "axis: is not a key of a sweep");
    EXPECT_EQ(said(R"({"schema": 1, "request": {"stepz": 8}, "axes": {"steps": [8]}})"),
              "stepz: is not a key of a request");
    EXPECT_EQ(said(R"({"schema": 1, "request": 7, "axes": {"steps": [8]}})"),
              "request: must be an object or a request file's name");
    EXPECT_EQ(said(R"({"schema": 1, "axes": {"steps": [8]}, "reference": {"steps": 9}})"),
              "reference.steps: 9 is not among the axis's values");
    EXPECT_EQ(said(R"({"schema": 1, "axes": {"steps": [8]}, "reference": {"seed": 9}})"),
              "reference.seed: is not an axis of this sweep");
    EXPECT_EQ(said(R"({"schema": 1, "axes": {"size": ["256x144"], "width": [256]}})"),
              "axes.width: is also in axes.size");
    EXPECT_EQ(said(R"({"schema": 1, "axes": {"cache": [null], "cache.threshold": [0]}})"),
              "axes.cache.threshold: is also in axes.cache");
    EXPECT_EQ(said(R"({"schema": 1, "axes": {"threads": [1]}})"), "axes.threads: changes nothing of the picture");
    const auto of_seeds = [](int count) {
        Json seeds = Json::array();
        for (int i = 0; i < count; ++i) seeds.push_back(i);
        return Json{{"schema", 1}, {"axes", {{"seed", seeds}}}}.dump();
    };
    EXPECT_EQ(said(of_seeds(200).c_str()), "accepted");
    EXPECT_EQ(said(of_seeds(201).c_str()), "axes.seed: holds too many");
    EXPECT_EQ(said(R"({"schema": 1, "axes": {"start": [null]}})"), "axes.start: is two fields");
    for (const char* axis : {R"("run": ["a", "b"])", R"("step": [1, 2])"})
        EXPECT_NE(said((R"({"schema": 1, "axes": {"start.)" + std::string(axis).substr(1) + "}}").c_str())
                      .find("the request begins in no run"),
                  std::string::npos);
    Json many{{"schema", 1}, {"axes", Json::object()}};
    std::vector<int> values(11);
    std::iota(values.begin(), values.end(), 1);
    for (const char* axis : {"steps", "seed", "guidance"}) many["axes"][axis] = values;
    EXPECT_EQ(said(many.dump().c_str()), "axes: make 1331 clips");
}

TEST(Sweep, ComesBackFromItsJson) {
    const Sweep sweep = sweep_of(R"({"schema": 1, "request": {"prompt": "p", "seed": 7, "frames": 9},
        "axes": {"size": ["128x80", "256x144"], "prompt": ["a", "b, c"], "cache": [null, {"threshold": 0.1}]}, "reference": null})");
    const Sweep again = sweep_from_json(to_json(sweep), {"s.json", "/"});
    EXPECT_EQ(again.axes, sweep.axes);
    EXPECT_EQ(again.reference, sweep.reference);
    EXPECT_EQ(to_json(again).dump(), to_json(sweep).dump());
}

TEST(SweepFolder, KeepsWhatBecameOfEachCell) {
    const test::TempFolder folder;
    SweepFolder made = SweepFolder::create(folder.path() / "s", three_by_two());
    EXPECT_EQ(refusal([&] { SweepFolder::take(folder.path() / "s"); }), ": another process is working on this sweep");
    SweepRecord& record = made.record();
    record.cells[1] = {SweepCell::State::done, made.path() / "runs" / "001", false, 2.5, {}, {}};
    record.cells[1].figures =
        SweepCell::Figures{.reference = 3, .psnr = 31.25, .ssim = 0.5, .worst_frame = 4, .note = {}};
    record.cells[2] = {
        SweepCell::State::failed, "/elsewhere/run", true, 0, Error("f", "memory", "there was not enough", "less"), {}};
    made.save();
    const SweepFolder read = SweepFolder::open(folder.path() / "s");
    const SweepCell &one = read.record().cells[1], &two = read.record().cells[2];
    EXPECT_EQ(one.state, SweepCell::State::done);
    EXPECT_EQ(one.run, made.path() / "runs" / "001");
    EXPECT_EQ(one.seconds, 2.5);
    EXPECT_EQ(one.figures->reference, 3u);
    EXPECT_EQ(one.figures->psnr, 31.25);
    EXPECT_EQ(one.figures->worst_frame, 4u);
    EXPECT_EQ(two.state, SweepCell::State::failed);
    EXPECT_EQ(two.run, "/elsewhere/run");
    EXPECT_TRUE(two.reused);
    EXPECT_EQ(two.error->hint(), "less");
    EXPECT_EQ(read.record().sweep.axes, record.sweep.axes);

    // The folder can be moved as a whole, because its runs are named relative to it.
    fs::rename(folder.path() / "s", folder.path() / "t");
    EXPECT_EQ(SweepFolder::open(folder.path() / "t").record().cells[1].run, folder.path() / "t" / "runs" / "001");
}

/// Each cell stores its values, so a long prompt is stored as often as it is rendered.
TEST(SweepFolder, WhatCouldNotBeReadAgainIsRefusedBeforeItIsBegun) {
    const test::TempFolder folder;
    const auto with_prompts_of = [](std::size_t bytes) {
        Sweep sweep = three_by_two();
        sweep.axes = {{"prompt", {}}, parse_axis("seed", "1..20")};
        for (int i = 0; i < 50; ++i) sweep.axes[0].values.emplace_back(std::to_string(i) + std::string(bytes, 'x'));
        sweep.reference = usual_reference(sweep.axes);
        return sweep;
    };
    const fs::path large = folder.path() / "large", whole = folder.path() / "whole";
    EXPECT_EQ(refusal([&] { SweepFolder::create(large, with_prompts_of(16 << 10)); }),
              "axes: their texts, once for each of 1000 clips, are too long for sweep.json");
    EXPECT_FALSE(fs::exists(large));

    SweepFolder made = SweepFolder::create(whole, with_prompts_of(11 << 10));
    for (SweepCell& cell : made.record().cells) { // the longest record that can become of the cells
        cell.state = SweepCell::State::failed, cell.run = folder.path() / std::string(1000, 'r');
        cell.error = Error(std::string(1000, 'f'), "field", std::string(500, 'm'), std::string(500, 'h'));
    }
    made.save();
    EXPECT_EQ(SweepFolder::open(whole).record().cells.size(), 1000u);
}

TEST(SweepFolder, DrawsOneSeedForAll) {
    const test::TempFolder folder;
    Sweep sweep = three_by_two();
    sweep.request.seed.reset();
    const SweepFolder made = SweepFolder::create(folder.path() / "s", sweep);
    ASSERT_TRUE(made.record().sweep.request.seed);
    EXPECT_EQ(SweepFolder::open(made.path()).record().sweep.request_of(0).seed, made.record().sweep.request.seed);
}

TEST(SweepFolder, IsNotBegunOverAnother) {
    const test::TempFolder folder;
    const fs::path path = folder.path() / "s", file = path / "sweep.json";
    SweepFolder::create(path, three_by_two());
    EXPECT_NE(refusal([&] { SweepFolder::create(path, three_by_two()); }).find("already holds a sweep"),
              std::string::npos);
    // A file that cannot be read is not called missing.
    fs::remove(file);
    EXPECT_NE(refusal([&] { SweepFolder::open(path); }).find("is missing: this is not a sweep"), std::string::npos);
    fs::create_symlink("sweep.json", file);
    EXPECT_EQ(refusal([&] { SweepFolder::open(path); }).find("is missing"), std::string::npos);
}

TEST(SweepFolder, RefusesOneThatWasChanged) {
    const test::TempFolder folder;
    const fs::path path = folder.path() / "s";
    const auto said = [&](const Json& json) {
        fs::create_directories(path);
        std::ofstream(path / "sweep.json") << json.dump();
        return refusal([&] { SweepFolder::open(path); });
    };
    SweepFolder::create(path, three_by_two());
    const Json good = parse_json(read_text(path / "sweep.json", 1 << 20), "s");
    EXPECT_EQ(said(good), "accepted");
    const auto changed = [&](const char* pointer, const Json& value) {
        Json bad = good;
        bad[Json::json_pointer(pointer)] = value;
        return said(bad);
    };
    EXPECT_EQ(changed("/cells", Json::array()), "cells: must be a list of 6");
    EXPECT_EQ(changed("/cells/0/state", "gone").substr(0, 14), "cells.0.state:");
    EXPECT_EQ(changed("/cells/5/seconds", -1).substr(0, 16), "cells.5.seconds:");
    EXPECT_EQ(changed("/cells/5/run", 8).substr(0, 12), "cells.5.run:");
    EXPECT_EQ(changed("/cells/5/more", 8).substr(0, 12), "cells.5.more");
    EXPECT_EQ(changed("/cells/5/figures", Json{{"reference", 6}}).substr(0, 26), "cells.5.figures.reference:");
    EXPECT_EQ(changed("/cells/5", 8).substr(0, 8), "cells.5:");
}
