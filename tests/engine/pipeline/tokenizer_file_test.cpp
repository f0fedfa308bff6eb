// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/tokenizer_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/json.h"
#include "support/gguf_writer.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;
using Ids = std::vector<std::int64_t>;

constexpr std::uint32_t u8 = 0, u32 = 4, i32 = 5, float32 = 6, boolean = 7, text = 8, list = 9;

/// Reads the fields of a protobuf message as SentencePiece writes it.
class Message {
public:
    explicit Message(std::string_view whole) : rest_(whole) {}
    bool next() {
        if (rest_.empty()) return false;
        const std::uint64_t key = varint();
        field = static_cast<int>(key >> 3);
        if ((key & 7) == 0) number = varint();
        if ((key & 7) == 5) bytes = take(4);
        if ((key & 7) == 2) bytes = take(varint());
        return true;
    }
    int field = 0;
    std::uint64_t number = 0;
    std::string_view bytes;

private:
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (int shift = 0;; shift += 7) {
            const auto b = static_cast<unsigned char>(take(1)[0]);
            value |= std::uint64_t{b & 0x7Fu} << shift;
            if (b < 0x80) return value;
        }
    }
    std::string_view take(std::uint64_t n) {
        const std::string_view part = rest_.substr(0, n);
        rest_.remove_prefix(n);
        return part;
    }
    std::string_view rest_;
};

/// A vocabulary as converters write it into a GGUF file.
struct Lists {
    std::vector<std::string> tokens;
    std::vector<float> scores;
    std::vector<std::int32_t> types;
    std::string charsmap;
    std::uint32_t unknown = 0;

    void add(std::string token, float score, std::int32_t type) {
        tokens.push_back(std::move(token)), scores.push_back(score), types.push_back(type);
    }
    static std::string array(std::uint32_t type, std::size_t count, const std::string& bytes) {
        return le(type) + le(static_cast<std::uint64_t>(count)) + bytes;
    }
    template <class T> static std::string elements(const std::vector<T>& values) {
        std::string bytes;
        for (const T& v : values)
            if constexpr (std::is_same_v<T, std::string>)
                bytes += gguf_string(v);
            else
                bytes += le(v);
        return bytes;
    }
    /// Key, type and bytes of each entry.
    std::map<std::string, std::pair<std::uint32_t, std::string>> pairs() const {
        std::map<std::string, std::pair<std::uint32_t, std::string>> all;
        all["model"] = {text, gguf_string("t5")};
        all["tokens"] = {list, array(text, tokens.size(), elements(tokens))};
        all["scores"] = {list, array(float32, scores.size(), elements(scores))};
        all["token_type"] = {list, array(i32, types.size(), elements(types))};
        if (!charsmap.empty()) all["precompiled_charsmap"] = {list, array(u8, charsmap.size(), charsmap)};
        all["add_space_prefix"] = all["remove_extra_whitespaces"] = {boolean, "\x01"};
        all["unknown_token_id"] = {u32, le(unknown)};
        all["eos_token_id"] = {u32, le(1u)};
        all["padding_token_id"] = {u32, le(0u)};
        return all;
    }
};

std::string file_of(const std::map<std::string, std::pair<std::uint32_t, std::string>>& pairs) {
    std::vector<std::string> all;
    for (const auto& [key, value] : pairs) all.push_back(gguf_pair("tokenizer.ggml." + key, value.first, value.second));
    return gguf(gguf_tensors({f32("token_embd.weight", {2, 2})}), all);
}

Lists lists_of(const fs::path& spiece) {
    const std::string file = read_bytes(spiece);
    Lists lists;
    for (Message model(file); model.next();) {
        Message part(model.bytes);
        if (model.field == 1) {
            std::string piece;
            float score = 0;
            std::int32_t type = 1;
            while (part.next()) {
                if (part.field == 1) piece = part.bytes;
                if (part.field == 2) std::memcpy(&score, part.bytes.data(), sizeof score);
                if (part.field == 3) type = static_cast<std::int32_t>(part.number);
            }
            lists.add(piece, score, type);
        }
        while (model.field == 2 && part.next())
            if (part.field == 40) lists.unknown = static_cast<std::uint32_t>(part.number);
        while (model.field == 3 && part.next())
            if (part.field == 2) lists.charsmap = part.bytes;
    }
    return lists;
}

