#include "rgu/experiment/instance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mdp/file_testing.hpp"
#include "rgu/ambiguity/box.hpp"
#include "rgu/ambiguity/ellipsoid.hpp"
#include "rgu/ambiguity/intersection_set.hpp"
#include "rgu/ambiguity/lp_ball.hpp"
#include "rgu/ambiguity/matrix_ball.hpp"
#include "rgu/ambiguity/polytope.hpp"
#include "rgu/ambiguity/product_set.hpp"
#include "rgu/ambiguity/simplex.hpp"
#include "rgu/ambiguity/singleton.hpp"
#include "rgu/experiment/demonstrations.hpp"
#include "rgu/mdp/io/world_file.hpp"
#include "rgu/mdp/softmax.hpp"
#include "rgu/utility/constrained.hpp"
#include "rgu/utility/drift.hpp"
#include "rgu/utility/entropy.hpp"
#include "rgu/utility/regularized.hpp"
#include "rgu/utility/reward.hpp"
#include "rgu/utility/reward_robust.hpp"
#include "rgu/utility/sum.hpp"
#include "rgu/utility/target.hpp"
#include "rgu/utility/variance.hpp"

namespace rgu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kSeed = 3;
const std::string kMap = "S.a\nH.G";  // 6 states, 4 actions
const std::string kGrid = "[model]\ngenerator = 'grid'\nmap = \"\"\"\n" + kMap + "\n\"\"\"\n";
const std::string kReward = "[utility]\ntype = 'reward'\n";

Instance made(const std::string& text, std::uint64_t seed = kSeed) {
  return make_instance(read_config({"p.toml", text, {}}), seed);
}

const World& grid() {
  static const World kWorld = grid_world(kMap);
  return kWorld;
}

Matrix signal(const char* name) { return grid().signals.at(name); }

// A random point of the simplex over (state, action).
Matrix random_occupancy(Index states, Index actions) {
  Rng rng(77);
  Matrix occupancy(states, actions);
  for (double& x : occupancy.reshaped()) x = rng.exponential();
  return occupancy / occupancy.sum();
}

void expect_same_utility(const Utility& a, const Utility& b) {
  ASSERT_EQ(a.nature_dimension(), b.nature_dimension());
  Rng rng(78);
  const Matrix occupancy = random_occupancy(a.states(), a.actions());
  const Vector xi = uniform_vector(a.nature_dimension(), rng);
  const UtilityGradient of_a = a.evaluate(occupancy, xi);
  const UtilityGradient of_b = b.evaluate(occupancy, xi);
  EXPECT_EQ(of_a.value, of_b.value);
  EXPECT_EQ(of_a.occupancy, of_b.occupancy);
  EXPECT_EQ(of_a.nature, of_b.nature);
}

void expect_same_set(const ConvexSet& a, const ConvexSet& b) {
  ASSERT_EQ(a.dimension(), b.dimension());
  EXPECT_EQ(a.diameter(), b.diameter());
  Rng rng(79);
  for (int i = 0; i < 5; ++i) {
    const Vector point = 5 * normal_vector(a.dimension(), rng);
    EXPECT_EQ(a.project(point), b.project(point));
    EXPECT_EQ(a.support_point(point), b.support_point(point));
  }
}

// What the table [utility] makes, against the same made by hand.
void expect_utility(const std::string& table, const Utility& utility, const Vector& nominal) {
  SCOPED_TRACE(table);
  const Instance instance = made(kGrid + "[utility]\n" + table);
  expect_same_utility(*instance.utility, utility);
  EXPECT_EQ(instance.nominal, nominal);
  EXPECT_TRUE(contains(*instance.ambiguity, nominal));
}

TEST(InstanceUtility, WithoutXiIsTheOneMadeByHand) {
  const OccupancyShape shape{.states = 6, .actions = 4};
  expect_utility("type='reward'\nsignal='hazard'", LinearReward(signal("hazard")), Vector(0));
  expect_utility("type='entropy'\ndelta=0.1", Entropy({.shape = shape, .delta = 0.1}), Vector(0));
  expect_utility("type='entropy'\nover='state-actions'",
                 Entropy({.shape = shape, .over = Marginal::kStateActions}), Vector(0));
}

