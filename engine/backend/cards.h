// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/device.h"

namespace denoir {

/// An NVIDIA card as its driver describes it; nothing is opened for that.
struct Card {
    Device device;
    std::string name;       ///< "NVIDIA H100 80GB HBM3"
    std::string bus;        ///< its place on the PCI bus, by which the management library knows it
    std::size_t memory = 0; ///< bytes in all

    std::string short_name() const; ///< without its maker's: "H100 80GB HBM3"
    /// Bytes in use by every program; none where the driver's management library does not say, or speaks of a whole
    /// card of which this is a part (MIG).
    std::optional<std::size_t> used() const;
};

/// The cards that this process may use, in the order of `cuda:N`; empty where there is no driver. The driver is asked
/// once, which can take a second or two where no program holds a card.
const std::vector<Card>& cards();

/// The device of a request that names none: `cuda:0` where it can be opened, else the processor; a card that cannot be
/// is logged as a warning. Found once, by opening it (require_device). The variable DENOIR_DEVICE names another; throws
/// UsageError where that is no device.
Device default_device();

} // namespace denoir
