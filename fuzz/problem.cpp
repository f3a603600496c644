// Problem files: the first section is TOML, the second one override. read_config, what to_toml
// writes reads back to the same config, and make_instance where the config asks for little.
#include "rgu/experiment/instance.hpp"
#include "small_problem.hpp"
#include "support.hpp"

using namespace rgu;

namespace {

ProblemConfig read(std::string_view text, std::string_view override_text) {
  std::vector<std::string> overrides;
  if (!override_text.empty()) overrides.emplace_back(override_text);
  return read_config({.name = "input", .text = std::string(text), .folder = {}}, overrides);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parts = fuzz::sections(fuzz::text_of(data, size), 2);
  const auto config = fuzz::accepted([&] { return read(parts[0], parts[1]); });
  if (!config) return 0;
  const std::string written = to_toml(*config);
  fuzz::require(read(written, {}) == *config, "a written config reads back the same");
  if (fuzz::is_small(*config)) {
    fuzz::accepted([&] { return make_instance(*config, config->seeds.front()); });
  }
  return 0;
}