TEST(InstanceUtility, WithAnUncertainRewardIsTheOneMadeByHand) {
  expect_utility("type='reward-robust'\nsignal='goal'", RewardRobust({.states = 6, .actions = 4}),
                 flatten(signal("goal")));
  const std::string weighted = "signals=['goal', 'a']\nweights=[1, -0.5]\n";
  expect_utility("type='feature-reward'\n" + weighted,
                 FeatureRewardRobust({signal("goal"), signal("a")}), Vector{{1, -0.5}});
  expect_utility("type='variance'\naversion=0.3\n" + weighted,
                 Variance({.features = {signal("goal"), signal("a")}, .aversion = 0.3}),
                 Vector{{1, -0.5}});
}

// at_least is at_most of the negative.
TEST(InstanceUtility, WithConstraintsIsTheOneMadeByHand) {
  const std::string limits =
      "constraints=[{signal='hazard', at_most=0.1}, {signal='a', at_least=0.2}]\n";
  const auto by_hand = [](const Matrix& objective) {
    return Constrained({.objective = objective,
                        .constraints = {signal("hazard"), -signal("a")},
                        .thresholds = Vector{{0.1, -0.2}}});
  };
  expect_utility("type='constrained'\n" + limits, by_hand(-signal("reward")), Vector::Zero(2));
  expect_utility("type='constrained'\nsignal='a'\n" + limits, by_hand(-signal("a")),
                 Vector::Zero(2));
  expect_utility("type='constrained'\ncost='a'\n" + limits, by_hand(signal("a")), Vector::Zero(2));
}

TEST(InstanceUtility, WithATargetIsTheOneMadeByHand) {
  const OccupancyShape shape{.states = 6, .actions = 4};
  const ExpertConfig expert{.signal = "goal", .trajectories = 4, .horizon = 9};
  const Matrix target = demonstrated_occupancy({.file = {}, .expert = expert}, grid(), kSeed);
  const std::string table = "expert={signal='goal', trajectories=4, horizon=9}\n";
  expect_utility("type='quadratic-target'\n" + table, QuadraticTarget(shape), flatten(target));
  expect_utility("type='kl-target'\ndelta=0.01\n" + table,
                 KlTarget({.shape = shape, .delta = 0.01}), target.rowwise().sum());
  expect_utility("type='kl-target'\nover='state-actions'\n" + table,
                 KlTarget({.shape = shape, .over = Marginal::kStateActions}), flatten(target));
}

TEST(InstanceUtility, WithDriftIsTheOneMadeByHand) {
  Matrix features(24, 3);
  Rng rng(kSeed, kFeatureStream);
  for (double& x : features.reshaped<Eigen::RowMajor>()) x = rng.normal();
  const Matrix identity = Matrix::Identity(2, 3);
  expect_utility("type='drift'\ndimension=2\nfeature_dimension=3\nsmoothing=4",
                 Drift({.actions = 4, .features = features, .dimension = 2, .smoothing = 4}),
                 flatten(identity));
  features.col(0) = flatten(signal("goal"));
  features.col(1) = flatten(signal("a"));
  features.col(2) = flatten(signal("hazard"));
  expect_utility("type='drift'\ndimension=2\nsignals=['goal', 'a', 'hazard']",
                 Drift({.actions = 4, .features = features, .dimension = 2}), flatten(identity));
}

TEST(InstanceUtility, OfASumIsTheOneMadeByHand) {
  const auto feature =
      std::make_shared<FeatureRewardRobust>(std::vector<Matrix>{signal("goal"), signal("a")});
  const auto entropy =
      std::make_shared<Entropy>(EntropyOptions{.shape = {.states = 6, .actions = 4}});
  const auto regular = std::make_shared<NatureRegularized>(
      feature, NatureRegularization{.modulus = 0.7, .centre = Vector{{1, 2}}});
  expect_utility(
      "type='sum'\nparts=[{weight=2, type='feature-reward', signals=['goal', 'a'], weights=[1, 2], "
      "regularization=0.7}, {weight=0.5, type='entropy'}]",
      Sum({{2.0, regular}, {0.5, entropy}}), Vector{{1, 2}});
}

