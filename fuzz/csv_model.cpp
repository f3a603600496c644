// Models as CSV: the first byte chooses the options, the rest is the file. What write_csv writes
// reads back to the same world.
#include "read_options.hpp"
#include "rgu/mdp/io/csv_file.hpp"
#include "same_world.hpp"
#include "support.hpp"

using namespace rgu;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ReadOptions options = fuzz::read_options(data[0]);
  const auto world = fuzz::accepted([&] {
    return parse_csv({"input", fuzz::text_of(data + 1, size - 1)}, options);
  });
  if (!world) return 0;
  const auto path = fuzz::scratch_folder() / "model.csv";
  write_csv(path, *world);
  fuzz::require(fuzz::same_world(*world, read_csv(path, {.discount = 0.9})),
                "a written model reads back the same");
  return 0;
}
