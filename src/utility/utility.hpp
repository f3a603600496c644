// General utilities: a cost f_xi(lambda) of the occupancy measure lambda of a policy and of the
// parameter xi that nature chooses.
#pragma once

#include <limits>

#include "rgu/base/types.hpp"

namespace rgu {

struct UtilityGradient {
  double value = 0;
  Matrix occupancy;  // (S, A): grad_lambda f
  Vector nature;     // grad_xi f
};

// The shape of f in xi. kNone: f has no xi.
enum class NatureShape { kNone, kLinear, kStronglyConcave, kConcave, kNonconcave };

struct UtilityTraits {
  bool convex_in_occupancy = false;  // for every xi
  NatureShape nature = NatureShape::kNonconcave;
  double strong_concavity = 0;  // mu, > 0 exactly when nature is kStronglyConcave
};

// Throws InvalidInput unless the declared traits agree with each other and with the dimension of
// xi: kNone exactly when there is no xi, mu > 0 exactly when strongly concave and else 0.
void check_traits(const UtilityTraits& traits, Index nature_dimension);

// Bounds on the gradients of f and their Lipschitz constants, Euclidean, over every lambda in the
// probability simplex and every xi with |xi| <= nature_norm; infinite where none exists
// [RGU, Ass. lambda_bound, xi_bound, xi_lambda_bound].
struct UtilityConstants {
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  double occupancy_gradient = kNone;   // l_lambda: |grad_lambda f|
  double occupancy_lipschitz = kNone;  // L_lambda: grad_lambda f in lambda
  double nature_gradient = kNone;      // l_xi: |grad_xi f|
  double nature_lipschitz = kNone;     // L_xi: grad_xi f in xi
  double cross_lipschitz = kNone;      // L_lambda,xi and L_xi,lambda: either gradient in the other
};

// The shape (S, A) of an occupancy, for utilities that no data gives it to.
struct OccupancyShape {
  Index states = 0;
  Index actions = 0;
};

// S * A. Throws InvalidInput unless S, A >= 1 and a table of this shape can be addressed.
Index pairs_of(const OccupancyShape& shape);

class Utility {
 public:
  virtual ~Utility() = default;

  Index states() const { return states_; }
  Index actions() const { return actions_; }
  Index nature_dimension() const { return nature_dimension_; }  // 0: f has no xi

  // f_xi(lambda) and both gradients. occupancy: (S, A), nonnegative, but it need not sum to 1 (a
  // truncated or sampled occupancy does not). Throws InvalidInput on a wrong shape. May be called
  // from several threads at once.
  virtual UtilityGradient evaluate(const Matrix& occupancy, const Vector& nature) const = 0;

  virtual UtilityTraits traits() const = 0;

  // Throws InvalidInput unless nature_norm is finite and >= 0.
  virtual UtilityConstants constants(double nature_norm) const = 0;

 protected:
  struct Sizes {
    Index states = 0;
    Index actions = 0;
    Index nature = 0;
  };
  explicit Utility(Sizes sizes);  // throws as pairs_of

  void check_arguments(const Matrix& occupancy, const Vector& nature) const;

 private:
  Index states_;
  Index actions_;
  Index nature_dimension_;
};

}  // namespace rgu
