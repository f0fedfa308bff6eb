// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <fstream>
#include <random>

#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/models/umt5/tokenizer.h"
#include "engine/models/umt5/tokenizer_files.h"
#include "engine/models/umt5/unicode.h"

namespace denoir::umt5 {
namespace {

const std::filesystem::path models = std::filesystem::path(DENOIR_FIXTURES) / "tokenize";

// Writes the wire format of protobuf, to build files that SentencePiece never would.
std::string varint(std::uint64_t v) {
    std::string out;
    for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
    return out + static_cast<char>(v);
}
std::string number(int field, std::uint64_t v) { return varint(static_cast<std::uint64_t>(field) << 3) + varint(v); }
std::string bytes(int field, const std::string& v) {
    return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(v.size()) + v;
}
std::string float32(int field, float v) {
    const auto bits = std::bit_cast<std::uint32_t>(v);
    std::string out = varint(static_cast<std::uint64_t>(field) << 3 | 5);
    for (int i = 0; i < 4; ++i) out += static_cast<char>(bits >> (8 * i));
    return out;
}
std::string piece(const std::string& text, float score = -1, int type = 1) {
    return bytes(1, bytes(1, text) + float32(2, score) + number(3, static_cast<std::uint64_t>(type)));
}
std::string base() { return piece("<pad>", 0, 3) + piece("</s>", 0, 3) + piece("<unk>", 0, 2) + piece("\u2581a"); }
std::string trainer(std::uint64_t unknown = 2, std::uint64_t type = 1) {
    return bytes(2, number(3, type) + number(40, unknown));
}
std::string word(std::uint32_t v) {
    std::string out;
    for (int i = 0; i < 4; ++i) out += static_cast<char>(v >> (8 * i));
    return out;
}
std::string charsmap(const std::string& map) { return bytes(3, bytes(2, map)); }

TokenizerModel read(const std::string& model) {
    return read_sentencepiece(std::as_bytes(std::span(model.data(), model.size())), "spiece.model");
}

/// The field that the refusal names, or "" if the model is accepted.
std::string refused(const std::string& model) {
    try {
        read(model);
    } catch (const Error& e) {
        EXPECT_EQ(e.file(), "spiece.model");
        EXPECT_LT(std::string_view(e.what()).size(), 400u);
        return e.field();
    }
    return "";
}

TEST(SentencePieceFile, SmallestModel) {
    const TokenizerModel model = read(base() + trainer());
    EXPECT_EQ(model.vocabulary, 104);
    EXPECT_EQ(model.unigram.find("\u2581a"), 3);
}

TEST(SentencePieceFile, RefusesByField) {
    EXPECT_EQ(refused(trainer()), "pieces");
    EXPECT_EQ(refused(base() + trainer() + piece("\u2581a")), "pieces[4]"); // a piece that exists twice
    EXPECT_EQ(refused(base() + piece("") + trainer()), "pieces[4]");
    EXPECT_EQ(refused(base() + piece("\xFF") + trainer()), "pieces[4]"); // not UTF-8
    EXPECT_EQ(refused(base() + piece(std::string("a\0b", 3)) + trainer()), "pieces[4]");
    EXPECT_EQ(refused(base() + piece(std::string(513, 'a')) + trainer()), "pieces[4]");
    EXPECT_EQ(refused(base() + piece(std::string(512, 'a')) + trainer()), "");
    EXPECT_EQ(refused(base() + piece("b", std::numeric_limits<float>::quiet_NaN()) + trainer()), "pieces[4]");
    EXPECT_EQ(refused(base() + piece("b", -std::numeric_limits<float>::infinity()) + trainer()), "pieces[4]");
    EXPECT_EQ(refused(base() + piece("b", 0, 9) + trainer()), "pieces[4]");
    EXPECT_EQ(refused(base() + bytes(1, number(1, 5)) + trainer()), "pieces[4]"); // a number where text belongs
    EXPECT_EQ(refused(base() + trainer(2, 2)), "trainer_spec.model_type");        // a BPE model
    EXPECT_EQ(refused(base() + trainer(4)), "trainer_spec.unk_id");               // beyond the pieces
    EXPECT_EQ(refused(base() + trainer(1)), "trainer_spec.unk_id");               // a piece of another kind
    EXPECT_EQ(refused(base() + trainer(~std::uint64_t{0})), "trainer_spec.unk_id");
    EXPECT_EQ(refused(piece("<unk>", 0, 2) + trainer(0)), "pieces");              // </s> is missing
    EXPECT_EQ(refused(base() + trainer() + "\x0B"), "model");                     // a group
    EXPECT_EQ(refused(base() + trainer() + std::string("\x00\x01", 2)), "model"); // a field 0
    EXPECT_EQ(refused(base() + trainer() + std::string(11, '\xFF')), "model");    // a varint that does not end
    EXPECT_EQ(refused(base() + trainer() + "\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"),
              "model"); // longer than the file
    EXPECT_EQ(refused(base() + trainer() + "\x0A"), "model");
    // Here trainer_spec is a number.
    EXPECT_EQ(refused(base() + trainer() + number(2, 1)), "model");
    EXPECT_EQ(refused(base() + trainer() + number(19, 1) + bytes(20, "new fields")), ""); // unknown fields are skipped
    EXPECT_EQ(refused(std::string(max_tokenizer_bytes + 1, '\x0A')), "size");
}

TEST(SentencePieceFile, CharsmapIsWalked) {
    const std::string field = "normalizer_spec.precompiled_charsmap";
    const auto with = [&](const std::string& map) { return refused(base() + trainer() + charsmap(map)); };
    EXPECT_EQ(with("abc"), field);
    EXPECT_EQ(with(word(0) + "x"), field);
    EXPECT_EQ(with(word(3) + "xyz"), field);
    EXPECT_EQ(with(word(0xFFFFFFFC) + word(0)), field);
    EXPECT_EQ(with(word(4) + word(0xFFFFFFFF)), field); // the root leads out of the array
    // From the root at 0 the letter 'a' (0x61) leads to a leaf. Offsets count in units, and unit 0x61 ^ 1 holds the
    // leaf's value.
    const auto trie = [](std::uint32_t value, std::uint32_t unit_a) {
        std::string units;
        for (std::uint32_t i = 0; i < 256; ++i) units += word(i == 0x61 ? unit_a : i == 0x60 ? value : 0);
        return word(1024) + units;
    };
    const std::uint32_t leaf = 0x61 | 1u << 8 | 1u << 10;
    EXPECT_EQ(with(trie(0, leaf) + std::string("b\0", 2)), "");
    EXPECT_EQ(with(trie(0, leaf) + "b"), field);                                 // the string does not end
    EXPECT_EQ(with(trie(2, leaf) + std::string("b\0", 2)), field);               // beyond the strings
    EXPECT_EQ(with(trie(0, leaf) + std::string("\xFF\0", 2)), field);            // not UTF-8
    EXPECT_EQ(with(trie(0, leaf) + std::string(300, 'b') + '\0'), field);        // too long
    EXPECT_EQ(with(trie(0, 0x61 | 1000u << 10) + std::string("b\0", 2)), field); // leads out of the array
    EXPECT_EQ(with(trie(0, 0x61) + std::string("b\0", 2)), "");                  // 'a' leads to itself, in a circle
    EXPECT_EQ(with(word(4) + word(0) + std::string((4u << 20), 'x')), field);
    const std::string one = charsmap(trie(0, leaf) + std::string("b\0", 2));
    EXPECT_EQ(refused(base() + trainer() + one + one), "normalizer_spec");
}

std::string refused_json(const std::string& text) {
    try {
        read_tokenizer_json(text, "tokenizer.json");
    } catch (const Error& e) {
        EXPECT_EQ(e.file(), "tokenizer.json");
        return e.field();
    }
    return "-";
}

TEST(TokenizerJson, RefusesByField) {
    const auto file = [](std::string model, std::string rest = "") {
        return "{\"model\": {" + model + "}" + rest + "}";
    };
    const std::string type = R"("type": "Unigram", )", unk = R"(, "unk_id": 0)";
    const std::string vocab = R"("vocab": [["<unk>", 0], ["</s>", 0.0], ["a", -1.5]])";
    EXPECT_EQ(refused_json(file(type + vocab + unk)), "-");
    EXPECT_EQ(refused_json("{}"), "model");
    EXPECT_EQ(refused_json(file("")), "model.type");
    EXPECT_EQ(refused_json(file(R"("type": "BPE", "vocab": {"a": 0})")), "model.type");
    EXPECT_EQ(refused_json(file(type + R"("vocab": {})" + unk)), "model.vocab");
    EXPECT_EQ(refused_json(file(type + R"("vocab": [])" + unk)), "model.vocab");
    EXPECT_EQ(refused_json(file(type + R"("vocab": [["a", "b"]])" + unk)), "model.vocab[0]");
    EXPECT_EQ(refused_json(file(type + R"("vocab": [["<unk>", 0], ["a"]])" + unk)), "model.vocab[1]");
    // </s> is missing.
    EXPECT_EQ(refused_json(file(type + R"("vocab": [["<unk>", 0], ["a", 0]])" + unk)), "model.vocab");
    EXPECT_EQ(refused_json(file(type + vocab)), "model.unk_id");
    EXPECT_EQ(refused_json(file(type + vocab + R"(, "unk_id": 3)")), "model.unk_id");
    EXPECT_EQ(refused_json(file(type + vocab + R"(, "unk_id": -1)")), "model.unk_id");
    const auto with = [&](const std::string& rest) { return refused_json(file(type + vocab + unk, ", " + rest)); };
    EXPECT_EQ(with(R"("normalizer": {"type": "Magic"})"), "normalizer");
    EXPECT_EQ(with(R"("normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "X"}]})"),
              "normalizer.normalizers[1]");
    EXPECT_EQ(with(R"x("normalizer": {"type": "Replace", "pattern": {"Regex": "(a|b)"}, "content": ""})x"),
              "normalizer.pattern.Regex");
    EXPECT_EQ(with(R"("normalizer": {"type": "Precompiled", "precompiled_charsmap": "!!!!"})"),
              "normalizer.precompiled_charsmap");
    const std::string map = R"({"type": "Precompiled", "precompiled_charsmap": "BAAAAAAAAAA="})";
    EXPECT_EQ(with(R"("normalizer": )" + map), "-");
    EXPECT_EQ(with(R"("normalizer": {"type": "Sequence", "normalizers": [)" + map + ", " + map + "]}"),
              "normalizer.normalizers[1]");
    EXPECT_EQ(with(R"("pre_tokenizer": {"type": "Metaspace", "replacement": "ab"})"), "pre_tokenizer.replacement");
    EXPECT_EQ(with(R"("pre_tokenizer": {"type": "ByteLevel"})"), "pre_tokenizer");
    EXPECT_EQ(with(R"("added_tokens": [{"content": "x", "id": 99999999}])"), "added_tokens[0].id");
    EXPECT_EQ(with(R"("added_tokens": [{"content": 1, "id": 1}])"), "added_tokens[0].content");
    EXPECT_EQ(
        with(
            R"("post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x"}}], "special_tokens": {}})"),
        "post_processor.special_tokens.x");
}

