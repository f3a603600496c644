#include "rgu/experiment/solve_by.hpp"

#include "rgu/base/check.hpp"
#include "rgu/experiment/method.hpp"
#include "rgu/solver/occupancy_pgda.hpp"
#include "rgu/solver/prox_extragradient.hpp"

namespace rgu {
namespace {

struct Methods {
  const MethodParts& parts;
  SolverState& state;
  const StopRule& stop;
  const Observer& observe;

  SolverResult operator()(const AutoConfig&) {
    throw InvalidInput("solver: the method is still to be chosen");
  }
  SolverResult operator()(const EnvelopeConfig& method) {
    check(static_cast<bool>(parts.envelope),
          "solver: the method envelope needs the model of the environment");
    return parts.envelope(method, std::move(state));
  }
  SolverResult operator()(const OccupancyConfig& method) {
    return occupancy_pgda(parts.problem, std::move(state),
                          {.policy_step = method.policy_step,
                           .nature_step = method.nature_step,
                           .order = method.order},
                          stop, observe);
  }
  SolverResult operator()(const WorstCaseConfig& method) {
    return pgda_worst_case(parts.problem, parts.worst_case, std::move(state),
                           {.policy_step = method.policy_step}, stop, observe);
  }
  SolverResult operator()(const PgdaConfig& method) {
    return pgda(parts.problem, std::move(state),
                {.policy_step = method.policy_step,
                 .nature_step = method.nature_step,
                 .inner_steps = method.inner_steps},
                stop, observe);
  }
  SolverResult operator()(const PgdaLpConfig& method) {
    return pgda_lp(parts.problem, std::move(state), {.policy_step = method.policy_step}, stop,
                   observe);
  }
  SolverResult operator()(const ProxExtragradientConfig& method) {
    return prox_extragradient(parts.problem, std::move(state),
                              {.step = method.step,
                               .proximal_weight = method.proximal_weight,
                               .inner_steps = method.inner_steps,
                               .oracle_at = parts.oracle_at},
                              stop, observe);
  }
};

}  // namespace

StopRule stop_rule(const ProblemConfig& config) {
  return {.iterations = iteration_limit(config),
          .samples = config.stopping.samples,
          .seconds = config.stopping.seconds,
          .residual = config.stopping.residual};
}

SolverResult solve_by(const SolverConfig& solver, const MethodParts& parts, SolverState state,
                      const StopRule& stop, const Observer& observe) {
  return std::visit(Methods{parts, state, stop, observe}, solver.method);
}

}  // namespace rgu
