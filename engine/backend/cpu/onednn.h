// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>

#include "engine/core/tensor.h"

namespace denoir::cpu {

class WeightRows;

/// A weight W [n, k] packed for oneDNN's matrix product on the processor's bf16 units (AVX512_BF16). It is divided into
/// tiles of columns of the result, each of which is computed by one call on one thread. Only onednn.cpp uses oneDNN;
/// no_onednn.cpp replaces it in builds without the library.
class OneDnnMatrix {
public:
    /// Whether the library is there and multiplies bf16 faster than f32. The variable DENOIR_ONEDNN=off|always
    /// overrides this, for tests; `always` uses f32 if the processor has no bf16 units.
    static bool available();
    static bool forced(); ///< whether DENOIR_ONEDNN=always asks for it in every product
    /// Type of the factors: bf16, or f32 if forced on a processor without bf16 units.
    static DType type();

    /// Runs body(i) for all i < count, in parallel.
    using Run = std::function<void(std::int64_t count, const std::function<void(std::int64_t)>& body)>;
    /// Packs a weight. Null if oneDNN has no implementation for this shape; the caller must use its own loops then.
    static std::shared_ptr<OneDnnMatrix> pack(const WeightRows&,
                                              const std::function<Tensor(const Shape&, DType)>& empty, const Run&);
    ~OneDnnMatrix();

    std::int64_t tiles() const;
    std::int64_t tile_columns() const; ///< columns of all tiles but the last
    /// Rows to pass to one multiply() for a result of `rows` rows. Must be called before multiply(), which it prepares.
    std::int64_t tile_rows(std::int64_t rows);
    std::int64_t scratch_bytes() const; ///< scratch memory of one multiply()

    /// C[tile_rows, columns of tile] = A · Wᵀ, C dense rows of tile_columns() floats. A [tile_rows, k] dense, of
    /// type().
    void multiply(std::int64_t tile, std::int64_t tile_rows, const std::byte* a, float* c, std::byte* scratch) const;

private:
    struct State;
    explicit OneDnnMatrix(std::unique_ptr<State>);
    std::unique_ptr<State> state_;
};

} // namespace denoir::cpu
