// SPDX-License-Identifier: Apache-2.0
#include "engine/session/request_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "engine/core/json_fields.h"
#include "engine/core/suggest.h"
#include "engine/core/units.h"
#include "engine/session/carried_request.h"
#include "engine/session/model_lookup.h"
#include "engine/session/noise_kind.h"
#include "engine/session/request_choices.h"
#include "engine/weights/model_part_keys.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t max_request_bytes = 4 << 20;

constexpr std::array<Named<Mode>, 4> modes{
    {{"t2v", Mode::t2v}, {"i2v", Mode::i2v}, {"flf2v", Mode::flf2v}, {"forcing", Mode::forcing}}};
constexpr std::array<Named<DType>, 2> dtypes{{{"f32", DType::f32}, {"bf16", DType::bf16}}};
constexpr std::array<Named<PrecisionPolicy>, 3> precisions{
    {{"f32", PrecisionPolicy::f32}, {"wan", PrecisionPolicy::wan}, {"skyreels", PrecisionPolicy::skyreels}}};
constexpr std::array<Named<Preprocess>, 2> preprocesses{
    {{"original", Preprocess::original}, {"diffusers", Preprocess::diffusers}}};
constexpr std::array<Named<KeepLatents>, 3> keeps{
    {{"all", KeepLatents::all}, {"last", KeepLatents::last}, {"none", KeepLatents::none}}};

void read_noise(Request& r, const JsonReader& in) {
    static constexpr std::string_view known[] = {"kind", "file"};
    in.only(known);
    const bool file = in.value().contains("file");
    if (in.value().contains("kind") == file)
        in.refuse("needs either kind or file", R"(write {"kind": "torch-cpu"} or {"file": "noise.safetensors"})");
    r.noise = {};
    if (file) {
        r.noise.kind = NoiseSource::Kind::file;
        r.noise.file = in.at("file").path();
        return;
    }
    const JsonReader reader = in.at("kind");
    const std::string text = reader.text();
    const auto noise = read_noise_kind(text);
    if (!noise) reader.out_of_range(fmt::format("'{}' is unknown", printable(text, 40)), noise_kind_hint);
    r.noise = *noise;
}

void read_forcing(Request& r, const JsonReader& in) {
    static constexpr std::string_view known[] = {"ar_step", "block", "causal_attention", "video", "video_frames",
                                                 "overlap", "base",  "condition_noise"};
    in.only(known);
    Forcing f;
    for (const auto& [name, child] : in.value().items()) {
        const JsonReader reader = in.member(name, child);
        if (name == "ar_step") f.ar_step = int(reader.integer(0, 1000));
        if (name == "block") f.block = int(reader.integer(1, 4097));
        if (name == "causal_attention") f.causal_attention = reader.boolean();
        if (name == "video" && !child.is_null()) f.video = reader.path();
        if (name == "video_frames" && !child.is_null()) f.video_frames = int(reader.integer(1, 1 << 30));
        if (name == "overlap") f.overlap = int(reader.integer(1, 1 << 20));
        if (name == "base" && !child.is_null()) f.base = int(reader.integer(5, 1 << 20));
        if (name == "condition_noise") f.condition_noise = int(reader.integer(0, 999));
    }
    if (f.video.empty() && in.has("video_frames"))
        in.at("video_frames")
            .refuse("has no effect without a video", R"(name the video that the clip continues: "video": FILE)");
    r.forcing = f;
}

void read_loras(Request& r, const JsonReader& in) {
    constexpr std::size_t most = 64;
    const std::size_t count = in.items(most);
    r.loras.clear();
    for (std::size_t i = 0; i < count; ++i) {
        const JsonReader one = in.member(std::to_string(i), in.value()[i]);
        static constexpr std::string_view known[] = {"file", "strength", "expert"};
        one.only(known);
        if (!one.value().contains("file")) one.refuse("lacks a file", R"(write {"file": FILE, "strength": 1})");
        Lora lora{one.at("file").path()};
        if (one.value().contains("strength"))
            lora.strength = one.at("strength").number(limits::lora_strength.least, limits::lora_strength.most);
        if (one.has("expert")) lora.expert = one.at("expert").one_of<Expert>(lora_experts);
        r.loras.push_back(std::move(lora));
    }
}

