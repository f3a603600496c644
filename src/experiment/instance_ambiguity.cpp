#include "rgu/experiment/instance_ambiguity.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/ellipsoid.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/polytope.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/base/check.hpp"
#include "rgu/experiment/in_table.hpp"

namespace rgu {
namespace {

// The same number everywhere, or the list, which must have one entry for each coordinate.
Vector expanded(std::string_view name, const NumberOrList& value, Index size) {
  if (const double* number = std::get_if<double>(&value)) return Vector::Constant(size, *number);
  Vector list = to_vector(std::get<std::vector<double>>(value));
  check_size(name, list.size(), size);
  return list;
}

MadeSet made(const SingletonConfig&, const Nature& nature) {
  const std::string text = nature.nominal.size() == 0 ? "none: the utility has no xi"
                                                      : fmt::format("none: xi is fixed in R^{}",
                                                                    nature.rows * nature.columns);
  return {std::make_unique<Singleton>(nature.nominal), text};
}

MadeSet made(const LpBallConfig& config, const Nature& nature) {
  return {std::make_unique<LpBall>(
              LpBallShape{.centre = nature.nominal, .radius = config.radius, .p = config.p}),
          fmt::format("l_{} ball |xi - centre|_{} <= {} in R^{}", config.p, config.p, config.radius,
                      nature.nominal.size())};
}

MadeSet made(const EllipsoidConfig& config, const Nature& nature) {
  check_size("weights", std::ssize(config.weights), nature.nominal.size());
  return {
      std::make_unique<Ellipsoid>(WeightedBall{
          .centre = nature.nominal, .weights = to_vector(config.weights), .radius = config.radius}),
      fmt::format("ellipsoid sum_i w_i (xi_i - centre_i)^2 <= {}^2 in R^{}", config.radius,
                  nature.nominal.size())};
}

MadeSet made(const BoxConfig& config, const Nature& nature) {
  const Index size = nature.nominal.size();
  if (config.radius) {
    const Vector radius = Vector::Constant(size, *config.radius);
    return {std::make_unique<Box>(
                Bounds{.lower = nature.nominal - radius, .upper = nature.nominal + radius}),
            fmt::format("box |xi_i - centre_i| <= {} in R^{}", *config.radius, size)};
  }
  const Bounds bounds{.lower = expanded("lower", config.lower.value(), size),
                      .upper = expanded("upper", config.upper.value(), size)};
  return {std::make_unique<Box>(bounds),
          fmt::format("box of intervals within [{}, {}] in R^{}", bounds.lower.minCoeff(),
                      bounds.upper.maxCoeff(), size)};
}

MadeSet made(const CappedOrthantConfig& config, const Nature& nature) {
  const Index size = nature.nominal.size();
  return {std::make_unique<CappedOrthant>(size, config.total),
          fmt::format("xi >= 0 with sum <= {} in R^{}", config.total, size)};
}

MadeSet made(const SimplexConfig&, const Nature& nature) {
  const Index size = nature.nominal.size();
  return {std::make_unique<ProbabilitySimplex>(size),
          fmt::format("xi >= 0 with sum 1 in R^{}", size)};
}

MadeSet made(const FrobeniusConfig& config, const Nature& nature) {
  return {std::make_unique<FrobeniusBall>(as_matrix(nature.nominal, nature.rows, nature.columns),
                                          config.radius),
          fmt::format("Frobenius ball |xi - centre|_F <= {}, {} x {}", config.radius, nature.rows,
                      nature.columns)};
}

MadeSet made(const SpectralConfig& config, const Nature& nature) {
  return {std::make_unique<SpectralBall>(as_matrix(nature.nominal, nature.rows, nature.columns),
                                         config.radius),
          fmt::format("spectral ball |xi - centre|_2 <= {}, {} x {}", config.radius, nature.rows,
                      nature.columns)};
}

MadeSet made(const PolytopeConfig& config, const Nature& nature) {
  const Index rows = std::ssize(config.normals);
  const Index columns = std::ssize(config.normals.front());
  check(columns == nature.nominal.size(),
        "normals have {} columns, must have {}, the length of the utility's xi", columns,
        nature.nominal.size());
  Matrix normals(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    normals.row(i) = to_vector(config.normals[static_cast<std::size_t>(i)]);
  }
  return {std::make_unique<Polytope>(std::move(normals), to_vector(config.offsets)),
          fmt::format("polytope of {} inequalities in R^{}", rows, columns)};
}

// The length that a part of a product states itself; 0: none.
Index stated_length(const AmbiguityConfig& part) {
  if (!part.centre.empty()) return std::ssize(part.centre);
  if (const auto* set = std::get_if<EllipsoidConfig>(&part.kind)) return std::ssize(set->weights);
  if (const auto* set = std::get_if<PolytopeConfig>(&part.kind)) {
    return std::ssize(set->normals.front());
  }
  if (const auto* set = std::get_if<BoxConfig>(&part.kind); set != nullptr && set->lower) {
    if (const auto* list = std::get_if<std::vector<double>>(&*set->lower)) return std::ssize(*list);
  }
  return 0;
}

std::vector<Nature> parts_by_stated_length(const std::vector<AmbiguityConfig>& parts,
                                           const Vector& nominal) {
  std::vector<Nature> pieces;
  Index begin = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Index length = stated_length(parts[i]);
    check(length > 0, "parts[{}]: needs a 'centre', because the utility is no sum of {} parts", i,
          parts.size());
    check(length <= nominal.size() - begin,
          "parts up to parts[{}] have {} coordinates, must have {} in all, the length of the "
          "utility's xi",
          i, begin + length, nominal.size());
    pieces.push_back({.nominal = nominal.segment(begin, length), .rows = length, .parts = {}});
    begin += length;
  }
  check(begin == nominal.size(),
        "parts have {} coordinates, must have {}, the length of the utility's xi", begin,
        nominal.size());
  return pieces;
}

// What each part of a product stands for. A centre of the whole product is cut up likewise.
std::vector<Nature> pieces_of(const std::vector<AmbiguityConfig>& parts, const Nature& nature) {
  std::vector<Nature> pieces = nature.parts;
  if (pieces.size() != parts.size()) {
    std::erase_if(pieces, [](const Nature& piece) { return piece.nominal.size() == 0; });
  }
  if (pieces.empty() || pieces.size() != parts.size()) {
    return parts_by_stated_length(parts, nature.nominal);
  }
  Index begin = 0;
  for (Nature& piece : pieces) {
    piece.nominal = nature.nominal.segment(begin, piece.nominal.size());
    begin += piece.nominal.size();
  }
  return pieces;
}

struct MadeParts {
  SetParts sets;
  std::vector<std::string> texts;
  Vector centre;  // one after the other
};

MadeParts made_parts(const std::vector<AmbiguityConfig>& parts,
                     const std::vector<Nature>& natures) {
  MadeParts result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    MadeSet part =
        in_table(fmt::format("parts[{}]", i), [&] { return make_set(parts[i], natures[i]); });
    result.sets.push_back(std::move(part.set));
    const Index size = result.centre.size();
    result.centre.conservativeResize(size + part.centre.size());
    result.centre.tail(part.centre.size()) = part.centre;
    result.texts.push_back(std::move(part.text));
  }
  return result;
}

