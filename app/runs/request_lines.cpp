// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/request_lines.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>
#include <algorithm>
#include <map>
#include <set>

#include "app/base/text.h"
#include "app/request/field_title.h"
#include "app/runs/run_history.h"
#include "engine/core/json_fields.h"
#include "engine/session/request_json.h"

namespace denoir::app {
namespace {

QString words(const char* text) { return QCoreApplication::translate("RequestLines", text); }

QString value_text(const Json& value) {
    switch (value.type()) {
    case Json::value_t::null:
        return {};
    case Json::value_t::boolean:
        return value.get<bool>() ? words(QT_TRANSLATE_NOOP("RequestLines", "yes"))
                                 : words(QT_TRANSLATE_NOOP("RequestLines", "no"));
    case Json::value_t::number_float: {
        QLocale locale;
        locale.setNumberOptions(QLocale::OmitGroupSeparator);
        return locale.toString(value.get<double>(), 'g', QLocale::FloatingPointShortest);
    }
    case Json::value_t::string:
        return to_qstring(value.get_ref<const std::string&>());
    case Json::value_t::array: {
        QStringList parts;
        for (const Json& each : value) parts << value_text(each);
        return parts.join(QStringLiteral("; "));
    }
    default:
        return to_qstring(one_line(value));
    }
}

/// Only the last part of a path, since labels are short; the tool tip shows all of it.
QString short_text(const QString& field, const QString& value) {
    if (!is_path_field(field.toStdString())) return value;
    const QString name = QFileInfo(value).fileName();
    return name.isEmpty() ? value : name;
}

/// Sorts fields by their key's place in a request, then by name.
using Place = std::pair<std::size_t, QString>;

void flatten(const QString& field, const Json& value, std::size_t place, std::map<Place, Json>& out) {
    if (value.is_null()) return;
    const bool list = value.is_array() && std::any_of(value.begin(), value.end(), [](const Json& each) {
                          return each.is_object(); // LoRAs; a list of numbers is one value
                      });
    if (value.is_object()) {
        for (const auto& [key, member] : value.items())
            flatten(field + QLatin1Char('.') + to_qstring(key), member, place, out);
    } else if (list) {
        for (std::size_t i = 0; i < value.size(); ++i)
            flatten(QStringLiteral("%1.%2").arg(field).arg(i), value[i], place, out);
    } else if (!value.is_array() || !value.empty()) {
        out.emplace(Place{place, field}, value);
    }
}

std::map<Place, Json> fields_of(const Json& request) {
    std::map<Place, Json> out;
    if (!request.is_object()) return out;
    const auto whole = [&](const char* key) { return request.contains(key) && request.at(key).is_number_integer(); };
    const bool sized = whole("width") && whole("height");
    std::size_t place = 0;
    for (const std::string_view key : request_keys()) {
        ++place;
        const auto at = request.find(std::string(key));
        if (sized && key == "width") {
            const QString size = QStringLiteral("%1 × %2").arg(value_text(*at), value_text(request.at("height")));
            out.emplace(Place{place, QStringLiteral("size")}, size.toStdString());
        } else if (at != request.end() && !(sized && key == "height")) {
            flatten(to_qstring(key), *at, place, out);
        }
    }
    return out;
}

} // namespace

QList<RequestLine> request_lines(const Json& a, const Json& b) {
    const auto of_a = fields_of(a), of_b = fields_of(b);
    std::set<Place> places;
    for (const auto* fields : {&of_a, &of_b})
        for (const auto& each : *fields) places.insert(each.first);
    QList<RequestLine> out;
    for (const Place& place : places) {
        const auto in_a = of_a.find(place), in_b = of_b.find(place);
        const Json first = in_a == of_a.end() ? Json() : in_a->second;
        const Json second = in_b == of_b.end() ? Json() : in_b->second;
        out << RequestLine{place.second, value_text(first), value_text(second), first == second};
    }
    return out;
}

QStringList told_apart(const QList<Json>& requests, const QStringList& except) {
    constexpr int longest = 20, most = 3;
    std::vector<std::map<Place, Json>> all;
    std::set<Place> places;
    for (const Json& request : requests) {
        all.push_back(fields_of(request));
        for (const auto& each : all.back()) places.insert(each.first);
    }
    QList<QStringList> out(requests.size());
    int told = 0;
    std::vector<Place> order(places.begin(), places.end());
    std::ranges::stable_partition(order, [](const Place& place) { return place.second == QLatin1String("seed"); });
    for (const Place& place : order) {
        if (told == most) break;
        if (except.contains(place.second)) continue;
        std::set<QString> different;
        QStringList values;
        for (const auto& fields : all) {
            const auto at = fields.find(place);
            values << (at == fields.end() ? QString() : short_text(place.second, value_text(at->second)));
            different.insert(values.constLast());
        }
        const bool fit =
            std::all_of(values.begin(), values.end(), [](const QString& v) { return v.size() <= longest; });
        if (different.size() < 2 || !fit) continue;
        ++told;
        for (qsizetype i = 0; i < out.size(); ++i)
            out[i] << field_title(place.second) + QLatin1Char(' ') +
                          (values[i].isEmpty() ? QStringLiteral("–") : values[i]);
    }
    QStringList lines;
    for (const QStringList& parts : out) lines << parts.join(QStringLiteral(" · "));
    return lines;
}

Json request_of(const QString& run, const QString& carried) {
    try {
        if (!run.isEmpty()) return to_json(RunHistory::record(run).request);
        if (carried.isEmpty()) return {};
        Json object = parse_json(carried.toStdString(), "request");
        if (!object.is_object()) return {};
        try {
            return to_json(request_from_json(object, {}));
        } catch (const Error&) { // written by another version: show what there is
            return object;
        }
    } catch (const Error&) {
        return {};
    }
}

} // namespace denoir::app
