#include "rgu/global/drift_interior_point.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/global/rank_one_program.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/robustness/drift_search.hpp"

namespace rgu {

namespace {

using Columns = Eigen::MatrixXd;

constexpr double kRounding = 1e-12;  // of a minimum near 0, relative to max |v_i|^2
constexpr double kExact = 1e-9;      // the accuracy of an exact worst case, as in drift_rule.cpp

// Calls visit(s', P(s'|row)) for every possible transition of a row of the kernel.
template <class Visit>
void for_each_successor(const FiniteMdp& mdp, Index row, const Visit& visit) {
  if (mdp.is_sparse()) {
    for (SparseMatrix::InnerIterator entry(mdp.sparse_kernel(), row); entry; ++entry) {
      if (entry.value() > 0) visit(Index{entry.col()}, entry.value());
    }
    return;
  }
  for (Index s = 0; s < mdp.states(); ++s) {
    if (const double p = mdp.dense_kernel()(row, s); p > 0) visit(s, p);
  }
}

// The states that some policy visits, in the order in which they are found.
std::vector<Index> reachable_states(const FiniteMdp& mdp) {
  std::vector<Index> found;
  std::vector<char> seen(static_cast<std::size_t>(mdp.states()), 0);
  const auto visit = [&](Index s, double p) {
    if (p > 0 && !std::exchange(seen[s], 1)) found.push_back(s);
  };
  for (Index s = 0; s < mdp.states(); ++s) visit(s, mdp.start()(s));
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (Index a = 0; a < mdp.actions(); ++a) {
      for_each_successor(mdp, found[k] * mdp.actions() + a, visit);
    }
  }
  return found;
}

// Occupancies restricted to the reachable states: the others have none. Pair k * A + a is action a
// in states[k].
struct ReachableFlow {
  std::vector<Index> states;
  Matrix balance;  // (pairs, reachable states): d(s') less g P(s'|s,a), the flow equations
  Vector source;   // (1-g) rho

  Vector gather(const Matrix& full) const;               // of (S, A)
  Matrix scatter(const Vector& pairs, Index all) const;  // to (S, A), zero elsewhere
};

ReachableFlow reachable_flow(const FiniteMdp& mdp) {
  ReachableFlow flow{.states = reachable_states(mdp), .balance = {}, .source = {}};
  const Index count = static_cast<Index>(flow.states.size()), actions = mdp.actions();
  check(count * actions <= kLargestDriftProgram,
        "reachable state-action pairs are {}, must be at most {} for the interior-point method",
        count * actions, kLargestDriftProgram);
  std::vector<Index> place(static_cast<std::size_t>(mdp.states()), -1);
  flow.source.resize(count);
  for (Index k = 0; k < count; ++k) {
    place[flow.states[k]] = k;
    flow.source(k) = (1 - mdp.discount()) * mdp.start()(flow.states[k]);
  }
  flow.balance = Matrix::Zero(count * actions, count);
  for (Index k = 0; k < count; ++k) {
    for (Index a = 0; a < actions; ++a) {
      auto row = flow.balance.row(k * actions + a);
      row(k) = 1;
      for_each_successor(mdp, flow.states[k] * actions + a,
                         [&](Index s, double p) { row(place[s]) -= mdp.discount() * p; });
    }
  }
  return flow;
}

Vector ReachableFlow::gather(const Matrix& full) const {
  Vector pairs(static_cast<Index>(states.size()) * full.cols());
  for (Index k = 0; k < static_cast<Index>(states.size()); ++k) {
    pairs.segment(k * full.cols(), full.cols()) = full.row(states[k]).transpose();
  }
  return pairs;
}

Matrix ReachableFlow::scatter(const Vector& pairs, Index all) const {
  const Index actions = pairs.size() / static_cast<Index>(states.size());
  Matrix full = Matrix::Zero(all, actions);
  for (Index k = 0; k < static_cast<Index>(states.size()); ++k) {
    full.row(states[k]) = pairs.segment(k * actions, actions).transpose();
  }
  return full;
}

MatrixBall checked_ball(const FiniteMdp& mdp, const Drift& drift, const ConvexSet& ambiguity) {
  check(drift.states() == mdp.states() && drift.actions() == mdp.actions(),
        "drift utility is of {} states and {} actions, the model has {} and {}", drift.states(),
        drift.actions(), mdp.states(), mdp.actions());
  check(drift.smoothing() == 0 || drift.dimension() == 1,
        "smoothing of the drift utility is {}, must be 0 for the interior-point method",
        drift.smoothing());
  auto ball = as_matrix_ball(ambiguity, {drift.dimension(), drift.feature_dimension()});
  check(
      ball.has_value(),
      "ambiguity set of the drift utility must be a Frobenius, spectral or Euclidean ball of {} x "
      "{} maps for the interior-point method",
      drift.dimension(), drift.feature_dimension());
  const Columns gram = ball->centre * ball->centre.transpose();
  const Eigen::SelfAdjointEigenSolver<Columns> eigen(gram, Eigen::EigenvaluesOnly);
  const double least = std::sqrt(std::max(eigen.eigenvalues()(0), 0.0));
  check(ball->radius < least,
        "radius of the ambiguity set is {}, must be below {}, the smallest singular value of its "
        "centre: the worst case is 0 for every policy",
        ball->radius, least);
  return *std::move(ball);
}

// v_i = (W0 psi_i, e psi_i) in column i; without the second part if e = 0.
Columns seen_vectors(const Matrix& features, const MatrixBall& ball) {
  const Index d = ball.centre.rows(), rest = ball.radius > 0 ? features.cols() : 0;
  Columns vectors(d + rest, features.rows());
  vectors.topRows(d) = ball.centre * features.transpose();
  if (rest > 0) vectors.bottomRows(rest) = ball.radius * features.transpose();
  return vectors;
}

class DriftMinimum {
 public:
  DriftMinimum(const FiniteMdp& mdp, const Drift& drift, MatrixBall ball)
      : mdp_(mdp),
        drift_(drift),
        ball_(std::move(ball)),
        flow_(reachable_flow(mdp)),
        vectors_(seen_vectors(drift.features(), ball_)) {
    scale_ = vectors_.colwise().squaredNorm().maxCoeff();
    best_.value = std::numeric_limits<double>::infinity();
    best_.lower_bound = -std::numeric_limits<double>::infinity();
    best_.method = "drift on a ball: interior-point method for the semidefinite program";
  }

