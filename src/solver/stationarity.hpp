// How far a point is from a first-order saddle point, from the gradients there.
#pragma once

#include "rgu/saddle/saddle_problem.hpp"

namespace rgu {

struct MappingNorms {
  double policy = 0;
  double nature = 0;

  double squared() const { return policy * policy + nature * nature; }  // R_GM
};

// |G_Theta| and |G_Xi|, G = (1/alpha) (z - proj(z -+ alpha grad)), at z with gradient g.
MappingNorms gradient_mappings(const SaddleProblem& problem, const SaddlePoint& z,
                               const SaddleGradient& g, double alpha);

// The subproblem of one outer iteration of the prox-extragradient method.
struct Proximal {
  const SaddlePoint& anchor;  // z_k
  double weight = 0;          // sigma
};

// The gradients of f + (sigma/2) |theta - theta_k|^2 - (sigma/2) |xi - xi_k|^2 at z, from those of
// f: with sigma = 0 those of f.
SaddleGradient proximal_gradient(const SaddlePoint& z, SaddleGradient g, const Proximal& proximal);

// Gap(z) = max over z' of <F(z), z - z'>, F = (grad_theta, -grad_xi), by support points.
double vi_gap(const SaddleProblem& problem, const SaddlePoint& z, const SaddleGradient& g);

}  // namespace rgu
