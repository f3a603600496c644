// A user's own utility, with gradients that the user gives.
#pragma once

#include <functional>

#include "rgu/utility/utility.hpp"

namespace rgu {

// What cannot be read off a function: its sizes, its shape and its constants. Nothing checks the
// shape and the constants; solvers and bounds believe them.
struct UtilityDeclaration {
  OccupancyShape shape;
  Index nature_dimension = 0;
  UtilityTraits traits;
  // The constants for |xi| <= the argument; left empty, none is known and all are infinite.
  std::function<UtilityConstants(double nature_norm)> constants = nullptr;
};

// A utility that answers for its traits and constants by declaration. Throws InvalidInput unless
// S, A >= 1 and check_traits accepts.
class DeclaredUtility : public Utility {
 public:
  UtilityTraits traits() const final { return declaration_.traits; }
  UtilityConstants constants(double nature_norm) const final;

 protected:
  explicit DeclaredUtility(UtilityDeclaration declaration);

 private:
  UtilityDeclaration declaration_;
};

class FunctionUtility final : public DeclaredUtility {
 public:
  // (occupancy (S, A), xi) -> value and both gradients. Must be safe to call from several threads.
  using Function = std::function<UtilityGradient(const Matrix& occupancy, const Vector& nature)>;

  // Throws InvalidInput also if the function is empty.
  FunctionUtility(Function function, UtilityDeclaration declaration);

  // Throws InvalidInput also if the function returns gradients of a wrong shape.
  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override;

 private:
  Function function_;
};

}  // namespace rgu
