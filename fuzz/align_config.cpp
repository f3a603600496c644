// Alignment runs as TOML: read_config, and what to_toml writes reads back the same.
#include "rgu/align/config_file.hpp"
#include "support.hpp"

using namespace rgu;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  const auto config = fuzz::accepted(
      [&] { return align::read_config({.name = "input", .text = text, .folder = {}}); });
  if (!config) return 0;
  fuzz::accepted([&] { return align::check_config(*config), 0; });
  const std::string written = align::to_toml(*config);
  const auto again = align::read_config({.name = "written", .text = written, .folder = {}});
  fuzz::require(align::to_toml(again) == written, "a written config reads back the same");
  return 0;
}
