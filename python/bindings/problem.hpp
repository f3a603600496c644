// What rgu.solve solves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "rgu/experiment/config.hpp"
#include "rgu/experiment/instance.hpp"
#include "rgu/experiment/solve_environment.hpp"

namespace rgu::python {

// A problem file or a built-in problem; or parts that a program made; or an environment.
struct Problem {
  ConfigSource source;                 // of a problem of parts: only what is not a part
  std::vector<std::string> overrides;  // "table.key=value"
  ProblemConfig config;                // the source with the overrides
  std::optional<Instance> parts = std::nullopt;
  std::optional<EnvironmentProblem> environment = std::nullopt;

  bool is_file() const { return !parts && !environment; }
  Problem with_options(const std::vector<std::string>& further) const;
  // Throws InvalidInput for an environment, whose model is not known.
  Instance instance(std::uint64_t seed) const;
};

// A record of one seed, or of more.
struct Solution {
  RunRecord run;
  std::vector<Vector> parameters;  // theta of each seed; empty vectors where they are not known
  bool sampled = false;            // all numbers are estimates
};

}  // namespace rgu::python
