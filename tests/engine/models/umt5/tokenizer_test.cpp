// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/tokenizer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/json.h"
#include "engine/models/umt5/tokenizer_files.h"

namespace denoir::umt5 {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<std::int64_t>;

const fs::path models = fs::path(DENOIR_FIXTURES) / "tokenize";

const Tokenizer& model(const std::string& name) {
    static std::map<std::string, Tokenizer> loaded;
    return loaded.try_emplace(name, Tokenizer::load(models / name)).first->second;
}

TEST(Tokenizer, WorkedCases) {
    const Json cases = parse_json(read_text(models / "cases.json", 1 << 20), "cases.json");
    ASSERT_GT(cases.size(), 50u);
    for (const Json& c : cases) {
        const auto want = c["ids"].get<Ids>();
        const std::string text = clean(c["text"].get<std::string>());
        EXPECT_EQ(text, c["cleaned"].get<std::string>());
        const int limit = c["model"] == "identity" ? 24 : 512; // its config.json says so
        EXPECT_EQ(model(c["model"]).encode(text, limit), want) << c["name"];
    }
}

TEST(Tokenizer, AgreesWithTransformers) {
    const Json cases = parse_json(read_text(DENOIR_FIXTURES "/text/ids.json", 1 << 20), "ids.json");
    ASSERT_GT(cases.size(), 400u);
    for (const Json& c : cases)
        EXPECT_EQ(model(c[0]).encode(c[1].get<std::string>(), 40), c[2].get<Ids>()) << c[0] << " " << c[1];
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
    EXPECT_THROW(t.encode(std::string((1 << 20) + 1, 'a'), 512), UsageError);
}

TEST(Tokenizer, SpecialTokensInText) {
    const Tokenizer& t = model("nfkc");
    const int pieces = t.vocabulary() - 100; // T5's hundred, since this model has not UMT5's 256,000 pieces
    EXPECT_EQ(t.encode("<extra_id_0>", 8), (Ids{t.vocabulary() - 1, 1}));
    EXPECT_EQ(t.encode("<extra_id_99>", 8), (Ids{pieces, 1}));
    EXPECT_EQ(t.encode("<pad></s><unk>", 8), (Ids{0, 1, 3, 1}));
}

/// SentencePiece trims, and so does what transformers makes of its files; the map makes spaces of invisible characters.
TEST(Tokenizer, PiecesOfAModelEndWithoutASpace) {
    const Tokenizer& t = model("nfkc");
    const Ids cat = t.encode("cat", 8);
    for (const char* end : {" ", "  ", "\u200B", "\u200E", "\u200F", "\u2581", "\uFFFD", " \u200F\u3000"})
        EXPECT_EQ(t.encode(std::string("cat") + end, 8), cat) << end;
    EXPECT_EQ(t.encode(" \u200F ", 8), (Ids{1}));
    Ids special = cat;
    special.back() = t.vocabulary() - 6; // <extra_id_5>
    special.push_back(1);
    EXPECT_EQ(t.encode("cat <extra_id_5>", 8), special);
    EXPECT_EQ(t.encode("cat\u200B<extra_id_5> \u200F", 8), special);
}

/// Every folder a model may keep its tokenizer in, and the order of precedence.
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
    // Content decides, not the name.
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
    // `legacy` false puts the space before the very first word only.
    EXPECT_EQ(with(R"({"legacy": false})").encode("cat</s>cat", 9),
              (with(R"({"legacy": false})").encode("cat</s>cat", 9)));
    EXPECT_NE(with(R"({"legacy": false})").encode("cat</s>cat", 9), model("nfkc").encode("cat</s>cat", 9));
    EXPECT_EQ(with(R"({"legacy": false})").encode("cat", 9), model("nfkc").encode("cat", 9));
    fs::remove_all(root);
}

TEST(Tokenizer, BytesOfATensor) {
    const std::string bytes = read_text(models / "byte-fallback/google/umt5-xxl/spiece.model", max_tokenizer_bytes);
    const auto t =
        Tokenizer::from_model_bytes(std::as_bytes(std::span(bytes.data(), bytes.size())), "umt5.safetensors");
    EXPECT_EQ(t.encode("a cat 𓀀", 32), model("byte-fallback").encode("a cat 𓀀", 32));
}

} // namespace
} // namespace denoir::umt5
