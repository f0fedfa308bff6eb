// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/request/request_values.h"

#include <QVariantMap>
#include <limits>

#include "app/base/text.h"

namespace denoir::app {
namespace {

/// The source of values for messages, in place of the command line's options; set_field() removes it again.
constexpr const char* window = "window";

} // namespace

QVariant to_variant(const Json& value) {
    switch (value.type()) {
    case Json::value_t::boolean:
        return value.get<bool>();
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned: {
        if (value.is_number_unsigned() && value.get<quint64>() > quint64(std::numeric_limits<int>::max()))
            return QVariant::fromValue(value.get<quint64>());
        const auto number = value.get<qint64>();
        return number == int(number) ? QVariant(int(number)) : QVariant(number);
    }
    case Json::value_t::number_float:
        return value.get<double>();
    case Json::value_t::string:
        return to_qstring(value.get_ref<const std::string&>());
    case Json::value_t::array: {
        QVariantList out;
        for (const Json& child : value) out << to_variant(child);
        return out;
    }
    case Json::value_t::object: {
        QVariantMap out;
        for (const auto& [key, child] : value.items()) out[to_qstring(key)] = to_variant(child);
        return out;
    }
    default:
        return {};
    }
}

Json to_json(const QVariant& value) {
    switch (value.typeId()) {
    case QMetaType::UnknownType:
        return {};
    case QMetaType::Bool:
        return value.toBool();
    case QMetaType::Int:
    case QMetaType::LongLong:
        return value.toLongLong();
    case QMetaType::UInt:
    case QMetaType::ULongLong:
        return value.toULongLong();
    case QMetaType::Float:
    case QMetaType::Double:
        return value.toDouble();
    case QMetaType::QVariantMap: {
        Json out = Json::object();
        const QVariantMap map = value.toMap();
        for (auto it = map.begin(); it != map.end(); ++it) out[it.key().toStdString()] = to_json(it.value());
        return out;
    }
    case QMetaType::QVariantList:
    case QMetaType::QStringList: {
        Json out = Json::array();
        for (const QVariant& child : value.toList()) out.push_back(to_json(child));
        return out;
    }
    default:
        return value.toString().toStdString();
    }
}

QString top_key(const QString& key) { return key.section(QLatin1Char('.'), 0, 0); }

QVariant field_value(const Request& request, const QString& key) {
    const Json all = asked_json(request);
    const auto it = all.find(top_key(key).toStdString());
    if (it == all.end()) return {};
    const QVariant value = to_variant(*it);
    const QString member = key.section(QLatin1Char('.'), 1);
    return member.isEmpty() ? value : value.toMap().value(member);
}

void set_field(Request& request, const QString& key, const QVariant& value) {
    const std::string top = top_key(key).toStdString();
    const QString member = key.section(QLatin1Char('.'), 1);
    if (member.isEmpty() && (!value.isValid() || (value.typeId() == QMetaType::QString && value.toString().isEmpty() &&
                                                  top != "prompt" && top != "negative_prompt")))
        return clear_request_field(request, top);
    Json json = to_json(value);
    if (!member.isEmpty()) {
        const QVariant before = field_value(request, top_key(key));
        Json object = before.isValid() ? to_json(before) : Json::object();
        if (value.isValid())
            object[member.toStdString()] = json;
        else
            object.erase(member.toStdString());
        json = std::move(object);
    }
    try {
        set_request_field(request, top, json, {window, "/"});
    } catch (const Error& e) { // without a file name, as the field says enough
        throw UsageError({}, e.field(), e.message(), e.hint());
    }
}

QStringList changed_keys(const Request& a, const Request& b) {
    const Json x = asked_json(a), y = asked_json(b);
    QStringList out;
    for (const std::string_view key : request_keys()) {
        const std::string name(key);
        const auto i = x.find(name), j = y.find(name);
        if ((i == x.end()) != (j == y.end()) || (i != x.end() && *i != *j)) out << to_qstring(key);
    }
    return out;
}

} // namespace denoir::app
