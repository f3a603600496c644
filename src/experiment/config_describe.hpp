// Every key of a problem file: its table, kind, range and help. To add a utility, a set or a
// generator: its struct in the variant of the config header, a describe function for it and a line
// in the table of kinds, in the order of the variant.
#pragma once

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/fields.hpp"

namespace rgu {

void describe(FieldVisitor& visit, ProblemConfig& config);

}  // namespace rgu
