// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/memory.h"

namespace denoir::cuda {
namespace {

constexpr std::size_t good_ring = std::size_t{128} << 20;
/// Weights that are read only once or twice stay on the card up to this size: a text encoder of 9 GiB would be most of
/// what a whole run needs.
constexpr std::size_t once_allowance = std::size_t{2} << 30;
constexpr std::size_t place = 256; ///< weights in the ring are rounded up to multiples of this

} // namespace

MemoryPlan plan_memory(const MemoryNeeds& needs, std::size_t free, std::size_t margin, std::size_t host) {
    MemoryPlan plan;
    const std::size_t left = free > margin ? free - margin : 0;
    const bool passing = needs.once && needs.weights > once_allowance;
    if (!passing && needs.activations <= left && needs.weights <= left - needs.activations) {
        plan.resident = needs.weights;
        return plan;
    }
    // At least three of the largest: one is computed with, one has arrived, one is on its way. More are better.
    const std::size_t largest = (needs.largest_weight + place - 1) / place * place;
    const std::size_t smallest = std::min(3 * largest, std::max(needs.weights, largest));
    const std::size_t least = needs.activations + smallest;
    if (least > left) {
        plan.rung = MemoryPlan::Rung::none;
        plan.missing = least - left;
        return plan;
    }
    plan.ring = std::clamp(std::min(good_ring, left - needs.activations), smallest, std::max(smallest, needs.weights));
    plan.rung = passing ? MemoryPlan::Rung::passing : MemoryPlan::Rung::streamed;
    if (passing) return plan;
    plan.resident = left - needs.activations - plan.ring;
    const std::size_t elsewhere = needs.weights - std::min(needs.weights, plan.resident);
    if (!host_has(elsewhere, host)) plan.from_file = elsewhere - (host > host_reserve ? host - host_reserve : 0);
    return plan;
}

std::string describe(const MemoryPlan& plan, const MemoryNeeds& needs) {
    const auto mib = [](std::size_t bytes) { return bytes >> 20; };
    switch (plan.rung) {
    case MemoryPlan::Rung::resident:
    case MemoryPlan::Rung::passing:
        return {};
    case MemoryPlan::Rung::streamed:
        return fmt::format("{} of {} MiB of weights stay on the card, the others come from the host's memory{}",
                           mib(plan.resident), mib(needs.weights),
                           plan.from_file == 0
                               ? ""
                               : fmt::format("; {} MiB do not fit there either and are read from the file at every "
                                             "step, which is slow: a smaller size leaves more room on the card",
                                             mib(plan.from_file) + 1));
    case MemoryPlan::Rung::none:
        return fmt::format("{} MiB are missing on the card", mib(plan.missing) + 1);
    }
    return {};
}

} // namespace denoir::cuda
