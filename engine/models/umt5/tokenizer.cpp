// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/text.h"
#include "engine/models/umt5/tokenizer_files.h"
#include "engine/models/umt5/unicode.h"
#include "engine/weights/tokenizer_places.h"

namespace denoir::umt5 {
namespace {

namespace fs = std::filesystem;

/// A stretch of the text: one added token, or the text between two of them.
struct Part {
    std::string_view text;
    std::int64_t token = -1; ///< id of the added token, or -1
};

char32_t first_character(std::string_view s) { return s.empty() ? U' ' : decode_utf8(s.substr(0, 4))[0]; }

/// Where the last character of `s` begins.
std::size_t last_character_at(std::string_view s) {
    std::size_t begin = s.empty() ? 0 : s.size() - 1;
    while (begin > 0 && is_utf8_continuation(s[begin])) --begin;
    return begin;
}

char32_t last_character(std::string_view s) { return first_character(s.substr(last_character_at(s))); }

/// Bytes of white space at the start of `s`.
std::size_t leading_space(std::string_view s) {
    std::size_t bytes = 0;
    while (bytes < s.size() && is_white_space(first_character(s.substr(bytes)))) bytes += utf8_length(s.substr(bytes));
    return bytes;
}

/// Where the white space at the end of `s` begins.
std::size_t trailing_space_at(std::string_view s) {
    while (!s.empty() && is_white_space(last_character(s))) s = s.substr(0, last_character_at(s));
    return s.size();
}

/// A string in the text that stands for an added token.
struct Pattern {
    std::string content;
    std::size_t token = 0; ///< place of the token in TokenizerModel::added
};

/// Patterns in byte order, since a file may list 100,000 of them.
class Patterns {
public:
    /// Empty patterns are left out; of equal ones the first is kept.
    explicit Patterns(std::vector<Pattern> patterns) : sorted_(std::move(patterns)) {
        std::erase_if(sorted_, [](const Pattern& pattern) { return pattern.content.empty(); });
        std::stable_sort(sorted_.begin(), sorted_.end(),
                         [](const Pattern& a, const Pattern& b) { return a.content < b.content; });
        const auto same = [](const Pattern& a, const Pattern& b) { return a.content == b.content; };
        sorted_.erase(std::unique(sorted_.begin(), sorted_.end(), same), sorted_.end());
    }

    /// The longest pattern that `text` begins with; null if there is none.
    const Pattern* longest(std::string_view text) const {
        const Pattern* best = nullptr;
        // The patterns that begin with text[0, n) are neighbours; their range shrinks as n grows. Looking at its two
        // ends first saves the searches while all of them share the next byte.
        const Pattern *first = sorted_.data(), *last = first + sorted_.size();
        for (std::size_t n = 0; first != last && n < text.size(); ++n) {
            const auto byte = static_cast<unsigned char>(text[n]);
            const auto at = [n](const Pattern& pattern) { return static_cast<unsigned char>(pattern.content[n]); };
            if (at(*first) != byte)
                first = std::partition_point(first, last, [&](const Pattern& pattern) { return at(pattern) < byte; });
            if (first != last && at(last[-1]) != byte)
                last = std::partition_point(first, last, [&](const Pattern& pattern) { return at(pattern) == byte; });
            if (first != last && first->content.size() == n + 1) best = first++; // ends here; the others are longer
        }
        return best;
    }

private:
    std::vector<Pattern> sorted_;
};

/// Finds the added tokens in a text one after the other: the leftmost, and of those that begin there the longest.
class Splitter {
public:
    Splitter(const std::vector<AddedToken>& tokens, const Patterns& patterns, std::string_view text)
        : tokens_(tokens), patterns_(patterns), text_(text) {}