void read_cache(Request& r, const JsonReader& in) {
    constexpr std::size_t most = 16;
    static constexpr std::string_view known[] = {"threshold", "ret_steps", "coefficients"};
    in.only(known);
    StepCaching cache;
    for (const auto& [name, child] : in.value().items()) {
        const JsonReader reader = in.member(name, child);
        if (name == "threshold") cache.threshold = reader.number(0, StepCaching::most);
        if (name == "ret_steps") cache.ret_steps = reader.boolean();
        if (name != "coefficients" || child.is_null()) continue;
        if (!child.is_array()) reader.bad_type("a list");
        if (child.empty() || child.size() > most)
            reader.out_of_range(fmt::format("holds {} numbers", child.size()),
                                fmt::format("give 1 to {}, highest degree first", most));
        for (std::size_t i = 0; i < child.size(); ++i)
            cache.coefficients.push_back(reader.member(std::to_string(i), child[i]).number(-1e9, 1e9));
    }
    r.cache = cache.threshold > 0 ? std::optional(std::move(cache)) : std::nullopt;
}

void read_start(Request& r, const JsonReader& in) {
    static constexpr std::string_view known[] = {"run", "step", "sha256"};
    in.only(known);
    Request::Start start;
    for (const char* needed : {"run", "step"})
        if (!in.value().contains(needed))
            in.refuse(fmt::format("lacks {}", needed), R"(write {"run": FOLDER, "step": N})");
    start.run = in.at("run").path();
    start.step = int(in.at("step").integer(0, 1000000));
    if (in.value().contains("sha256")) {
        const JsonReader reader = in.at("sha256");
        start.sha256 = reader.text();
        if (start.sha256.size() != 64 || start.sha256.find_first_not_of("0123456789abcdef") != std::string::npos)
            reader.out_of_range("is not a SHA-256", "64 digits 0-9, a-f");
    }
    r.start = start;
}

Json write_noise(const Request& r) {
    if (r.noise.kind == NoiseSource::Kind::file) return {{"file", r.noise.file.string()}};
    return {{"kind", noise_kind_text(r.noise)}};
}

Json write_forcing(const Request& r) {
    if (!r.forcing) return {};
    const Forcing& f = *r.forcing;
    Json out{{"ar_step", f.ar_step}, {"block", f.block}, {"causal_attention", f.causal_attention}};
    if (!f.video.empty()) {
        out["video"] = f.video.string();
        out["video_frames"] = or_null(f.video_frames);
    }
    if (f.base) out["base"] = *f.base;
    if (!f.video.empty() || f.base || f.overlap != Forcing{}.overlap) out["overlap"] = f.overlap;
    if (f.condition_noise > 0) out["condition_noise"] = f.condition_noise;
    return out;
}

Json write_loras(const Request& r) {
    if (r.loras.empty()) return {};
    Json all = Json::array();
    for (const Lora& lora : r.loras) {
        all.push_back({{"file", lora.file.string()}, {"strength", lora.strength}});
        if (lora.expert) all.back()["expert"] = name_of(lora_experts, *lora.expert);
    }
    return all;
}

void read_parts(Request& r, const JsonReader& in) {
    std::array<std::string_view, std::size(model_part_keys)> known;
    std::transform(std::begin(model_part_keys), std::end(model_part_keys), known.begin(),
                   [](const ModelPartKey& part) { return part.key; });
    in.only(known);
    ModelParts named;
    for (const auto& [name, member] : model_part_keys)
        if (in.has(name)) named.*member = in.at(name).path();
    r.parts = std::move(named);
}

Json write_parts(const Request& r) {
    Json out;
    for (const auto& [name, member] : model_part_keys)
        if (const fs::path& place = r.parts.*member; !place.empty()) out[std::string(name)] = place.string();
    return out;
}

Json write_cache(const Request& r) {
    if (!r.cache) return {};
    Json out{{"threshold", r.cache->threshold}, {"ret_steps", r.cache->ret_steps}};
    if (!r.cache->coefficients.empty()) out["coefficients"] = r.cache->coefficients;
    return out;
}

