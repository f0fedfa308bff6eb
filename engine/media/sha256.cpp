// SPDX-License-Identifier: Apache-2.0
#include "engine/media/sha256.h"

extern "C" {
#include <libavutil/mem.h>
#include <libavutil/sha.h>
}
#include <array>
#include <cstdint>
#include <new>

namespace denoir {

struct Sha256::State {
    AVSHA* sha = av_sha_alloc();
    State() {
        if (!sha) throw std::bad_alloc();
        av_sha_init(sha, 256);
    }
    ~State() { av_free(sha); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(const void* data, std::size_t bytes) {
    av_sha_update(state_->sha, static_cast<const std::uint8_t*>(data), bytes);
}

std::string Sha256::hex() {
    std::array<std::uint8_t, 32> sum;
    av_sha_final(state_->sha, sum.data());
    std::string text;
    for (const std::uint8_t byte : sum) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

std::string sha256_hex(const void* data, std::size_t bytes) {
    Sha256 sum;
    sum.update(data, bytes);
    return sum.hex();
}

} // namespace denoir
