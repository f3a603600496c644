// Solvers on extreme problems: they end without an exception, with numbers that can be recomputed.
#include <cmath>

#include "laws/problems.hpp"
#include "properties/drawn.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/gradient/exact_oracle.hpp"
#include "rgu/gradient/occupancy_oracle.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/occupancy_polytope.hpp"
#include "rgu/robustness/worst_case.hpp"
#include "rgu/solver/occupancy_pgda.hpp"
#include "rgu/solver/pgda.hpp"
#include "rgu/solver/prox_extragradient.hpp"
#include "rgu/solver/stationarity.hpp"

namespace rgu {
namespace {

constexpr double kAlpha = 0.1;

// A model, a utility and a ball for nature.
struct Problem {
  explicit Problem(const drawn::Model& drawn) : mdp(made(drawn)), rng(drawn.seed, 1) {
    const auto all = every_utility(mdp.states(), mdp.actions(), drawn.seed);
    const auto& [name, chosen] = all[*rc::gen::inRange<std::size_t>(0, all.size())];
    RC_LOG() << "utility " << name << '\n';
    utility = chosen;
    const Index n = utility->nature_dimension();
    const bool target = dynamic_cast<const KlTarget*>(utility.get()) != nullptr;
    const double radius = *drawn::radii();
    const Vector centre = normal_vector(n, rng).cwiseAbs().array() + 0.1;
    if (n == 0) {
      ambiguity = std::make_shared<Singleton>(centre);
    } else {
      ambiguity = std::make_shared<LpBall>(
          LpBallShape{.centre = centre, .radius = target ? std::min(radius, 0.05) : radius});
    }
  }

  FiniteMdp mdp;
  Rng rng;
  std::shared_ptr<const Utility> utility;
  std::shared_ptr<const ConvexSet> ambiguity;
};

// The same seen by a solver over softmax parameters, with a residual that is measured and kept.
struct Trained {
  explicit Trained(const drawn::Model& drawn)
      : problem(drawn),
        policy({problem.mdp.states(), problem.mdp.actions()}),
        parameters(uniform_box(policy.dimension(), {-10, 10})),
        oracle(problem.mdp, policy, *problem.utility),
        saddle{oracle, parameters, *problem.ambiguity} {}

  SolverState start() const {
    SolverState state;
    state.point = {.policy = Vector::Zero(policy.dimension()),
                   .nature = Vector::Zero(problem.ambiguity->dimension())};
    if (dynamic_cast<const KlTarget*>(problem.utility.get()) != nullptr) {
      state.point.nature.setConstant(0.1);
    }
    return state;
  }
  double residual_at(const SaddlePoint& point) const {
    return gradient_mappings(saddle, point, oracle.gradient(point), kAlpha).squared();
  }
  Observer observer() const {
    return [this](const Iteration& iteration) -> Verdict {
      return {.residual = residual_at(iteration.state.point)};
    };
  }
  void expect_honest(const SolverResult& result) const;