Json write_start(const Request& r) {
    if (!r.start) return {};
    Json out{{"run", r.start->run.string()}, {"step", r.start->step}};
    if (!r.start->sha256.empty()) out["sha256"] = r.start->sha256;
    return out;
}

/// One key of a request. Null stands for "none" where the key may be null, and then the field becomes what a fresh
/// Request has.
struct Field {
    std::string_view key;
    bool nullable;
    std::function<void(Request&, const JsonReader&)> read;
    std::function<void(Request&)> clear;
    std::function<Json(const Request&)> write;
    std::vector<std::string_view> choices = {}; ///< the words of a closed list
};

Json to_value(const fs::path& path) { return path.empty() ? Json() : Json(path.string()); }
Json to_value(const Device& device) { return device.name(); }
template <class T> Json to_value(const T& value) { return value; }
template <class T> Json to_value(const std::optional<T>& value) { return value ? to_value(*value) : Json(); }

/// A member that is read by `read`, and written as it is.
template <class Member, class Read>
Field plain(std::string_view key, bool nullable, Member Request::*member, Read read) {
    return {key, nullable, [member, read](Request& r, const JsonReader& in) { r.*member = read(in); },
            [member](Request& r) { r.*member = Request{}.*member; },
            [member](const Request& r) { return to_value(r.*member); }};
}

/// A member with a closed list of names.
template <class T, std::size_t N, class Member>
Field named(std::string_view key, bool nullable, Member Request::*member, const std::array<Named<T>, N>& names) {
    Field field = plain(key, nullable, member, [&names](const JsonReader& in) { return in.one_of<T>(names); });
    field.write = [member, &names](const Request& r) -> Json {
        const std::string_view name = name_of(names, r.*member);
        return name.empty() ? Json() : Json(name);
    };
    for (const Named<T>& choice : names) field.choices.push_back(choice.name);
    return field;
}

template <class Member> Field object(std::string_view key, Member Request::*member,
                                     void (*read)(Request&, const JsonReader&), Json (*write)(const Request&)) {
    return {key, true, read, [member](Request& r) { r.*member = Request{}.*member; }, write};
}

std::uint64_t read_seed(const JsonReader& in) {
    const Json& value = in.value();
    if (value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0))
        return value.get<std::uint64_t>();
    if (!in.is_whole()) in.bad_type("a whole number from 0 to 18446744073709551615");
    in.out_of_range(in.shown() + " is out of range",
                    "use 0 to 18446744073709551615, or leave it out for one that is drawn");
}
std::string read_string(const JsonReader& in) { return in.text(); }
fs::path read_path(const JsonReader& in) { return in.path(); }

/// A path, or the name of a model, which stays as it is (find_model looks it up).
fs::path read_model(const JsonReader& in) {
    const fs::path path = in.path(), name(in.text());
    std::error_code code;
    if (name.has_parent_path() || fs::exists(path, code)) return path;
    if (!fs::exists(name, code)) return name;
    // find_model() would take what has this name in the working directory, which the request does not mean.
    const fs::path named = named_model(name);
    return named.empty() ? path : named;
}

auto number(Range range) {
    return [range](const JsonReader& in) { return in.number(range.least, range.most); };
}
auto whole(int low, int high) {
    return [low, high](const JsonReader& in) { return int(in.integer(low, high)); };
}
/// A whole number that one of the strong types of core/units.h checks. Adds the field's place to its errors.
template <class Check> auto strong(Check check) {
    return [check](const JsonReader& in) {
        const std::int64_t value = in.integer();
        try {
            return check(value);
        } catch (const UsageError& e) {
            in.out_of_range(in.value() == value ? e.message() : in.shown() + " is out of range", e.hint());
        }
    };
}

Device read_device(const JsonReader& in) {
    try {
        return Device::parse(in.text());
    } catch (const UsageError& e) { // does not name the place of the text
        in.out_of_range(e.message(), e.hint());
    }
}

