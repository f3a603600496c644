// Dykstra's method for the projection onto the common points of several sets, accelerated.
#pragma once

#include <optional>
#include <vector>

#include "rgu/ambiguity/set_parts.hpp"

namespace rgu {

// The state of one projection [BoyleDykstra1986]. After every cycle, up to rounding,
//   point = nearest + sum_k normals[k],
//   normals[k] lies in the normal cone of part k at its member members[k].
// So `nearest` is the exact projection of `point` onto the common points of the parts moved by
// nearest - members[k]: spread() bounds how far any part has to be moved.
class Dykstra {
 public:
  // The parts must outlive this object, be at least one, and have the dimension of `point`.
  Dykstra(const SetParts& parts, const Vector& point);

  void advance();  // a cycle: one projection onto each part
  int cycles() const { return cycles_; }

  // Goes on with another point, from `factor` times the normals reached so far.
  void move_to(const Vector& point, double factor);

  const Vector& nearest() const { return nearest_; }  // a member of the last part

  // One column for each part; they add up to point - nearest.
  const Eigen::MatrixXd& normals() const { return normals_; }

  // The largest distance of a part's member from `nearest`.
  double spread() const;

  // What rounding alone can make of spread().
  double rounding() const;

  // Do the normals prove that the parts have no common point?
  bool proves_empty() const;

 private:
  using Columns = Eigen::MatrixXd;  // one column for each part

  void cycle();
  void accelerate(const Columns& before);
  Columns extrapolated() const;
  double dual_objective() const;

  const SetParts& parts_;
  int cycles_ = 0;
  Vector point_;
  Vector nearest_;
  Columns members_;
  Columns normals_;

  // Of the last plain cycles: the normals they made, and by how much they changed them.
  std::vector<Columns> images_;
  std::vector<Columns> changes_;
  // While an extrapolation is on trial: what to return to if it fails, and what it must improve.
  struct Fallback {
    Columns normals;
    double change = 0;
    double objective = 0;
  };
  std::optional<Fallback> trial_;
};

}  // namespace rgu