/// The texts of the fixtures, chosen for everything that goes wrong in text, and some with special tokens.
std::vector<std::string> texts() {
    std::vector<std::string> all{"a\u200F", "the <extra_id_5>", "cat  cat\u2581\uFFFD", "<s><unk></s><pad>a", ""};
    for (const Json& c : parse_json(read_text(DENOIR_FIXTURES "/text/ids.json", 1 << 20), "ids.json"))
        all.push_back(c[1].get<std::string>());
    for (const Json& row : parse_json(read_text(DENOIR_FIXTURES "/text/special.json", 1 << 20), "special.json"))
        for (const Json& c : row["texts"]) all.push_back(c[0].get<std::string>());
    return all;
}

TEST(TokenizerFile, AGitLfsPointerIsNamed) {
    TempFolder folder;
    write_bytes(folder / "tokenizer.json",
                "version https://git-lfs.github.com/spec/v1\noid sha256:46\nsize 16837417\n");
    try {
        load_tokenizer(folder.path());
        FAIL();
    } catch (const Error& e) {
        EXPECT_TRUE(has(e.message(), "Git LFS pointer")) << e.what();
    }
}

TEST(TokenizerFile, FilesThatDecideTheIds) {
    const TempFolder folder;
    const auto names = [](const fs::path& path) {
        std::vector<std::string> all;
        for (const fs::path& file : tokenizer_files(path)) all.push_back(file.filename().string());
        return all;
    };
    using Names = std::vector<std::string>;
    write_bytes(folder / "spiece.model", "\x0A");
    write_bytes(folder / "tokenizer_config.json", "{}");
    EXPECT_EQ(names(folder.path()), (Names{"spiece.model", "tokenizer_config.json"}));
    write_bytes(folder / "tokenizer.json", "{}");
    write_bytes(folder / "special_tokens_map.json", "{}");
    const Names json{"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"};
    Names both = json;
    both.insert(both.begin() + 1, "spiece.model"); // it counts if tokenizer.json is removed
    EXPECT_EQ(names(folder.path()), both);
    EXPECT_EQ(names(folder / "tokenizer.json"), json);
    write_bytes(folder / "umt5.gguf", "GGUF"); // a GGUF file contains its tokenizer, and its neighbours do not matter
    EXPECT_EQ(names(folder / "umt5.gguf"), Names{"umt5.gguf"});
    EXPECT_EQ(names({}), Names{});
    EXPECT_EQ(names(folder / "gone"), Names{}); // the error comes when the file is read
}

TEST(TokenizerFile, GgufGivesTheIdsOfTheSpieceModelItWasMadeOf) {
    const TempFolder folder;
    const std::vector<std::string> all = texts();
    ASSERT_GT(all.size(), 800u);
    for (const char* name : {"nfkc", "byte-fallback"}) {
        const fs::path spiece = fs::path(DENOIR_FIXTURES) / "tokenize" / name / "google/umt5-xxl/spiece.model";
        const auto want = umt5::Tokenizer::load(spiece);
        const Lists plain = lists_of(spiece);
        // Two vocabularies with rows that have no piece: one ends in them, the other also has extra ids of an
        // added_tokens.json.
        Lists padded = plain, named = plain;
        for (int i = 0; i < 30; ++i)
            padded.add("[PAD" + std::to_string(plain.tokens.size() + static_cast<std::size_t>(i)) + "]", -10000, 5);
        for (int i = 99; i >= 0; --i) named.add("<extra_id_" + std::to_string(i) + ">", -1000, 4);
        for (int i = 0; i < 30; ++i) named.add("[PAD" + std::to_string(i) + "]", -10000, 5);
        for (const Lists& lists : {plain, padded, named}) {
            write_bytes(folder / "x.gguf", file_of(lists.pairs()));
            const auto got = load_tokenizer(folder / "x.gguf");
            EXPECT_EQ(got.vocabulary(), want.vocabulary());
            for (const std::string& t : all) ASSERT_EQ(got.encode(t, 512), want.encode(t, 512)) << name << " " << t;
        }
    }
}

