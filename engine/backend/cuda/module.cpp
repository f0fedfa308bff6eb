// SPDX-License-Identifier: Apache-2.0
// The module's one entry.
#include "engine/backend/cuda/module.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/cuda/guard.h"
#include "engine/backend/cuda/kernels/elementwise.h"
#include "engine/core/environment.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/text.h"

namespace denoir::cuda {
namespace {

/// DENOIR_CUDA_LINEAR=fp8|int8: linear layers are computed from 8-bit values.
EightBit asked_eight_bit() {
    const char* asked = std::getenv("DENOIR_CUDA_LINEAR");
    if (!asked || !*asked || std::strcmp(asked, "bf16") == 0) return EightBit::off;
    if (std::strcmp(asked, "fp8") == 0) return EightBit::fp8;
    if (std::strcmp(asked, "int8") == 0) return EightBit::int8;
    throw UsageError("", "DENOIR_CUDA_LINEAR", fmt::format("'{}' is unknown", printable(asked, 40)),
                     "use bf16, fp8 or int8");
}

/// DENOIR_CUDA_PLAIN=1: only our own kernels, without the card's libraries (for tests, and if a library fails).
/// DENOIR_CUDA_POISON=1, DENOIR_CUDA_EXACT=1: for tests and tools, see CudaBackend::Options.
bool asked_for(const char* variable) { return environment_word(variable, {"0", "1"}) == "1"; }

/// DENOIR_CUDA_MEMORY=MIB: no more of the card's memory is used. In bytes; 0: not set.
std::size_t asked_memory() {
    const char* asked = std::getenv("DENOIR_CUDA_MEMORY");
    if (!asked || !*asked) return 0;
    const auto mib = read_whole<std::uint32_t>(asked); // 32 bits, so the number of bytes cannot overflow
    if (!mib || *mib == 0)
        throw UsageError("", "DENOIR_CUDA_MEMORY", fmt::format("'{}' is not a size", printable(asked, 40)),
                         "use a number of MiB");
    return std::size_t{*mib} << 20;
}

/// DENOIR_CUDA_GRAPHS=off: kernels are started one by one (to measure what recording them saves).
bool asked_recording() { return environment_word("DENOIR_CUDA_GRAPHS", {"on", "off"}) != "off"; }

std::unique_ptr<ModuleBackend> open(int index, int threads, Backend* owner) {
    const std::shared_ptr<Runtime> runtime = open_card(index);
    require_kernels(*runtime); // whoever chooses a card is told now
    CudaBackend::Options options;
    options.index = index;
    options.threads = threads;
    options.owner = owner;
    options.eight_bit = asked_eight_bit();
    options.record = asked_recording();
    options.memory = asked_memory();
    options.poison = asked_for("DENOIR_CUDA_POISON");
    options.exact = asked_for("DENOIR_CUDA_EXACT");
    const bool plain = asked_for("DENOIR_CUDA_PLAIN");
    std::string no_blas = "not asked for", no_dnn = no_blas;
    if (!plain) {
        options.blas = open_blas(*runtime, no_blas);
        options.dnn = open_dnn(*runtime, no_dnn);
    }
    const auto named = [](bool there, const char* library, const std::string& why) {
        return there ? std::string(library) : fmt::format("own kernels ({})", why);
    };
    std::string found = fmt::format(
        "{}; matrix products: {}; attention and convolution: {}", printable(runtime->properties().name, 60),
        named(options.blas != nullptr, "cuBLASLt", no_blas), named(options.dnn != nullptr, "cuDNN", no_dnn));
    static std::atomic<bool> said = false; // said once, though a card is opened for more than one purpose
    if (!plain && (!options.blas || !options.dnn) && !said.exchange(true))
        log::warning(
            fmt::format("cuda:{} will be many times slower than it could be: {}; install cuBLAS and cuDNN 9, or "
                        "name their folders in DENOIR_CUDA_LIBRARIES",
                        index, found));
    return guarded(std::make_shared<CudaBackend>(runtime, std::move(options)), std::move(found));
}

} // namespace

const char* build_id() { return DENOIR_BUILD_ID; }

} // namespace denoir::cuda

extern "C" __attribute__((visibility("default"))) denoir::cuda::ModuleBackend*
denoir_cuda_open(std::uint32_t abi, const char* build, const denoir::cuda::HostServices* host, int index, int threads,
                 denoir::Backend* owner, denoir::cuda::Outcome* outcome) {
    using namespace denoir::cuda;
    if (abi != module_abi || std::strcmp(build, build_id()) != 0) {
        if (abi == module_abi) // otherwise the layout of an outcome may differ as well
            *outcome = outcome_of([] {
                throw denoir::Error("", "device", "the CUDA module belongs to another build of this program",
                                    "install both from one build");
            });
        return nullptr;
    }
    std::unique_ptr<ModuleBackend> opened;
    *outcome = outcome_of([&] {
        opened = open(index, threads, owner);
        if (host) host->log_info(opened->libraries().c_str());
    });
    return opened.release();
}
