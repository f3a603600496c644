#include "rgu/mdp/flow_newton.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "rgu/base/check.hpp"
#include "rgu/base/krylov.hpp"
#include "rgu/base/lapack.hpp"
#include "rgu/mdp/planning.hpp"
#include "rgu/mdp/policy_evaluation.hpp"

namespace rgu {
namespace {

constexpr double kResidual = 1e-15;  // what the last digits aim at
constexpr double kPromised = 1e-10;  // what every returned point honours
constexpr double kPolishShift = 1e-14;
constexpr double kZero = 1e-12;  // smaller entries of a member count as zero
constexpr int kSteps = 200;

using Mask = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Minimise |x - point|^2 / 2 over E x = b and x(s,a) >= 0 except where `free`. The dual has one
// unknown v(s) for each equation:
//   x(v) = max(0, point + E' v),   minimise phi(v) = |x(v)|^2 / 2 - <b, v>,
// without the maximum where free. grad phi = E x(v) - b is the flow residual, and E D E', D = 1
// where x(v) > 0 or free, is an element of its generalised Jacobian. phi is convex and piecewise
// quadratic: once D is the right one, a Newton step lands on the solution.
class FlowDual {
 public:
  FlowDual(const FiniteMdp& mdp, const Matrix& point, Vector source, Mask free)
      : mdp_(mdp), point_(point), source_(std::move(source)), free_(std::move(free)) {}

  struct State {
    Vector v;
    Matrix x;         // x(v)
    Vector gradient;  // E x - b
    double phi = 0;
  };

  // D.
  Mask active(const Matrix& x) const { return free_ || (x.array() > 0); }

  // D with an entry of every state: where a state has none, the one at which point + E'v is
  // largest. It contains a policy, whose rows of E are invertible.
  Mask with_policy(const State& state) const {
    Mask mask = active(state.x);
    const Matrix before = point_ + adjoint(state.v);
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

  State at(Vector v) const {
    State state;
    state.x = clipped(point_ + adjoint(v));
    state.gradient = residual(state.x);
    state.phi = 0.5 * state.x.squaredNorm() - source_.dot(v);
    state.v = std::move(v);
    return state;
  }

  // E x - b, (S).
  Vector residual(const Matrix& x) const { return flow(x) - source_; }

  // E x, (S).
  Vector flow(const Matrix& x) const {
    return x.rowwise().sum() - mdp_.discount() * mdp_.push_forward(x);
  }

  // E' v, (S, A).
  Matrix adjoint(const Vector& v) const {
    Matrix result = -mdp_.discount() * mdp_.expected_next(v);
    result.colwise() += v;
    return result;
  }

 private:
  const FiniteMdp& mdp_;
  const Matrix& point_;
  Vector source_;
  Mask free_;
};

// Solves (E D E' + shift I) w = right.
class NewtonSystem {
 public:
  explicit NewtonSystem(const FiniteMdp& mdp, const FlowDual& dual) : mdp_(mdp), dual_(dual) {}

  Vector solve(const Mask& active, double shift, const Vector& right) const {
    if (mdp_.is_sparse() && mdp_.states() > kLargestDense) {
      return krylov_solve(active, shift, right);
    }
    Eigen::MatrixXd matrix = mdp_.is_sparse() ? sparse_gram(active) : dense_gram(active);
    matrix.diagonal().array() += shift;
    const CholeskyFactor factor(std::move(matrix));
    // Not positive definite only by rounding: a multiple of the gradient is a direction still.
    return factor.positive_definite() ? factor.solve(right) : Vector(right / (1.0 + shift));
  }

 private:
  static constexpr Index kLargestDense = 3000;

  Eigen::MatrixXd dense_gram(const Mask& active) const {
    const Index actions = mdp_.actions();
    Matrix rows(active.count(), mdp_.states());
    Index k = 0;
    for (Index row = 0; row < active.size(); ++row) {
      if (!active.data()[row]) continue;
      rows.row(k) = -mdp_.discount() * mdp_.dense_kernel().row(row);
      rows(k, row / actions) += 1.0;
      ++k;
    }
    return gram_lower(rows);
  }

