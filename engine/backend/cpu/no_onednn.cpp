// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/onednn.h"

namespace denoir::cpu {

struct OneDnnMatrix::State {};

OneDnnMatrix::OneDnnMatrix(std::unique_ptr<State> state) : state_(std::move(state)) {}
OneDnnMatrix::~OneDnnMatrix() = default;

bool OneDnnMatrix::available() { return false; }
bool OneDnnMatrix::forced() { return false; }
DType OneDnnMatrix::type() { return DType::f32; }
std::shared_ptr<OneDnnMatrix> OneDnnMatrix::pack(const WeightRows&, const std::function<Tensor(const Shape&, DType)>&,
                                                 const Run&) {
    return nullptr;
}
std::int64_t OneDnnMatrix::tiles() const { return 0; }
std::int64_t OneDnnMatrix::tile_columns() const { return 0; }
std::int64_t OneDnnMatrix::tile_rows(std::int64_t) { return 0; }
std::int64_t OneDnnMatrix::scratch_bytes() const { return 0; }
void OneDnnMatrix::multiply(std::int64_t, std::int64_t, const std::byte*, float*, std::byte*) const {}

} // namespace denoir::cpu
