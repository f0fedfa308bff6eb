// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "engine/core/json_fields.h"
#include "engine/core/text.h"
#include "engine/session/sweep.h"

namespace denoir {
namespace {

/// Whether the field's values are texts, so that one that looks like a number is not one.
bool is_text(std::string_view field) {
    return field == "prompt" || field == "negative_prompt" || field == "start.sha256" || is_path_field(field);
}

[[noreturn]] void refuse(std::string_view field, std::string message, std::string hint) {
    throw UsageError("", "axes." + printable(field, 60), std::move(message), std::move(hint));
}

/// The request's object or list that `field` is a member of, with `value` put in. Null removes the member.
Json with_member(const Request& r, std::string_view field, const Json& value) {
    const std::string top(top_key(field));
    const std::string_view rest = field.substr(top.size() + 1);
    if (top == "noise") return {{std::string(rest), value}}; // its members exclude each other
    Json whole = asked_json(r).value(top, Json());
    if (top == "loras") {
        std::size_t index = 0;
        const char* const last = rest.data() + rest.size();
        const auto [end, problem] = std::from_chars(rest.data(), last, index);
        const bool dotted = problem == std::errc() && end != last && *end == '.';
        const std::string_view member = dotted ? std::string_view(end + 1, last) : std::string_view();
        if (member.empty()) refuse(field, "is not a field", "write loras.0.strength for that of the first LoRA");
        if (!whole.is_array() || index >= whole.size())
            refuse(field, fmt::format("the request has {} LoRAs", whole.is_array() ? whole.size() : 0),
                   "count from 0, and name them in the request");
        if (value.is_null())
            whole[index].erase(std::string(member));
        else
            whole[index][std::string(member)] = value;
        return whole;
    }
    if (whole.is_null()) whole = Json::object();
    if (top == "start") {
        if (!r.start)
            refuse(field, "the request begins in no run", R"(write "start": {"run": FOLDER, "step": N} into it)");
        whole.erase("sha256"); // the checksum of the step that the request named
    }
    if (value.is_null())
        whole.erase(std::string(rest));
    else
        whole[std::string(rest)] = value;
    return whole;
}

void set_value(Request& r, std::string_view field, const Json& value, const RequestSource& source) {
    const std::string_view top = top_key(field);
    if (field == "size")
        return set_request_size(r, value.is_string() ? value.get_ref<const std::string&>() : value.dump(), source);
    if (top == "threads" || top == "latents")
        refuse(field, "changes nothing of the picture", "sweep over another field");
    if (field == "start") refuse(field, "is two fields", "sweep over start.run or start.step");
    if (top.size() < field.size()) {
        static constexpr std::array<std::string_view, 6> objects{"cache", "forcing", "loras",
                                                                 "noise", "parts",   "start"};
        if (std::ranges::find(objects, top) != objects.end())
            return set_request_field(r, top, with_member(r, field, value), source);
    }
    if (value.is_null()) return clear_request_field(r, field);
    set_request_field(r, field, value, source);
}

std::string trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\n\r"), end = text.find_last_not_of(" \t\n\r");
    return begin == std::string_view::npos ? std::string() : std::string(text.substr(begin, end - begin + 1));
}

/// The texts between the separators, trimmed; a separator may follow the last one. Throws UsageError for an empty one.
std::vector<std::string> pieces(std::string_view field, std::string_view text, std::string_view separators) {
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
        out.push_back(trimmed(text.substr(begin, end - begin)));
        if (out.back().empty())
            refuse(field, "has an empty value",
                   is_text(field) ? R"(an empty text is written as JSON: ["", "another"])"
                                  : "write them like 4, 8, 20");
        begin = end + 1;
    }
    return out;
}

Json value_of(const std::string& word) {
    if (const auto number = read_number(word)) return *number;
    if (word == "default" || word == "none") return nullptr;
    if (word == "true" || word == "on") return true;
    if (word == "false" || word == "off") return false;
    return word;
}

/// Adds the values of a range like "1..8" or "1..6:0.5". False if `word` is not a range.
bool add_range(std::string_view field, const std::string& word, std::vector<Json>& values) {
    const std::size_t dots = word.find(".."), colon = word.find(':');
    if (dots == std::string::npos) return false;
    const auto low = read_number(std::string_view(word).substr(0, dots)),
               high = read_number(std::string_view(word).substr(
                   dots + 2, colon == std::string::npos ? std::string::npos : colon - std::min(colon, dots + 2)));
    const auto step = colon == std::string::npos ? std::optional<Json>(1u) : read_number(word.substr(colon + 1));
    if (!low || !high || !step) return false;
    const double a = low->get<double>(), b = high->get<double>(), by = step->get<double>();
    // A double cannot hold every seed.
    const bool natural = low->is_number_unsigned() && high->is_number_unsigned() && step->is_number_unsigned();
    const bool backwards = natural ? high->get<std::uint64_t>() < low->get<std::uint64_t>() : b < a;
    if (!(by > 0) || backwards)
        refuse(field, printable(word, 40) + " is not a range", "write it like 1..8 or 1..6:0.5");
    const std::uint64_t whole =
        natural ? (high->get<std::uint64_t>() - low->get<std::uint64_t>()) / step->get<std::uint64_t>() : 0;
    const double length = natural ? double(whole) : (b - a) / by + 1e-9;
    if (length >= double(Sweep::max_values))
        refuse(field, fmt::format("{} holds more than {} values", printable(word, 40), Sweep::max_values),
               "take a larger step: 0..100:10");
    for (std::size_t i = 0; i <= std::size_t(length); ++i) {
        if (natural)
            values.push_back(low->get<std::uint64_t>() + i * step->get<std::uint64_t>());
        else // people expect 0.1 + 0.2 to be 0.3
            values.push_back(*read_number(fmt::format("{:.10g}", a + double(i) * by)));
    }
    return true;
}