    /// The next part; false at the end.
    bool next(Part& part) {
        if (waiting_ >= 0) {
            part = {text_.substr(done_, waiting_end_ - done_), waiting_};
            done_ = waiting_end_;
            waiting_ = -1;
            return true;
        }
        while (search_ < text_.size()) {
            const Pattern* pattern = patterns_.longest(text_.substr(search_));
            if (!pattern) {
                ++search_;
                continue;
            }
            std::size_t begin = search_, end = begin + pattern->content.size();
            search_ = end;
            const AddedToken& token = tokens_[pattern->token];
            if (token.single_word && !stands_alone(begin, end)) continue;
            // The text before done_ is taken already, by an rstrip token all white space up to there. Not reading it
            // again keeps the work linear, however many tokens touch.
            if (token.lstrip)
                begin = begin > done_ ? done_ + trailing_space_at(text_.substr(done_, begin - done_)) : done_;
            if (token.rstrip) end = end > done_ ? end + leading_space(text_.substr(end)) : done_;
            if (begin >= end) continue; // lies in what is taken already
            return take(token, begin, end, part);
        }
        part = {text_.substr(done_), -1};
        done_ = text_.size();
        return !part.text.empty();
    }

private:
    bool stands_alone(std::size_t begin, std::size_t end) const {
        return (begin == 0 || !is_word_character(last_character(text_.substr(0, begin)))) &&
               (end == text_.size() || !is_word_character(first_character(text_.substr(end))));
    }
    bool take(const AddedToken& token, std::size_t begin, std::size_t end, Part& part) {
        begin = std::max(begin, done_); // a preceding rstrip token may have taken more
        end = std::max(end, begin);
        waiting_ = token.id, waiting_end_ = end;
        if (begin == done_) return next(part);
        part = {text_.substr(done_, begin - done_), -1};
        done_ = begin;
        return true;
    }

    const std::vector<AddedToken>& tokens_;
    const Patterns& patterns_;
    std::string_view text_;
    std::size_t search_ = 0, done_ = 0;
    std::int64_t waiting_ = -1;
    std::size_t waiting_end_ = 0;
};

/// Normalises one or several texts within bounds of memory and work: a step may make 256 bytes of one, and a later step
/// may drop them again.
class Normalization {
public:
    explicit Normalization(const TokenizerModel& model) : model_(model) {}

    std::string operator()(std::string_view text) {
        constexpr std::size_t longest = std::size_t{4} << 20;
        std::string out(text);
        for (const Normalizer& step : model_.normalizers) {
            out = step.apply(out, std::min(longest, left_));
            left_ -= out.size();
        }
        return out;
    }

private:
    const TokenizerModel& model_;
    std::size_t left_ = std::size_t{64} << 20; ///< bytes that all steps together may still write
};

/// The patterns of the added tokens that are looked for before (`normalized` false) or after normalisation.
Patterns patterns_of(const TokenizerModel& model, bool normalized) {
    Normalization normalize(model);
    std::vector<Pattern> patterns;
    for (const auto* list : {&model.special_patterns, &model.patterns}) // special tokens win over equal patterns
        for (const AddedPattern& pattern : *list) {
            if (pattern.normalized != normalized) continue;
            const std::string& content = model.added[pattern.token].content;
            patterns.push_back({normalized ? normalize(content) : content, pattern.token});
        }
    return Patterns(std::move(patterns));
}

/// Encodes a whole text; stops as soon as there are more than `limit` ids.
class Encoding {
public:
    Encoding(const TokenizerModel& model, std::size_t limit)
        : model_(model),
          limit_(limit),
          normalize_(model),
          plain_(patterns_of(model, false)),
          normal_(patterns_of(model, true)) {}

    std::vector<std::int64_t> run(std::string_view text) {
        Splitter parts(model_.added, plain_, text);
        for (Part part; ids_.size() <= limit_ && parts.next(part);) {
            if (part.token >= 0)
                ids_.push_back(part.token);
            else
                normalized_part(normalize_(part.text), part.text.data() == text.data());
        }
        return std::move(ids_);
    }

private:
    void normalized_part(const std::string& text, bool first) {
        Splitter parts(model_.added, normal_, text);
        for (Part part; ids_.size() <= limit_ && parts.next(part);) {
            if (part.token >= 0)
                ids_.push_back(part.token);
            else
                words({std::string(part.text), first && part.text.data() == text.data()}, 0);
        }
    }
    void words(const PreTokenizer::Word& word, std::size_t step) {
        if (step == model_.pre_tokenizers.size()) {
            model_.unigram.encode(word.text, ids_);
            return;
        }
        for (const PreTokenizer::Word& part : model_.pre_tokenizers[step].apply(word)) {
            if (ids_.size() > limit_) return;
            words(part, step + 1);
        }
    }

