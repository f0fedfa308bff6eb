// SPDX-License-Identifier: Apache-2.0
// SentencePiece's ModelProto (spec/umt5.md 4.3), from its protobuf wire format.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "engine/core/error.h"
#include "engine/core/text.h"
#include "engine/models/umt5/tokenizer_files.h"

namespace denoir::umt5 {
namespace {

using Bytes = std::span<const std::byte>;

enum class Wire { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };
enum class PieceType { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

struct Context {
    std::string_view file;
    [[noreturn]] void refuse(std::string field, std::string message) const {
        throw Error(std::string(file), std::move(field), std::move(message), "get the file again");
    }
};

/// One field of a message: its number and what it holds.
struct Field {
    std::uint32_t number = 0;
    Wire wire = Wire::varint;
    std::uint64_t value = 0; ///< varint, fixed32, fixed64
    Bytes bytes;
};

/// Walks the fields of one message. Every length is checked against what is left of it.
class Message {
public:
    Message(const Context& context, std::string_view name, Bytes bytes)
        : context_(context), name_(name), rest_(bytes) {}

    bool next(Field& field) {
        if (rest_.empty()) return false;
        const std::uint64_t key = varint();
        field.number = static_cast<std::uint32_t>(key >> 3);
        if (key >> 32 || field.number == 0) bad("has a field number that cannot be");
        switch (key & 7) {
        case 0:
            field.wire = Wire::varint, field.value = varint();
            break;
        case 1:
            field.wire = Wire::fixed64, field.value = fixed(8);
            break;
        case 2:
            field.wire = Wire::bytes, field.bytes = take(varint());
            break;
        case 5:
            field.wire = Wire::fixed32, field.value = fixed(4);
            break;
        default:
            bad("has a field of an unknown kind");
        }
        return true;
    }
    void require(const Field& field, Wire wire) const {
        if (field.wire != wire) bad(fmt::format("holds field {} in another type", field.number));
    }
    [[noreturn]] void bad(std::string message) const { context_.refuse(std::string(name_), std::move(message)); }

private:
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            const auto b = std::to_integer<std::uint64_t>(take(1)[0]);
            if (shift == 63 && b > 1) break;
            value |= (b & 0x7F) << shift;
            if (!(b & 0x80)) return value;
        }
        bad("has a number that is too long");
    }
    std::uint64_t fixed(std::size_t n) {
        const Bytes b = take(n);
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < n; ++i) value |= std::to_integer<std::uint64_t>(b[i]) << (8 * i);
        return value;
    }
    Bytes take(std::uint64_t n) {
        if (n > rest_.size()) bad("ends in the middle of a field");
        const Bytes part = rest_.first(static_cast<std::size_t>(n));
        rest_ = rest_.subspan(static_cast<std::size_t>(n));
        return part;
    }

    const Context& context_;
    std::string_view name_;
    Bytes rest_;
};

struct Pieces {
    std::vector<std::string> texts;
    std::vector<double> scores;
    std::vector<PieceType> types;
};

void read_piece(const Context& context, Bytes bytes, Pieces& pieces) {
    const std::string name = fmt::format("pieces[{}]", pieces.texts.size());
    Message message(context, name, bytes);
    std::string text;
    float score = 0;
    std::uint64_t type = 1;
    for (Field field; message.next(field);) {
        if (field.number == 1) {
            message.require(field, Wire::bytes);
            if (field.bytes.size() > Unigram::max_piece_bytes) message.bad("is longer than 512 bytes");
            text.assign(reinterpret_cast<const char*>(field.bytes.data()), field.bytes.size());
        } else if (field.number == 2) {
            message.require(field, Wire::fixed32);
            score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
        } else if (field.number == 3) {
            message.require(field, Wire::varint);
            type = field.value;
        }
    }
    if (text.empty()) message.bad("is empty");
    if (find_invalid_utf8(text) || text.find('\0') != std::string::npos) message.bad("is not UTF-8 text");
    if (!std::isfinite(score)) message.bad("has a score that is not a finite number");
    if (type < 1 || type > 6) message.bad(fmt::format("has the unknown type {}", type));
    pieces.texts.push_back(std::move(text));
    pieces.scores.push_back(score);
    pieces.types.push_back(static_cast<PieceType>(type));
}

std::int64_t read_trainer(const Context& context, Bytes bytes) {
    Message message(context, "trainer_spec", bytes);
    std::int64_t unknown = 0; // as in SentencePiece, where it is left out
    for (Field field; message.next(field);) {
        if (field.number == 3) {
            message.require(field, Wire::varint);
            if (field.value != 1) context.refuse("trainer_spec.model_type", "is not a unigram model; UMT5 needs one");
        } else if (field.number == 40) {
            message.require(field, Wire::varint);
            unknown = std::bit_cast<std::int64_t>(field.value);
        }
    }
    return unknown;
}

