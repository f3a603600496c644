#include "rgu/solver/stationarity.hpp"

namespace rgu {
namespace {

double mapping_norm(const ConvexSet& set, const Vector& point, const Vector& descent,
                    double alpha) {
  return (point - set.project(point - alpha * descent)).norm() / alpha;
}

}  // namespace

MappingNorms gradient_mappings(const SaddleProblem& problem, const SaddlePoint& z,
                               const SaddleGradient& g, double alpha) {
  return {.policy = mapping_norm(problem.policies, z.policy, g.policy, alpha),
          .nature = mapping_norm(problem.ambiguity, z.nature, -g.nature, alpha)};
}

SaddleGradient proximal_gradient(const SaddlePoint& z, SaddleGradient g, const Proximal& proximal) {
  g.policy += proximal.weight * (z.policy - proximal.anchor.policy);
  g.nature -= proximal.weight * (z.nature - proximal.anchor.nature);
  return g;
}

double vi_gap(const SaddleProblem& problem, const SaddlePoint& z, const SaddleGradient& g) {
  const Vector policy = problem.policies.support_point(-g.policy);
  const Vector nature = problem.ambiguity.support_point(g.nature);
  return g.policy.dot(z.policy - policy) + g.nature.dot(nature - z.nature);
}

}  // namespace rgu
