// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/tensors.h"

namespace denoir::cuda {

Walk walk(const Tensor& out, const Tensor& a, const Tensor& b, bool raw) {
    Walk w;
    const Tensor* tensors[3] = {&out, &a, &b};
    Operand* operands[3] = {&w.out, &w.a, &w.b};
    for (int t = 0; t < 3; ++t) {
        operands[t]->data = tensors[t]->raw();
        if (!raw) operands[t]->type = type_of(tensors[t]->dtype());
    }
    for (int axis = 0; axis < out.rank(); ++axis) {
        const std::int64_t size = out.size(axis);
        if (size == 1) continue;
        bool joins = w.axes > 0;
        for (int t = 0; t < 3 && joins; ++t) joins = operands[t]->stride[w.axes - 1] == tensors[t]->stride(axis) * size;
        const int to = joins ? w.axes - 1 : w.axes++;
        w.size[to] = joins ? w.size[to] * size : size;
        for (int t = 0; t < 3; ++t) operands[t]->stride[to] = tensors[t]->stride(axis);
    }
    if (w.axes == 0) {
        w.axes = 1;
        w.size[0] = 1;
        for (Operand* operand : operands) operand->stride[0] = 1;
    }
    return w;
}

} // namespace denoir::cuda
