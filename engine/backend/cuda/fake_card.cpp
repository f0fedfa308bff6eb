// SPDX-License-Identifier: Apache-2.0
// Cards of a module for tests, made of host memory and without NVIDIA's libraries.
// DENOIR_FAKE_CARD_COUNTS=GIB:FILE: a card of that size, with libraries, that computes nothing; when it is closed, the
// most bytes that were in use at a time are written to FILE.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "engine/backend/cuda/blas.h"
#include "engine/backend/cuda/dnn.h"
#include "engine/backend/cuda/fake_runtime.h"

namespace denoir::cuda {
namespace {

const char* counting() { return std::getenv("DENOIR_FAKE_CARD_COUNTS"); }

std::shared_ptr<FakeRuntime> counting_card(const std::string& asked) {
    const std::size_t colon = asked.find(':');
    auto card = std::make_unique<FakeRuntime>(std::stoull(asked.substr(0, colon)) << 30, false, true);
    const auto close = [file = asked.substr(colon + 1)](FakeRuntime* closed) {
        if (std::FILE* out = std::fopen(file.c_str(), "w")) {
            std::fprintf(out, "%zu\n", closed->peak());
            std::fclose(out);
        }
        delete closed;
    };
    return {card.release(), close};
}

/// Computes nothing, but takes as much memory as the library works in.
class CountingBlas final : public Blas {
    bool multiply(const Product&) override { return true; }
    bool multiply(const EightBitProduct&) override { return true; }
    std::size_t workspace_bytes() const override { return std::size_t{32} << 20; }
    void set_workspace(std::byte*) override {}
};

class CountingDnn final : public Dnn {
    bool attention(const FusedAttention&, const Caller&) override { return true; }
    bool conv(const FusedConv&, const Caller& caller) override { return caller.workspace(std::size_t{64} << 20); }
    bool prefers_stacked_frames(Type, std::int64_t) const override { return true; }
};

} // namespace

std::shared_ptr<Runtime> open_card(int) {
    if (counting()) return counting_card(counting());
    auto card = std::make_shared<FakeRuntime>(std::size_t{2} << 30, true);
    card->fail_as_asked();
    return card;
}

std::unique_ptr<Blas> open_blas(Runtime&, std::string& why) {
    if (counting()) return std::make_unique<CountingBlas>();
    why = "a card made of host memory has none";
    return nullptr;
}

std::unique_ptr<Dnn> open_dnn(Runtime&, std::string& why) {
    if (counting()) return std::make_unique<CountingDnn>();
    why = "a card made of host memory has none";
    return nullptr;
}

} // namespace denoir::cuda