/// Only the map matters: transformers ignores the other switches of this message for T5.
void read_normalizer(const Context& context, Bytes bytes, std::vector<Normalizer>& normalizers) {
    Message message(context, "normalizer_spec", bytes);
    Bytes map;
    for (Field field; message.next(field);) {
        if (field.number != 2) continue;
        message.require(field, Wire::bytes);
        map = field.bytes;
    }
    normalizers.clear();
    if (map.empty()) return;
    Normalizer step;
    step.kind = Normalizer::Kind::charsmap;
    step.charsmap = Charsmap::read(map, context.file, "normalizer_spec.precompiled_charsmap");
    normalizers.push_back(std::move(step));
}

void check_pieces(const Context& context, const Pieces& pieces, std::int64_t unknown) {
    if (pieces.texts.empty()) context.refuse("pieces", "is empty: this is no SentencePiece model");
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < pieces.texts.size(); ++i)
        if (!seen.insert(pieces.texts[i]).second)
            context.refuse(fmt::format("pieces[{}]", i), "repeats an earlier piece");
    if (unknown < 0 || unknown >= static_cast<std::int64_t>(pieces.texts.size()) ||
        pieces.types[static_cast<std::size_t>(unknown)] != PieceType::unknown)
        context.refuse("trainer_spec.unk_id", "does not name the piece for unknown characters");
}

void add_extra_ids(Pieces& pieces, const SentencePieceOptions& options, std::vector<AddedToken>& added) {
    constexpr std::size_t umt5_pieces = 256'000;
    const int extra = options.extra_ids.value_or(pieces.texts.size() == umt5_pieces ? 300 : 100);
    for (int i = extra - 1; i >= 0; --i) { // they descend: the last id is <extra_id_0>
        pieces.texts.push_back(fmt::format("<extra_id_{}>", i));
        pieces.scores.push_back(0);
        pieces.types.push_back(PieceType::control);
        added.push_back({pieces.texts.back(), static_cast<std::int64_t>(pieces.texts.size()) - 1});
    }
}

} // namespace

TokenizerModel read_sentencepiece(Bytes bytes, std::string_view file, const SentencePieceOptions& options) {
    const Context context{file};
    if (bytes.size() > max_tokenizer_bytes) context.refuse("size", "is larger than 64 MiB: this is no tokenizer");
    TokenizerModel model;
    Pieces pieces;
    std::int64_t unknown = 0;
    Message message(context, "model", bytes);
    for (Field field; message.next(field);) {
        if (field.number > 3 || field.number < 1) continue;
        message.require(field, Wire::bytes);
        if (field.number == 1) {
            if (pieces.texts.size() == Unigram::max_pieces) context.refuse("pieces", "are more than a million");
            read_piece(context, field.bytes, pieces);
        } else if (field.number == 2) {
            unknown = read_trainer(context, field.bytes);
        } else {
            read_normalizer(context, field.bytes, model.normalizers);
        }
    }
    check_pieces(context, pieces, unknown);
    for (std::size_t i = 0; i < pieces.texts.size(); ++i)
        if (pieces.types[i] == PieceType::control || pieces.types[i] == PieceType::user_defined)
            model.added.push_back({pieces.texts[i], static_cast<std::int64_t>(i)});
    add_extra_ids(pieces, options, model.added);
    model.vocabulary = static_cast<std::int64_t>(pieces.texts.size());
    model.unigram = Unigram(std::move(pieces.texts), std::move(pieces.scores), unknown, false);

    // As transformers makes a fast tokenizer of such a file: the map may have left spaces at the end (U+200B, U+200F),
    // and what stands before a special token ends in one.
    Normalizer end_of_text;
    end_of_text.kind = Normalizer::Kind::strip, end_of_text.left = false;
    model.normalizers.push_back(end_of_text);
    Normalizer spaces;
    spaces.kind = Normalizer::Kind::replace, spaces.pattern = " ", spaces.at_least = 2, spaces.content = " ";
    model.normalizers.push_back(spaces);
    PreTokenizer words;
    words.prepend = options.legacy ? PreTokenizer::Prepend::always : PreTokenizer::Prepend::first;
    model.pre_tokenizers.push_back(words);
    const std::int64_t end = model.unigram.find("</s>");
    if (end < 0) context.refuse("pieces", "have no </s>, which ends every prompt");
    model.after = {end};
    return model;
}

} // namespace denoir::umt5
