// Makes a utility strongly concave in xi, as the descent-ascent theory needs [RGU, Thm. pgda].
#pragma once

#include <memory>

#include "rgu/utility/utility.hpp"

namespace rgu {

struct NatureRegularization {
  double modulus = 0;  // mu > 0
  Vector centre;       // as long as xi
};

// f_xi(lambda) - (mu/2) |xi - centre|^2. Strongly concave in xi if f is linear (then with mu),
// concave (mu) or strongly concave (its modulus + mu); a nonconcave f stays declared nonconcave.
// Throws InvalidInput unless there is a utility, it has a xi, mu > 0, and the centre has the size
// of xi and is finite.
class NatureRegularized final : public Utility {
 public:
  NatureRegularized(std::shared_ptr<const Utility> utility, NatureRegularization regularization);

  const Utility& inner() const { return *utility_; }
  const NatureRegularization& regularization() const { return regularization_; }

  UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const override;
  UtilityTraits traits() const override;
  UtilityConstants constants(double nature_norm) const override;

 private:
  std::shared_ptr<const Utility> utility_;
  NatureRegularization regularization_;
};

}  // namespace rgu
