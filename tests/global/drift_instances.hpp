// Drift problems drawn from a family that nobody tuned for.
#pragma once

#include <Eigen/SVD>
#include <cmath>
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

inline Index one_of(std::initializer_list<Index> from, Rng& rng) {
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

inline DriftInstance random_drift(std::uint64_t seed) {
  Rng rng(seed);
  const Index states = one_of({1, 2, 3, 5, 8, 13, 20, 30, 40}, rng);
  const Index actions = 1 + static_cast<Index>(rng.below(5));
  const Index columns = 1 + static_cast<Index>(rng.below(8));
  const Index rows = 1 + static_cast<Index>(rng.below(static_cast<std::uint64_t>(columns)));
  const double discounts[] = {0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999};
  const double discount = discounts[rng.below(7)];
  const Index kind = static_cast<Index>(rng.below(6)), look = static_cast<Index>(rng.below(6));
  Matrix kernel = random_kernel(kind, states, actions, rng);
  // From the reachable half if there is another.
  Vector start = random_start(kind == 5 ? 0 : static_cast<Index>(rng.below(3)), states, rng);
  Matrix features = random_features(look, states * actions, columns, rng);
  Matrix centre = rng.below(2) == 0
                      ? Matrix(Matrix::Identity(rows, columns))
                      : Matrix::NullaryExpr(rows, columns, [&] { return rng.normal(); });
  const double least = Eigen::JacobiSVD<Eigen::MatrixXd>(centre).singularValues()(rows - 1);
  const double shares[] = {0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95};
  const double share = shares[rng.below(9)];
  std::string about = "seed " + std::to_string(seed) + ": S " + std::to_string(states) + ", A " +
                      std::to_string(actions) + ", d " + std::to_string(rows) + ", d' " +
                      std::to_string(columns) + ", kernel " + std::to_string(kind) + ", features " +
                      std::to_string(look) + ", discount " + std::to_string(discount) +
                      ", radius " + std::to_string(share);
  TransitionKernel stored = kind == 1 || kind == 4
                                ? TransitionKernel(SparseMatrix(kernel.sparseView()))
                                : TransitionKernel(std::move(kernel));
  return {FiniteMdp(std::move(stored), std::move(start), discount),
          Drift({.actions = actions, .features = std::move(features), .dimension = rows}),
          FrobeniusBall(std::move(centre), share * least), std::move(about)};
}

}  // namespace rgu::testing_drift
