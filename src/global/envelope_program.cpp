#include "rgu/global/envelope_program.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/euclidean_ball.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/polytope.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/mdp/reachability.hpp"
#include "rgu/robustness/blocks.hpp"
#include "rgu/robustness/members.hpp"
#include "rgu/robustness/round_sets.hpp"
#include "rgu/robustness/vertices.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/target.hpp"

namespace rgu {
namespace {

constexpr Index kFewParameters = 64;  // of xi, for hulls of members to be a good picture of a set

bool is_point(const ConvexSet& set) { return set.dimension() == 0 || set.diameter() == 0; }

// An l_1 ball that is not a point.
const LpBall* as_cross_polytope(const ConvexSet& set) {
  const auto* ball = dynamic_cast<const LpBall*>(&set);
  return ball != nullptr && ball->p() == 1 && ball->radius() > 0 ? ball : nullptr;
}

bool is_polyhedral(const ConvexSet& set) {
  const auto every = [](const SetParts& parts) {
    return std::all_of(parts.begin(), parts.end(),
                       [](const auto& part) { return is_polyhedral(*part); });
  };
  if (const auto* product = dynamic_cast<const ProductSet*>(&set)) return every(product->parts());
  if (const auto* common = dynamic_cast<const IntersectionSet*>(&set)) {
    return every(common->parts());
  }
  return is_point(set) || as_box(set) || as_cross_polytope(set) != nullptr ||
         dynamic_cast<const CappedOrthant*>(&set) != nullptr ||
         dynamic_cast<const ProbabilitySimplex*>(&set) != nullptr ||
         dynamic_cast<const Polytope*>(&set) != nullptr;
}

// The number that more than half of each row are, or else 0.
Vector majorities(const Matrix& table) {
  Vector common = Vector::Zero(table.rows());
  std::vector<double> row(static_cast<std::size_t>(table.cols()));
  for (Index i = 0; i < table.rows(); ++i) {
    Eigen::Map<Vector>(row.data(), table.cols()) = table.row(i);
    const auto middle = row.begin() + std::ssize(row) / 2;
    std::nth_element(row.begin(), middle, row.end());
    const double median = *middle;
    if (2 * (table.row(i).array() == median).count() > table.cols()) common(i) = median;
  }
  return common;
}

// Columns v that may have the largest shift_v + <table_v, lambda> for some lambda >= 0: all but
// those without an entry above 0 where another has none below 0.
std::vector<Index> not_dominated(const Matrix& table, const Vector& shift) {
  const Eigen::RowVectorXd least = table.colwise().minCoeff(), most = table.colwise().maxCoeff();
  Index best = -1;
  for (Index v = 0; v < table.cols(); ++v) {
    if (least(v) >= 0 && (best < 0 || shift(v) > shift(best))) best = v;
  }
  std::vector<Index> kept;
  for (Index v = 0; v < table.cols(); ++v) {
    const bool dominated = best >= 0 && v != best && most(v) <= 0 && shift(v) <= shift(best);
    if (!dominated) kept.push_back(v);
  }
  return kept;
}

}  // namespace

// Walks through the utility and its set. Every function that adds a part returns false where the
// part has no such form.
class EnvelopeProgram::Builder {
 public:
  Builder(const EnvelopeProblem& problem, const ProgramOptions& options)
      : mdp_(problem.mdp), whole_(problem.utility), options_(options) {
    result_.states_ = mdp_.states();
    result_.actions_ = mdp_.actions();
    result_.nature_ = problem.utility.nature_dimension();
    result_.reached_ = reachable_states(mdp_);
    pairs_ = std::ssize(result_.reached_) * mdp_.actions();
    add_flow();
  }

  bool add(const Utility& utility, const ConvexSet* set, double weight, Index begin);

  std::optional<EnvelopeProgram> finish() {
    if (rows_ > options_.most_rows) return std::nullopt;
    ConvexProgram& program = result_.program_;
    program.rows.resize(rows_, columns_);
    program.rows.setFromTriplets(entries_.begin(), entries_.end());
    program.right = to_vector(right_);
    program.cost = to_vector(cost_);
    return std::move(result_);
  }

