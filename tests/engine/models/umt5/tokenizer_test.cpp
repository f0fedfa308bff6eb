// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/tokenizer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <functional>
#include <map>
#include <string_view>

#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/json.h"
#include "engine/models/umt5/tokenizer_files.h"

namespace denoir::umt5 {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<std::int64_t>;

const fs::path models = fs::path(DENOIR_FIXTURES) / "tokenize";

const Tokenizer& model(std::string_view name) {
    static std::map<std::string, Tokenizer, std::less<>> loaded;
    const auto at = loaded.find(name);
    return at != loaded.end() ? at->second : loaded.emplace(name, Tokenizer::load(models / name)).first->second;
}

TEST(Tokenizer, WorkedCases) {
    const Json cases = parse_json(read_text(models / "cases.json", 1 << 20), "cases.json");
    ASSERT_GT(cases.size(), 50u);
    for (const Json& c : cases) {
        const auto want = c["ids"].get<Ids>();
        const std::string text = clean(c["text"].get<std::string>());
        EXPECT_EQ(text, c["cleaned"].get<std::string>());
        const int limit = c["model"] == "identity" ? 24 : 512; // from its config.json
        EXPECT_EQ(model(c["model"].get<std::string>()).encode(text, limit), want) << c["name"];
    }
}

TEST(Tokenizer, AgreesWithTransformers) {
    const Json cases = parse_json(read_text(DENOIR_FIXTURES "/text/ids.json", 1 << 20), "ids.json");
    ASSERT_GT(cases.size(), 400u);
    for (const Json& c : cases)
        EXPECT_EQ(model(c[0].get<std::string>()).encode(c[1].get<std::string>(), 40), c[2].get<Ids>())
            << c[0] << " " << c[1];
}

/// A tokenizer file, and other files beside it.
class Folder {
public:
    explicit Folder(const fs::path& file)
        : root_(fs::temp_directory_path() / ("denoir-tokenizer-beside-" + std::to_string(::getpid()))) {
        fs::remove_all(root_);
        fs::create_directories(root_);
        fs::copy_file(models / file, root_ / file.filename());
    }
    ~Folder() { fs::remove_all(root_); }
    void put(const char* name, const std::string& text) const { write_file(root_ / name, text); }
    Tokenizer load() const { return Tokenizer::load(root_); }
    /// What is refused as "FILE: FIELD", or "" if nothing is.
    std::string refused() const {
        try {
            load();
        } catch (const Error& e) {
            EXPECT_EQ(std::string_view(e.what()).find('\n'), std::string_view::npos);
            return fs::path(e.file()).filename().string() + ": " + e.field();
        }
        return "";
    }

private:
    fs::path root_;
};

TEST(Tokenizer, SpecialTokensBesideItAsInTransformers) {
    const Json rows = parse_json(read_text(DENOIR_FIXTURES "/text/special.json", 1 << 20), "special.json");
    ASSERT_GE(rows.size(), 8u);
    for (const Json& row : rows) {
        const Folder folder(row["model"].get<std::string>());
        for (const char* name : {"tokenizer_config", "special_tokens_map"})
            if (!row[name].is_null()) folder.put((std::string(name) + ".json").c_str(), row[name].dump());
        const Tokenizer t = folder.load();
        for (const Json& c : row["texts"])
            EXPECT_EQ(t.encode(c[0].get<std::string>(), 512), c[1].get<Ids>()) << row["tokenizer_config"] << c[0];
    }
}

TEST(Tokenizer, CutsLongTextAndTells) {
    const Tokenizer& t = model("nfkc");
    const Ids whole = t.encode("a red fox jumps over the lazy dog", 512);
    bool cut = true;
    const int n = static_cast<int>(whole.size());
    EXPECT_EQ(t.encode("a red fox jumps over the lazy dog", n, &cut), whole);
    EXPECT_FALSE(cut);
    Ids shorter = t.encode("a red fox jumps over the lazy dog", n - 1, &cut);
    EXPECT_TRUE(cut);
    EXPECT_EQ(shorter.size(), whole.size() - 1);
    EXPECT_EQ(shorter.back(), 1);
    shorter.pop_back();
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), whole.begin()));
    EXPECT_EQ(t.encode("a", 1), (Ids{1}));
    EXPECT_EQ(t.encode("", 512, &cut), (Ids{1}));
    EXPECT_FALSE(cut);
    EXPECT_EQ(t.encode(std::string(1 << 20, 'a'), 512).size(), 512u);
    // CONTRACT.md promises that a text may have any length.
    const Ids longest = t.encode(std::string(4 << 20, 'a'), 512, &cut);
    EXPECT_TRUE(cut);
    EXPECT_EQ(longest, t.encode(std::string(1 << 20, 'a'), 512));
    // The character map makes 33 bytes of each of these three.
    std::string ligatures;
    for (int i = 0; i < 1 << 19; ++i) ligatures += "\uFDFA";
    EXPECT_EQ(t.encode(ligatures, 512, &cut).size(), 512u);
    EXPECT_TRUE(cut);
}

