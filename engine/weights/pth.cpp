// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/pth.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "engine/core/error.h"
#include "engine/weights/pickle.h"
#include "engine/weights/zip.h"

namespace denoir {
namespace {

constexpr std::uint64_t max_pickle = 32u << 20;
constexpr const char* damaged = "the file is damaged: download or write it again";

using Entries = std::unordered_map<std::string_view, const ZipEntry*>;

/// The folder of `data.pkl`, with its slash.
std::string find_root(const std::vector<ZipEntry>& entries, const std::string& file) {
    std::string root;
    bool found = false;
    for (const ZipEntry& e : entries) {
        if (!std::string_view(e.name).ends_with("/data.pkl")) continue;
        if (found) throw Error(file, "data.pkl", "the archive holds several", "give a file as torch.save wrote it");
        root = e.name.substr(0, e.name.size() - std::string_view("data.pkl").size());
        found = true;
    }
    if (!found)
        throw Error(file, "data.pkl", "a zip archive without it: not a PyTorch checkpoint",
                    "give a safetensors, .pth or GGUF checkpoint");
    return root;
}

void refuse_torchscript(const Entries& entries, const std::string& root, const std::string& file) {
    const bool code =
        std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.first.starts_with(root + "code/"); });
    if (code || entries.contains(root + "constants.pkl"))
        throw Error(file, "constants.pkl", "a TorchScript program, not a state dict",
                    "save the weights with torch.save(model.state_dict(), …)");
}

void check_byte_order(const Entries& entries, const std::string& root, const MappedFile& file) {
    const auto it = entries.find(root + "byteorder");
    if (it == entries.end()) return;
    const std::string_view order(reinterpret_cast<const char*>(file.span().data()) + it->second->offset,
                                 it->second->bytes);
    if (order != "little")
        throw Error(file.name(), "byteorder", "not little-endian", "save it again on an x86 or ARM machine");
}

bool is_dense(const PickledTensor& t) {
    std::int64_t expected = 1;
    for (std::size_t i = t.shape.size(); i-- > 0;) {
        if (t.shape[i] != 1 && t.strides[i] != expected) return false;
        expected *= t.shape[i];
    }
    return true;
}

/// Every element of the view lies inside the storage, and the storage inside its entry.
std::int64_t check_view(const PickledTensor& t, const ZipEntry& entry, const std::string& file) {
    const auto refuse = [&](std::string what) { throw Error(file, t.name, std::move(what), damaged); };
    if (t.count < 0 ||
        static_cast<std::uint64_t>(t.count) > entry.bytes / static_cast<unsigned>(element_bytes(t.dtype)))
        refuse(fmt::format("its storage asks for {} elements, the archive holds {} bytes", t.count, entry.bytes));
    const auto elements = checked_elements(t.shape);
    if (!elements) refuse("the product of its shape does not fit in 64 bits");
    if (t.offset < 0 || t.offset > t.count) refuse("it begins outside its storage");
    std::int64_t last = t.offset;
    for (std::size_t i = 0; i < t.shape.size(); ++i) {
        std::int64_t reach = 0;
        if (t.strides[i] < 0 ||
            __builtin_mul_overflow(std::max<std::int64_t>(t.shape[i] - 1, 0), t.strides[i], &reach) ||
            __builtin_add_overflow(last, reach, &last))
            refuse("its strides leave the storage");
    }
    if (*elements > 0 && last >= t.count) refuse("it reaches past the end of its storage");
    // An expanded view (stride 0) would ask for more memory than the file has.
    if (*elements > t.count) refuse("it is larger than its storage");
    return *elements;
}

FileTensor resolve(const PickledTensor& t, const ZipEntry& entry, const std::string& file) {
    const std::int64_t elements = check_view(t, entry, file);
    const auto width = static_cast<std::uint64_t>(element_bytes(t.dtype));
    FileTensor result;
    result.name = t.name;
    result.dtype = t.dtype;
    result.dtype_name = info(t.dtype).safetensors;
    result.shape = t.shape;
    result.offset = entry.offset + static_cast<std::uint64_t>(t.offset) * width;
    result.bytes = static_cast<std::uint64_t>(elements) * width;
    if (elements > 0 && !is_dense(t)) result.strides = t.strides;
    return result;
}

} // namespace

Container read_pth(std::shared_ptr<MappedFile> file) {
    const std::string& path = file->name();
    const std::vector<ZipEntry> list = read_zip_directory(file->span(), path);
    Entries entries;
    for (const ZipEntry& e : list) entries.emplace(e.name, &e);
    const std::string root = find_root(list, path);
    refuse_torchscript(entries, root, path);
    check_byte_order(entries, root, *file);
    const ZipEntry& pickle = *entries.at(root + "data.pkl");
    if (pickle.bytes > max_pickle)
        throw Error(path, "data.pkl",
                    fmt::format("it has {} bytes, a state dict's has at most {}", pickle.bytes, max_pickle), damaged);

    Container container;
    container.format = Container::Format::pth;
    std::uint64_t copied = 0;
    for (const PickledTensor& t : read_pickled_state_dict(file->span().subspan(pickle.offset, pickle.bytes), path)) {
        const auto entry = entries.find(root + "data/" + t.key);
        if (entry == entries.end())
            throw Error(path, t.name, fmt::format("its storage data/{} is missing in the archive", t.key), damaged);
        container.tensors.push_back(resolve(t, *entry->second, path));
        if (!container.tensors.back().strides.empty()) copied += container.tensors.back().bytes;
    }
    if (copied > file->span().size())
        throw Error(path, "data.pkl", "its views ask for more memory than the file has bytes", damaged);
    container.file = std::move(file);
    return container;
}

} // namespace denoir
