#include <nlohmann/json.hpp>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/files/safetensors.hpp"

namespace rgu::llm {
namespace {

using nlohmann::json;

// A name in the folder itself: an index must not lead anywhere else.
void check_shard_name(const json& name, const std::string& where) {
  check(name.is_string(), "{}: a file of weight_map is {}, must be a string", where,
        one_line(name));
  const std::filesystem::path path(name.get<std::string>());
  check(!path.empty() && path == path.filename() && path != "." && path != ".." &&
            name.get<std::string>().find_first_of("/\\") == std::string::npos,
        "{}: weight_map names the file {}, must be a file of the same folder", where,
        one_line(name));
}

std::map<std::string, std::string> weight_map_of(const std::filesystem::path& index) {
  const json parsed = read_json(index);
  const auto found = parsed.find("weight_map");
  check(found != parsed.end() && found->is_object(), "{}: weight_map must be an object",
        index.string());
  std::map<std::string, std::string> files;
  for (const auto& [name, file] : found->items()) {
    check_shard_name(file, index.string());
    files.emplace(name, file.get<std::string>());
  }
  return files;
}

}  // namespace

Weights read_sharded(const std::filesystem::path& index) {
  const std::map<std::string, std::string> files = weight_map_of(index);
  std::map<std::string, Weights> shards;
  Weights weights;
  for (const auto& [name, file] : files) {
    if (!shards.contains(file)) shards.emplace(file, read_safetensors(index.parent_path() / file));
    const auto& tensors = shards.at(file).tensors;
    const auto tensor = tensors.find(name);
    check(tensor != tensors.end(), "{}: tensor {} is not in {}", index.string(), in_quotes(name),
          in_quotes(file));
    weights.tensors.insert(*tensor);
  }
  for (const auto& [file, shard] : shards) {
    for (const auto& [name, tensor] : shard.tensors) {
      const auto placed = files.find(name);
      check(placed != files.end() && placed->second == file,
            "{}: {} holds the tensor {}, which weight_map {}", index.string(), in_quotes(file),
            in_quotes(name), placed == files.end() ? "does not name" : "places in another file");
    }
    weights.owners.insert(weights.owners.end(), shard.owners.begin(), shard.owners.end());
    weights.metadata.insert(shard.metadata.begin(), shard.metadata.end());
  }
  return weights;
}

}  // namespace rgu::llm
