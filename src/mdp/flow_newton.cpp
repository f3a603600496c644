#include "rgu/mdp/flow_newton.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/base/krylov.hpp"
#include "rgu/base/lapack.hpp"
#include "rgu/mdp/nearest_mixture.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/planning.hpp"
#include "rgu/mdp/policy_evaluation.hpp"

namespace rgu {
namespace {

constexpr double kResidual = 1e-15;  // what the last digits aim at
constexpr double kPromised = 1e-10;  // what every returned point honours
constexpr double kOptimal = 1e-9;    // how far polishing may move an optimal point, beyond rounding
constexpr double kPolishShift = 1e-14;
constexpr double kZero = 1e-12;  // smaller entries of a member count as zero
constexpr double kTangentStep = 1e-5;
constexpr int kSteps = 200;
constexpr Index kMostMixed = 1000;  // vertices

using Mask = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// (1 - g r) / (1 - g) for every row of the kernel, r its sum: what the flow equations, added up and
// divided by 1 - g, say of the mass. 1 where a row sums to 1 up to rounding. A kernel whose rows
// are off by as much as 1 - g has no occupancies: those numbers are cut.
Matrix mass_row(const FiniteMdp& mdp) {
  const Matrix sums = mdp.expected_next(Vector::Ones(mdp.states()));
  const double g = mdp.discount();
  const double rounding = 4 * kEps * static_cast<double>(mdp.states());
  return sums.unaryExpr([&](double sum) {
    if (std::abs(1 - sum) <= rounding) return 1.0;
    return std::clamp(1 + g * (1 - sum) / (1 - g), 0.5, 2.0);
  });
}

// Minimise |x - point|^2 / 2 over E x = b and x(s,a) >= 0 except where `free`. The flow equations
// of E add up to (1-g) sum x = (1-g): near discount 1 that sum, the mass, drowns in their rounding.
// So the mass has an equation of its own, F x = (E x, k sum x), k = 1 / sqrt(S), and the dual has
// one unknown more than equations that are independent:
//   x(y) = max(0, point + F'y),   minimise phi(y) = |x(y)|^2 / 2 - <(b, k), y>,
// without the maximum where free. grad phi = F x(y) - (b, k), and F D F', D = 1 where x(y) > 0 or
// free, is an element of its generalised Jacobian. phi is convex and piecewise quadratic: once D is
// the right one, a Newton step lands on the solution.
class FlowDual {
 public:
  // total: of the mass, 1 for occupancies and 0 for their differences.
  FlowDual(const FiniteMdp& mdp, const Matrix& point, double total, Mask free)
      : mdp_(mdp),
        point_(point),
        mass_(mass_row(mdp)),
        scale_(1 / std::sqrt(static_cast<double>(mdp.states()))),
        free_(std::move(free)) {
    source_.resize(mdp.states() + 1);
    source_ << total * (1 - mdp.discount()) * mdp.start(), total * scale_ * mdp.start().sum();
  }

  struct State {
    Vector y;
    Matrix x;         // x(y)
    Vector gradient;  // F x - (b, k)
    double phi = 0;
  };

  // D.
  Mask active(const Matrix& x) const { return free_ || (x.array() > 0); }

  // D with an entry of every state: where a state has none, the one at which point + F'y is
  // largest. It contains a policy, whose rows of E are invertible.
  Mask with_policy(const State& state) const {
    Mask mask = active(state.x);
    const Matrix before = point_ + adjoint(state.y);
    for (Index s = 0; s < before.rows(); ++s) {
      if (mask.row(s).any()) continue;
      Index largest = 0;
      before.row(s).maxCoeff(&largest);
      mask(s, largest) = true;
    }
    return mask;
  }

  // x, or 0 where it is negative and must not be.
  Matrix clipped(const Matrix& x) const { return free_.select(x, x.cwiseMax(0.0)); }

  State at(Vector y) const {
    State state;
    state.x = clipped(point_ + adjoint(y));
    state.gradient = residual(state.x);
    state.phi = 0.5 * state.x.squaredNorm() - source_.dot(y);
    state.y = std::move(y);
    return state;
  }

  // F x - (b, k), (S + 1).
  Vector residual(const Matrix& x) const { return flow(x) - source_; }

