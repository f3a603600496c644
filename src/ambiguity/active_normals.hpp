// The factorisation behind the active-set method: N = Q R for a changing list of columns.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "rgu/base/types.hpp"

namespace rgu {

// Linearly independent vectors n_1 .. n_k of R^n, in the order they were added, as Q R with Q
// (n, n) orthogonal and R (k, k) upper triangular. Adding and removing cost O(n^2).
class ActiveNormals {
 public:
  explicit ActiveNormals(Index dimension);

  Index count() const { return count_; }

  // The least distance of a column from the span of those before it, relative to its length; 1
  // if there are no columns.
  double least_angle() const;

  // `vector` = N coefficients + normal_part, the second orthogonal to all columns.
  struct Split {
    Vector coefficients;
    Vector normal_part;
  };
  Split split(const Vector& vector) const;

  // The least vector d with <n_j, d> = right_j, and d = N multipliers.
  struct LeastNorm {
    Vector vector;
    Vector multipliers;
  };
  LeastNorm least_norm(const Vector& right) const;

  void add(const Vector& vector);
  void remove(Index position);

 private:
  auto corner() const { return r_.topLeftCorner(count_, count_); }

  Index count_ = 0;
  Eigen::MatrixXd q_;
  Eigen::MatrixXd r_;
};

}  // namespace rgu
