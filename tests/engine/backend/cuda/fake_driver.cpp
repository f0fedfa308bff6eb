// SPDX-License-Identifier: Apache-2.0
// Stands for libcuda.so.1 and libnvidia-ml.so.1: what engine/backend/cards.cpp asks of them, of FAKE_CARDS cards.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {
constexpr int success = 0, invalid = 1;
constexpr std::size_t memory = std::size_t{80} << 30;
int cards() {
    const char* asked = std::getenv("FAKE_CARDS");
    return asked ? std::atoi(asked) : 0;
}
int put(const std::string& value, char* text, int size) {
    std::snprintf(text, static_cast<std::size_t>(size), "%s", value.c_str());
    return success;
}
struct Memory {
    unsigned long long total, free, used;
};
} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))
EXPORT int cuInit(unsigned flags) { return flags == 0 && cards() >= 0 ? success : invalid; }
EXPORT int cuDeviceGetCount(int* count) {
    *count = cards();
    return success;
}
EXPORT int cuDeviceGet(int* device, int ordinal) {
    *device = 10 + ordinal;
    return ordinal < cards() ? success : invalid;
}
EXPORT int cuDeviceGetName(char* name, int size, int device) {
    return put("NVIDIA Fake " + std::to_string(device - 10), name, size);
}
EXPORT int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
    *bytes = device == 12 ? memory / 8 : memory; // the third device is a part of a card
    return success;
}
EXPORT int cuDeviceGetPCIBusId(char* bus, int size, int device) {
    return put("0000:0" + std::to_string(device - 10) + ":00.0", bus, size);
}

EXPORT int nvmlInit_v2() { return success; }
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** card) {
    static int handles[10];
    if (std::strlen(bus) != 12) return invalid;
    *card = &handles[bus[6] - '0'];
    **reinterpret_cast<int**>(card) = bus[6] - '0';
    return success;
}
EXPORT int nvmlDeviceGetMemoryInfo(void* card, Memory* m) {
    const int number = *static_cast<int*>(card);
    *m = {memory + (1 << 28), 0, (3ull + static_cast<unsigned>(number)) << 30};
    m->free = m->total - m->used;
    return success;
}
