// SPDX-License-Identifier: Apache-2.0
// Files from strangers: whatever they hold, the readers accept them or throw one clean Error within 2 s and 1 GiB.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <random>

#include "engine/core/error.h"
#include "engine/weights/inspect.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/weights.h"
#include "support/gguf_writer.h"
#include "support/name_lists.h"
#include "support/torch_writer.h"
#include "tests/engine/sanitized.h"

namespace denoir {
namespace {

using namespace test;
namespace fs = std::filesystem;

constexpr double seconds_allowed = sanitized ? 20 : 2;
constexpr bool memory_is_meant = !sanitized;

enum class Outcome { accepted, refused };

struct Result {
    Outcome outcome;
    std::string message;
};

/// Runs one of the readers. Anything but an Error escapes and fails the test.
template <class Action> Result attempt(Action action) {
    try {
        action();
        return {Outcome::accepted, {}};
    } catch (const Error& e) {
        return {Outcome::refused, e.what()};
    }
}

volatile unsigned touched; // keeps the compiler from dropping the reads

void check_line(const std::string& line, const std::string& what) {
    EXPECT_FALSE(line.empty()) << what;
    EXPECT_LE(line.size(), 400u) << what;
    for (const char c : line) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) << what << ": " << line;
    for (const char* foreign : {"json.exception", "std::", "basic_string", "terminate"})
        EXPECT_EQ(line.find(foreign), std::string::npos) << what << ": " << line;
}

/// The processor time of this process, so that a busy machine makes no difference.
double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Lets the system measure the peak of resident memory anew.
void reset_peak() { std::ofstream("/proc/self/clear_refs") << 5; }
long peak_kib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
    return 0;
}

/// Reads the file in every way there is. Returns the result of the strictest one, which touches all data.
Result read_all(const fs::path& path) {
    reset_peak();
    double started = cpu_seconds();
    const Result looked = attempt([&] { to_json(inspect(path), true); });
    const double looking = cpu_seconds() - started;
    if (looked.outcome == Outcome::refused) {
        EXPECT_LT(looking, seconds_allowed) << path;
    }
    started = cpu_seconds();
    const Result read = attempt([&] {
        const Container c = open_container(path);
        for (const FileTensor& t : c.tensors) {
            if (!t.dtype || t.shape.size() > static_cast<std::size_t>(Shape::max_rank)) continue;
            const Tensor tensor = c.tensor(t);
            unsigned sum = 0;
            for (std::size_t i = 0; i < tensor.bytes(); i += 4096) sum += std::to_integer<unsigned>(tensor.raw()[i]);
            if (tensor.bytes() > 0) sum += std::to_integer<unsigned>(tensor.raw()[tensor.bytes() - 1]);
            touched = sum;
        }
    });
    attempt([&] { Weights::load(std::span(&path, 1), Component::unknown); });
    EXPECT_LT(cpu_seconds() - started, 2 * seconds_allowed) << path;
    if (memory_is_meant) {
        EXPECT_LT(peak_kib(), 1l << 20) << path;
    }
    EXPECT_EQ(looked.outcome, read.outcome) << looked.message << " / " << read.message;
    return read;
}