  Problem problem;
  TabularSoftmax policy;
  Box parameters;
  ExactOracle oracle;
  SaddleProblem saddle;
};

constexpr StopRule kStop{.iterations = 15, .residual = 1e-8};

void Trained::expect_honest(const SolverResult& result) const {
  const SaddlePoint& z = result.state.point;
  RC_ASSERT(z.policy.allFinite());
  RC_ASSERT(z.nature.allFinite());
  RC_ASSERT(distance(parameters, z.policy) == 0);
  RC_ASSERT(distance(*problem.ambiguity, z.nature) <=
            1e-9 * problem.ambiguity->diameter() + 1000 * kEps * z.nature.norm());
  RC_ASSERT((result.status == Status::kConverged || result.status == Status::kIterationLimit ||
             result.status == Status::kDiverged));
  if (result.state.iteration == 0) return;
  RC_ASSERT(result.state.residual == residual_at(z));
  RC_ASSERT((result.status == Status::kConverged) == (result.state.residual <= *kStop.residual));
  RC_ASSERT((result.status == Status::kIterationLimit) <= (result.state.iteration == 15));
}

RC_GTEST_PROP(SolverProperties, PgdaIsHonest, (const drawn::Model& drawn)) {
  const Trained at(drawn);
  at.expect_honest(pgda(at.saddle, at.start(), {}, kStop, at.observer()));
}

RC_GTEST_PROP(SolverProperties, PgdaLpIsHonest, (const drawn::Model& drawn)) {
  const Trained at(drawn);
  at.expect_honest(pgda_lp(at.saddle, at.start(), {}, kStop, at.observer()));
}

RC_GTEST_PROP(SolverProperties, PgdaWithTheWorstCaseIsHonest, (const drawn::Model& drawn)) {
  const Trained at(drawn);
  const auto worst = [&](const SaddlePoint& z, Rng&) -> NatureAnswer {
    const Matrix lambda = occupancy(at.problem.mdp, at.policy.probabilities(z.policy));
    return {.nature = worst_case(*at.problem.utility, *at.problem.ambiguity, lambda,
                                 {.iterations = 100, .starts = 2})
                          .nature};
  };
  at.expect_honest(pgda_worst_case(at.saddle, worst, at.start(), {}, kStop, at.observer()));
}

RC_GTEST_PROP(SolverProperties, ProxExtragradientIsHonest, (const drawn::Model& drawn)) {
  const Trained at(drawn);
  at.expect_honest(prox_extragradient(at.saddle, at.start(), {}, kStop, at.observer()));
}

// Occupancy PGDA on a drawn problem: every projection must have kept the flow equations.
void occupancy_pgda_stays_among_occupancies(const drawn::Model& drawn) {
  const Problem at(drawn);
  const OccupancyOracle oracle(*at.utility);
  const OccupancyPolytope lambdas(at.mdp);
  SolverState state;
  const Matrix even = Matrix::Constant(at.mdp.states(), at.mdp.actions(),
                                       1 / static_cast<double>(at.mdp.actions()));
  state.point = {.policy = flatten(occupancy(at.mdp, even)),
                 .nature = at.ambiguity->support_point(Vector::Zero(at.ambiguity->dimension()))};
  const SolverResult result =
      occupancy_pgda({oracle, lambdas, *at.ambiguity}, std::move(state), {}, {.iterations = 15});
  RC_ASSERT((result.status == Status::kIterationLimit || result.status == Status::kDiverged));
  for (const SaddlePoint& z : {result.state.point, result.state.average}) {
    const Matrix lambda = as_matrix(z.policy, at.mdp.states(), at.mdp.actions());
    RC_ASSERT(flow_residual(at.mdp, lambda) <= 1e-10);
  }
}

RC_GTEST_PROP(SolverProperties, OccupancyPgdaStaysAmongOccupancies, (const drawn::Model& drawn)) {
  occupancy_pgda_stays_among_occupancies(drawn);
}

// On one CPU a projection stopped at a residual of 8.38e-07 here.
RC_GTEST_PROP(SolverProperties, OccupancyPgdaStaysAmongOccupanciesAtDiscountOneMinusAMillionth,
              ()) {
  occupancy_pgda_stays_among_occupancies(
      {.states = 5, .actions = 2, .discount = 1 - 1e-6, .seed = 617706});
}

// What the solution says of itself is recomputed, and no other policy is below its bound.
RC_GTEST_PROP(SolverProperties, EnvelopeBoundsEveryPolicy, (const drawn::Model& drawn)) {
  Problem at(drawn);
  RC_PRE(at.utility->traits().convex_in_occupancy);
  RC_PRE(drawn.discount <= 1 - 1e-6);
  const EnvelopeOptions options{.iterations = 60};
  const GlobalSolution best = envelope_minimum(at.mdp, *at.utility, *at.ambiguity, options);
  RC_LOG() << best.method << ": value " << best.value << ", bound " << best.lower_bound << '\n';
  const Matrix lambda = occupancy(at.mdp, best.policy);
  RC_ASSERT((lambda - best.occupancy).lpNorm<1>() <= 1e-9);
  const WorstCase worst = worst_case(*at.utility, *at.ambiguity, lambda);
  const UtilityGradient f = at.utility->evaluate(lambda, worst.nature);
  const double size = std::abs(worst.value) + f.occupancy.cwiseAbs().maxCoeff() +
                      f.nature.norm() * (worst.nature.norm() + at.ambiguity->diameter());
  RC_ASSERT(std::abs(best.value - worst.value) <= 2e-9 * size + worst.gap);
  if (best.status == GlobalStatus::kCertified) {
    const GapTolerance::Scales scales{.cost = best.cost_scale, .discount = at.mdp.discount()};
    RC_ASSERT(best.gap() <= options.tolerance.at(best.value, scales));
  }
  if (worst.kind == AnswerKind::kBestFound) return;
  const double slack = 2e-9 * size + 1e-12 * size / (1 - at.mdp.discount());
  for (int k = 0; k < 5; ++k) {
    const Matrix other = occupancy(at.mdp, drawn::policy_of(at.mdp, at.rng));
    const WorstCase there = worst_case(*at.utility, *at.ambiguity, other);
    RC_ASSERT(best.lower_bound <= there.value + there.gap + slack);
  }
}

}  // namespace
}  // namespace rgu
