// SPDX-License-Identifier: Apache-2.0
#include "support/torch_writer.h"

namespace denoir::test {
namespace {

std::string u16(std::uint64_t v) { return le(static_cast<std::uint16_t>(v)); }
std::string u32(std::uint64_t v) { return le(static_cast<std::uint32_t>(v)); }
std::string u64(std::uint64_t v) { return le(static_cast<std::uint64_t>(v)); }

std::string storage_name(const std::string& dtype) {
    if (dtype == "F16") return "HalfStorage";
    if (dtype == "BF16") return "BFloat16Storage";
    if (dtype == "I64") return "LongStorage";
    if (dtype == "U8") return "ByteStorage";
    return "FloatStorage";
}

} // namespace

std::string zip(const std::vector<ZipFile>& files, std::size_t padding, bool zip64_end) {
    std::string body, directory;
    for (const ZipFile& f : files) {
        const std::uint64_t offset = f.offset < 0 ? body.size() : static_cast<std::uint64_t>(f.offset),
                            size = f.data.size();
        const std::uint64_t packed = f.packed < 0 ? size : static_cast<std::uint64_t>(f.packed);
        const std::string extra = padding ? "FB" + u16(padding) + std::string(padding, 'Z') : "";
        body += u32(0x04034B50) + u16(20) + u16(f.flags | 0x0808) + u16(f.method) + u32(0) + u32(0) + u32(0) + u32(0) +
                u16(f.name.size()) + u16(extra.size()) + f.name + extra + f.data;
        const std::string wide = f.zip64 ? u16(1) + u16(24) + u64(size) + u64(packed) + u64(offset) : "";
        directory += u32(0x02014B50) + u16(20) + u16(20) + u16(f.flags | 0x0808) + u16(f.method) + u32(0) + u32(0) +
                     u32(f.zip64 ? 0xFFFFFFFF : packed) + u32(f.zip64 ? 0xFFFFFFFF : size) + u16(f.name.size()) +
                     u16(wide.size()) + u16(0) + u16(0) + u16(0) + u32(0) + u32(f.zip64 ? 0xFFFFFFFF : offset) +
                     f.name + wide;
    }
    const std::uint64_t at = body.size();
    std::string end;
    if (zip64_end) {
        end += u32(0x06064B50) + u64(44) + u16(45) + u16(45) + u32(0) + u32(0) + u64(files.size()) + u64(files.size()) +
               u64(directory.size()) + u64(at);
        end += u32(0x07064B50) + u32(0) + u64(at + directory.size()) + u32(1);
    }
    const std::uint64_t count = zip64_end ? 0xFFFF : files.size();
    end += u32(0x06054B50) + u16(0) + u16(0) + u16(count) + u16(count) +
           u32(zip64_end ? 0xFFFFFFFF : directory.size()) + u32(zip64_end ? 0xFFFFFFFF : at) + u16(0);
    return body + directory + end;
}

Pickle& Pickle::tuple(const std::vector<std::int64_t>& values) {
    raw("(");
    for (const std::int64_t v : values) raw("\x8A\x08").raw(le(v));
    return raw("t");
}

Pickle& Pickle::tensor(std::string_view storage, std::string_view key, std::int64_t count, std::int64_t offset,
                       const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
    global("torch._utils", "_rebuild_tensor_v2").raw("(");
    raw("(").text("storage").global("torch", storage).text(key).text("cpu").raw("\x8A\x08").raw(le(count)).raw("tQ");
    raw("\x8A\x08")
        .raw(le(offset))
        .tuple(shape)
        .tuple(strides)
        .raw("\x89")
        .global("collections", "OrderedDict")
        .raw(")R");
    return raw("tR");
}

Pickle& Pickle::tensor_v3(std::string_view dtype, std::string_view key, std::int64_t bytes, std::int64_t offset,
                          const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
    global("torch._utils", "_rebuild_tensor_v3").raw("(");
    raw("(").text("storage").global("torch.storage", "UntypedStorage").text(key).text("cpu");
    raw("\x8A\x08").raw(le(bytes)).raw("tQ").raw("\x8A\x08").raw(le(offset)).tuple(shape).tuple(strides).raw("\x89");
    global("collections", "OrderedDict").raw(")R");
    return global("torch", dtype).raw("tR");
}

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    return strides;
}

std::string pth(const std::string& pickle, const std::vector<std::string>& storages, const std::string& root) {
    std::vector<ZipFile> files{{root + "/data.pkl", pickle}, {root + "/byteorder", "little"}};
    for (std::size_t i = 0; i < storages.size(); ++i)
        files.push_back({root + "/data/" + std::to_string(i), storages[i]});
    files.push_back({root + "/version", "3\n"});
    return zip(files, 13);
}

std::string pth(const std::vector<Raw>& tensors, const std::string& root) {
    Pickle p;
    p.protocol().global("collections", "OrderedDict").raw(")R(");
    std::vector<std::string> storages;
    for (const Raw& t : tensors) {
        p.text(t.name).tensor(storage_name(t.dtype), std::to_string(storages.size()), product(t.shape), 0, t.shape,
                              dense_strides(t.shape));
        storages.push_back(t.data);
    }
    p.raw("u").raw("}").text("_metadata").global("collections", "OrderedDict").raw(")Rsb");
    return pth(p.bytes(), storages, root);
}

} // namespace denoir::test
