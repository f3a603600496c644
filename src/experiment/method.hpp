// The configured solver in words, and what theory has to say about it.
#pragma once

#include <string>
#include <vector>

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/instance.hpp"

namespace rgu {

bool is_proximal(const ProblemConfig& config);
// Does the method work on occupancies of a known model instead of policy parameters?
bool is_over_occupancies(const ProblemConfig& config);

// The most outer iterations: stopping.iterations, or else 300. The envelope solver, which ends by
// proof or by time, has no such limit of its own.
Index iteration_limit(const ProblemConfig& config);

// One line: "prox-extragradient, step 0.03, ..., sampled gradients (m = 256, H = 50)".
std::string method_text(const ProblemConfig& config);

// Whole sentences about the problem with this method: what a reader must know (warnings), and what
// theory says (notes).
struct Remarks {
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
};
Remarks remarks(const ProblemConfig& config, const Instance& instance);

}  // namespace rgu
