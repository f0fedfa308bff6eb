// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/models/umt5/charsmap.h"

namespace denoir::umt5 {

/// One step of the normalisation that a tokenizer file describes, each as the `tokenizers` library does it.
struct Normalizer {
    enum class Kind { charsmap, nfc, nfd, nfkc, nfkd, lower_case, nmt, strip, replace, prepend };
    Kind kind = Kind::nfc;
    Charsmap charsmap;
    bool left = true, right = true; ///< strip: the ends that lose their white space
    std::string pattern;            ///< replace: the string to replace; with `at_least` > 0, "\s" is any white space
    std::size_t at_least = 0; ///< replace: 0: each occurrence; n: each run of at least n of the character `pattern`
    std::string content;      ///< replace, prepend: the new text

    /// Applies the step; `text` and the result are well-formed UTF-8. Throws Error (field `normalizer`, no file) if the
    /// result would be longer than `most` bytes, since a few steps that write 64 letters for each one make gigabytes.
    std::string apply(std::string_view text, std::size_t most) const;

private:
    std::string applied(std::string_view text, std::size_t most) const;
};

/// How normalised text is cut into words.
struct PreTokenizer {
    enum class Kind { white_space, metaspace };
    enum class Prepend { always, first, never };
    Kind kind = Kind::metaspace;
    std::string replacement = "\u2581"; ///< metaspace: the mark that replaces a space and begins each word
    Prepend prepend = Prepend::always;  ///< put the mark before text without one; `first`: only at the very start
    bool split = true;

    struct Word {
        std::string text;
        bool first; ///< begins at the start of the whole normalised text
    };
    /// Cuts `word` into its parts, without empty ones.
    std::vector<Word> apply(const Word& word) const;
};

} // namespace denoir::umt5
