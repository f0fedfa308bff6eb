// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace denoir::umt5 {

/// SentencePiece's precompiled character map (spec/umt5.md 4.5): a double-array trie whose leaves point to replacement
/// strings. read() checks everything that a lookup can reach.
class Charsmap {
public:
    static constexpr std::size_t max_bytes = 4u << 20;  ///< nmt_nfkc has 240 KB
    static constexpr std::size_t max_replacement = 256; ///< the longest of NFKC has 33 bytes

    /// Throws Error naming `field` if the map is malformed.
    static Charsmap read(std::span<const std::byte> bytes, std::string_view file, std::string_view field);

    /// Replaces as the `tokenizers` library does: a grapheme cluster of less than six bytes that begins with a mapped
    /// string becomes the replacement of the shortest such string; otherwise each character is mapped on its own. Stops
    /// when the result is longer than `most` bytes, as one character may become 256 bytes.
    std::string apply(std::string_view text, std::size_t most) const;

private:
    /// Finds the replacement of the shortest mapped string that `text` begins with; false if there is none.
    bool lookup(std::string_view text, std::string_view& replacement) const;
    bool leaf_is_sound(std::size_t base, std::vector<bool>& seen) const;
    void check(std::string_view file, std::string_view field) const;

    std::vector<std::uint32_t> units_;
    std::string pool_; ///< NUL-terminated strings
};

} // namespace denoir::umt5
