// SPDX-License-Identifier: Apache-2.0
// Reads SentencePiece's ModelProto (spec/umt5.md 4.3) from the protobuf wire format.
#include <fmt/format.h>

#include <bit>

#include "engine/core/error.h"
#include "engine/models/umt5/pieces.h"

namespace denoir::umt5 {
namespace {

using Bytes = std::span<const std::byte>;

enum class Wire { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// The numbers of the fields that are read (sentencepiece_model.proto).
namespace model_field {
constexpr std::uint32_t pieces = 1, trainer_spec = 2, normalizer_spec = 3;
}
namespace piece_field {
constexpr std::uint32_t piece = 1, score = 2, type = 3;
}
namespace trainer_field {
constexpr std::uint32_t model_type = 3, unk_id = 40;
}
namespace normalizer_field {
constexpr std::uint32_t precompiled_charsmap = 2;
}
constexpr std::uint64_t unigram_type = 1; ///< a value of trainer_spec.model_type

struct Context {
    std::string_view file;
    [[noreturn]] void refuse(std::string field, std::string message) const {
        throw Error(std::string(file), std::move(field), std::move(message), "get the file again");
    }
};

/// One field of a message: its number and its value.
struct Field {
    std::uint32_t number = 0;
    Wire wire = Wire::varint;
    std::uint64_t value = 0; ///< varint, fixed32, fixed64
    Bytes bytes;
};

/// Walks the fields of one message. Every length is checked against the bytes that are left.
class Message {
public:
    Message(const Context& context, std::string_view name, Bytes bytes)
        : context_(context), name_(name), rest_(bytes) {}

    bool next(Field& field) {
        if (rest_.empty()) return false;
        const std::uint64_t key = varint();
        field.number = static_cast<std::uint32_t>(key >> 3);
        if (key >> 32 || field.number == 0) bad("has an impossible field number");
        field.wire = static_cast<Wire>(key & 7);
        switch (field.wire) {
        case Wire::varint:
            field.value = varint();
            return true;
        case Wire::fixed64:
            field.value = fixed(8);
            return true;
        case Wire::bytes:
            field.bytes = take(varint());
            return true;
        case Wire::fixed32:
            field.value = fixed(4);
            return true;
        }
        bad("has a field of an unknown kind");
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

void read_piece(const Context& context, Bytes bytes, Pieces& pieces) {
    const std::string name = fmt::format("pieces[{}]", pieces.texts.size());
    Message message(context, name, bytes);
    std::string_view text;
    float score = 0;
    auto type = static_cast<std::uint64_t>(PieceType::normal);
    for (Field field; message.next(field);) {
        if (field.number == piece_field::piece) {
            message.require(field, Wire::bytes);
            text = std::string_view(reinterpret_cast<const char*>(field.bytes.data()), field.bytes.size());
        } else if (field.number == piece_field::score) {
            message.require(field, Wire::fixed32);
            score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
        } else if (field.number == piece_field::type) {
            message.require(field, Wire::varint);
            type = field.value;
        }
    }
    pieces.add(text, score, type);
}

std::int64_t read_trainer(const Context& context, Bytes bytes) {
    Message message(context, "trainer_spec", bytes);
    std::int64_t unknown = 0; // SentencePiece's default
    for (Field field; message.next(field);) {
        if (field.number == trainer_field::model_type) {
            message.require(field, Wire::varint);
            if (field.value != unigram_type)
                context.refuse("trainer_spec.model_type", "is not a unigram model; UMT5 needs one");
        } else if (field.number == trainer_field::unk_id) {
            message.require(field, Wire::varint);
            unknown = std::bit_cast<std::int64_t>(field.value);
        }
    }
    return unknown;
}

/// Reads the character map alone: transformers ignores the other switches of this message for T5.
void read_normalizer(const Context& context, Bytes bytes, std::vector<Normalizer>& normalizers) {
    Message message(context, "normalizer_spec", bytes);
    Bytes map;
    for (Field field; message.next(field);) {
        if (field.number != normalizer_field::precompiled_charsmap) continue;
        message.require(field, Wire::bytes);
        map = field.bytes;
    }
    if (map.empty()) return;
    if (!normalizers.empty()) context.refuse("normalizer_spec", "holds a second map of characters");
    Normalizer step;
    step.kind = Normalizer::Kind::charsmap;
    step.charsmap = Charsmap::read(map, context.file, "normalizer_spec.precompiled_charsmap");
    normalizers.push_back(std::move(step));
}

} // namespace

TokenizerModel read_sentencepiece(Bytes bytes, std::string_view file, const SentencePieceOptions& options) {
    const Context context{file};
    if (bytes.size() > max_tokenizer_bytes) context.refuse("size", "is larger than 64 MiB: this is not a tokenizer");
    Pieces pieces{file, "pieces", {}, {}, {}};
    std::vector<Normalizer> normalizers;
    Marks marks{0, "trainer_spec.unk_id", {}};
    Message message(context, "model", bytes);
    for (Field field; message.next(field);) {
        if (field.number > model_field::normalizer_spec) continue;
        message.require(field, Wire::bytes);
        if (field.number == model_field::pieces)
            read_piece(context, field.bytes, pieces);
        else if (field.number == model_field::trainer_spec)
            marks.unknown = read_trainer(context, field.bytes);
        else
            read_normalizer(context, field.bytes, normalizers);
    }
    return model_of(std::move(pieces), marks, std::move(normalizers), options);
}

} // namespace denoir::umt5
