#include "rgu/global/columns_and_cuts.hpp"

#include <algorithm>

#include "rgu/ambiguity/linear_program.hpp"
#include "rgu/mdp/planning.hpp"

namespace rgu {
namespace {

constexpr double kTrialStep = 0.5;  // from the best policy to the mixture of the game

// The positions of the `kept` largest weights, in order, always with the last one.
std::vector<std::size_t> heaviest(const Vector& weights, std::size_t kept) {
  std::vector<std::size_t> order(static_cast<std::size_t>(weights.size()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end() - 1, [&](std::size_t a, std::size_t b) {
    return weights(static_cast<Index>(a)) > weights(static_cast<Index>(b));
  });
  std::swap(order[kept - 1], order.back());
  order.resize(kept);
  std::sort(order.begin(), order.end());
  return order;
}

template <class T>
void keep_only(const std::vector<std::size_t>& positions, std::vector<T>& list) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] != i) list[i] = std::move(list[positions[i]]);
  }
  list.resize(positions.size());
}

}  // namespace

void ColumnsAndCuts::add_column(const EnvelopeModel& model, Matrix occupancy) {
  columns_.push_back(std::move(occupancy));
  for (std::size_t k = 0; k < cuts_.size(); ++k) {
    values_[k].conservativeResize(static_cast<Index>(columns_.size()));
    values_[k](values_[k].size() - 1) = model.value(cuts_[k], columns_.back());
  }
}

void ColumnsAndCuts::add_cut(const EnvelopeModel& model, Cut cut) {
  cuts_.push_back(std::move(cut));
  Vector values(static_cast<Index>(columns_.size()));
  for (Index i = 0; i < values.size(); ++i) {
    values(i) = model.value(cuts_.back(), columns_[static_cast<std::size_t>(i)]);
  }
  values_.push_back(std::move(values));
}

// min over w in the simplex of the largest <values_k, w>: variables (w, t).
ColumnsAndCuts::Mixture ColumnsAndCuts::game() const {
  const auto columns = static_cast<Index>(columns_.size());
  const auto cuts = static_cast<Index>(cuts_.size());
  LinearConstraints constraints{
      .rows = Matrix::Zero(cuts + 2, columns + 1),
      .offsets = Vector::Zero(cuts + 2),
      .columns = {.lower = Vector::Zero(columns + 1), .upper = Vector::Ones(columns + 1)}};
  constraints.columns.lower(columns) = -kInfinity;
  constraints.columns.upper(columns) = kInfinity;
  double largest = 0;
  for (const Vector& values : values_) largest = std::max(largest, values.cwiseAbs().maxCoeff());
  const double unit = unit_of(largest);
  for (Index k = 0; k < cuts; ++k) {
    constraints.rows.row(k).head(columns) = values_[static_cast<std::size_t>(k)] / unit;
    constraints.rows(k, columns) = -1;
  }
  constraints.rows.row(cuts).head(columns).setOnes();
  constraints.rows.row(cuts + 1).head(columns).setConstant(-1);
  constraints.offsets(cuts) = 1;
  constraints.offsets(cuts + 1) = -1;
  const LinearProgramSolution solution =
      LinearProgram(constraints).maximise(-Vector::Unit(columns + 1, columns));
  Vector weights = solution.point.head(columns).cwiseMax(0.0);
  weights /= weights.sum();
  return {.columns = std::move(weights), .cuts = solution.multipliers.head(cuts)};
}

// Makes room for one column and two cuts. The best policy's column is the first and stays.
void ColumnsAndCuts::forget(const Mixture& mixture) {
  if (columns_.size() >= kMembers) {
    Vector weights = mixture.columns;
    weights(0) = kInfinity;
    const auto kept = heaviest(weights, kMembers / 2);
    keep_only(kept, columns_);
    for (Vector& row : values_) {
      Vector shorter(static_cast<Index>(kept.size()));
      for (std::size_t i = 0; i < kept.size(); ++i) {
        shorter(static_cast<Index>(i)) = row(static_cast<Index>(kept[i]));
      }
      row = std::move(shorter);
    }
  }
  if (cuts_.size() + 1 >= kMembers) {
    const auto kept = heaviest(mixture.cuts, kMembers / 2);
    keep_only(kept, cuts_);
    keep_only(kept, values_);
  }
}

bool ColumnsAndCuts::advance(EnvelopeSearch& search) {
  const EnvelopeModel& model = search.model();
  if (columns_.empty()) {
    add_column(model, search.best().occupancy);
    add_cut(model, search.best_point().cut);
  }
  const Mixture mixture = game();
  const auto action = search.plan_against(mean_cut(cuts_, mixture.cuts));
  if (search.certified()) return true;
  Matrix mixed = mixture.columns(0) * columns_[0];
  for (Index i = 1; i < mixture.columns.size(); ++i) {
    if (mixture.columns(i) > 0) mixed += mixture.columns(i) * columns_[static_cast<std::size_t>(i)];
  }
  forget(mixture);
  add_column(model, model.evaluated(deterministic_policy(action, model.actions()))->occupancy());
  const EnvelopePoint there = model.at(mixed, search.best().nature);
  search.offer_member(there);
  Matrix between = kTrialStep * mixed + (1 - kTrialStep) * search.best().occupancy;
  add_cut(model, there.cut);
  const EnvelopePoint halfway = model.at(std::move(between), search.best().nature);
  search.offer_member(halfway);
  add_cut(model, halfway.cut);
  return search.certified() || !patience_.is_over(search.best().gap());
}

}  // namespace rgu