TEST(Tokenizer, SpecialTokensInText) {
    const Tokenizer& t = model("nfkc");
    const int pieces = t.vocabulary() - 100; // T5 has a hundred, and this model lacks UMT5's 256,000 pieces
    EXPECT_EQ(t.encode("<extra_id_0>", 8), (Ids{t.vocabulary() - 1, 1}));
    EXPECT_EQ(t.encode("<extra_id_99>", 8), (Ids{pieces, 1}));
    EXPECT_EQ(t.encode("<pad></s><unk>", 8), (Ids{0, 1, 3, 1}));
}

/// As tokenizers 0.22 reads them: ids for texts that are no pieces are counted on, and the last entry for a text
/// counts.
TEST(Tokenizer, AddedTokensOfATokenizerJson) {
    const auto read = [](const std::string& added) {
        return read_tokenizer_json(R"({"model": {"type": "Unigram", "unk_id": 2, "vocab":
            [["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["\u2581", -2], ["a", -3]]}, "added_tokens": [)" +
                                       added + "]}",
                                   "tokenizer.json");
    };
    const TokenizerModel gap = read(R"({"id": 50, "content": "<x>"}, {"id": 20, "content": "<y>"})");
    ASSERT_EQ(gap.added.size(), 2u);
    EXPECT_EQ(gap.added[0].id, 5);
    EXPECT_EQ(gap.added[1].id, 6);
    EXPECT_EQ(gap.vocabulary, 7);
    const TokenizerModel twice = read(R"({"id": 5, "content": "<x>", "lstrip": true, "special": true},
                                         {"id": 9, "content": "", "special": true},
                                         {"id": 4, "content": "a", "special": true},
                                         {"id": 6, "content": "<x>", "rstrip": true, "special": true})");
    ASSERT_EQ(twice.added.size(), 2u);
    EXPECT_EQ(twice.added[0].id, 5);
    EXPECT_TRUE(twice.added[0].rstrip);
    EXPECT_FALSE(twice.added[0].lstrip);
    EXPECT_EQ(twice.added[1].id, 4);
    EXPECT_EQ(twice.vocabulary, 6);
}

/// The ids are those that T5TokenizerFast of transformers 4.57 gives.
TEST(Tokenizer, AddedTokensThatAreRepeatedOrTouch) {
    const Folder folder("small-json/tokenizer/tokenizer.json");
    const auto ids = [&](const std::string& added, const std::string& config, const char* text) {
        folder.put("tokenizer.json", R"({"model": {"type": "Unigram", "unk_id": 2, "vocab":
            [["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["\u2581", -2], ["a", -3], ["b", -3]]},
            "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581"}, "added_tokens": [)" +
                                         added + "]}");
        folder.put("tokenizer_config.json", config);
        return folder.load().encode(text, 16);
    };
    // If a list repeats an entry, its first place counts; an entry that only repeats what the token was before changes
    // nothing.
    const char* thrice = R"({"id": 6, "content": "<x>", "lstrip": true, "special": true},
                            {"id": 7, "content": "<x>", "single_word": true, "special": true},
                            {"id": 8, "content": "<x>", "lstrip": true, "special": true})";
    EXPECT_EQ(ids(thrice, R"({"extra_ids": 0})", "a<x>"), (Ids{3, 4, 6, 1}));
    EXPECT_EQ(ids(thrice, R"({"extra_ids": 0})", "a <x>"), (Ids{3, 4, 6, 1}));
    // A token with a role is special wherever it is written.
    const char* twice = R"({"id": 6, "content": "<x>", "special": true},
                           {"id": 7, "content": "<x>", "lstrip": true, "normalized": true})";
    const char* role = R"({"extra_ids": 0, "additional_special_tokens": ["<x>"]})";
    EXPECT_EQ(ids(twice, role, "a <x>"), (Ids{3, 4, 6, 1}));
    // The next token may begin in the space that the one before takes along.
    const char* spaced = R"({"id": 6, "content": " <x>", "rstrip": true, "normalized": false})";
    EXPECT_EQ(ids(spaced, R"({"extra_ids": 0})", "a <x> <x> a"), (Ids{3, 4, 6, 6, 3, 4, 1}));
    // Unless nothing would be left of it.
    const char* space = R"({"id": 6, "content": "<x>", "rstrip": true, "normalized": false},
                           {"id": 7, "content": " ", "lstrip": true, "rstrip": true, "normalized": false})";
    EXPECT_EQ(ids(space, R"({"extra_ids": 0})", "b <x> b<x> b"), (Ids{3, 5, 7, 6, 3, 5, 6, 3, 5, 1}));
}

