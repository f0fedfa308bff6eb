// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "engine/core/error.h"
#include "engine/weights/bytes.h"

namespace denoir {
namespace {

constexpr std::size_t max_values = 2'000'000;
constexpr std::size_t max_stack = 1'000'000;
constexpr std::size_t max_memo = 1'000'000;
constexpr std::size_t max_tensors = 250'000;
constexpr std::size_t max_axes = 64;
/// A key is a short number; where one would be a megabyte, each storage and tensor that names it would cost as much.
constexpr std::size_t max_key = 64;
constexpr std::size_t max_name = 4096;

/// Values live in one array and point to one another by index, so that neither a deep nest nor a cycle can hurt a
/// destructor.
using Ref = std::uint32_t;

enum class Kind : std::uint8_t { none, boolean, integer, text, global, tuple, list, dict, storage, tensor, parameter };

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

struct AllowedStorage {
    std::string_view name;
    DType dtype;
};
constexpr std::array storages{
    AllowedStorage{"FloatStorage", DType::f32},     AllowedStorage{"HalfStorage", DType::f16},
    AllowedStorage{"BFloat16Storage", DType::bf16}, AllowedStorage{"DoubleStorage", DType::f64},
    AllowedStorage{"LongStorage", DType::i64},      AllowedStorage{"IntStorage", DType::i32},
    AllowedStorage{"ShortStorage", DType::i16},     AllowedStorage{"CharStorage", DType::i8},
    AllowedStorage{"ByteStorage", DType::u8},       AllowedStorage{"BoolStorage", DType::boolean}};

/// The types that have no storage of their own, of those that a model comes in: torch writes them with
/// _rebuild_tensor_v3. As many elements as bytes.
constexpr std::array untyped{std::pair{std::string_view("float8_e4m3fn"), DType::f8_e4m3},
                             std::pair{std::string_view("float8_e5m2"), DType::f8_e5m2}};

/// What FSDP, activation checkpointing and torch.compile put into the names of a module that they wrap.
std::string without_wrappers(std::string_view name) {
    static constexpr std::array<std::string_view, 3> wrappers{"_fsdp_wrapped_module.", "_checkpoint_wrapped_module.",
                                                              "_orig_mod."};
    std::string plain;
    while (!name.empty()) {
        const auto wrapper =
            std::find_if(wrappers.begin(), wrappers.end(), [&](std::string_view w) { return name.starts_with(w); });
        const std::size_t part = std::min(name.find('.'), name.size() - 1) + 1;
        if (wrapper == wrappers.end()) plain += name.substr(0, part);
        name.remove_prefix(part);
    }
    return plain;
}

class Machine {
public:
    Machine(std::span<const std::byte> pickle, const std::string& file)
        : in_(pickle), file_(file), left_to_copy_(pickle.size()) {
        values_.reserve(1024);
    }

    PickledStateDict state_dict() {
        PickledStateDict result;
        result.tensors = tensors_of(run());
        result.storages = std::move(storages_);
        result.bytes = bytes();
        return result;
    }

    std::map<std::string, bool> flags() {
        const Value& dict = value(run());
        if (dict.kind != Kind::dict) fail("it does not hold a dict");
        std::map<std::string, bool> result;
        for (std::size_t i = 0; i < dict.items.size(); i += 2) {
            const Value &key = value(dict.items[i]), &flag = value(dict.items[i + 1]);
            if (key.kind == Kind::text && key.text.size() <= max_key && flag.kind == Kind::boolean)
                result[std::string(key.text)] = flag.number != 0;
        }
        return result;
    }

    std::vector<std::string> names() {
        const Value& list = value(run());
        if (list.kind != Kind::list) fail("it does not hold a list of names");
        std::vector<std::string> result;
        for (const Ref item : list.items) {
            if (value(item).kind != Kind::text) fail("it does not hold a list of names");
            if (value(item).text.size() > max_key) fail("a storage's key is too long");
            result.emplace_back(value(item).text);
        }
        return result;
    }

    std::size_t bytes() const { return in_.position(); }

private:
    [[noreturn]] void
    fail(std::string what,
         std::string hint =
             "the file is damaged, or not a plain state dict: save it with torch.save(model.state_dict(), …)") const {
        throw Error(file_, "data.pkl", fmt::format("{} (byte {})", what, in_.position()), std::move(hint));
    }