const std::vector<Field>& fields() {
    static const std::vector<Field> all{
        named("mode", false, &Request::mode, modes),
        plain("model", false, &Request::model, read_model),
        object("parts", &Request::parts, read_parts, write_parts),
        named("family", true, &Request::family, families),
        object("loras", &Request::loras, read_loras, write_loras),
        plain("prompt", false, &Request::prompt, read_string),
        plain("negative_prompt", true, &Request::negative_prompt, read_string),
        plain("image", true, &Request::image, read_path),
        plain("last_image", true, &Request::last_image, read_path),
        plain("width", false, &Request::width, strong([](std::int64_t v) { return Resolution(v, 16).width(); })),
        plain("height", false, &Request::height, strong([](std::int64_t v) { return Resolution(16, v).height(); })),
        plain("frames", false, &Request::frames, strong([](std::int64_t v) { return FrameCount(v).value(); })),
        plain("fps", false, &Request::fps, number(limits::fps)),
        plain("steps", false, &Request::steps, whole(1, StepCount::max)),
        plain("guidance", false, &Request::guidance, number(limits::guidance)),
        plain("guidance_low", true, &Request::guidance_low, number(limits::guidance)),
        plain("guidance_until", false, &Request::guidance_until, number(limits::guidance_until)),
        plain("shift", false, &Request::shift, number(limits::shift)),
        plain("seed", true, &Request::seed, read_seed),
        named("sampler", false, &Request::sampler, samplers),
        named("dtype", false, &Request::dtype, dtypes),
        named("precision", true, &Request::precision, precisions),
        named("preprocess", true, &Request::preprocess, preprocesses),
        plain("device", false, &Request::device, read_device),
        plain("threads", false, &Request::threads, whole(0, 1024)),
        named("latents", false, &Request::latents, keeps),
        object("noise", &Request::noise, read_noise, write_noise),
        object("forcing", &Request::forcing, read_forcing, write_forcing),
        object("cache", &Request::cache, read_cache, write_cache),
        object("start", &Request::start, read_start, write_start),
    };
    return all;
}

const Field* find_field(std::string_view key) {
    for (const Field& field : fields())
        if (field.key == key) return &field;
    return nullptr;
}

[[noreturn]] void refuse_key(std::string_view key, const RequestSource& source) {
    std::string hint;
    if (key == "size")
        hint = "write width and height";
    else if (key == "out" || key == "run_dir" || key == "no_metadata")
        hint = "give it on the command line";
    else if (key == "request" || key == "axes" || key == "reference")
        hint = "it is a sweep's: use denoir-cli sweep";
    else
        hint = did_you_mean(
            key, request_keys(),
            fmt::format("known are {}, …", fmt::join(request_keys().begin(), request_keys().begin() + 8, ", ")));
    throw Error(source.file, key.empty() ? "\"\"" : printable(key, 60), "is not a key of a request", hint);
}

void check_schema(const Json& object, const RequestSource& source) {
    const auto schema = object.find("schema");
    if (schema == object.end()) throw Error(source.file, "schema", "is missing", R"(write "schema": 1)");
    if (!schema->is_number_integer())
        throw Error(source.file, "schema", "must be the number 1", R"(write "schema": 1)");
    if (*schema != 1)
        throw Error(source.file, "schema",
                    fmt::format("{} is not known to this version, which reads 1", schema->dump()),
                    "use a newer Denoir, or write the request for schema 1");
}

} // namespace

const std::vector<std::string_view>& request_keys() {
    static const std::vector<std::string_view> keys = [] {
        std::vector<std::string_view> out;
        for (const Field& field : fields()) out.push_back(field.key);
        return out;
    }();
    return keys;
}

std::vector<std::string_view> request_choices(std::string_view key) {
    const Field* field = find_field(key);
    return field ? field->choices : std::vector<std::string_view>{};
}

fs::path resolved_path(const fs::path& path, const fs::path& folder) {
    const fs::path out = fs::absolute(folder / path);
    // "models/wan/" names the folder itself.
    return out.has_filename() || out == out.root_path() ? out : out.parent_path();
}

bool is_path_field(std::string_view field) {
    static constexpr std::string_view names[] = {"model",      "image",         "last_image",
                                                 "noise.file", "forcing.video", "start.run"};
    return std::find(std::begin(names), std::end(names), field) != std::end(names) || field.starts_with("parts.") ||
           (field.starts_with("loras.") && field.ends_with(".file"));
}

