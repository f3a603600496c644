// Drift problems drawn from a family that nobody tuned for.
#pragma once

#include <Eigen/SVD>
#include <cmath>
#include <initializer_list>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/mdp/finite_mdp.hpp"
#include "rgu/utility/drift.hpp"

namespace rgu::testing_drift {

struct DriftInstance {
  FiniteMdp mdp;
  Drift drift;
  FrobeniusBall ball;
  std::string about;
};

template <class Number>
Number one_of(std::initializer_list<Number> from, Rng& rng) {
  return from.begin()[rng.below(from.size())];
}

// Rows of a kernel: one kind for the whole model. 0: dense, entries u^k; 1: three successors; 2:
// deterministic; 3: periodic (every action leads to the next class of states); 4: three successors
// and absorbing states; 5: dense with unreachable states.
inline Matrix random_kernel(Index kind, Index states, Index actions, Rng& rng) {
  const auto any = [&] {
    return static_cast<Index>(rng.below(static_cast<std::uint64_t>(states)));
  };
  const double power = 1 + static_cast<double>(rng.below(5));
  const Index reachable = (states + 1) / 2, period = 1 + static_cast<Index>(rng.below(4));
  Matrix kernel = Matrix::Zero(states * actions, states);
  for (Index row = 0; row < kernel.rows(); ++row) {
    const Index state = row / actions;
    if (kind == 0 || kind == 5) {
      for (Index s = 0; s < (kind == 5 ? reachable : states); ++s) {
        kernel(row, s) = std::pow(rng.uniform(0, 1), power) + 1e-300;
      }
    } else if (kind == 1 || (kind == 4 && state % 5 != 4)) {
      for (int k = 0; k < 3; ++k) kernel(row, any()) += rng.exponential();
    } else if (kind == 2) {
      kernel(row, any()) = 1;
    } else if (kind == 3) {
      const Index next = (state % period + 1) % period;
      for (int k = 0; k < 2; ++k) {
        const Index s = any();
        kernel(row, std::min(s - s % period + next, states - 1)) += rng.exponential();
      }
    } else {
      kernel(row, state) = 1;
    }
    kernel.row(row) /= kernel.row(row).sum();
  }
  return kernel;
}

// 0: normal; 1: few distinct rows; 2: one-hot; 3: small integers; 4: one coordinate hardly differs
// from another; 5: of very different lengths.
inline Matrix random_features(Index kind, Index rows, Index columns, Rng& rng) {
  Matrix features = Matrix::NullaryExpr(rows, columns, [&] { return rng.normal(); });
  const auto below = [&](Index n) {
    return static_cast<Index>(rng.below(static_cast<std::uint64_t>(n)));
  };
  for (Index i = 0; i < rows; ++i) {
    if (kind == 1 && i > columns) features.row(i) = features.row(below(columns + 1)).eval();
    if (kind == 2) features.row(i) = Vector::Unit(columns, below(columns)).transpose();
    if (kind == 3) features.row(i) = features.row(i).array().round();
    if (kind == 4) features(i, 0) = features(i, columns - 1) + 1e-3 * features(i, 0);
    if (kind == 5) features.row(i) *= std::exp(2 * rng.normal());
  }
  return features * std::pow(10, rng.uniform(-3, 3));
}

inline Vector random_start(Index kind, Index states, Rng& rng) {
  if (kind == 0) return Vector::Unit(states, 0);
  if (kind == 1) return Vector::Constant(states, 1.0 / static_cast<double>(states));
  Vector start(states);
  for (Index s = 0; s < states; ++s) start(s) = rng.exponential();
  return start / start.sum();
}

struct DriftKind {
  Index states = 1, actions = 1, rows = 1, columns = 1;
  Index kernel = 0, features = 0;
  double discount = 0.9;
  double radius = 0.5;  // relative to the smallest singular value of the centre
};

inline DriftInstance drift_of_kind(const DriftKind& kind, std::uint64_t seed, Rng& rng) {
  Matrix kernel = random_kernel(kind.kernel, kind.states, kind.actions, rng);
  // From the reachable half if there is another.
  const Index begin = kind.kernel == 5 ? 0 : static_cast<Index>(rng.below(3));
  Vector start = random_start(begin, kind.states, rng);
  Matrix features = random_features(kind.features, kind.states * kind.actions, kind.columns, rng);
  Matrix centre = rng.below(2) == 0
                      ? Matrix(Matrix::Identity(kind.rows, kind.columns))
                      : Matrix::NullaryExpr(kind.rows, kind.columns, [&] { return rng.normal(); });
  const double least = Eigen::JacobiSVD<Eigen::MatrixXd>(centre).singularValues()(kind.rows - 1);
  std::ostringstream about;
  about << "seed " << seed << ": S " << kind.states << ", A " << kind.actions << ", d " << kind.rows
        << ", d' " << kind.columns << ", kernel " << kind.kernel << ", features " << kind.features
        << ", discount " << kind.discount << ", radius " << kind.radius;
  TransitionKernel stored = kind.kernel == 1 || kind.kernel == 4
                                ? TransitionKernel(SparseMatrix(kernel.sparseView()))
                                : TransitionKernel(std::move(kernel));
  return {FiniteMdp(std::move(stored), std::move(start), kind.discount),
          Drift({.actions = kind.actions, .features = std::move(features), .dimension = kind.rows}),
          FrobeniusBall(std::move(centre), kind.radius * least), about.str()};
}

inline DriftInstance random_drift(std::uint64_t seed) {
  Rng rng(seed);
  const auto below = [&](Index n) {
    return static_cast<Index>(rng.below(static_cast<std::uint64_t>(n)));
  };
  DriftKind kind;
  kind.states = one_of<Index>({1, 2, 3, 5, 8, 13, 20, 30, 40}, rng);
  kind.actions = 1 + below(5);
  kind.columns = 1 + below(8);
  kind.rows = 1 + below(kind.columns);
  kind.discount = one_of({0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999}, rng);
  kind.kernel = below(6);
  kind.features = below(6);
  kind.radius = one_of({0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95}, rng);
  return drift_of_kind(kind, seed, rng);
}

// Small ones that other solvers can do: normal features, dense kernels or three successors.
inline DriftInstance plain_drift(std::uint64_t seed) {
  Rng rng(seed);
  const auto below = [&](Index n) {
    return static_cast<Index>(rng.below(static_cast<std::uint64_t>(n)));
  };
  DriftKind kind;
  kind.states = 1 + below(9);
  kind.actions = 2 + below(3);
  kind.columns = 1 + below(5);
  kind.rows = 1 + below(kind.columns);
  kind.discount = one_of({0.5, 0.8, 0.9, 0.95, 0.99}, rng);
  kind.kernel = below(2);
  kind.radius = one_of({0.05, 0.3, 0.5, 0.8}, rng);
  return drift_of_kind(kind, seed, rng);
}

}  // namespace rgu::testing_drift
