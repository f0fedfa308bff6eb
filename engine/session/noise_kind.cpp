// SPDX-License-Identifier: Apache-2.0
#include "engine/session/noise_kind.h"

#include <fmt/format.h>

#include <cassert>

#include "engine/core/text.h"

namespace denoir {
namespace {

constexpr std::string_view cpu = "torch-cpu", cuda = "torch-cuda:";
constexpr int most_multiprocessors = 1024;

} // namespace

std::optional<NoiseSource> read_noise_kind(std::string_view text) {
    if (text == cpu) return NoiseSource{};
    if (!text.starts_with(cuda)) return std::nullopt;
    const auto count = read_whole<int>(text.substr(cuda.size()));
    if (!count || *count < 1 || *count > most_multiprocessors) return std::nullopt;
    return NoiseSource{NoiseSource::Kind::torch_cuda, *count, {}};
}

std::string noise_kind_text(const NoiseSource& noise) {
    assert(noise.kind != NoiseSource::Kind::file);
    if (noise.kind == NoiseSource::Kind::torch_cpu) return std::string(cpu);
    return fmt::format("{}{}", cuda, noise.multiprocessors);
}

} // namespace denoir
