// Small things the tests of this folder share.
#pragma once

#include <gmock/gmock.h>

#include <initializer_list>
#include <iterator>
#include <limits>

#include "laws/throws.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/base/types.hpp"

namespace rgu {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline Vector vec(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(std::data(values), static_cast<Index>(values.size()));
}

// Fixed but irregular numbers in [-1, 1].
inline Vector irregular(Index n, std::uint64_t seed) {
  Rng rng(seed);
  return 2 * uniform_vector(n, rng).array() - 1;
}

inline Matrix irregular_matrix(Index rows, Index columns, std::uint64_t seed) {
  return as_matrix(irregular(rows * columns, seed), rows, columns);
}

// `rows` and their negatives.
inline Matrix both_signs(const Matrix& rows) {
  Matrix all(2 * rows.rows(), rows.cols());
  all << rows, -rows;
  return all;
}

inline Matrix matrix(Index rows, Index columns, std::initializer_list<double> values) {
  return as_matrix(vec(values), rows, columns);
}

// Matches a vector or matrix whose every entry is within `tolerance` of `expected`.
MATCHER_P2(IsNear, expected, tolerance, "") {
  if (arg.rows() != expected.rows() || arg.cols() != expected.cols()) return false;
  const double error = (arg - expected).cwiseAbs().maxCoeff();
  *result_listener << "off by " << error << " from\n" << expected;
  return error <= tolerance;
}

}  // namespace rgu
