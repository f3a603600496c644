// The table [ambiguity] of a problem file, as plain data.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "rgu/base/types.hpp"

namespace rgu {

// One number for every coordinate, or one for each.
using NumberOrList = std::variant<double, std::vector<double>>;

struct SingletonConfig {};

struct LpBallConfig {
  double radius = 1;
  double p = 2;
};

struct EllipsoidConfig {
  double radius = 1;
  std::vector<double> weights;
};

// Either a radius around the centre, or both ends.
struct BoxConfig {
  std::optional<double> radius;
  std::optional<NumberOrList> lower;
  std::optional<NumberOrList> upper;
};

struct CappedOrthantConfig {
  double total = 1;
};

struct SimplexConfig {};

struct FrobeniusConfig {
  double radius = 1;
};

struct SpectralConfig {
  double radius = 1;
};

struct PolytopeConfig {
  std::vector<std::vector<double>> normals;
  std::vector<double> offsets;
};

struct AmbiguityConfig;

struct ProductConfig {
  std::vector<AmbiguityConfig> parts;
};

struct IntersectionConfig {
  std::vector<AmbiguityConfig> parts;
};

struct AmbiguityConfig {
  std::variant<SingletonConfig, LpBallConfig, EllipsoidConfig, BoxConfig, CappedOrthantConfig,
               SimplexConfig, FrobeniusConfig, SpectralConfig, PolytopeConfig, ProductConfig,
               IntersectionConfig>
      kind;
  std::vector<double> centre;  // empty: the nominal xi of the utility
};

}  // namespace rgu
