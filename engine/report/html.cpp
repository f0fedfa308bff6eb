// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html.h"

#include <fmt/format.h>

#include "engine/core/error.h"

namespace denoir::report {

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : printable(text, 4096)) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

std::string png_uri(std::span<const std::uint8_t> png) {
    static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out = "data:image/png;base64,";
    out.reserve(out.size() + png.size() * 4 / 3 + 4);
    for (std::size_t i = 0; i < png.size(); i += 3) {
        std::uint32_t bits = std::uint32_t{png[i]} << 16;
        if (i + 1 < png.size()) bits |= std::uint32_t{png[i + 1]} << 8;
        if (i + 2 < png.size()) bits |= png[i + 2];
        out += letters[bits >> 18];
        out += letters[bits >> 12 & 63];
        out += i + 1 < png.size() ? letters[bits >> 6 & 63] : '=';
        out += i + 2 < png.size() ? letters[bits & 63] : '=';
    }
    return out;
}

std::string page(std::string_view title, std::string_view body) {
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n{}</style>\n"
                       "</head>\n<body>\n<main>\n{}</main>\n<script>\n{}</script>\n</body>\n</html>\n",
                       escaped(title), style_sheet, body, pointer_script);
}

std::string section(std::string_view heading, std::string_view body) {
    return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", escaped(heading), body);
}

std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t numbers_from) {
    std::string out = "<div class=\"scroll\"><table>\n";
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const char* cell = r == 0 ? "th" : "td";
        out += r == 0 ? "<thead><tr>" : "<tr>";
        for (std::size_t c = 0; c < rows[r].size(); ++c)
            out +=
                fmt::format("<{}{}>{}</{}>", cell, c >= numbers_from ? " class=\"n\"" : "", escaped(rows[r][c]), cell);
        out += r == 0 ? "</tr></thead>\n<tbody>\n" : "</tr>\n";
    }
    return out + "</tbody>\n</table></div>\n";
}

std::string tiles(std::span<const Tile> all) {
    std::string out = "<dl class=\"tiles\">\n";
    for (const Tile& t : all)
        out += fmt::format("<div><dt>{}</dt><dd>{}</dd><dd class=\"remark\">{}</dd></div>\n", escaped(t.name),
                           escaped(t.value), escaped(t.remark));
    return out + "</dl>\n";
}

} // namespace denoir::report
