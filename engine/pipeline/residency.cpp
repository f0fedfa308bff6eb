// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/residency.h"

#include <sys/stat.h>

#include <fmt/format.h>

namespace denoir {
namespace {

/// What tells a file from one that has taken its name.
std::string stamp(const std::filesystem::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return file.string();
    return fmt::format("{} {} {} {}.{}", file.string(), status.st_ino, status.st_size, status.st_mtim.tv_sec,
                       status.st_mtim.tv_nsec);
}

} // namespace

std::shared_ptr<const Weights> Residency::get(std::span<const std::filesystem::path> files, Component component) {
    std::string key(name(component));
    for (const auto& file : files) key += '\n' + stamp(file);
    for (auto it = entries_.begin(); it != entries_.end(); ++it)
        if (it->key == key) {
            entries_.splice(entries_.begin(), entries_, it);
            return entries_.front().weights;
        }
    entries_.push_front({key, std::make_shared<const Weights>(Weights::load(files, component))});
    shrink();
    return entries_.front().weights;
}

void Residency::release(Component component) {
    entries_.remove_if([&](const Entry& e) { return e.weights->component() == component; });
}

std::size_t Residency::bytes() const {
    std::size_t sum = 0;
    for (const Entry& e : entries_) sum += e.weights->stored_bytes();
    return sum;
}

void Residency::shrink() {
    while (entries_.size() > 1 && bytes() > budget_) entries_.pop_back();
}

} // namespace denoir
