#include "properties/drawn.hpp"

#include <cstdlib>

#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/ellipsoid.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/polytope.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"

namespace rgu::drawn {
namespace {

constexpr double kTiny = 1e-300;

// The same cases in every run, unless others are asked for. RapidCheck reads this when the first
// property begins.
class FixedSeed final : public testing::Environment {
 public:
  void SetUp() override { setenv("RC_PARAMS", "seed=20240607 max_success=100", 0); }
};
[[maybe_unused]] const auto* const kFixedSeed =
    testing::AddGlobalTestEnvironment(new FixedSeed);  // which owns it

// Which states have any way in. At least one.
std::vector<Index> entered_states(Index states, Rng& rng) {
  std::vector<Index> entered;
  for (Index s = 0; s < states; ++s) {
    if (rng.uniform() < 0.75) entered.push_back(s);
  }
  if (entered.empty()) entered.push_back(0);
  return entered;
}

// A distribution on `places` among `size`: spread, certain, or certain but for tiny probabilities.
Vector spread_on(const std::vector<Index>& places, Index size, Rng& rng) {
  Vector row = Vector::Zero(size);
  const double kind = rng.uniform();
  if (kind < 0.5) {
    const Vector shares = distribution(static_cast<Index>(places.size()), rng);
    for (std::size_t i = 0; i < places.size(); ++i) row(places[i]) = shares(static_cast<Index>(i));
    return row;
  }
  if (kind < 0.75) {
    for (const Index place : places) row(place) = kTiny;
  }
  row(places[rng.below(places.size())]) = 1;
  return row;
}

Matrix kernel_of(const Model& model, const std::vector<Index>& entered, Rng& rng) {
  Matrix kernel(model.states * model.actions, model.states);
  for (Index s = 0; s < model.states; ++s) {
    const bool absorbing = rng.uniform() < 0.2;
    for (Index a = 0; a < model.actions; ++a) {
      const Vector row =
          absorbing ? Vector::Unit(model.states, s) : spread_on(entered, model.states, rng);
      kernel.row(s * model.actions + a) = row.transpose();
    }
  }
  return kernel;
}

Matrix random_matrix(Index rows, Index columns, Rng& rng) {
  return Matrix::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

// Numbers between 1e-6 and 1e6.
Vector uneven(Index size, Rng& rng) {
  return Vector::NullaryExpr(size, [&] { return std::pow(10.0, rng.uniform(-6, 6)); });
}

// A box, some of whose intervals are points.
Bounds bounds_around(const Vector& centre, double radius, Rng& rng) {
  const Vector half =
      Vector::NullaryExpr(centre.size(), [&] { return rng.uniform() < 0.2 ? 0.0 : radius; });
  return {.lower = centre - half, .upper = centre + half};
}

// A box cut by random halfspaces that keep its centre.
std::shared_ptr<const ConvexSet> cut_box(const Vector& centre, double radius, Rng& rng) {
  const Index n = centre.size(), cuts = 3;
  Matrix normals(2 * n + cuts, n);
  normals << Matrix::Identity(n, n), -Matrix::Identity(n, n), random_matrix(cuts, n, rng);
  Vector offsets = normals * centre;
  for (Index i = 0; i < offsets.size(); ++i) offsets(i) += radius * rng.uniform(0.1, 1);
  return std::make_shared<Polytope>(normals, offsets);
}

}  // namespace

Vector distribution(Index size, Rng& rng) {
  Vector shares = Vector::NullaryExpr(size, [&] { return rng.exponential(); });
  return shares / shares.sum();
}

rc::Gen<Model> models() {
  return rc::gen::construct<Model>(rc::gen::inRange<Index>(1, 6), rc::gen::inRange<Index>(1, 5),
                                   discounts(), rc::gen::arbitrary<bool>(),
                                   rc::gen::arbitrary<bool>(),
                                   rc::gen::inRange<std::uint64_t>(0, 1000000));
}

rc::Gen<Set> sets() {
  using enum SetKind;
  return rc::gen::construct<Set>(
      rc::gen::element(kLpBall, kEllipsoid, kBox, kCappedOrthant, kSimplex, kFrobenius, kSpectral,
                       kPolytope, kProduct),
      rc::gen::inRange<Index>(1, 7),
      rc::gen::element(2.0, 1.0, 1.5, 3.0, 1.01, 40.0, std::numeric_limits<double>::infinity()),
      radii(), rc::gen::element(1.0, 0.0, 1e-6, 1e6), rc::gen::inRange<std::uint64_t>(0, 1000000));
}

FiniteMdp made(const Model& model) {
  Rng rng(model.seed);
  const std::vector<Index> entered = entered_states(model.states, rng);
  Matrix kernel = kernel_of(model, entered, rng);
  std::vector<Index> all(static_cast<std::size_t>(model.states));
  for (std::size_t s = 0; s < all.size(); ++s) all[s] = static_cast<Index>(s);
  const Vector start =
      model.one_start
          ? Vector(Vector::Unit(model.states, static_cast<Index>(rng.below(all.size()))))
          : spread_on(all, model.states, rng);
  if (model.sparse) return {SparseMatrix(kernel.sparseView()), start, model.discount};
  return {std::move(kernel), start, model.discount};
}

std::shared_ptr<const ConvexSet> made(const Set& set) {
  Rng rng(set.seed);
  const Index n = set.dimension;
  const Vector centre = set.offset * normal_vector(n, rng);
  const LpBallShape ball{.centre = centre, .radius = set.radius, .p = set.p};
  switch (set.kind) {
    case SetKind::kLpBall:
      return std::make_shared<LpBall>(ball);
    case SetKind::kEllipsoid:
      return std::make_shared<Ellipsoid>(
          WeightedBall{.centre = centre, .weights = uneven(n, rng), .radius = set.radius});
    case SetKind::kBox:
      return std::make_shared<Box>(bounds_around(centre, set.radius, rng));
    case SetKind::kCappedOrthant:
      return std::make_shared<CappedOrthant>(n, set.radius);
    case SetKind::kSimplex:
      return std::make_shared<ProbabilitySimplex>(n);
    case SetKind::kFrobenius:
      return std::make_shared<FrobeniusBall>(Matrix(set.offset * random_matrix(n, 2, rng)),
                                             set.radius);
    case SetKind::kSpectral:
      return std::make_shared<SpectralBall>(Matrix(set.offset * random_matrix(n, 2, rng)),
                                            set.radius);
    case SetKind::kPolytope:
      return cut_box(centre, set.radius, rng);
    case SetKind::kProduct:
      break;
  }
  return std::make_shared<ProductSet>(
      SetParts{std::make_shared<LpBall>(ball), std::make_shared<ProbabilitySimplex>(n)});
}

Matrix policy_of(const FiniteMdp& mdp, Rng& rng) {
  std::vector<Index> all(static_cast<std::size_t>(mdp.actions()));
  for (std::size_t a = 0; a < all.size(); ++a) all[a] = static_cast<Index>(a);
  Matrix pi(mdp.states(), mdp.actions());
  for (Index s = 0; s < pi.rows(); ++s) {
    pi.row(s) = spread_on(all, mdp.actions(), rng).transpose();
  }
  return pi;
}

}  // namespace rgu::drawn
