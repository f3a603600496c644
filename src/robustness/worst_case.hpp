// The worst utility that nature can choose against a given policy.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "rgu/base/answer_kind.hpp"
#include "rgu/base/convex_set.hpp"
#include "rgu/utility/utility.hpp"

namespace rgu {

struct WorstCaseOptions {
  double tolerance = 1e-10;  // > 0. Certified ascent: the Frank-Wolfe gap to reach, relative to
                             // max(|value|, |gradient in xi| times the diameter)
  Index iterations = 20000;  // >= 1: the most steps of certified ascent, and of each start
  Index starts = 16;         // >= 1: of multi-start
  std::uint64_t seed = 0;    // of the random starts
  // A member to start from as well, such as the last worst xi. Exact rules have no use for it.
  std::optional<Vector> hint = std::nullopt;
};

struct WorstCase {
  double value = 0;  // f at `nature`
  Vector nature;     // a member of the ambiguity set
  AnswerKind kind = AnswerKind::kBestFound;
  // No member has more than value + gap: 0 if exact, infinite if best found.
  double gap = std::numeric_limits<double>::infinity();
  std::string method;  // one line in words
};

// Gamma(lambda) = max over xi in the ambiguity set of f_xi(lambda), at lambda (S, A). The first of
// these that fits the utility and the set:
//   exact       no xi, or a set of one point; linear in xi (support point); linear less
//               (mu/2)|xi - centre|^2 (projection); Drift on a Frobenius, spectral or Euclidean
//               ball (drift_search.hpp); QuadraticTarget on Euclidean balls; QuadraticTarget and
//               KlTarget on boxes; both, and a Variance that is convex in xi, on sets with few
//               vertices; Variance on Euclidean balls and ellipsoids (trust_region.hpp)
//   part by part  a Sum over a product of as many sets, or with one part that has a xi; as good as
//               its weakest part
//   certified   smoothed Drift on those balls, within (log d)/b; every f that is concave in xi
//               (ascent until the Frank-Wolfe gap is small, or as far as `iterations` go)
//   best found  all else: ascent from several starts
// Throws InvalidInput unless the dimension of the set is that of xi; lambda has shape (S, A), is
// finite and nowhere below -1e-9; the options are in their ranges and the hint has the dimension of
// xi; and wherever the utility itself does (KlTarget on targets <= -delta).
WorstCase worst_case(const Utility& utility, const ConvexSet& ambiguity, const Matrix& occupancy,
                     const WorstCaseOptions& options = {});

// What is known of the worst case before any policy is, in whole sentences; empty if nothing is to
// be said. Drift, also inside a Sum, on a ball whose radius reaches the smallest singular value of
// its centre: the problem is degenerate. Throws InvalidInput unless the dimensions agree.
std::vector<std::string> ambiguity_warnings(const Utility& utility, const ConvexSet& ambiguity);

}  // namespace rgu