class Hostile : public ::testing::Test {
protected:
    /// The bytes are freed before the file is read, so that only the readers' memory is measured.
    Result read(std::string bytes) {
        write_bytes(folder_ / "case.bin", bytes);
        bytes = std::string();
        ++count_;
        return read_all(folder_ / "case.bin");
    }
    void refuse(std::string bytes, const std::string& what) {
        const Result r = read(std::move(bytes));
        EXPECT_EQ(r.outcome, Outcome::refused) << what;
        if (r.outcome == Outcome::refused) check_line(r.message, what);
    }
    void survive(std::string bytes, const std::string& what) {
        const Result r = read(std::move(bytes));
        if (r.outcome == Outcome::refused) check_line(r.message, what);
    }
    /// Flips, removes and doubles bytes and pushes numbers to their limits. Every outcome but a crash is fine.
    void mutate(const std::string& whole, int rounds, unsigned seed) {
        std::mt19937 random(seed);
        const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
        for (int i = 0; i < rounds; ++i) {
            std::string bytes = whole;
            for (std::size_t edits = 1 + below(3); edits > 0 && bytes.size() > 16; --edits) {
                const std::size_t at = below(bytes.size()), n = std::min<std::size_t>(1 + below(8), bytes.size() - at);
                switch (below(6)) {
                case 0:
                    bytes[at] = static_cast<char>(below(256));
                    break;
                case 1:
                    bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                    break;
                case 2:
                    bytes.replace(at, n, n, '\xFF');
                    break;
                case 3:
                    bytes.replace(at, n, n, '\0');
                    break;
                case 4:
                    bytes.erase(at, n);
                    break;
                default:
                    bytes.insert(at, bytes.substr(below(bytes.size()), n));
                    break;
                }
            }
            survive(bytes, "mutation " + std::to_string(i));
        }
    }
    void TearDown() override { RecordProperty("cases", count_); }
    TempFolder folder_;
    int count_ = 0;
};

std::string small_safetensors() {
    return safetensors({f32("a", {2, 3}), zeros("blocks.0.b", {4}, "BF16"), zeros("c", {}, "I64")},
                       R"({"format":"pt"})");
}
std::string small_pth() { return pth({f32("a", {2, 3}), zeros("blocks.0.b", {4}, "BF16")}); }
std::string small_gguf() {
    return gguf(
        {{"a", {3, 2}, 0, std::string(24, 'x')}, {"q", {32, 2}, 8, std::string(68, 'y')}},
        {gguf_pair("general.architecture", 8, gguf_string("wan")),
         gguf_pair("list", 9, le(std::uint32_t{8}) + le(std::uint64_t{2}) + gguf_string("x") + gguf_string("yy"))});
}

/// A header `{"w": …}` with this entry, and four bytes of data.
std::string entry(const std::string& body, const std::string& data = "abcd") {
    return safetensors("{\"w\":" + body + "}", data);
}
std::string shaped(const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return entry(R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}");
}

TEST_F(Hostile, SafetensorsCutAnywhere) {
    const std::string whole = small_safetensors();
    for (std::size_t n = 0; n < whole.size(); ++n) refuse(whole.substr(0, n), "cut to " + std::to_string(n));
    EXPECT_EQ(read(whole).outcome, Outcome::accepted);
}

TEST_F(Hostile, SafetensorsHeaderLengths) {
    const std::string whole = small_safetensors();
    for (const std::uint64_t n :
         std::initializer_list<std::uint64_t>{0, 1, 2, 7, whole.size() - 8, whole.size(), 100'000'000, 100'000'001,
                                              1ull << 31, 1ull << 32, 1ull << 63, ~0ull, ~0ull - 7})
        refuse(le(n) + whole.substr(8), "length " + std::to_string(n));
}

TEST_F(Hostile, SafetensorsShapesAndOffsets) {
    EXPECT_EQ(read(shaped("F32", "[1]", "[0,4]")).outcome, Outcome::accepted);
    for (const char* shape : {"[2]",
                              "[0]",
                              "[-1]",
                              "[1.0]",
                              "[1e0]",
                              "[01]",
                              "[+1]",
                              "[\"1\"]",
                              "[null]",
                              "[[1]]",
                              "1",
                              "\"1\"",
                              "null",
                              "{}",
                              "[1,]",
                              "[,1]",
                              "[9223372036854775808]",
                              "[18446744073709551616]",
                              "[9223372036854775807]",
                              "[4294967296,4294967296]",
                              "[3037000500,3037000500]",
                              "[4611686018427387904,2]",
                              "[1,1",
                              "[2305843009213693953]"})
        refuse(shaped("F32", shape, "[0,4]"), std::string("shape ") + shape);
    for (const char* offsets : {"[0,3]", "[0,5]", "[1,5]", "[4,0]", "[4,8]", "[0]", "[]", "[0,4,8]", "[-4,0]", "[0,-4]",
                                "0", "[0,\"4\"]", "[0,18446744073709551615]", "[0,18446744073709551620]",
                                "[18446744073709551612,0]", "[18446744073709551615,3]", "[0,4.0]"})
        refuse(shaped("F32", "[1]", offsets), std::string("offsets ") + offsets);
    for (const char* dtype : {"F64", "U8", "F4"}) refuse(shaped(dtype, "[1]", "[0,4]"), dtype);
    refuse(shaped(std::string(100, 'F').c_str(), "[1]", "[0,4]"), "a dtype of 100 letters");
    refuse(safetensors("{}", "abcd"), "data without tensors");
    refuse(
        safetensors(
            R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
            "abcdef"),
        "overlap");
    refuse(
        safetensors(
            R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}})",
            "abcdef"),
        "gap");
    refuse(
        safetensors(
            R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
            "abcd"),
        "the same bytes twice");
    refuse(
        safetensors(
            R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"e":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}})",
            "abcd"),
        "an empty tensor inside another");
}

