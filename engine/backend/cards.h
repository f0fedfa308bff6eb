// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/device.h"

namespace denoir {

/// An NVIDIA card as its driver describes it, which needs no context on the card.
struct Card {
    Device device;
    std::string name;       ///< "NVIDIA H100 80GB HBM3"
    std::string bus;        ///< its place on the PCI bus, by which the management library identifies it
    std::size_t memory = 0; ///< total bytes

    std::string short_name() const; ///< without the maker's name: "H100 80GB HBM3"
    /// Bytes in use by all programs; empty if the driver's management library does not know, or reports those of a
    /// whole card of which this is a part (MIG).
    std::optional<std::size_t> used() const;
};

/// The cards that this process may use, in the order of `cuda:N`; empty if there is no driver. The driver is asked
/// once, which can take a second or two if no program uses a card.
const std::vector<Card>& cards();

/// The device of a request that names none: `cuda:0` if it can be opened, else the processor, with a warning if there
/// is a card. Determined once, by opening the card (require_device). The variable DENOIR_DEVICE names another device.
/// Throws UsageError if that is not a device.
Device default_device();

} // namespace denoir
