#include "rgu/utility/function.hpp"

#include "rgu/base/check.hpp"

namespace rgu {

DeclaredUtility::DeclaredUtility(UtilityDeclaration declaration)
    : Utility({.states = declaration.shape.states,
               .actions = declaration.shape.actions,
               .nature = declaration.nature_dimension}),
      declaration_(std::move(declaration)) {
  check_traits(declaration_.traits, nature_dimension());
}

UtilityConstants DeclaredUtility::constants(double nature_norm) const {
  check_nonnegative("bound on |xi|", nature_norm);
  return declaration_.constants ? declaration_.constants(nature_norm) : UtilityConstants{};
}

FunctionUtility::FunctionUtility(Function function, UtilityDeclaration declaration)
    : DeclaredUtility(std::move(declaration)), function_(std::move(function)) {
  check(function_ != nullptr, "function of the utility is empty, must be callable");
}

UtilityGradient FunctionUtility::evaluate(const Matrix& occupancy, const Vector& nature) const {
  check_arguments(occupancy, nature);
  UtilityGradient gradient = function_(occupancy, nature);
  check_shape("returned grad_lambda", gradient.occupancy, {states(), actions()});
  check_size("returned grad_xi", gradient.nature.size(), nature_dimension());
  return gradient;
}

}  // namespace rgu
