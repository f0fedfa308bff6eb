// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>

#include "engine/core/error.h"
#include "engine/core/mapped_file.h"

namespace denoir {
namespace {

void expect(int done) {
    if (done != 1) throw Error("", "sha256", "the cryptography library cannot compute SHA-256", "reinstall OpenSSL");
}

} // namespace

struct Sha256::State {
    EVP_MD_CTX* sum = EVP_MD_CTX_new();
    State() {
        if (!sum) throw std::bad_alloc();
    }
    ~State() { EVP_MD_CTX_free(sum); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) { expect(EVP_DigestInit_ex(state_->sum, EVP_sha256(), nullptr)); }
Sha256::~Sha256() = default;

void Sha256::update(const void* data, std::size_t bytes) { expect(EVP_DigestUpdate(state_->sum, data, bytes)); }

std::string Sha256::hex() {
    std::array<std::uint8_t, 32> sum;
    expect(EVP_DigestFinal_ex(state_->sum, sum.data(), nullptr));
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

std::string file_sha256(const std::filesystem::path& path, const std::stop_token& stop) {
    constexpr std::size_t piece = 8 << 20;
    const auto mapped = MappedFile::open(path);
    Sha256 sum;
    for (auto rest = mapped->span(); !rest.empty();) {
        if (stop.stop_requested()) throw Cancelled();
        const auto part = rest.first(std::min(piece, rest.size()));
        sum.update(part.data(), part.size());
        mapped->drop_pages(mapped->span().size() - rest.size(), part.size()); // each page is read once
        rest = rest.subspan(part.size());
    }
    return sum.hex();
}

} // namespace denoir
