// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/pth.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "engine/core/error.h"
#include "engine/weights/safetensors.h"
#include "support/torch_writer.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;

std::string refusal(const std::filesystem::path& path) {
    return test::refusal([&] { open_container(path, OldPth::read); });
}

std::string refusal_of(const std::string& bytes) {
    TempFolder folder;
    write_bytes(folder / "x.pth", bytes);
    return refusal(folder / "x.pth");
}

/// A file with a tensor of two floats called `w`, in a pickle around what `p` holds.
std::string with_tensor(std::int64_t count, std::int64_t offset, const std::vector<std::int64_t>& shape,
                        const std::vector<std::int64_t>& strides, std::size_t stored = 64) {
    Pickle p;
    p.protocol().raw("}(").text("w").tensor("FloatStorage", "0", count, offset, shape, strides).raw("u");
    return pth(p.bytes(), {std::string(stored, '\0')});
}

#define EXPECT_REFUSED(bytes, part) EXPECT_NE(refusal_of(bytes).find(part), std::string::npos) << refusal_of(bytes)

const std::filesystem::path fixtures = std::filesystem::path(DENOIR_FIXTURES) / "weights";

/// The tensors that PyTorch wrote into torch-views.safetensors, and into .pth files in two of its formats.
void expect_the_views(const Container& c) {
    const auto expected = read_safetensors(fixtures / "torch-views.safetensors");
    ASSERT_EQ(c.tensors.size(), expected.size());
    for (const auto& [name, want] : expected) {
        const FileTensor* entry = c.find(name);
        ASSERT_NE(entry, nullptr) << name;
        const Tensor got = c.tensor(*entry);
        EXPECT_EQ(got.shape(), want.shape()) << name;
        EXPECT_EQ(got.dtype(), want.dtype()) << name;
        ASSERT_EQ(got.bytes(), want.bytes()) << name;
        EXPECT_TRUE(want.bytes() == 0 || std::memcmp(got.raw(), want.raw(), want.bytes()) == 0) << name;
    }
}

TEST(Pth, ReadsWhatPyTorchWrote) {
    const Container c = open_container(fixtures / "torch-views.pth");
    ASSERT_EQ(c.format, Container::Format::pth);
    expect_the_views(c);
}