 private:
  using Triplet = Eigen::Triplet<double, std::int32_t>;
  enum class Sign { kNonnegative, kFree };

  bool add_sum(const Sum& sum, const ConvexSet& set, double weight, Index begin);
  bool add_reward_robust(const ConvexSet& set, double weight, Index begin);
  bool add_moments(const Matrix& table, const Vector& shift, const ConvexSet& set, double weight,
                   Index begin);
  bool add_limits(const Constrained& constrained, double weight, Index begin);
  void add_entropy(Marginal over, double delta, double weight);
  bool add_divergence(const KlTarget& target, const ConvexSet& set, double weight, Index begin);
  bool add_distance(const ConvexSet& set, double weight, Index begin);
  bool add_drift_row(const Drift& drift, const ConvexSet& set, double weight, Index begin);
  bool has_hull(const ConvexSet& set) const {
    return set.dimension() <= kFewParameters && !options_.members.empty();
  }
  Matrix hull_of(const ConvexSet& set, Index begin) const;
  bool add_vertices(Matrix vertices, Matrix table, Vector shift, Index begin);
  bool add_support(const ConvexSet& set, Index row, double scale);

  void add_flow();
  Index add_columns(Index count, double cost, Sign sign = Sign::kNonnegative) {
    cost_.insert(cost_.end(), static_cast<std::size_t>(count), cost);
    result_.program_.is_free.insert(result_.program_.is_free.end(), static_cast<std::size_t>(count),
                                    sign == Sign::kFree);
    return std::exchange(columns_, columns_ + count);
  }
  Index add_rows(Index count) {
    right_.insert(right_.end(), static_cast<std::size_t>(count), 0.0);
    return std::exchange(rows_, rows_ + count);
  }
  void set_entry(Index row, Index column, double value) {
    if (value != 0) {
      entries_.emplace_back(static_cast<std::int32_t>(row), static_cast<std::int32_t>(column),
                            value);
    }
  }
  void add_cost(const Matrix& cost, double weight);
  // Where the masses of a marginal lie among the variables, and which of them.
  struct Masses {
    Index first = 0;            // variable of the first
    std::vector<Index> number;  // of each, in the utility's own counting
  };
  Masses masses(Marginal over);
  void set_fixed(Index begin, Vector value) {
    result_.stretches_.push_back({begin, Fixed{std::move(value)}});
  }
  // z_k - weight <table column k, lambda> = weight shift_k, with weight / scale for weight. Returns
  // the first row; the columns of z are to be added.
  struct MomentRows {
    Index row = 0;
    double scale = 1;
  };
  MomentRows add_moment_rows(const Matrix& table, const Vector& shift, double weight);

