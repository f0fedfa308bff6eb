// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/project/project_json.h"

#include <fmt/format.h>

#include <QFile>
#include <QFileInfo>
#include <QSet>
#include <QUuid>
#include <functional>
#include <string>

#include "app/base/text.h"
#include "engine/core/file.h"
#include "engine/core/json_fields.h"
#include "engine/core/json_reader.h"
#include "engine/core/own_folders.h"
#include "engine/session/request_json.h"

namespace denoir::app {
namespace fs = std::filesystem;
namespace {

constexpr const char *format_name = "denoir-project", *frames_kind = "frames", *still_kind = "still";
constexpr std::size_t most_shots = 100'000, most_takes = 10'000, most_text = 4096;
constexpr int most_frames = 100'000'000, most_side = 16384;

QString text_from(const JsonReader& in) { return to_qstring(in.text(most_text)); }
int whole_from(const JsonReader& in, int low, int high) { return int(in.integer(low, high)); }

/// Whether an id has the letters of new_id(): others would break the lists of shots in ResultPlace::tag().
bool is_word(const QString& id) {
    return !id.isEmpty() && std::ranges::all_of(id, [](QChar letter) { return letter.isLetterOrNumber(); });
}

/// Whether `path`, as it is written, lies in `folder` or in a folder in it.
bool lies_below(const fs::path& path, const fs::path& folder) {
    const fs::path relative = path.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != ".." && relative != ".";
}

/// `path` as it is written to the file: relative if it lies below the project's folder, so that both can be moved
/// together. Paths in Denoir's own data stay absolute even if the project's folder contains these.
std::string written(const QString& path, const fs::path& base) {
    const fs::path own = to_path(path), data = data_place();
    const bool moves = !base.empty() && lies_below(own, base) && (!lies_below(own, data) || lies_below(base, data));
    return moves ? own.lexically_relative(base).string() : own.string();
}

QString absolute(const QString& path, const fs::path& base) {
    return path.isEmpty() ? path : to_qstring((base / to_path(path)).lexically_normal());
}

/// A request, or the value of its `field`, with `change` applied to every path in it.
Json with_paths(Json value, const std::function<std::string(const QString&)>& change, const std::string& field = {}) {
    if (value.is_string() && is_path_field(field)) return change(to_qstring(value.get_ref<const std::string&>()));
    if (value.is_structured())
        for (const auto& [key, child] : value.items())
            child = with_paths(child, change, field.empty() ? key : fmt::format("{}.{}", field, key));
    return value;
}

/// The request as a file in `base` holds it. A model in the same folder becomes "./wan", as a bare word would be a name
/// to look up.
Json written_request(const Json& request, const fs::path& base) {
    Json out = with_paths(request, [&](const QString& path) { return written(path, base); });
    const auto model = out.find("model");
    if (model != out.end() && *model != request["model"] && !fs::path(model->get<std::string>()).has_parent_path())
        *model = "./" + model->get<std::string>();
    return out;
}

Take read_take(const JsonReader& in, const fs::path& base) {
    Take t;
    t.id = text_from(in.at("id"));
    t.run = absolute(text_from(in.at("run")), base);
    t.video = absolute(text_from(in.at("video")), base);
    t.name = text_from(in.at("name"));
    if (in.has("kind")) {
        const QString kind = text_from(in.at("kind"));
        if (kind == frames_kind)
            t.kind = Take::Kind::frames;
        else if (kind == still_kind)
            t.kind = Take::Kind::still;
        else
            in.at("kind").refuse(fmt::format("must be {} or {}, or left out", frames_kind, still_kind));
    }
    t.frames = whole_from(in.at("frames"), 1, t.still() ? 1 : most_frames);
    t.fps = in.at("fps").number(Take::least_fps, Take::most_fps);
    t.width = whole_from(in.at("width"), 1, most_side);
    t.height = whole_from(in.at("height"), 1, most_side);
    if (in.has("part")) t.part = whole_from(in.at("part"), 0, 1 << 30);
    return t;
}

Shot read_shot(const JsonReader& in, const fs::path& base) {
    Shot s;
    s.id = text_from(in.at("id"));
    s.name = text_from(in.at("name"));
    const JsonReader takes = in.at("takes");
    const std::size_t count = takes.items(most_takes);
    if (count == 0) takes.refuse("holds none");
    for (std::size_t i = 0; i < count; ++i) s.takes.push_back(read_take(takes.item(i), base));
    s.take = whole_from(in.at("take"), 0, int(count) - 1);
    s.out = whole_from(in.at("out"), 1, s.current().most());
    s.in = whole_from(in.at("in"), 0, s.current().still() ? 0 : s.out - 1);
    if (s.current().still() && in.has("kept_out")) {
        s.kept = Shot::Kept{};
        s.kept->out = whole_from(in.at("kept_out"), 1, most_frames);
        s.kept->in = whole_from(in.at("kept_in"), 0, s.kept->out - 1);
        s.kept->length = whole_from(in.at("kept_length"), 0, most_frames);
    }
    return s;
}

} // namespace

QString new_id() { return QUuid::createUuid().toString(QUuid::Id128).left(12); }

Json to_json(const ProjectContent& content, const fs::path& base) {
    Json shots = Json::array();
    int version = 1; // as long as an older studio, without still pictures, can read it
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
                             {"part", or_null(t.part)}});
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
            {"request", written_request(content.request, base)},
            {"extra", content.extra}};
}

