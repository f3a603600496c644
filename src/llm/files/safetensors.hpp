// The file format safetensors: 8 bytes of little-endian header size, a JSON header of that size
// {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ..., "__metadata__": {...}},
// then the bytes of the tensors, without holes, which the offsets count from their beginning.
#pragma once

#include <filesystem>
#include <optional>

#include "rgu/llm/files/tensor.hpp"

namespace rgu::llm {

// Views into the mapped file, which is their owner: nothing is copied. Throws InvalidInput, naming
// the file, the tensor, the value and the rule, where the file breaks a rule of the format.
Weights read_safetensors(const std::filesystem::path& path);

// The floating-point tensors as `type` (kF32, kF16 or kBF16; none: as they are), the others as they
// are. Larger element types first, then by name; the first begins at a multiple of 64 bytes. The
// file appears whole. Throws FileError.
void write_safetensors(const std::filesystem::path& path, const Weights& weights,
                       std::optional<DataType> type = {});

// A model in several files, by its index {"weight_map": {"tensor": "file", ...}}. All files must be
// in the folder of the index; throws InvalidInput for a tensor that its file does not hold and for
// one that a file holds but the index does not place there.
Weights read_sharded(const std::filesystem::path& index);

// Writes PREFIX.safetensors into `folder`, or, where that would be larger than `shard_bytes`,
// PREFIX-00001-of-0000N.safetensors and so on, and PREFIX.safetensors.index.json last. A tensor is
// never cut. Files of the other kind by these names are removed, so that none is read by mistake.
struct ShardOptions {
  std::optional<DataType> type = {};
  std::uint64_t shard_bytes = std::uint64_t{5} << 30;
};
void write_sharded(const std::filesystem::path& folder, const std::string& prefix,
                   const Weights& weights, const ShardOptions& options);

}  // namespace rgu::llm
