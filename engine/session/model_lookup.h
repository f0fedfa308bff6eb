// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

namespace denoir {

/// The folder of what comes with the program: DENOIR_RESOURCES, else beside the executable's tree (build) or in its
/// prefix (installed). Empty: none.
std::filesystem::path resources_folder();

/// The model of that name (no slash) below the data folder's `models` or the resources; empty: none.
std::filesystem::path named_model(const std::filesystem::path& name);

/// The model a request means: an existing file or folder, else a name (no slash) below the data folder's `models` or
/// the resources; empty: the bundled demo model. Throws Error naming what was asked for.
std::filesystem::path find_model(const std::filesystem::path& asked);

/// The tokens that a prompt may have: config.json's `text_len` of this model, else 512. Reads nothing but that.
int text_length(const std::filesystem::path& model);

} // namespace denoir
