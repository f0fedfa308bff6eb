// SPDX-License-Identifier: Apache-2.0
#include "engine/session/request_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/session/noise_kind.h"
#include "engine/weights/model_part_keys.h"

namespace denoir {
namespace {

const RequestSource in_file{"folder/request.json", "/requests"};

Request read(const std::string& text) { return request_from_json(parse_json(text, in_file.file), in_file); }

/// The message of the refusal, or "" if the text is accepted.
std::string refusal(const std::string& text) {
    try {
        read(text);
        return "";
    } catch (const Error& e) {
        return e.what();
    }
}

std::string with(const std::string& member) { return R"({"schema": 1, )" + member + "}"; }

Request complete() {
    return read(
        R"({"schema": 1, "mode": "forcing", "model": "/models/df", "family": "skyreels-df", "prompt": "a fox", "negative_prompt": "",
        "image": "start.png", "last_image": "/pictures/end.png", "width": 960, "height": 544, "frames": 57, "fps": 23.976, "steps": 50, "guidance": 5.5,
        "guidance_low": 3, "guidance_until": 400, "shift": 3.0, "seed": 18446744073709551615, "sampler": "dpmpp", "dtype": "bf16", "precision": "skyreels",
        "preprocess": "diffusers", "device": "cuda:1", "threads": 3, "latents": "last", "noise": {"file": "noise.safetensors"},
        "forcing": {"ar_step": 5, "block": 5, "causal_attention": true},
        "cache": {"threshold": 0.3, "ret_steps": true, "coefficients": [1.5, -2, 0]},
        "parts": {"vae": "vae.pth", "tokenizer": "/t"},
        "start": {"run": "../runs/a", "step": 7, "sha256": "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"}})");
}

TEST(NoiseKind, ReadsWhatItWrites) {
    for (const char* kind : {"torch-cpu", "torch-cuda:1", "torch-cuda:132", "torch-cuda:1024"}) {
        const auto noise = read_noise_kind(kind);
        ASSERT_TRUE(noise) << kind;
        EXPECT_EQ(noise_kind_text(*noise), kind);
    }
    for (const char* none : {"", "torch", "torch-cpu:1", "torch-cuda", "torch-cuda:", "torch-cuda:0", "torch-cuda:1025",
                             "torch-cuda:-1", "torch-cuda:+1", "torch-cuda:1x", "torch-cuda: 1"})
        EXPECT_FALSE(read_noise_kind(none)) << none;
}

TEST(RequestJson, ReadsEveryKey) {
    const Request r = complete();
    EXPECT_EQ(r.mode, Mode::forcing);
    EXPECT_EQ(r.model, "/models/df");
    EXPECT_EQ(r.family, Family::skyreels_df);
    EXPECT_EQ(r.negative_prompt, "");
    EXPECT_EQ(r.image, "/requests/start.png");
    EXPECT_EQ(r.last_image, "/pictures/end.png");
    EXPECT_EQ(r.width, 960);
    EXPECT_EQ(r.frames, 57);
    EXPECT_EQ(r.fps, 23.976);
    EXPECT_EQ(r.guidance_low, 3.0);
    EXPECT_EQ(r.seed, 18446744073709551615u);
    EXPECT_EQ(r.sampler, Sampler::dpmpp);
    EXPECT_EQ(r.device, (Device{Device::Kind::cuda, 1}));
    EXPECT_EQ(r.latents, KeepLatents::last);
    EXPECT_EQ(r.noise.file, "/requests/noise.safetensors");
    EXPECT_EQ(r.forcing, (Forcing{5, 5, true}));
    EXPECT_EQ(r.parts, (ModelParts{.vae = "/requests/vae.pth", .tokenizer = "/t"}));
    EXPECT_EQ(r.cache, (StepCaching{0.3, true, {1.5, -2, 0}}));
    EXPECT_EQ(r.start->run, "/requests/../runs/a");
}

TEST(RequestJson, SurvivesTheRoundTrip) {
    const Json once = to_json(complete());
    const Json twice = to_json(request_from_json(parse_json(once.dump(), "run.json"), {"run.json", "/"}));
    EXPECT_EQ(once, twice);
    for (const std::string_view key : request_keys()) EXPECT_TRUE(once.contains(std::string(key))) << key;
}

TEST(RequestJson, EverythingButSchemaMayBeLeftOut) {
    const Request r = read(R"({"schema": 1})");
    EXPECT_FALSE(r.steps.has_value());
    EXPECT_TRUE(r.model.empty());
    EXPECT_NE(refusal("{}").find("schema"), std::string::npos);
    EXPECT_NE(refusal(R"({"schema": 2})").find("schema"), std::string::npos);
}

TEST(RequestJson, NullIsNone) {
    const Request r =
        read(with(R"("last_image": null, "guidance_low": null, "forcing": null, "seed": null, "start": null)"));
    EXPECT_TRUE(r.last_image.empty());
    EXPECT_FALSE(r.forcing.has_value());
}

TEST(RequestJson, SuggestsWhatWasMeant) {
    EXPECT_NE(refusal(with(R"("stpes": 4)")).find("did you mean steps?"), std::string::npos);
    EXPECT_NE(refusal(with(R"("guidence": 4)")).find("did you mean guidance?"), std::string::npos);
    EXPECT_NE(refusal(with(R"("sampler": "unipx")")).find("did you mean unipc?"), std::string::npos);
    EXPECT_NE(refusal(with(R"("forcing": {"ar_stp": 1})")).find("did you mean ar_step?"), std::string::npos);
    EXPECT_NE(refusal(with(R"("size": "96x96")")).find("width and height"), std::string::npos);
}

TEST(RequestJson, WithoutAFileTheFieldAloneIsNamed) {
    Request r;
    try {
        set_request_field(r, "negative_prompt", 4, {"", "/"});
        FAIL();
    } catch (const UsageError& e) { // a UsageError, since no file is wrong
        EXPECT_STREQ(e.what(), "negative_prompt: must be text, not 4; correct the value");
    }
}

TEST(RequestJson, AVideoToGoOnAfterIsPartOfForcing) {
    const Request r = read(with(R"("forcing": {"video": "clip.mp4", "video_frames": 40, "overlap": 9})"));
    EXPECT_EQ(r.forcing->video, "/requests/clip.mp4");
    EXPECT_EQ(r.forcing->video_frames, 40);
    EXPECT_EQ(r.forcing->overlap, 9);
    EXPECT_EQ(request_from_json(asked_json(r), {}).forcing, r.forcing);
    const Request plain = read(with(R"("forcing": {"video": null, "video_frames": null})"));
    EXPECT_EQ(plain.forcing, Forcing{});
    EXPECT_EQ(to_json(plain)["forcing"].size(), 3u); // as requests without a video have always been written
    EXPECT_NE(refusal(with(R"("forcing": {"video_frames": 9, "video": null})")).find("forcing.video_frames"),
              std::string::npos);
    EXPECT_NE(refusal(with(R"("forcing": {"video": 7})")).find("forcing.video"), std::string::npos);
    EXPECT_NE(refusal(with(R"("forcing": {"video": "a.mp4", "overlap": 0})")).find("forcing.overlap"),
              std::string::npos);
}

TEST(RequestJson, WindowsArePartOfForcing) {
    const Request r = read(with(R"("forcing": {"base": 13, "overlap": 5, "condition_noise": 20})"));
    EXPECT_EQ(r.forcing->base, 13);
    EXPECT_EQ(r.forcing->overlap, 5);
    EXPECT_EQ(r.forcing->condition_noise, 20);
    EXPECT_EQ(request_from_json(asked_json(r), {}).forcing, r.forcing);
    // The overlap also counts where the model decides the size of the windows.
    const Request overlap = read(with(R"("forcing": {"overlap": 9, "base": null})"));
    EXPECT_EQ(overlap.forcing->overlap, 9);
    EXPECT_EQ(request_from_json(asked_json(overlap), {}).forcing, overlap.forcing);
    for (const char* wrong : {R"("base": 4)", R"("base": 9.5)", R"("condition_noise": 1000)",
                              R"("condition_noise": -1)", R"("overlap": "5")"})
        EXPECT_NE(refusal(with(fmt::format(R"("forcing": {{{}}})", wrong))).find("forcing."), std::string::npos)
            << wrong;
}

TEST(RequestJson, LorasAreFilesWithAStrength) {
    const Request r =
        read(with(R"("loras": [{"file": "style.safetensors"}, {"file": "/l/b.safetensors", "strength": -0.5}])"));
    ASSERT_EQ(r.loras.size(), 2u);
    EXPECT_EQ(r.loras[0], (Lora{"/requests/style.safetensors", 1}));
    EXPECT_EQ(r.loras[1], (Lora{"/l/b.safetensors", -0.5}));
    EXPECT_EQ(request_from_json(asked_json(r), {}).loras, r.loras);
    EXPECT_TRUE(read(with(R"("loras": null)")).loras.empty());
    EXPECT_TRUE(to_json(read(with(R"("loras": [])")))["loras"].is_null());
    EXPECT_NE(refusal(with(R"("loras": {"file": "a"})")).find("loras: must be a list"), std::string::npos);
    EXPECT_NE(refusal(with(R"("loras": ["a"])")).find("loras.0"), std::string::npos);
    EXPECT_NE(refusal(with(R"("loras": [{"strength": 1}])")).find("loras.0: lacks a file"), std::string::npos);
    EXPECT_NE(refusal(with(R"("loras": [{"file": "a", "strength": 101}])")).find("loras.0.strength"),
              std::string::npos);
    EXPECT_NE(refusal(with(R"("loras": [{"file": "a", "strenght": 1}])")).find("did you mean strength?"),
              std::string::npos);
    const Request experts = read(with(R"("loras": [{"file": "/a", "expert": "low"}, {"file": "/a", "strength": 3,
        "expert": "high"}, {"file": "/b", "expert": "both"}, {"file": "/c", "expert": null}])"));
    EXPECT_EQ(experts.loras[0].expert, Expert::low);
    EXPECT_EQ(experts.loras[1], (Lora{"/a", 3, Expert::high}));
    EXPECT_EQ(experts.loras[2].expert, Expert::none);
    EXPECT_FALSE(experts.loras[3].expert);
    EXPECT_EQ(request_from_json(asked_json(experts), {}).loras, experts.loras);
    EXPECT_FALSE(to_json(experts)["loras"][3].contains("expert"));
    EXPECT_NE(refusal(with(R"("loras": [{"file": "a", "expert": "hi"}])")).find("loras.0.expert"), std::string::npos);
    std::string many = R"("loras": [{"file": "a"})";
    for (int i = 0; i < 64; ++i) many += R"(, {"file": "a"})";
    EXPECT_NE(refusal(with(many + "]")).find("at most 64"), std::string::npos);
}