/// Views of torch.Tensor.expand and overlapping windows of unfold are read as long as they are no larger than the file.
TEST(Pth, ReadsElementsThatAreThereOnce) {
    const auto opened = [](const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
        TempFolder folder;
        Pickle p;
        p.protocol().raw("}(").text("w").tensor("FloatStorage", "0", 3, 0, shape, strides).raw("u");
        write_bytes(folder / "x.pth", pth(p.bytes(), {le(1.0f) + le(2.0f) + le(3.0f)}));
        const Container c = open_container(folder / "x.pth");
        const Tensor t = c.tensor(c.tensors.at(0));
        return std::vector<float>(t.data<float>(), t.data<float>() + t.elements());
    };
    using Values = std::vector<float>;
    EXPECT_EQ(opened({4, 8}, {0, 0}), Values(32, 1.0f));
    EXPECT_EQ(opened({2, 3}, {0, 1}), Values({1, 2, 3, 1, 2, 3}));
    EXPECT_EQ(opened({3, 2}, {1, 0}), Values({1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(opened({2, 2}, {1, 1}), Values({1, 2, 2, 3}));
}

TEST(Pth, DenseTensorsStayMapped) {
    TempFolder folder;
    write_bytes(folder / "x.pth", pth({f32("a", {2, 2}, 1), f32("b", {3}, 9)}));
    const Container c = open_container(folder / "x.pth");
    ASSERT_EQ(c.tensors.size(), 2u);
    // The writer of these tests does not align data, and a copy is made only where the offset asks for one.
    for (const FileTensor& t : c.tensors) EXPECT_TRUE(t.strides.empty());
    EXPECT_EQ(c.tensor(*c.find("b")).data<float>()[2], 11.0f);
}

TEST(Pth, FindsItsRootWhateverItIsCalled) {
    for (const std::string root : {"archive", "wanx_vae", "a/b/umt5-xxl-enc-bf16"}) {
        TempFolder folder;
        write_bytes(folder / "x", pth({f32("w", {1}, 5)}, root));
        const Container c = open_container(folder / "x");
        EXPECT_EQ(c.tensor(c.tensors.at(0)).data<float>()[0], 5.0f);
    }
}

TEST(Pth, UnwrapsStateDictModelAndModule) {
    for (const std::string key : {"state_dict", "model", "module"}) {
        Pickle p;
        p.protocol()
            .raw("}(")
            .text("step")
            .number(7)
            .text(key)
            .raw("}(")
            .text("w")
            .tensor("FloatStorage", "0", 2, 0, {2}, {1})
            .raw("uu");
        TempFolder folder;
        write_bytes(folder / "x", pth(p.bytes(), {le(1.0f) + le(2.0f)}));
        EXPECT_EQ(open_container(folder / "x").tensors.at(0).name, "w");
    }
}

/// Checkpoints of Self-Forcing and similar trainings hold several networks, each wrapped as it was trained.
TEST(Pth, TakesTheAveragedGeneratorOfATrainingsNetworks) {
    const auto opened = [](const std::vector<std::string>& networks, const std::string& name) {
        Pickle p;
        std::vector<std::string> storages;
        p.protocol().raw("}(").text("step").number(600);
        for (const std::string& network : networks) {
            p.text(network).raw("}(").text(name);
            p.tensor("FloatStorage", std::to_string(storages.size()), 1, 0, {1}, {1}).raw("u");
            storages.push_back(le(float(storages.size())));
        }
        TempFolder folder;
        write_bytes(folder / "x.pt", pth(p.raw("u").bytes(), storages));
        const Container c = open_container(folder / "x.pt");
        return std::pair(c.tensors.at(0).name, c.tensor(c.tensors.at(0)).data<float>()[0]);
    };
    const std::string plain = "model.blocks.0.modulation";
    EXPECT_EQ(opened({"generator", "critic", "generator_ema"}, plain), std::pair(plain, 2.0f));
    EXPECT_EQ(opened({"critic", "generator"}, plain), std::pair(plain, 1.0f));
    // If the first entry of such a name holds no tensors, the next one counts. Loose tensors beside them do not.
    const auto first_name = [](const std::function<void(Pickle&)>& root) {
        Pickle p;
        p.protocol().raw("}(");
        root(p);
        TempFolder folder;
        write_bytes(folder / "x.pt", pth(p.raw("u").bytes(), {le(1.0f)}));
        const Container c = open_container(folder / "x.pt");
        return c.tensors.empty() ? std::string("none") : c.tensors[0].name;
    };
    const auto weight = [](Pickle& p, const char* name) { p.text(name).tensor("FloatStorage", "0", 1, 0, {1}, {1}); };
    EXPECT_EQ(first_name([&](Pickle& p) {
                  p.text("generator").raw("}(").text("seed").number(5).raw("u").text("state_dict").raw("}(");
                  weight(p, "w"), p.raw("u");
              }),
              "w");
    EXPECT_EQ(first_name([&](Pickle& p) {
                  p.text("generator_ema").raw("}").text("generator").raw("}(");
                  weight(p, "w"), p.raw("u");
              }),
              "w");
    EXPECT_EQ(first_name([&](Pickle& p) {
                  weight(p, "step"), p.text("generator").raw("}(");
                  weight(p, "w"), p.raw("u");
              }),
              "w");
    for (const char* wrapped : {"model._fsdp_wrapped_module.blocks.0.modulation",
                                "model._fsdp_wrapped_module.blocks.0._checkpoint_wrapped_module._orig_mod.modulation"})
        EXPECT_EQ(opened({"generator_ema"}, wrapped), std::pair(plain, 0.0f)) << wrapped;
}

/// The lora.pt of LongLive. The losses beside it do not count.
TEST(Pth, TakesTheGeneratorOfATrainingsLoras) {
    Pickle p;
    p.protocol().raw("}(").text("step").tensor("FloatStorage", "0", 1, 0, {1}, {1});
    for (const char* network : {"critic_lora", "generator_lora"})
        p.text(network)
            .raw("}(")
            .text(std::string(network) + ".w")
            .tensor("FloatStorage", "0", 1, 0, {1}, {1})
            .raw("u");
    TempFolder folder;
    write_bytes(folder / "lora.pt", pth(p.raw("u").bytes(), {le(1.0f)}));
    const Container c = open_container(folder / "lora.pt");
    ASSERT_EQ(c.tensors.size(), 1u);
    EXPECT_EQ(c.tensors[0].name, "generator_lora.w");
}

TEST(Pth, ReadsFloat8) {
    Pickle p;
    p.protocol().raw("}(");
    p.text("a").tensor_v3("float8_e4m3fn", "0", 6, 0, {2, 3}, {3, 1});
    p.text("b").tensor_v3("float8_e5m2", "0", 6, 2, {2, 2}, {1, 2});
    p.text("a_scale").tensor("FloatStorage", "1", 1, 0, {}, {}).raw("u");
    TempFolder folder;
    write_bytes(folder / "x.pth", pth(p.bytes(), {"\x38\x3C\x40\x42\x44\x46", le(0.5f)}));
    const Container c = open_container(folder / "x.pth");
    ASSERT_EQ(c.tensors.size(), 3u);
    EXPECT_EQ(c.find("a")->dtype_name, "F8_E4M3");
    EXPECT_EQ(c.find("b")->dtype_name, "F8_E5M2");
    const Tensor a = c.tensor(*c.find("a")), b = c.tensor(*c.find("b"));
    EXPECT_EQ(a.dtype(), DType::f8_e4m3);
    EXPECT_EQ(a.shape(), (Shape{2, 3}));
    EXPECT_EQ(std::memcmp(a.raw(), "\x38\x3C\x40\x42\x44\x46", 6), 0);
    EXPECT_EQ(b.dtype(), DType::f8_e5m2);
    EXPECT_EQ(std::memcmp(b.raw(), "\x40\x44\x42\x46", 4), 0);
}

/// Written by torch.save of PyTorch 2.8 in both of its formats.
TEST(Pth, ReadsFloat8AsPyTorchWroteIt) {
    for (const char* file : {"torch-float8.pth", "torch-float8-legacy.pth"}) {
        const Container c = open_container(fixtures / file, OldPth::read);
        ASSERT_EQ(c.tensors.size(), 4u) << file;
        const auto values = [&](const char* name) {
            const Tensor t = c.tensor(*c.find(name));
            std::vector<float> out(static_cast<std::size_t>(t.elements()));
            to_f32(t.dtype(), t.raw(), out.data(), t.elements());
            return out;
        };
        EXPECT_EQ(values("e4m3"), (std::vector<float>{-448, 0.5f, 1, 1.5f, 2, 3})) << file;
        EXPECT_EQ(values("transposed"), (std::vector<float>{-448, 1.5f, 0.5f, 2, 1, 3})) << file;
        EXPECT_EQ(values("e5m2"), (std::vector<float>{0.25f, -5, 1024})) << file;
        EXPECT_EQ(values("scale"), (std::vector<float>{0.125f})) << file;
    }
}

TEST(Pth, RefusesFloat8OutsideItsStorage) {
    const auto with = [](std::int64_t bytes, std::int64_t offset, const std::vector<std::int64_t>& shape,
                         const std::vector<std::int64_t>& strides) {
        Pickle p;
        p.protocol().raw("}(").text("w").tensor_v3("float8_e4m3fn", "0", bytes, offset, shape, strides).raw("u");
        return pth(p.bytes(), {std::string(16, '\0')});
    };
    EXPECT_EQ(refusal_of(with(16, 0, {4, 4}, {4, 1})), "accepted");
    EXPECT_REFUSED(with(17, 0, {4, 4}, {4, 1}), "asks for 17 elements");
    EXPECT_REFUSED(with(16, 1, {4, 4}, {4, 1}), "past the end");
    EXPECT_REFUSED(with(16, 0, {1LL << 40}, {0}), "repeats its storage");
    EXPECT_REFUSED(with(-1, 0, {0}, {1}), "asks for");
    const auto rebuilt = [](const char* function, const char* module, const char* storage, const char* behind) {
        Pickle p;
        p.protocol().raw("}(").text("w").global("torch._utils", function).raw("((").text("storage");
        p.global(module, storage)
            .text("0")
            .text("cpu")
            .number(4)
            .raw("tQ")
            .number(0)
            .tuple({1})
            .tuple({1})
            .raw("\x89}");
        if (*behind) p.global("torch", behind);
        return pth(p.raw("tRu").bytes(), {std::string(16, '\0')});
    };
    constexpr const char *v2 = "_rebuild_tensor_v2", *v3 = "_rebuild_tensor_v3";
    EXPECT_EQ(refusal_of(rebuilt(v3, "torch.storage", "UntypedStorage", "float8_e5m2")), "accepted");
    EXPECT_REFUSED(rebuilt(v3, "torch.storage", "UntypedStorage", ""), "unknown way"); // a storage without a type
    EXPECT_REFUSED(rebuilt(v3, "torch.storage", "UntypedStorage", "FloatStorage"), "unknown way");
    EXPECT_REFUSED(rebuilt(v3, "torch", "FloatStorage", "float8_e5m2"), "unknown way");
    EXPECT_REFUSED(rebuilt(v2, "torch.storage", "UntypedStorage", ""), "unknown way");
    EXPECT_REFUSED(rebuilt(v3, "torch.storage", "UntypedStorage", "float8_e4m3fnuz"), "torch.float8_e4m3fnuz");
    EXPECT_REFUSED(rebuilt(v3, "torch", "UntypedStorage", "float8_e5m2"), "torch.UntypedStorage");
    for (const auto& [module, name] : {std::pair{"torch", "float8_e4m3fn"}, {"torch.storage", "UntypedStorage"}})
        EXPECT_REFUSED(pth(Pickle().protocol().global(module, name).raw(")R").bytes(), {}), "it calls a");
}

TEST(Pth, ReadsZip64) {
    Pickle p;
    p.protocol().raw("}(").text("w").tensor("FloatStorage", "0", 2, 0, {2}, {1}).raw("u");
    for (const bool end : {false, true}) {
        TempFolder folder;
        write_bytes(folder / "x", zip({{"r/data.pkl", p.bytes(), 0, 0, -1, -1, true},
                                       {"r/data/0", le(1.0f) + le(2.0f), 0, 0, -1, -1, true}},
                                      5, end));
        const Container c = open_container(folder / "x");
        EXPECT_EQ(c.tensor(c.tensors.at(0)).data<float>()[1], 2.0f);
    }
}

TEST(Pth, RefusesWhatWouldExecute) {
    Pickle os;
    os.protocol().global("os", "system").text("touch /tmp/owned").raw("\x85R");
    EXPECT_REFUSED(pth(os.bytes(), {}), "os.system");
    Pickle eval;
    eval.protocol().global("builtins", "eval").text("1").raw("\x85R");
    EXPECT_REFUSED(pth(eval.bytes(), {}), "builtins.eval");
    Pickle nearly;
    nearly.protocol().global("torch._utils", "_rebuild_device_tensor_from_numpy").raw(")R");
    EXPECT_REFUSED(pth(nearly.bytes(), {}), "refused, nothing was executed");
    Pickle stack_global;
    stack_global.protocol().text("os").text("system").raw("\x93");
    EXPECT_REFUSED(pth(stack_global.bytes(), {}), "0x93");
    Pickle inst;
    inst.protocol().raw("(ios\nsystem\n");
    EXPECT_REFUSED(pth(inst.bytes(), {}), "0x69");
    Pickle storage_call;
    storage_call.protocol().global("torch", "FloatStorage").raw(")R");
    EXPECT_REFUSED(pth(storage_call.bytes(), {}), "calls a storage type");
    Pickle reduce_text;
    reduce_text.protocol().text("os.system").raw(")R");
    EXPECT_REFUSED(pth(reduce_text.bytes(), {}), "other than an allowed name");
    Pickle build_on_tensor;
    build_on_tensor.protocol().tensor("FloatStorage", "0", 2, 0, {2}, {1}).raw("}b");
    EXPECT_REFUSED(pth(build_on_tensor.bytes(), {}), "state of something");
}

TEST(Pth, RefusesTensorsOutsideTheirStorage) {
    EXPECT_EQ(refusal_of(with_tensor(16, 0, {4, 4}, {4, 1})), "accepted");
    EXPECT_EQ(refusal_of(with_tensor(16, 0, {4, 4}, {1, 4})), "accepted");
    EXPECT_REFUSED(with_tensor(16, 1, {4, 4}, {4, 1}), "past the end");
    EXPECT_REFUSED(with_tensor(16, 0, {4, 4}, {5, 1}), "past the end");
    EXPECT_REFUSED(with_tensor(17, 0, {4, 4}, {4, 1}), "asks for 17 elements");
    EXPECT_REFUSED(with_tensor(16, -1, {4, 4}, {4, 1}), "begins outside");
    Pickle p; // -1 in one byte, which must not be read as 255
    p.protocol().raw("}(").text("w").tensor("FloatStorage", "0", 300, -1, {1}, {1}).raw("u");
    std::string narrow = p.bytes();
    const std::string wide = "\x8A\x08" + le(std::int64_t{-1});
    narrow.replace(narrow.find(wide), wide.size(), "\x8A\x01\xFF");
    EXPECT_REFUSED(pth(narrow, {std::string(1200, '\0')}), "begins outside");
    EXPECT_REFUSED(with_tensor(16, 0, {4, 4}, {4, -1}), "strides");
    EXPECT_REFUSED(with_tensor(16, 0, {-4, 4}, {4, 1}), "64 bits");
    EXPECT_REFUSED(with_tensor(16, 0, {1LL << 40, 1LL << 40}, {0, 0}), "64 bits");
    EXPECT_REFUSED(with_tensor(16, 0, std::vector<std::int64_t>(17, 1), std::vector<std::int64_t>(17, 1)),
                   "short tuple");
    EXPECT_REFUSED(with_tensor(16, 0, {1LL << 40}, {0}), "repeats its storage");
    EXPECT_REFUSED(with_tensor(16, 0, {INT64_MAX}, {0}), "repeats its storage");
    EXPECT_REFUSED(with_tensor(16, 0, {1LL << 32, 2}, {1LL << 32, 1}), "strides");
    EXPECT_REFUSED(with_tensor(-1, 0, {0}, {1}), "asks for");
}

TEST(Pth, RefusesOtherArchives) {
    EXPECT_REFUSED(zip({{"word/document.xml", "<xml/>"}}), "not a PyTorch checkpoint");
    EXPECT_REFUSED(zip({{"a/data.pkl", "."}, {"a/constants.pkl", "."}}), "TorchScript");
    EXPECT_REFUSED(zip({{"a/data.pkl", "."}, {"a/code/x.py", "."}}), "TorchScript");
    EXPECT_REFUSED(zip({{"a/data.pkl", "}."}, {"a/byteorder", "big"}}), "little-endian");
    EXPECT_REFUSED(zip({{"a/data.pkl", "}."}, {"b/data.pkl", "}."}}), "several");
    EXPECT_REFUSED(zip({{"a/data.pkl", "}.", 8}}), "compressed (method 8)");
    EXPECT_REFUSED(zip({{"a/data.pkl", "}.", 0, 1}}), "encrypted");
    EXPECT_REFUSED(zip({{"a/data.pkl", "}.", 0, 0, 1}}), "bytes became");
    EXPECT_REFUSED(zip({{"a/data.pkl", "}."}, {"a/data.pkl", "}."}}), "twice");
    EXPECT_REFUSED(zip({{"a/data.pkl", "}."}, {"a/data/0", "abcd", 0, 0, -1, 0}}), "disagree about the name");
    std::string elsewhere = zip({{"a/data.pkl", "}."}}); // says that a ZIP64 record tells where the directory is
    elsewhere.replace(elsewhere.size() - 6, 4, "\xFF\xFF\xFF\xFF");
    EXPECT_REFUSED(elsewhere, "ZIP64 locator is missing");
    EXPECT_REFUSED(zip({{"a/data.pkl", "}."}, {"a/data/0", "abcd", 0, 0, -1, 1 << 30}}), "outside the file");
}

/// A file as torch.save wrote it before 1.6: pickles one after the other, then the counted storages.
std::string old_file(const std::string& dict, const std::vector<std::pair<std::string, std::string>>& storages,
                     std::int64_t more = 0) {
    std::string file("\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.\x80\x02M\xE9\x03.", 21);
    file += std::string("\x80\x02}U\x0Dlittle_endian\x88s.", 21) + dict;
    Pickle keys;
    keys.protocol().raw("](");
    for (const auto& [key, data] : storages) keys.text(key);
    file += keys.raw("e").bytes();
    for (const auto& [key, data] : storages) file += le(std::int64_t(data.size() / 4) + more) + data;
    return file;
}

/// The BINPERSID of a storage as Python 2 writes it.
std::string old_storage(const std::string& key, std::int32_t count) {
    Pickle p;
    p.raw("(").raw(std::string("U\x07storage", 9)).global("torch", "FloatStorage");
    p.raw("U")
        .raw(std::string(1, char(key.size())))
        .raw(key)
        .raw(std::string("U\x06"
                         "cuda:0",
                         8));
    return p.number(count).raw("NtQ").open();
}

TEST(Pth, ReadsFilesFromBeforeOneSix) {
    const Container c = open_container(fixtures / "torch-old.pth", OldPth::read);
    expect_the_views(c);
}

TEST(Pth, ModelsFromBeforeOneSixAreRefused) {
    try {
        open_container(fixtures / "torch-old.pth");
        FAIL() << "accepted";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("before 1.6"), std::string::npos) << e.what();
        EXPECT_NE(e.hint().find("torch.save"), std::string::npos);
    }
}

/// Torchvision's files of 2017 have an OrderedDict made of a list of lists, _rebuild_tensor with four arguments, and
/// Parameters whose tensor comes with the state.
TEST(Pth, ReadsWhatPython2Wrote) {
    const std::string data("\0\0\x80\x3F\0\0\0\x40", 8); // 1 and 2
    const auto tensor = [&](const std::string& key) {
        return Pickle().global("torch._utils", "_rebuild_tensor").raw("(").open() + old_storage(key, 2) +
               Pickle().number(0).tuple({2}).tuple({1}).raw("tR").open();
    };
    const std::string parameter =
        Pickle().global("torch.nn.parameter", "Parameter").raw(std::string(")\x81(", 3)).open() + tensor("22") +
        std::string("\x88\x89tb", 4);
    const std::string dict = std::string("\x80\x02", 2) +
                             Pickle().global("collections", "OrderedDict").raw("](](").open() +
                             std::string("U\x01"
                                         "a",
                                         3) +
                             tensor("11") + "e](" +
                             std::string("U\x01"
                                         "b",
                                         3) +
                             parameter + "ee" + std::string("\x85R.", 3);
    TempFolder folder;
    write_bytes(folder / "x.pth", old_file(dict, {{"11", data}, {"22", data}}));
    const Container c = open_container(folder / "x.pth", OldPth::read);
    ASSERT_EQ(c.tensors.size(), 2u);
    for (const char* name : {"a", "b"}) {
        const Tensor t = c.tensor(*c.find(name));
        EXPECT_EQ(t.shape(), Shape({2})) << name;
        EXPECT_EQ(t.data<float>()[1], 2) << name;
    }
    const std::string whole = old_file(dict, {{"11", data}, {"22", data}});
    EXPECT_REFUSED(old_file(dict, {{"11", data}}), "storage 22 is missing");
    EXPECT_REFUSED(old_file(dict, {{"11", data}, {"33", data}}), "no tensor names");
    EXPECT_REFUSED(old_file(dict, {{"11", data}, {"11", data}}), "twice");
    EXPECT_REFUSED(old_file(dict, {{"11", data}, {"22", data}}, 1), "room for");
    EXPECT_REFUSED(old_file(dict, {{"11", data}, {"22", data}}, -3), "room for");
    std::string big = whole;
    big[big.find("\x88s.")] = '\x89';
    EXPECT_REFUSED(big, "little-endian");
    for (std::size_t n = 15; n < whole.size(); ++n) EXPECT_NE(refusal_of(whole.substr(0, n)), "accepted") << n;
    std::string evil = dict;
    evil.replace(evil.find("torch.nn.parameter\nParameter"), 28, "os.path.and.further\nsystem.."); // of the same length
    EXPECT_REFUSED(old_file(evil, {{"11", data}, {"22", data}}), "refused");
}

/// A few bytes each ask for another copy of a whole list.
TEST(Pth, RefusesCopiesWithoutEnd) {
    const std::string recall_list("h\0", 2);
    const auto calls = [&](int pairs, int times) {
        Pickle p;
        p.protocol().raw(std::string("]q\0(", 4));
        for (int i = 0; i < pairs; ++i) p.raw("](K\x01Ne");
        p.raw("e").global("collections", "OrderedDict").raw("q\x01");
        for (int i = 0; i < times; ++i) p.raw("h\x01").raw(recall_list).raw("\x85R");
        return pth(p.bytes(), {});
    };
    EXPECT_EQ(refusal_of(calls(200, 1)), "accepted");
    EXPECT_REFUSED(calls(200, 500), "copies more items");
}

/// Of the views of one storage that must be copied, each may be as large as the file and all together four times as
/// large.
TEST(Pth, ViewsAreBoundedByTheFile) {
    const auto views = [](int count, bool transposed) {
        constexpr int side = 64;
        Pickle p;
        p.protocol().raw("}(");
        for (int i = 0; i < count; ++i) {
            p.text(fmt::format("w{}", i));
            if (transposed)
                p.tensor("FloatStorage", "0", side * side, 0, {side, side}, {1, side});
            else
                p.tensor("FloatStorage", "0", side * side, 0, {side, side}, {side, 1});
        }
        p.raw("u");
        return pth(p.bytes(), {std::string(4 * side * side, '\0')});
    };
    EXPECT_EQ(refusal_of(views(1, true)), "accepted");
    EXPECT_REFUSED(views(3, true), "more memory than the file has bytes");
    EXPECT_EQ(refusal_of(views(4, false)), "accepted");
    EXPECT_REFUSED(views(12, false), "more memory than the file has bytes");
}

TEST(Pth, RefusesTensorsWithoutEnd) {
    const std::string long_key(1000, '7');
    EXPECT_REFUSED(
        pth(Pickle().protocol().raw("}").text("w").tensor("FloatStorage", long_key, 2, 0, {2}, {1}).raw("s").bytes(),
            {}),
        "key is too long");

    // One storage, one size, one stride, and a call for each of as many tensors as the test wants.
    const auto tensors = [](int count) {
        Pickle p;
        p.protocol().raw("}").text("w").tensor("FloatStorage", "0", 2, 0, {2}, {1}).raw("s");
        p.global("torch._utils", "_rebuild_tensor").raw("q").raw(std::string(1, '\0'));
        p.raw("((").text("storage").global("torch", "FloatStorage").text("0").text("cpu").number(2).raw("tQ");
        p.number(0).tuple({2}).tuple({1}).raw("tq\x01");
        const std::string call("h\0h\x01R", 5);
        std::string calls;
        for (int i = 1; i < count; ++i) calls += call;
        // What stays on the stack below the last value does not matter.
        return pth(Pickle().raw(p.open()).raw(calls).raw("}").bytes(), {std::string(8, '\0')});
    };
    EXPECT_EQ(refusal_of(tensors(1000)), "accepted");
    EXPECT_REFUSED(tensors(250'001), "more than 250000 tensors");
}

TEST(Pth, RefusesDamagedPickles) {
    const auto of = [](const std::string& pickle) { return pth(pickle, {}); };
    EXPECT_REFUSED(of(std::string("\x80\x04.", 3)), "protocol 4");
    EXPECT_REFUSED(of("}"), "ends too early");
    EXPECT_REFUSED(of("."), "stack");
    EXPECT_REFUSED(of("K"), "ends too early");
    EXPECT_REFUSED(of("X\xFF\xFF\xFF\xFFshort."), "longer than the rest");
    EXPECT_REFUSED(of("h\x05."), "never stored");
    EXPECT_REFUSED(of(std::string("}r\xFF\xFF\xFF\xFF.", 7)), "memo");
    EXPECT_REFUSED(of("u."), "mark");
    EXPECT_REFUSED(of("}(NuN."), "key without a value");
    EXPECT_REFUSED(of("](."), "stack"); // the mark hides the list
    EXPECT_REFUSED(of("N."), "not hold a dict");
    EXPECT_REFUSED(of("]Nu."), "mark");
    EXPECT_REFUSED(of("\x8A\x09"
                      "123456789."),
                   "64 bits");
    EXPECT_REFUSED(of("csome\nvery\n"), "some.very");
    EXPECT_REFUSED(of(std::string(1'000'001, 'N') + "."), "stack grows too large");
    EXPECT_REFUSED(of(std::string(1'000'001, '(') + "."), "stack grows too large");
    EXPECT_REFUSED(of(fmt::format("c{:x>300}", "")), "name without an end");
}

} // namespace
} // namespace denoir
