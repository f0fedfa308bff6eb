// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "engine/core/error.h"
#include "engine/weights/limits.h"
#include "engine/weights/names.h"
#include "engine/weights/pickle_machine.h"

namespace denoir {
namespace {

using Kind = PickleMachine::Kind;
using Rebuilt = PickleMachine::Rebuilt;
using Ref = PickleMachine::Ref;
using Value = PickleMachine::Value;

/// What a pickle holds.
class Contents {
public:
    Contents(std::span<const std::byte> pickle, const std::string& file)
        : file_(file), machine_(pickle, file), root_(machine_.run()) {}

    PickledStateDict state_dict() {
        PickledStateDict result;
        result.tensors = tensors_of(root_);
        result.storages = std::move(machine_.named_storages());
        result.bytes = bytes();
        return result;
    }

    std::map<std::string, bool> flags() const {
        const Value& dict = value(root_);
        if (dict.kind != Kind::dict) fail("it does not hold a dict");
        std::map<std::string, bool> result;
        for (std::size_t i = 0; i < dict.items.size(); i += 2) {
            const Value &key = value(dict.items[i]), &flag = value(dict.items[i + 1]);
            if (key.kind == Kind::text && key.text.size() <= PickleMachine::max_key && flag.kind == Kind::boolean)
                result[std::string(key.text)] = flag.number != 0;
        }
        return result;
    }

    std::vector<std::string> names() const {
        const Value& list = value(root_);
        if (list.kind != Kind::list) fail("it does not hold a list of names");
        std::vector<std::string> result;
        for (const Ref item : list.items) {
            if (value(item).kind != Kind::text) fail("it does not hold a list of names");
            if (value(item).text.size() > PickleMachine::max_key) fail("a storage's key is too long");
            result.emplace_back(value(item).text);
        }
        return result;
    }

    std::size_t bytes() const { return machine_.bytes(); }

private:
    [[noreturn]] void fail(std::string what) const { machine_.fail(std::move(what)); }
    const Value& value(Ref ref) const { return machine_.value(ref); }
    std::vector<std::int64_t> integers(Ref ref) const {
        std::vector<std::int64_t> result;
        for (const Ref item : value(ref).items) result.push_back(value(item).number);
        return result;
    }

    bool holds_tensor(const Value& dict) const {
        for (std::size_t i = 1; i < dict.items.size(); i += 2)
            if (value(dict.items[i]).kind == Kind::tensor) return true;
        return false;
    }
    /// The dict that holds the network's tensors: `root`, or one within it under a usual name. A generator is preferred
    /// to tensors beside it, which training may leave there. `seen`: the dicts so far, since one may contain itself.
    std::optional<Ref> state_within(Ref root, int depth, std::unordered_set<Ref>& seen) const {
        if (!seen.insert(root).second) return std::nullopt;
        static constexpr std::array<std::string_view, 6> names{"generator_ema", "generator", "generator_lora",
                                                               "state_dict",    "model",     "module"};
        const Value& dict = value(root);
        std::array<std::optional<Ref>, names.size()> found;
        for (std::size_t i = 0; i < dict.items.size(); i += 2) {
            const Value& key = value(dict.items[i]);
            if (key.kind != Kind::text || value(dict.items[i + 1]).kind != Kind::dict) continue;
            const auto name = std::ranges::find(names, key.text);
            if (name != names.end()) found[std::size_t(name - names.begin())] = dict.items[i + 1];
        }
        const bool tensors = holds_tensor(dict);
        for (std::size_t i = 0; i < names.size() && depth > 0; ++i)
            if (found[i] && (!tensors || names[i].starts_with("generator")))
                if (const auto inner = state_within(*found[i], depth - 1, seen)) return inner;
        return tensors ? std::optional(root) : std::nullopt;
    }

    PickledTensor written_out(const Rebuilt& tensor, std::string_view name) const {
        const Value& storage = value(tensor.storage);
        return {std::string(name), tensor.dtype,           std::string(storage.text), storage.number,
                tensor.offset,     integers(tensor.shape), integers(tensor.strides)};
    }

    std::vector<PickledTensor> tensors_of(Ref root) const {
        if (value(root).kind != Kind::dict) fail("it does not hold a dict of tensors");
        constexpr int most_levels = 4;
        std::unordered_set<Ref> seen;
        root = state_within(root, most_levels, seen).value_or(root);
        std::vector<PickledTensor> result;
        std::unordered_set<std::string> names;
        const std::vector<Ref>& items = value(root).items;
        for (std::size_t i = 0; i < items.size(); i += 2) {
            const Value &key = value(items[i]), &v = value(items[i + 1]);
            if (key.kind != Kind::text || v.kind != Kind::tensor) continue;
            if (key.text.size() > max_tensor_name)
                fail(fmt::format("a tensor's name is longer than {} bytes", max_tensor_name));
            const std::string name = without_wrappers(key.text);
            if (!names.insert(name).second)
                throw Error(file_, name, "the tensor is there twice", "save the state dict again");
            if (result.size() == max_tensors) fail(fmt::format("it names more than {} tensors", max_tensors));
            result.push_back(written_out(machine_.tensor(v), name));
        }
        return result;
    }

    const std::string& file_;
    PickleMachine machine_;
    Ref root_;
};

} // namespace

PickledStateDict read_pickled_state_dict(std::span<const std::byte> pickle, const std::string& file) {
    return Contents(pickle, file).state_dict();
}

PickledFlags read_pickled_flags(std::span<const std::byte> pickle, const std::string& file) {
    const Contents contents(pickle, file);
    return {contents.flags(), contents.bytes()};
}

PickledNames read_pickled_names(std::span<const std::byte> pickle, const std::string& file) {
    const Contents contents(pickle, file);
    return {contents.names(), contents.bytes()};
}

} // namespace denoir
