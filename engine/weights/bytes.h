// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace denoir {

/// A bounded cursor over little-endian bytes of a file that may be hostile. Every read returns whether enough bytes
/// were left; if not, nothing is consumed.
class ByteReader {
public:
    explicit ByteReader(std::span<const std::byte> bytes, std::uint64_t at = 0)
        : bytes_(bytes), at_(at < bytes.size() ? at : bytes.size()) {}

    std::uint64_t position() const { return at_; }
    std::uint64_t left() const { return bytes_.size() - at_; }

    template <class T> bool read(T& value) {
        if (left() < sizeof(T)) return false;
        std::memcpy(&value, bytes_.data() + at_, sizeof(T)); // every machine we build for is little endian
        at_ += sizeof(T);
        return true;
    }
    bool skip(std::uint64_t n) {
        if (left() < n) return false;
        at_ += n;
        return true;
    }
    /// A view of the next `n` bytes.
    std::optional<std::string_view> text(std::uint64_t n) {
        if (left() < n) return std::nullopt;
        const std::string_view view(reinterpret_cast<const char*>(bytes_.data()) + at_, n);
        at_ += n;
        return view;
    }

private:
    std::span<const std::byte> bytes_;
    std::uint64_t at_;
};

} // namespace denoir
