// Reading the reference numbers beside this file, and comparing with them.
#pragma once

#include <gtest/gtest.h>

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rgu/base/types.hpp"
#include "rgu/mdp/finite_mdp.hpp"

namespace rgu::reference {

using Json = nlohmann::json;

// Every number of the library must be within this of the reference, relative to max(1, |x|).
inline constexpr double kTolerance = 1e-9;

// The content of NAME.json. Throws std::runtime_error if there is none.
Json fixture(const std::string& name);

// One entry of a list in a fixture, for tests with a parameter.
struct Case {
  std::string name;
  Json data;
};
void PrintTo(const Case& example, std::ostream* out);
// The entries, by their field "name". Throws std::runtime_error if there are none.
std::vector<Case> cases(const Json& list);
// What makes the name of a test out of its parameter.
std::string case_name(const testing::TestParamInfo<Case>& info);

Vector to_vector(const Json& numbers);
Matrix to_matrix(const Json& rows);

enum class Storage { kDense, kSparse };
// Throws std::runtime_error unless the model has as many states and actions as it says.
FiniteMdp to_model(const Json& model, Storage storage);

// Do the numbers agree within kTolerance, entry by entry, and the shapes exactly? The message names
// the first entry that does not.
testing::AssertionResult agrees(double actual, const Json& expected);
testing::AssertionResult agrees(const Vector& actual, const Json& expected);
testing::AssertionResult agrees(const Matrix& actual, const Json& expected);

}  // namespace rgu::reference
