#include "rgu/theory/assumptions.hpp"

#include <cmath>
#include <utility>

#include "rgu/base/check.hpp"
#include "rgu/theory/bounds_arithmetic.hpp"
#include "rgu/theory/descent_ascent.hpp"

namespace rgu {
namespace {

// A number that has to be finite, and what it means if it is not.
struct Required {
  const char* symbol;
  double value;
  const char* if_infinite;
};

AssumptionCheck decided(std::string name, bool holds, std::string reason) {
  return {std::move(name), holds ? AssumptionState::kHolds : AssumptionState::kFails,
          std::move(reason)};
}

AssumptionCheck finite(std::string name, const std::vector<Required>& required) {
  std::string values;
  for (const Required& number : required) {
    if (std::isinf(number.value)) {
      return decided(std::move(name), false,
                     fmt::format("{} is infinite: {}", number.symbol, number.if_infinite));
    }
    values += fmt::format("{}{} = {:.6g}", values.empty() ? "" : ", ", number.symbol, number.value);
  }
  return decided(std::move(name), true, std::move(values));
}

AssumptionCheck bounded_sets(const ProblemNumbers& n) {
  return finite("bounded sets", {{"D_Theta", n.policy_diameter, "Theta is not bounded"},
                                 {"D_Xi", n.nature_diameter, "Xi is not bounded"}});
}

AssumptionCheck bounded_occupancy_sets(const ProblemNumbers& n) {
  return finite("bounded sets", {{"D_Lambda", n.occupancy_diameter, "no diameter is known"},
                                 {"D_Xi", n.nature_diameter, "Xi is not bounded"}});
}

AssumptionCheck smooth_policies(const ProblemNumbers& n) {
  return finite("smooth policies",
                {{"l_pi", n.policy_lipschitz, "grad log pi has no bound"},
                 {"L_pi", n.policy_smoothness, "grad log pi is not Lipschitz in theta"}});
}

const char* const kNoOccupancyBound = "grad_lambda f has no bound";
const char* const kNoNatureBound = "grad_xi f has no bound";

AssumptionCheck smooth_in_occupancy(const ProblemNumbers& n) {
  return finite("smooth in the occupancy",
                {{"l_lambda", n.occupancy_gradient, kNoOccupancyBound},
                 {"L_lambda", n.occupancy_lipschitz,
                  "grad_lambda f is not Lipschitz in lambda (as of a plain least eigenvalue)"}});
}

AssumptionCheck smooth_in_nature(const ProblemNumbers& n) {
  return finite("smooth in nature's choice",
                {{"l_xi", n.nature_gradient, kNoNatureBound},
                 {"L_xi", n.nature_lipschitz, "grad_xi f is not Lipschitz in xi"}});
}

AssumptionCheck smooth_across(const ProblemNumbers& n) {
  return finite("smooth across the players",
                {{"L_lambda,xi", n.cross_lipschitz,
                  "the gradient for one player is not Lipschitz in the other's choice"}});
}

AssumptionCheck bounded_gradients(const ProblemNumbers& n) {
  return finite("bounded gradients", {{"l_lambda", n.occupancy_gradient, kNoOccupancyBound},
                                      {"l_xi", n.nature_gradient, kNoNatureBound}});
}

AssumptionCheck convex(const ProblemNumbers& n, std::string_view if_not) {
  return decided("convex in the occupancy", n.convex_in_occupancy,
                 n.convex_in_occupancy ? "f is convex in lambda for every xi"
                                       : fmt::format("f is not convex in lambda{}", if_not));
}

const char* const kOneNature = "Xi is one point";
const char* const kNotConcave = "f is not concave in xi";

AssumptionCheck strongly_concave(const ProblemNumbers& n) {
  const std::string name = "strongly concave in nature's choice";
  if (n.nature_diameter == 0) return decided(name, true, kOneNature);
  if (n.strong_concavity > 0) {
    return decided(name, true, fmt::format("mu = {:.6g}", n.strong_concavity));
  }
  return decided(name, false,
                 n.concave_in_nature ? "f is concave in xi but not strongly: mu = 0" : kNotConcave);
}

AssumptionCheck concave(const ProblemNumbers& n) {
  const std::string name = "concave in nature's choice";
  if (n.nature_diameter == 0) return decided(name, true, kOneNature);
  return decided(name, n.concave_in_nature,
                 n.concave_in_nature ? "f is concave in xi for every lambda" : kNotConcave);
}

AssumptionCheck minty() {
  return {"Minty solution", AssumptionState::kUnknown,
          "a point that all gradients of the game agree on: no constant can tell"};
}

}  // namespace

std::vector<AssumptionCheck> assumptions(Theorem theorem, const ProblemNumbers& numbers) {
  check_problem_numbers(numbers);
  if (theorem == Theorem::kOccupancyPgda) {
    return {bounded_occupancy_sets(numbers), bounded_gradients(numbers), convex(numbers, ""),
            concave(numbers)};
  }
  std::vector<AssumptionCheck> out = {
      bounded_sets(numbers),
      smooth_policies(numbers),
      smooth_in_occupancy(numbers),
      smooth_in_nature(numbers),
      smooth_across(numbers),
      convex(numbers, "; the theorem asks for it, its proof does not use it")};
  out.push_back(theorem == Theorem::kProxExtragradient ? minty() : strongly_concave(numbers));
  return out;
}

AssumptionCheck pgda_step_check(const ProblemNumbers& numbers, double policy_step) {
  check_positive("policy_step", policy_step);
  const double largest = largest_pgda_steps(numbers).policy;
  return decided("eta <= 1/L_Gamma", policy_step <= largest,
                 fmt::format("eta = {:.6g}, 1/L_Gamma = {:.6g}", policy_step, largest));
}

std::vector<AssumptionCheck> proximal_checks(const ProblemNumbers& numbers,
                                             const ProximalSettings& settings) {
  check_positive("step", settings.step);
  const double largest = largest_proximal_step(numbers, settings.weight);
  const double field = saddle_constants(numbers).field;
  return {
      decided("sigma > L_F", settings.weight > field,
              fmt::format("sigma = {:.6g}, L_F = {:.6g}", settings.weight, field)),
      decided("alpha <= 1/(4 (L_F + sigma))", settings.step <= largest,
              fmt::format("alpha = {:.6g}, 1/(4 (L_F + sigma)) = {:.6g}", settings.step, largest))};
}

}  // namespace rgu