    /// The value that is left when the pickle ends.
    Ref run() {
        for (;;) {
            std::uint8_t opcode = 0;
            take(opcode);
            if (opcode == '.') return pop();
            step(opcode);
        }
    }

    template <class T> void take(T& value) {
        if (!in_.read(value)) fail("it ends too early");
    }
    template <class T> std::uint64_t number() {
        T value{};
        take(value);
        return value;
    }
    std::string_view text(std::uint64_t n) {
        const auto view = in_.text(n);
        if (!view) fail("a string is longer than the rest of it");
        return *view;
    }
    std::string_view line() {
        std::string_view rest = *in_.text(0);
        const std::string_view ahead(rest.data(), std::min<std::uint64_t>(in_.left(), 256));
        const auto end = ahead.find('\n');
        if (end == std::string_view::npos) fail("a name without an end");
        const std::string_view word = text(end);
        in_.skip(1);
        return word;
    }

    // Stack, marks, memo

    Ref add(Value value) {
        if (values_.size() == max_values) fail("it makes too many values");
        values_.push_back(std::move(value));
        return static_cast<Ref>(values_.size() - 1);
    }
    void push(Ref ref) {
        if (stack_.size() == max_stack) fail("its stack grows too large");
        stack_.push_back(ref);
    }
    void push(Value value) { push(add(std::move(value))); }
    void push_kind(Kind kind) {
        Value v;
        v.kind = kind;
        push(std::move(v));
    }
    void push_number(Kind kind, std::int64_t n) {
        Value v;
        v.kind = kind;
        v.number = n;
        push(std::move(v));
    }
    Ref pop() {
        const std::size_t floor = marks_.empty() ? 0 : marks_.back();
        if (stack_.size() <= floor) fail("it takes more from the stack than there is");
        const Ref ref = stack_.back();
        stack_.pop_back();
        return ref;
    }
    Ref top() {
        const Ref ref = pop();
        stack_.push_back(ref);
        return ref;
    }
    std::vector<Ref> pop_to_mark() {
        if (marks_.empty()) fail("a mark is missing");
        const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
        std::vector<Ref> items(begin, stack_.end());
        stack_.erase(begin, stack_.end());
        marks_.pop_back();
        return items;
    }
    void remember(std::uint64_t index) {
        // Picklers number the memo from 0 without holes.
        if (index >= max_memo || index > memo_.size() + 1024) fail("its memo grows too large");
        if (index >= memo_.size()) memo_.resize(index + 1, no_value);
        memo_[index] = top();
    }
    void recall(std::uint64_t index) {
        if (index >= memo_.size() || memo_[index] == no_value) fail("it recalls something that was never stored");
        push(memo_[index]);
    }
    const Value& value(Ref ref) const { return values_[ref]; }
    /// Each item that an honest pickle puts into a dict or a list has bytes of its own there; one that asks for more
    /// copies has them made from the same list again and again.
    void charge(std::size_t items) {
        if (items > left_to_copy_) fail("it copies more items than it has bytes");
        left_to_copy_ -= items;
    }

    // Opcodes

    void step(std::uint8_t opcode) {
        switch (opcode) {
        case 0x80:
            return protocol();
        case 'c':
            return global();
        case 'q':
            return remember(number<std::uint8_t>());
        case 'r':
            return remember(number<std::uint32_t>());
        case 'h':
            return recall(number<std::uint8_t>());
        case 'j':
            return recall(number<std::uint32_t>());
        case 'X':
            return string(number<std::uint32_t>());
        case 'U':
            return string(number<std::uint8_t>());
        case 'T':
            return string(number<std::uint32_t>());
        case 'J':
            return push_number(Kind::integer, static_cast<std::int32_t>(number<std::uint32_t>()));
        case 'K':
            return push_number(Kind::integer, static_cast<std::int64_t>(number<std::uint8_t>()));
        case 'M':
            return push_number(Kind::integer, static_cast<std::int64_t>(number<std::uint16_t>()));
        case 0x8A:
            return long_integer(number<std::uint8_t>());
        case 'Q':
            return persistent();
        case 's':
            return set_items({}, true);
        case 'u':
            return set_items(pop_to_mark(), false);
        case 'a':
            return append({}, true);
        case 'e':
            return append(pop_to_mark(), false);
        case '}':
            return push_kind(Kind::dict);
        case ']':
            return push_kind(Kind::list);
        case ')':
            return push_kind(Kind::tuple);
        case '(':
            if (marks_.size() == max_stack) fail("its stack grows too large");
            return marks_.push_back(stack_.size());
        case 't':
            return tuple(pop_to_mark());
        case 0x85:
            return tuple_of(1);
        case 0x86:
            return tuple_of(2);
        case 0x87:
            return tuple_of(3);
        case 0x88:
            return push_number(Kind::boolean, 1);
        case 0x89:
            return push_number(Kind::boolean, 0);
        case 'N':
            return push_kind(Kind::none);
        case 'R':
            return reduce();
        case 0x81:
            return new_object();
        case 'b':
            return build();
        default:
            fail(fmt::format("opcode 0x{:02X} is not one that a state dict needs: refused, nothing was executed",
                             opcode),
                 "only trust files with plain tensors");
        }
    }

