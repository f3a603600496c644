// Demonstrated behaviour as an occupancy measure.
#pragma once

#include <cstdint>
#include <filesystem>

#include "rgu/base/text_file.hpp"
#include "rgu/experiment/config_utility.hpp"
#include "rgu/mdp/world.hpp"

namespace rgu {

// The empirical discounted occupancy (S, A) of the trajectories in a CSV file, divided by its sum:
// every row counts discount^step.
//
//   trajectory,step,state,action
//   0,0,3,1
//
// One header line that names these four columns, in any order, then one step a line, in any order.
// Ids count from 0; the steps of a trajectory are 0, 1, .. without a gap. Throws InvalidInput, with
// file and line, on anything else and on states and actions that the model does not have.
struct DemonstratedModel {
  Index states = 0;
  Index actions = 0;
  double discount = 0;
};
Matrix parse_demonstrations(const NamedText& source, const DemonstratedModel& model);
Matrix parse_demonstrations(const NamedText& source, const FiniteMdp& mdp);

// From the file or the expert of the config. The expert follows a policy that is optimal for its
// signal; its trajectories depend on `seed` alone. Throws InvalidInput also where there is no such
// signal.
Matrix demonstrated_occupancy(const DemonstrationsConfig& config, const World& world,
                              std::uint64_t seed);

}  // namespace rgu
