// All that a training run needs to go on, as a folder:
//
//   state.json                  step, tokens read, size of metrics.jsonl, what the run is made
//   from,
//                               and a checksum of all this
//   parameters.safetensors      what is trained, and the other numbers that training keeps
//   optimizer.safetensors       the moments of AdamW and its step
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "rgu/llm/files/tensor.hpp"
#include "rgu/llm/torch/option_checks.hpp"

namespace rgu::llm {

struct Checkpoint {
  std::int64_t step =
      0;  // steps done: with the seed, the position in the data and in every random stream
  std::int64_t tokens = 0;
  std::uint64_t metrics_bytes = 0;
  Fingerprint fingerprint = {};
  Weights parameters = {};
  Weights optimizer = {};
};

// Replaces `folder` as a whole: the new one is written beside it and then renamed. Throws
// FileError.
void write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint);
// None, if there is none. Throws InvalidInput if it is not as written, by its checksum.
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& folder);
void remove_checkpoint(const std::filesystem::path& folder);

// Throws InvalidInput that names the first entry in which they differ, and both values.
void check_fingerprint(const Fingerprint& stored, const Fingerprint& present,
                       const std::filesystem::path& where);

}  // namespace rgu::llm