TEST(InstanceUtility, HasTheShapeOfItsXi) {
  const auto shape = [](const std::string& table) {
    const Instance instance = made(kGrid + "[utility]\n" + table);
    return std::pair(instance.nature_rows, instance.nature_columns);
  };
  EXPECT_EQ(shape("type='reward'"), std::pair(Index{0}, Index{1}));
  EXPECT_EQ(shape("type='reward-robust'"), std::pair(Index{6}, Index{4}));
  EXPECT_EQ(shape("type='drift'\ndimension=2\nfeature_dimension=5"), std::pair(Index{2}, Index{5}));
  EXPECT_EQ(shape("type='kl-target'\nexpert={}"), std::pair(Index{6}, Index{1}));
  EXPECT_EQ(shape("type='kl-target'\nexpert={}\nover='state-actions'"),
            std::pair(Index{6}, Index{4}));
  EXPECT_EQ(shape("type='sum'\nparts=[{type='reward-robust'}, {type='reward-robust'}]"),
            std::pair(Index{48}, Index{1}));
}

// Sets around the nominal xi (1, 2).
const std::string kTwo =
    kGrid + "[utility]\ntype='feature-reward'\nsignals=['goal', 'a']\nweights=[1, 2]\n";

void expect_set(const std::string& table, const ConvexSet& set) {
  SCOPED_TRACE(table);
  expect_same_set(*made(kTwo + "[ambiguity]\n" + table).ambiguity, set);
}

TEST(InstanceSet, OfEachVectorKindIsTheOneMadeByHand) {
  const Vector centre{{1, 2}};
  const double infinity = std::numeric_limits<double>::infinity();
  expect_set("set='singleton'", Singleton(centre));
  expect_set("set='lp-ball'\nradius=0.5", LpBall({.centre = centre, .radius = 0.5, .p = 2}));
  expect_set("set='lp-ball'\nradius=0.5\np=1.5",
             LpBall({.centre = centre, .radius = 0.5, .p = 1.5}));
  expect_set("set='lp-ball'\nradius=1\np='inf'",
             LpBall({.centre = centre, .radius = 1, .p = infinity}));
  expect_set("set='lp-ball'\nradius=1\ncentre=[3, 4]",
             LpBall({.centre = Vector{{3, 4}}, .radius = 1, .p = 2}));
  expect_set("set='ellipsoid'\nradius=0.5\nweights=[1, 4]",
             Ellipsoid(WeightedBall{.centre = centre, .weights = Vector{{1, 4}}, .radius = 0.5}));
  expect_set("set='box'\nradius=0.5",
             Box({.lower = Vector{{0.5, 1.5}}, .upper = Vector{{1.5, 2.5}}}));
  expect_set("set='box'\nlower=0\nupper=[3, 4]",
             Box({.lower = Vector{{0, 0}}, .upper = Vector{{3, 4}}}));
  expect_set("set='capped-orthant'\ntotal=7", CappedOrthant(2, 7));
  expect_set("set='simplex'", ProbabilitySimplex(2));
  expect_set("set='polytope'\nnormals=[[1, 0], [0, 1], [-1, -1]]\noffsets=[1, 2, 3]",
             Polytope(Matrix{{1, 0}, {0, 1}, {-1, -1}}, Vector{{1, 2, 3}}));
}

TEST(InstanceSet, OfEachMatrixKindIsTheOneMadeByHand) {
  const std::string drift = kGrid + "[utility]\ntype='drift'\ndimension=2\nfeature_dimension=3\n";
  const Matrix identity = Matrix::Identity(2, 3);
  expect_same_set(*made(drift + "[ambiguity]\nset='frobenius'\nradius=0.5").ambiguity,
                  FrobeniusBall(identity, 0.5));
  expect_same_set(*made(drift + "[ambiguity]\nset='spectral'\nradius=0.5").ambiguity,
                  SpectralBall(identity, 0.5));
}

