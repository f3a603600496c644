#include "rgu/experiment/config.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "laws/throws.hpp"
#include "rgu/experiment/built_in.hpp"
#include "rgu/experiment/method.hpp"
#include "rgu/experiment/runner.hpp"

namespace rgu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSmallest = "[model]\ngenerator = 'random'\n[utility]\ntype = 'reward'\n";

ProblemConfig parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_config({"problem.toml", text, "/home/me"}, overrides);
}

void expect_round_trip(const ProblemConfig& config) {
  const std::string text = to_toml(config);
  const ProblemConfig again = read_config({"written", text, {}});
  EXPECT_EQ(to_toml(again), text);
  EXPECT_EQ(again, config);
}

TEST(Config, FillsInTheDefaults) {
  const ProblemConfig config = parse(kSmallest);
  EXPECT_THAT(config.seeds, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(std::get<RandomModelOptions>(config.model.source).states, 10);
  EXPECT_FALSE(config.model.seed.has_value());
  EXPECT_EQ(config.policy.bound, 10);
  EXPECT_EQ(std::get<RewardConfig>(config.utility.kind).signal, "reward");
  EXPECT_TRUE(std::holds_alternative<SingletonConfig>(config.ambiguity.kind));
  EXPECT_EQ(config.gradient.kind, GradientKind::kExact);
  EXPECT_TRUE(std::holds_alternative<AutoConfig>(config.solver.method));
  EXPECT_FALSE(config.stopping.iterations.has_value());
  EXPECT_EQ(iteration_limit(config), 300);
  EXPECT_FALSE(config.stopping.seconds.has_value());
  EXPECT_EQ(config.output.checkpoint_seconds, 2.0);
  expect_round_trip(config);
}

TEST(Config, ReadsSeedsAsANumberOrAList) {
  EXPECT_THAT(parse(std::string("seeds = 2\n") + kSmallest).seeds, ElementsAre(0, 1));
  EXPECT_THAT(parse(std::string("seeds = [7, 3]\n") + kSmallest).seeds, ElementsAre(7, 3));
}

TEST(Config, ReadsSchedulesInAllThreeForms) {
  const ProblemConfig config = parse(std::string(kSmallest) + R"(
[gradient]
kind = "sampled"
trajectories = [100, 200]
horizon = { base = 5, rate = 2.5, growth = "log", max = 60 }
policy_horizon = 9
)");
  EXPECT_EQ(config.gradient.trajectories, (Schedule{.values = {100, 200}}));
  EXPECT_EQ(config.gradient.horizon.growing,
            (GrowingCount{.base = 5, .rate = 2.5, .growth = Growth::kLog, .max = 60}));
  EXPECT_EQ(config.gradient.policy_horizon, (Schedule{.values = {9}}));
  EXPECT_FALSE(config.gradient.policy_trajectories.has_value());
  expect_round_trip(config);
}

TEST(Config, ReadsAutoAndInfinity) {
  const ProblemConfig config = parse(std::string(kSmallest) + R"(
[ambiguity]
set = "lp-ball"
radius = 1
p = "inf"
[solver]
method = "pgda"
policy_step = "auto"
nature_step = 0.1
)");
  EXPECT_TRUE(std::isinf(std::get<LpBallConfig>(config.ambiguity.kind).p));
  EXPECT_EQ(parse(to_toml(config), {"ambiguity.p=inf"}), config);
  const auto& method = std::get<PgdaConfig>(config.solver.method);
  EXPECT_FALSE(method.policy_step.has_value());
  EXPECT_EQ(method.nature_step, 0.1);
  expect_round_trip(config);
}

// Numbers that short printing would spoil, text that needs escapes, and nested parts.
TEST(Config, WritesEveryKindSoThatItReadsBackToTheLastBit) {
  for (const char* text : {
           "[model]\nfile='w.json'\n[utility]\ntype='kl-target'\ndemonstrations='d.csv'\n"
           "over='state-actions'\ndelta=1e-300\n[ambiguity]\nset='simplex'",
           "[model]\ngenerator='random-grid'\nslip=0.30000000000000004\nseed=9007199254740993\n"
           "[utility]\ntype='constrained'\ncost='hazard'\n"
           "constraints=[{signal='goal', at_least=0.1}]\n"
           "[ambiguity]\nset='capped-orthant'\ntotal=123456789.12345679",
           "name=\"a \\\"b\\\" \\\\ \\t c\"\ndescription='two\\nlines'\n"
           "[model]\ngenerator='river-swim'\nlarge_reward=-0.0\n[policy]\nclass='log-linear'\n"
           "signals=['reward']\nset='ball'\nstart='normal'\n"
           "[utility]\ntype='sum'\nparts=[{weight=0.1, type='drift', signals=['reward'], "
           "dimension=1}, {type='sum', parts=[{type='entropy'}]}, "
           "{type='quadratic-target', expert={horizon=3}}]\n"
           "[ambiguity]\nset='product'\nparts=[{set='spectral', radius=1}, {}, "
           "{set='intersection', parts=[{set='box', radius=1}, {set='box', lower=0, "
           "upper=[1, 2]}]}]",
           "[model]\ngenerator='garnet'\n[utility]\ntype='variance'\nsignals=['reward']\n"
           "weights=[0.1]\nregularization=5e-324\n[ambiguity]\nset='polytope'\n"
           "normals=[[1],[-1]]\noffsets=[1e22, 1]\n[solver]\nmethod='pgda-lp'",
           "[model]\ngenerator='inventory'\nlargest_order=3\n[utility]\ntype='feature-reward'\n"
           "signals=['revenue']\nweights=[1]\n[ambiguity]\nset='ellipsoid'\nradius=2\n"
           "weights=[3]\ncentre=[0.7]\n[stopping]\nsamples=5\nseconds=1.5\nresidual=1e-9\n"
           "[output]\ntensorboard=true",
       }) {
    SCOPED_TRACE(text);
    expect_round_trip(parse(text));
  }
}

TEST(Config, WritesNegativeZeroAndLargeIntegersExactly) {
  const ProblemConfig config = parse(
      "[model]\ngenerator='river-swim'\nlarge_reward=-0.0\nseed=9223372036854775807\n[utility]\n"
      "type='reward'");
  const ProblemConfig again = read_config({"written", to_toml(config), {}});
  EXPECT_TRUE(std::signbit(std::get<RiverSwimOptions>(again.model.source).large_reward));
  EXPECT_EQ(again.model.seed, std::uint64_t{9223372036854775807});
}

TEST(Config, KeepsAMapReadable) {
  EXPECT_THAT(to_toml(read_config(find_problem("reward-robust"))),
              HasSubstr("map = \"\"\"\nS......#\n.##.#...\n"));
}

TEST(Config, WritesControlCharactersInTextOfSeveralLinesSoThatTheyReadBack) {
  expect_round_trip(parse(kSmallest, {"description=\"one\\n\\u0001two\\u007F\""}));
}

// Tables in tables would take all of the stack; numbers and maps have many dots rightly.
TEST(Config, RefusesKeysNestedWithoutEnd) {
  std::string key = "a";
  for (int i = 0; i < 100'000; ++i) key += ".a";
  for (const std::string& text : {key + " = 1\n", "[" + key + "]\n", key + " = 1\n}{"}) {
    expect_invalid([&] { parse(text); }, "problem.toml:1: more than 150 dots in a line");
  }
  expect_invalid([&] { parse(kSmallest, {key + "=1"}); }, "more than 150 dots in a line");
}

TEST(Config, TakesManyDotsOfNumbersAndMaps) {
  std::string numbers = "1.5";
  std::string row = "S";
  for (int i = 0; i < 500; ++i) {
    numbers += ", +0.25";
    row += i % 3 == 0 ? "#." : "...";
  }
  const ProblemConfig config =
      parse(fmt::format("[model]\ngenerator = 'grid'\nmap = '{}'\n[utility]\ntype = 'entropy'\n"
                        "[ambiguity]\nset = 'ellipsoid'\nradius = 1\nweights = [{}]\n",
                        row, numbers));
  EXPECT_EQ(std::get<EllipsoidConfig>(config.ambiguity.kind).weights.size(), 501u);
}

TEST(Config, ResolvesRelativePathsFromTheFolderOfTheFile) {
  const std::string text = "[model]\nfile = '../worlds/w.json'\n[utility]\ntype = 'reward'\n";
  const auto file = [](const ProblemConfig& config) {
    return std::get<WorldFileConfig>(config.model.source).file;
  };
  EXPECT_EQ(file(parse(text)), "/home/worlds/w.json");
  EXPECT_EQ(file(parse(text, {"model.file=/abs/w.csv"})), "/abs/w.csv");
  EXPECT_EQ(file(read_config({"x", text, {}})),
            std::filesystem::absolute("../worlds/w.json").lexically_normal());
  EXPECT_THAT(to_toml(parse(text)), HasSubstr("file = \"/home/worlds/w.json\""));
}

TEST(Config, TreatsEqualFilesAsEqualAndOthersNot) {
  EXPECT_EQ(parse(kSmallest), parse(std::string("# a comment\n") + kSmallest));
  EXPECT_FALSE(parse(kSmallest) == parse(kSmallest, {"model.states=11"}));
  EXPECT_FALSE(parse(kSmallest) == parse(kSmallest, {"stopping.seconds=1"}));
}

TEST(Overrides, ChangeNumbersWordsAndMissingTables) {
  const ProblemConfig config =
      parse(kSmallest, {"model.states=7", "solver.method=pgda", "solver.inner_steps=3",
                        "name=my problem", "seeds=[4]", "model.states = 8"});
  EXPECT_EQ(std::get<RandomModelOptions>(config.model.source).states, 8);
  EXPECT_EQ(std::get<PgdaConfig>(config.solver.method).inner_steps, 3);
  EXPECT_EQ(config.name, "my problem");
  EXPECT_THAT(config.seeds, ElementsAre(4));
}

TEST(Overrides, ReachIntoLists) {
  const std::string text =
      "[model]\ngenerator='random'\n[utility]\ntype='sum'\n"
      "parts=[{type='reward'}, {type='reward', weight=2}]";
  const ProblemConfig config =
      parse(text, {"utility.parts.1.weight=5", "utility.parts.0={type='entropy'}"});
  const auto& parts = std::get<SumConfig>(config.utility.kind).parts;
  EXPECT_EQ(parts[1].weight, 5);
  EXPECT_TRUE(std::holds_alternative<EntropyConfig>(parts[0].utility.kind));
}

TEST(Overrides, WithAnInlineTableReplaceTheWholeTable) {
  const ProblemConfig config =
      read_config(find_problem("paper/exploration"), {"solver={method='worst-case'}"});
  EXPECT_TRUE(std::holds_alternative<WorstCaseConfig>(config.solver.method));
}

TEST(ConfigKeys, ListEveryKeyOnceForEachKind) {
  std::set<std::string> seen;
  for (const KeyHelp& key : config_keys()) {
    EXPECT_TRUE(seen.insert(key.table + "." + key.key + " " + key.kind).second)
        << key.table << "." << key.key;
    EXPECT_FALSE(key.help.empty()) << key.table << "." << key.key;
    EXPECT_FALSE(key.type.empty()) << key.table << "." << key.key;
  }
  EXPECT_TRUE(seen.contains("model.map generator = \"grid\""));
  EXPECT_TRUE(seen.contains("model.file with file"));
  EXPECT_TRUE(seen.contains("utility.expert.horizon type = \"kl-target\""));
  EXPECT_TRUE(seen.contains("utility.constraints[].at_most type = \"constrained\""));
}

TEST(ConfigKeys, GiveDefaultsRangesAndChoices) {
  for (const KeyHelp& key : config_keys()) {
    if (key.table == "policy" && key.key == "bound") {
      EXPECT_EQ(key.initial, "10.0");
      EXPECT_EQ(key.range, "> 0");
      EXPECT_EQ(key.type, "number");
    }
    if (key.table == "solver" && key.key == "step") {
      EXPECT_EQ(key.initial, "\"auto\"");
      EXPECT_EQ(key.type, "number or \"auto\"");
    }
    if (key.table == "utility" && key.key == "type") {
      EXPECT_EQ(key.initial, "required");
      ASSERT_EQ(key.choices.size(), 10u);
      EXPECT_EQ(key.choices[7].name, "drift");
    }
  }
}

// As the first version wrote it into run.json: its folders are still read, whatever [stopping] and
// [output] say and whatever keys they have been given since.
TEST(Fingerprint, IsThatOfTheFirstVersionAndLeavesOutWhatMayChange) {
  const std::string problem = R"(
name = "constrained"
description = "grid world with limits on hazards and mud: constrained reinforcement learning"
seeds = 1
[model]
generator = "grid"
map = """
S..m....
.##m.H..
..#..H..
.HHm.#..
...m.#.G
.##...#.
...H....
S..H..mm
"""
slip = 0.1
discount = 0.95
[utility]
type = "constrained"
signal = "goal"
constraints = [{ signal = "hazard", at_most = 0.01 }, { signal = "m", at_most = 0.02 }]
[ambiguity]
set = "box"
lower = 0
upper = 50
[solver]
method = "prox-extragradient"
)";
  const auto of = [&](const std::vector<std::string>& sets) {
    return fingerprint(read_config({.name = "p", .text = problem, .folder = {}}, sets));
  };
  EXPECT_EQ(of({}), "cb696493");
  EXPECT_EQ(of({"stopping.iterations=7", "stopping.seconds=2", "output.published=true"}),
            "cb696493");
  EXPECT_NE(of({"model.slip=0.2"}), "cb696493");
}

}  // namespace
}  // namespace rgu
