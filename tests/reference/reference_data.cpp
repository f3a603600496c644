#include "reference/reference_data.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <ostream>
#include <stdexcept>

namespace rgu::reference {

Json fixture(const std::string& name) {
  const std::string path = std::string(RGU_REFERENCE_DIR) + "/" + name + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return Json::parse(file);
}

void PrintTo(const Case& example, std::ostream* out) { *out << example.name; }

std::vector<Case> cases(const Json& list) {
  if (list.empty()) throw std::runtime_error("a fixture has no cases");
  std::vector<Case> found;
  for (const Json& entry : list) found.push_back({entry.at("name"), entry});
  return found;
}

std::string case_name(const testing::TestParamInfo<Case>& info) { return info.param.name; }

Vector to_vector(const Json& numbers) {
  const auto entries = numbers.get<std::vector<double>>();
  return Eigen::Map<const Vector>(entries.data(), static_cast<Index>(entries.size()));
}

Matrix to_matrix(const Json& rows) {
  Matrix matrix(static_cast<Index>(rows.size()), static_cast<Index>(rows.at(0).size()));
  for (Index i = 0; i < matrix.rows(); ++i) matrix.row(i) = to_vector(rows[i]).transpose();
  return matrix;
}

FiniteMdp to_model(const Json& model, Storage storage) {
  Matrix kernel = to_matrix(model.at("kernel"));
  Vector start = to_vector(model.at("start"));
  const double discount = model.at("discount");
  if (start.size() != model.at("states") ||
      kernel.rows() != start.size() * model.at("actions").get<Index>()) {
    throw std::runtime_error("a model does not have the shape it says");
  }
  if (storage == Storage::kDense) return {std::move(kernel), std::move(start), discount};
  return {SparseMatrix(kernel.sparseView()), std::move(start), discount};
}

testing::AssertionResult agrees(const Matrix& actual, const Json& expected) {
  const Matrix reference = to_matrix(expected);
  if (actual.rows() != reference.rows() || actual.cols() != reference.cols()) {
    return testing::AssertionFailure()
           << "the shape is " << actual.rows() << " x " << actual.cols() << ", the reference has "
           << reference.rows() << " x " << reference.cols();
  }
  for (Index i = 0; i < actual.rows(); ++i) {
    for (Index j = 0; j < actual.cols(); ++j) {
      const double error = std::abs(actual(i, j) - reference(i, j));
      if (error <= kTolerance * std::max(1.0, std::abs(reference(i, j)))) continue;
      return testing::AssertionFailure() << "entry (" << i << ", " << j << ") is off by " << error
                                         << " from the reference " << reference(i, j);
    }
  }
  return testing::AssertionSuccess();
}

// As a row, for messages; an empty vector has no row.
testing::AssertionResult agrees(const Vector& actual, const Json& expected) {
  if (actual.size() == 0 && expected.is_array() && expected.empty()) {
    return testing::AssertionSuccess();
  }
  return agrees(Matrix(actual.transpose()), Json::array({expected}));
}

testing::AssertionResult agrees(double actual, const Json& expected) {
  return agrees(Vector(Vector::Constant(1, actual)), Json::array({expected}));
}

}  // namespace rgu::reference