TEST_F(Hostile, SafetensorsJson) {
    const std::string good = R"({"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
    for (const std::string& header :
         std::vector<std::string>{"",
                                  " ",
                                  "{",
                                  "}",
                                  "[]",
                                  "null",
                                  "1",
                                  "\"\"",
                                  "{}x",
                                  "{\"w\"",
                                  "{\"w\":",
                                  "{\"w\":}",
                                  "{\"w\":1}",
                                  "{\"w\":[]}",
                                  "{\"w\":{}}",
                                  "{w:1}",
                                  "{\"w\":" + good,
                                  "{\"w\":" + good + ",}",
                                  "{\"w\":" + good + "}{}",
                                  "{\"w\":" + good + ",\"w\":" + good + "}",
                                  "{\"w\":{\"dtype\":\"U8\",\"shape\":[4]}}",
                                  "{\"w\":{\"shape\":[4],\"data_offsets\":[0,4]}}",
                                  R"({"w":{"dtype":"U8","dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
                                  R"({"w":{"dtype":8,"shape":[4],"data_offsets":[0,4]}})",
                                  "{\"__metadata__\":[],\"w\":" + good + "}",
                                  "{\"__metadata__\":{\"a\":1},\"w\":" + good + "}",
                                  "{\"__metadata__\":{\"a\":{}},\"w\":" + good + "}",
                                  "{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"},\"w\":" + good + "}",
                                  "{\"__metadata__\":{},\"__metadata__\":{},\"w\":" + good + "}",
                                  "{\"\\ud800\":" + good + "}",
                                  "{\"\\udc00\":" + good + "}",
                                  "{\"\\u12\":" + good + "}",
                                  "{\"\\x\":" + good + "}",
                                  "{\"\\u0000\":" + good + "}",
                                  "{\"\xFF\":" + good + "}",
                                  "{\"\xC0\x80\":" + good + "}",
                                  "{\"\xED\xA0\x80\":" + good + "}",
                                  "{\"\xF4\x90\x80\x80\":" + good + "}",
                                  "{\"a\tb\":" + good + "}",
                                  "{\"w\":" + good + "\xEF\xBB\xBF}",
                                  "{\"w\":{\"x\":tru,\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
                                  "{\"w\":{\"x\":-,\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}"})
        refuse(safetensors(header, "abcd"), header);
    for (const std::size_t depth : {70u, 1000u, 1'000'000u})
        refuse(safetensors("{\"w\":{\"x\":" + std::string(depth, '[') + std::string(depth, ']') +
                               ",\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
                           "abcd"),
               "deep");
    EXPECT_EQ(read(safetensors("{\"w\":" + good + "}" + std::string(1000, ' '), "abcd")).outcome, Outcome::accepted);
}