    void protocol() {
        const auto version = number<std::uint8_t>();
        if (version != 2) fail(fmt::format("pickle protocol {}, torch.save writes 2", version));
    }

    void global() {
        const std::string_view module = line(), name = line();
        Value v;
        v.kind = Kind::global;
        if (module == "collections" && name == "OrderedDict") {
            v.global = Global::ordered_dict;
        } else if (module == "torch._utils" && name == "_rebuild_tensor_v2") {
            v.global = Global::rebuild_tensor;
        } else if (module == "torch._utils" && name == "_rebuild_tensor") {
            v.global = Global::rebuild_tensor_v1;
        } else if (module == "torch._utils" && name == "_rebuild_tensor_v3") {
            v.global = Global::rebuild_tensor_v3;
        } else if (module == "torch.storage" && name == "UntypedStorage") {
            v.global = Global::untyped_storage;
            v.dtype = DType::u8;
        } else if (module == "torch._utils" && name == "_rebuild_parameter") {
            v.global = Global::rebuild_parameter;
        } else if (module == "torch.nn.parameter" && name == "Parameter") {
            v.global = Global::parameter;
        } else {
            const auto storage =
                std::find_if(storages.begin(), storages.end(), [&](const AllowedStorage& s) { return s.name == name; });
            const auto type =
                std::find_if(untyped.begin(), untyped.end(), [&](const auto& t) { return t.first == name; });
            if (module != "torch" || (storage == storages.end() && type == untyped.end()))
                fail(fmt::format(
                         "it asks for {}.{}, which a plain state dict never needs: refused, nothing was executed",
                         module, name),
                     "only trust files with plain tensors");
            v.global = type == untyped.end() ? Global::storage_type : Global::dtype;
            v.dtype = type == untyped.end() ? storage->dtype : type->second;
        }
        push(std::move(v));
    }

    void string(std::uint64_t n) {
        Value v;
        v.kind = Kind::text;
        v.text = text(n);
        push(std::move(v));
    }

    void long_integer(std::uint64_t n) {
        if (n > 8) fail("a number does not fit in 64 bits");
        const std::string_view digits = text(n);
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < digits.size(); ++i)
            bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(digits[i])) << (8 * i);
        if (n > 0 && n < 8 && (static_cast<unsigned char>(digits.back()) & 0x80u)) bits |= ~std::uint64_t{0} << (8 * n);
        push_number(Kind::integer, static_cast<std::int64_t>(bits));
    }

    void tuple(std::vector<Ref> items) {
        Value v;
        v.kind = Kind::tuple;
        v.items = std::move(items);
        push(std::move(v));
    }
    void tuple_of(std::size_t n) {
        std::vector<Ref> items(n);
        while (n-- > 0) items[n] = pop();
        tuple(std::move(items));
    }

    void set_items(std::vector<Ref> items, bool one) {
        if (one) {
            const Ref second = pop();
            items = {pop(), second};
        }
        if (items.size() % 2 != 0) fail("a dict gets a key without a value");
        charge(items.size());
        Value& dict = values_[top()];
        if (dict.kind != Kind::dict) fail("it sets items of something other than a dict");
        dict.items.insert(dict.items.end(), items.begin(), items.end());
    }
    void append(std::vector<Ref> items, bool one) {
        if (one) items = {pop()};
        charge(items.size());
        Value& list = values_[top()];
        if (list.kind != Kind::list) fail("it appends to something other than a list");
        list.items.insert(list.items.end(), items.begin(), items.end());
    }