TEST(InstanceSet, OfPartsIsTheOneMadeByHand) {
  const auto ball = std::make_shared<LpBall>(LpBallShape{.centre = Vector{{1, 2}}, .radius = 1});
  const auto box =
      std::make_shared<Box>(Bounds{.lower = Vector{{0, 0}}, .upper = Vector{{1.5, 1.5}}});
  expect_set(
      "set='intersection'\nparts=[{set='lp-ball', radius=1}, {set='box', lower=0, upper=1.5}]",
      IntersectionSet({ball, box}));
  expect_set(
      "set='product'\nparts=[{set='box', radius=1, centre=[5]}, {set='singleton', centre=[2]}]",
      ProductSet({std::make_shared<Box>(Bounds{.lower = Vector{{4}}, .upper = Vector{{6}}}),
                  std::make_shared<Singleton>(Vector{{2}})}));
}

TEST(InstanceSet, MovesTheNominalPointToItsCentre) {
  EXPECT_EQ(made(kTwo + "[ambiguity]\nset='lp-ball'\nradius=1").nominal, (Vector{{1, 2}}));
  EXPECT_EQ(made(kTwo + "[ambiguity]\nset='lp-ball'\nradius=1\ncentre=[3, 4]").nominal,
            (Vector{{3, 4}}));
  EXPECT_EQ(made(kTwo + "[ambiguity]\nset='product'\nparts=[{set='singleton', centre=[5]}, "
                        "{set='box', lower=[0], upper=[4]}]")
                .nominal,
            (Vector{{5, 2}}));
}

TEST(InstanceSet, OfAProductLinesUpWithTheSum) {
  const std::string sum =
      kGrid +
      "[utility]\ntype='sum'\nparts=[{type='drift', dimension=1, feature_dimension=2}, "
      "{type='entropy'}, {type='feature-reward', signals=['a'], weights=[3]}]\n";
  const ProductSet by_hand(
      {std::make_shared<SpectralBall>(Matrix{{1, 0}}, 0.5),
       std::make_shared<LpBall>(LpBallShape{.centre = Vector{{3}}, .radius = 1})});
  const std::string first = "[ambiguity]\nset='product'\nparts=[{set='spectral', radius=0.5}, ";
  expect_same_set(*made(sum + first + "{set='lp-ball', radius=1}]").ambiguity, by_hand);
  expect_same_set(*made(sum + first + "{}, {set='lp-ball', radius=1}]").ambiguity, by_hand);
}

TEST(InstanceSet, ThatDoesNotFitTheUtilityIsRefused) {
  const auto message = [](const std::string& table) {
    return thrown_by([&] { made(kTwo + "[ambiguity]\n" + table); });
  };
  EXPECT_EQ(message("set='lp-ball'\nradius=1\ncentre=[1, 2, 3]"),
            "ambiguity: centre has 3 entries, must have 2, the length of the utility's xi");
  EXPECT_EQ(message("set='ellipsoid'\nradius=1\nweights=[1]"),
            "ambiguity: weights has 1 entries, must have 2");
  EXPECT_EQ(message("set='box'\nlower=[0]\nupper=1"),
            "ambiguity: lower has 1 entries, must have 2");
  EXPECT_EQ(message("set='polytope'\nnormals=[[1]]\noffsets=[1]"),
            "ambiguity: normals have 1 columns, must have 2, the length of the utility's xi");
  EXPECT_THAT(message("set='box'\nlower=[0, 3]\nupper=1"), HasSubstr("ambiguity: "));
  EXPECT_EQ(message("set='simplex'\ncentre=[1, 2]"),
            "ambiguity: centre means nothing for this set; remove it");
  EXPECT_EQ(message("set='product'\nparts=[{set='lp-ball', radius=1}]"),
            "ambiguity: parts[0]: needs a 'centre', because the utility is no sum of 1 parts");
  EXPECT_THAT(message("set='product'\nparts=[{set='lp-ball', radius=1, centre=[1]}]"),
              HasSubstr("parts have 1 coordinates, must have 2"));
  EXPECT_THAT(message("set='product'\nparts=[{set='lp-ball', radius=1, centre=[1, 2, 3]}]"),
              HasSubstr("have 3 coordinates, must have 2 in all"));
  EXPECT_EQ(thrown_by([] { made(kGrid + kReward + "[ambiguity]\nset='lp-ball'\nradius=1"); }),
            "ambiguity: the utility has no xi, so the set must be \"singleton\"");
}

