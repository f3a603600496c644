#include "rgu/utility/regularized.hpp"

#include "rgu/base/check.hpp"

namespace rgu {

namespace {

const Utility& present(const std::shared_ptr<const Utility>& utility) {
  check(utility != nullptr, "utility to regularize is empty, must be a utility");
  return *utility;
}

}  // namespace

NatureRegularized::NatureRegularized(std::shared_ptr<const Utility> utility,
                                     NatureRegularization regularization)
    : Utility({.states = present(utility).states(),
               .actions = present(utility).actions(),
               .nature = present(utility).nature_dimension()}),
      utility_(std::move(utility)),
      regularization_(std::move(regularization)) {
  check_count("dimension of xi of a regularized utility", nature_dimension());
  check_positive("modulus mu of the regularization", regularization_.modulus);
  check_size("centre of the regularization", regularization_.centre.size(), nature_dimension());
  check_finite("centre of the regularization", regularization_.centre);
}

UtilityGradient NatureRegularized::evaluate(const Matrix& occupancy, const Vector& nature) const {
  check_arguments(occupancy, nature);
  const auto& [modulus, centre] = regularization_;
  UtilityGradient gradient = utility_->evaluate(occupancy, nature);
  gradient.value -= 0.5 * modulus * (nature - centre).squaredNorm();
  gradient.nature -= modulus * (nature - centre);
  return gradient;
}

UtilityTraits NatureRegularized::traits() const {
  UtilityTraits traits = utility_->traits();
  if (traits.nature == NatureShape::kNonconcave) return traits;
  traits.nature = NatureShape::kStronglyConcave;
  traits.strong_concavity += regularization_.modulus;
  return traits;
}

// The added term has gradient -mu (xi - centre) in xi and none in lambda.
UtilityConstants NatureRegularized::constants(double nature_norm) const {
  UtilityConstants constants = utility_->constants(nature_norm);
  const auto& [modulus, centre] = regularization_;
  constants.nature_gradient += modulus * (nature_norm + centre.norm());
  constants.nature_lipschitz += modulus;
  return constants;
}

}  // namespace rgu
