// The .bin files of llama2.c, of its first ("legacy") version: 7 little-endian 32-bit integers
// (dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab_size, seq_len; a negative vocab_size: the
// output head is not tied), then the tensors as F32, one kind after the other.
#pragma once

#include <filesystem>

#include "rgu/llm/files/model_files.hpp"

namespace rgu::llm {

// A LLaMA model by the names of the Python ecosystem. Tensors are views into the mapped file, but
// for the rows of q_proj and k_proj: llama2.c rotates the pairs (2 i, 2 i + 1) of a head, here (i,
// i + head_size / 2) are rotated, so these rows are put in that order. Throws InvalidInput unless
// the file has exactly the size that its header asks for.
ModelFiles read_llama2c(const std::filesystem::path& path);

}  // namespace rgu::llm