  // F x, (S + 1).
  Vector flow(const Matrix& x) const {
    Vector result(mdp_.states() + 1);
    result << x.rowwise().sum() - mdp_.discount() * mdp_.push_forward(x),
        scale_ * mass_.cwiseProduct(x).sum();
    return result;
  }

  // F'y, (S, A).
  Matrix adjoint(const Vector& y) const {
    const Vector u = y.head(mdp_.states());
    Matrix result = -mdp_.discount() * mdp_.expected_next(u) + scale_ * y(u.size()) * mass_;
    result.colwise() += u;
    return result;
  }

  // Multipliers v of the flow equations alone have the mean of v, times 1 - g, as that of the mass.
  Vector split(const Vector& v) const { return split(v, 0.0); }
  // The same for v + mass / (1-g).
  Vector split(const Vector& v, double mass) const {
    const double mean = v.mean();
    Vector y(v.size() + 1);
    y << v.array() - mean, ((1 - mdp_.discount()) * mean + mass) / scale_;
    return y;
  }
  Vector joined(const Vector& y) const {
    const Index states = mdp_.states();
    return y.head(states).array() + scale_ * y(states) / (1 - mdp_.discount());
  }

  // The entries of F at one pair: those of E, then that of the mass.
  double mass_entry(Index row) const { return scale_ * mass_.data()[row]; }
  // F'n = 0, |n| about 1: the equation too many.
  Vector null_vector() const {
    Vector n = Vector::Constant(mdp_.states() + 1, scale_);
    n(mdp_.states()) = -(1 - mdp_.discount());
    return n;
  }

 private:
  const FiniteMdp& mdp_;
  const Matrix& point_;
  Matrix mass_;
  double scale_;
  Vector source_;
  Mask free_;
};

// Solves (F D F' + n n' + shift I) w = right, n the null vector of F'.
class NewtonSystem {
 public:
  explicit NewtonSystem(const FiniteMdp& mdp, const FlowDual& dual) : mdp_(mdp), dual_(dual) {}

  Vector solve(const Mask& active, double shift, const Vector& right) const {
    if (mdp_.is_sparse() && mdp_.states() > kLargestDense) {
      return krylov_solve(active, shift, right);
    }
    Eigen::MatrixXd gram = mdp_.is_sparse() ? sparse_gram(active) : dense_gram(active);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(dual_.null_vector());
    // Not positive definite only by rounding: a larger shift makes it so.
    for (;; shift = 100 * std::max(shift, 1e-16)) {
      Eigen::MatrixXd matrix = gram;
      matrix.diagonal().array() += shift;
      const CholeskyFactor factor(std::move(matrix));
      if (factor.positive_definite()) return factor.solve(right);
      if (!(shift < 1)) return right;
    }
  }

 private:
  static constexpr Index kLargestDense = 3000;

  Eigen::MatrixXd dense_gram(const Mask& active) const {
    const Index actions = mdp_.actions(), states = mdp_.states();
    Matrix rows(active.count(), states + 1);
    Index k = 0;
    for (Index row = 0; row < active.size(); ++row) {
      if (!active.data()[row]) continue;
      rows.row(k).head(states) = -mdp_.discount() * mdp_.dense_kernel().row(row);
      rows(k, row / actions) += 1.0;
      rows(k, states) = dual_.mass_entry(row);
      ++k;
    }
    return gram_lower(rows);
  }

  Eigen::MatrixXd sparse_gram(const Mask& active) const {
    const SparseMatrix& kernel = mdp_.sparse_kernel();
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(mdp_.states() + 1, mdp_.states() + 1);
    std::vector<std::pair<Index, double>> row;
    for (Index r = 0; r < active.size(); ++r) {
      if (!active.data()[r]) continue;
      row.assign(1, {r / mdp_.actions(), 1.0});
      for (SparseMatrix::InnerIterator e(kernel, r); e; ++e) {
        row.emplace_back(e.col(), -mdp_.discount() * e.value());
      }
      row.emplace_back(mdp_.states(), dual_.mass_entry(r));
      for (const auto& [i, left] : row) {
        for (const auto& [j, right] : row) gram(i, j) += left * right;
      }
    }
    return gram;
  }

