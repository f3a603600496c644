// Models as JSON: parse_json, and what write_json writes reads back to the same world.
#include "rgu/mdp/io/json_file.hpp"
#include "same_world.hpp"
#include "support.hpp"

using namespace rgu;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto world = fuzz::accepted([&] {
    return parse_json({"input", fuzz::text_of(data, size)});
  });
  if (!world) return 0;
  const auto path = fuzz::scratch_folder() / "model.json";
  write_json(path, *world);
  fuzz::require(fuzz::same_world(*world, read_json(path)), "a written model reads back the same");
  return 0;
}