/// SentencePiece trims texts, and so does what transformers makes of its files. The character map turns invisible
/// characters into spaces.
TEST(Tokenizer, PiecesOfAModelEndWithoutASpace) {
    const Tokenizer& t = model("nfkc");
    const Ids cat = t.encode("cat", 8);
    for (const char* end : {" ", "  ", "\u200B", "\u200E", "\u200F", "\u2581", "\uFFFD", " \u200F\u3000"})
        EXPECT_EQ(t.encode(std::string("cat") + end, 8), cat) << end;
    EXPECT_EQ(t.encode(" \u200F ", 8), (Ids{1}));
    Ids special = cat;
    special.back() = t.vocabulary() - 6; // this is <extra_id_5>
    special.push_back(1);
    EXPECT_EQ(t.encode("cat <extra_id_5>", 8), special);
    EXPECT_EQ(t.encode("cat\u200B<extra_id_5> \u200F", 8), special);
}

/// Every folder in which a model may keep its tokenizer, and which of them counts first.
TEST(Tokenizer, FoundInFolders) {
    const fs::path root = fs::temp_directory_path() / ("denoir-tokenizer-" + std::to_string(::getpid()));
    const std::string spiece = read_text(models / "nfkc/google/umt5-xxl/spiece.model", max_tokenizer_bytes);
    const std::string json = read_text(models / "small-json/tokenizer/tokenizer.json", max_tokenizer_bytes);
    for (const char* place : {"", "google/umt5-xxl", "tokenizer", "umt5-xxl"}) {
        fs::create_directories(root / place);
        write_file(root / place / "spiece.model", spiece);
        EXPECT_EQ(Tokenizer::load(root).vocabulary(), model("nfkc").vocabulary()) << place;
        write_file(root / place / "tokenizer.json", json);
        EXPECT_EQ(Tokenizer::load(root).vocabulary(), model("small-json").vocabulary()) << place;
        EXPECT_EQ(Tokenizer::load(root / place / "spiece.model").vocabulary(), model("nfkc").vocabulary());
        fs::remove_all(root);
    }
    // The content decides what a file is, not its name.
    fs::create_directories(root);
    write_file(root / "spiece.model", json);
    EXPECT_EQ(Tokenizer::load(root / "spiece.model").vocabulary(), model("small-json").vocabulary());
    fs::remove(root / "spiece.model");
    EXPECT_THROW(Tokenizer::load(root), Error);
    fs::remove_all(root);
    EXPECT_THROW(Tokenizer::load(root / "none"), Error);
}

TEST(Tokenizer, ConfigBesideTheModel) {
    const fs::path root = fs::temp_directory_path() / ("denoir-tokenizer-config-" + std::to_string(::getpid()));
    fs::create_directories(root);
    write_file(root / "spiece.model", read_text(models / "nfkc/google/umt5-xxl/spiece.model", max_tokenizer_bytes));
    const auto with = [&](const char* config) {
        write_file(root / "tokenizer_config.json", config);
        return Tokenizer::load(root);
    };
    const int pieces = model("nfkc").vocabulary() - 100;
    EXPECT_EQ(with(R"({"extra_ids": 300})").vocabulary(), pieces + 300);
    EXPECT_EQ(with(R"({"extra_ids": 0})").vocabulary(), pieces);
    EXPECT_THROW(with(R"({"extra_ids": -1})"), Error);
    EXPECT_THROW(with(R"({"extra_ids": "many"})"), Error);
    EXPECT_THROW(with("{"), Error);
    // With `legacy` false only the very first word gets a space before it.
    EXPECT_EQ(with(R"({"legacy": false})").encode("cat</s>cat", 9),
              (with(R"({"legacy": false})").encode("cat</s>cat", 9)));
    EXPECT_NE(with(R"({"legacy": false})").encode("cat</s>cat", 9), model("nfkc").encode("cat</s>cat", 9));
    EXPECT_EQ(with(R"({"legacy": false})").encode("cat", 9), model("nfkc").encode("cat", 9));
    fs::remove_all(root);
}