TEST(RequestJson, PartsOfAModelMayBeNamed) {
    const Request r = read(with(R"("parts": {"vae": "vae.pth", "low_noise": "/m/low.gguf", "clip": null})"));
    EXPECT_EQ(r.parts, (ModelParts{.low_noise = "/m/low.gguf", .vae = "/requests/vae.pth"}));
    EXPECT_EQ(request_from_json(asked_json(r), {}).parts, r.parts);
    EXPECT_TRUE(read(with(R"("parts": null)")).parts.empty());
    EXPECT_FALSE(to_json(read(with(R"("parts": {})"))).contains("parts"));
    EXPECT_NE(refusal(with(R"("parts": {"vea": "a"})")).find("did you mean vae?"), std::string::npos);
    EXPECT_NE(refusal(with(R"("parts": {"clip": 1})")).find("parts.clip"), std::string::npos);
    EXPECT_NE(refusal(with(R"("parts": ["a"])")).find("parts"), std::string::npos);
}

TEST(RequestJson, TheCacheIsStoredOnlyWhereItIsUsed) {
    const Request r = read(with(R"("cache": {})"));
    EXPECT_EQ(r.cache, StepCaching{});
    EXPECT_EQ(to_json(r)["cache"], (Json{{"threshold", 0.2}, {"ret_steps", false}}));
    for (const char* off : {"null", R"({"threshold": 0})"}) {
        const Request none = read(with(fmt::format(R"("cache": {})", off)));
        EXPECT_FALSE(none.cache) << off;
        EXPECT_FALSE(to_json(none).contains("cache"));
    }
    EXPECT_NE(refusal(with(R"("cache": {"treshold": 1})")).find("did you mean threshold?"), std::string::npos);
}

