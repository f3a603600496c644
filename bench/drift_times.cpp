// Time of the envelope solver on the drift problems of tests/reference/drift_sdp.json, for
// drift_against_sdp.py. One line for each radius of a case: radius, milliseconds (the least of a
// few runs), value, lower bound.
//   bench_drift_times FILE CASE
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
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
constexpr double kTolerance = 1e-7;  // CVXOPT's too

Matrix matrix_of(const Json& rows) {
  const auto numbers = rows.get<std::vector<std::vector<double>>>();
  Matrix matrix(std::ssize(numbers), std::ssize(numbers.front()));
  for (Index i = 0; i < matrix.rows(); ++i) {
    const std::vector<double>& row = numbers[static_cast<std::size_t>(i)];
    matrix.row(i) = Eigen::Map<const Vector>(row.data(), std::ssize(row)).transpose();
  }
  return matrix;
}

FiniteMdp model_of(const Json& data) {
  Matrix kernel = matrix_of(data.at("weights"));
  for (Index i = 0; i < kernel.rows(); ++i) kernel.row(i) /= kernel.row(i).sum();
  const Index states = data.at("states");
  return {std::move(kernel), Vector::Constant(states, 1.0 / static_cast<double>(states)),
          data.at("discount").get<double>()};
}

void measure(const Json& data) {
  const FiniteMdp mdp = model_of(data);
  const Drift drift({.actions = data.at("actions").get<Index>(),
                     .features = matrix_of(data.at("features")),
                     .dimension = data.at("dimension").get<Index>()});
  const Matrix centre = Matrix::Identity(drift.dimension(), drift.feature_dimension());
  for (const double radius : data.at("radii").get<std::vector<double>>()) {
    const FrobeniusBall ball(centre, radius);
    double least = std::numeric_limits<double>::infinity();
    GlobalSolution found;
    for (int k = 0; k < kRepetitions; ++k) {
      const auto begin = std::chrono::steady_clock::now();
      found = envelope_minimum(mdp, drift, ball, {.tolerance = kTolerance});
      const std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - begin;
      least = std::min(least, time.count());
    }
    fmt::print("{} {} {} {}\n", radius, least, found.value, found.lower_bound);
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
