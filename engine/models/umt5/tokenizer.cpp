// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/json.h"
#include "engine/models/umt5/tokenizer_files.h"
#include "engine/models/umt5/unicode.h"

namespace denoir::umt5 {
namespace {

namespace fs = std::filesystem;

/// A stretch of the text: either one added token, or text between them.
struct Part {
    std::string_view text;
    std::int64_t token = -1;
};

char32_t first_character(std::string_view s) { return s.empty() ? U' ' : decode_utf8(s.substr(0, 4))[0]; }

char32_t last_character(std::string_view s) {
    std::size_t begin = s.empty() ? 0 : s.size() - 1;
    while (begin > 0 && (static_cast<unsigned char>(s[begin]) & 0xC0) == 0x80) --begin;
    return first_character(s.substr(begin));
}

std::size_t trimmed_left(std::string_view s) { // bytes of white space at the start
    std::size_t bytes = 0;
    while (bytes < s.size() && is_white_space(first_character(s.substr(bytes))))
        bytes += encode_utf8({std::u32string(1, first_character(s.substr(bytes)))}).size();
    return bytes;
}

std::size_t trimmed_right(std::string_view s) { // where the white space at the end begins
    std::size_t end = s.size();
    while (end > 0 && is_white_space(last_character(s.substr(0, end))))
        end -= encode_utf8({std::u32string(1, last_character(s.substr(0, end)))}).size();
    return end;
}

/// Finds added tokens one after the other: the leftmost, and of those the longest.
class Splitter {
public:
    /// `contents[i]` is how `tokens[i]` looks in `text`; empty: it does not take part.
    Splitter(const std::vector<AddedToken>& tokens, const std::vector<std::string>& contents, std::string_view text)
        : tokens_(tokens), contents_(contents), text_(text) {
        for (const std::string& content : contents)
            if (!content.empty()) starts_[static_cast<unsigned char>(content[0])] = true;
    }

    /// The next part; false at the end.
    bool next(Part& part) {
        if (waiting_ >= 0) {
            part = {text_.substr(done_, waiting_end_ - done_), waiting_};
            done_ = waiting_end_;
            waiting_ = -1;
            return true;
        }
        while (search_ < text_.size()) {
            const std::size_t i = longest_at(search_);
            if (i == contents_.size()) {
                ++search_;
                continue;
            }
            const std::size_t begin = search_, end = begin + contents_[i].size();
            search_ = end;
            if (tokens_[i].single_word && !stands_alone(begin, end)) continue;
            return take(i, begin, end, part);
        }
        part = {text_.substr(done_), -1};
        done_ = text_.size();
        return !part.text.empty();
    }

private:
    std::size_t longest_at(std::size_t at) const {
        std::size_t best = contents_.size();
        if (!starts_[static_cast<unsigned char>(text_[at])]) return best;
        for (std::size_t i = 0; i < contents_.size(); ++i) {
            const bool longer = best == contents_.size() || contents_[i].size() > contents_[best].size();
            if (!contents_[i].empty() && longer && text_.substr(at).starts_with(contents_[i])) best = i;
        }
        return best;
    }
    bool stands_alone(std::size_t begin, std::size_t end) const {
        return (begin == 0 || !is_word_character(last_character(text_.substr(0, begin)))) &&
               (end == text_.size() || !is_word_character(first_character(text_.substr(end))));
    }
    bool take(std::size_t i, std::size_t begin, std::size_t end, Part& part) {
        if (tokens_[i].lstrip) begin = std::max(trimmed_right(text_.substr(0, begin)), done_);
        if (tokens_[i].rstrip) end += trimmed_left(text_.substr(end));
        begin = std::max(begin, done_); // an rstrip token before may have gone further
        end = std::max(end, begin);
        search_ = std::max(search_, end);
        waiting_ = tokens_[i].id, waiting_end_ = end;
        if (begin == done_) return next(part);
        part = {text_.substr(done_, begin - done_), -1};
        done_ = begin;
        return true;
    }

    const std::vector<AddedToken>& tokens_;
    const std::vector<std::string>& contents_;
    std::string_view text_;
    bool starts_[256] = {};
    std::size_t search_ = 0, done_ = 0;
    std::int64_t waiting_ = -1;
    std::size_t waiting_end_ = 0;
};

std::string normalize(const TokenizerModel& model, std::string_view text) {
    std::string out(text);
    for (const Normalizer& step : model.normalizers) out = step.apply(out);
    return out;
}

/// How the added tokens look before (`normalized` false) or after normalisation.
std::vector<std::string> contents(const TokenizerModel& model, bool normalized) {
    std::vector<std::string> out;
    for (const AddedToken& token : model.added)
        out.push_back(token.normalized != normalized ? ""
                      : normalized                   ? normalize(model, token.content)
                                                     : token.content);
    return out;
}

/// Runs a whole text; stops as soon as more than `limit` ids are there.
class Encoding {
public:
    Encoding(const TokenizerModel& model, std::size_t limit)
        : model_(model), limit_(limit), plain_(contents(model, false)), normal_(contents(model, true)) {}