/// Runs were stored before this field existed, so it is written only if it is set. A request as it was asked always has
/// it.
TEST(RequestJson, TheEndOfGuidanceIsWrittenWhereThereIsOne) {
    const Request ends = read(with(R"("guidance_until": 400.5)"));
    EXPECT_EQ(ends.guidance_until, 400.5);
    EXPECT_EQ(to_json(ends)["guidance_until"], 400.5);
    EXPECT_FALSE(to_json(read(with(R"("guidance_until": 0)"))).contains("guidance_until"));
    EXPECT_EQ(asked_json(Request{})["guidance_until"], 0.0);
}

TEST(RequestJson, ForcingSelectsTheMode) {
    EXPECT_EQ(refusal(with(R"("forcing": {})")), "");
    EXPECT_NE(refusal(with(R"("mode": "t2v", "forcing": {})")).find("mode"), std::string::npos);
}

// The exit code depends on it: 2 for a value out of range, 1 for a value of another type.
TEST(RequestJson, EveryWholeNumberOutOfRangeIsAUsageError) {
    const auto usage = [](const std::string& key, const char* value) {
        try {
            read(with(fmt::format(R"("{}": {})", key, value)));
        } catch (const UsageError&) {
            return "a value out of range";
        } catch (const Error&) {
            return "another type";
        }
        return "";
    };
    for (const char* key : {"width", "height", "frames", "steps", "threads", "seed"}) {
        for (const char* value : {"-1", "18446744073709551616", "123456789012345678901", "-9223372036854775809"})
            EXPECT_STREQ(usage(key, value), "a value out of range") << key << " " << value;
        for (const char* value : {"7.0", "1e3", "-0.5", R"("7")", "true"})
            EXPECT_STREQ(usage(key, value), "another type") << key << " " << value;
    }
    EXPECT_NE(refusal(with(R"("frames": 18446744073709551615)")).find("18446744073709551615 is out of range"),
              std::string::npos);
}

