// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/pickle_machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"

namespace denoir {
namespace {

// Bounds of a hostile pickle's memory, which its length alone does not give.
constexpr std::size_t max_values = 2'000'000;
constexpr std::size_t max_stack = 1'000'000;
constexpr std::size_t max_memo = 1'000'000;

} // namespace

void PickleMachine::fail(std::string what, std::string hint) const {
    throw Error(file_, "data.pkl", fmt::format("{} (byte {})", what, in_.position()), std::move(hint));
}

PickleMachine::Ref PickleMachine::run() {
    for (;;) {
        std::uint8_t opcode = 0;
        take(opcode);
        if (opcode == '.') return pop(); // STOP
        step(opcode);
    }
}

std::string_view PickleMachine::text(std::uint64_t n) {
    const auto view = in_.text(n);
    if (!view) fail("a string is longer than the rest of it");
    return *view;
}

std::string_view PickleMachine::line() {
    std::string_view rest = *in_.text(0);
    const std::string_view ahead(rest.data(), std::min<std::uint64_t>(in_.left(), 256));
    const auto end = ahead.find('\n');
    if (end == std::string_view::npos) fail("a name without an end");
    const std::string_view word = text(end);
    in_.skip(1);
    return word;
}

// Stack, marks, memo

PickleMachine::Ref PickleMachine::add(Value value) {
    if (values_.size() == max_values) fail("it makes too many values");
    values_.push_back(std::move(value));
    return static_cast<Ref>(values_.size() - 1);
}

void PickleMachine::push(Ref ref) {
    if (stack_.size() == max_stack) fail("its stack grows too large");
    stack_.push_back(ref);
}

void PickleMachine::push_kind(Kind kind) {
    Value v;
    v.kind = kind;
    push(std::move(v));
}

void PickleMachine::push_number(Kind kind, std::int64_t n) {
    Value v;
    v.kind = kind;
    v.number = n;
    push(std::move(v));
}

PickleMachine::Ref PickleMachine::pop() {
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() <= floor) fail("it takes more from the stack than there is");
    const Ref ref = stack_.back();
    stack_.pop_back();
    return ref;
}

PickleMachine::Ref PickleMachine::top() {
    const Ref ref = pop();
    stack_.push_back(ref);
    return ref;
}

std::vector<PickleMachine::Ref> PickleMachine::pop_to_mark() {
    if (marks_.empty()) fail("a mark is missing");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Ref> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
}

void PickleMachine::remember(std::uint64_t index) {
    // Picklers number the memo from 0 without holes.
    if (index >= max_memo || index > memo_.size() + 1024) fail("its memo grows too large");
    if (index >= memo_.size()) memo_.resize(index + 1, no_value);
    memo_[index] = top();
}

void PickleMachine::recall(std::uint64_t index) {
    if (index >= memo_.size() || memo_[index] == no_value) fail("it recalls something that was never stored");
    push(memo_[index]);
}

void PickleMachine::charge(std::size_t items) {
    if (items > left_to_copy_) fail("it copies more items than it has bytes");
    left_to_copy_ -= items;
}

// Opcodes, by the names of Python's pickletools

void PickleMachine::step(std::uint8_t opcode) {
    switch (opcode) {
    case 0x80: // PROTO
        return protocol();
    case 'c': // GLOBAL
        return global();
    case 'q': // BINPUT
        return remember(number<std::uint8_t>());
    case 'r': // LONG_BINPUT
        return remember(number<std::uint32_t>());
    case 'h': // BINGET
        return recall(number<std::uint8_t>());
    case 'j': // LONG_BINGET
        return recall(number<std::uint32_t>());
    case 'X': // BINUNICODE
        return string(number<std::uint32_t>());
    case 'U': // SHORT_BINSTRING
        return string(number<std::uint8_t>());
    case 'T': // BINSTRING
        return string(number<std::uint32_t>());
    case 'J': // BININT
        return push_number(Kind::integer, static_cast<std::int32_t>(number<std::uint32_t>()));
    case 'G': // BINFLOAT, such as a learning rate: no tensor
        number<std::uint64_t>();
        return push_kind(Kind::none);
    case 'K': // BININT1
        return push_number(Kind::integer, static_cast<std::int64_t>(number<std::uint8_t>()));
    case 'M': // BININT2
        return push_number(Kind::integer, static_cast<std::int64_t>(number<std::uint16_t>()));
    case 0x8A: // LONG1
        return long_integer(number<std::uint8_t>());
    case 'Q': // BINPERSID
        return persistent();
    case 's': // SETITEM
        return set_items({}, true);
    case 'u': // SETITEMS
        return set_items(pop_to_mark(), false);
    case 'a': // APPEND
        return append({}, true);
    case 'e': // APPENDS
        return append(pop_to_mark(), false);
    case '}': // EMPTY_DICT
        return push_kind(Kind::dict);
    case ']': // EMPTY_LIST
        return push_kind(Kind::list);
    case ')': // EMPTY_TUPLE
        return push_kind(Kind::tuple);
    case '(': // MARK
        if (marks_.size() == max_stack) fail("its stack grows too large");
        return marks_.push_back(stack_.size());
    case 't': // TUPLE
        return tuple(pop_to_mark());
    case 0x85: // TUPLE1
        return tuple_of(1);
    case 0x86: // TUPLE2
        return tuple_of(2);
    case 0x87: // TUPLE3
        return tuple_of(3);
    case 0x88: // NEWTRUE
        return push_number(Kind::boolean, 1);
    case 0x89: // NEWFALSE
        return push_number(Kind::boolean, 0);
    case 'N': // NONE
        return push_kind(Kind::none);
    case 'R': // REDUCE
        return reduce();
    case 0x81: // NEWOBJ
        return new_object();
    case 'b': // BUILD
        return build();
    default:
        fail(fmt::format("opcode 0x{:02X} is not one that a state dict needs: refused, nothing was executed", opcode),
             "only trust files with plain tensors");
    }
}

void PickleMachine::protocol() {
    const auto version = number<std::uint8_t>();
    if (version != 2) fail(fmt::format("pickle protocol {}, torch.save writes 2", version));
}

void PickleMachine::string(std::uint64_t n) {
    Value v;
    v.kind = Kind::text;
    v.text = text(n);
    push(std::move(v));
}

void PickleMachine::long_integer(std::uint64_t n) {
    if (n > 8) fail("a number does not fit in 64 bits");
    const std::string_view digits = text(n);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < digits.size(); ++i)
        bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(digits[i])) << (8 * i);
    if (n > 0 && n < 8 && (static_cast<unsigned char>(digits.back()) & 0x80u)) bits |= ~std::uint64_t{0} << (8 * n);
    push_number(Kind::integer, static_cast<std::int64_t>(bits));
}

void PickleMachine::tuple(std::vector<Ref> items) {
    Value v;
    v.kind = Kind::tuple;
    v.items = std::move(items);
    push(std::move(v));
}

void PickleMachine::tuple_of(std::size_t n) {
    std::vector<Ref> items(n);
    while (n-- > 0) items[n] = pop();
    tuple(std::move(items));
}

void PickleMachine::set_items(std::vector<Ref> items, bool one) {
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

void PickleMachine::append(std::vector<Ref> items, bool one) {
    if (one) items = {pop()};
    charge(items.size());
    Value& list = values_[top()];
    if (list.kind != Kind::list) fail("it appends to something other than a list");
    list.items.insert(list.items.end(), items.begin(), items.end());
}

} // namespace denoir