std::vector<fs::path*> paths_of(Request& r) {
    std::vector<fs::path*> all{&r.model, &r.image, &r.last_image, &r.noise.file};
    for (const ModelPartKey& part : model_part_keys) all.push_back(&(r.parts.*part.place));
    for (Lora& lora : r.loras) all.push_back(&lora.file);
    if (r.forcing) all.push_back(&r.forcing->video);
    if (r.start) all.push_back(&r.start->run);
    std::erase_if(all, [](const fs::path* path) { return path->empty(); });
    return all;
}

void make_paths_absolute(Request& r) {
    const fs::path here = fs::current_path(); // throws even if no path needs it, so that no run begins in a lost folder
    for (fs::path* path : paths_of(r)) *path = resolved_path(*path, here);
}

void set_request_field(Request& r, std::string_view key, const Json& value, const RequestSource& source) {
    const Field* field = find_field(key);
    if (!field) refuse_key(key, source);
    if (value.is_null() && field->nullable) return field->clear(r);
    field->read(r, {value, source, std::string(key)});
}

void set_request_size(Request& r, std::string_view text, const RequestSource& source) {
    std::int64_t width = 0, height = 0;
    bool holds = true; // whether 64 bits hold both; if not, the text is shown as it was written
    const auto read = [&](const char* begin, const char* end, std::int64_t& value) {
        const auto [after, problem] = std::from_chars(begin, end, value);
        holds = holds && problem != std::errc::result_out_of_range;
        return after;
    };
    const char *begin = text.data(), *end = begin + text.size();
    const char* cross = read(begin, end, width);
    const char* last = cross == begin || cross == end || *cross != 'x' ? nullptr : read(cross + 1, end, height);
    if (last != end || last == cross + 1)
        throw UsageError("", "size", fmt::format("{} is not WIDTHxHEIGHT", printable(text, 40)),
                         "write it like 960x544");
    if (!holds)
        throw UsageError("", "size", fmt::format("{} is out of range", printable(text, 60)),
                         fmt::format("use up to {} a side", Resolution::max));
    set_request_field(r, "width", width, source);
    set_request_field(r, "height", height, source);
}

void clear_request_field(Request& r, std::string_view key) {
    const Field* field = find_field(key);
    if (!field) refuse_key(key, {});
    field->clear(r);
}

void apply_request(Request& r, const Json& object, const RequestSource& source) {
    if (!object.is_object())
        throw Error(source.file, "", "must hold one JSON object", R"(write {"schema": 1, "prompt": "…"})");
    for (const auto& [key, value] : object.items())
        if (key != "schema" && !find_field(key)) refuse_key(key, source);
    check_schema(object, source);
    for (const auto& [key, value] : object.items())
        if (key != "schema") set_request_field(r, key, value, source);
    if (r.forcing && r.mode && *r.mode != Mode::forcing)
        throw UsageError(source.file, "mode", "forcing selects the mode, but mode says otherwise",
                         "leave out one of the two");
}

Request request_from_json(const Json& object, const RequestSource& source) {
    Request r;
    apply_request(r, object, source);
    return r;
}

void apply_request_file(Request& r, const fs::path& file) {
    const std::string name = file.string();
    apply_request(r, read_request_json(file, max_request_bytes), {name, file.parent_path()});
}

Json to_json(const Request& r) {
    Json out = {{"schema", 1}};
    for (const Field& field : fields()) {
        // Younger keys are written only if they are used. Otherwise the same request of an older program would differ.
        const bool later = field.key == "cache" || field.key == "parts" || field.key == "guidance_until";
        if (Json value = field.write(r); !later || (!value.is_null() && value != 0))
            out[std::string(field.key)] = std::move(value);
    }
    return out;
}

Json asked_json(const Request& r) {
    Json out = {{"schema", 1}};
    for (const Field& field : fields())
        if (Json value = field.write(r); !value.is_null()) out[std::string(field.key)] = std::move(value);
    return out;
}

} // namespace denoir