Lists small() {
    Lists lists;
    lists.add("<pad>", 0, 3), lists.add("</s>", 0, 3), lists.add("<unk>", 0, 2), lists.add("\u2581a", -1, 1);
    lists.unknown = 2;
    return lists;
}

TEST(TokenizerFile, GgufWithLessThanAllKeys) {
    const TempFolder folder;
    auto pairs = small().pairs();
    for (const char* key : {"token_type", "add_space_prefix", "remove_extra_whitespaces", "padding_token_id"})
        pairs.erase(key);
    write_bytes(folder / "x", file_of(pairs));
    EXPECT_EQ(load_tokenizer(folder / "x").encode("a b</s>", 8), (Ids{3, 2, 1, 1}));
    pairs = small().pairs();
    for (const char* key : {"unknown_token_id", "eos_token_id"}) pairs.erase(key); // both follow from the lists
    write_bytes(folder / "x", file_of(pairs));
    EXPECT_EQ(load_tokenizer(folder / "x").encode("a b", 8), (Ids{3, 2, 1}));
}

/// The key that the refusal names, without the prefix of them all; "" if the file is accepted.
std::string refused(const std::string& file) {
    const TempFolder folder;
    write_bytes(folder / "x.gguf", file);
    const auto start = std::chrono::steady_clock::now();
    std::string key;
    try {
        load_tokenizer(folder / "x.gguf");
    } catch (const Error& e) {
        EXPECT_EQ(e.file(), (folder / "x.gguf").string());
        EXPECT_EQ(std::string_view(e.what()).find('\n'), std::string_view::npos);
        EXPECT_LT(std::string_view(e.what()).size(), 400u);
        key = e.field();
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    constexpr std::string_view begin = "tokenizer.ggml.";
    return key.starts_with(begin) ? key.substr(begin.size()) : key;
}

TEST(TokenizerFile, HostileGgufIsRefusedByKey) {
    const auto with = [](const std::string& key, std::uint32_t type, const std::string& bytes) {
        auto pairs = small().pairs();
        pairs[key] = {type, bytes};
        return refused(file_of(pairs));
    };
    const auto changed = [](auto change) {
        Lists lists = small();
        change(lists);
        return refused(file_of(lists.pairs()));
    };
    const auto without = [](const std::string& key) {
        auto pairs = small().pairs();
        pairs.erase(key);
        return refused(file_of(pairs));
    };
    EXPECT_EQ(refused(file_of(small().pairs())), "");
    EXPECT_EQ(refused(file_of({})), "model");
    EXPECT_EQ(without("model"), "model");
    EXPECT_EQ(with("model", text, gguf_string("llama")), "model");
    EXPECT_EQ(with("model", u32, le(5u)), "model");
    EXPECT_EQ(without("tokens"), "tokens");
    EXPECT_EQ(without("scores"), "scores");
    EXPECT_EQ(changed([](Lists& l) { l.scores.pop_back(); }), "scores");
    EXPECT_EQ(changed([](Lists& l) { l.types.pop_back(); }), "token_type");
    EXPECT_EQ(changed([](Lists& l) { l.types[3] = -1; }), "tokens[3]");
    EXPECT_EQ(changed([](Lists& l) { l.types[3] = 9; }), "tokens[3]");
    EXPECT_EQ(changed([](Lists& l) { l.scores[3] = std::numeric_limits<float>::quiet_NaN(); }), "tokens[3]");
    EXPECT_EQ(changed([](Lists& l) { l.tokens[3] = ""; }), "tokens[3]");
    EXPECT_EQ(changed([](Lists& l) { l.tokens[3] = "\xFF"; }), "tokens[3]");
    EXPECT_EQ(changed([](Lists& l) { l.tokens[3] = std::string("a\0", 2); }), "tokens[3]");
    EXPECT_EQ(changed([](Lists& l) { l.tokens[3] = std::string(513, 'a'); }), "tokens[3]");
    EXPECT_EQ(changed([](Lists& l) { l.tokens[3] = "<unk>"; }), "tokens[3]"); // this piece exists twice
    EXPECT_EQ(changed([](Lists& l) { l = Lists{}; }), "tokens");
    EXPECT_EQ(changed([](Lists& l) { l.unknown = 4; }), "unknown_token_id");
    EXPECT_EQ(changed([](Lists& l) { l.unknown = 3; }), "unknown_token_id"); // a piece of another kind
    EXPECT_EQ(changed([](Lists& l) { l.charsmap = "abc"; }), "precompiled_charsmap");
    EXPECT_EQ(changed([](Lists& l) { l.charsmap.assign(5 << 20, '\1'); }), "precompiled_charsmap");
    EXPECT_EQ(with("eos_token_id", u32, le(4u)), "eos_token_id");
    EXPECT_EQ(with("eos_token_id", i32, le(-1)), "eos_token_id");
    EXPECT_EQ(with("eos_token_id", text, gguf_string("</s>")), "eos_token_id");
    EXPECT_EQ(with("eos_token_id", list, Lists::array(u32, 1, le(1u))), "eos_token_id");
    auto no_end = small();
    no_end.tokens[1] = "<end>";
    auto pairs = no_end.pairs();
    EXPECT_EQ(refused(file_of(pairs)), ""); // the id of the end is given
    pairs.erase("eos_token_id");
    EXPECT_EQ(refused(file_of(pairs)), "tokens");
    // Numbers instead of arrays, arrays of another type, and arrays of arrays.
    for (const char* key : {"tokens", "scores", "token_type", "precompiled_charsmap"}) {
        EXPECT_EQ(with(key, u32, le(4u)), key);
        EXPECT_EQ(with(key, list, Lists::array(list, 1, Lists::array(u32, 1, le(1u)))), key);
        EXPECT_EQ(with(key, list, Lists::array(boolean, 4, std::string(4, '\1'))), key);
    }
    // More elements than the file holds, and more than any vocabulary has.
    for (const char* key : {"tokens", "scores", "token_type", "precompiled_charsmap"}) {
        const std::uint32_t type = *key == 't' && key[5] == 's' ? text : *key == 's' ? float32 : *key == 'p' ? u8 : i32;
        EXPECT_EQ(with(key, list, le(type) + le(~std::uint64_t{0})), key);
        EXPECT_EQ(with(key, list, le(type) + le(std::uint64_t{1} << 40)), key);
        const std::size_t count = type == u8 ? (4 << 20) + 1 : 1'000'001, size = type == text ? 8 : type == u8 ? 1 : 4;
        EXPECT_EQ(with(key, list, Lists::array(type, count, std::string(count * size, '\0'))), key);
    }
}

TEST(TokenizerFile, RepeatedKeysAreRefused) {
    const auto pair = [](const char* key) {
        const auto pairs = small().pairs();
        return gguf_pair(std::string("tokenizer.ggml.") + key, pairs.at(key).first, pairs.at(key).second);
    };
    const auto tensors = gguf_tensors({f32("w", {1})});
    EXPECT_EQ(refused(gguf(tensors, {pair("model"), pair("tokens"), pair("tokens")})), "tokens");
    EXPECT_EQ(refused(gguf(tensors, {pair("tokens"), gguf_pair("tokenizer.ggml.tokens", u32, le(1u))})), "tokens");
    EXPECT_EQ(refused(gguf(tensors, {gguf_pair("tokenizer.ggml.tokens", u32, le(1u)), pair("tokens")})), "tokens");
}

TEST(TokenizerFile, DamagedGgufIsReadOrRefused) {
    const std::string file =
        file_of(lists_of(fs::path(DENOIR_FIXTURES) / "tokenize/byte-fallback/google/umt5-xxl/spiece.model").pairs());
    const TempFolder folder;
    std::uint32_t random = 7;
    const auto pick = [&](std::size_t n) { return (random = random * 1664525 + 1013904223) / 65536 % n; };
    int refusals = 0;
    for (int round = 0; round < 500; ++round) {
        std::string bad = file;
        for (std::size_t k = 0; k <= pick(4); ++k)
            bad[(pick(32768) << 15 | pick(32768)) % bad.size()] ^= char(1 << pick(8));
        write_bytes(folder / "x", bad);
        try {
            load_tokenizer(folder / "x").encode("A red fox \u200B <extra_id_3> \u8272", 64);
        } catch (const Error&) {
            ++refusals;
        }
    }
    EXPECT_GT(refusals, 20);
}

} // namespace
} // namespace denoir
