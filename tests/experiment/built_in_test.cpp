#include "rgu/experiment/built_in.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "mdp/file_testing.hpp"
#include "rgu/experiment/instance.hpp"

namespace rgu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const BuiltIn& problem : built_ins()) names.emplace_back(problem.name);
  return names;
}

TEST(BuiltIns, HaveTheirNamesInOrder) {
  EXPECT_THAT(names(), IsSupersetOf({"constrained", "entropy", "exploration", "imitation",
                                     "inventory", "paper/exploration", "reward-robust", "risk"}));
  EXPECT_TRUE(std::is_sorted(built_ins().begin(), built_ins().end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
}

class EveryBuiltIn : public testing::TestWithParam<std::string> {};

TEST_P(EveryBuiltIn, NamesAndDescribesItself) {
  const ProblemConfig config = read_config(find_problem(GetParam()));
  EXPECT_EQ(config.name, GetParam());
  const auto built_in = std::find_if(built_ins().begin(), built_ins().end(),
                                     [](const auto& b) { return b.name == GetParam(); });
  EXPECT_EQ(config.description, built_in->description);
  EXPECT_FALSE(config.description.empty());
  EXPECT_TRUE(built_in->text.starts_with("# ")) << "must begin with a comment that teaches";
}

TEST_P(EveryBuiltIn, ReadsBackFromWhatItWrites) {
  const ProblemConfig config = read_config(find_problem(GetParam()));
  const std::string text = to_toml(config);
  const ProblemConfig again = read_config({"written", text, {}});
  EXPECT_EQ(again, config);
  EXPECT_EQ(to_toml(again), text);
}

TEST_P(EveryBuiltIn, MakesAnInstanceWhosePartsFitTogether) {
  const ProblemConfig config = read_config(find_problem(GetParam()));
  const Instance instance = make_instance(config, config.seeds.front());
  EXPECT_EQ(instance.parameters->dimension(), instance.policy->dimension());
  EXPECT_EQ(instance.start.size(), instance.policy->dimension());
  EXPECT_EQ(instance.ambiguity->dimension(), instance.utility->nature_dimension());
  EXPECT_EQ(instance.nominal.size(), instance.utility->nature_dimension());
  EXPECT_EQ(instance.nature_rows * instance.nature_columns, instance.nominal.size());
  EXPECT_EQ(instance.utility->states(), instance.world.mdp.states());
  EXPECT_EQ(instance.utility->actions(), instance.world.mdp.actions());
  EXPECT_TRUE(contains(*instance.parameters, instance.start));
  EXPECT_TRUE(contains(*instance.ambiguity, instance.nominal));
  EXPECT_FALSE(instance.utility_text.empty());
  EXPECT_FALSE(instance.ambiguity_text.empty());
  EXPECT_EQ(instance.map.empty(), !instance.world.grid.has_value());
}

std::string name_of_problem(const testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Problems, EveryBuiltIn, testing::ValuesIn(names()), name_of_problem);

TEST(FindProblem, PrefersBuiltInsAndReadsFiles) {
  const TemporaryFolder folder;
  put(folder / "mine.toml", "name = 'mine'");
  EXPECT_EQ(find_problem("risk").name, "risk");
  EXPECT_TRUE(find_problem("risk").folder.empty());
  const ConfigSource mine = find_problem(folder / "mine.toml");
  EXPECT_EQ(mine.text, "name = 'mine'");
  EXPECT_EQ(mine.folder, folder.path());
}

TEST(FindProblem, SuggestsTheNearestName) {
  EXPECT_EQ(thrown_by([] { find_problem("explorationn"); }),
            "unknown problem 'explorationn'; did you mean 'exploration'? `rgu list` shows all");
  EXPECT_EQ(thrown_by([] { find_problem("zzz"); }), "unknown problem 'zzz'; `rgu list` shows all");
}

TEST(FindProblem, SaysThatAFileIsMissing) {
  EXPECT_EQ(thrown_by([] { find_problem("no/such/x.toml"); }),
            "cannot read no/such/x.toml: no such file");
}

TEST(FindProblem, RefusesAFolder) {
  const TemporaryFolder folder;
  EXPECT_THAT(thrown_by([&] { find_problem(folder.path()); }), HasSubstr(folder.path().string()));
}

TEST(PaperExploration, HasTheNumbersOfThePaper) {
  const ProblemConfig config = read_config(find_problem("paper/exploration"));
  const auto& model = std::get<RandomModelOptions>(config.model.source);
  EXPECT_EQ(model.states, 10);
  EXPECT_EQ(model.actions, 5);
  EXPECT_EQ(model.discount, 0.95);
  const auto& drift = std::get<DriftConfig>(config.utility.kind);
  EXPECT_EQ(drift.dimension, 10);
  EXPECT_EQ(std::get<NormalFeaturesConfig>(drift.features).feature_dimension, 20);
  EXPECT_EQ(std::get<FrobeniusConfig>(config.ambiguity.kind).radius, 1.0);
  EXPECT_EQ(config.gradient.kind, GradientKind::kSampled);
  EXPECT_EQ(config.gradient.policy_gradient, PolicyGradientScale::kPaper);
  EXPECT_EQ(config.gradient.trajectories.at(299), 256);
  EXPECT_EQ(config.gradient.horizon.at(299), 50);
  const auto& method = std::get<ProxExtragradientConfig>(config.solver.method);
  EXPECT_EQ(method.step, 0.03);
  EXPECT_EQ(method.inner_steps.at(0), 6);
  EXPECT_EQ(method.proximal_weight, 1.5);
  EXPECT_EQ(config.stopping.iterations, 300);
  EXPECT_THAT(config.seeds, ElementsAre(0, 1, 2, 3, 4));
}

}  // namespace
}  // namespace rgu