    const TokenizerModel& model_;
    std::size_t limit_;
    Normalization normalize_;
    Patterns plain_, normal_; ///< looked for before and after normalisation
    std::vector<std::int64_t> ids_;
};

/// The beginning of a text: more than `limit` ids can be made of, but not too much for Normalization's bounds.
std::string_view beginning(std::string_view text, std::size_t limit) {
    constexpr std::size_t bytes_of_id = 512, least = std::size_t{256} << 10, most = std::size_t{1} << 20;
    std::size_t end = std::clamp(std::min(limit, most) * bytes_of_id, least, most);
    if (end >= text.size()) return text;
    while (end > 0 && is_utf8_continuation(text[end])) --end;
    return text.substr(0, end);
}

bool is_json(std::string_view bytes) {
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    const std::size_t start = bytes.find_first_not_of(" \t\r\n");
    return start != std::string_view::npos && bytes[start] == '{';
}

TokenizerModel read(std::string_view bytes, const fs::path& file) {
    if (bytes.starts_with("version https://git-lfs"))
        throw Error(file.string(), "", "a Git LFS pointer, not the tokenizer itself",
                    "fetch the file with `git lfs pull`");
    const bool json = is_json(bytes);
    // The tags of the three fields that a ModelProto may begin with; SentencePiece writes the pieces (0x0A) first.
    if (!json && (bytes.empty() || (bytes[0] != '\x0A' && bytes[0] != '\x12' && bytes[0] != '\x1A')))
        throw Error(file.string(), "", "is neither a SentencePiece model nor a tokenizer.json", "name one of UMT5");
    const TokenizerConfig config = read_tokenizer_config(file.parent_path());
    TokenizerModel model = json ? read_tokenizer_json(bytes, file.string())
                                : read_sentencepiece(std::as_bytes(std::span(bytes.data(), bytes.size())),
                                                     file.string(), {config.extra_ids, config.legacy});
    add_tokens(model, config);
    return model;
}

fs::path find_in(const fs::path& folder) {
    for (const char* place : tokenizer_folders)
        for (const char* name : tokenizer_names) {
            const fs::path file = *place ? folder / place / name : folder / name;
            std::error_code code;
            const fs::file_status status = fs::status(file, code);
            if (fs::exists(status)) return file;
            // The folder cannot be read, so that a tokenizer may be there all the same.
            if (status.type() == fs::file_type::none)
                throw Error(folder.string(), "tokenizer", "cannot be looked for: " + code.message(),
                            "check the folder's rights");
        }
    throw Error(folder.string(), "tokenizer", "holds no tokenizer.json and no spiece.model",
                "put one into the folder google/umt5-xxl or tokenizer");
}

} // namespace

Tokenizer::Tokenizer(TokenizerModel model) : model_(std::make_shared<const TokenizerModel>(std::move(model))) {}

Tokenizer Tokenizer::load(const fs::path& file_or_folder) {
    std::error_code ignored;
    const fs::path file = fs::is_directory(file_or_folder, ignored) ? find_in(file_or_folder) : file_or_folder;
    TokenizerModel model = read(read_text(file, max_tokenizer_bytes), file);
    model.file = file.string();
    return Tokenizer(std::move(model));
}

Tokenizer Tokenizer::from_model_bytes(std::span<const std::byte> bytes, std::string_view origin) {
    TokenizerModel model = read_sentencepiece(bytes, origin);
    add_tokens(model, TokenizerConfig{});
    model.file = origin;
    return Tokenizer(std::move(model));
}

Tokenizer Tokenizer::from_lists(const PieceLists& lists, std::string_view origin) {
    TokenizerModel model = read_piece_lists(lists, origin);
    add_tokens(model, TokenizerConfig{});
    model.file = origin;
    return Tokenizer(std::move(model));
}

std::vector<std::int64_t> Tokenizer::encode(std::string_view cleaned, int text_len, bool* cut) const {
    const std::size_t around = model_->before.size() + model_->after.size();
    const std::size_t room = static_cast<std::size_t>(std::max(text_len, 1));
    const std::size_t limit = room > around ? room - around : 0;
    const std::string text = encode_utf8(decode_utf8(beginning(cleaned, limit)));
    std::vector<std::int64_t> inner;
    try {
        inner = Encoding(*model_, limit).run(text);
    } catch (const Error& error) {
        throw error.in_file(model_->file);
    }
    if (cut) *cut = inner.size() > limit || beginning(cleaned, limit).size() < cleaned.size();
    std::vector<std::int64_t> ids = model_->before;
    ids.insert(ids.end(), inner.begin(), inner.begin() + static_cast<std::ptrdiff_t>(std::min(inner.size(), limit)));
    ids.insert(ids.end(), model_->after.begin(), model_->after.end());
    return ids;
}

int Tokenizer::vocabulary() const { return static_cast<int>(model_->vocabulary); }

} // namespace denoir::umt5
