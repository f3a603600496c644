#include "rgu/global/witness_bound.hpp"

#include <cmath>

#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/polytope.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/decompositions.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/sum.hpp"
#include "rgu/utility/variance.hpp"

namespace rgu {
namespace {

// A drift whose tangent is chosen by a direction.
const Drift* plain_drift(const Utility& utility) {
  const auto* drift = dynamic_cast<const Drift*>(&utility);
  return drift != nullptr && drift->smoothing() == 0 ? drift : nullptr;
}

bool is_linear_reward(const Utility& utility) {
  if (const auto* variance = dynamic_cast<const Variance*>(&utility)) {
    return variance->aversion() == 0;
  }
  return dynamic_cast<const LinearReward*>(&utility) != nullptr ||
         dynamic_cast<const RewardRobust*>(&utility) != nullptr ||
         dynamic_cast<const FeatureRewardRobust*>(&utility) != nullptr ||
         dynamic_cast<const Constrained*>(&utility) != nullptr;
}

// For every xi and u: lmin(W M W') <= u'W M W'u / |u|^2.
Cut drift_cut(const Drift& drift, const Vector& nature, const Vector& direction) {
  const double square = direction.squaredNorm();
  check(square > 0 && std::isfinite(square),
        "direction of the drift has length {}, must be finite and > 0", std::sqrt(square));
  const auto map = as_matrix(nature, drift.dimension(), drift.feature_dimension());
  const Vector seen = drift.features() * (map.transpose() * direction);
  const Vector slope = -seen.cwiseAbs2() / square;
  return {.slope = as_matrix(slope, drift.states(), drift.actions()), .offset = 0};
}

// The part of a point that belongs to one part of a sum.
struct Pieces {
  const TangentPoint& whole;
  Index nature = 0;
  Index direction = 0;