TEST(TokenizerJson, StepsOfOtherUnigramTokenizers) {
    const std::string text =
        R"({"model": {"type": "Unigram", "unk_id": 0, "byte_fallback": true, "vocab": [["<unk>", 0], ["</s>", 0],
        ["_", -2], ["_a", -1], ["b", -1], ["<0xC3>", 0], ["<0xA9>", 0], ["<0xC4>", 0]]},
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "Nmt"}, {"type": "NFKC"}, {"type": "Lowercase"},
            {"type": "Strip", "strip_left": true, "strip_right": true}, {"type": "Replace", "pattern": {"String": "c"}, "content": "b"}]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
            {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first"}]},
        "added_tokens": [{"id": 1, "content": "</s>", "special": true}, {"id": 8, "content": "MASK", "single_word": true, "lstrip": true}],
        "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "B"}}, {"Sequence": {"id": "A"}},
            {"SpecialToken": {"id": "E"}}], "special_tokens": {"B": {"ids": [7]}, "E": {"ids": [1]}}}})";
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("denoir-steps-" + std::to_string(::getpid()) + ".json");
    write_file(file, text);
    const Tokenizer t = Tokenizer::load(file);
    std::filesystem::remove(file);
    using Ids = std::vector<std::int64_t>;
    EXPECT_EQ(t.encode("A  c", 9), (Ids{7, 3, 4, 1}));      // the second word gets no mark
    EXPECT_EQ(t.encode("\u00C9", 9), (Ids{7, 2, 5, 6, 1})); // é as bytes
    EXPECT_EQ(t.encode("\u0119", 9), (Ids{7, 2, 0, 1}));    // one of its two bytes has no piece
    EXPECT_EQ(t.encode("a mask MASKb MASK", 9), (Ids{7, 3, 8, 0, 4, 8, 1}));
    EXPECT_EQ(t.encode("c  </s>a", 9), (Ids{7, 2, 4, 1, 0, 1}));
    EXPECT_EQ(t.encode("a </s>", 9), (Ids{7, 3, 1, 1}));
    EXPECT_EQ(t.vocabulary(), 9);
}