  GlobalSolution solve(const DriftInteriorPointOptions& options);

 private:
  RankOneProgram program() const;
  RankOneStart start(const RankOneProgram& program) const;
  void improve_value(const Vector& lambda);
  void improve_bound(const Columns& dual);
  bool certified(double tolerance) const {
    return best_.gap() <= std::max(tolerance * std::abs(best_.value), kRounding * scale_);
  }

  const FiniteMdp& mdp_;
  const Drift& drift_;
  MatrixBall ball_;
  ReachableFlow flow_;
  Columns vectors_;   // v_i of all state-action pairs
  double scale_ = 0;  // max |v_i|^2
  GlobalSolution best_;
};

RankOneProgram DriftMinimum::program() const {
  RankOneProgram program{.vectors = Columns(vectors_.rows(), flow_.balance.rows()),
                         .constraints = flow_.balance,
                         .source = flow_.source,
                         .first = drift_.dimension()};
  const Index actions = mdp_.actions();
  for (Index k = 0; k < flow_.source.size(); ++k) {
    program.vectors.middleCols(k * actions, actions) =
        vectors_.middleCols(flow_.states[k] * actions, actions);
  }
  return program;
}

// The occupancy of the uniform policy, lifted where it is tiny. The rows of the balance sum to
// 1 - g, so that a constant y is as good as any.
RankOneStart DriftMinimum::start(const RankOneProgram& program) const {
  const Index actions = mdp_.actions(), pairs = program.vectors.cols();
  const Matrix uniform =
      Matrix::Constant(mdp_.states(), actions, 1.0 / static_cast<double>(actions));
  const double largest = program.vectors.colwise().squaredNorm().maxCoeff();
  const double level = largest > 0 ? largest : 1;
  return {
      .lambda = flow_.gather(occupancy(mdp_, uniform)).cwiseMax(1e-3 / static_cast<double>(pairs)),
      .y = Vector::Constant(program.source.size(), 2 * level / (1 - mdp_.discount())),
      .level = level};
}

// The value at an exact member of Lambda near lambda: the occupancy of its policy.
void DriftMinimum::improve_value(const Vector& lambda) {
  const Matrix policy = policy_from_occupancy(flow_.scatter(lambda, mdp_.states()));
  const Matrix member = occupancy(mdp_, policy);
  const WorstMap worst = worst_map(drift_.second_moment(member), ball_);
  if (!(-worst.bound < best_.value)) return;
  const double attained = drift_.evaluate(member, flatten(worst.map)).value;
  const bool exact = -worst.bound - attained <= kExact * worst.scale + worst.rounding;
  best_.occupancy = member;
  best_.policy = policy;
  best_.value = -worst.bound;
  best_.kind = exact ? AnswerKind::kExact : AnswerKind::kCertified;
}

// From the Cholesky factor Z = L L': positive semidefinite whatever rounding did to Z. Rows of L
// are scaled so that the traces are right.
void DriftMinimum::improve_bound(const Columns& dual) {
  const Eigen::LLT<Columns> factor(dual);
  if (factor.info() != Eigen::Success) return;
  Columns lower = factor.matrixL();
  const Index d = drift_.dimension();
  auto first = lower.topRows(d);
  auto second = lower.bottomRows(lower.rows() - d);
  first /= first.norm();
  second /= std::max(second.norm(), 1.0);
  Matrix slope(mdp_.states(), mdp_.actions());
  Eigen::Map<Vector>(slope.data(), slope.size()) =
      -(lower.transpose() * vectors_).colwise().squaredNorm().transpose();
  if (!slope.allFinite()) return;
  best_.lower_bound = std::max(best_.lower_bound, planning_bound(mdp_, slope, 0));
}

GlobalSolution DriftMinimum::solve(const DriftInteriorPointOptions& options) {
  const RankOneProgram sdp = program();
  RankOneInteriorPoint point(sdp, start(sdp));
  bool moving = true;
  while (moving && best_.status == GlobalStatus::kLimit && best_.iterations < options.iterations) {
    moving = point.advance();
    if (moving) ++best_.iterations;
    const double promised =
        std::max(options.tolerance * std::abs(point.objective()), kRounding * scale_);
    const bool last = !moving || best_.iterations == options.iterations;
    if (!last && point.gap() > 100 * promised) continue;
    improve_value(point.lambda());
    improve_bound(point.dual());
    if (certified(options.tolerance)) best_.status = GlobalStatus::kCertified;
  }
  return best_;
}

}  // namespace

GlobalSolution drift_interior_point(const FiniteMdp& mdp, const Drift& drift,
                                    const ConvexSet& ambiguity,
                                    const DriftInteriorPointOptions& options) {
  check_positive("tolerance", options.tolerance);
  check_count("number of iterations", options.iterations);
  return DriftMinimum(mdp, drift, checked_ball(mdp, drift, ambiguity)).solve(options);
}

}  // namespace rgu
