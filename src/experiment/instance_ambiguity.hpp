// Ambiguity sets from the table [ambiguity].
#pragma once

#include <memory>
#include <string>

#include "rgu/base/convex_set.hpp"
#include "rgu/experiment/config_ambiguity.hpp"
#include "rgu/experiment/instance_utility.hpp"

namespace rgu {

struct MadeSet {
  std::unique_ptr<ConvexSet> set;
  std::string text;    // one line: formula and sizes
  Vector centre = {};  // what it lies around: the centre of the config, else the nominal xi
};

// A set of the dimension of `nature`, around its nominal value unless the config has a centre. The
// parts of a product are the parts of a sum, all or those that have a xi; for other utilities each
// part needs a centre or other lists that give its length. Throws InvalidInput on what does not
// fit.
MadeSet make_set(const AmbiguityConfig& config, const Nature& nature);

}  // namespace rgu
