#include "rgu/solver/state_file.hpp"

#include "rgu/base/check.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu {
namespace {

Json to_json(const SaddlePoint& point) {
  return {{"policy", rgu::to_json(point.policy)}, {"nature", rgu::to_json(point.nature)}};
}

Json to_json(const StepMemory& memory) {
  return {{"step", rgu::to_json(memory.step)},
          {"growth", rgu::to_json(memory.growth)},
          {"early_lipschitz", rgu::to_json(memory.early_lipschitz)},
          {"diminishing", memory.diminishing},
          {"point", rgu::to_json(memory.point)},
          {"gradient", rgu::to_json(memory.gradient)}};
}

SaddlePoint point_of(const Json& json) {
  return {.policy = vector_of(json, "policy"), .nature = vector_of(json, "nature")};
}

StepMemory memory_of(const Json& json) {
  const Json& diminishing = member(json, "diminishing");
  check(diminishing.is_boolean(), "\"diminishing\" is {}, must be true or false",
        diminishing.dump());
  return {.step = number<double>(json, "step"),
          .growth = number<double>(json, "growth"),
          .early_lipschitz = number<double>(json, "early_lipschitz"),
          .diminishing = diminishing.get<bool>(),
          .point = vector_of(json, "point"),
          .gradient = vector_of(json, "gradient")};
}

}  // namespace

std::string to_text(const SolverState& state) {
  const Rng::State& rng = state.rng.state();
  Json json = {{"iteration", state.iteration},
               {"point", to_json(state.point)},
               {"drawn", to_json(state.drawn)},
               {"rng", {{"seed", rng.seed}, {"stream", rng.stream}, {"position", rng.position}}},
               {"samples", state.samples},
               {"residual", rgu::to_json(state.residual)},
               {"first_value", rgu::to_json(state.first_value)},
               {"policy_step", to_json(state.policy_step)},
               {"extragradient", rgu::to_json(state.extragradient)}};
  if (state.average.policy.size() > 0) {
    json["average"] = to_json(state.average);
    json["nature_step"] = rgu::to_json(state.nature_step);
  }
  return json.dump();
}

SolverState parse_state(std::string_view text) {
  const Json json = parse_json(text);
  const Json& rng = member(json, "rng");
  SolverState state;
  state.iteration = number<Index>(json, "iteration");
  state.point = point_of(member(json, "point"));
  state.drawn = point_of(member(json, "drawn"));
  state.rng = Rng(Rng::State{.seed = number<std::uint64_t>(rng, "seed"),
                             .stream = number<std::uint64_t>(rng, "stream"),
                             .position = number<std::uint64_t>(rng, "position")});
  state.samples = number<Index>(json, "samples");
  state.residual = number<double>(json, "residual");
  state.first_value = number<double>(json, "first_value");
  state.policy_step = memory_of(member(json, "policy_step"));
  state.extragradient = number<double>(json, "extragradient");
  if (json.contains("average")) {
    state.average = point_of(member(json, "average"));
    state.nature_step = number<double>(json, "nature_step");
  }
  return state;
}

}  // namespace rgu
