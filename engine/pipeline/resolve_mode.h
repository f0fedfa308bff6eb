// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the pipeline.
#include "engine/pipeline/request.h"
#include "engine/pipeline/variant.h"

namespace denoir {

struct ModelFolder;

/// The request's family, else the model's; a request for diffusion forcing implies skyreels-df. Throws Error listing
/// the choices if nothing tells.
Family family_of(const Request&, const ModelFolder&);
/// Throws UsageError if `family` is skyreels-df but the model's tensors are of another kind.
void check_family(Family, const Variant&, const ModelFolder&);

/// The request's mode, or the one that its images imply; for skyreels-df always forcing, which serves t2v and i2v too.
/// Throws UsageError if the family cannot do it.
Mode mode_of(const Request&, Family);
/// The mode that this model is most likely used in while the images are not chosen yet.
Mode likely_mode(const Request&, Family, const Variant&);

/// Throws UsageError unless the request has exactly the images that its mode and the model take.
void check_images(const Request&, const Variant&, const ModelFolder&);

} // namespace denoir
