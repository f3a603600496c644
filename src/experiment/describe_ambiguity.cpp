#include <fmt/format.h>

#include "rgu/experiment/describe_kinds.hpp"

namespace rgu {
namespace {

constexpr std::array<Kind, 11> kSets = {{
    {"singleton", "no ambiguity: the centre alone"},
    {"lp-ball", "|xi - centre|_p <= radius"},
    {"ellipsoid", "sum_i weights_i (xi_i - centre_i)^2 <= radius^2"},
    {"box", "every coordinate in an interval"},
    {"capped-orthant", "xi >= 0 with sum at most `total`"},
    {"simplex", "xi >= 0 with sum 1"},
    {"frobenius", "matrices, |xi - centre|_F <= radius"},
    {"spectral", "matrices, largest singular value of xi - centre <= radius"},
    {"polytope", "normals xi <= offsets"},
    {"product", "one set for each piece of xi"},
    {"intersection", "the common points of sets"},
}};

void describe_radius(FieldVisitor& visit, double& radius) {
  visit.value({"radius", "size of the set", kNonnegative, Presence::kRequired}, &radius);
}

void describe_one(FieldVisitor&, SingletonConfig&) {}

void describe_one(FieldVisitor& visit, LpBallConfig& config) {
  describe_radius(visit, config.radius);
  visit.value({"p", "the norm: a number or \"inf\"", between(1, Range::kInfinity)}, &config.p);
}

void describe_one(FieldVisitor& visit, EllipsoidConfig& config) {
  describe_radius(visit, config.radius);
  visit.value({"weights", "one for each coordinate", kPositive, Presence::kRequired},
              &config.weights);
}

void describe_one(FieldVisitor& visit, BoxConfig& config) {
  visit.value({"radius", "half the width of every interval, around the centre", kNonnegative},
              &config.radius);
  visit.value({"lower", "lower ends: a number or one for each coordinate", kFinite}, &config.lower);
  visit.value({"upper", "upper ends: a number or one for each coordinate", kFinite}, &config.upper);
  const bool ends = config.lower && config.upper;
  visit.rule(config.radius ? !config.lower && !config.upper : ends, "set",
             "a box needs either 'radius' or both 'lower' and 'upper'");
}

void describe_one(FieldVisitor& visit, CappedOrthantConfig& config) {
  visit.value({"total", "largest sum", kNonnegative, Presence::kRequired}, &config.total);
}

void describe_one(FieldVisitor&, SimplexConfig&) {}

void describe_one(FieldVisitor& visit, FrobeniusConfig& config) {
  describe_radius(visit, config.radius);
}

void describe_one(FieldVisitor& visit, SpectralConfig& config) {
  describe_radius(visit, config.radius);
}

void describe_one(FieldVisitor& visit, PolytopeConfig& config) {
  visit.value({"normals", "one row for each inequality", kFinite, Presence::kRequired},
              &config.normals);
  visit.value({"offsets", "one for each inequality", kFinite, Presence::kRequired},
              &config.offsets);
  visit.rule(config.normals.size() == config.offsets.size(), "offsets",
             fmt::format("offsets has {} entries, must have {}, one for each row of normals",
                         config.offsets.size(), config.normals.size()));
}

void describe_parts(FieldVisitor& visit, std::vector<AmbiguityConfig>& parts) {
  describe_list(visit,
                {.name = "parts",
                 .help = "list of sets, each with the keys of [ambiguity]",
                 .presence = Presence::kRequired},
                parts, [](auto& inner, auto& one) { describe(inner, one); });
}

void describe_one(FieldVisitor& visit, ProductConfig& config) {
  describe_parts(visit, config.parts);
}

void describe_one(FieldVisitor& visit, IntersectionConfig& config) {
  describe_parts(visit, config.parts);
}

}  // namespace

void describe(FieldVisitor& visit, AmbiguityConfig& config) {
  describe_kinds(visit, {"set", "what nature may choose from"}, config.kind, kSets,
                 [](auto& inner, auto& one) { describe_one(inner, one); });
  visit.value({"centre", "in place of the nominal xi of the utility", kFinite}, &config.centre);
}

}  // namespace rgu