  Eigen::MatrixXd sparse_gram(const Mask& active) const {
    const SparseMatrix& kernel = mdp_.sparse_kernel();
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(mdp_.states(), mdp_.states());
    std::vector<std::pair<Index, double>> row;
    for (Index r = 0; r < active.size(); ++r) {
      if (!active.data()[r]) continue;
      row.assign(1, {r / mdp_.actions(), 1.0});
      for (SparseMatrix::InnerIterator e(kernel, r); e; ++e) {
        row.emplace_back(e.col(), -mdp_.discount() * e.value());
      }
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

  // diag(E D E').
  Vector diagonal(const Mask& active) const {
    const SparseMatrix& kernel = mdp_.sparse_kernel();
    const double g = mdp_.discount();
    Vector result = Vector::Zero(mdp_.states());
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
    FlowDual::State next = dual.at(from.v + length * step);
    const bool descends = next.phi <= from.phi + 1e-4 * length * slope;
    // Near the solution phi no longer tells points apart, but its gradient does.
    const bool closer = next.gradient.norm() <= 0.9 * from.gradient.norm();
    if (descends || closer) return Move{std::move(next), length};
  }
  return std::nullopt;
}

// A good start for each end of the scale. For a point near the polytope v = 0. For a point far away
// the projection is nearly the vertex that maximises <point, x>: with V its value and d its state
// occupancy, v = -V + (I - g P_pi)^-1 d makes x(v) that vertex. The lower phi decides.
FlowDual::State start(const FiniteMdp& mdp, const FlowDual& dual, const Matrix& point,
                      const Vector& guess) {
  FlowDual::State near = dual.at(Vector::Zero(mdp.states()));
  if (guess.size() > 0) {
    FlowDual::State guessed = dual.at(guess);
    if (guessed.phi <= near.phi) near = std::move(guessed);
  }
  const Plan plan = optimal_plan(mdp, -point);
  const PolicyEvaluation vertex(mdp, deterministic_policy(plan.action, mdp.actions()));
  const Matrix mass = vertex.state_occupancy().replicate(1, mdp.actions());
  FlowDual::State far = dual.at(plan.value + vertex.value(mass));
  return near.phi <= far.phi ? near : far;
}

// Newton's method on phi until rounding in x(v) = max(0, point + E' v) hides the residual.
FlowDual::State minimise(const FlowDual& dual, const NewtonSystem& newton, FlowDual::State state,
                         double size) {
  // Where fewer than S entries are positive the Jacobian is singular. The shift keeps steps in
  // proportion to the point; it vanishes with the residual and adapts to what the search accepts.
  double damping = 1e-2;
  for (int k = 0; k < kSteps; ++k) {
    const double residual = state.gradient.norm();
    const double rounding = 1e-14 * (size + state.v.lpNorm<Eigen::Infinity>());
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
// equations. Unlike x(v), whose entries carry the rounding of numbers as large as the point, this
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

FlowProjection solution(const FiniteMdp& mdp, const FlowDual& dual, FlowDual::State start,
                        double size) {
  const NewtonSystem newton(mdp, dual);
  FlowDual::State state = minimise(dual, newton, std::move(start), size);
  Matrix x = polish(mdp, dual, newton, state);
  const double residual = dual.residual(x).norm();
  if (!(residual <= kPromised * std::max(1.0, x.norm()))) {
    throw NotConverged(fmt::format(
        "projection onto the occupancy polytope stopped at flow residual {:.3g}, promised {:g}",
        residual, kPromised));
  }
  return {.point = std::move(x), .multipliers = std::move(state.v)};
}

}  // namespace

Matrix project_onto_flows(const FiniteMdp& mdp, const Matrix& point) {
  return project_onto_flows(mdp, point, Vector()).point;
}

FlowProjection project_onto_flows(const FiniteMdp& mdp, const Matrix& point, const Vector& guess) {
  if (guess.size() > 0) check_size("guess of the multipliers", guess.size(), mdp.states());
  const double size = std::max(1.0, point.cwiseAbs().maxCoeff());
  const FlowDual dual(mdp, point, (1.0 - mdp.discount()) * mdp.start(),
                      Mask::Constant(point.rows(), point.cols(), false));
  return solution(mdp, dual, start(mdp, dual, point, guess), size);
}

Matrix project_onto_flow_tangents(const FiniteMdp& mdp, const Matrix& member,
                                  const Matrix& direction) {
  const double size = direction.cwiseAbs().maxCoeff();
  if (size == 0) return direction;
  const Matrix unit = direction / size;
  const FlowDual dual(mdp, unit, Vector::Zero(mdp.states()), member.array() > kZero);
  return size * solution(mdp, dual, dual.at(Vector::Zero(mdp.states())), 1.0).point;
}

}  // namespace rgu
