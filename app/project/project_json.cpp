// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project/project_json.h"

#include <fmt/format.h>

#include <QFile>
#include <QSet>
#include <QUuid>
#include <cmath>

#include "app/base/text.h"
#include "engine/session/request_json.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

constexpr const char *format_name = "denoir-project", *frames_kind = "frames", *still_kind = "still";
constexpr std::size_t most_shots = 100'000, most_takes = 10'000, most_text = 4096;
constexpr int most_frames = 100'000'000, most_side = 16384;

/// Reads members of an object and names them in errors.
class Reader {
public:
    Reader(const Json& json, std::string file, std::string where)
        : json_(json), file_(std::move(file)), where_(std::move(where)) {
        if (!json_.is_object()) bad("", "must be an object");
    }
    [[noreturn]] void bad(const std::string& key, const std::string& message) const {
        throw Error(file_, where_ + (key.empty() || where_.empty() ? key : "." + key), message,
                    "the file was damaged: open a copy of it, or its autosave");
    }
    const Json& member(const char* key) const {
        const auto it = json_.find(key);
        if (it == json_.end()) bad(key, "is missing");
        return *it;
    }
    bool has(const char* key) const { return json_.contains(key) && !json_[key].is_null(); }
    QString text(const char* key) const {
        const Json& value = member(key);
        if (!value.is_string() || value.get_ref<const std::string&>().size() > most_text)
            bad(key, "must be a short text");
        return to_qstring(value.get_ref<const std::string&>());
    }
    int integer(const char* key, int low, int high) const {
        const Json& value = member(key);
        if (!value.is_number_integer() ||
            (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(high)))
            bad(key, fmt::format("must be a whole number from {} to {}", low, high));
        const auto number = value.get<std::int64_t>();
        if (number < low || number > high) bad(key, fmt::format("must be a whole number from {} to {}", low, high));
        return int(number);
    }
    double number(const char* key, double low, double high) const {
        const Json& value = member(key);
        if (!value.is_number() || !(value.get<double>() >= low && value.get<double>() <= high))
            bad(key, fmt::format("must be a number from {} to {}", low, high));
        return value.get<double>();
    }
    const Json& list(const char* key, std::size_t most) const {
        const Json& value = member(key);
        if (!value.is_array() || value.size() > most) bad(key, fmt::format("must be a list of at most {}", most));
        return value;
    }
    Reader item(const char* key, std::size_t index) const {
        const std::string name = fmt::format("{}{}{}[{}]", where_, where_.empty() ? "" : ".", key, index);
        return {member(key)[index], file_, name};
    }

private:
    const Json& json_;
    std::string file_, where_;
};

std::string written(const QString& path, const fs::path& base) {
    const fs::path own = to_path(path);
    if (base.empty() || path.isEmpty()) return own.string();
    const fs::path relative = own.lexically_relative(base);
    return relative.empty() || *relative.begin() == ".." ? own.string() : relative.string();
}

QString absolute(const QString& path, const fs::path& base) {
    return path.isEmpty() ? path : to_qstring((base / to_path(path)).lexically_normal());
}

/// A request with its pictures, videos and LoRAs passed through `change`: written() or absolute(). Its model is no part
/// of the project.
Json with_paths(Json request, const fs::path& base, std::string (*change)(const QString&, const fs::path&)) {
    const auto rewrite = [&](Json& object, const char* key) {
        if (!object.is_object()) return;
        if (const auto it = object.find(key); it != object.end() && it->is_string())
            *it = change(to_qstring(it->get_ref<const std::string&>()), base);
    };
    for (const char* key : {"image", "last_image"}) rewrite(request, key);
    for (const auto& [object, key] : {std::pair{"noise", "file"}, {"forcing", "video"}, {"start", "run"}})
        if (request.contains(object)) rewrite(request[object], key);
    if (request.contains("parts") && request["parts"].is_object())
        for (const auto& [part, path] : request["parts"].items()) rewrite(request["parts"], part.c_str());
    if (request.contains("loras"))
        for (Json& lora : request["loras"]) rewrite(lora, "file");
    return request;
}

Take read_take(const Reader& in, const fs::path& base) {
    Take t;
    t.id = in.text("id");
    t.run = absolute(in.text("run"), base);
    t.video = absolute(in.text("video"), base);
    t.name = in.text("name");
    if (in.has("kind")) {
        const QString kind = in.text("kind");
        if (kind == frames_kind)
            t.kind = Take::Kind::frames;
        else if (kind == still_kind)
            t.kind = Take::Kind::still;
        else
            in.bad("kind", fmt::format("must be {} or {}, or left out", frames_kind, still_kind));
    }
    t.frames = in.integer("frames", 1, t.still() ? 1 : most_frames);
    t.fps = in.number("fps", Take::least_fps, Take::most_fps);
    t.width = in.integer("width", 1, most_side);
    t.height = in.integer("height", 1, most_side);
    if (in.has("part")) t.part = in.integer("part", 0, 1 << 30);
    return t;
}

