#include "rgu/global/envelope.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "rgu/base/check.hpp"
#include "rgu/global/columns_and_cuts.hpp"
#include "rgu/global/convexity_check.hpp"
#include "rgu/global/cutting_planes.hpp"
#include "rgu/global/drift_interior_point.hpp"
#include "rgu/global/policy_descent.hpp"
#include "rgu/global/program_methods.hpp"
#include "rgu/global/projected_descent.hpp"
#include "rgu/global/reward_interior_point.hpp"
#include "rgu/mdp/planning.hpp"
#include "rgu/robustness/members.hpp"
#include "rgu/robustness/round_sets.hpp"
#include "rgu/robustness/worst_case.hpp"

namespace rgu {
namespace {

// Costs at the centre of the set that count, so that an adversary who can make all costs vanish
// does not make the tolerance vanish; few, since multipliers at the centre may be large.
constexpr double kAtCentre = 1e-3;

// Pairs up to which the simplex method is faster than interior points.
constexpr Index kSimplexModel = 500;

// Up to this many numbers, an adversary's answer has so few kinks that a game of columns and cuts,
// whose plans cost little on sparse kernels, ends before interior points do.
constexpr Index kFewKinks = 10;

// Two policies and a bound: enough where Gamma is linear. On a l_1 ball of rewards the answer to
// the first policy, all of the radius on one pair, would be a poor cost to plan against, so the
// nominal rewards are.
class FirstStep final : public EnvelopeMethod {
 public:
  // centre: of the ambiguity set, if it is known.
  explicit FirstStep(const std::optional<RewardBall>& ball, Vector centre = {})
      : on_cross_(ball && ball->p == 1),
        centre_(on_cross_ ? flatten(ball->centre) : std::move(centre)) {}

  bool advance(EnvelopeSearch& search) override {
    const EnvelopeModel& model = search.model();
    const EnvelopePoint uniform =
        search.offer_policy(uniform_policy(model.own_states(), model.actions()));
    Cut first = uniform.cut;
    if (centre_.size() > 0) {
      Cut nominal = model.tangent(uniform.occupancy, centre_);
      search.count_costs(kAtCentre * nominal.slope);
      if (on_cross_) first = std::move(nominal);
    }
    const auto action = search.plan_against(first);
    if (search.certified()) return false;
    const EnvelopePoint planned =
        search.offer_policy(deterministic_policy(action, model.actions()));
    if (!search.certified() && !on_cross_) search.plan_against(planned.cut);
    return false;
  }

 private:
  bool on_cross_;
  Vector centre_;
};

class DriftMethod final : public EnvelopeMethod {
 public:
  DriftMethod(const EnvelopeProblem& problem, const Drift& drift)
      : problem_(problem), drift_(drift) {}

  bool advance(EnvelopeSearch& search) override {
    GlobalSolution solution = drift_interior_point(problem_.mdp, drift_, problem_.ambiguity,
                                                   {.tolerance = search.relative_tolerance()});
    search.raise_bound(solution.lower_bound, std::move(solution.witness));
    search.offer_policy(solution.policy);
    return false;
  }