    std::vector<std::int64_t> run(std::string_view text) {
        Splitter parts(model_.added, plain_, text);
        for (Part part; ids_.size() <= limit_ && parts.next(part);) {
            if (part.token >= 0)
                ids_.push_back(part.token);
            else
                normalized_part(normalize(model_, part.text), part.text.data() == text.data());
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
    std::vector<std::string> plain_, normal_;
    std::vector<std::int64_t> ids_;
};

/// What transformers would take from the tokenizer_config.json beside a SentencePiece model.
SentencePieceOptions options_beside(const fs::path& model) {
    SentencePieceOptions options;
    const fs::path file = model.parent_path() / "tokenizer_config.json";
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return options;
    const Json json = parse_json(read_text(file, std::size_t{4} << 20), file.string());
    if (!json.is_object()) return options;
    if (const auto legacy = json.find("legacy"); legacy != json.end() && legacy->is_boolean())
        options.legacy = legacy->get<bool>();
    if (const auto extra = json.find("extra_ids"); extra != json.end() && !extra->is_null()) {
        constexpr int most = 10'000;
        if (!extra->is_number_integer() || *extra < 0 || *extra > most)
            throw Error(file.string(), "extra_ids", fmt::format("is not a number from 0 to {}", most), "UMT5 has 300");
        options.extra_ids = extra->get<int>();
    }
    return options;
}

bool is_json(std::string_view bytes) {
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    const std::size_t start = bytes.find_first_not_of(" \t\r\n");
    return start != std::string_view::npos && bytes[start] == '{';
}

TokenizerModel read(std::string_view bytes, const fs::path& file) {
    if (is_json(bytes)) return read_tokenizer_json(bytes, file.string());
    // The three fields of a ModelProto are messages, and pieces come first in every file that SentencePiece writes.
    if (bytes.empty() || (bytes[0] != '\x0A' && bytes[0] != '\x12' && bytes[0] != '\x1A'))
        throw Error(file.string(), "", "is neither a SentencePiece model nor a tokenizer.json", "name one of UMT5");
    return read_sentencepiece(std::as_bytes(std::span(bytes.data(), bytes.size())), file.string(),
                              options_beside(file));
}

fs::path find_in(const fs::path& folder) {
    std::error_code ignored;
    for (const char* place : {"", "google/umt5-xxl", "tokenizer", "umt5-xxl", "text_encoder"})
        for (const char* name : {"tokenizer.json", "spiece.model"}) {
            const fs::path file = *place ? folder / place / name : folder / name;
            if (fs::exists(file, ignored)) return file;
        }
    throw Error(folder.string(), "tokenizer", "holds no tokenizer.json and no spiece.model",
                "put one into the folder google/umt5-xxl or tokenizer");
}

} // namespace

Tokenizer::Tokenizer(TokenizerModel model) : model_(std::make_shared<const TokenizerModel>(std::move(model))) {}

Tokenizer Tokenizer::load(const fs::path& file_or_folder) {
    std::error_code ignored;
    const fs::path file = fs::is_directory(file_or_folder, ignored) ? find_in(file_or_folder) : file_or_folder;
    return Tokenizer(read(read_text(file, max_tokenizer_bytes), file));
}

Tokenizer Tokenizer::from_model_bytes(std::span<const std::byte> bytes, std::string_view origin) {
    return Tokenizer(read_sentencepiece(bytes, origin));
}

std::vector<std::int64_t> Tokenizer::encode(std::string_view cleaned, int text_len, bool* cut) const {
    constexpr std::size_t longest_text = std::size_t{1} << 20;
    if (cleaned.size() > longest_text) throw UsageError("", "prompt", "is longer than 1 MiB", "shorten it");
    const std::size_t around = model_->before.size() + model_->after.size();
    const std::size_t room = static_cast<std::size_t>(std::max(text_len, 1));
    const std::size_t limit = room > around ? room - around : 0;
    const std::string text = encode_utf8(decode_utf8(cleaned));
    const std::vector<std::int64_t> inner = Encoding(*model_, limit).run(text);
    if (cut) *cut = inner.size() > limit;
    std::vector<std::int64_t> ids = model_->before;
    ids.insert(ids.end(), inner.begin(), inner.begin() + static_cast<std::ptrdiff_t>(std::min(inner.size(), limit)));
    ids.insert(ids.end(), model_->after.begin(), model_->after.end());
    return ids;
}

int Tokenizer::vocabulary() const { return static_cast<int>(model_->vocabulary); }

} // namespace denoir::umt5
