// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cards.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "engine/backend/backend.h"
#include "engine/backend/cuda_proxy.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

// The functions of the driver and its management library are declared here, since their headers come only with a
// toolkit. Both interfaces are stable.
namespace denoir {
namespace {

/// A function of a library; null if the library or the function is not there.
template <class F> F* function(void* library, const char* name) {
    return library ? reinterpret_cast<F*>(::dlsym(library, name)) : nullptr;
}

/// The CUDA driver. A CUdevice is an int, a CUresult an int that is 0 for success.
std::vector<Card> ask_driver() {
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const auto init = function<int(unsigned)>(library, "cuInit");
    const auto count = function<int(int*)>(library, "cuDeviceGetCount");
    const auto get = function<int(int*, int)>(library, "cuDeviceGet");
    const auto name_of = function<int(char*, int, int)>(library, "cuDeviceGetName");
    const auto memory_of = function<int(std::size_t*, int)>(library, "cuDeviceTotalMem_v2");
    const auto bus_of = function<int(char*, int, int)>(library, "cuDeviceGetPCIBusId");
    std::vector<Card> found;
    int cards = 0;
    if (!init || !count || !get || !name_of || !memory_of || !bus_of || init(0) != 0 || count(&cards) != 0)
        return found;
    for (int i = 0; i < cards; ++i) {
        int device = 0;
        std::size_t memory = 0;
        std::array<char, 100> name{}, bus{};
        const auto told = [&](auto ask, auto& text) {
            return ask(text.data(), static_cast<int>(text.size()) - 1, device) == 0;
        };
        // Stops at a card that fails, since the numbers of cards must be those that the CUDA runtime gives them.
        if (get(&device, i) != 0 || memory_of(&memory, device) != 0 || !told(name_of, name)) break;
        if (!told(bus_of, bus)) bus = {};
        found.push_back({{Device::Kind::cuda, i}, printable(name.data(), name.size()), bus.data(), memory});
    }
    return found;
}

/// NVML, the driver's management library. Unlike the driver, it reports memory without creating a context, which takes
/// memory itself.
class Management {
public:
    static const Management& get() {
        static const Management one;
        return one;
    }
    /// Bytes of memory of the card at this place on the PCI bus; memory() is empty if they are not known.
    struct Memory {
        unsigned long long total, free, used;
    };
    std::optional<Memory> memory(const std::string& bus) const {
        void* card = nullptr;
        Memory memory{};
        if (!ready_ || by_bus_(bus.c_str(), &card) != 0 || memory_(card, &memory) != 0) return std::nullopt;
        return memory;
    }

private:
    Management() {
        void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
        const auto init = function<int()>(library, "nvmlInit_v2");
        by_bus_ = function<int(const char*, void**)>(library, "nvmlDeviceGetHandleByPciBusId_v2");
        memory_ = function<int(void*, Memory*)>(library, "nvmlDeviceGetMemoryInfo");
        ready_ = init && by_bus_ && memory_ && init() == 0;
    }
    int (*by_bus_)(const char*, void**) = nullptr;
    int (*memory_)(void*, Memory*) = nullptr;
    bool ready_ = false;
};

/// The device that DENOIR_DEVICE names. Throws UsageError naming the variable, not the option.
Device device_of_environment(const char* value) {
    try {
        return Device::parse(value);
    } catch (const UsageError& e) {
        throw UsageError("", "DENOIR_DEVICE", e.message(), e.hint());
    }
}

} // namespace

std::string Card::short_name() const {
    constexpr std::string_view maker = "NVIDIA ";
    return name.starts_with(maker) ? name.substr(maker.size()) : name;
}

std::optional<std::size_t> Card::used() const {
    if (bus.empty()) return std::nullopt;
    const auto whole = Management::get().memory(bus);
    // The management library's total includes what the driver keeps for itself, a few percent of it.
    if (!whole || whole->used > whole->total || whole->total / 4 * 3 > memory) return std::nullopt;
    return static_cast<std::size_t>(whole->used);
}

const std::vector<Card>& cards() {
    static const std::vector<Card> found = ask_driver();
    return found;
}

Device default_device() {
    static const Device found = [] {
        if (const char* named = std::getenv("DENOIR_DEVICE"); named && *named) return device_of_environment(named);
        if (cards().empty() || !has_cuda_module()) return Device{};
        try {
            const Device first{Device::Kind::cuda, 0};
            require_device(first);
            return first;
        } catch (const UsageError&) { // for a wrong environment variable
            throw;
        } catch (const Error& e) {
            log::warning(std::string(e.what()) + "; the processor computes");
            return Device{};
        }
    }();
    return found;
}

} // namespace denoir