    /// ('storage', StorageType, key, location, element count [, None]); of an UntypedStorage the bytes are counted
    void persistent() {
        const Value& id = value(pop());
        const auto field = [&](std::size_t i, Kind kind) -> const Value& {
            const Value& v = value(id.items[i]);
            if (v.kind != kind) fail("a storage is described in an unknown way");
            return v;
        };
        if (id.kind != Kind::tuple || id.items.size() < 5 || id.items.size() > 6 ||
            field(0, Kind::text).text != "storage")
            fail("a storage is described in an unknown way");
        if (id.items.size() == 6) field(5, Kind::none); // a view of another storage: never seen
        const Value& type = field(1, Kind::global);
        if (type.global != Global::storage_type && type.global != Global::untyped_storage)
            fail("a storage has an unknown type");
        field(3, Kind::text);
        Value v;
        v.kind = Kind::storage;
        v.global = type.global;
        v.dtype = type.dtype;
        v.text = field(2, Kind::text).text;
        if (v.text.size() > max_key) fail("a storage's key is too long");
        v.number = field(4, Kind::integer).number;
        if (storage_keys_.insert(v.text).second) storages_.push_back({std::string(v.text), v.dtype, v.number});
        push(std::move(v));
    }

    void reduce() {
        const Ref arguments_ref = pop(), callable_ref = pop();
        const Value &arguments = value(arguments_ref), &callable = value(callable_ref);
        if (callable.kind != Kind::global || arguments.kind != Kind::tuple)
            fail("it calls something other than an allowed name");
        switch (callable.global) {
        case Global::ordered_dict:
            return ordered_dict(arguments.items);
        case Global::rebuild_tensor:
            return rebuild_tensor(arguments.items, 6, 7, false);
        case Global::rebuild_tensor_v1:
            return rebuild_tensor(arguments.items, 4, 4, false);
        case Global::rebuild_tensor_v3:
            return rebuild_tensor(arguments.items, 7, 8, true);
        case Global::rebuild_parameter:
            if (arguments.items.size() != 3 || value(arguments.items[0]).kind != Kind::tensor)
                fail("a parameter is described in an unknown way");
            return push(arguments.items[0]);
        case Global::parameter:
            fail("it calls a parameter's type");
        case Global::storage_type:
        case Global::untyped_storage:
            fail("it calls a storage type");
        case Global::dtype:
            fail("it calls a tensor's type");
        }
    }

    /// Without arguments, or as Python 2 wrote it: from a list of lists [key, value].
    void ordered_dict(const std::vector<Ref>& arguments) {
        Value dict;
        dict.kind = Kind::dict;
        if (!arguments.empty()) {
            if (arguments.size() != 1 || value(arguments[0]).kind != Kind::list)
                fail("an OrderedDict is described in an unknown way");
            for (const Ref ref : value(arguments[0]).items) {
                const Value& pair = value(ref);
                if (pair.kind != Kind::list || pair.items.size() != 2)
                    fail("an OrderedDict is described in an unknown way");
                charge(2);
                dict.items.insert(dict.items.end(), pair.items.begin(), pair.items.end());
            }
        }
        push(std::move(dict));
    }

    /// A Parameter, as PyTorch before 0.4 wrote it: its tensor comes with the arguments or with the state.
    void new_object() {
        const Ref arguments_ref = pop(), type_ref = pop();
        const Value &arguments = value(arguments_ref), &type = value(type_ref);
        if (type.kind != Kind::global || type.global != Global::parameter || arguments.kind != Kind::tuple)
            fail("it makes an object of a forbidden type");
        if (!arguments.items.empty() && value(arguments.items[0]).kind == Kind::tensor) return push(arguments.items[0]);
        push_kind(Kind::parameter);
    }

    /// Returns how many there are.
    std::size_t check_integers(Ref ref) const {
        const Value& v = value(ref);
        if (v.kind != Kind::tuple || v.items.size() > max_axes) fail("a tensor's size or stride must be a short tuple");
        for (const Ref item : v.items)
            if (value(item).kind != Kind::integer) fail("a tensor's size or stride must hold integers");
        return v.items.size();
    }
    std::vector<std::int64_t> integers(Ref ref) const {
        std::vector<std::int64_t> result;
        for (const Ref item : value(ref).items) result.push_back(value(item).number);
        return result;
    }

