// The robust envelope written out as a convex program over occupancies.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "rgu/global/convex_program.hpp"
#include "rgu/global/envelope_model.hpp"

namespace rgu {

// A mixture of members of the ambiguity set.
struct AdversaryMixture {
  std::vector<double> weights;  // > 0, sum 1
  std::vector<Vector> members;
};

struct ProgramOptions {
  Index most_rows = 4000;  // the normal equations are dense: 128 MB
  // Members of the ambiguity set. Parts that are linear in a few xi on a set that is no polyhedron,
  // and drifts of one row, are taken on the hull of these, so that the program bounds Gamma from
  // below.
  std::vector<Vector> members = {};
  // > 0: one Euclidean ball may be among the parts of sets, or be the set of a target that is part
  // of a sum. The dual of its maximum is r |y|, or has this term with y = lambda - centre, which
  // is the least of (r/2) (|y|^2 / length + length) over lengths: the program has the first term at
  // this length, and is that of the ball where length = |y|. 0: no balls.
  double ball_length = 0;
  // Constraints must hold, whatever their multipliers: these are then unbounded.
  bool hard_limits = false;
};

// min over Lambda of max over xi of f_xi(lambda) as one program in lambda and a few variables more,
// by duality of the inner maximum:
//   linear in lambda and xi   LinearReward, RewardRobust, FeatureRewardRobust, Constrained, on
//   boxes,
//                             l_1 and l_inf balls, simplices, capped orthants, polytopes, products
//                             and intersections of these
//   Entropy                   a smooth term for each mass
//   KlTarget                  on boxes (the worst target is the lower end) and on sets with few
//                             vertices, where the adversary mixes vertices
//   QuadraticTarget           likewise; on a box the adversary mixes the two ends of each interval
//   Sum                       of those
// States that no policy visits are left out.
class EnvelopeProgram {
 public:
  // Empty where some part has no such form, or the program would have too many rows.
  static std::optional<EnvelopeProgram> of(const EnvelopeProblem& problem,
                                           const ProgramOptions& options = {});

  const ConvexProgram& program() const { return program_; }
  // |y| of ProgramOptions::ball_length.
  double ball_length(const Vector& x) const;
  bool is_linear() const { return program_.smooth.empty(); }

  // The values of the variables at a member of Lambda, those beyond lambda being a guess.
  Vector start(const Matrix& occupancy) const;
  Matrix occupancy(const Vector& x) const;  // (S, A), cut at 0
  // The adversary's side of a solution: the best of these. Members belong to the set whatever the
  // multipliers are.
  std::vector<AdversaryMixture> adversary(const ProgramPoint& point) const;

 private:
  class Builder;

  // How the multipliers give one stretch of xi: as a distribution.
  struct Fixed {
    Vector value;
  };
  struct FromRows {  // linear in xi: multipliers / scale, in the set or else >= 0
    Index row = 0;
    double scale = 1;
    const ConvexSet* set = nullptr;
    Index size = 0;
  };
  struct FromVertices {  // weights of vertices
    Index row = 0;
    double scale = 1;
    Matrix vertices;
  };
  struct FromEnds {  // multiplier / scale in [-1, 1]; 1: the lower end
    Index row = 0;
    double scale = 1;
    double lower = 0;
    double upper = 0;
  };
  struct FromCorners {  // centre - eta, eta = multipliers / scale a mixture of corners of an l_1
                        // ball
    Index row = 0;
    double scale = 1;
    Vector centre;
    double radius = 0;
  };
  struct FromCeilings {  // centre - radius times the shares of the ceilings
    Vector centre;
    double radius = 0;
  };
  // QuadraticTarget alone on a Euclidean ball: Gamma = (|lambda - centre| + radius)^2 / 2, least
  // where |lambda - centre| is. The farthest point of the ball, and at the kink, lambda = centre,
  // that and its opposite in equal shares.
  struct FromDistance {
    Vector centre;
    double radius = 0;
    double length = 0;  // > 0: r |y| at this length (ProgramOptions)
  };
  struct Stretch {
    Index begin = 0;
    std::variant<Fixed, FromRows, FromVertices, FromEnds, FromCorners, FromCeilings, FromDistance>
        how;
  };
  AdversaryMixture mixture(const ProgramPoint& point, bool at_kink) const;
  AdversaryMixture distribution(const Stretch& stretch, const ProgramPoint& point,
                                bool at_kink) const;

  Index states_ = 0;  // of the model
  Index actions_ = 0;
  Index nature_ = 0;
  std::vector<Index> reached_;  // states
  Index masses_ = -1;           // the first variable of the state masses; -1: none
  Index ball_ = 0;              // the first variable y of a Euclidean ball
  Index ball_size_ = 0;         // how many there are; 0: no ball
  Vector ball_centre_ = {};     // what is taken off them
  double ball_rest_ = 0;        // the length of what is not among the variables
  ConvexProgram program_;
  std::vector<Stretch> stretches_;
};

}  // namespace rgu
