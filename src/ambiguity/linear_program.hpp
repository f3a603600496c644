// Small dense linear programs, by the simplex method of Clp.
#pragma once

#include <memory>

#include "rgu/ambiguity/bounds.hpp"
#include "rgu/base/types.hpp"

namespace rgu {

// The feasible points of a linear program: rows x <= offsets and columns.lower <= x <=
// columns.upper. Bounds may be infinite.
struct LinearConstraints {
  Matrix rows;
  Vector offsets;
  Bounds columns;
};

struct LinearProgramSolution {
  Vector point;
  Vector multipliers;  // of the rows, >= 0
};

// Maximises several linear functions over the same constraints, each from the last basis. The
// constraints must have a feasible point and the function a maximum. Not to be shared by threads.
class LinearProgram {
 public:
  explicit LinearProgram(const LinearConstraints& constraints);
  ~LinearProgram();
  LinearProgram(const LinearProgram&) = delete;
  LinearProgram& operator=(const LinearProgram&) = delete;

  // A vertex that maximises <objective, x>, feasible within 1e-10 in the numbers of the rows and
  // optimal within 1e-14 of the objective's size. Throws NotConverged if the method finds no
  // maximum.
  LinearProgramSolution maximise(const Vector& objective);

 private:
  class Model;
  std::unique_ptr<Model> model_;
};

// The solver's tolerances are absolute: numbers of this size should be counted in this unit, a
// power of two near it (1 where it is 0), so that nothing is rounded.
double unit_of(double size);

}  // namespace rgu
