// The numeric types of the whole project.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

// Eigen aligns what it allocates by the instruction set it is compiled for. A program compiled for
// another than the library would free memory in the wrong way.
static_assert(EIGEN_DEFAULT_ALIGN_BYTES == RGU_EIGEN_ALIGN_BYTES,
              "compiled for another instruction set (such as -march=native or -mavx2) than the rgu "
              "library: build rgu with the same CMAKE_CXX_FLAGS, or leave them out here");

namespace rgu {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
// Row-major, so that a matrix over (state, action) lies in memory as a vector over s * A + a.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;

inline constexpr double kEps = std::numeric_limits<double>::epsilon();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

__extension__ using Uint128 = unsigned __int128;

inline Vector to_vector(const std::vector<double>& list) {
  return Eigen::Map<const Vector>(list.data(), std::ssize(list));
}

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