// Every key, with every kind of value that does not belong there, is refused by name and in one line.
TEST(RequestJson, RefusesWhatDoesNotBelong) {
    const std::vector<std::string> numbers{"width",    "height",       "frames", "fps",  "steps",
                                           "guidance", "guidance_low", "shift",  "seed", "threads"};
    const std::vector<std::string> texts{"mode",       "model",      "family",  "prompt", "negative_prompt",
                                         "image",      "last_image", "sampler", "dtype",  "precision",
                                         "preprocess", "device",     "latents"};
    const std::vector<std::string> objects{"noise", "forcing", "cache", "start"};
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& key : numbers)
        for (const char* value : {R"("12")", "true", "[]", "{}", "[1]", "-1", "1e300", "-1e300", R"("nan")",
                                  "100000000000", "-0.5", R"("")"})
            if (!((key == "guidance" || key == "guidance_low") && std::string(value) == "0"))
                if (!(key == "seed" && std::string(value) == "100000000000")) all.emplace_back(key, value);
    for (const auto& key : {"width", "height", "frames", "steps", "seed", "threads"}) all.emplace_back(key, "4.5");
    for (const auto& key : {"width", "height", "frames", "fps", "steps", "shift"}) all.emplace_back(key, "0");
    for (const auto& key : {"width", "height"})
        for (const char* value : {"8", "17", "100", "8208", "2147483648", "18446744073709551616"})
            all.emplace_back(key, value);
    for (const char* value : {"2", "3", "4", "100", "1000001"}) all.emplace_back("frames", value);
    all.emplace_back("seed", "18446744073709551616");
    for (const auto& key : texts)
        for (const char* value : {"12", "true", "[]", "{}", R"(["a"])", "1.5"}) all.emplace_back(key, value);
    for (const auto& key : {"mode", "family", "sampler", "dtype", "precision", "preprocess", "device", "latents"})
        for (const char* value : {R"("")", R"("x")", R"("T2V")", R"("wan 2")", R"("\u0007")", R"("f16")"})
            all.emplace_back(key, value);
    for (const auto& key : {"model", "image", "last_image"}) all.emplace_back(key, R"("")");
    for (const auto& key : objects)
        for (const char* value : {"12", "true", "[]", R"("a")", R"({"unknown": 1})",
                                  R"({"kind": 1, "file": 2, "run": 3, "step": 4, "block": 5})"})
            all.emplace_back(key, value);
    for (const char* value :
         {"{}", R"({"kind": "torch"})", R"({"kind": "torch-cuda"})", R"({"kind": "torch-cuda:"})",
          R"({"kind": "torch-cuda:0"})", R"({"kind": "torch-cuda:9999"})", R"({"kind": "torch-cuda:1x"})",
          R"({"kind": 1})", R"({"file": ""})", R"({"file": 1})", R"({"kind": "torch-cpu", "file": "a"})"})
        all.emplace_back("noise", value);
    for (const char* value : {R"({"ar_step": -1})", R"({"ar_step": 1.5})", R"({"block": 0})",
                              R"({"causal_attention": 1})", R"({"block": null})"})
        all.emplace_back("forcing", value);
    for (const char* value :
         {R"({"threshold": -1})", R"({"threshold": 11})", R"({"threshold": "0.2"})", R"({"threshold": null})",
          R"({"ret_steps": 1})", R"({"coefficients": []})", R"({"coefficients": 1})", R"({"coefficients": ["1"]})",
          R"({"coefficients": [1e300]})", R"({"coefficients": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]})"})
        all.emplace_back("cache", value);
    for (const char* value : {R"({"run": "a"})", R"({"step": 1})", R"({"run": "a", "step": -1})",
                              R"({"run": "a", "step": 1, "sha256": "zz"})"})
        all.emplace_back("start", value);
    for (const auto& [key, value] : all) {
        const std::string line = refusal(with(fmt::format(R"("{}": {})", key, value)));
        EXPECT_NE(line, "") << key << ": " << value;
        EXPECT_NE(line.find(key), std::string::npos) << line;
        EXPECT_NE(line.find("folder/request.json"), std::string::npos) << line;
        EXPECT_LE(line.size(), 360u) << line;
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
        EXPECT_EQ(line.find("json.exception"), std::string::npos) << line;
    }
    EXPECT_GT(all.size(), 250u);
}

