// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cudnn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace denoir::test {

/// Thrown where the documentation says that the library refuses something.
struct Refused {
    cudnnStatus_t status;
    std::string why;
};
inline void require(bool holds, const char* why, cudnnStatus_t status = CUDNN_STATUS_BAD_PARAM) {
    if (!holds) throw Refused{status, why};
}

/// A descriptor of the library's graph interface. Its attributes have names and cannot be changed once it is finalized.
struct Descriptor {
    struct Value {
        cudnnBackendAttributeType_t type;
        std::int64_t count = 0;
        std::vector<std::byte> bytes{};
        std::vector<std::shared_ptr<const Descriptor>> parts{}; ///< for CUDNN_TYPE_BACKEND_DESCRIPTOR, in place of
                                                                ///< bytes
    };
    cudnnBackendDescriptorType_t type;
    bool finalized = false;
    std::map<cudnnBackendAttributeName_t, Value> values{};

    bool has(cudnnBackendAttributeName_t name) const { return values.contains(name); }
    template <class T> std::vector<T> all(cudnnBackendAttributeName_t name) const {
        const auto found = values.find(name);
        if (found == values.end()) return {};
        std::vector<T> out(static_cast<std::size_t>(found->second.count));
        std::memcpy(out.data(), found->second.bytes.data(), out.size() * sizeof(T));
        return out;
    }
    template <class T> T one(cudnnBackendAttributeName_t name, T otherwise = {}) const {
        const auto found = values.find(name);
        if (found != values.end()) std::memcpy(&otherwise, found->second.bytes.data(), sizeof(T));
        return otherwise;
    }
    template <class T>
    void put(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t as, const std::vector<T>& list) {
        const auto* bytes = reinterpret_cast<const std::byte*>(list.data());
        values[name] = {as, static_cast<std::int64_t>(list.size()), {bytes, bytes + list.size() * sizeof(T)}, {}};
    }
    void put_parts(cudnnBackendAttributeName_t name, std::vector<std::shared_ptr<const Descriptor>> parts) {
        const auto count = static_cast<std::int64_t>(parts.size());
        values[name] = {CUDNN_TYPE_BACKEND_DESCRIPTOR, count, {}, std::move(parts)};
    }
    const std::vector<std::shared_ptr<const Descriptor>>& parts(cudnnBackendAttributeName_t name) const {
        return values.at(name).parts;
    }
    const Descriptor& part(cudnnBackendAttributeName_t name) const { return *parts(name)[0]; }
};

} // namespace denoir::test