TEST(Instance, NamesSignalsThatTheWorldLacks) {
  EXPECT_EQ(thrown_by([] { made(kGrid + "[utility]\ntype='reward'\nsignal='hazrad'"); }),
            "utility: no signal 'hazrad' in the world, which has a, goal, hazard, reward; did you "
            "mean 'hazard'?");
  EXPECT_EQ(thrown_by([] { made("[model]\ngenerator='random'\n" + kReward); }),
            "utility: no signal 'reward': the world has no signals");
  EXPECT_THAT(
      thrown_by([] { made(kGrid + "[utility]\ntype='sum'\nparts=[{type='reward', signal='z'}]"); }),
      HasSubstr("utility: parts[0]: no signal 'z'"));
}

TEST(Instance, SaysWhichTableIsWrong) {
  EXPECT_EQ(thrown_by([] {
              made("[model]\ngenerator='grid'\nmap='x!'\n" + kReward);
            }).rfind("model: grid map line 1 column 2 is '!'", 0),
            0u);
  EXPECT_THAT(thrown_by([] { made("[model]\nfile='/no/such.json'\n" + kReward); }),
              HasSubstr("model: "));
  EXPECT_THAT(
      thrown_by([] { made(kGrid + "[utility]\ntype='drift'\ndimension=5\nfeature_dimension=2"); }),
      HasSubstr("utility: "));
  EXPECT_THAT(
      thrown_by([] { made(kGrid + kReward + "[policy]\nclass='log-linear'\nsignals=['q']"); }),
      HasSubstr("policy: no signal 'q'"));
}

const std::string kRandom =
    "[model]\ngenerator='random'\nstates=4\nactions=3\n"
    "[policy]\nclass='log-linear'\nfeatures=5\nstart='normal'\n"
    "[utility]\ntype='drift'\ndimension=2\nfeature_dimension=3\n";

TEST(Instance, OfTheSameSeedIsTheSameToTheLastBit) {
  const Instance a = made(kRandom, 8);
  const Instance b = made(kRandom, 8);
  EXPECT_EQ(a.world.mdp.dense_kernel(), b.world.mdp.dense_kernel());
  EXPECT_EQ(a.start, b.start);
  EXPECT_EQ(dynamic_cast<const LogLinearSoftmax&>(*a.policy).features(),
            dynamic_cast<const LogLinearSoftmax&>(*b.policy).features());
  expect_same_utility(*a.utility, *b.utility);
}

TEST(Instance, OfAnotherSeedDiffersInEverythingRandom) {
  const Instance a = made(kRandom, 8);
  const Instance b = made(kRandom, 9);
  EXPECT_NE(a.world.mdp.dense_kernel(), b.world.mdp.dense_kernel());
  EXPECT_NE(a.start, b.start);
  EXPECT_NE(dynamic_cast<const LogLinearSoftmax&>(*a.policy).features(),
            dynamic_cast<const LogLinearSoftmax&>(*b.policy).features());
  EXPECT_NE(dynamic_cast<const Drift&>(*a.utility).features(),
            dynamic_cast<const Drift&>(*b.utility).features());
}

TEST(Instance, WithAModelSeedSharesItsWorldAndFeatures) {
  const std::string fixed = "[model]\nseed=42\ngenerator='random'\nstates=4\nactions=3\n" +
                            kRandom.substr(kRandom.find("[policy]"));
  const Instance a = made(fixed, 8);
  const Instance b = made(fixed, 9);
  EXPECT_EQ(a.world.mdp.dense_kernel(), b.world.mdp.dense_kernel());
  EXPECT_EQ(a.world.mdp.dense_kernel(), made(kRandom, 42).world.mdp.dense_kernel());
  expect_same_utility(*a.utility, *b.utility);
  EXPECT_NE(a.start, b.start);
}

TEST(Instance, DrawsModelAndFeaturesFromStreamsOfTheirOwn) {
  const Instance instance = made(kRandom, 8);
  Rng rng(8, kModelStream);
  const World world = random_model({.states = 4, .actions = 3}, rng);
  EXPECT_EQ(instance.world.mdp.dense_kernel(), world.mdp.dense_kernel());
}

