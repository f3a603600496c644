// Models as the explicit files of PRISM: the first byte chooses the options and which of the three
// further files there are, the rest is the four files in sections. What write_prism writes reads
// back to the same world.
#include "read_options.hpp"
#include "rgu/mdp/io/prism_file.hpp"
#include "same_world.hpp"
#include "support.hpp"

using namespace rgu;

namespace {

std::optional<NamedText> file_if(bool there, std::string_view name, std::string_view text) {
  if (!there) return std::nullopt;
  return NamedText{name, text};
}

// Reward files are there or not: a world without them has no reward.
void check_round_trip(const World& world) {
  const auto path = fuzz::scratch_folder() / "model.tra";
  const bool has_reward = world.signals.contains("reward");
  write_prism(path, world, {.reward = has_reward ? "reward" : ""});
  World again = read_prism(path, {.discount = 0.9});
  if (!has_reward) {
    fuzz::require(again.signals.at("reward").isZero(0), "no reward is written as zeros");
    again.signals.clear();
  }
  fuzz::require(fuzz::same_world(world, again), "a written model reads back the same");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t choice = data[0];
  const auto parts = fuzz::sections(fuzz::text_of(data + 1, size - 1), 4);
  const auto world = fuzz::accepted([&] {
    return parse_prism({.transitions = {"tra", parts[0]},
                        .transition_rewards = file_if(choice & 8, "trew", parts[1]),
                        .state_rewards = file_if(choice & 16, "srew", parts[2]),
                        .labels = file_if(choice & 32, "lab", parts[3])},
                       fuzz::read_options(choice % 8));
  });
  if (world) check_round_trip(*world);
  return 0;
}
