// The files that a tokenizer is made of, by the names that a model's folder has them under.
#pragma once

#include <filesystem>

namespace rgu::llm {

// Whether there is a tokenizer that open_tokenizer would find in `folder`.
bool holds_tokenizer(const std::filesystem::path& folder);

// The files that make up the tokenizer at `from` into the folder `to`, which is made if it is not
// there. Of a folder: those that are there. One file: tokenizer.json, tokenizer.model or, of
// llama2.c, tokenizer.bin, whatever it was called. Returns how many. Throws FileError where the
// system refuses.
int copy_tokenizer_files(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace rgu::llm
