#include "rgu/mdp/flow_product.hpp"

#include "rgu/base/check.hpp"

namespace rgu {
namespace {

// (A'v)(s,a) = v(s) - g sum_{s'} P(s'|s,a) v(s'): the row of a pair is read twice, at once.
void add_sparse(const SparseMatrix& kernel, double g, const Matrix& scale, const Vector& v,
                Vector& result) {
  const std::int32_t* begin = kernel.outerIndexPtr();
  const std::int32_t* next = kernel.innerIndexPtr();
  const double* probability = kernel.valuePtr();
  const double* from = v.data();
  double* to = result.data();
  const double* factor = scale.data();
  Index pair = 0;
  for (Index s = 0; s < scale.rows(); ++s) {
    double own = 0;
    for (Index a = 0; a < scale.cols(); ++a, ++pair) {
      double mean = 0;
      for (std::int32_t e = begin[pair]; e < begin[pair + 1]; ++e) {
        mean += probability[e] * from[next[e]];
      }
      const double mass = factor[pair] * (from[s] - g * mean);
      own += mass;
      const double spread = g * mass;
      for (std::int32_t e = begin[pair]; e < begin[pair + 1]; ++e) {
        to[next[e]] -= spread * probability[e];
      }
    }
    to[s] += own;
  }
}

}  // namespace

Vector flow_normal_product(const FiniteMdp& mdp, const Matrix& scale, const Vector& v) {
  check_shape("scale", scale, {mdp.states(), mdp.actions()});
  check_size("values", v.size(), mdp.states());
  Vector result = Vector::Zero(mdp.states());
  if (mdp.is_sparse()) {
    add_sparse(mdp.sparse_kernel(), mdp.discount(), scale, v, result);
    return result;
  }
  Matrix mass = -mdp.discount() * mdp.expected_next(v);
  mass.colwise() += v;
  mass.array() *= scale.array();
  result = mass.rowwise().sum() - mdp.discount() * mdp.push_forward(mass);
  return result;
}

}  // namespace rgu