MadeSet made(const ProductConfig& config, const Nature& nature) {
  MadeParts parts = made_parts(config.parts, pieces_of(config.parts, nature));
  return {std::make_unique<ProductSet>(std::move(parts.sets)),
          fmt::format("product of ({})", fmt::join(parts.texts, ") x (")), std::move(parts.centre)};
}

MadeSet made(const IntersectionConfig& config, const Nature& nature) {
  MadeParts parts = made_parts(config.parts, std::vector<Nature>(config.parts.size(), nature));
  return {std::make_unique<IntersectionSet>(std::move(parts.sets)),
          fmt::format("intersection of ({})", fmt::join(parts.texts, ") and ("))};
}

// Sets whose place does not depend on a centre.
bool has_no_centre(const AmbiguityConfig& config) {
  const auto* box = std::get_if<BoxConfig>(&config.kind);
  return std::holds_alternative<CappedOrthantConfig>(config.kind) ||
         std::holds_alternative<SimplexConfig>(config.kind) ||
         std::holds_alternative<PolytopeConfig>(config.kind) || (box != nullptr && !box->radius);
}

}  // namespace

MadeSet make_set(const AmbiguityConfig& config, const Nature& nature) {
  const bool single = std::holds_alternative<SingletonConfig>(config.kind);
  check(single || nature.nominal.size() > 0,
        "the utility has no xi, so the set must be \"singleton\"");
  Nature around = nature;
  if (!config.centre.empty()) {
    check(!has_no_centre(config), "centre means nothing for this set; remove it");
    check(std::ssize(config.centre) == nature.nominal.size(),
          "centre has {} entries, must have {}, the length of the utility's xi",
          config.centre.size(), nature.nominal.size());
    around.nominal = to_vector(config.centre);
  }
  MadeSet result = std::visit([&](const auto& kind) { return made(kind, around); }, config.kind);
  if (result.centre.size() == 0) result.centre = around.nominal;
  return result;
}

}  // namespace rgu
