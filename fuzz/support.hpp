// What the targets share. A target is a function of bytes that returns; where a promise of the
// library is broken it does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "rgu/base/check.hpp"

// What libFuzzer, or replay.cpp, calls; each target defines it. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace rgu::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The parts of an input that are divided by lines "=====", `count` of them: what is beyond the last
// belongs to it, and where there are fewer the last are empty.
std::vector<std::string_view> sections(std::string_view input, std::size_t count);

// What read() returns, or none where it refuses its input, or gives a method up, as documented.
// Every other exception is a finding, and passes.
template <class Read>
auto accepted(Read read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const InvalidInput&) {
    return std::nullopt;
  } catch (const NotConverged&) {
    return std::nullopt;
  }
}

// Ends the program with the promise that was broken, unless it was kept.
void require(bool kept, std::string_view promise);

// A folder of this process's own in the folder for temporary files (TMPDIR), removed at its end.
const std::filesystem::path& scratch_folder();

// A file of these bytes in the scratch folder.
std::filesystem::path scratch_file(std::string_view name, std::string_view bytes);
void put_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace rgu::fuzz