bool Project::is_project(const QString& file) {
    constexpr qint64 looked_at = 1 << 20;
    const QFileInfo info(file);
    if (!info.isFile()) return false; // opening a pipe would wait for its writer
    if (info.suffix() == QLatin1String("denoir")) return true;
    QFile in(file);
    if (!in.open(QIODevice::ReadOnly)) return false;
    const QByteArray begin = in.read(looked_at);
    return begin.startsWith('{') && begin.contains(QByteArray("\"format\": \"") + format_name + '"');
}

ProjectContent read_project(const QString& file) {
    const fs::path name = to_path(QFileInfo(file).absoluteFilePath());
    return project_from_json(parse_json(read_text(name, most_project_bytes), name.string()), name, name.parent_path());
}

ProjectContent project_from_json(const Json& json, const fs::path& file, const fs::path& base) {
    const std::string name = file.string();
    const JsonSource source{name, base, "the file was damaged: open a copy of it, or its autosave", false};
    const JsonReader in(json, source);
    in.check_object();
    const auto format = json.find("format");
    if (format == json.end() || *format != format_name)
        throw Error(name, {}, "is no Denoir project", "open a .denoir file");
    const JsonReader version = in.at("version");
    if (version.integer() > Project::version)
        version.refuse(
            fmt::format("{} is of a newer Denoir; this one reads up to {}", version.value().dump(), Project::version),
            "open it with a newer Denoir");
    if (version.integer() < 1) version.refuse("must be 1 or more");
    ProjectContent out;
    const JsonReader shots = in.at("shots");
    const std::size_t count = shots.items(most_shots);
    QSet<QString> ids;
    for (std::size_t i = 0; i < count; ++i) {
        out.shots.push_back(read_shot(shots.item(i), base));
        Shot& shot = out.shots.back();
        if (!is_word(shot.id) || ids.contains(shot.id)) shot.id = new_id();
        ids.insert(shot.id);
    }
    if (!can_be_counted(out.shots)) shots.refuse(fmt::format("make a cut of more than {} frames", longest_cut));
    in.at("request").check_object();
    out.request = in.at("request").value();
    if (!out.request.empty()) {
        const Request request = request_from_json(out.request, {name, base}); // throws if it is no request
        out.request = with_paths(out.request, [&](const QString& path) { return absolute(path, base).toStdString(); });
        // A bare name stays one and is looked up when it is used. (An autosave, which has no `base`, has absolute
        // paths.)
        if (out.request.contains("model") && !base.empty())
            out.request["model"] = request.model.lexically_normal().string();
    }
    if (const auto extra = json.find("extra"); extra != json.end() && extra->is_object()) out.extra = *extra;
    return out;
}

} // namespace denoir::app
