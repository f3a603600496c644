// The envelope minimised as one convex program.
#pragma once

#include <memory>
#include <optional>

#include "rgu/global/envelope_program.hpp"
#include "rgu/global/envelope_search.hpp"
#include "rgu/global/interior_point.hpp"

namespace rgu {

// The optimum of a program: by the simplex method where it is linear and small, else by interior
// points down to a gap of `accuracy` times its largest cost. Empty where there is none.
std::optional<ProgramPoint> solve(const EnvelopeProgram& program, const Matrix& start,
                                  double accuracy);

// Offers the policy of a solution, whose point it returns, and plans against the adversary's
// mixture.
EnvelopePoint offer_solution(EnvelopeSearch& search, const EnvelopeProblem& problem,
                             const EnvelopeProgram& program, const ProgramPoint& point);

// A linear program, by the simplex method: one step.
class LinearProgramMethod final : public EnvelopeMethod {
 public:
  LinearProgramMethod(const EnvelopeProblem& problem, EnvelopeProgram program)
      : problem_(problem), program_(std::move(program)) {}

  bool advance(EnvelopeSearch& search) override;

 private:
  EnvelopeProblem problem_;
  EnvelopeProgram program_;
};

// Interior points: a step of theirs is one step.
class InteriorPointMethod final : public EnvelopeMethod {
 public:
  InteriorPointMethod(const EnvelopeProblem& problem, EnvelopeProgram program)
      : problem_(problem), program_(std::move(program)) {}

  bool advance(EnvelopeSearch& search) override;

 private:
  EnvelopeProblem problem_;
  EnvelopeProgram program_;
  std::unique_ptr<InteriorPoint> point_ = {};
  int steps_ = 0;
  double least_excess_ = kInfinity;
  int idle_ = 0;
};

// Programs on the hull of the adversary's answers so far: for sets that are not polyhedra, in few
// dimensions [Kelley1960]. A step solves one of them.
class HullMethod final : public EnvelopeMethod {
 public:
  explicit HullMethod(const EnvelopeProblem& problem) : problem_(problem) {}

  bool advance(EnvelopeSearch& search) override;

 private:
  EnvelopeProblem problem_;
  std::vector<Vector> members_ = {};
  double least_excess_ = kInfinity;
  int idle_ = 0;
};

// Programs at lengths of a Euclidean ball's dual vector, until the length is that of the vector:
// for intersections of polyhedra and a ball. The minimum over the occupancies is convex in the
// length, and the sign of |y| - length tells on which side of the best one it is. A step solves one
// of them.
class BallMethod final : public EnvelopeMethod {
 public:
  explicit BallMethod(const EnvelopeProblem& problem) : problem_(problem) {}

  bool advance(EnvelopeSearch& search) override;

 private:
  EnvelopeProblem problem_;
  double length_ = 0.1;  // next
  double low_ = 0;       // the best length is between these
  double high_ = kInfinity;
  int steps_ = 0;
};

}  // namespace rgu
