// SPDX-License-Identifier: Apache-2.0
// Zip archives and pickles as torch.save writes them, and as somebody with bad intentions would.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "support/files.h"

namespace denoir::test {

struct ZipFile {
    std::string name, data;
    std::uint16_t method = 0, flags = 0;
    std::int64_t packed = -1; ///< the size as claimed; -1 for the true one
    std::int64_t offset = -1; ///< the place of the local header as claimed; -1 for the true one
    bool zip64 = false;       ///< puts sizes and offset into the extra field
};

/// `padding` is the length of an extra field that each local header has and the directory lacks, as torch aligns its
/// data.
std::string zip(const std::vector<ZipFile>& files, std::size_t padding = 0, bool zip64_end = false);

/// The opcodes of a pickle, one call for each.
class Pickle {
public:
    Pickle& raw(std::string_view bytes) { return bytes_ += bytes, *this; }
    Pickle& protocol() { return raw(std::string_view("\x80\x02", 2)); }
    Pickle& global(std::string_view module, std::string_view name) {
        return raw("c").raw(module).raw("\n").raw(name).raw("\n");
    }
    Pickle& text(std::string_view s) { return raw("X").raw(le(static_cast<std::uint32_t>(s.size()))).raw(s); }
    Pickle& number(std::int32_t n) { return raw("J").raw(le(n)); }
    Pickle& tuple(const std::vector<std::int64_t>& values);
    /// A whole tensor: BINPERSID of its storage and REDUCE of _rebuild_tensor_v2.
    Pickle& tensor(std::string_view storage, std::string_view key, std::int64_t count, std::int64_t offset,
                   const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides);
    /// The same for torch's newer types: an UntypedStorage of `bytes` and REDUCE of _rebuild_tensor_v3.
    Pickle& tensor_v3(std::string_view dtype, std::string_view key, std::int64_t bytes, std::int64_t offset,
                      const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides);
    std::string bytes() const { return bytes_ + "."; }
    std::string open() const { return bytes_; }

private:
    std::string bytes_;
};

/// A .pth file of these tensors, each with its own storage.
std::string pth(const std::vector<Raw>& tensors, const std::string& root = "archive");
/// The same archive around any pickle and storages.
std::string pth(const std::string& pickle, const std::vector<std::string>& storages,
                const std::string& root = "archive");

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape);

} // namespace denoir::test
