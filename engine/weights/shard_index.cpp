// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/shard_index.h"

#include <fmt/format.h>

#include <set>

#include "engine/core/file.h"
#include "engine/core/json.h"

namespace denoir {
namespace {

constexpr std::size_t max_bytes = 16u << 20;
constexpr std::size_t max_shards = 10'000;

bool is_plain_name(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find_first_of("/\\") == std::string::npos &&
           name.find('\0') == std::string::npos;
}

} // namespace

std::map<std::string, std::string> read_shard_index(const std::filesystem::path& path) {
    const std::string file = path.string();
    const Json json = parse_json(read_text(path, max_bytes), file);
    if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object())
        throw Error(file, "weight_map", "missing, or not an object of tensor and file names",
                    "download the index again");
    std::map<std::string, std::string> map;
    std::set<std::string> shards;
    for (const auto& [tensor, shard] : json["weight_map"].items()) {
        if (!shard.is_string()) throw Error(file, tensor, "its file name is not a string", "download the index again");
        const std::string& name = shard.get_ref<const std::string&>();
        if (!is_plain_name(name))
            throw Error(file, tensor, fmt::format("'{}' is not a plain file name of the same folder", name),
                        "the index is damaged or hostile: download it again");
        map.emplace(tensor, name);
        if (shards.insert(name).second && shards.size() > max_shards)
            throw Error(file, "weight_map", fmt::format("more than {} files", max_shards), "download the index again");
    }
    if (map.empty()) throw Error(file, "weight_map", "it names no tensor", "download the index again");
    for (const std::string& shard : shards) {
        std::error_code ignored;
        const auto status = std::filesystem::status(path.parent_path() / shard, ignored);
        if (std::filesystem::is_regular_file(status)) continue;
        const bool there = std::filesystem::exists(status);
        throw Error(file, "weight_map",
                    there ? fmt::format("{} beside it is not a regular file", shard)
                          : fmt::format("the file {} is missing beside it", shard),
                    "download that part of the model");
    }
    return map;
}

} // namespace denoir