 private:
  EnvelopeProblem problem_;
  const Drift& drift_;
};

// A plain drift on a ball of maps that is not degenerate (then the minimum is 0, which one cut
// tells).
const Drift* interior_point_drift(const EnvelopeProblem& problem) {
  const auto* drift = dynamic_cast<const Drift*>(&problem.utility);
  if (drift == nullptr || drift->smoothing() != 0) return nullptr;
  const bool on_ball =
      as_matrix_ball(problem.ambiguity, {drift->dimension(), drift->feature_dimension()})
          .has_value();
  const bool fits = drift_program_order(problem.mdp, *drift) <= kLargestDriftOrder;
  return on_ball && fits && ambiguity_warnings(*drift, problem.ambiguity).empty() ? drift : nullptr;
}

// A lower bound above the value disproves that the utility is convex.
void check_tangents(const EnvelopeProblem& problem, const GlobalSolution& best) {
  if (best.kind == AnswerKind::kBestFound) return;
  const double rounding = 1e-7 * (std::abs(best.value) + best.cost_scale);
  if (!(best.gap() < -rounding)) return;
  for (const WitnessPiece& piece : best.witness.pieces) {
    check_above_tangent(problem.utility, piece.at->nature, piece.at->occupancy, best.occupancy);
  }
}

}  // namespace

struct EnvelopeSolver::Phase {
  std::string_view name;
  std::unique_ptr<EnvelopeMethod> method;
};

EnvelopeSolver::EnvelopeSolver(const FiniteMdp& mdp, const Utility& utility,
                               const ConvexSet& ambiguity, const GapTolerance& tolerance)
    : whole_(std::make_unique<WholeModel>(EnvelopeProblem{mdp, utility, ambiguity})),
      search_(*whole_, tolerance) {
  const EnvelopeProblem& problem = whole_->problem();
  check_envelope_problem(problem);
  if (is_declared(utility)) check_convexity(mdp, utility, ambiguity);
  if (const Drift* drift = interior_point_drift(problem)) {
    add("interior points", std::make_unique<DriftMethod>(problem, *drift));
  }
  const Index pairs = mdp.states() * mdp.actions();
  const auto ball = whole_->reward_ball();
  add("planning", std::make_unique<FirstStep>(ball, centre_of(ambiguity)));
  // Products with sparse kernels are cheap, with dense ones factors of the program cost no more.
  const bool flow_first = ball && pairs > kSmallModel && mdp.is_sparse();
  const auto add_flow = [&] {
    add("interior points of the flow", std::make_unique<RewardInteriorPoint>(*ball));
  };
  if (flow_first) add_flow();
  if (auto program = EnvelopeProgram::of(problem)) {
    const Index numbers = utility.nature_dimension();
    if (!ball && mdp.is_sparse() && pairs > kSimplexModel && program->is_linear() && 0 < numbers &&
        numbers <= kFewKinks) {
      add("columns and cuts", std::make_unique<ColumnsAndCuts>());
    }
    const bool simplex = program->is_linear() && pairs <= kSmallModel;
    const auto add_simplex = [&] {
      add("linear program", std::make_unique<LinearProgramMethod>(problem, *program));
    };
    if (simplex && pairs <= kSimplexModel) add_simplex();
    add("interior points", std::make_unique<InteriorPointMethod>(problem, *program));
    if (simplex && pairs > kSimplexModel) add_simplex();
  } else if (pairs <= kSmallModel && utility.nature_dimension() > 0) {
    const bool has_hull = !!EnvelopeProgram::of(problem, {.members = {centre_of(ambiguity)}});
    // In few dimensions a few answers are a good picture of the set.
    if (!ball && !(has_hull && utility.nature_dimension() <= kFewKinks) &&
        EnvelopeProgram::of(problem, {.ball_length = 1})) {
      add("programs at lengths of a ball", std::make_unique<BallMethod>(problem));
    }
    if (has_hull) add("hull of answers", std::make_unique<HullMethod>(problem));
  }
  if (ball && !flow_first) add_flow();
  if (pairs > kSmallModel) {
    add("policy descent", std::make_unique<PolicyDescent>());
    add("columns and cuts", std::make_unique<ColumnsAndCuts>());
  }
  if (pairs <= kProjectableModel) {
    add("projected descent", std::make_unique<ProjectedDescent>(problem));
  }
  if (pairs <= kSmallModel) {
    add("cutting planes", std::make_unique<CuttingPlanes>(mdp));
  } else if (pairs <= kProjectableModel) {
    add("columns and cuts", std::make_unique<ColumnsAndCuts>());
  }
  std::reverse(phases_.begin(), phases_.end());
}

EnvelopeSolver::EnvelopeSolver(const EnvelopeModel& model, const GapTolerance& tolerance)
    : search_(model, tolerance) {
  add("columns and cuts", std::make_unique<ColumnsAndCuts>());
  add("policy descent", std::make_unique<PolicyDescent>());
  const auto ball = model.reward_ball();
  if (ball) add("interior points of the flow", std::make_unique<RewardInteriorPoint>(*ball));
  add("planning", std::make_unique<FirstStep>(ball));
}

void EnvelopeSolver::add(std::string_view name, std::unique_ptr<EnvelopeMethod> method) {
  phases_.push_back({name, std::move(method)});
}

EnvelopeSolver::~EnvelopeSolver() = default;

bool EnvelopeSolver::advance() {
  if (search_.certified() || phases_.empty()) return false;
  search_.count_step(phases_.back().name);
  bool more = false;
  try {
    more = phases_.back().method->advance(search_);
  } catch (const NotConverged&) {  // this method has no more to give; others may
    if (!std::isfinite(search_.best().value)) throw;
  }
  if (whole_) check_tangents(whole_->problem(), search_.best());
  if (!more) phases_.pop_back();
  return true;
}

GlobalSolution envelope_minimum(const FiniteMdp& mdp, const Utility& utility,
                                const ConvexSet& ambiguity, const EnvelopeOptions& options) {
  check_count("iterations", options.iterations, 0);
  EnvelopeSolver solver(mdp, utility, ambiguity, options.tolerance);
  while (solver.best().iterations < options.iterations && solver.advance()) {
  }
  return solver.best();
}

}  // namespace rgu
