// Occupancy and policy gradient of a Garnet that is spread over processes, by PETSc; with one
// process also by the solver of whole models, in turns. One line of JSON:
//   mpirun -n 2 bench_spread_model STATES [DISCOUNT] [ROUNDS]
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <vector>

#include "rgu/base/blas_setup.hpp"
#include "rgu/gradient/exact_oracle.hpp"
#include "rgu/large/petsc.hpp"
#include "rgu/large/spread_gradient.hpp"
#include "rgu/mdp/generators.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mpi/mpi_ranks.hpp"
#include "rgu/utility/reward_robust.hpp"

namespace {

using namespace rgu;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

struct Times {
  double assembly = 0;   // of I - g P_pi
  double occupancy = 0;  // with the assembly
  double gradient = 0;   // of both players, with all before
  double products = 0;
};

// What is asked for of a policy: lambda, then Q of the utility's gradient.
Times spread_times(const SpreadModel& model, const SpreadUtility& utility, const Matrix& pi) {
  Times times;
  const double before = matrix_products();
  const Clock::time_point begin = Clock::now();
  const SpreadEvaluation evaluation(model, pi, 1e-8);
  times.assembly = seconds_since(begin);
  const Matrix lambda = evaluation.occupancy();
  times.occupancy = seconds_since(begin);
  const UtilityGradient f = utility.evaluate(lambda, utility.worst(lambda));
  Matrix weight = evaluation.action_value(f.occupancy);
  const Vector value = policy_cost(pi, weight);
  weight.colwise() -= value;
  weight.array() *= lambda.array();
  times.gradient = seconds_since(begin);
  times.products = matrix_products() - before;
  return times;
}

Times whole_times(const World& world, const Matrix& pi, double radius) {
  Times times;
  const Clock::time_point begin = Clock::now();
  const PolicyEvaluation evaluation(world.mdp, pi, {.residual = 1e-8});
  times.assembly = seconds_since(begin);
  const Matrix lambda = evaluation.occupancy();
  times.occupancy = seconds_since(begin);
  const Matrix cost = -(world.signals.at("reward") - radius / lambda.norm() * lambda);
  Matrix weight = evaluation.action_value(cost);
  const Vector value = policy_cost(pi, weight);
  weight.colwise() -= value;
  weight.array() *= lambda.array();
  times.gradient = seconds_since(begin);
  return times;
}

std::string text_of(const std::vector<Times>& all) {
  const auto of = [&](double Times::*member) {
    std::vector<double> values;
    for (const Times& times : all) values.push_back(times.*member);
    return median(values);
  };
  return fmt::format(
      R"({{"assembly": {:.5g}, "occupancy": {:.5g}, "gradient": {:.5g}, "products": {}}})",
      of(&Times::assembly), of(&Times::occupancy), of(&Times::gradient), of(&Times::products));
}

}  // namespace

int main(int argc, char** argv) {
  MpiRanks ranks;
  const PetscSession petsc;
  prepare_blas();
  const Index states = argc > 1 ? std::atoll(argv[1]) : 100000;
  const double discount = argc > 2 ? std::atof(argv[2]) : 0.99;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 3;
  const bool with_whole = ranks.size() == 1 && argc > 4;
  const GarnetOptions options{
      .states = states, .actions = 4, .branching = 8, .discount = discount, .row_streams = true};
  const Clock::time_point begin = Clock::now();
  std::optional<SpreadModel> model;
  {
    Rng rng(1);
    model.emplace(garnet_slice(options, own_states(states, ranks), rng), ranks);
  }
  const double made = largest(ranks, seconds_since(begin));
  const double radius = 1;
  const auto utility =
      spread_reward({.centre = signal_named(*model, "reward"), .radius = radius}, ranks);
  const Matrix pi = Matrix::Constant(model->own().size(), 4, 0.25);
  std::vector<Times> spread, whole;
  spread.push_back(spread_times(*model, *utility, pi));
  const double peak = peak_bytes();
  spread.clear();
  std::optional<World> world;
  if (with_whole) {
    Rng rng(1);
    world.emplace(garnet(options, rng));
  }
  for (int round = 0; round < rounds; ++round) {
    spread.push_back(spread_times(*model, *utility, pi));
    if (world) whole.push_back(whole_times(*world, pi, radius));
  }
  const SpreadEvaluation evaluation(*model, pi, 1e-8);
  const double residual = flow_residual(*model, evaluation.occupancy());
  const double most = largest(ranks, peak);
  if (!ranks.leads()) return 0;
  fmt::print(R"({{"states": {}, "transitions": {}, "discount": {}, "ranks": {}, "made": {:.4g}, )"
             R"("peak_bytes_of_a_rank": {}, "flow_residual": {:.3g}, "spread": {}{}}})"
             "\n",
             states, model->transitions(), discount, ranks.size(), made, most, residual,
             text_of(spread), world ? fmt::format(R"(, "whole": {})", text_of(whole)) : "");
}
