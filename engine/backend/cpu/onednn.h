// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>

#include "engine/core/tensor.h"

namespace denoir::cpu {

class WeightRows;

/// A weight W [n, k] packed for oneDNN's matrix product on a processor's bf16 units (AVX512_BF16). Cut into tiles
/// of columns of the result, so that each is a call of its own on one thread. Only onednn.cpp speaks oneDNN;
/// no_onednn.cpp stands in for it where the library is missing.
class OneDnnMatrix {
public:
    /// True where the library is there and multiplies bf16 faster than f32. DENOIR_ONEDNN=off|always in the environment
    /// overrides it (tests); `always` uses f32 where the processor has no bf16.
    static bool available();
    static bool forced(); ///< `always`: in every product
    /// What it multiplies: bf16, or f32 when forced.
    static DType type();

    /// How pieces are run: body(i) for i < count, in parallel.
    using Run = std::function<void(std::int64_t count, const std::function<void(std::int64_t)>& body)>;
    /// Null where oneDNN cannot do this shape; then the caller's own loops do.
    static std::shared_ptr<OneDnnMatrix> pack(const WeightRows&,
                                              const std::function<Tensor(const Shape&, DType)>& empty, const Run&);
    ~OneDnnMatrix();

    std::int64_t tiles() const;
    std::int64_t tile_columns() const; ///< of all tiles but the last
    /// Rows of one call for a result of `rows` rows; makes what multiply() needs.
    std::int64_t tile_rows(std::int64_t rows);
    std::int64_t scratch_bytes() const; ///< of one call

    /// C[tile_rows, columns of tile] = A · Wᵀ, C dense rows of tile_columns() floats. A [tile_rows, k] dense, of
    /// type().
    void multiply(std::int64_t tile, std::int64_t tile_rows, const std::byte* a, float* c, std::byte* scratch) const;

private:
    struct State;
    explicit OneDnnMatrix(std::unique_ptr<State>);
    std::unique_ptr<State> state_;
};

} // namespace denoir::cpu