Shot read_shot(const Reader& in, const fs::path& base) {
    Shot s;
    s.id = in.text("id");
    s.name = in.text("name");
    const std::size_t takes = in.list("takes", most_takes).size();
    if (takes == 0) in.bad("takes", "holds none");
    for (std::size_t i = 0; i < takes; ++i) s.takes.push_back(read_take(in.item("takes", i), base));
    s.take = in.integer("take", 0, int(takes) - 1);
    s.out = in.integer("out", 1, s.current().most());
    s.in = in.integer("in", 0, s.current().still() ? 0 : s.out - 1);
    if (s.current().still() && in.has("kept_out")) {
        s.kept = Shot::Kept{};
        s.kept->out = in.integer("kept_out", 1, most_frames);
        s.kept->in = in.integer("kept_in", 0, s.kept->out - 1);
        s.kept->length = in.integer("kept_length", 0, most_frames);
    }
    return s;
}

} // namespace

QString new_id() { return QUuid::createUuid().toString(QUuid::Id128).left(12); }

Json to_json(const ProjectContent& content, const fs::path& base) {
    Json shots = Json::array();
    int version = 1; // what a studio from before still pictures can read, it shall
    for (const Shot& s : content.shots) {
        Json takes = Json::array();
        for (const Take& t : s.takes) {
            takes.push_back({{"id", t.id.toStdString()},
                             {"run", written(t.run, base)},
                             {"video", written(t.video, base)},
                             {"name", t.name.toStdString()},
                             {"frames", t.frames},
                             {"fps", t.fps},
                             {"width", t.width},
                             {"height", t.height},
                             {"part", t.part ? Json(*t.part) : Json()}});
            if (t.kind == Take::Kind::video) continue;
            takes.back()["kind"] = t.still() ? still_kind : frames_kind;
            version = 2;
        }
        shots.push_back({{"id", s.id.toStdString()},
                         {"name", s.name.toStdString()},
                         {"take", s.take},
                         {"in", s.in},
                         {"out", s.out},
                         {"takes", std::move(takes)}});
        if (s.kept) {
            shots.back()["kept_in"] = s.kept->in;
            shots.back()["kept_out"] = s.kept->out;
            shots.back()["kept_length"] = s.kept->length;
        }
    }
    return {{"format", format_name},
            {"version", version},
            {"shots", std::move(shots)},
            {"request", with_paths(content.request, base, written)},
            {"extra", content.extra}};
}

bool Project::is_project(const QString& file) {
    constexpr qint64 looked_at = 1 << 20;
    QFile in(file);
    if (!in.open(QIODevice::ReadOnly)) return false;
    const QByteArray begin = in.read(looked_at);
    return begin.startsWith('{') && begin.contains(QByteArray("\"format\": \"") + format_name + '"');
}

ProjectContent project_from_json(const Json& json, const fs::path& file, const fs::path& base) {
    const std::string name = file.string();
    const Reader in(json, name, "");
    const auto format = json.find("format");
    if (format == json.end() || *format != format_name)
        throw Error(name, {}, "is no Denoir project", "open a .denoir file");
    const auto version = json.find("version");
    if (version == json.end() || !version->is_number_integer()) in.bad("version", "must be a whole number");
    if (*version > Project::version)
        throw Error(name, "version",
                    fmt::format("{} is of a newer Denoir; this one reads up to {}", version->dump(), Project::version),
                    "open it with a newer Denoir");
    if (*version < 1) in.bad("version", "must be 1 or more");
    ProjectContent out;
    const std::size_t shots = in.list("shots", most_shots).size();
    QSet<QString> ids;
    for (std::size_t i = 0; i < shots; ++i) {
        out.shots.push_back(read_shot(in.item("shots", i), base));
        Shot& shot = out.shots.back();
        if (shot.id.isEmpty() || ids.contains(shot.id)) shot.id = new_id();
        ids.insert(shot.id);
    }
    if (!can_be_counted(out.shots)) in.bad("shots", fmt::format("make a cut of more than {} frames", longest_cut));
    out.request = in.member("request");
    if (!out.request.is_object()) in.bad("request", "must be an object");
    if (!out.request.empty()) {
        const Request request = request_from_json(out.request, {name, base}); // refuses what is no request
        out.request = with_paths(std::move(out.request), base, [](const QString& path, const fs::path& folder) {
            return absolute(path, folder).toStdString();
        });
        // By its name it is looked for when it is used; an autosave has whole paths.
        if (out.request.contains("model") && !base.empty()) out.request["model"] = request.model.string();
    }
    if (const auto extra = json.find("extra"); extra != json.end() && extra->is_object()) out.extra = *extra;
    return out;
}

} // namespace denoir::app