TEST_F(Hostile, SafetensorsLargeHeaders) {
    const std::size_t limit = memory_is_meant ? 99'000'000 : 9'000'000;
    EXPECT_EQ(read(safetensors("{}" + std::string(limit, ' '))).outcome, Outcome::accepted);
    EXPECT_EQ(read(safetensors("{\"__metadata__\":{\"k\":\"" + std::string(limit, 'x') + "\"}}")).outcome,
              Outcome::accepted);
    std::string many = "{";
    for (std::size_t i = 0; many.size() < limit; ++i)
        many += (i ? ",\"" : "\"") + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
    survive(safetensors(many + "}"), "very many empty tensors");
    std::string keys = R"({"__metadata__":{)";
    for (std::size_t i = 0; keys.size() < limit; ++i) keys += (i ? ",\"" : "\"") + std::to_string(i) + "\":\"\"";
    survive(safetensors(keys + "}}"), "very many metadata keys");
    std::string axes = R"({"w":{"dtype":"U8","shape":[1)";
    while (axes.size() < limit) axes += ",1,1,1,1,1,1,1,1";
    refuse(safetensors(axes + R"(],"data_offsets":[0,1]}})", "a"), "very many axes");
    std::string offsets = R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[0)";
    while (offsets.size() < limit) offsets += ",1,1,1,1,1,1,1,1";
    refuse(safetensors(offsets + "]}}", "a"), "very many offsets");
    refuse(safetensors("{\"" + std::string(limit, 'n')), "a name without an end");
    std::string escapes = "{\"";
    while (escapes.size() < limit) escapes += "\\u00e9";
    refuse(safetensors(escapes + "\":1}"), "a very long name");
}

TEST_F(Hostile, SafetensorsMutations) {
    mutate(small_safetensors(), 600, 1);
    mutate(safetensors(zero_tensors(umt5_names(4, 2, 2, 1, 1))), 200, 2);
}

TEST_F(Hostile, PthCutAnywhere) {
    const std::string whole = small_pth();
    for (std::size_t n = 0; n < whole.size(); ++n) refuse(whole.substr(0, n), "cut to " + std::to_string(n));
    EXPECT_EQ(read(whole).outcome, Outcome::accepted);
    for (const std::size_t n : {1u, 22u, 100u, 70'000u}) refuse(whole + std::string(n, 'x'), "bytes behind the end");
}

TEST_F(Hostile, ZipLies) {
    const std::string pickle =
        Pickle().protocol().raw("}(").text("w").tensor("FloatStorage", "0", 2, 0, {2}, {1}).raw("u").bytes();
    const auto archive = [&](ZipFile storage, bool wide = false) {
        return zip({{"r/data.pkl", pickle}, std::move(storage)}, 3, wide);
    };
    EXPECT_EQ(read(archive({"r/data/0", "12345678"})).outcome, Outcome::accepted);
    EXPECT_EQ(read(archive({"r/data/0", "12345678", 0, 0, -1, -1, true}, true)).outcome, Outcome::accepted);
    refuse(archive({"r/data/0", "1234567"}), "storage too small");
    refuse(archive({"r/data/1", "12345678"}), "storage missing");
    for (const std::uint16_t method : {1, 8, 9, 12, 14, 93, 99, 0xFFFF})
        refuse(archive({"r/data/0", "12345678", method}), "method");
    for (const std::uint16_t flags : {0x1, 0x40, 0x2000})
        refuse(archive({"r/data/0", "12345678", 0, flags}), "encrypted");
    for (const std::int64_t packed : {0, 7, 9, 1 << 30})
        refuse(archive({"r/data/0", "12345678", 0, 0, packed}), "sizes disagree");
    for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{1}, std::int64_t{60}, std::int64_t{0xFFFFFFFE}})
        refuse(archive({"r/data/0", "12345678", 0, 0, -1, offset}), "offset");
    for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{1} << 40, std::int64_t{INT64_MAX}})
        refuse(archive({"r/data/0", "12345678", 0, 0, -1, offset, true}), "wide offset");

    // Pushes every 16-bit field of the end record and of the directory to its limits.
    for (const bool wide : {false, true}) {
        const std::string whole = archive({"r/data/0", "12345678", 0, 0, -1, -1, wide}, wide);
        const std::size_t directory = whole.find("PK\x01\x02");
        for (std::size_t at = directory; at + 1 < whole.size(); ++at)
            for (const char* value : {"\xFF\xFF", "\x00\x00", "\x00\x80", "\x01\x00"}) {
                std::string bytes = whole;
                bytes.replace(at, 2, value, 2);
                survive(bytes, "directory byte " + std::to_string(at - directory));
            }
    }
    // A zip bomb in which every entry claims the same bytes.
    std::vector<ZipFile> same{{"r/data.pkl", "}."}};
    for (int i = 0; i < 500; ++i) same.push_back({"r/data/" + std::to_string(i), "x", 0, 0, -1, 0});
    refuse(zip(same), "five hundred entries over one another");
    // Each entry is where its own header says, but in the middle of another entry.
    const std::string inner = zip({{"r/data/1", "12345678"}}), local = inner.substr(0, inner.find("PK\x01\x02"));
    const std::string outer = zip({{"r/data.pkl", pickle}, {"r/data/0", local}});
    const auto at = std::int64_t(outer.find(local));
    refuse(zip({{"r/data.pkl", pickle}, {"r/data/0", local}, {"r/data/1", "12345678", 0, 0, -1, at}}),
           "one in another");
    std::vector<ZipFile> many{{"r/data.pkl", pickle}};
    for (int i = 0; i < 60'000; ++i) many.push_back({"r/data/" + std::to_string(i), i ? "" : "12345678"});
    EXPECT_EQ(read(zip(many)).outcome, Outcome::accepted);
}

