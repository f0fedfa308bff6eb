// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/weights/names.h"

namespace denoir {

/// What a name stands for: a layer with weight and bias, or a tensor.
enum class NameKind : std::uint8_t {
    linear, // weight [out, in], bias
    norm,   // weight [n], bias
    conv3d, // weight of rank 5, bias
    patch,  // the same, or a linear layer over a patch
    conv2d, // weight of rank 4, bias
    tensor, // no leaf, any rank
};

/// A name in the original layout and in another one. `#` stands for any index; both patterns have as many of them.
/// `part`: of a tensor that the other layout splits (CanonicalName::part); -1: not split.
struct NameRule {
    std::string original, other;
    NameKind kind = NameKind::linear;
    int part = -1;
};

/// How the names of one layout ("other") correspond to the original ones, tensor by tensor; for the original layout
/// both sides are equal. `blocks`: residual blocks in each level of a VAE's decoder.
std::vector<NameRule> name_rules(Component component, Layout layout, int blocks);

} // namespace denoir
