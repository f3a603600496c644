#include "rgu/experiment/verify.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "laws/models.hpp"
#include "laws/throws.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/experiment/problem_text.hpp"
#include "rgu/experiment/witness_record.hpp"
#include "rgu/mdp/occupancy.hpp"
#include "rgu/mdp/planning.hpp"
#include "rgu/record/json_values.hpp"
#include "rgu/record/run_files.hpp"
#include "rgu/robustness/worst_case.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/sum.hpp"
#include "rgu/utility/target.hpp"

namespace rgu {
namespace {

using Real = long double;
using Exact = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index kStates = 3;
constexpr Index kActions = 2;

Matrix normal_matrix(Index rows, Index columns, Rng& rng) {
  return Matrix::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

Instance instance_of(std::shared_ptr<const Utility> utility,
                     std::shared_ptr<const ConvexSet> ambiguity) {
  Instance instance{.world = {.mdp = testing_models::random_dense(kStates, kActions, 0.9, 3)}};
  instance.nominal = ambiguity->project(Vector::Zero(ambiguity->dimension()));
  instance.utility = std::move(utility);
  instance.ambiguity = std::move(ambiguity);
  return instance;
}

Instance constrained_instance() {
  Rng rng(11);
  return instance_of(
      std::make_shared<Constrained>(
          ConstrainedCosts{.objective = normal_matrix(kStates, kActions, rng),
                           .constraints = {normal_matrix(kStates, kActions, rng),
                                           normal_matrix(kStates, kActions, rng)},
                           .thresholds = Vector{{0.1, -0.2}}}),
      std::make_shared<Box>(Bounds{.lower = Vector::Zero(2), .upper = Vector::Constant(2, 3)}));
}

Instance target_instance() {
  return instance_of(std::make_shared<QuadraticTarget>(OccupancyShape{kStates, kActions}),
                     std::make_shared<LpBall>(LpBallShape{
                         .centre = Vector::Constant(6, 1.0 / 6), .radius = 0.2, .p = 2}));
}

std::shared_ptr<const Drift> small_drift() {
  Rng rng(13);
  return std::make_shared<Drift>(DriftOptions{
      .actions = kActions, .features = normal_matrix(kStates * kActions, 3, rng), .dimension = 2});
}

Instance drift_instance() {
  return instance_of(small_drift(),
                     std::make_shared<FrobeniusBall>(Matrix(Matrix::Identity(2, 3)), 0.5));
}

// The worst xi at a few policies, in equal shares, and the plan against their mean.
GlobalSolution solution_of(const Instance& instance, int pieces) {
  const FiniteMdp& mdp = instance.world.mdp;
  GlobalSolution solution;
  Matrix slope = Matrix::Zero(kStates, kActions);
  for (int i = 0; i < pieces; ++i) {
    Matrix policy = Matrix::Constant(kStates, kActions, 1.0 / (2 + i));
    policy.col(0) = 1 - policy.col(1).array();
    TangentPoint at{.nature = {}, .occupancy = occupancy(mdp, policy), .direction = {}};
    at.nature = worst_case(*instance.utility, *instance.ambiguity, at.occupancy).nature;
    slope += tangent(*instance.utility, at).slope / pieces;
    solution.witness.pieces.push_back({1.0 / pieces, std::make_shared<TangentPoint>(at)});
  }
  solution.witness.potential = optimal_plan(mdp, slope).value;
  solution.value = 1e3;
  solution.method = "by hand";
  return solution;
}

// Everything of a certificate once more, in more digits and by the plainest formulas. The least
// that a claim of this certificate is off by, relative; <= 0: all of them hold.
struct PlainCheck {
  Real bound = 0;
  bool is_distribution = true;
  Real outside = 0;  // the largest distance of a member from its set
};

PlainCheck plain_check(const Instance& instance, const CertificateRecord& certificate) {
  const FiniteMdp& mdp = instance.world.mdp;
  PlainCheck result;
  Exact c = Exact::Zero(kStates, kActions);
  Real offset = 0;
  Real total = 0;
  for (const WitnessPieceRecord& piece : certificate.witness.pieces) {
    total += piece.weight;
    if (!(piece.weight >= 0)) result.is_distribution = false;
  }
  if (!(std::abs(total - 1) <= 1e-9L)) result.is_distribution = false;
  for (const WitnessPieceRecord& piece : certificate.witness.pieces) {
    const Real w = piece.weight / total;
    const Exact xi = piece.nature.cast<Real>();
    if (const auto* u = dynamic_cast<const Constrained*>(instance.utility.get())) {
      for (Index s = 0; s < kStates; ++s) {
        for (Index a = 0; a < kActions; ++a) {
          c(s, a) += w * u->objective()(s, a);
          for (Index k = 0; k < xi.size(); ++k) {
            c(s, a) += w * xi(k) * u->constraints().table(s * kActions + a, k);
          }
        }
      }
      for (Index k = 0; k < xi.size(); ++k) {
        offset -= w * xi(k) * u->thresholds()(k);
        result.outside = std::max({result.outside, -xi(k), xi(k) - 3});
      }
    } else if (dynamic_cast<const QuadraticTarget*>(instance.utility.get()) != nullptr) {
      Real square = 0;
      for (Index i = 0; i < xi.size(); ++i) {
        const Real l = piece.occupancy.data()[i];
        c.data()[i] += w * (l - xi(i));
        offset += w * ((l - xi(i)) * (l - xi(i)) / 2 - (l - xi(i)) * l);
        square += (xi(i) - Real(1.0 / 6)) * (xi(i) - Real(1.0 / 6));
      }
      result.outside = std::max(result.outside, std::sqrt(square) - Real(0.2));
    } else {
      const auto& drift = dynamic_cast<const Drift&>(*instance.utility);
      const Exact map = as_matrix(piece.nature, 2, 3).cast<Real>();
      const Exact direction = piece.direction.cast<Real>();
      for (Index i = 0; i < kStates * kActions; ++i) {
        Real seen = 0;
        for (Index j = 0; j < 2; ++j) {
          for (Index k = 0; k < 3; ++k) seen += direction(j) * map(j, k) * drift.features()(i, k);
        }
        c.data()[i] -= w * seen * seen / direction.squaredNorm();
      }
      result.outside = std::max(result.outside, (map - Exact::Identity(2, 3)).norm() - Real(0.5));
    }
  }
  const Exact v = certificate.witness.potential.cast<Real>();
  const Real g = mdp.discount();
  Real start = 0;
  Real shortfall = -std::numeric_limits<Real>::infinity();
  for (Index s = 0; s < kStates; ++s) {
    start += mdp.start()(s) * v(s);
    for (Index a = 0; a < kActions; ++a) {
      Real next = 0;
      for (Index t = 0; t < kStates; ++t) {
        next += mdp.dense_kernel()(s * kActions + a, t) * v(t);
      }
      shortfall = std::max(shortfall, v(s) - c(s, a) - g * next);
    }
  }
  result.bound = offset + (1 - g) * start - shortfall;
  return result;
}

// Changes every digit of every number, one at a time, to each of three others.
struct Counts {
  int refused = 0;
  int accepted = 0;
  int unreadable = 0;
};
Counts try_every_digit(const Instance& instance) {
  const CertificateRecord certificate = certificate_of(instance, solution_of(instance, 3));
  const std::string text = to_text(certificate);
  EXPECT_TRUE(check_certificate(instance, parse_certificate(text)).failures.empty());
  const double rounding = check_certificate(instance, certificate).rounding;
  Counts counts;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted || std::isdigit(static_cast<unsigned char>(text[i])) == 0) continue;
    for (const int step : {1, 4, 9}) {
      std::string changed = text;
      changed[i] = static_cast<char>('0' + (text[i] - '0' + step) % 10);
      CertificateRecord other;
      try {
        other = parse_certificate(changed);
      } catch (const InvalidInput&) {
        ++counts.unreadable;  // a number must not begin with 0
        continue;
      }
      const bool refused = !check_certificate(instance, other).failures.empty();
      const PlainCheck plain = plain_check(instance, other);
      const Real lacking = other.lower_bound - plain.bound;
      const bool weaker =
          !plain.is_distribution || plain.outside > 1e-10L || lacking > 0 || std::isnan(lacking);
      const bool stands = plain.is_distribution && plain.outside <= 1e-14L &&
                          lacking <= -2 * Real(rounding) &&
                          other.witness.shortfall >= certificate.witness.shortfall &&
                          other.witness.potential == certificate.witness.potential &&
                          other.best_known >= certificate.lower_bound;
      const std::string place = changed.substr(i - std::min<std::size_t>(i, 20), 40);
      if (weaker) {
        EXPECT_TRUE(refused) << place;
      }
      if (stands) {
        EXPECT_FALSE(refused) << place;
      }
      ++(refused ? counts.refused : counts.accepted);
    }
  }
  return counts;
}

TEST(Certificate, HoldsAsWrittenAndProvesWhatItClaims) {
  for (const Instance& instance : {constrained_instance(), target_instance(), drift_instance()}) {
    const CertificateRecord certificate = certificate_of(instance, solution_of(instance, 3));
    const CertificateCheck check =
        check_certificate(instance, parse_certificate(to_text(certificate)));
    EXPECT_TRUE(check.failures.empty());
    const PlainCheck plain = plain_check(instance, certificate);
    EXPECT_LE(certificate.lower_bound, check.bound);
    EXPECT_LE(check.bound, plain.bound);
    EXPECT_NEAR(check.bound, static_cast<double>(plain.bound), 1e-12);
  }
}

TEST(Certificate, OneChangedDigitThatWeakensTheProofOfConstraintsIsRefused) {
  const Counts counts = try_every_digit(constrained_instance());
  EXPECT_GT(counts.refused, 100);
  EXPECT_GT(counts.accepted, 50);  // such as a lower bound that is lower
}

TEST(Certificate, OneChangedDigitThatWeakensTheProofOfATargetIsRefused) {
  const Counts counts = try_every_digit(target_instance());
  EXPECT_GT(counts.refused, 500);
  EXPECT_GT(counts.accepted, 100);
}

TEST(Certificate, OneChangedDigitThatWeakensTheProofOfADriftIsRefused) {
  const Counts counts = try_every_digit(drift_instance());
  EXPECT_GT(counts.refused, 300);
  EXPECT_GT(counts.accepted, 100);
}

TEST(Certificate, AMixtureOfMultipliersIsItsMean) {
  const Instance instance = constrained_instance();
  const GlobalSolution solution = solution_of(instance, 3);
  const CertificateRecord certificate = certificate_of(instance, solution);
  ASSERT_EQ(certificate.witness.pieces.size(), 1u);
  Vector mean = Vector::Zero(2);
  for (const WitnessPiece& piece : solution.witness.pieces) mean += piece.at->nature / 3;
  EXPECT_LE((certificate.witness.pieces[0].nature - mean).norm(), 1e-14);
  EXPECT_EQ(certificate.witness.pieces[0].occupancy.size(), 0);
  const MixtureRecord mixture = mixture_of(certificate.witness);
  EXPECT_LE((multipliers_in(*instance.utility, mean_of(mixture)) - mean).norm(), 1e-14);
}

TEST(Certificate, ADriftGetsDirectionsAndNoOccupancies) {
  const Instance instance = drift_instance();
  const CertificateRecord certificate = certificate_of(instance, solution_of(instance, 2));
  ASSERT_EQ(certificate.witness.pieces.size(), 2u);
  for (const WitnessPieceRecord& piece : certificate.witness.pieces) {
    EXPECT_NEAR(piece.direction.norm(), 1, 1e-12);
    EXPECT_EQ(piece.occupancy.size(), 0);
  }
}

TEST(Certificate, PiecesWithoutWeightAreLeftOutAndMembersStayInside) {
  const Instance instance = target_instance();
  GlobalSolution solution = solution_of(instance, 2);
  TangentPoint outside = *solution.witness.pieces[1].at;
  outside.nature =
      Vector::Constant(6, 1.0 / 6) + (1 + 1e-7) * (outside.nature - Vector::Constant(6, 1.0 / 6));
  solution.witness.pieces[1].at = std::make_shared<TangentPoint>(outside);
  solution.witness.pieces.push_back({0, solution.witness.pieces[0].at});
  const CertificateRecord certificate = certificate_of(instance, solution);
  EXPECT_EQ(certificate.witness.pieces.size(), 2u);
  EXPECT_TRUE(check_certificate(instance, certificate).failures.empty());
}

TEST(Certificate, WithoutAWitnessProvesNothing) {
  const Instance instance = target_instance();
  GlobalSolution solution = solution_of(instance, 2);
  solution.witness = {};
  solution.lower_bound = -7;
  const CertificateRecord certificate = certificate_of(instance, solution);
  EXPECT_EQ(certificate.lower_bound, -7);
  const CertificateCheck check = check_certificate(instance, certificate);
  EXPECT_EQ(check.bound, -kInfinity);
  ASSERT_EQ(check.failures.size(), 1u);
  EXPECT_THAT(check.failures[0], ::testing::HasSubstr("no witness"));
}

TEST(Certificate, OfAnotherProblemIsRefusedWithTheReason) {
  const CertificateRecord certificate =
      certificate_of(target_instance(), solution_of(target_instance(), 2));
  const CertificateCheck check = check_certificate(constrained_instance(), certificate);
  ASSERT_FALSE(check.failures.empty());
  EXPECT_THAT(check.failures[0], ::testing::HasSubstr("does not fit the problem"));
}

TEST(Certificate, TextThatIsNoneIsRefusedWithItsPlace) {
  const CertificateRecord certificate =
      certificate_of(drift_instance(), solution_of(drift_instance(), 2));
  const Json whole = parse_json(to_text(certificate));
  const auto changed = [&](auto change) {
    Json json = whole;
    change(json);
    return [json] { parse_certificate(json.dump()); };
  };
  expect_invalid(changed([](Json& json) { json["witness"].erase("potential"); }),
                 "\"potential\" is missing");
  expect_invalid(changed([](Json& json) { json["witness"]["pieces"] = Json::array(); }),
                 "\"pieces\" is not a list of at least one piece");
  expect_invalid(changed([](Json& json) { json["witness"]["pieces"][0]["xi"][1] = "x"; }),
                 "\"xi\"");
  expect_invalid(changed([](Json& json) { json["witness"]["pieces"][1] = 3; }), "\"weight\"");
  expect_invalid(changed([](Json& json) { json["witness"] = 3; }), "\"shortfall\"");
  expect_invalid(changed([](Json& json) {
                   json["witness"]["pieces"][0]["occupancy"] = Json::parse("[[1, 2], [3]]");
                 }),
                 "\"occupancy\" row 1");
}

TEST(ProblemText, HoldsTheProblemInPlainArrays) {
  const Instance instance = drift_instance();
  const Json json = parse_json(problem_text(instance));
  EXPECT_EQ(json["model"]["states"], kStates);
  EXPECT_EQ(json["model"]["offsets"].size(), std::size_t(kStates * kActions + 1));
  EXPECT_EQ(vector_of(json["model"], "probability").size(), kStates * kActions * kStates);
  EXPECT_EQ(vector_of(json["model"], "probability")(0), instance.world.mdp.dense_kernel()(0, 0));
  EXPECT_EQ(matrix_of(json["utility"], "features"),
            dynamic_cast<const Drift&>(*instance.utility).features());
  EXPECT_EQ(matrix_of(json["ambiguity"], "centre"), Matrix(Matrix::Identity(2, 3)));
}

TEST(ProblemText, IsEmptyForLargeProblems) {
  EXPECT_FALSE(problem_text(drift_instance(), 100).empty());
  EXPECT_TRUE(problem_text(drift_instance(), 60).empty());
}

TEST(MultipliersIn, AreThoseOfTheConstrainedPartsOfASum) {
  const auto constrained = constrained_instance().utility;
  const Sum sum({{1, small_drift()}, {2, constrained}, {1, constrained}});
  Vector xi(10);
  xi << 0, 0, 0, 0, 0, 0, 1, 2, 3, 4;
  EXPECT_EQ(multipliers_in(sum, xi), Vector({{1, 2, 3, 4}}));
  EXPECT_EQ(multipliers_in(*small_drift(), Vector::Zero(6)).size(), 0);
}

}  // namespace
}  // namespace rgu