TEST(Instance, StartsWithinItsParameters) {
  const std::string policy = "[policy]\nstart='normal'\nstart_scale=100\nbound=0.5\n";
  const Instance box = made(kGrid + kReward + policy);
  EXPECT_LE(box.start.cwiseAbs().maxCoeff(), 0.5);
  EXPECT_GT(box.start.norm(), 0.5);
  const Instance ball = made(kGrid + kReward + policy + "set='ball'\n");
  EXPECT_NEAR(ball.start.norm(), 0.5, 1e-12);
  EXPECT_EQ(made(kGrid + kReward).start, Vector::Zero(24));
}

TEST(Instance, UsesSignalsAsFeaturesOfPolicies) {
  const Instance instance =
      made(kGrid + kReward + "[policy]\nclass='log-linear'\nsignals=['a', 'goal']");
  const Matrix& features = dynamic_cast<const LogLinearSoftmax&>(*instance.policy).features();
  EXPECT_EQ(features.col(0), flatten(signal("a")));
  EXPECT_EQ(features.col(1), flatten(signal("goal")));
}

TEST(Instance, KnowsTheMapAndTheNamesOfActions) {
  const Instance instance = made(kGrid + kReward);
  EXPECT_EQ(instance.map, kMap);
  EXPECT_THAT(instance.action_names, ElementsAre("north", "east", "south", "west"));
  EXPECT_THAT(made("[model]\ngenerator='inventory'\ncapacity=2\n" + kReward).action_names,
              ElementsAre("order 0", "order 1", "order 2"));
  EXPECT_THAT(made("[model]\ngenerator='river-swim'\n" + kReward).action_names,
              ElementsAre("left", "right"));
  EXPECT_TRUE(made("[model]\ngenerator='garnet'\n" + kReward).map.empty());
}

TEST(Instance, DrawsTheMapOfARandomGridAndOfAFile) {
  const std::string random = "[model]\ngenerator='random-grid'\nrows=3\ncolumns=5\n" + kReward;
  const Instance drawn = made(random);
  EXPECT_EQ(drawn.map.size(), 3u * 5u + 2u);
  EXPECT_NE(drawn.map, made(random, 4).map);
  const TemporaryFolder folder;
  write_world(folder / "w.json", drawn.world);
  const ProblemConfig config =
      read_config({"p.toml", "[model]\nfile='w.json'\n" + kReward, folder.path()});
  const Instance stored = make_instance(config, kSeed);
  EXPECT_EQ(stored.map, drawn.map);
  EXPECT_EQ(stored.action_names, drawn.action_names);
  EXPECT_EQ(stored.world.signals, drawn.world.signals);
}

TEST(Instance, ReadsDemonstrationsBesideTheProblem) {
  const TemporaryFolder folder;
  put(folder / "d.csv", "trajectory,step,state,action\n0,0,0,1\n");
  const std::string text = kGrid + "[utility]\ntype='quadratic-target'\ndemonstrations='d.csv'\n";
  const Instance instance = make_instance(read_config({"p.toml", text, folder.path()}), kSeed);
  EXPECT_EQ(instance.nominal, Vector::Unit(24, 1));
  put(folder / "d.csv", "trajectory,step,state,action\n0,0,0,9\n");
  EXPECT_THAT(thrown_by([&] {
                make_instance(read_config({"p.toml", text, folder.path()}), kSeed);
              }),
              HasSubstr("d.csv:2: action is 9"));
}

TEST(Instance, DescribesItselfInOneLineEach) {
  const Instance instance = made(kTwo + "[ambiguity]\nset='lp-ball'\nradius=0.5\np=1.5");
  EXPECT_EQ(
      instance.utility_text,
      "minus a reward with uncertain weights: -<sum_i xi_i phi_i, lambda>, phi = (goal, a), 6 "
      "states x 4 actions");
  EXPECT_EQ(instance.ambiguity_text, "l_1.5 ball |xi - centre|_1.5 <= 0.5 in R^2");
}

}  // namespace
}  // namespace rgu
