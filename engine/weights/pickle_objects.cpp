// SPDX-License-Identifier: Apache-2.0
// The names that a state dict may ask for, and what comes of calling them: values that say so, nothing is executed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/weights/limits.h"
#include "engine/weights/pickle_machine.h"

namespace denoir {
namespace {

/// torch has up to 64, networks up to five: a pickle of a megabyte may name as many tensors of them as are read.
constexpr std::size_t max_axes = 16;

struct AllowedName {
    std::string_view module, name;
    PickleMachine::Global global;
    DType dtype = DType::f32; ///< of types
};
constexpr std::array allowed_names = [] {
    using Global = PickleMachine::Global;
    return std::array{AllowedName{"collections", "OrderedDict", Global::ordered_dict},
                      AllowedName{"torch._utils", "_rebuild_tensor", Global::rebuild_tensor_v1},
                      AllowedName{"torch._utils", "_rebuild_tensor_v2", Global::rebuild_tensor},
                      AllowedName{"torch._utils", "_rebuild_tensor_v3", Global::rebuild_tensor_v3},
                      AllowedName{"torch._utils", "_rebuild_parameter", Global::rebuild_parameter},
                      AllowedName{"torch.nn.parameter", "Parameter", Global::parameter},
                      AllowedName{"torch.storage", "UntypedStorage", Global::untyped_storage, DType::u8},
                      AllowedName{"torch", "FloatStorage", Global::storage_type, DType::f32},
                      AllowedName{"torch", "HalfStorage", Global::storage_type, DType::f16},
                      AllowedName{"torch", "BFloat16Storage", Global::storage_type, DType::bf16},
                      AllowedName{"torch", "DoubleStorage", Global::storage_type, DType::f64},
                      AllowedName{"torch", "LongStorage", Global::storage_type, DType::i64},
                      AllowedName{"torch", "IntStorage", Global::storage_type, DType::i32},
                      AllowedName{"torch", "ShortStorage", Global::storage_type, DType::i16},
                      AllowedName{"torch", "CharStorage", Global::storage_type, DType::i8},
                      AllowedName{"torch", "ByteStorage", Global::storage_type, DType::u8},
                      AllowedName{"torch", "BoolStorage", Global::storage_type, DType::boolean},
                      // The types that have no storage of their own, of those that a model comes in: torch writes them
                      // with _rebuild_tensor_v3. As many elements as bytes.
                      AllowedName{"torch", "float8_e4m3fn", Global::dtype, DType::f8_e4m3},
                      AllowedName{"torch", "float8_e5m2", Global::dtype, DType::f8_e5m2}};
}();

} // namespace

void PickleMachine::global() {
    const std::string_view module = line(), name = line();
    const auto allowed =
        std::ranges::find_if(allowed_names, [&](const AllowedName& a) { return a.module == module && a.name == name; });
    if (allowed == allowed_names.end())
        fail(fmt::format("it asks for {}.{}, which a plain state dict never needs: refused, nothing was executed",
                         module, name),
             "only trust files with plain tensors");
    Value v;
    v.kind = Kind::global;
    v.global = allowed->global;
    v.dtype = allowed->dtype;
    push(std::move(v));
}

/// ('storage', StorageType, key, location, element count [, None]); of an UntypedStorage the bytes are counted
void PickleMachine::persistent() {
    const Value& id = value(pop());
    const auto field = [&](std::size_t i, Kind kind) -> const Value& {
        const Value& v = value(id.items[i]);
        if (v.kind != kind) fail("a storage is described in an unknown way");
        return v;
    };
    if (id.kind != Kind::tuple || id.items.size() < 5 || id.items.size() > 6 || field(0, Kind::text).text != "storage")
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

void PickleMachine::reduce() {
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
void PickleMachine::ordered_dict(const std::vector<Ref>& arguments) {
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
void PickleMachine::new_object() {
    const Ref arguments_ref = pop(), type_ref = pop();
    const Value &arguments = value(arguments_ref), &type = value(type_ref);
    if (type.kind != Kind::global || type.global != Global::parameter || arguments.kind != Kind::tuple)
        fail("it makes an object of a forbidden type");
    if (!arguments.items.empty() && value(arguments.items[0]).kind == Kind::tensor) return push(arguments.items[0]);
    push_kind(Kind::parameter);
}

/// Returns how many there are.
std::size_t PickleMachine::check_integers(Ref ref) const {
    const Value& v = value(ref);
    if (v.kind != Kind::tuple || v.items.size() > max_axes) fail("a tensor's size or stride must be a short tuple");
    for (const Ref item : v.items)
        if (value(item).kind != Kind::integer) fail("a tensor's size or stride must hold integers");
    return v.items.size();
}

/// (storage, storage_offset, size, stride [, requires_grad, hooks [, metadata]]), or with the type behind the hooks
void PickleMachine::rebuild_tensor(const std::vector<Ref>& arguments, std::size_t fewest, std::size_t most,
                                   bool typed) {
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
void PickleMachine::build() {
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

} // namespace denoir