  // Conjugate gradients, scaled by the diagonal, to a residual that falls with the outer one.
  Vector krylov_solve(const Mask& active, double shift, const Vector& right) const {
    const Vector scale = (diagonal(active).array() + shift).rsqrt();
    const auto product = [&](const Vector& u, Vector& image) {
      const Vector v = scale.cwiseProduct(u);
      const Matrix kept = active.select(dual_.adjoint(v), 0.0);
      image = scale.cwiseProduct(dual_.flow(kept) + shift * v);
    };
    const double forcing = std::clamp(right.norm(), 1e-6, 1e-2);
    return scale.cwiseProduct(conjugate_gradient(
        product, scale.cwiseProduct(right), {.relative_residual = forcing, .iterations = 2000}));
  }

  // diag(F D F').
  Vector diagonal(const Mask& active) const {
    const SparseMatrix& kernel = mdp_.sparse_kernel();
    const double g = mdp_.discount();
    Vector result = Vector::Zero(mdp_.states() + 1);
    for (Index r = 0; r < active.size(); ++r) {
      if (!active.data()[r]) continue;
      const Index s = r / mdp_.actions();
      double stay = 1.0;
      for (SparseMatrix::InnerIterator e(kernel, r); e; ++e) {
        if (e.col() == s) {
          stay -= g * e.value();
        } else {
          result(e.col()) += g * g * e.value() * e.value();
        }
      }
      result(s) += stay * stay;
      result(mdp_.states()) += dual_.mass_entry(r) * dual_.mass_entry(r);
    }
    return result;
  }

