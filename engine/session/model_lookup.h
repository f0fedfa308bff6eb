// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

namespace denoir {

/// The folder of the files that come with the program: DENOIR_RESOURCES, else share/denoir in the prefix of an
/// installed program, or resources/ in the source tree of a built one. Empty if there is none.
std::filesystem::path resources_folder();

/// The model of this name (without a slash) in the data folder's `models` or in the resources; empty if there is none.
std::filesystem::path named_model(const std::filesystem::path& name);

/// The model that a request means: an existing file or folder, else named_model(). Empty means the bundled demo model.
/// Throws Error naming what was asked for.
std::filesystem::path find_model(const std::filesystem::path& asked);

/// How many tokens a prompt may have: `text_len` in this model's config.json, else 512. Reads no other file. Throws
/// Error.
int text_length(const std::filesystem::path& model);

} // namespace denoir