/// A tokenizer of the pieces a and ▁a, with `rest` as the other part of the file.
class JsonTokenizer {
public:
    explicit JsonTokenizer(const std::string& rest)
        : file_(std::filesystem::temp_directory_path() /
                ("denoir-json-" + std::to_string(::getpid()) + "-" + std::to_string(files++) + ".json")) {
        write_file(file_, R"({"model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["</s>", 0], ["_a", -1],
            ["a", -2]]}, "pre_tokenizer": {"type": "Metaspace", "replacement": "_"}, )" +
                              rest + "}");
    }
    ~JsonTokenizer() { std::filesystem::remove(file_); }
    std::vector<std::int64_t> encode(const std::string& text) const { return Tokenizer::load(file_).encode(text, 9); }
    /// The field that the refusal names, or "" if the text is encoded.
    std::string refused(const std::string& text) const {
        try {
            encode(text);
        } catch (const Error& e) {
            EXPECT_EQ(e.file(), file_.string());
            return e.field();
        }
        return "";
    }

private:
    static inline int files = 0;
    std::filesystem::path file_;
};

/// The processor time of this thread, because other tests run at the same time.
double seconds_now() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string repeated(const std::string& text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
}

std::string replace_rules(int steps, const std::string& more = "") {
    const std::string rule =
        R"({"type": "Replace", "pattern": {"String": "a"}, "content": ")" + std::string(64, 'a') + "\"}";
    return R"("normalizer": {"type": "Sequence", "normalizers": [)" + rule + repeated("," + rule, steps - 1) + more +
           "]}";
}

