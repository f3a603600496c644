// The numeric types of the whole project.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>

namespace rgu {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
// Row-major, so that a matrix over (state, action) lies in memory as a vector over s * A + a.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;

__extension__ using Uint128 = unsigned __int128;

// A matrix as the vector of its rows, one after the other.
inline Vector flatten(const Matrix& matrix) {
  return Eigen::Map<const Vector>(matrix.data(), matrix.size());
}

// The inverse of flatten: a view, valid while `vector` lives.
inline Eigen::Map<const Matrix> as_matrix(const Vector& vector, Index rows, Index columns) {
  eigen_assert(vector.size() == rows * columns);
  return {vector.data(), rows, columns};
}

}  // namespace rgu
