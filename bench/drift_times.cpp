// Time of the envelope solver on drift problems from a file, for drift_against_sdp.py. One line for
// each radius of a case: radius, milliseconds (the median of a few solves after one that is not
// timed), value, lower bound.
//   bench_drift_times FILE CASE
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/base/blas_setup.hpp"
#include "rgu/global/envelope.hpp"
#include "rgu/utility/drift.hpp"

namespace rgu::bench {
namespace {

using Json = nlohmann::json;

constexpr int kRepetitions = 5;
constexpr double kTolerance = 1e-7;  // that of the other solvers

Matrix matrix_of(const Json& rows) {
  const auto numbers = rows.get<std::vector<std::vector<double>>>();
  Matrix matrix(std::ssize(numbers), std::ssize(numbers.front()));
  for (Index i = 0; i < matrix.rows(); ++i) {
    const std::vector<double>& row = numbers[static_cast<std::size_t>(i)];
    matrix.row(i) = Eigen::Map<const Vector>(row.data(), std::ssize(row)).transpose();
  }
  return matrix;
}

// Weights of all successors, or of those that are listed; each row is divided by its sum.
TransitionKernel kernel_of(const Json& data, Index states) {
  Matrix weights = matrix_of(data.at("weights"));
  for (Index i = 0; i < weights.rows(); ++i) weights.row(i) /= weights.row(i).sum();
  if (!data.contains("successors")) return weights;
  const auto successors = data.at("successors").get<std::vector<std::vector<std::int32_t>>>();
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  for (Index i = 0; i < weights.rows(); ++i) {
    for (Index k = 0; k < weights.cols(); ++k) {
      const std::int32_t next =
          successors[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
      entries.emplace_back(static_cast<std::int32_t>(i), next, weights(i, k));
    }
  }
  SparseMatrix kernel(weights.rows(), states);
  kernel.setFromTriplets(entries.begin(), entries.end());
  return kernel;
}

void measure(const Json& data) {
  const Index states = data.at("states");
  const FiniteMdp mdp(kernel_of(data, states),
                      Vector::Constant(states, 1.0 / static_cast<double>(states)),
                      data.at("discount").get<double>());
  const Drift drift({.actions = data.at("actions").get<Index>(),
                     .features = matrix_of(data.at("features")),
                     .dimension = data.at("dimension").get<Index>()});
  const Matrix centre = Matrix::Identity(drift.dimension(), drift.feature_dimension());
  for (const double radius : data.at("radii").get<std::vector<double>>()) {
    const FrobeniusBall ball(centre, radius);
    GlobalSolution found = envelope_minimum(mdp, drift, ball, {.tolerance = kTolerance});
    std::vector<double> times;
    for (int k = 0; k < kRepetitions; ++k) {
      const auto begin = std::chrono::steady_clock::now();
      found = envelope_minimum(mdp, drift, ball, {.tolerance = kTolerance});
      const std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - begin;
      times.push_back(time.count());
    }
    std::sort(times.begin(), times.end());
    fmt::print("{} {} {} {}\n", radius, times[kRepetitions / 2], found.value, found.lower_bound);
  }
}

}  // namespace
}  // namespace rgu::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: {} FILE CASE\n", argv[0]);
    return 2;
  }
  rgu::prepare_blas();
  std::ifstream file(argv[1]);
  for (const auto& data : nlohmann::json::parse(file)) {
    if (data.at("name") == argv[2]) rgu::bench::measure(data);
  }
}