/// Whether parse_axis() would not read the value again unless it is written as JSON.
bool needs_quotes(std::string_view field, const Json& value) {
    if (value.is_structured()) return true;
    if (!value.is_string()) return is_text(field); // null, or a value that the field will refuse
    const std::string text = value.get<std::string>();
    if (text.find_first_of("|\n\r") != std::string::npos || trimmed(text) != text || text.empty() || text[0] == '[')
        return true;
    return !is_text(field) && (text.find_first_of(", ;") != std::string::npos || !value_of(text).is_string() ||
                               text.find("..") != std::string::npos);
}

} // namespace

void set_axis_value(Request& r, std::string_view field, const Json& value, const RequestSource& source) {
    const std::string named = "axes." + printable(field, 60);
    // Without the file, whose errors would name another field; relative paths still begin at its folder.
    const RequestSource inner{"", source.folder};
    try {
        set_value(r, field, value, inner);
    } catch (const Error& e) {
        throw UsageError(source.file, named, e.message(), e.hint());
    }
}

std::string value_text(const SweepAxis& axis, std::size_t index, std::size_t longest) {
    const Json& value = axis.values.at(index);
    if (value.is_null()) return axis.field == "image" || axis.field == "last_image" ? "none" : "default";
    if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
    if (value.is_number_float()) return fmt::format("{:.10g}", value.get<double>());
    if (!value.is_string()) return printable(one_line(value), longest);
    const std::string text = value.get<std::string>();
    return printable(is_path_field(axis.field) ? std::filesystem::path(text).filename().string() : text, longest);
}

std::string axis_title(std::string_view field) {
    std::string out(field);
    constexpr std::string_view lora = "loras.";
    if (out.starts_with(lora) && out.size() > lora.size() && is_ascii_digit(out[lora.size()])) {
        std::size_t index = 0;
        const char *begin = out.data() + lora.size(), *end = out.data() + out.size();
        const auto [rest, problem] = std::from_chars(begin, end, index);
        if (problem == std::errc() && rest != end)
            out = fmt::format("LoRA {} {}", index + 1, std::string_view(rest + 1, std::size_t(end - rest - 1)));
    }
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c == '.' || c == '_'; }, ' ');
    return printable(out, 60);
}

SweepAxis parse_axis(std::string_view field, std::string_view text) {
    SweepAxis axis{std::string(field), {}};
    const std::string whole = trimmed(text);
    if (whole.starts_with('[')) {
        try {
            for (Json& value : parse_json(whole, "")) axis.values.push_back(std::move(value));
        } catch (const Error& e) {
            refuse(field, "is not a JSON list: " + e.message(),
                   is_text(field) ? R"(write texts as one | another, or as JSON: ["one", "another"])"
                                  : "write it like [4, 8, 20]");
        }
    } else if (is_text(field)) {
        const bool bars = whole.find('|') != std::string::npos;
        for (std::string& piece : pieces(field, whole, bars ? "|" : ",")) axis.values.emplace_back(std::move(piece));
    } else {
        std::string list = whole;
        const bool semicolons = list.find(';') != std::string::npos; // as in "1; 2,5": commas are decimal points
        if (semicolons) std::replace(list.begin(), list.end(), ',', '.');
        for (const std::string& piece : pieces(field, list, semicolons ? ";|" : ",|")) {
            std::istringstream words(piece); // spaces may stand in place of commas
            for (std::string word; words >> word;)
                if (!add_range(field, word, axis.values)) axis.values.push_back(value_of(word));
        }
    }
    if (axis.values.empty()) refuse(field, "has no values", "write them like 4, 8, 20");
    Sweep alone;
    alone.axes.push_back(axis);
    // Members of `loras` and `start` can only be checked together with the request that has them.
    if (top_key(field) != "loras" && top_key(field) != "start") check(alone, "");
    return axis;
}

std::string axis_text(const SweepAxis& axis) {
    const auto quoted = [&](const Json& value) { return needs_quotes(axis.field, value); };
    if (std::any_of(axis.values.begin(), axis.values.end(), quoted)) return one_line(axis.values);
    const bool bars = is_text(axis.field) && std::any_of(axis.values.begin(), axis.values.end(), [](const Json& v) {
                          return v.get_ref<const std::string&>().find(',') != std::string::npos;
                      });
    std::string out;
    for (const Json& value : axis.values) {
        if (!out.empty()) out += bars ? " | " : ", ";
        if (value.is_string())
            out += value.get_ref<const std::string&>();
        else if (value.is_number_float())
            out += fmt::format("{}", value.get<double>());
        else
            out += value.is_null() ? "default" : value.is_boolean() ? value.get<bool>() ? "on" : "off" : value.dump();
    }
    // One text with a comma would be read as several.
    return bars && axis.values.size() == 1 ? Json(axis.values).dump() : out;
}

} // namespace denoir
