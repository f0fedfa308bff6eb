// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/onednn.h"

#include <algorithm>
#include <dnnl.hpp>
#include <map>

#include "engine/backend/cpu/weight_rows.h"
#include "engine/core/environment.h"
#include "engine/core/error.h"

namespace denoir::cpu {
namespace {

using dnnl::memory;

const dnnl::engine& engine() {
    static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    return cpu;
}

/// Whether the processor, as far as DNNL_MAX_CPU_ISA allows, has bf16 products. The library's numbers are sets of bits:
/// a wider instruction set has all bits of a narrower one.
bool has_bf16() {
    constexpr int bf16 = dnnl_cpu_isa_avx512_core_bf16;
    return (static_cast<int>(dnnl::get_effective_cpu_isa()) & bf16) == bf16;
}

std::string_view wish() { return environment_word("DENOIR_ONEDNN", {"always", "off"}); }

memory::data_type library_type(DType dtype) {
    return dtype == DType::bf16 ? memory::data_type::bf16 : memory::data_type::f32;
}

/// Scratch memory is passed in with each call, since the library's own is shared by everything that one thread created.
dnnl::primitive_attr attributes() {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attr;
}

dnnl::matmul::primitive_desc describe(const memory::desc& a, const memory::desc& w, const memory::desc& c) {
#if DNNL_VERSION_MAJOR >= 3
    return dnnl::matmul::primitive_desc(engine(), a, w, c, attributes());
#else
    return dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, w, c), attributes(), engine());
#endif
}

} // namespace

/// All tiles but the last have the same width. So there are up to two widths, each with its own products and packed
/// form.
struct OneDnnMatrix::State {
    static constexpr std::int64_t tile = 256;

    struct Width {
        memory::desc packed;
        std::map<std::int64_t, dnnl::matmul> products; ///< by number of rows
    };

    std::int64_t columns, depth, scratch = 0;
    std::map<std::int64_t, Width> widths;
    Tensor memory_of_tiles;
    std::int64_t stride = 0; ///< in bytes from tile to tile

    std::int64_t tiles() const { return (columns + tile - 1) / tile; }
    std::int64_t width(std::int64_t t) const { return std::min(tile, columns - t * tile); }
    std::byte* packed(std::int64_t t) const { return memory_of_tiles.raw() + t * stride; }

    memory::desc a(std::int64_t rows) const { return {{rows, depth}, library_type(type()), {depth, 1}}; }
    memory::desc c(std::int64_t rows, std::int64_t n) const { return {{rows, n}, memory::data_type::f32, {tile, 1}}; }

    /// Adds a width. Its packed form is the one that the library prefers for full tiles; products of fewer rows use it
    /// as well.
    void add_width(std::int64_t n) {
        const auto product = describe(a(tile), {{depth, n}, library_type(type()), memory::format_tag::any}, c(tile, n));
        Width& w = widths[n];
        w.packed = product.weights_desc();
        add_product(w, tile, product);
    }
    void add_product(Width& w, std::int64_t rows, const dnnl::matmul::primitive_desc& product) {
        w.products[rows] = dnnl::matmul(product);
        scratch = std::max(scratch, static_cast<std::int64_t>(product.scratchpad_desc().get_size()));
    }
    void pack(const WeightRows& weight, std::int64_t t) const;
};

void OneDnnMatrix::State::pack(const WeightRows& weight, std::int64_t t) const {
    const std::int64_t n = width(t);
    Tensor plain = Tensor::host({n, depth}, type());
    std::vector<float> row(static_cast<std::size_t>(depth));
    for (std::int64_t i = 0; i < n; ++i) {
        weight.read(t * tile + i, 0, depth, row.data());
        from_f32(type(), row.data(), plain.raw() + i * depth * element_bytes(type()), depth);
    }
    memory from({{depth, n}, library_type(type()), {1, depth}}, engine(), plain.raw());
    memory to(widths.at(n).packed, engine(), packed(t));
    dnnl::stream stream(engine());
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
}

OneDnnMatrix::OneDnnMatrix(std::unique_ptr<State> state) : state_(std::move(state)) {}
OneDnnMatrix::~OneDnnMatrix() = default;

bool OneDnnMatrix::available() {
    static const bool answer = forced() || (wish() != "off" && has_bf16());
    return answer;
}

bool OneDnnMatrix::forced() {
    static const bool answer = wish() == "always";
    return answer;
}

DType OneDnnMatrix::type() {
    static const DType answer = has_bf16() ? DType::bf16 : DType::f32;
    return answer;
}

std::shared_ptr<OneDnnMatrix> OneDnnMatrix::pack(const WeightRows& weight,
                                                 const std::function<Tensor(const Shape&, DType)>& empty,
                                                 const Run& run) try {
    auto state = std::make_unique<State>(State{.columns = weight.count(), .depth = weight.columns()});
    // Runs on a thread of the pool, where the library plans for one thread.
    run(1, [&](std::int64_t) {
        for (const std::int64_t t : {std::int64_t{0}, state->tiles() - 1})
            if (!state->widths.contains(state->width(t))) state->add_width(state->width(t));
    });
    for (const auto& [n, width] : state->widths)
        state->stride = std::max(state->stride, (static_cast<std::int64_t>(width.packed.get_size()) + 63) / 64 * 64);
    state->memory_of_tiles = empty({state->tiles() * state->stride}, DType::u8);
    run(state->tiles(), [&](std::int64_t t) { state->pack(weight, t); });
    return std::shared_ptr<OneDnnMatrix>(new OneDnnMatrix(std::move(state)));
} catch (const dnnl::error&) {
    return nullptr;
}

std::int64_t OneDnnMatrix::tiles() const { return state_->tiles(); }
std::int64_t OneDnnMatrix::tile_columns() const { return State::tile; }
std::int64_t OneDnnMatrix::scratch_bytes() const { return state_->scratch; }

std::int64_t OneDnnMatrix::tile_rows(std::int64_t rows) {
    const std::int64_t wanted = std::min(State::tile, (rows + 31) / 32 * 32);
    try {
        for (auto& [n, width] : state_->widths)
            if (!width.products.contains(wanted))
                state_->add_product(width, wanted, describe(state_->a(wanted), width.packed, state_->c(wanted, n)));
        return wanted;
    } catch (const dnnl::error&) {
        return State::tile;
    }
}

void OneDnnMatrix::multiply(std::int64_t tile, std::int64_t rows, const std::byte* a, float* c,
                            std::byte* scratch) const try {
    const std::int64_t n = state_->width(tile);
    const State::Width& width = state_->widths.at(n);
    const dnnl::matmul& product = width.products.at(rows);
    const auto wrap = [](const memory::desc& desc, const void* data) {
        return memory(desc, engine(), const_cast<void*>(data));
    };
    dnnl::stream stream(engine());
    product.execute(stream, {{DNNL_ARG_SRC, wrap(state_->a(rows), a)},
                             {DNNL_ARG_WEIGHTS, wrap(width.packed, state_->packed(tile))},
                             {DNNL_ARG_DST, wrap(state_->c(rows, n), c)},
                             {DNNL_ARG_SCRATCHPAD, wrap({{state_->scratch}, memory::data_type::u8, {1}}, scratch)}});
    stream.wait();
} catch (const dnnl::error&) {
    throw Error("", "linear", "oneDNN failed in a matrix product",
                "set DENOIR_ONEDNN=off in the environment to do without it");
}

} // namespace denoir::cpu