TEST(RequestJson, RefusesBrokenText) {
    for (const std::string text :
         {R"({"schema": 1, "steps": 4, "steps": 5})", R"({"schema": 1, "guidance": NaN})",
          R"({"schema": 1, "guidance": 1e400})", R"({"schema": 1)", R"({"schema": 1,})", "[]", "1", "null", "",
          R"({"schema": 1, "prompt": "a\u0000b"})", "{\"schema\": 1, \"prompt\": \"\xff\"}", R"({"schema": "1"})",
          R"({"schema": 1.0})", R"({"schema": null})"})
        EXPECT_NE(refusal(text), "") << text;
}

// Some code knows paths by the names of their fields, and some by their type: both must mean the same fields.
TEST(RequestJson, PathsAreTheSameByNameAndByType) {
    Request all;
    all.forcing.emplace();
    all.start.emplace();
    all.noise.kind = NoiseSource::Kind::file;
    all.loras.resize(2);
    all.model = all.image = all.last_image = all.noise.file = all.forcing->video = all.start->run = "a path";
    for (Lora& lora : all.loras) lora.file = "a path";
    for (const ModelPartKey& part : model_part_keys) all.parts.*part.place = "a path";
    all.prompt = all.start->sha256 = "a text";
    all.negative_prompt = "a text";
    const Json stored = to_json(all).flatten(); // keys such as "/loras/0/file"
    std::size_t paths = 0;
    for (const auto& [pointer, value] : stored.items()) {
        std::string field = pointer.substr(1);
        std::replace(field.begin(), field.end(), '/', '.');
        EXPECT_EQ(is_path_field(field), value == "a path") << field;
        paths += value == "a path";
    }
    EXPECT_EQ(paths_of(all).size(), paths);
}

TEST(ResolvedPath, IsLiteral) {
    EXPECT_EQ(resolved_path("a/../b.png", "/x"), "/x/a/../b.png");
    EXPECT_EQ(resolved_path("/m/wan/", "/x"), "/m/wan");
    EXPECT_EQ(resolved_path("http://host/a.png", "/x"), "/x/http://host/a.png");
    EXPECT_EQ(resolved_path("frame_%d.png", "/x"), "/x/frame_%d.png");
}

TEST(RequestJson, WhatWasAskedForSurvivesAlone) {
    Request r;
    r.prompt = "a fox", r.steps = 7, r.seed = 18446744073709551615u;
    const Json json = asked_json(r);
    EXPECT_FALSE(json.contains("guidance"));
    const Request again = request_from_json(json, {"request.json", "/"});
    EXPECT_EQ(asked_json(again), json);
    EXPECT_EQ(again.seed, r.seed);
    clear_request_field(r, "steps");
    EXPECT_FALSE(r.steps.has_value());
    EXPECT_THROW(clear_request_field(r, "stepps"), Error);
}

} // namespace
} // namespace denoir