  const FiniteMdp& mdp_;
  const Utility& whole_;
  const ProgramOptions& options_;
  Index pairs_ = 0;
  EnvelopeProgram result_;
  Index rows_ = 0;
  Index columns_ = 0;
  std::vector<Triplet> entries_;
  std::vector<double> right_;
  std::vector<double> cost_;
};

void EnvelopeProgram::Builder::add_flow() {
  const auto& reached = result_.reached_;
  const Index actions = mdp_.actions();
  std::vector<Index> place(static_cast<std::size_t>(mdp_.states()), -1);
  add_columns(pairs_, 0);
  const Index first = add_rows(std::ssize(reached));
  for (std::size_t k = 0; k < reached.size(); ++k) {
    place[static_cast<std::size_t>(reached[k])] = static_cast<Index>(k);
    right_[k] = (1 - mdp_.discount()) * mdp_.start()(reached[k]);
  }
  for (Index k = 0; k < std::ssize(reached); ++k) {
    for (Index a = 0; a < actions; ++a) {
      const Index column = k * actions + a;
      set_entry(first + k, column, 1);
      for_each_successor(
          mdp_, reached[static_cast<std::size_t>(k)] * actions + a, [&](Index s, double p) {
            set_entry(first + place[static_cast<std::size_t>(s)], column, -mdp_.discount() * p);
          });
    }
  }
}

void EnvelopeProgram::Builder::add_cost(const Matrix& cost, double weight) {
  for (Index i = 0; i < pairs_; ++i) {
    const Index s = result_.reached_[static_cast<std::size_t>(i / mdp_.actions())];
    cost_[static_cast<std::size_t>(i)] += weight * cost(s, i % mdp_.actions());
  }
}

EnvelopeProgram::Builder::Masses EnvelopeProgram::Builder::masses(Marginal over) {
  const auto& reached = result_.reached_;
  const Index actions = mdp_.actions();
  Masses masses;
  if (over == Marginal::kStateActions) {
    for (const Index s : reached) {
      for (Index a = 0; a < actions; ++a) masses.number.push_back(s * actions + a);
    }
    return masses;
  }
  masses.number = reached;
  if (result_.masses_ < 0) {
    result_.masses_ = add_columns(std::ssize(reached), 0);
    const Index row = add_rows(std::ssize(reached));
    for (Index k = 0; k < std::ssize(reached); ++k) {
      set_entry(row + k, result_.masses_ + k, 1);
      for (Index a = 0; a < actions; ++a) set_entry(row + k, k * actions + a, -1);
    }
  }
  masses.first = result_.masses_;
  return masses;
}

EnvelopeProgram::Builder::MomentRows EnvelopeProgram::Builder::add_moment_rows(const Matrix& table,
                                                                               const Vector& shift,
                                                                               double weight) {
  const Index count = table.cols();
  const double size = std::max(table.cwiseAbs().maxCoeff(), shift.cwiseAbs().maxCoeff());
  const MomentRows added{.row = add_rows(count), .scale = size > 0 ? weight * size : weight};
  for (Index i = 0; i < pairs_; ++i) {
    const Index s = result_.reached_[static_cast<std::size_t>(i / mdp_.actions())];
    const Index pair = s * mdp_.actions() + i % mdp_.actions();
    for (Index k = 0; k < count; ++k) {
      set_entry(added.row + k, i, -weight * table(pair, k) / added.scale);
    }
  }
  for (Index k = 0; k < count; ++k) {
    right_[static_cast<std::size_t>(added.row + k)] = weight * shift(k) / added.scale;
  }
  return added;
}

// max over xi of <xi, z> over the rows z from `row` on, times scale: columns whose sum of entries
// in these rows is z, at the cost of the dual.
bool EnvelopeProgram::Builder::add_support(const ConvexSet& set, Index row, double scale) {
  const Index n = set.dimension();
  if (const auto* product = dynamic_cast<const ProductSet*>(&set)) {
    for (const auto& part : product->parts()) {
      if (!add_support(*part, row, scale)) return false;
      row += part->dimension();
    }
    return true;
  }
  if (const auto* common = dynamic_cast<const IntersectionSet*>(&set)) {
    return std::all_of(common->parts().begin(), common->parts().end(),
                       [&](const auto& part) { return add_support(*part, row, scale); });
  }
  if (is_point(set)) {
    const Vector point = centre_of(set);
    for (Index k = 0; k < n; ++k) {
      set_entry(row + k, add_columns(1, scale * point(k), Sign::kFree), 1);
    }
    return true;
  }
  if (const auto box = as_box(set)) {
    for (Index k = 0; k < n; ++k) {
      if (box->lower(k) == box->upper(k)) {
        set_entry(row + k, add_columns(1, scale * box->lower(k), Sign::kFree), 1);
        continue;
      }
      set_entry(row + k, add_columns(1, scale * box->upper(k)), 1);
      set_entry(row + k, add_columns(1, -scale * box->lower(k)), -1);
    }
    return true;
  }
  if (const auto round = as_euclidean_ball(set)) {
    if (!(options_.ball_length > 0) || result_.ball_size_ > 0) return false;
    result_.ball_ = columns_;
    result_.ball_size_ = n;
    result_.ball_centre_ = Vector::Zero(n);
    for (Index k = 0; k < n; ++k) {
      const Index column = add_columns(1, scale * round->centre(k), Sign::kFree);
      set_entry(row + k, column, 1);
      result_.program_.smooth.push_back({.kind = SmoothTerm::Kind::kSquare,
                                         .variable = column,
                                         .weight = scale * round->radius / options_.ball_length,
                                         .parameter = 0});
    }
    return true;
  }
  const auto* ball = as_cross_polytope(set);
  const auto* orthant = dynamic_cast<const CappedOrthant*>(&set);
  const bool simplex = dynamic_cast<const ProbabilitySimplex*>(&set) != nullptr;
  if (ball != nullptr || orthant != nullptr || simplex) {  // z_k = t - below_k
    const double total = ball != nullptr ? ball->radius() : orthant ? orthant->total() : 1;
    const double centre = ball != nullptr ? ball->centre().sum() : 0;
    const Index top =
        add_columns(1, scale * (total + centre), simplex ? Sign::kFree : Sign::kNonnegative);
    for (Index k = 0; k < n; ++k) {
      const Index below = add_columns(1, ball != nullptr ? -scale * ball->centre()(k) : 0);
      set_entry(row + k, top, 1);
      set_entry(row + k, below, -1);
      if (ball == nullptr) continue;
      const Index side = add_rows(1);  // z_k + t >= 0
      set_entry(side, below, 1);
      set_entry(side, add_columns(1, 0), 1);
      set_entry(side, top, -2);
    }
    return true;
  }
  if (const auto* polytope = dynamic_cast<const Polytope*>(&set)) {
    for (Index i = 0; i < polytope->normals().rows(); ++i) {
      const Index column = add_columns(1, scale * polytope->offsets()(i));
      for (Index k = 0; k < n; ++k) set_entry(row + k, column, polytope->normals()(i, k));
    }
    return true;
  }
  return false;
}

Matrix EnvelopeProgram::Builder::hull_of(const ConvexSet& set, Index begin) const {
  Matrix vertices(std::ssize(options_.members), set.dimension());
  for (Index v = 0; v < vertices.rows(); ++v) {
    vertices.row(v) = options_.members[static_cast<std::size_t>(v)].segment(begin, set.dimension());
  }
  return vertices;
}

// -(W psi)^2 for each member W, which has one row: linear in lambda.
bool EnvelopeProgram::Builder::add_drift_row(const Drift& drift, const ConvexSet& set,
                                             double weight, Index begin) {
  if (drift.dimension() != 1 || !has_hull(set)) return false;
  const Matrix maps = hull_of(set, begin);
  const Matrix table = -weight * (drift.features() * maps.transpose()).cwiseAbs2();
  return add_vertices(maps, table, Vector::Zero(maps.rows()), begin);
}

bool EnvelopeProgram::Builder::add_moments(const Matrix& table, const Vector& shift,
                                           const ConvexSet& set, double weight, Index begin) {
  if (rows_ + table.cols() > options_.most_rows) return false;
  if (!is_polyhedral(set) && has_hull(set)) {
    const Matrix vertices = hull_of(set, begin);
    return add_vertices(vertices, weight * table * vertices.transpose(),
                        weight * (vertices * shift), begin);
  }
  const MomentRows rows = add_moment_rows(table, shift, weight);
  result_.stretches_.push_back(
      {begin, FromRows{.row = rows.row, .scale = rows.scale, .set = &set, .size = table.cols()}});
  return add_support(set, rows.row, rows.scale);
}

// The excess over each limit is -slack.
bool EnvelopeProgram::Builder::add_limits(const Constrained& constrained, double weight,
                                          Index begin) {
  const Matrix& table = constrained.constraints().table;
  if (rows_ + table.cols() > options_.most_rows) return false;
  const MomentRows rows = add_moment_rows(table, -constrained.thresholds(), weight);
  for (Index k = 0; k < table.cols(); ++k) set_entry(rows.row + k, add_columns(1, 0), -1);
  result_.stretches_.push_back(
      {begin,
       FromRows{.row = rows.row, .scale = rows.scale, .set = nullptr, .size = table.cols()}});
  return true;
}

bool EnvelopeProgram::Builder::add_reward_robust(const ConvexSet& set, double weight, Index begin) {
  const Index actions = mdp_.actions();
  if (is_point(set) || as_box(set)) {  // lambda >= 0: the least reward everywhere
    Vector worst = is_point(set) ? centre_of(set) : as_box(set)->lower;
    add_cost(as_matrix(worst, mdp_.states(), actions), -weight);
    set_fixed(begin, std::move(worst));
    return true;
  }
  if (const LpBall* ball = as_cross_polytope(set);
      ball != nullptr && result_.program_.capped == 0) {
    add_cost(as_matrix(ball->centre(), mdp_.states(), actions), -weight);
    result_.program_.capped = pairs_;
    result_.program_.price = weight * ball->radius();
    result_.stretches_.push_back(
        {begin, FromCeilings{.centre = ball->centre(), .radius = ball->radius()}});
    return true;
  }
  const Index size = mdp_.states() * actions;
  if (rows_ + size > options_.most_rows) return false;
  return add_moments(-Matrix::Identity(size, size), Vector::Zero(size), set, weight, begin);
}

void EnvelopeProgram::Builder::add_entropy(Marginal over, double delta, double weight) {
  const Masses at = masses(over);
  for (Index k = 0; k < std::ssize(at.number); ++k) {
    result_.program_.smooth.push_back({.kind = SmoothTerm::Kind::kEntropy,
                                       .variable = at.first + k,
                                       .weight = weight,
                                       .parameter = delta});
  }
}

// max over vertices v of (shift_v + <table_v, lambda>).
bool EnvelopeProgram::Builder::add_vertices(Matrix vertices, Matrix table, Vector shift,
                                            Index begin) {
  // What most vertices have in common is a cost, so that their rows are sparse where each vertex
  // differs from the others in a few numbers only.
  const Vector common = majorities(table);
  table.colwise() -= common;
  add_cost(as_matrix(common, mdp_.states(), mdp_.actions()), 1);
  const std::vector<Index> kept = not_dominated(table, shift);
  if (std::ssize(kept) < table.cols()) {
    vertices = Matrix(vertices(kept, Eigen::all));
    table = Matrix(table(Eigen::all, kept));
    shift = Vector(shift(kept));
  }
  if (rows_ + table.cols() > options_.most_rows) return false;
  const MomentRows rows = add_moment_rows(table, shift, 1);
  result_.stretches_.push_back(
      {begin, FromVertices{.row = rows.row, .scale = rows.scale, .vertices = std::move(vertices)}});
  return add_support(ProbabilitySimplex(table.cols()), rows.row, rows.scale);
}

bool EnvelopeProgram::Builder::add_divergence(const KlTarget& target, const ConvexSet& set,
                                              double weight, Index begin) {
  add_entropy(target.over(), target.delta(), weight);
  const auto cost_of = [&](const Vector& xi) {  // -log(xi + delta) as a cost of lambda
    const Vector slope = -(xi.array() + target.delta()).log();
    return marginal_pullback(target.over(), slope, {mdp_.states(), mdp_.actions()});
  };
  if (is_point(set) || as_box(set)) {
    Vector worst = is_point(set) ? centre_of(set) : as_box(set)->lower;
    if (!(worst.array() > -target.delta()).all()) return false;
    add_cost(cost_of(worst), weight);
    set_fixed(begin, std::move(worst));
    return true;
  }
  const auto vertices = few_vertices(set, options_.most_rows);
  if (!vertices || !(vertices->array() > -target.delta()).all()) return false;
  Matrix table(mdp_.states() * mdp_.actions(), vertices->rows());
  for (Index v = 0; v < vertices->rows(); ++v) {
    table.col(v) = weight * flatten(cost_of(vertices->row(v)));
  }
  return add_vertices(*vertices, table, Vector::Zero(vertices->rows()), begin);
}

// (1/2)|lambda - xi|^2 = (1/2)|lambda - c|^2 + <eta, lambda - c> + (1/2)|eta|^2 with xi = c - eta.
bool EnvelopeProgram::Builder::add_distance(const ConvexSet& set, double weight, Index begin) {
  const auto add_squares = [&](const Vector& centre, double factor = 1) {
    const Masses at = masses(Marginal::kStateActions);
    for (Index k = 0; k < pairs_; ++k) {
      result_.program_.smooth.push_back(
          {.kind = SmoothTerm::Kind::kSquare,
           .variable = k,
           .weight = factor * weight,
           .parameter = centre(at.number[static_cast<std::size_t>(k)])});
    }
    return at.number;
  };
  if (is_point(set)) {
    add_squares(centre_of(set));
    set_fixed(begin, centre_of(set));
    return true;
  }
  if (const auto box = as_box(set)) {  // a kink of size half in the middle of each interval
    const Vector middle = 0.5 * (box->lower + box->upper);
    const Vector half = 0.5 * (box->upper - box->lower);
    if (rows_ + pairs_ > options_.most_rows) return false;
    // Where no policy goes: the end that is farther from 0.
    Vector farther = (box->upper.array() >= -box->lower.array()).select(box->upper, box->lower);
    set_fixed(begin, std::move(farther));
    const std::vector<Index> pairs = add_squares(middle);
    for (Index k = 0; k < pairs_; ++k) {
      const Index i = pairs[static_cast<std::size_t>(k)];
      if (half(i) == 0) continue;
      const Index row = add_rows(1);  // above - below - lambda = -middle
      right_.back() = -middle(i);
      set_entry(row, k, -1);
      set_entry(row, add_columns(1, weight * half(i)), 1);
      set_entry(row, add_columns(1, weight * half(i)), -1);
      result_.stretches_.push_back({begin + i, FromEnds{.row = row,
                                                        .scale = weight * half(i),
                                                        .lower = box->lower(i),
                                                        .upper = box->upper(i)}});
    }
    return true;
  }
  if (const auto ball = as_euclidean_ball(set)) {
    const bool alone = dynamic_cast<const QuadraticTarget*>(&whole_) != nullptr;
    const double length = alone ? 0 : options_.ball_length;
    if (!alone) {  // (1/2) (|lambda - c| + r)^2 has the term r |lambda - c|
      if (!(length > 0) || result_.ball_size_ > 0) return false;
      result_.ball_ = 0;
      result_.ball_size_ = pairs_;
    }
    const std::vector<Index> pairs =
        add_squares(ball->centre, alone ? 1 : 1 + ball->radius / length);
    if (!alone) {
      result_.ball_centre_ = ball->centre(pairs);
      result_.ball_rest_ =
          std::sqrt(std::max(0.0, ball->centre.squaredNorm() - result_.ball_centre_.squaredNorm()));
    }
    result_.stretches_.push_back(
        {begin, FromDistance{.centre = ball->centre, .radius = ball->radius, .length = length}});
    return true;
  }
  if (const LpBall* ball = as_cross_polytope(set)) {  // eta in the ball around 0, its corners mixed
    const Index size = set.dimension();
    if (rows_ + 2 * size > options_.most_rows) return false;
    add_squares(ball->centre());
    const MomentRows rows = add_moment_rows(Matrix::Identity(size, size), -ball->centre(), weight);
    result_.stretches_.push_back({begin, FromCorners{.row = rows.row,
                                                     .scale = rows.scale,
                                                     .centre = ball->centre(),
                                                     .radius = ball->radius()}});
    return add_support(LpBall({.centre = Vector::Zero(size), .radius = ball->radius(), .p = 1}),
                       rows.row, rows.scale);
  }
  const auto vertices = few_vertices(set, options_.most_rows);
  if (!vertices) return false;
  add_squares(Vector::Zero(set.dimension()));
  const Vector shift = 0.5 * weight * vertices->rowwise().squaredNorm();
  return add_vertices(*vertices, -weight * vertices->transpose(), shift, begin);
}

bool EnvelopeProgram::Builder::add_sum(const Sum& sum, const ConvexSet& set, double weight,
                                       Index begin) {
  const auto blocks = aligned_blocks(sum, set);
  if (!blocks) return false;
  return std::all_of(blocks->begin(), blocks->end(), [&](const NatureBlock& block) {
    return add(*block.utility, block.set, weight * block.weight, begin + block.begin);
  });
}

bool EnvelopeProgram::Builder::add(const Utility& utility, const ConvexSet* set, double weight,
                                   Index begin) {
  const Singleton none{Vector(0)};
  const ConvexSet& over = set != nullptr ? *set : none;
  if (weight == 0) {  // its xi does not matter
    set_fixed(begin, centre_of(over));
    return true;
  }
  if (const auto* sum = dynamic_cast<const Sum*>(&utility)) {
    return add_sum(*sum, over, weight, begin);
  }
  if (const auto* reward = dynamic_cast<const LinearReward*>(&utility)) {
    add_cost(reward->reward(), -weight);
    return true;
  }
  if (dynamic_cast<const RewardRobust*>(&utility) != nullptr) {
    return add_reward_robust(over, weight, begin);
  }
  if (const auto* rewards = dynamic_cast<const FeatureRewardRobust*>(&utility)) {
    const Features& features = rewards->features();
    return add_moments(-features.table, Vector::Zero(features.count()), over, weight, begin);
  }
  if (const auto* constrained = dynamic_cast<const Constrained*>(&utility)) {
    add_cost(constrained->objective(), weight);
    if (options_.hard_limits) return add_limits(*constrained, weight, begin);
    return add_moments(constrained->constraints().table, -constrained->thresholds(), over, weight,
                       begin);
  }
  if (const auto* entropy = dynamic_cast<const Entropy*>(&utility)) {
    add_entropy(entropy->over(), entropy->delta(), weight);
    return true;
  }
  if (const auto* target = dynamic_cast<const KlTarget*>(&utility)) {
    return add_divergence(*target, over, weight, begin);
  }
  if (dynamic_cast<const QuadraticTarget*>(&utility) != nullptr) {
    return add_distance(over, weight, begin);
  }
  if (const auto* drift = dynamic_cast<const Drift*>(&utility)) {
    return add_drift_row(*drift, over, weight, begin);
  }
  return false;
}

std::optional<EnvelopeProgram> EnvelopeProgram::of(const EnvelopeProblem& problem,
                                                   const ProgramOptions& options) {
  Builder builder(problem, options);
  if (!builder.add(problem.utility, &problem.ambiguity, 1, 0)) return std::nullopt;
  return builder.finish();
}

Vector EnvelopeProgram::start(const Matrix& occupancy) const {
  Vector x = Vector::Ones(program_.cost.size());
  for (Index k = 0; k < std::ssize(reached_); ++k) {
    const Index s = reached_[static_cast<std::size_t>(k)];
    x.segment(k * actions_, actions_) = occupancy.row(s).transpose();
    if (masses_ >= 0) x(masses_ + k) = occupancy.row(s).sum();
  }
  return x;
}

double EnvelopeProgram::ball_length(const Vector& x) const {
  if (ball_size_ == 0) return 0;
  return std::hypot((x.segment(ball_, ball_size_) - ball_centre_).stableNorm(), ball_rest_);
}

Matrix EnvelopeProgram::occupancy(const Vector& x) const {
  Matrix result = Matrix::Zero(states_, actions_);
  for (Index k = 0; k < std::ssize(reached_); ++k) {
    result.row(reached_[static_cast<std::size_t>(k)]) =
        x.segment(k * actions_, actions_).cwiseMax(0.0).transpose();
  }
  return result;
}

AdversaryMixture EnvelopeProgram::distribution(const Stretch& stretch, const ProgramPoint& point,
                                               bool at_kink) const {
  if (const auto* distance = std::get_if<FromDistance>(&stretch.how)) {
    Vector away = distance->centre - flatten(occupancy(point.x));
    const double length = away.stableNorm();
    if (length > 0) {
      away *= distance->radius / length;
    } else {
      away = distance->radius * Vector::Unit(away.size(), 0);
    }
    if (distance->length > 0) {
      const double toward = 0.5 * (1 + std::min(1.0, length / distance->length));
      return {{toward, 1 - toward}, {distance->centre + away, distance->centre - away}};
    }
    if (!at_kink) return {{1}, {distance->centre + away}};
    return {{0.5, 0.5}, {distance->centre + away, distance->centre - away}};
  }
  if (const auto* fixed = std::get_if<Fixed>(&stretch.how)) return {{1}, {fixed->value}};
  if (const auto* rows = std::get_if<FromRows>(&stretch.how)) {
    const Vector raw = point.multipliers.segment(rows->row, rows->size) / rows->scale;
    return {{1}, {rows->set != nullptr ? rows->set->project(raw) : raw.cwiseMax(0.0)}};
  }
  if (const auto* ceilings = std::get_if<FromCeilings>(&stretch.how)) {
    Vector xi = ceilings->centre;
    const double total = point.ceilings.sum();
    if (total > 0) {
      for (Index k = 0; k < std::ssize(reached_); ++k) {
        const Index first = reached_[static_cast<std::size_t>(k)] * actions_;
        xi.segment(first, actions_) -=
            ceilings->radius / total * point.ceilings.segment(k * actions_, actions_);
      }
    }
    return {{1}, {std::move(xi)}};
  }
  if (const auto* corners = std::get_if<FromCorners>(&stretch.how)) {
    const Vector& centre = corners->centre;
    Vector eta =
        point.multipliers.segment(corners->row, centre.size()) / (corners->scale * corners->radius);
    eta /= std::max(1.0, eta.lpNorm<1>());
    AdversaryMixture corner;
    const auto add = [&](Index i, double weight, double sign) {
      if (!(weight > 1e-15)) return;
      corner.weights.push_back(weight);
      corner.members.push_back(centre - sign * corners->radius * Vector::Unit(centre.size(), i));
    };
    for (Index i = 0; i < eta.size(); ++i) add(i, std::abs(eta(i)), eta(i) < 0 ? -1 : 1);
    const double rest = std::max(0.0, 1 - eta.lpNorm<1>());  // of no effect on the mean
    add(0, 0.5 * rest, 1);
    add(0, 0.5 * rest, -1);
    return corner;
  }
  if (const auto* ends = std::get_if<FromEnds>(&stretch.how)) {
    const double toward = std::clamp(point.multipliers(ends->row) / ends->scale, -1.0, 1.0);
    // 1 where lambda is above the middle, so that the lower end is farther.
    return {{0.5 * (1 + toward), 0.5 * (1 - toward)},
            {Vector::Constant(1, ends->lower), Vector::Constant(1, ends->upper)}};
  }
  const auto& mixed = std::get<FromVertices>(stretch.how);
  Vector weights =
      (point.multipliers.segment(mixed.row, mixed.vertices.rows()) / mixed.scale).cwiseMax(0.0);
  if (!(weights.sum() > 0)) weights.setOnes();
  weights /= weights.sum();
  AdversaryMixture result;
  for (Index v = 0; v < weights.size(); ++v) {
    if (weights(v) < 1e-15) continue;
    result.weights.push_back(weights(v));
    result.members.emplace_back(mixed.vertices.row(v));
  }
  return result;
}

// f is a sum of functions of one stretch each, so only the distribution of each stretch matters:
// all are drawn by one number u in [0, 1).
AdversaryMixture EnvelopeProgram::mixture(const ProgramPoint& point, bool at_kink) const {
  std::vector<AdversaryMixture> parts;
  std::vector<double> ends{1.0};  // of the pieces of [0, 1)
  for (const Stretch& stretch : stretches_) {
    parts.push_back(distribution(stretch, point, at_kink));
    double end = 0;
    for (const double weight : parts.back().weights) {
      end += weight;
      if (end < 1) ends.push_back(end);
    }
  }
  std::sort(ends.begin(), ends.end());
  AdversaryMixture mixture;
  double begin = 0;
  for (const double end : ends) {
    if (!(end - begin > 1e-15)) continue;
    const double u = 0.5 * (begin + end);
    Vector xi = Vector::Zero(nature_);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      std::size_t i = 0;
      double below = 0;
      while (i + 1 < parts[k].weights.size() && below + parts[k].weights[i] <= u) {
        below += parts[k].weights[i++];
      }
      xi.segment(stretches_[k].begin, parts[k].members[i].size()) = parts[k].members[i];
    }
    mixture.weights.push_back(end - begin);
    mixture.members.push_back(std::move(xi));
    begin = end;
  }
  double total = 0;
  for (const double weight : mixture.weights) total += weight;
  for (double& weight : mixture.weights) weight /= total;
  return mixture;
}

std::vector<AdversaryMixture> EnvelopeProgram::adversary(const ProgramPoint& point) const {
  const bool has_kink = std::any_of(stretches_.begin(), stretches_.end(), [](const Stretch& part) {
    return std::holds_alternative<FromDistance>(part.how);
  });
  std::vector<AdversaryMixture> mixtures{mixture(point, false)};
  if (has_kink) mixtures.push_back(mixture(point, true));
  return mixtures;
}

}  // namespace rgu
