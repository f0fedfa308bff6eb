// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Reports as one HTML file that opens from disk without a network, in light and dark, and prints.
namespace denoir::report {

/// Text for elements and quoted attributes: what could be markup is written as entities, control characters and broken
/// UTF-8 are replaced.
std::string escaped(std::string_view text);

/// "data:image/png;base64,…"
std::string png_uri(std::span<const std::uint8_t> png);

/// A whole page. `body` is HTML; `title` is text.
std::string page(std::string_view title, std::string_view body);

/// A section with a heading. `body` is HTML.
std::string section(std::string_view heading, std::string_view body);

/// Rows of text; the first is the head. Columns from `numbers_from` on are figures and stand to the right.
std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t numbers_from);

/// A figure with its name, and a remark below it: "36.61 dB", "PSNR", "worst 31.20 at frame 41".
struct Tile {
    std::string name, value, remark;
};
std::string tiles(std::span<const Tile> all);

/// What every page carries: variables --a … --e (colours), --ink, --faint, --rule, --panel, --ground in both palettes.
extern const char style_sheet[];
/// Shows the values below the pointer in charts; nothing depends on it.
extern const char pointer_script[];

} // namespace denoir::report
