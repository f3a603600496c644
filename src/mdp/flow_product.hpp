// Products with the flow equations of a model: A lambda = (1-g) start, where
// (A lambda)(s') = sum_a lambda(s',a) - g sum_{s,a} P(s'|s,a) lambda(s,a).
#pragma once

#include "rgu/mdp/finite_mdp.hpp"

namespace rgu {

// A diag(scale) A'v, (S): the normal equations, in one pass over the kernel. scale: (S, A); v: (S).
// Throws InvalidInput on other shapes.
Vector flow_normal_product(const FiniteMdp& mdp, const Matrix& scale, const Vector& v);

}  // namespace rgu
