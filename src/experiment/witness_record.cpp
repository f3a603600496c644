#include "rgu/experiment/witness_record.hpp"

#include <algorithm>

#include "rgu/base/check.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/sum.hpp"

namespace rgu {
namespace {

Vector member_near(const ConvexSet& set, const Vector& point) {
  return relative_excess(set, point) <= kMemberTolerance / 2 ? point : set.project(point);
}

// The mean of the pieces' xi alone: for bilinear utilities.
WitnessPieceRecord mean_piece(const Witness& witness) {
  double total = 0;
  Vector mean = Vector::Zero(witness.pieces.front().at->nature.size());
  for (const WitnessPiece& piece : witness.pieces) {
    mean += piece.weight * piece.at->nature;
    total += piece.weight;
  }
  return {.weight = 1, .nature = mean / total, .occupancy = {}, .direction = {}};
}

WitnessPieceRecord complete_piece(const Utility& utility, const WitnessPiece& piece, double total) {
  WitnessPieceRecord record{.weight = piece.weight / total,
                            .nature = piece.at->nature,
                            .occupancy = {},
                            .direction = piece.at->direction};
  if (record.direction.size() == 0 && piece.at->occupancy.size() > 0) {
    record.direction = least_directions(utility, *piece.at);
  }
  if (is_curved(utility)) record.occupancy = piece.at->occupancy.cwiseMax(0.0);
  return record;
}

WitnessRecord small_witness(const Instance& instance, const Witness& witness) {
  const Utility& utility = *instance.utility;
  WitnessRecord record;
  record.potential = witness.potential;
  if (is_bilinear(utility)) {
    record.pieces.push_back(mean_piece(witness));
  } else {
    double total = 0;
    for (const WitnessPiece& piece : witness.pieces) total += std::max(0.0, piece.weight);
    for (const WitnessPiece& piece : witness.pieces) {
      if (piece.weight > 0) record.pieces.push_back(complete_piece(utility, piece, total));
    }
  }
  for (WitnessPieceRecord& piece : record.pieces) {
    piece.nature = member_near(*instance.ambiguity, piece.nature);
  }
  return record;
}

}  // namespace

Witness witness_of(const WitnessRecord& record) {
  Witness witness{.pieces = {}, .potential = record.potential};
  for (const WitnessPieceRecord& piece : record.pieces) {
    witness.pieces.push_back(
        {.weight = piece.weight,
         .at = std::make_shared<TangentPoint>(TangentPoint{
             .nature = piece.nature, .occupancy = piece.occupancy, .direction = piece.direction})});
  }
  return witness;
}

MixtureRecord mixture_of(const WitnessRecord& record) {
  MixtureRecord mixture;
  mixture.weights.resize(std::ssize(record.pieces));
  for (const WitnessPieceRecord& piece : record.pieces) {
    mixture.weights(std::ssize(mixture.members)) = piece.weight;
    mixture.members.push_back(piece.nature);
  }
  return mixture;
}

Vector mean_of(const MixtureRecord& mixture) {
  check(!mixture.members.empty(), "a mixture of no members has no mean");
  Vector mean = Vector::Zero(mixture.members.front().size());
  for (std::size_t i = 0; i < mixture.members.size(); ++i) {
    mean += mixture.weights(static_cast<Index>(i)) * mixture.members[i];
  }
  return mean / mixture.weights.sum();
}

CertificateRecord certificate_of(const Instance& instance, const GlobalSolution& solution) {
  CertificateRecord certificate{.lower_bound = solution.lower_bound,
                                .best_known = solution.value,
                                .gap_asked = Metrics::kNone,
                                .method = solution.method,
                                .witness = {}};
  if (solution.witness.pieces.empty()) return certificate;
  certificate.witness = small_witness(instance, solution.witness);
  const WitnessBound proven =
      witness_bound(instance.world.mdp, *instance.utility, witness_of(certificate.witness));
  certificate.lower_bound = proven.bound - proven.rounding;
  certificate.witness.shortfall = proven.shortfall;
  return certificate;
}

Vector multipliers_in(const Utility& utility, const Vector& nature) {
  if (const auto* regularized = dynamic_cast<const NatureRegularized*>(&utility)) {
    return multipliers_in(regularized->inner(), nature);
  }
  if (dynamic_cast<const Constrained*>(&utility) != nullptr) return nature;
  Vector all(0);
  const auto* sum = dynamic_cast<const Sum*>(&utility);
  if (sum == nullptr) return all;
  Index begin = 0;
  for (const WeightedUtility& part : sum->parts()) {
    const Index size = part.utility->nature_dimension();
    const Vector own = multipliers_in(*part.utility, nature.segment(begin, size));
    all.conservativeResize(all.size() + own.size());
    all.tail(own.size()) = own;
    begin += size;
  }
  return all;
}

}  // namespace rgu