TEST(Tokenizer, RefusesWhatStandsBesideItByField) {
    const Folder folder("small-json/tokenizer/tokenizer.json");
    const auto config = [&](const std::string& text) {
        folder.put("tokenizer_config.json", text);
        return folder.refused();
    };
    const std::string file = "tokenizer_config.json: ";
    EXPECT_EQ(config("[]"), file);
    EXPECT_EQ(config(R"({"bos_token": 1})"), file + "bos_token");
    EXPECT_EQ(config(R"({"bos_token": {"content": ["a"]}})"), file + "bos_token.content");
    EXPECT_EQ(config(R"({"bos_token": {}})"), file + "bos_token.content");
    EXPECT_EQ(config(R"({"bos_token": {"content": "a", "lstrip": "yes"}})"), file + "bos_token.lstrip");
    EXPECT_EQ(config("{\"bos_token\": \"" + std::string(513, 'a') + "\"}"), file + "bos_token");
    EXPECT_EQ(config(R"({"additional_special_tokens": "a"})"), file + "additional_special_tokens");
    EXPECT_EQ(config(R"({"additional_special_tokens": ["a", 2]})"), file + "additional_special_tokens[1]");
    EXPECT_EQ(config(R"({"added_tokens_decoder": [1]})"), file + "added_tokens_decoder");
    EXPECT_EQ(config(R"({"added_tokens_decoder": {"3": "a"}})"), file + "added_tokens_decoder.3");
    EXPECT_EQ(config(R"({"added_tokens_decoder": {"x": {"content": "a"}}})"), file + "added_tokens_decoder.x");
    EXPECT_EQ(config(R"({"added_tokens_decoder": {"-1": {"content": "a"}}})"), file + "added_tokens_decoder.-1");
    EXPECT_EQ(config(R"({"added_tokens_decoder": {"99999999999999999999": {"content": "a"}}})"),
              file + "added_tokens_decoder.99999999999999999999");
    EXPECT_EQ(config(R"({"extra_ids": 1e9})"), file + "extra_ids");
    std::string many = R"({"additional_special_tokens": ["a")";
    for (int i = 0; i < 100'000; ++i) many += ",\"a\"";
    EXPECT_EQ(config(many + "]}"), file + "additional_special_tokens");
    EXPECT_NE(config(std::string(5 << 20, ' ')), "");
    // Fields that are not used may hold anything.
    EXPECT_EQ(config(R"({"tokenizer_class": 5, "chat_template": {"a": []}, "legacy": "x", "bos_token": null,
                         "added_tokens_decoder": {"7": {"content": "a", "more": [1]}}})"),
              "");
    folder.put("special_tokens_map.json", R"({"eos_token": 1})");
    EXPECT_EQ(folder.refused(), ""); // this file does not count beside an added_tokens_decoder
    EXPECT_EQ(config("{}"), "special_tokens_map.json: eos_token");
}

TEST(Tokenizer, ManyTokensBesideItTakeNoTime) {
    const Folder folder("small-json/tokenizer/tokenizer.json");
    std::string decoder = R"({"added_tokens_decoder": {"0": {"content": "aa"})";
    for (int i = 1; i < 100'000; ++i)
        decoder += ",\"" + std::to_string(i) + R"(":{"content":"b)" + std::to_string(i) + "\"}";
    folder.put("tokenizer_config.json", decoder + "}}");
    const std::clock_t begin = std::clock();
    EXPECT_GT(folder.load().vocabulary(), 100'000);
    EXPECT_LT(std::clock() - begin, 10 * CLOCKS_PER_SEC); // an optimised build needs a tenth of that
}

TEST(Tokenizer, BytesOfATensor) {
    const std::string bytes = read_text(models / "byte-fallback/google/umt5-xxl/spiece.model", max_tokenizer_bytes);
    const auto t =
        Tokenizer::from_model_bytes(std::as_bytes(std::span(bytes.data(), bytes.size())), "umt5.safetensors");
    EXPECT_EQ(t.encode("a cat 𓀀", 32), model("byte-fallback").encode("a cat 𓀀", 32));
}

} // namespace
} // namespace denoir::umt5
