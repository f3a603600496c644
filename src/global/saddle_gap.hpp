// How far a pair of an occupancy and a xi is from a saddle point, proven.
#pragma once

#include "rgu/base/answer_kind.hpp"
#include "rgu/base/convex_set.hpp"
#include "rgu/mdp/finite_mdp.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

// The saddle gap of (lambda, xi): max over Xi of f_xi'(lambda) - min over Lambda of f_xi(lambda')
// [RGU, App. pgda-tabular]. Never negative, and zero exactly at saddle points.
struct SaddleGap {
  double value = 0;     // upper - lower: the gap is at most this
  double attained = 0;  // and at least this: the two ends that members attain
  double upper = 0;     // no xi' has a larger f_xi'(lambda); infinite where `kind` is best found
  double lower = 0;     // no lambda' has a smaller f_xi(lambda')
  AnswerKind kind = AnswerKind::kBestFound;  // of the worst case at lambda
};

// upper is the worst case of lambda and its gap (worst_case.hpp). lower is that of the envelope
// solver at this xi alone, to `tolerance` relative to the minimum (envelope.hpp): one plan where f
// is linear in the occupancy.
//
// Throws InvalidInput unless utility, set and model fit together, lambda (S, A) keeps the flow
// equations within 1e-8, xi is within 1e-8 diameters of the set (and its rounding), the tolerance
// is > 0, and the utility is convex in the occupancy.
SaddleGap saddle_gap(const FiniteMdp& mdp, const Utility& utility, const ConvexSet& ambiguity,
                     const Matrix& occupancy, const Vector& nature, double tolerance = 1e-6);

}  // namespace rgu
