#include "rgu/global/envelope_search.hpp"

#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/mdp/occupancy.hpp"

namespace rgu {
namespace {

constexpr Index kLargeModel = 2000;  // pairs; above, plans are as accurate as they need be
constexpr double kPlanned = 0.02;    // share of the wanted gap

}  // namespace

EnvelopeSearch::EnvelopeSearch(const EnvelopeModel& model, const GapTolerance& tolerance)
    : model_(model), tolerance_(tolerance) {
  check_tolerance(tolerance);
  best_.value = kInfinity;
  best_.lower_bound = -kInfinity;
}

double EnvelopeSearch::wanted_gap() const { return tolerance_.at(best_.value, best_.cost_scale); }

double EnvelopeSearch::excess() const {
  return std::isfinite(best_.gap()) ? best_.gap() / wanted_gap() : kInfinity;
}

void EnvelopeSearch::count_costs(const Matrix& slope) {
  const double largest = model_.largest(slope.size() > 0 ? slope.cwiseAbs().maxCoeff() : 0.0);
  if (std::isfinite(largest)) best_.cost_scale = std::max(best_.cost_scale, largest);
}

void EnvelopeSearch::offer(const EnvelopePoint& point, const Matrix& policy) {
  if (best_.cost_scale == 0) count_costs(point.cut.slope);
  if (!(point.value < best_.value)) return;
  point_ = point;
  best_.value = point.value;
  best_.kind = point.kind;
  best_.occupancy = point.occupancy;
  best_.nature = point.nature;
  best_.policy = policy;
  judge();
}

EnvelopePoint EnvelopeSearch::offer_policy(const Matrix& policy) {
  EnvelopePoint point = model_.at(model_.evaluated(policy)->occupancy(), best_.nature);
  offer(point, policy);
  return point;
}

EnvelopePoint EnvelopeSearch::offer_policy_of(const Matrix& occupancy) {
  return offer_policy(policy_from_occupancy(occupancy.cwiseMax(0.0)));
}

void EnvelopeSearch::offer_member(const EnvelopePoint& member) {
  if (member.value < best_.value) offer_policy_of(member.occupancy);
}

void EnvelopeSearch::raise_bound(double bound, Witness witness) {
  if (!(bound > best_.lower_bound)) return;
  best_.lower_bound = bound;
  best_.witness = std::move(witness);
  judge();
}

std::vector<Index> EnvelopeSearch::plan_against(const Cut& minorant, PlanHint hint) {
  if (hint.guess.size() == 0) hint.guess = std::move(planned_values_);
  const double wanted = wanted_gap();
  if (hint.accuracy == 0 && std::isfinite(wanted) &&
      model_.states() * model_.actions() > kLargeModel) {
    hint.accuracy = kPlanned * wanted;
  }
  PlannedBound planned = model_.planned(minorant, hint);
  planned_values_ = std::move(planned.value);
  raise_bound(planned.bound, {.pieces = minorant.pieces,
                              .potential = minorant.pieces.empty() ? Vector() : planned_values_});
  return std::move(planned.action);
}

void EnvelopeSearch::count_step(std::string_view method) {
  ++best_.iterations;
  if (best_.method.ends_with(method)) return;
  if (!best_.method.empty()) best_.method += ", then ";
  best_.method += method;
}

void EnvelopeSearch::judge() {
  if (best_.kind == AnswerKind::kBestFound) return;  // then the value is no upper bound
  if (std::isfinite(best_.gap()) && best_.gap() <= wanted_gap())
    best_.status = GlobalStatus::kCertified;
}

bool Patience::is_over(double gap) {
  if (!(gap > kProgress * mark_)) {
    mark_ = gap;
    steps_ = 0;
    return false;
  }
  return ++steps_ >= allowed_;
}

}  // namespace rgu
