// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "engine/weights/model_parts.h"

namespace denoir {

/// A part that can be named and its key among a request's `parts`; with `--` and hyphens it is the command line's
/// option.
struct ModelPartKey {
    std::string_view key;
    std::filesystem::path ModelParts::*place;
};
/// All of them, in the order in which a request is stored.
inline constexpr ModelPartKey model_part_keys[] = {{"low_noise", &ModelParts::low_noise},
                                                   {"vae", &ModelParts::vae},
                                                   {"text_encoder", &ModelParts::text_encoder},
                                                   {"clip", &ModelParts::clip},
                                                   {"tokenizer", &ModelParts::tokenizer}};

} // namespace denoir