TEST(Normalization, StepsThatMultiplyTheTextAreRefused) {
    EXPECT_EQ(JsonTokenizer(replace_rules(2)).refused("a"), "");
    EXPECT_EQ(JsonTokenizer(replace_rules(5)).refused("a"), "normalizer");
    EXPECT_EQ(JsonTokenizer(replace_rules(3)).refused(std::string(2000, 'a')), "normalizer");
    // Runs of any character, as the steps for spaces have them.
    const std::string run =
        R"({"type": "Replace", "pattern": {"Regex": " +"}, "content": ")" + std::string(64, 'a') + R"("})";
    EXPECT_EQ(JsonTokenizer(R"("normalizer": )" + run).refused(repeated(" b", 100'000)), "normalizer");
}

TEST(Normalization, WorkThatIsUndoneIsBoundedToo) {
    // Each part between the added tokens becomes 256 KiB and then nothing.
    const std::string gone = replace_rules(3, R"(, {"type": "Replace", "pattern": {"String": "a"}, "content": ""})") +
                             R"(, "added_tokens": [{"id": 4, "content": "</s>", "special": true}])";
    EXPECT_EQ(JsonTokenizer(gone).refused("a"), "");
    std::string file = gone;
    const std::size_t list = file.find("{\"id\"");
    for (int i = 0; i < 400; ++i)
        file.insert(list, R"({"id": )" + std::to_string(i + 5) + R"(, "content": "a)" + std::to_string(i) +
                              R"(", "normalized": true}, )");
    EXPECT_EQ(JsonTokenizer(file).refused("a"), "normalizer");
}

TEST(Normalization, RunsOfMarks) {
    const auto marks = [](int n) { return repeated("\u0301", n) + repeated("\u0316", n); };
    const auto sorted = [](int n) { return repeated("\u0316", n) + repeated("\u0301", n); };
    EXPECT_EQ(normalized(marks(256) + "a" + marks(256), Form::nfd), sorted(256) + "a" + sorted(256));
    const double begin = seconds_now();
    for (const Form form : {Form::nfc, Form::nfd, Form::nfkc, Form::nfkd})
        EXPECT_GE(normalized(marks(65'000), form).size(), 4u * 65'000);
    EXPECT_LT(seconds_now() - begin, 5); // an optimised build needs a tenth of that
}

TEST(Charsmap, StopsBeyondTheBound) {
    // 'a' becomes 256 letters, with the trie of CharsmapIsWalked.
    std::string map = word(1024);
    for (std::uint32_t i = 0; i < 256; ++i) map += word(i == 0x61 ? 0x61 | 1u << 8 | 1u << 10 : 0);
    map += std::string(256, 'a') + '\0';
    const Charsmap charsmap = Charsmap::read(std::as_bytes(std::span(map.data(), map.size())), "file", "field");
    EXPECT_EQ(charsmap.apply("aba", 1000), std::string(256, 'a') + "b" + std::string(256, 'a'));
    EXPECT_LE(charsmap.apply(std::string(100'000, 'a'), 1000).size(), 1000u + 256u);
}

TEST(AddedTokens, ManyOfThemTakeNoTime) {
    const auto listed = [](const std::string& begin, int n) {
        std::string list = R"("added_tokens": [{"id": 4, "content": "aa", "special": true})";
        for (int i = 0; i < n; ++i)
            list += R"(, {"id": )" + std::to_string(5 + i) + R"(, "content": ")" + begin + std::to_string(i) +
                    R"(", "special": true})";
        return list + "]";
    };
    const JsonTokenizer many(listed("b", 50'000)), alike(listed(std::string(400, 'b'), 5'000));
    const JsonTokenizer spaces(R"("added_tokens": [{"id": 4, "content": "bb", "rstrip": true, "special": true},
        {"id": 5, "content": " ", "lstrip": true, "rstrip": true, "special": true}])");
    const double begin = seconds_now();
    EXPECT_EQ(spaces.encode("bb" + std::string(200'000, ' ')).front(), 4);
    EXPECT_FALSE(many.encode(repeated("ab", 100'000)).empty());
    EXPECT_FALSE(alike.encode(std::string(50'000, 'b')).empty());
    // An optimised build needs a tenth of that; looking for each of them once took minutes.
    EXPECT_LT(seconds_now() - begin, 10);
}

TEST(AddedTokens, TheLongestAndOfEqualOnesTheFirst) {
    const JsonTokenizer t(R"("added_tokens": [{"id": 5, "content": "bc", "special": true},
        {"id": 6, "content": "bcde", "special": true}, {"id": 7, "content": "bc", "special": true},
        {"id": 8, "content": "b", "special": true}, {"id": 9, "content": "é", "special": true}])");
    using Ids = std::vector<std::int64_t>;
    EXPECT_EQ(t.encode("bcdebcdb"), (Ids{5, 4, 0, 6, 1}));
    EXPECT_EQ(t.encode("bébcde"), (Ids{6, 7, 5, 1}));
    EXPECT_EQ(t.encode("bcd"), (Ids{4, 0, 1}));
}

/// How tokenizers 0.22 treats a text with two entries. s: special, n: normalized. P: found in the text as it is, N:
/// found in the normalised text.
TEST(AddedTokens, EntriesForOneTextAreReadAsByTokenizers) {
    const std::pair<std::string, std::string> cases[] = {
        {"sn", "-N"},    {"s-", "P-"},    {"-n", "-N"},       {"--", "P-"},      {"sn sn", "-N"}, {"sn s-", "-N"},
        {"sn -n", "-N"}, {"sn --", "-N"}, {"s- sn", "P-"},    {"s- s-", "P-"},   {"s- -n", "P-"}, {"s- --", "P-"},
        {"-n sn", "-N"}, {"-n s-", "P-"}, {"-n -n", "-N"},    {"-n --", "PN"},   {"-- sn", "-N"}, {"-- s-", "P-"},
        {"-- -n", "PN"}, {"-- --", "P-"}, {"-n -- sn", "-N"}, {"-- sn s-", "-N"}};
    const auto found = [](const std::string& told, const std::string& content, const std::string& text) {
        std::string list;
        for (std::size_t i = 0; i < told.size(); i += 3)
            list += (i ? ", " : "") + std::string(R"({"id": 4, "content": ")") + content + R"(", "special": )" +
                    (told[i] == 's' ? "true" : "false") + R"(, "normalized": )" +
                    (told[i + 1] == 'n' ? "true" : "false") + "}";
        const JsonTokenizer t(R"("normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Replace", "pattern": {"String": "ab"}, "content": "c"},
            {"type": "Replace", "pattern": {"String": "q"}, "content": "x"}]}, "added_tokens": [)" +
                              list + "]");
        const auto ids = t.encode(text);
        return std::find(ids.begin(), ids.end(), 4) != ids.end();
    };
    for (const auto& [told, where] : cases) {
        EXPECT_EQ(found(told, "za", "zab"), where[0] == 'P') << told;
        EXPECT_EQ(found(told, "x", "q"), where[1] == 'N') << told;
    }
    // If normalisation makes two texts equal, the special token counts.
    const JsonTokenizer t(R"("normalizer": {"type": "Lowercase"}, "added_tokens": [
        {"id": 4, "content": "X", "normalized": true}, {"id": 5, "content": "x", "normalized": true, "special": true}])");
    EXPECT_EQ(t.encode("X"), (std::vector<std::int64_t>{5, 1}));
}

// Thousands of damaged files must be refused or read, and under a sanitizer nothing else may happen.
template <class Read> void damage(std::string model, int rounds, Read&& read_and_use) {
    std::mt19937 random(7);
    const auto start = std::chrono::steady_clock::now();
    const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    int refusals = 0;
    for (int round = 0; round < rounds; ++round) {
        std::string bad = model;
        for (std::size_t k = 0; k <= pick(4); ++k) {
            const std::size_t at = pick(bad.size());
            switch (pick(5)) {
            case 0:
                bad[at] = static_cast<char>(pick(256));
                break;
            case 1:
                bad[at] = static_cast<char>(bad[at] ^ (1 << pick(8)));
                break;
            case 2:
                bad.resize(at + 1);
                break;
            case 3:
                bad.insert(at, bad.substr(pick(bad.size()), pick(40)));
                break;
            default:
                bad.erase(at, pick(8));
                break;
            }
            if (bad.empty()) bad.assign(1, '\x0A');
        }
        try {
            read_and_use(bad);
        } catch (const Error&) {
            ++refusals;
        }
    }
    EXPECT_GT(refusals, 0);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(240));
}

constexpr const char* sample = "A red fox — ＡＢＣ ½ e\u0301 \u200B 𓀀 </s> <extra_id_3> 色调艳丽 ™\u0308";

TEST(Damaged, SentencePieceFiles) {
    const auto use = [](const std::string& bad) {
        const auto t = Tokenizer::from_model_bytes(std::as_bytes(std::span(bad.data(), bad.size())), "spiece.model");
        t.encode(sample, 64);
    };
    damage(read_text(models / "byte-fallback/google/umt5-xxl/spiece.model", max_tokenizer_bytes), 3000, use);
    // Most of this file is its character map, and damage in that is what the walk over the trie is there for.
    damage(read_text(models / "nfkc/google/umt5-xxl/spiece.model", max_tokenizer_bytes), 300, use);
}

TEST(Damaged, JsonFiles) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("denoir-damaged-" + std::to_string(::getpid()) + ".json");
    damage(read_text(models / "small-json/tokenizer/tokenizer.json", max_tokenizer_bytes), 1000,
           [&](const std::string& bad) {
               // A call of write_file() would sync the disk a thousand times.
               std::ofstream(file, std::ios::binary) << bad;
               Tokenizer::load(file).encode(sample, 64);
           });
    std::filesystem::remove(file);
}

} // namespace
} // namespace denoir::umt5
