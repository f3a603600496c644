#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "rgu/base/rng.hpp"
#include "rgu/robustness/ascent.hpp"
#include "rgu/robustness/members.hpp"

namespace rgu {

namespace {

// The hint if there is one, the centre, the support point of the gradient there; then by turns
// support points of random directions and random members.
std::vector<Vector> starting_points(const WorstCaseProblem& problem) {
  const ConvexSet& set = problem.ambiguity;
  std::vector<Vector> points;
  if (problem.options.hint) points.push_back(set.project(*problem.options.hint));
  points.push_back(centre_of(set));
  points.push_back(set.support_point(problem.at(points.back()).nature));
  Rng rng(problem.options.seed);
  while (std::ssize(points) < problem.options.starts) {
    const bool corner = points.size() % 2 == 0;
    points.push_back(corner ? set.support_point(normal_vector(set.dimension(), rng))
                            : random_member(set, rng));
  }
  const Index count = std::max<Index>(problem.options.starts, problem.options.hint ? 2 : 1);
  points.resize(static_cast<std::size_t>(count));
  return points;
}

}  // namespace

std::optional<WorstCase> concave_in_nature(const WorstCaseProblem& problem) {
  const NatureShape shape = problem.utility.traits().nature;
  if (shape != NatureShape::kConcave && shape != NatureShape::kStronglyConcave) return std::nullopt;
  Vector start = problem.options.hint ? problem.ambiguity.project(*problem.options.hint)
                                      : centre_of(problem.ambiguity);
  Ascent ascent = certified_ascent(problem, std::move(start));
  return WorstCase{.value = ascent.value,
                   .nature = std::move(ascent.nature),
                   .kind = AnswerKind::kCertified,
                   .gap = std::max(0.0, ascent.bound - ascent.value),
                   .method = "concave in xi: projected ascent, bounded by the Frank-Wolfe gap"};
}

std::optional<WorstCase> best_of_many_starts(const WorstCaseProblem& problem) {
  std::optional<Ascent> best;
  const std::vector<Vector> starts = starting_points(problem);
  for (const Vector& start : starts) {
    Ascent ascent = projected_ascent(problem, start, problem.options.iterations);
    if (!best || ascent.value > best->value) best = std::move(ascent);
  }
  return WorstCase{.value = best->value,
                   .nature = std::move(best->nature),
                   .kind = AnswerKind::kBestFound,
                   .gap = std::numeric_limits<double>::infinity(),
                   .method = fmt::format("projected ascent from {} starts", starts.size())};
}

}  // namespace rgu
