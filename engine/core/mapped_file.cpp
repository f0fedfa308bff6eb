// SPDX-License-Identifier: Apache-2.0
#include "engine/core/mapped_file.h"

#include <csignal>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>

#include "engine/core/open_file.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// The mapped files, for the handler of SIGBUS, which may neither take a lock nor allocate. For a file that found no
/// place in this table, reading beyond the end terminates the process, as without a handler.
struct Mapping {
    std::atomic<std::byte*> begin{nullptr};
    std::atomic<std::size_t> bytes{0};
};
std::array<Mapping, 4096> mappings;
std::atomic<unsigned> cuts{0};             ///< how often a missing page was read
std::atomic<std::byte*> last_cut{nullptr}; ///< first byte of the mapping where that happened last
struct sigaction previous_action {};
const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

/// The files' names by the first byte of their mapping. The handler does not need them, so that they can have a lock.
struct MappedNames {
    std::mutex mutex;
    std::map<const std::byte*, std::string> names;
    std::string last; ///< the name for last_cut if that mapping is gone when check() asks
};
MappedNames& mapped_names() {
    static auto* all = new MappedNames;
    return *all;
}

/// Replaces the part of a mapping that lies behind the end of its file by zeros, and counts that in `cuts`.
void on_bus_error(int signal, siginfo_t* info, void*) {
    const auto* at = static_cast<std::byte*>(info->si_addr);
    for (const Mapping& m : mappings) {
        std::byte* begin = m.begin.load(std::memory_order_acquire);
        const std::size_t bytes = m.bytes.load(std::memory_order_acquire);
        if (!begin || at < begin || at >= begin + bytes) continue;
        const std::size_t offset = static_cast<std::size_t>(at - begin) / page_bytes * page_bytes;
        // Everything from this page on, since it lies behind the end as well, and each page would cost a signal.
        if (::mmap(begin + offset, bytes - offset, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
            MAP_FAILED)
            break;
        last_cut.store(begin, std::memory_order_relaxed);
        cuts.fetch_add(1, std::memory_order_release);
        return;
    }
    ::sigaction(signal, &previous_action, nullptr); // the access is repeated and now terminates the process
}

void watch_mappings() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action {};
        action.sa_sigaction = on_bus_error;
        action.sa_flags = SA_SIGINFO;
        sigemptyset(&action.sa_mask);
        ::sigaction(SIGBUS, &action, &previous_action);
    });
}

void add_mapping(std::byte* data, std::size_t bytes, const std::string& name) {
    watch_mappings();
    {
        const std::lock_guard lock(mapped_names().mutex);
        mapped_names().names[data] = name;
    }
    for (Mapping& m : mappings) {
        std::byte* free = nullptr;
        if (!m.begin.compare_exchange_strong(free, data, std::memory_order_acq_rel)) continue;
        m.bytes.store(bytes, std::memory_order_release);
        return;
    }
}

void remove_mapping(std::byte* data) {
    for (Mapping& m : mappings) {
        if (m.begin.load(std::memory_order_acquire) != data) continue;
        m.bytes.store(0, std::memory_order_release);
        m.begin.store(nullptr, std::memory_order_release);
        break;
    }
    const std::lock_guard lock(mapped_names().mutex);
    const auto it = mapped_names().names.find(data);
    if (it == mapped_names().names.end()) return;
    if (last_cut.load(std::memory_order_relaxed) == data) mapped_names().last = it->second;
    mapped_names().names.erase(it);
}

} // namespace

std::shared_ptr<MappedFile> MappedFile::open(const fs::path& path) {
    const OpenFile file = open_regular(path);
    const Descriptor close_later(file.fd);
    void* memory = nullptr;
    if (file.bytes > 0) {
        memory = ::mmap(nullptr, file.bytes, PROT_READ, MAP_PRIVATE, file.fd, 0);
        if (memory == MAP_FAILED) throw_system_error(path, errno);
        add_mapping(static_cast<std::byte*>(memory), file.bytes, path.native());
    }
    return std::shared_ptr<MappedFile>(new MappedFile(static_cast<std::byte*>(memory), file.bytes, path.native()));
}

MappedFile::~MappedFile() {
    if (!data_) return;
    remove_mapping(data_);
    ::munmap(data_, bytes_);
}

MappedFileWatch::MappedFileWatch() : seen_(cuts.load(std::memory_order_acquire)) {}

void MappedFileWatch::check() const {
    if (cuts.load(std::memory_order_acquire) == seen_) return;
    std::string name;
    {
        const std::lock_guard lock(mapped_names().mutex);
        const auto it = mapped_names().names.find(last_cut.load(std::memory_order_relaxed));
        name = it == mapped_names().names.end() ? mapped_names().last : it->second;
    }
    throw Error(name, "", "became shorter while it was being read", "leave files alone while they are used");
}

void MappedFile::drop_pages(std::size_t offset, std::size_t bytes) const {
    if (offset >= bytes_) return;
    const std::size_t page = page_bytes;
    const std::size_t end = offset + std::min(bytes, bytes_ - offset);
    const std::size_t first = (offset + page - 1) / page * page, last = end == bytes_ ? end : end / page * page;
    if (first < last) ::madvise(data_ + first, last - first, MADV_DONTNEED);
}

} // namespace denoir