TEST_F(Hostile, Pickles) {
    const auto of = [](const std::string& pickle) { return pth(pickle, {std::string(8, '\0')}); };
    for (int opcode = 0; opcode < 256; ++opcode) {
        const std::string byte(1, static_cast<char>(opcode));
        refuse(of(byte), "a lone opcode");
        if (byte != ".") refuse(of("}" + byte), "an opcode on a dict"); // followed by STOP it is an empty state dict
        refuse(of("}(" + byte), "an opcode on a mark");
        survive(of("}N(K\x01K\x02" + byte + std::string(16, '\0') + "."), "an opcode among values");
    }
    for (const auto& [module, name] :
         std::vector<std::pair<std::string, std::string>>{{"os", "system"},
                                                          {"posix", "system"},
                                                          {"builtins", "eval"},
                                                          {"builtins", "exec"},
                                                          {"builtins", "getattr"},
                                                          {"subprocess", "Popen"},
                                                          {"torch", "load"},
                                                          {"torch.hub", "load"},
                                                          {"torch", "FloatStorage.__class__"},
                                                          {"torch._utils", "_rebuild_tensor"},
                                                          {"collections", "defaultdict"},
                                                          {"numpy.core.multiarray", "_reconstruct"},
                                                          {"__builtin__", "apply"},
                                                          {"runpy", "run_path"},
                                                          {"", ""},
                                                          {"torch", ""},
                                                          {"torch\x01", "FloatStorage"}})
        refuse(of(Pickle().protocol().global(module, name).text("x").raw("\x85R").bytes()), module + "." + name);

    const std::size_t large = memory_is_meant ? 30u << 20 : 2u << 20;
    const auto repeated = [&](const std::string& unit) {
        std::string all;
        all.reserve(large + 64);
        while (all.size() < large) all += unit;
        return all;
    };
    refuse(of(repeated("(")), "marks without end");
    refuse(of(repeated("]")), "lists without end");
    refuse(of(repeated("N")), "a stack without end");
    refuse(of(repeated("}0")), "opcode POP");
    refuse(of("N" + repeated("\x85")), "tuples nested without end");
    refuse(of("]" + repeated("Na")), "a list that grows without end");
    refuse(of("]" + repeated("(e")), "APPENDS of nothing");
    refuse(of("]q" + std::string(1, '\0') + repeated(std::string("h\0", 2))), "recalled without end");
    refuse(of("N" + repeated("q\x05")), "the memo written without end");
    std::string memo = "N";
    for (std::uint32_t i = 0; memo.size() < large; ++i) memo += "r" + le(i);
    refuse(of(memo), "a memo without end");
    refuse(of("Nr" + le(~std::uint32_t{0})), "a memo index of 2^32 - 1");
    refuse(of("X" + le(~std::uint32_t{0}) + "x"), "a string of 2^32 - 1 bytes");
    survive(of(std::string("}q\0h\0h\0s.", 9)), "a dict as its own key");
    survive(of(std::string("}q\0X\x01\0\0\0mh\0s.", 13)), "a dict inside itself");
    // A dict that is its own `module`: unwrapping it must come to an end.
    survive(of(std::string("}q\0", 3) + "X" + le(std::uint32_t{6}) + "module" + std::string("h\0s.", 4)),
            "its own module");
    refuse(pth("}.", {}, std::string(70'000, 'r')), "a root longer than a name may be");

    // A view that takes many times the size of its file.
    Pickle views;
    views.protocol().raw("}(");
    for (int i = 0; i < 2000; ++i)
        views.text("t" + std::to_string(i)).tensor("FloatStorage", "0", 65'536, 0, {256, 256}, {1, 256});
    refuse(pth(views.raw("u").bytes(), {std::string(4 * 65'536, '\0')}), "transposed views of one storage");
}

TEST_F(Hostile, PthMutations) {
    mutate(small_pth(), 600, 3);
    mutate(read_bytes(fs::path(DENOIR_FIXTURES) / "weights/torch-views.pth"), 600, 4);
}

TEST_F(Hostile, GgufCutAnywhere) {
    const std::string whole = small_gguf();
    EXPECT_EQ(read(whole).outcome, Outcome::accepted);
    const std::size_t padding = 28; // bytes behind the last tensor, which nobody needs
    for (std::size_t n = 0; n < whole.size() - padding; ++n) refuse(whole.substr(0, n), "cut to " + std::to_string(n));
}

TEST_F(Hostile, GgufLies) {
    const std::string whole = small_gguf();
    for (std::size_t at = 4; at + 8 <= whole.size() - 128; ++at)
        for (const std::uint64_t value : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63,
                                          std::uint64_t{1} << 32, std::uint64_t{0x7FFFFFFF}}) {
            std::string bytes = whole;
            bytes.replace(at, 8, le(value));
            survive(bytes, "number at " + std::to_string(at));
        }
    for (const std::uint64_t n : {std::uint64_t{1'000'001}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
        refuse("GGUF" + le(std::uint32_t{3}) + le(n) + le(std::uint64_t{0}), "tensors");
        refuse("GGUF" + le(std::uint32_t{3}) + le(std::uint64_t{0}) + le(n), "keys");
    }
    std::string nested;
    for (int i = 0; i < 100'000; ++i) nested += le(std::uint32_t{9}) + le(std::uint64_t{1});
    refuse(gguf({}, {gguf_pair("deep", 9, nested)}), "arrays in arrays");
    const auto arrays = [&](int depth) { // the innermost one is an array of bytes and empty
        const std::string within = nested.substr(0, std::size_t(depth - 1) * 12);
        return gguf({}, {gguf_pair("deep", 9, within + le(std::uint32_t{0}) + le(std::uint64_t{0}))});
    };
    EXPECT_EQ(read(arrays(4)).outcome, Outcome::accepted);
    refuse(arrays(5), "five arrays in arrays");
    std::string empty_arrays = le(std::uint32_t{9}) + le(std::uint64_t{1} << 40);
    for (int i = 0; i < 100'000; ++i) empty_arrays += le(std::uint32_t{0}) + le(std::uint64_t{0});
    refuse(gguf({}, {gguf_pair("wide", 9, empty_arrays)}), "arrays without end");
    const std::string long_text(1 << 20, ' ');
    std::vector<std::string> long_texts;
    for (int i = 0; i < 70; ++i) long_texts.push_back(gguf_pair("k" + std::to_string(i), 8, gguf_string(long_text)));
    refuse(gguf({}, long_texts), "70 MiB of texts");
    // Files of any length that take no space on the disk. Read as a list, zeros are texts without letters or empty
    // lists.
    for (const std::uint32_t type : {8u, 9u}) {
        constexpr std::uint64_t count = std::uint64_t{1} << 31;
        const fs::path sparse = folder_ / "sparse.gguf";
        write_bytes(sparse, gguf({}, {gguf_pair("list", 9, le(type) + le(count))}));
        fs::resize_file(sparse, count * 12 + 4096);
        check_line(read_all(sparse).message, "a list of two billion");
    }
    std::vector<GgufTensor> many;
    for (int i = 0; i < 200'000; ++i) many.push_back({"t" + std::to_string(i), {0}, 0, ""});
    survive(gguf(many), "very many tensors");
}

TEST_F(Hostile, GgufMutations) { mutate(small_gguf(), 800, 5); }

TEST_F(Hostile, ManyNamesAreClassifiedInTime) {
    // Names that nearly fit take the longest to compare, and a large table of them must not take too long.
    std::string header = "{";
    const int names = memory_is_meant ? 240'000 : 50'000;
    for (int i = 0; i < names; ++i)
        header += (i ? ",\"blocks." : "\"blocks.") + std::to_string(i) +
                  R"(.1.2.3.q.weight":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
    survive(safetensors(header + "}"), "very many blocks");
    header = "{";
    for (int i = 0; i < 9'900; ++i)
        header += (i ? ",\"blocks." : "\"blocks.") + std::to_string(i) +
                  R"(.1.2.3.weight":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
    survive(safetensors(header + "}"), "just below the limit");
}

TEST_F(Hostile, Folders) {
    const auto attempt_folder = [&](const std::string& what) {
        const fs::path path = folder_.path();
        for (const Result& r : {attempt([&] { inspect(path); }),
                                attempt([&] { Weights::load(std::span(&path, 1), Component::transformer); })}) {
            EXPECT_EQ(r.outcome, Outcome::refused) << what;
            if (r.outcome == Outcome::refused) check_line(r.message, what);
        }
        for (const auto& e : fs::directory_iterator(path)) fs::remove_all(e.path());
        ++count_;
    };
    const std::string index = "model.safetensors.index.json";
    for (const std::string& text : std::vector<std::string>{
             "", "{", "[]", "null", "{}", R"({"weight_map":{"a":"../../etc/passwd"}})",
             R"({"weight_map":{"a":"/dev/zero"}})", R"({"weight_map":{"a":""}})", R"({"weight_map":{"a":"."}})",
             R"({"weight_map":{"a":".."}})", R"({"weight_map":{"a":"x\u0000.safetensors"}})",
             R"({"weight_map":{"a":"missing.safetensors"}})", R"({"weight_map":{"a":"x","a":"x"}})",
             R"({"weight_map":{"a":{"b":1}}})", std::string(100'000, '['),
             std::string("{\"weight_map\":{\"\xFF\":\"x\"}}"), std::string((16u << 20) + 1, ' ')}) {
        write_bytes(folder_ / index, text);
        attempt_folder(text.substr(0, 60));
    }
    fs::create_directories(folder_ / "sub.safetensors");
    attempt_folder("a folder named like a file");
    write_bytes(folder_ / index, R"({"weight_map":{"a":"sub.safetensors"}})");
    fs::create_directories(folder_ / "sub.safetensors");
    attempt_folder("an index that names a folder");
    fs::create_symlink("loop.safetensors", folder_ / "loop.safetensors");
    attempt_folder("a link to itself");
    ASSERT_EQ(::mkfifo((folder_ / "pipe.safetensors").c_str(), 0600), 0);
    attempt_folder("a pipe");
    write_bytes(folder_ / index, R"({"weight_map":{"a":"pipe.safetensors"}})");
    ASSERT_EQ(::mkfifo((folder_ / "pipe.safetensors").c_str(), 0600), 0);
    attempt_folder("an index that names a pipe");
}

} // namespace
} // namespace denoir
