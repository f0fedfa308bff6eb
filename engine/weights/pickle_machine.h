// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the readers of pickles.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/weights/bytes.h"
#include "engine/weights/pickle.h"

namespace denoir {

/// Executes a pickle with inert values: what spec/checkpoints.md 4.2 allows, and nothing else. Memo, stack, values,
/// tensors and copies are bounded.
class PickleMachine {
public:
    /// Bytes of a storage's key. It is a short number; if it could be a megabyte, each storage and tensor that names it
    /// would cost as much.
    static constexpr std::size_t max_key = 64;

    /// Values live in one array and point to one another by index, so that neither a deep nest nor a cycle can hurt a
    /// destructor.
    using Ref = std::uint32_t;

    enum class Kind : std::uint8_t {
        none,
        boolean,
        integer,
        text,
        global,
        tuple,
        list,
        dict,
        storage,
        tensor,
        parameter
    };

    enum class Global : std::uint8_t {
        ordered_dict,
        rebuild_tensor,
        rebuild_tensor_v1,
        rebuild_tensor_v3,
        rebuild_parameter,
        parameter,
        storage_type,
        untyped_storage,
        dtype
    };

    struct Value {
        Kind kind = Kind::none;
        Global global = Global::ordered_dict;
        DType dtype = DType::f32; // types, storage types and storages (of an untyped one's bytes)
        std::int64_t number = 0;  // integers; element count of storages; index of tensors
        std::string_view text;    // strings; key of storages
        std::vector<Ref> items;   // tuples, lists; dicts: key, value, key, value, …
    };

    /// What _rebuild_tensor_v2 or _v3 was told, checked: only tensors of the state dict are written out.
    struct Rebuilt {
        Ref storage;
        DType dtype;
        std::int64_t offset;
        Ref shape, strides;
    };

    PickleMachine(std::span<const std::byte> pickle, const std::string& file)
        : in_(pickle), file_(file), left_to_copy_(pickle.size()) {
        values_.reserve(1024);
    }

    /// Executes the pickle; the value that is left when it ends.
    Ref run();
    std::size_t bytes() const { return in_.position(); } ///< that were read
    const Value& value(Ref ref) const { return values_[ref]; }
    /// The tensor that a value of Kind::tensor stands for.
    const Rebuilt& tensor(const Value& v) const { return tensors_[static_cast<std::size_t>(v.number)]; }
    /// Each once, in the order in which they were named.
    std::vector<PickledStorage>& named_storages() { return storages_; }

    [[noreturn]] void
    fail(std::string what,
         std::string hint =
             "the file is damaged, or not a plain state dict: save it with torch.save(model.state_dict(), …)") const;

private:
    template <class T> void take(T& value) {
        if (!in_.read(value)) fail("it ends too early");
    }
    template <class T> std::uint64_t number() {
        T value{};
        take(value);
        return value;
    }
    std::string_view text(std::uint64_t n);
    std::string_view line();

    // Stack, marks, memo
    Ref add(Value value);
    void push(Ref ref);
    void push(Value value) { push(add(std::move(value))); }
    void push_kind(Kind kind);
    void push_number(Kind kind, std::int64_t n);
    Ref pop();
    Ref top();
    std::vector<Ref> pop_to_mark();
    void remember(std::uint64_t index);
    void recall(std::uint64_t index);
    /// Counts items that are put into a dict or a list. In an honest pickle each has bytes of its own, so more of them
    /// than bytes are refused: a hostile one copies the same list again and again.
    void charge(std::size_t items);

    // Opcodes of plain values
    void step(std::uint8_t opcode);
    void protocol();
    void string(std::uint64_t n);
    void long_integer(std::uint64_t n);
    void tuple(std::vector<Ref> items);
    void tuple_of(std::size_t n);
    void set_items(std::vector<Ref> items, bool one);
    void append(std::vector<Ref> items, bool one);

    // Opcodes that name and call (pickle_objects.cpp)
    void global();
    void persistent();
    void reduce();
    void new_object();
    void build();
    void ordered_dict(const std::vector<Ref>& arguments);
    void rebuild_tensor(const std::vector<Ref>& arguments, std::size_t fewest, std::size_t most, bool typed);
    std::size_t check_integers(Ref ref) const;

    static constexpr Ref no_value = ~Ref{0};
    ByteReader in_;
    const std::string& file_;
    std::vector<Value> values_;
    std::size_t left_to_copy_; ///< items
    std::vector<Rebuilt> tensors_;
    std::vector<PickledStorage> storages_;
    std::unordered_set<std::string_view> storage_keys_;
    std::vector<Ref> stack_, memo_;
    std::vector<std::size_t> marks_;
};

} // namespace denoir
