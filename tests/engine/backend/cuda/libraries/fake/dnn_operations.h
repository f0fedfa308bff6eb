// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>

#include "tests/engine/backend/cuda/libraries/fake/dnn.h"
#include "tests/engine/backend/cuda/libraries/fake/dnn_descriptor.h"

namespace denoir::test {

/// These throw Refused for a descriptor that cannot be finalized for another reason than missing attributes.
void check_tensor(const Descriptor&);
void check_convolution(const Descriptor&);
void check_operation(const Descriptor&);
void check_graph(const Descriptor&);

FakeDnn::Pattern pattern_of(const Descriptor& graph);

/// What the graph computes on the tensors at these addresses, which are found by their unique ids; to be called on the
/// card. Values that the host passes are read now. Throws Refused if an address is missing, null or not aligned.
std::function<void()> computation(const std::shared_ptr<const Descriptor>& graph,
                                  const std::map<std::int64_t, void*>& addresses);

} // namespace denoir::test
