#include "rgu/global/program_methods.hpp"

#include <algorithm>
#include <cmath>

#include "rgu/global/simplex_method.hpp"
#include "rgu/mdp/occupancy.hpp"

namespace rgu {
namespace {

constexpr Index kMostColumns = 20000;  // of a linear program for the simplex method
constexpr Index kMostMembers = 600;
constexpr int kMostSteps = 200;
constexpr int kProgramPatience = 8;  // steps that bring no smaller gap, once bounds are asked for
constexpr int kMostLengths = 100;
constexpr double kShortest = 1e-12;  // of a ball's dual vector: occupancies sum to 1
constexpr double kClose = 100;       // bounds are asked for at this many times the gap wanted

// Where f is concave in xi, and not only linear, the mean answer is worse for the policy than the
// mixture (Jensen).
bool mean_is_worse(const Utility& utility) {
  const NatureShape shape = utility.traits().nature;
  return shape == NatureShape::kConcave || shape == NatureShape::kStronglyConcave;
}

Vector mean_of(const AdversaryMixture& mixture) {
  Vector mean = Vector::Zero(mixture.members.front().size());
  for (std::size_t k = 0; k < mixture.members.size(); ++k) {
    mean += mixture.weights[k] * mixture.members[k];
  }
  return mean;
}

}  // namespace

std::optional<ProgramPoint> solve(const EnvelopeProgram& program, const Matrix& start,
                                  double accuracy) {
  if (program.is_linear() && program.program().cost.size() <= kMostColumns) {
    return solve_by_simplex(program.program());
  }
  InteriorPoint interior(program.program(), program.start(start));
  for (int k = 0; k < kMostSteps && interior.gap() > accuracy && interior.advance(); ++k) {
  }
  return interior.point();
}

EnvelopePoint offer_solution(EnvelopeSearch& search, const EnvelopeProblem& problem,
                             const EnvelopeProgram& program, const ProgramPoint& point) {
  const EnvelopePoint there = search.offer_policy_of(program.occupancy(point.x));
  for (const AdversaryMixture& mixture : program.adversary(point)) {
    if (search.certified()) break;
    std::vector<Cut> cuts;
    for (const Vector& xi : mixture.members) {
      cuts.push_back(tangent_cut(problem, there.occupancy, xi));
    }
    search.plan_against(mean_cut(cuts, to_vector(mixture.weights)));
    if (cuts.size() > 1 && mean_is_worse(problem.utility) && !search.certified()) {
      search.plan_against(tangent_cut(problem, there.occupancy, mean_of(mixture)));
    }
  }
  return there;
}

bool LinearProgramMethod::advance(EnvelopeSearch& search) {
  const std::optional<ProgramPoint> point = solve_by_simplex(program_.program());
  if (point) offer_solution(search, problem_, program_, *point);
  return false;
}

bool InteriorPointMethod::advance(EnvelopeSearch& search) {
  if (!point_) {
    point_ = std::make_unique<InteriorPoint>(program_.program(),
                                             program_.start(search.best().occupancy));
  }
  const bool moved = point_->advance();
  ++steps_;
  const double wanted = search.wanted_gap() / point_->unit();
  const bool close = point_->gap() <= kClose * wanted;
  if (close || !moved || steps_ >= kMostSteps) {
    offer_solution(search, problem_, program_, point_->point());
    if (search.certified()) return true;
    idle_ = search.excess() < 0.7 * least_excess_ ? 0 : idle_ + 1;
    least_excess_ = std::min(least_excess_, search.excess());
  }
  return moved && steps_ < kMostSteps && idle_ < kProgramPatience;
}

bool HullMethod::advance(EnvelopeSearch& search) {
  if (members_.empty()) members_.push_back(search.best().nature);
  const auto program = EnvelopeProgram::of(problem_, {.members = members_});
  if (!program) return false;
  const auto point = solve(*program, search.best().occupancy,
                           0.01 * search.wanted_gap() / search.best().cost_scale);
  if (!point) return false;
  const EnvelopePoint there = offer_solution(search, problem_, *program, *point);
  if (search.certified()) return true;
  members_.push_back(there.nature);
  if (mean_is_worse(problem_.utility)) {
    for (const AdversaryMixture& mixture : program->adversary(*point)) {
      members_.push_back(mean_of(mixture));
    }
  }
  // A point between this and the best one: cuts alone jump from end to end.
  const Matrix between = 0.5 * (there.occupancy + search.best().occupancy);
  const EnvelopePoint halfway = envelope_at(problem_, between, there.nature);
  search.offer_member(halfway);
  members_.push_back(halfway.nature);
  idle_ = search.excess() < 0.9 * least_excess_ ? 0 : idle_ + 1;
  least_excess_ = std::min(least_excess_, search.excess());
  return std::ssize(members_) < kMostMembers && idle_ < 20;
}

bool BallMethod::advance(EnvelopeSearch& search) {
  const auto program = EnvelopeProgram::of(problem_, {.ball_length = length_});
  if (!program) return false;
  const auto point = solve(*program, search.best().occupancy,
                           0.01 * search.wanted_gap() / search.best().cost_scale);
  if (!point) return false;
  offer_solution(search, problem_, *program, *point);
  if (search.certified()) return true;
  const double found = program->ball_length(point->x);
  (found > length_ ? low_ : high_) = length_;
  // Twice the fixed-point step in the logarithm, then the middle of what is left.
  const double leap = found * (found / length_);
  if (low_ < leap && leap < high_ && steps_ % 3 != 2) {
    length_ = leap;
  } else if (low_ > 0 && std::isfinite(high_)) {
    length_ = std::sqrt(low_ * high_);
  } else {
    length_ = found > length_ ? 10 * length_ : 0.1 * length_;
  }
  ++steps_;
  return steps_ < kMostLengths && low_ < (1 - 1e-12) * high_ && length_ > kShortest;
}

}  // namespace rgu
