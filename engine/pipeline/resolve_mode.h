// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the pipeline.
#include "engine/pipeline/request.h"
#include "engine/pipeline/variant.h"

namespace denoir {

struct ModelFolder;

/// The request's, else the model's; diffusion forcing tells it, too. Throws Error with the choices where nothing does.
Family family_of(const Request&, const ModelFolder&);
/// Refuses diffusion forcing for a model whose tensors are of another kind.
void check_family(Family, const Variant&, const ModelFolder&);

/// What the request asks for, where `mode` does not say it. Throws UsageError where the family does not do that.
Mode mode_of(const Request&, Family);
/// The mode that this model would be used in, where the images are not chosen yet.
Mode likely_mode(const Request&, Family, const Variant&);

/// That the images are there which the mode and the model take, and no others. Throws UsageError.
void check_images(const Request&, const Variant&, const ModelFolder&);

} // namespace denoir
