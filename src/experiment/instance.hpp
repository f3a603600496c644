// A problem file and a seed made into the objects that a solver works on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rgu/base/convex_set.hpp"
#include "rgu/experiment/config.hpp"
#include "rgu/mdp/policy.hpp"
#include "rgu/mdp/world.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

// Streams of random numbers that instances draw from. The first four belong to model.seed where
// that is set, else to the seed of the instance; the last always to the seed of the instance.
inline constexpr std::uint64_t kModelStream = 1;
inline constexpr std::uint64_t kFeatureStream = 2;        // features of utilities
inline constexpr std::uint64_t kDemonstrationStream = 3;  // trajectories of experts
inline constexpr std::uint64_t kPolicyFeatureStream = 4;
inline constexpr std::uint64_t kStartStream = 5;  // theta_0
inline constexpr std::uint64_t kSolverStream = 6;

// Copies share the kernel and all parts that are pointers.
struct Instance {
  World world;
  std::shared_ptr<const PolicyClass> policy = {};
  std::shared_ptr<const Utility> utility = {};
  std::shared_ptr<const ConvexSet> parameters = {};  // Theta
  std::shared_ptr<const ConvexSet> ambiguity = {};   // Xi
  Vector nominal = {};  // the centre of Xi: the utility's xi, unless [ambiguity] has another
  Vector start = {};    // theta_0, a member of Theta
  // The shape of xi for pictures: (d, d') for drift, (S, A) for rewards and targets over
  // state-actions, else (length, 1).
  Index nature_rows = 0;
  Index nature_columns = 1;
  // In words, one line each, with formula and sizes.
  std::string utility_text = {};
  std::string ambiguity_text = {};
  std::string map = {};                        // of a grid world, else empty
  std::vector<std::string> action_names = {};  // (A), or empty
};

// The same config and seed give the same instance, bit for bit. Throws InvalidInput, beginning with
// the table ("utility: parts[1]: no signal .."), where names, files, sizes and dimensions do not
// fit each other.
Instance make_instance(const ProblemConfig& config, std::uint64_t seed);

}  // namespace rgu
