// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/pth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <unordered_map>

#include "engine/core/error.h"
#include "engine/weights/bytes.h"
#include "engine/weights/pickle.h"
#include "engine/weights/zip.h"

namespace denoir {
namespace {

constexpr std::uint64_t max_pickle = 32u << 20;
/// torch.save's magic number 0x1950A86A20F9469CFC6C and protocol version 1001, each pickled.
constexpr std::string_view old_magic("\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.", 15);
constexpr std::string_view old_protocol("\x80\x02M\xE9\x03.", 6);
constexpr const char* damaged = "the file is damaged: download or write it again";
constexpr const char* take_clones = "save it again with a clone() of each tensor";

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
    const bool code = std::ranges::any_of(entries, [&](const auto& e) { return e.first.starts_with(root + "code/"); });
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

/// Where the data of a storage lie in the file: an entry of its archive, or a stretch of an old file.
struct StoredBytes {
    std::uint64_t offset = 0, bytes = 0;
};

/// Throws Error unless every element of the view lies inside the storage, and the storage inside its bytes. Returns the
/// number of elements.
std::int64_t check_view(const PickledTensor& t, const StoredBytes& stored, const std::string& file) {
    const auto refuse = [&](std::string what) { throw Error(file, t.name, std::move(what), damaged); };
    if (t.count < 0 ||
        static_cast<std::uint64_t>(t.count) > stored.bytes / static_cast<unsigned>(element_bytes(t.dtype)))
        refuse(fmt::format("its storage asks for {} elements, the archive holds {} bytes", t.count, stored.bytes));
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
    return *elements;
}

FileTensor resolve(const PickledTensor& t, const StoredBytes& stored, const MappedFile& file) {
    const std::int64_t elements = check_view(t, stored, file.name());
    const auto width = static_cast<std::uint64_t>(element_bytes(t.dtype));
    if (static_cast<std::uint64_t>(elements) > file.span().size() / width) // an expanded view, with strides of 0
        throw Error(file.name(), t.name, "it repeats its storage until it is larger than the file", take_clones);
    FileTensor result;
    result.name = t.name;
    result.dtype = t.dtype;
    result.dtype_name = info(t.dtype).safetensors;
    result.shape = t.shape;
    result.offset = stored.offset + static_cast<std::uint64_t>(t.offset) * width;
    result.bytes = static_cast<std::uint64_t>(elements) * width;
    if (elements > 0 && !is_dense(t)) result.strides = t.strides;
    return result;
}

/// `storage_of` gives the data of a tensor's storage, or throws.
Container container_of(std::shared_ptr<MappedFile> file, const std::vector<PickledTensor>& tensors,
                       const std::function<StoredBytes(const PickledTensor&)>& storage_of) {
    Container container;
    container.format = Container::Format::pth;
    std::uint64_t copied = 0, seen = 0;
    for (const PickledTensor& t : tensors) {
        container.tensors.push_back(resolve(t, storage_of(t), *file));
        seen += container.tensors.back().bytes;
        if (!container.tensors.back().strides.empty()) copied += container.tensors.back().bytes;
    }
    // Tied weights are views of the same storage, and each becomes a tensor of its own.
    constexpr std::uint64_t most_views = 4;
    if (copied > file->span().size() || seen / most_views > file->span().size())
        throw Error(file->name(), "data.pkl", "its views ask for more memory than the file has bytes", take_clones);
    container.file = std::move(file);
    return container;
}

using Storages = std::unordered_map<std::string_view, StoredBytes>; ///< by key

/// The storages that follow the pickles of an old file from `at` on, in the order of `keys`: for each the number of
/// elements (64 bits), then the elements, whose type `named` tells (the storages of the state dict). The result refers
/// to the strings in `keys`.
Storages read_old_storages(const MappedFile& file, std::uint64_t at, const std::vector<std::string>& keys,
                           const std::vector<PickledStorage>& named) {
    std::unordered_map<std::string_view, const PickledStorage*> known;
    for (const PickledStorage& s : named) known.emplace(s.key, &s);
    Storages storages;
    for (const std::string& key : keys) {
        const auto refuse = [&](std::string what) { throw Error(file.name(), key, std::move(what), damaged); };
        const auto storage = known.find(key);
        std::int64_t count = 0;
        ByteReader in(file.span(), at);
        if (storage == known.end()) refuse("a storage that no tensor names");
        if (!in.read(count)) refuse("the file ends before this storage");
        const auto width = std::uint64_t(element_bytes(storage->second->dtype));
        if (count != storage->second->count || count < 0 || std::uint64_t(count) > in.left() / width)
            refuse(fmt::format("this storage says {} elements, the pickle {}, the file has room for {}", count,
                               storage->second->count, in.left() / width));
        const StoredBytes stored{in.position(), std::uint64_t(count) * width};
        if (!storages.emplace(key, stored).second) refuse("this storage is there twice");
        at = stored.offset + stored.bytes;
    }
    return storages;
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

    const PickledStateDict dict = read_pickled_state_dict(file->span().subspan(pickle.offset, pickle.bytes), path);
    return container_of(std::move(file), dict.tensors, [&](const PickledTensor& t) -> StoredBytes {
        const auto entry = entries.find(root + "data/" + t.key);
        if (entry != entries.end()) return {entry->second->offset, entry->second->bytes};
        throw Error(path, t.name, fmt::format("its storage data/{} is missing in the archive", t.key), damaged);
    });
}

bool is_old_pth(std::span<const std::byte> file) {
    return file.size() >= old_magic.size() && std::memcmp(file.data(), old_magic.data(), old_magic.size()) == 0;
}

Container read_old_pth(std::shared_ptr<MappedFile> file) {
    const std::string& path = file->name();
    std::uint64_t at = old_magic.size();
    const auto rest = [&] {
        return file->span().subspan(at, std::min<std::uint64_t>(file->span().size() - at, max_pickle));
    };
    const std::string_view protocol(reinterpret_cast<const char*>(rest().data()),
                                    std::min(old_protocol.size(), rest().size()));
    if (protocol != old_protocol) throw Error(path, "", "its protocol is not the one of PyTorch 0.1 to 1.5", damaged);
    at += protocol.size();
    const PickledFlags system = read_pickled_flags(rest(), path);
    at += system.bytes;
    if (const auto it = system.flags.find("little_endian"); it != system.flags.end() && !it->second)
        throw Error(path, "little_endian", "not little-endian", "save it again on an x86 or ARM machine");
    const PickledStateDict dict = read_pickled_state_dict(rest(), path);
    at += dict.bytes;
    const PickledNames keys = read_pickled_names(rest(), path);
    at += keys.bytes;

    const Storages storages = read_old_storages(*file, at, keys.names, dict.storages);
    Container container = container_of(std::move(file), dict.tensors, [&](const PickledTensor& t) -> StoredBytes {
        const auto storage = storages.find(t.key);
        if (storage != storages.end()) return storage->second;
        throw Error(path, t.name, fmt::format("its storage {} is missing", t.key), damaged);
    });
    container.old_pth = true;
    return container;
}

} // namespace denoir