  const FiniteMdp& mdp_;
  const FlowDual& dual_;
};

struct Move {
  FlowDual::State state;
  double length = 0;
};

// The first point along `step` with enough decrease of phi; nothing if rounding allows none.
std::optional<Move> line_search(const FlowDual& dual, const FlowDual::State& from,
                                const Vector& step) {
  const double slope = from.gradient.dot(step);
  for (double length = 1.0; length > 1e-10; length *= 0.5) {
    FlowDual::State next = dual.at(from.y + length * step);
    const bool descends = next.phi <= from.phi + 1e-4 * length * slope;
    // Near the solution phi no longer tells points apart, but its gradient does.
    const bool closer = next.gradient.norm() <= 0.9 * from.gradient.norm();
    if (descends || closer) return Move{std::move(next), length};
  }
  return std::nullopt;
}

// A good start for each end of the scale. For a point near the polytope y = 0. For a point far away
// the projection is nearly the vertex that maximises <point, x>: with d its state occupancy, the y
// with point + F'y = d at the pairs of its policy makes x(y) that vertex. The lower phi decides.
FlowDual::State start(const FiniteMdp& mdp, const FlowDual& dual, const Matrix& point,
                      const Vector& guess) {
  FlowDual::State near = dual.at(Vector::Zero(mdp.states() + 1));
  if (guess.size() > 0) {
    FlowDual::State guessed = dual.at(dual.split(guess));
    if (guessed.phi <= near.phi) near = std::move(guessed);
  }
  const PolicyEvaluation vertex(
      mdp, deterministic_policy(optimal_plan(mdp, -point).action, mdp.actions()));
  const Vector mass = vertex.state_occupancy();
  const Matrix wanted = mass.replicate(1, mdp.actions()) - point;
  const double mean = vertex.occupancy().cwiseProduct(wanted).sum();
  FlowDual::State far = dual.at(dual.split(vertex.value(wanted.array() - mean), mean));
  return near.phi <= far.phi ? near : far;
}

// Newton's method on phi until rounding in x(y) = max(0, point + F'y) hides the residual.
FlowDual::State minimise(const FlowDual& dual, const NewtonSystem& newton, FlowDual::State state,
                         double size) {
  // Where fewer than S entries are positive the Jacobian is singular. The shift keeps steps in
  // proportion to the point; it vanishes with the residual and adapts to what the search accepts.
  double damping = 1e-2;
  for (int k = 0; k < kSteps; ++k) {
    const double residual = state.gradient.norm();
    const double rounding = 1e-14 * (size + state.y.lpNorm<Eigen::Infinity>());
    if (residual <= rounding) break;
    const Vector step =
        newton.solve(dual.active(state.x), damping * residual / size, -state.gradient);
    std::optional<Move> move = line_search(dual, state, step);
    if (!move) break;
    damping = std::clamp(move->length == 1.0 ? damping / 5 : damping * 5, 1e-9, 1e3);
    state = std::move(move->state);
  }
  return state;
}

// Moves x within its positive entries, and one of each state that has none, onto the flow
// equations. Unlike x(y), whose entries carry the rounding of numbers as large as the point, this
// reaches the accuracy of x itself. A change that is large beside the residual is none of rounding
// and is left.
Matrix polish(const FiniteMdp& mdp, const FlowDual& dual, const NewtonSystem& newton,
              const FlowDual::State& state) {
  const double reach = 100 * std::sqrt(static_cast<double>(mdp.states())) / (1 - mdp.discount());
  Matrix x = state.x;
  Vector residual = dual.residual(x);
  Mask active = dual.with_policy(state);
  for (int k = 0; k < 5 && residual.norm() > kResidual; ++k) {
    const Matrix change =
        active.select(dual.adjoint(newton.solve(active, kPolishShift, -residual)), 0.0);
    const Matrix next = active.select(dual.clipped(x + change), 0.0);
    const Vector left = dual.residual(next);
    if (!(left.norm() < residual.norm()) || change.norm() > reach * residual.norm()) break;
    x = next;
    residual = left;
  }
  return x;
}

// A point that keeps the flow equations, with the multipliers that make it optimal.
struct NewtonResult {
  Matrix point;
  FlowDual::State dual;
  bool keeps_flows = false;
  bool is_optimal = false;
};

NewtonResult newton_result(const FiniteMdp& mdp, const FlowDual& dual, FlowDual::State start,
                           double size) {
  const NewtonSystem newton(mdp, dual);
  NewtonResult result;
  result.dual = minimise(dual, newton, std::move(start), size);
  result.point = polish(mdp, dual, newton, result.dual);
  const double residual = dual.residual(result.point).norm();
  // Where several recurrent classes share the mass, what they lack of it is divided by 1 - g.
  const double wanted = std::clamp(1e-6 * (1 - mdp.discount()), 1e-14, kPromised);
  result.keeps_flows = residual <= wanted * std::max(1.0, result.point.norm());
  // x(y) is optimal for its own flows: so is what polishing made of it, up to that change.
  const double change = (result.point - result.dual.x).norm();
  result.is_optimal = change <= kOptimal + 100 * kEps * size;
  return result;
}

}  // namespace

Matrix project_onto_flows(const FiniteMdp& mdp, const Matrix& point) {
  return project_onto_flows(mdp, point, Vector()).point;
}

FlowProjection project_onto_flows(const FiniteMdp& mdp, const Matrix& point, const Vector& guess) {
  if (guess.size() > 0) check_size("guess of the multipliers", guess.size(), mdp.states());
  const double size = std::max(1.0, point.cwiseAbs().maxCoeff());
  const FlowDual dual(mdp, point, 1.0, Mask::Constant(point.rows(), point.cols(), false));
  NewtonResult newton = newton_result(mdp, dual, start(mdp, dual, point, guess), size);
  FlowProjection result{.point = std::move(newton.point),
                        .multipliers = dual.joined(newton.dual.y)};
  if (newton.keeps_flows && newton.is_optimal) return result;
  const Matrix member = occupancy(mdp, policy_from_occupancy(result.point));
  const int rounds = static_cast<int>(std::min<Index>(4 * point.size() + 20, kMostMixed));
  NearestMixture mixture = nearest_mixture(mdp, point, member, rounds);
  result.point = std::move(mixture.point);
  result.excess = mixture.excess;
  return result;
}

Matrix project_onto_flow_tangents(const FiniteMdp& mdp, const Matrix& member,
                                  const Matrix& direction) {
  const double size = direction.cwiseAbs().maxCoeff();
  if (size == 0) return direction;
  const Matrix unit = direction / size;
  const FlowDual dual(mdp, unit, 0.0, member.array() > kZero);
  NewtonResult newton = newton_result(mdp, dual, dual.at(Vector::Zero(mdp.states() + 1)), 1.0);
  if (newton.keeps_flows && newton.is_optimal) return size * newton.point;
  const Matrix here = project_onto_flows(mdp, member);
  const Matrix there = project_onto_flows(mdp, member + kTangentStep * unit);
  return size / kTangentStep * (there - here);
}

}  // namespace rgu