    /// (storage, storage_offset, size, stride [, requires_grad, hooks [, metadata]]), or with the type behind the hooks
    void rebuild_tensor(const std::vector<Ref>& arguments, std::size_t fewest, std::size_t most, bool typed) {
        if (arguments.size() < fewest || arguments.size() > most) fail("a tensor is described in an unknown way");
        const Value &storage = value(arguments[0]), &offset = value(arguments[1]);
        if (storage.kind != Kind::storage || offset.kind != Kind::integer ||
            (storage.global == Global::untyped_storage) != typed)
            fail("a tensor is described in an unknown way");
        const Value& type = typed ? value(arguments[6]) : storage;
        if (typed && (type.kind != Kind::global || type.global != Global::dtype))
            fail("a tensor is described in an unknown way");
        if (check_integers(arguments[2]) != check_integers(arguments[3]))
            fail("a tensor has sizes and strides of different length");
        if (tensors_.size() == max_tensors) fail(fmt::format("it makes more than {} tensors", max_tensors));
        tensors_.push_back({arguments[0], type.dtype, offset.number, arguments[2], arguments[3]});
        push_number(Kind::tensor, static_cast<std::int64_t>(tensors_.size() - 1));
    }

    /// torch leaves {'_metadata': …} on the OrderedDict: looked at and dropped. An old Parameter has its tensor there.
    void build() {
        const Ref state_ref = pop(), object_ref = top();
        const Value& state = value(state_ref);
        Value& object = values_[object_ref];
        const bool parameter = object.kind == Kind::parameter || object.kind == Kind::tensor;
        if (!(parameter && state.kind == Kind::tuple) && !(object.kind == Kind::dict && state.kind == Kind::dict))
            fail("it sets the state of something other than a dict");
        if (object.kind != Kind::parameter) return;
        if (state.items.empty() || value(state.items[0]).kind != Kind::tensor)
            fail("a parameter is described in an unknown way");
        object = value(state.items[0]);
    }

    // The result

    bool holds_tensor(const Value& dict) const {
        for (std::size_t i = 1; i < dict.items.size(); i += 2)
            if (value(dict.items[i]).kind == Kind::tensor) return true;
        return false;
    }
    /// The dict that holds the network's tensors: `root`, or one within it under a usual name. Trainings keep loose
    /// tensors beside their generator. `seen`: a dict may lie within itself.
    std::optional<Ref> state_within(Ref root, int depth, std::unordered_set<Ref>& seen) const {
        if (!seen.insert(root).second) return std::nullopt;
        static constexpr std::array<std::string_view, 6> names{"generator_ema", "generator", "generator_lora",
                                                               "state_dict",    "model",     "module"};
        const Value& dict = value(root);
        std::array<std::optional<Ref>, names.size()> found;
        for (std::size_t i = 0; i < dict.items.size(); i += 2) {
            const Value& key = value(dict.items[i]);
            if (key.kind != Kind::text || value(dict.items[i + 1]).kind != Kind::dict) continue;
            const auto name = std::find(names.begin(), names.end(), key.text);
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
            if (key.text.size() > max_name) fail(fmt::format("a tensor's name is longer than {} bytes", max_name));
            const std::string name = without_wrappers(key.text);
            if (!names.insert(name).second)
                throw Error(file_, name, "the tensor is there twice", "save the state dict again");
            if (result.size() == max_tensors) fail(fmt::format("it names more than {} tensors", max_tensors));
            result.push_back(written_out(tensors_[static_cast<std::size_t>(v.number)], name));
        }
        return result;
    }

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

} // namespace

PickledStateDict read_pickled_state_dict(std::span<const std::byte> pickle, const std::string& file) {
    return Machine(pickle, file).state_dict();
}

std::map<std::string, bool> read_pickled_flags(std::span<const std::byte> pickle, const std::string& file,
                                               std::size_t& bytes) {
    Machine machine(pickle, file);
    auto flags = machine.flags();
    bytes = machine.bytes();
    return flags;
}

std::vector<std::string> read_pickled_names(std::span<const std::byte> pickle, const std::string& file,
                                            std::size_t& bytes) {
    Machine machine(pickle, file);
    auto names = machine.names();
    bytes = machine.bytes();
    return names;
}

} // namespace denoir
