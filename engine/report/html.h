// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Reports as one HTML file that can be opened from disk without a network, in light and dark, and printed.
namespace denoir::report {

/// Text for elements and quoted attributes: characters of markup become entities; control characters and broken UTF-8
/// are replaced.
std::string escaped(std::string_view text);

/// A picture as "data:image/png;base64,…".
std::string png_uri(std::span<const std::uint8_t> png);

/// A whole page. `body` is HTML; `title` is text.
std::string page(std::string_view title, std::string_view body);

/// A section with a heading. `body` is HTML.
std::string section(std::string_view heading, std::string_view body);

/// A table of rows of text, the first of which is the head. Columns from `numbers_from` on are numbers, aligned right.
std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t numbers_from);

/// A number with its name, and a remark below it: "PSNR", "36.61 dB", "worst 31.20 at frame 41".
struct Tile {
    std::string name, value, remark;
};
std::string tiles(std::span<const Tile> all);

/// The style of every page. It defines the colours --a … --e, --ink, --faint, --rule, --panel, --ground for light and
/// dark.
extern const char style_sheet[];
/// Shows the values below the pointer in charts. A page can be read without it.
extern const char pointer_script[];

} // namespace denoir::report
