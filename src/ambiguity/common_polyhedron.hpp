// The common points of polyhedra as one polyhedron.
#pragma once

#include <memory>
#include <vector>

#include "rgu/ambiguity/halfspaces.hpp"
#include "rgu/ambiguity/linear_form.hpp"
#include "rgu/ambiguity/set_parts.hpp"

namespace rgu {

// Distances |diag(root) axes'(x - y)|.
struct AxesMetric {
  Matrix axes;  // orthonormal columns; empty: the coordinate axes
  Vector root;  // > 0
};

// Projections by the quadratic program of halfspaces.hpp, support points by a linear program. An
// l_1 ball of more than 5 dimensions has too many facets to list: those that a projection violates
// are added one by one until none is.
class CommonPolyhedron final : public ConvexSet {
 public:
  // Empty pointer unless every part has a linear_form (linear_form.hpp) and together they are at
  // most 200 dimensions and 2000 rows. Throws InvalidInput if there is no common point, and
  // NotConverged if the linear program does not tell.
  static std::shared_ptr<const CommonPolyhedron> of(const SetParts& parts);

  // Within 1e-12 of the size of the set, or of the numbers it is made of. Throws NotConverged if
  // rounding keeps the quadratic program from ending.
  Vector project(const Vector& point) const override;
  // The member nearest to `point` in another metric.
  Vector nearest(const Vector& point, const AxesMetric& metric) const;

  Vector support_point(const Vector& direction) const override;
  // The bound is proven by the multipliers of the linear program; down to rounding but for
  // unfortunate programs.
  CertifiedSupport certified_support(const Vector& direction) const override;

  double diameter() const override { return diameter_; }  // the least of the parts': a bound

 private:
  struct Cross {  // an l_1 ball, relative to the centre
    Vector centre;
    double radius = 0;
  };

  CommonPolyhedron(const SetParts& parts, std::vector<LinearForm> forms);
  double unit_for(const Vector& member) const;
  Vector deepest_point() const;
  void list_facets();
  Vector nearest_in_image(const Vector& point, const Matrix& image) const;

  SetParts parts_;
  double diameter_ = 0;
  std::vector<LinearForm> forms_;  // of the parts
  LinearForm all_;                 // of the whole
  Vector centre_;
  Halfspaces facets_;  // without those of the crosses, the origin moved to the centre
  std::vector<Cross> crosses_;
};

// The directions y_k of the parts that prove what x lacks of the maximum of <direction, .> over
// their common points: sum over k of max over part k of <y_k, .> - <y_k, x>. The columns of
// `shares` are made to add up to `direction` first.
double gap_by_parts(const SetParts& parts, const Eigen::MatrixXd& shares, const Vector& direction,
                    const Vector& x);

}  // namespace rgu
