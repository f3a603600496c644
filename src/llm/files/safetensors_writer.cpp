#include <algorithm>
#include <nlohmann/json.hpp>

#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/llm/files/safetensors.hpp"

namespace rgu::llm {
namespace {

using nlohmann::json;

constexpr std::size_t kDataAlignment = 64;
constexpr std::size_t kChunk = std::size_t{1} << 20;  // bytes handed on at once

DataType written_type(const TensorView& tensor, std::optional<DataType> type) {
  return type && is_floating(tensor.type) ? *type : tensor.type;
}

std::uint64_t written_bytes(const TensorView& tensor, std::optional<DataType> type) {
  return static_cast<std::uint64_t>(element_count(tensor.shape)) *
         bytes_of(written_type(tensor, type));
}

using Entry = std::pair<std::string, TensorView>;

std::vector<Entry> in_written_order(const Weights& weights, std::optional<DataType> type) {
  std::vector<Entry> entries(weights.tensors.begin(), weights.tensors.end());  // by name
  std::ranges::stable_sort(entries, std::ranges::greater(), [&](const Entry& entry) {
    return bytes_of(written_type(entry.second, type));
  });
  return entries;
}

std::string text_of(const json& header) {
  try {
    return header.dump();
  } catch (const json::exception&) {
    throw InvalidInput("a tensor's name or the metadata are not UTF-8, must be");
  }
}

// With the header's size in front and spaces at its end, up to where the data begin.
std::string header_of(const std::vector<Entry>& entries,
                      const std::map<std::string, std::string>& metadata,
                      std::optional<DataType> type) {
  json header = json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t begin = 0;
  for (const auto& [name, tensor] : entries) {
    check(name != "__metadata__", "a tensor must not have the name __metadata__");
    const std::uint64_t end = begin + written_bytes(tensor, type);
    header[name] = {{"dtype", name_of(written_type(tensor, type))},
                    {"shape", tensor.shape},
                    {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = text_of(header);
  const std::size_t size_bytes = sizeof(std::uint64_t);
  text.append((kDataAlignment - (text.size() + size_bytes) % kDataAlignment) % kDataAlignment, ' ');
  const std::uint64_t size = text.size();
  return std::string(reinterpret_cast<const char*>(&size), size_bytes) + text;
}

void write_bytes(OutputFile& file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto chunk = bytes.first(std::min(bytes.size(), kChunk));
    file.text({reinterpret_cast<const char*>(chunk.data()), chunk.size()});
    bytes = bytes.subspan(chunk.size());
  }
}

void check_type(std::optional<DataType> type) {
  check(!type || type == DataType::kF32 || type == DataType::kF16 || type == DataType::kBF16,
        "tensors are written as F32, F16 or BF16, not as {}",
        name_of(type.value_or(DataType::kF32)));
}

// Tensors in order of their names, a new part where one more would be too much.
std::vector<Weights> parts_of(const Weights& weights, const ShardOptions& options) {
  std::vector<Weights> parts(1, Weights{.tensors = {}, .owners = {}, .metadata = weights.metadata});
  std::uint64_t bytes = 0;
  for (const auto& [name, tensor] : weights.tensors) {
    const std::uint64_t more = written_bytes(tensor, options.type);
    if (!parts.back().tensors.empty() &&
        (more > options.shard_bytes || bytes > options.shard_bytes - more)) {
      parts.push_back(Weights{.tensors = {}, .owners = {}, .metadata = weights.metadata});
      bytes = 0;
    }
    parts.back().tensors.emplace(name, tensor);
    bytes += more;
  }
  return parts;
}

void remove_stale(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) throw FileError(fmt::format("cannot remove {}: {}", path.string(), error.message()));
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const Weights& weights,
                       std::optional<DataType> type) {
  check_type(type);
  const std::vector<Entry> entries = in_written_order(weights, type);
  const std::string header = header_of(entries, weights.metadata, type);
  OutputFile file(path);
  file.text(header);
  for (const auto& [name, tensor] : entries) {
    if (written_type(tensor, type) == tensor.type) {
      check(tensor.bytes.size() == written_bytes(tensor, type),
            "tensor {} has {} bytes, must have {}", name, tensor.bytes.size(),
            written_bytes(tensor, type));
      write_bytes(file, tensor.bytes);
    } else {
      write_bytes(file, converted(tensor, *type));
    }
  }
  file.commit();
}

void write_sharded(const std::filesystem::path& folder, const std::string& prefix,
                   const Weights& weights, const ShardOptions& options) {
  const std::filesystem::path single = folder / (prefix + ".safetensors");
  const std::filesystem::path index = folder / (prefix + ".safetensors.index.json");
  const std::vector<Weights> parts = parts_of(weights, options);
  if (parts.size() == 1) {
    write_safetensors(single, weights, options.type);
    remove_stale(index);
    return;
  }
  json map = json::object();
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string name =
        fmt::format("{}-{:05}-of-{:05}.safetensors", prefix, i + 1, parts.size());
    write_safetensors(folder / name, parts[i], options.type);
    for (const auto& [tensor_name, tensor] : parts[i].tensors) {
      map[tensor_name] = name;
      total += written_bytes(tensor, options.type);
    }
  }
  OutputFile file(index);
  file.text(json{{"metadata", {{"total_size", total}}}, {"weight_map", map}}.dump(2) + "\n");
  file.commit();
  remove_stale(single);
}

}  // namespace rgu::llm