  TangentPoint next(const Utility& part) {
    const Index turned = whole.direction.size() > 0 ? direction_size(part) : 0;
    TangentPoint point{.nature = whole.nature.segment(nature, part.nature_dimension()),
                       .occupancy = whole.occupancy,
                       .direction = whole.direction.segment(direction, turned)};
    nature += part.nature_dimension();
    direction += turned;
    return point;
  }
};

Index longest_row(const FiniteMdp& mdp) {
  if (!mdp.is_sparse()) return mdp.states();
  Index longest = 0;
  const SparseMatrix& kernel = mdp.sparse_kernel();
  for (Index row = 0; row < kernel.outerSize(); ++row) {
    longest =
        std::max<Index>(longest, kernel.outerIndexPtr()[row + 1] - kernel.outerIndexPtr()[row]);
  }
  return longest;
}

// The members of Lambda sum to 1 up to this. Rows of the kernel that sum to 1 up to rounding are
// taken for distributions, those that sum to 1 - 1e-9, say, are not.
double mass_error(const FiniteMdp& mdp) {
  const auto beyond_rounding = [](double sum, Index terms) {
    return std::max(0.0, std::abs(sum - 1) - kEps * static_cast<double>(terms + 2));
  };
  const Matrix sums = mdp.expected_next(Vector::Ones(mdp.states()));
  const double off = (sums.array() - 1).abs().maxCoeff();
  const double row = beyond_rounding(1 + off, longest_row(mdp));
  const double g = mdp.discount();
  const double left = 1 - g - g * row;
  if (!(left > 0)) return kInfinity;
  return ((1 - g) * beyond_rounding(mdp.start().sum(), mdp.states()) + g * row) / left;
}

void check_piece(const Utility& utility, const WitnessPiece& piece, std::size_t number) {
  const std::string name = fmt::format("piece {} of the witness", number);
  check(piece.at != nullptr, "{} has no point", name);
  check_nonnegative(name + ": weight", piece.weight);
  check_size(name + ": xi", piece.at->nature.size(), utility.nature_dimension());
  check_finite(name + ": xi", piece.at->nature);
  check_finite(name + ": direction", piece.at->direction);
  const Matrix& occupancy = piece.at->occupancy;
  if (occupancy.size() == 0) return;
  check_shape(name + ": occupancy", occupancy, {utility.states(), utility.actions()});
  check_finite(name + ": occupancy", occupancy);
  check(occupancy.minCoeff() >= 0, "{}: occupancy has the entry {}, must be >= 0", name,
        occupancy.minCoeff());
}

}  // namespace

Index direction_size(const Utility& utility) {
  if (const auto* regularized = dynamic_cast<const NatureRegularized*>(&utility)) {
    return direction_size(regularized->inner());
  }
  if (const Drift* drift = plain_drift(utility)) return drift->dimension();
  Index size = 0;
  if (const auto* sum = dynamic_cast<const Sum*>(&utility)) {
    for (const WeightedUtility& part : sum->parts()) size += direction_size(*part.utility);
  }
  return size;
}

Vector least_directions(const Utility& utility, const TangentPoint& at) {
  if (const auto* regularized = dynamic_cast<const NatureRegularized*>(&utility)) {
    return least_directions(regularized->inner(), at);
  }
  if (const Drift* drift = plain_drift(utility)) {
    const auto map = as_matrix(at.nature, drift->dimension(), drift->feature_dimension());
    const Eigen::MatrixXd seen = map * drift->second_moment(at.occupancy) * map.transpose();
    return SymmetricEigen(seen).eigenvectors().col(0);
  }
  Vector all(0);
  const auto* sum = dynamic_cast<const Sum*>(&utility);
  if (sum == nullptr) return all;
  Pieces pieces{.whole = at};
  for (const WeightedUtility& part : sum->parts()) {
    const Vector own = least_directions(*part.utility, pieces.next(*part.utility));
    all.conservativeResize(all.size() + own.size());
    all.tail(own.size()) = own;
  }
  return all;
}

bool is_curved(const Utility& utility) {
  if (const auto* regularized = dynamic_cast<const NatureRegularized*>(&utility)) {
    return is_curved(regularized->inner());
  }
  if (const auto* sum = dynamic_cast<const Sum*>(&utility)) {
    for (const WeightedUtility& part : sum->parts()) {
      if (part.weight > 0 && is_curved(*part.utility)) return true;
    }
    return false;
  }
  return plain_drift(utility) == nullptr && !is_linear_reward(utility);
}

bool is_bilinear(const Utility& utility) {
  return !is_curved(utility) && direction_size(utility) == 0;
}

Cut tangent(const Utility& utility, const TangentPoint& at) {
  check_size("xi", at.nature.size(), utility.nature_dimension());
  check(at.direction.size() == 0 || at.direction.size() == direction_size(utility),
        "direction has {} entries, must have {}", at.direction.size(), direction_size(utility));
  if (const auto* regularized = dynamic_cast<const NatureRegularized*>(&utility)) {
    const auto& [modulus, centre] = regularized->regularization();
    Cut cut = tangent(regularized->inner(), at);
    cut.offset -= 0.5 * modulus * (at.nature - centre).squaredNorm();
    return cut;
  }
  if (const Drift* drift = plain_drift(utility); drift != nullptr && at.direction.size() > 0) {
    return drift_cut(*drift, at.nature, at.direction);
  }
  if (const auto* sum = dynamic_cast<const Sum*>(&utility)) {
    Cut total{.slope = Matrix::Zero(utility.states(), utility.actions()), .offset = 0};
    Pieces pieces{.whole = at};
    for (const auto& [weight, part] : sum->parts()) {
      const TangentPoint own = pieces.next(*part);
      if (weight == 0) continue;
      const Cut cut = tangent(*part, own);
      total.slope += weight * cut.slope;
      total.offset += weight * cut.offset;
    }
    return total;
  }
  const bool empty = at.occupancy.size() == 0;
  const Matrix zero = Matrix::Zero(empty ? utility.states() : 0, empty ? utility.actions() : 0);
  const Matrix& occupancy = empty ? zero : at.occupancy;
  UtilityGradient f = utility.evaluate(occupancy, at.nature);
  const double offset = f.value - f.occupancy.cwiseProduct(occupancy).sum();
  return {.slope = std::move(f.occupancy), .offset = offset};
}

double relative_excess(const ConvexSet& set, const Vector& point) {
  check_size("xi", point.size(), set.dimension());
  if (!point.allFinite()) return kInfinity;
  double excess = 0;
  if (const auto* product = dynamic_cast<const ProductSet*>(&set)) {
    for (std::size_t k = 0; k < product->parts().size(); ++k) {
      excess = std::max(excess, relative_excess(*product->parts()[k], product->block(point, k)));
    }
    return excess;
  }
  if (const auto* intersection = dynamic_cast<const IntersectionSet*>(&set)) {
    for (const auto& part : intersection->parts()) {
      excess = std::max(excess, relative_excess(*part, point));
    }
    return excess;
  }
  const double size = point.norm() + set.diameter();
  if (const auto* polytope = dynamic_cast<const Polytope*>(&set)) {
    const Vector over = polytope->normals() * point - polytope->offsets();
    for (Index i = 0; i < over.size(); ++i) {
      const double length = polytope->normals().row(i).norm();
      if (over(i) > 0) excess = std::max(excess, over(i) / (length * size));
    }
    return excess;
  }
  const double outside = distance(set, point);
  return outside > 0 ? outside / size : 0;
}

// min over Lambda of <c, l> >= (1-g) <rho, V> - e |l|_1 for every V with
// V(s) <= c(s,a) + g (P V)(s,a) + e: multiply the flow equations by V. Rounding: sums of n numbers
// no larger than x are off by at most n eps x (to first order), once in each tangent, once in the
// mean of the tangents, once in P V and once in <rho, V>.
WitnessBound witness_bound(const FiniteMdp& mdp, const Utility& utility, const Witness& witness) {
  check(utility.traits().convex_in_occupancy,
        "the utility is not convex in the occupancy, so its tangents prove no lower bound");
  check(!witness.pieces.empty(), "the witness has no pieces, must have at least one");
  check_size("potential of the witness", witness.potential.size(), mdp.states());
  check_finite("potential of the witness", witness.potential);
  double total = 0;
  for (std::size_t i = 0; i < witness.pieces.size(); ++i) {
    check_piece(utility, witness.pieces[i], i);
    total += witness.pieces[i].weight;
  }
  check(total > 0 && std::isfinite(total), "the weights of the witness sum to {}, must be > 0",
        total);
  Matrix slope = Matrix::Zero(mdp.states(), mdp.actions());
  double offset = 0;
  double slope_size = 0;   // of the terms of the slope
  double offset_size = 0;  // of the terms of the offset
  for (const WitnessPiece& piece : witness.pieces) {
    const double weight = piece.weight / total;
    if (weight == 0) continue;
    const Cut cut = tangent(utility, *piece.at);
    slope += weight * cut.slope;
    offset += weight * cut.offset;
    const Matrix& occupancy = piece.at->occupancy;
    const bool touches = occupancy.size() > 0 && is_curved(utility);
    const double largest = cut.slope.cwiseAbs().maxCoeff();
    slope_size += weight * largest;
    offset_size += weight * (std::abs(cut.offset) + (touches ? largest * occupancy.sum() : 0));
  }
  const Vector& value = witness.potential;
  const double g = mdp.discount();
  const Matrix next = mdp.expected_next(value);
  const double shortfall = (value.replicate(1, mdp.actions()) - slope - g * next).maxCoeff();
  const double start = (1 - g) * mdp.start().dot(value);
  const double largest = value.lpNorm<Eigen::Infinity>();
  const auto pieces = static_cast<double>(witness.pieces.size());
  const auto pairs = static_cast<double>(is_curved(utility) ? slope.size() : 0);
  const double terms = pieces + 64;
  double rounding = kEps * ((terms + pairs) * offset_size + terms * slope_size);
  rounding += kEps * (static_cast<double>(longest_row(mdp)) + 4) * 2 * largest;
  rounding += kEps * static_cast<double>(mdp.states() + 2) * (1 - g) * largest;
  rounding += std::abs(shortfall) * (mass_error(mdp) + kEps);
  WitnessBound result{
      .bound = offset + start - shortfall - rounding, .rounding = rounding, .shortfall = shortfall};
  if (!slope.allFinite() || !next.allFinite() || !std::isfinite(result.bound)) {
    result.bound = -kInfinity;
  }
  return result;
}

}  // namespace rgu
