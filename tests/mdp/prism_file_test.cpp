#include "rgu/mdp/io/prism_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mdp/file_testing.hpp"

namespace rgu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Three states, two choices each. Transition rewards: (0,0) 0.25 * 8 + 0.75 * 4 = 5; (0,1) lists
// only s' = 2, so 0.5 * 6 = 3; the rest 0. State rewards: 10 in state 0, 1 in state 2.
const std::string kTransitions =
    "3 6 8\n"
    "0 0 1 0.25 go\n"
    "0 0 2 0.75 go\n"
    "0 1 0 0.5\n"
    "0 1 2 0.5\n"
    "1 0 1 1 stay\n"
    "1 1 0 1 back\n"
    "2 0 2 1\n"
    "2 1 2 1\n";
const std::string kTransitionRewards =
    "# Reward structure \"energy\"\n"
    "# Transition rewards\n"
    "3 6 3\n"
    "0 0 1 8\n"
    "0 0 2 4\n"
    "0 1 2 6\n";
const std::string kStateRewards = "3 2\n0 10\n2 1\n";
const std::string kLabels = "0=\"init\" 1=\"deadlock\" 2=\"the end\"\n0: 0\n2: 0 2\n";

NamedText named(const char* file, const std::string& text) { return {.file = file, .text = text}; }

World parse(const PrismTexts& texts, ReadOptions options = {}) {
  if (!options.discount) options.discount = 0.9;
  return parse_prism(texts, options);
}

World parse_transitions(const std::string& text, const ReadOptions& options = {}) {
  return parse({.transitions = named("m.tra", text)}, options);
}

World parse_all() {
  return parse({.transitions = named("m.tra", kTransitions),
                .transition_rewards = named("m.trew", kTransitionRewards),
                .state_rewards = named("m.srew", kStateRewards),
                .labels = named("m.lab", kLabels)});
}

TEST(PrismFile, ReadsAHandWrittenModel) {
  const World world = parse_all();
  Matrix kernel(6, 3);
  kernel << 0, 0.25, 0.75, 0.5, 0, 0.5, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1;
  Matrix reward(3, 2);
  reward << 15, 13, 0, 0, 1, 1;
  EXPECT_EQ(Matrix(world.mdp.sparse_kernel()), kernel);
  EXPECT_EQ(world.signals.at("reward"), reward);
  EXPECT_EQ(world.mdp.start(), Eigen::Vector3d(0.5, 0, 0.5));
  EXPECT_EQ(world.mdp.discount(), 0.9);
}

TEST(PrismFile, StartsInStateZeroAndHasNoSignalWithoutTheOtherFiles) {
  const World world = parse_transitions(kTransitions);
  EXPECT_EQ(world.mdp.start(), Eigen::Vector3d(1, 0, 0));
  EXPECT_TRUE(world.signals.empty());
}

TEST(PrismFile, TakesTheStartFromTheOptions) {
  const Vector start = Eigen::Vector3d(0, 1, 0);
  EXPECT_EQ(parse({.transitions = named("m.tra", kTransitions), .labels = named("m.lab", kLabels)},
                  {.start = start})
                .mdp.start(),
            start);
}

TEST(PrismFile, SkipsCommentsAndBlankLinesAndReadsAnyOrder) {
  const World world = parse_transitions(
      "# Transitions (MDP)\r\n\r\n2 2 3\r\n 1 0 1 1 \r\n#0 0 0 7\r\n0 0 1 .5 go\r\n0\t0 0 5e-1 go");
  Matrix kernel(2, 2);
  kernel << 0.5, 0.5, 0, 1;
  EXPECT_EQ(Matrix(world.mdp.sparse_kernel()), kernel);
}

// A model of the kind that PRISM exports: state 0 has two choices, state 1 one, state 2 none.
const std::string kRagged = "3 3 4\n0 0 1 0.5 b\n0 0 2 0.5 b\n0 1 1 1 a\n1 0 0 1\n";

TEST(PrismFile, RefusesUnequalChoicesAndDeadlocksUnlessTold) {
  EXPECT_THAT(
      thrown_by([] { parse_transitions(kRagged, {.dead_states = DeadStates::kAbsorb}); }),
      AllOf(HasSubstr("m.tra:5:"), HasSubstr("state 1 lists no action 1, must list all 2")));
  EXPECT_THAT(thrown_by([] {
                parse_transitions(kRagged, {.missing_actions = MissingActions::kRepeatFirst});
              }),
              AllOf(HasSubstr("m.tra:5:"), HasSubstr("state 2 lists no action")));
}

TEST(PrismFile, FillsUpChoicesAndMakesDeadlocksAbsorbingWhereTold) {
  const World world = parse_transitions(kRagged, {.missing_actions = MissingActions::kRepeatFirst,
                                                  .dead_states = DeadStates::kAbsorb});
  Matrix kernel(6, 3);
  kernel << 0, 0.5, 0.5, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1;
  EXPECT_EQ(Matrix(world.mdp.sparse_kernel()), kernel);
}

TEST(PrismFile, NeedsADiscount) {
  EXPECT_THAT(thrown_by([] { parse_prism({.transitions = named("m.tra", kTransitions)}, {}); }),
              AllOf(HasSubstr("m.tra"), HasSubstr("no discount")));
}

class TransitionsRefusal : public testing::TestWithParam<Refused> {};

TEST_P(TransitionsRefusal, SaysFileLineAndRule) {
  expect_parts(thrown_by([] { parse_transitions(GetParam().text); }), GetParam().parts);
}

INSTANTIATE_TEST_SUITE_P(
    PrismFile, TransitionsRefusal,
    testing::Values(
        Refused{"Empty", "", {"m.tra:1:", "no header line"}},
        Refused{"OnlyComments", "# a\n# b\n", {"m.tra:2:", "no header line"}},
        Refused{"BinaryJunk",
                std::string("\x00\x01\xff", 3),
                {"m.tra:1:", "number of states is '\\x00\\x01\\xff'"}},
        Refused{"ChainHeader", "2 2\n0 1 1\n1 1 1\n", {"m.tra:1:", "number of transitions is ''"}},
        Refused{"ObservedHeader", "2 2 2 1\n", {"m.tra:1:", "too long", "states choices"}},
        Refused{"NoStates", "0 0 0\n", {"m.tra:1:", "number of states is 0"}},
        Refused{"NoTransitions", "1 0 0\n", {"m.tra:1:", "no transitions are listed"}},
        Refused{"QuintillionStates",
                "1000000000000000000 1 1\n0 0 0 1\n",
                {"m.tra:1:", "number of states is '1000000000000000000'", "0 .. 2147483646"}},
        Refused{"TwoBillionStates",
                "2000000000 1 1\n0 0 0 1\n",
                {"m.tra:2:", "2000000000 states", "at most 2"}},
        Refused{"QuintillionTransitions",
                "1 1 1000000000000000000\n0 0 0 1\n",
                {"m.tra:1:", "number of transitions"}},
        Refused{"TwoBillionTransitions",
                "1 1 2000000000\n0 0 0 1\n",
                {"m.tra:1:", "declares 2000000000 entries, 1 are listed"}},
        Refused{"Truncated",
                kTransitions.substr(0, kTransitions.size() - 8),
                {"m.tra:1:", "declares 8 entries, 7 are listed"}},
        Refused{"TruncatedInALine",
                kTransitions.substr(0, kTransitions.size() - 3),
                {"m.tra:9:", "probability is ''"}},
        Refused{"TooManyLines", kTransitions + "2 1 1 0\n", {"m.tra:1:", "9 are listed"}},
        Refused{"WrongNumberOfChoices",
                replaced(kTransitions, "3 6 8", "3 7 8"),
                {"m.tra:1:", "declares 7 choices, 6 are listed"}},
        Refused{"TargetTooLarge",
                replaced(kTransitions, "1 0 1 1", "1 0 3 1"),
                {"m.tra:6:", "target is 3", "number of states, 3"}},
        Refused{"SourceTooLarge",
                replaced(kTransitions, "1 0 1 1", "3 0 1 1"),
                {"m.tra:6:", "source is 3"}},
        Refused{"NegativeChoice",
                replaced(kTransitions, "1 0 1 1", "1 -1 1 1"),
                {"m.tra:6:", "choice is '-1'"}},
        Refused{"OverflowingSource",
                replaced(kTransitions, "1 0 1 1", "99999999999 0 1 1"),
                {"m.tra:6:", "source is '99999999999'"}},
        Refused{"HugeChoice",
                "1 2 2\n0 0 0 1\n0 2000000000 0 1\n",
                {"m.tra:3:", "lists action 2000000000 but no action 1"}},
        Refused{"NotANumber",
                replaced(kTransitions, "0.25", "nan"),
                {"m.tra:2:", "probability is 'nan'"}},
        Refused{"Overflowing",
                replaced(kTransitions, "0.25", "1e400"),
                {"m.tra:2:", "probability is '1e400'"}},
        Refused{"Fraction",
                replaced(kTransitions, "0.25", "1/4"),
                {"m.tra:2:", "probability is '1/4'"}},
        Refused{"Interval",
                replaced(kTransitions, "0.25", "[0.1,0.3]"),
                {"m.tra:2:", "probability is '[0.1'"}},
        Refused{"NegativeProbability",
                replaced(kTransitions, "0.25", "-0.25"),
                {"m.tra:2:", "probability is -0.25"}},
        Refused{"RowOffByAMillionth",
                replaced(kTransitions, "0.25", "0.250001"),
                {"m.tra:2:", "s=0 a=0 sums to 1.00000099"}},
        Refused{"ListedTwice",
                "1 1 2\n0 0 0 0.5\n0 0 0 0.5\n",
                {"m.tra:3:", "s=0 a=0 s'=0 is listed twice"}},
        Refused{"InitialStateLine", "1 1 1\n- - 0 1\n0 0 0 1\n", {"m.tra:2:", "source is '-'"}},
        Refused{"TwoActionNames",
                replaced(kTransitions, "stay", "stay here"),
                {"m.tra:6:", "too long", "[action]"}}),
    name_of_case);

class TransitionRewardsRefusal : public testing::TestWithParam<Refused> {};

TEST_P(TransitionRewardsRefusal, SaysFileLineAndRule) {
  expect_parts(thrown_by([] {
                 parse({.transitions = named("m.tra", kTransitions),
                        .transition_rewards = named("m.trew", GetParam().text)});
               }),
               GetParam().parts);
}

INSTANTIATE_TEST_SUITE_P(
    PrismFile, TransitionRewardsRefusal,
    testing::Values(
        Refused{"Empty", "", {"m.trew:1:", "no header line"}},
        Refused{"OtherStates", "4 6 0\n", {"m.trew:1:", "declares 4 states, the model has 3"}},
        Refused{
            "WrongCount", "3 6 2\n0 0 1 1\n", {"m.trew:1:", "declares 2 entries, 1 are listed"}},
        Refused{
            "NoSuchTransition", "3 6 1\n0 0 0 1\n", {"m.trew:2:", "no transition s=0 a=0 s'=0"}},
        Refused{"NoSuchChoiceAtTheEnd",
                "3 6 1\n2 9 0 1\n",
                {"m.trew:2:", "no transition s=2 a=9 s'=0"}},
        Refused{"ListedTwice", "3 6 2\n0 0 1 1\n0 0 1 1\n", {"m.trew:3:", "is listed twice"}},
        Refused{"StateTooLarge", "3 6 1\n0 0 3 1\n", {"m.trew:2:", "target is 3"}},
        Refused{"NotFinite", "3 6 1\n0 0 1 inf\n", {"m.trew:2:", "reward is 'inf'"}},
        Refused{"TooLong", "3 6 1\n0 0 1 1 go\n", {"m.trew:2:", "too long"}}),
    name_of_case);

TEST(PrismFile, RefusesRewardsThatAreTooLargeToAdd) {
  expect_parts(thrown_by([] {
                 parse({.transitions = named("m.tra", "1 1 1\n0 0 0 1\n"),
                        .transition_rewards = named("m.trew", "1 1 1\n0 0 0 1e308\n"),
                        .state_rewards = named("m.srew", "1 1\n0 1e308\n")});
               }),
               {"m.srew:1:", "state 0 has a reward beyond all numbers"});
}

class StateRewardsRefusal : public testing::TestWithParam<Refused> {};

TEST_P(StateRewardsRefusal, SaysFileLineAndRule) {
  expect_parts(thrown_by([] {
                 parse({.transitions = named("m.tra", kTransitions),
                        .state_rewards = named("m.srew", GetParam().text)});
               }),
               GetParam().parts);
}

INSTANTIATE_TEST_SUITE_P(
    PrismFile, StateRewardsRefusal,
    testing::Values(
        Refused{"Empty", "", {"m.srew:1:", "no header line"}},
        Refused{"OtherStates", "2 0\n", {"m.srew:1:", "declares 2 states, the model has 3"}},
        Refused{"WrongCount", "3 2\n0 1\n", {"m.srew:1:", "declares 2 entries, 1 are listed"}},
        Refused{"ListedTwice", "3 2\n0 1\n0 1\n", {"m.srew:3:", "state 0 is listed twice"}},
        Refused{"StateTooLarge", "3 1\n3 1\n", {"m.srew:2:", "state is 3"}},
        Refused{"NotFinite", "3 1\n0 nan\n", {"m.srew:2:", "reward is 'nan'"}},
        Refused{"TooLongHeader", "3 6 1\n", {"m.srew:1:", "too long"}},
        Refused{"TooLong", "3 1\n0 1 1\n", {"m.srew:2:", "too long"}}),
    name_of_case);

class LabelsRefusal : public testing::TestWithParam<Refused> {};

TEST_P(LabelsRefusal, SaysFileLineAndRule) {
  expect_parts(thrown_by([] {
                 parse({.transitions = named("m.tra", kTransitions),
                        .labels = named("m.lab", GetParam().text)});
               }),
               GetParam().parts);
}

INSTANTIATE_TEST_SUITE_P(
    PrismFile, LabelsRefusal,
    testing::Values(Refused{"Empty", "", {"m.lab:1:", "no header line"}},
                    Refused{"NoInitLabel",
                            "0=\"deadlock\"\n0: 0\n",
                            {"m.lab:1:", "must name a label \"init\""}},
                    Refused{"NoInitState",
                            "0=\"init\" 1=\"deadlock\"\n1: 1\n",
                            {"m.lab:1:", "no state is labelled \"init\""}},
                    Refused{"NoQuotes", "0=init\n", {"m.lab:1:", "0=\"name\""}},
                    Refused{"UnclosedQuote", "0=\"init\n", {"m.lab:1:", "no closing \""}},
                    Refused{"NoColon", "0=\"init\"\n0 0\n", {"m.lab:2:", "state: label"}},
                    Refused{"StateTooLarge", "0=\"init\"\n3: 0\n", {"m.lab:2:", "state is 3"}},
                    Refused{"TextLabel", "0=\"init\"\n0: init\n", {"m.lab:2:", "label is 'init'"}}),
    name_of_case);

TEST(PrismFile, WritesStateRewardsWhereTheRewardDoesNotDependOnTheAction) {
  const TemporaryFolder folder;
  World world = parse_transitions("2 4 5\n0 0 0 0.5\n0 0 1 0.5\n0 1 1 1\n1 0 1 1\n1 1 0 1\n");
  world.signals["reward"] = Eigen::Vector2d(0, 1.5).replicate(1, 2);
  write_prism(folder / "m.tra", world);
  EXPECT_EQ(contents(folder / "m.tra"), "2 4 5\n0 0 0 0.5\n0 0 1 0.5\n0 1 1 1\n1 0 1 1\n1 1 0 1\n");
  EXPECT_EQ(contents(folder / "m.srew"), "2 1\n1 1.5\n");
  EXPECT_EQ(contents(folder / "m.trew"), "2 4 0\n");
  EXPECT_EQ(contents(folder / "m.lab"), "0=\"init\" 1=\"deadlock\"\n0: 0\n");
}

TEST(PrismFile, WritesTransitionRewardsOnAllTargetsOfAChoiceElsewhere) {
  const TemporaryFolder folder;
  World world = parse_transitions("2 4 5\n0 0 0 0.5\n0 0 1 0.5\n0 1 1 1\n1 0 1 1\n1 1 0 1\n");
  world.signals["reward"] = (Matrix(2, 2) << 3, 0, 0, -1).finished();
  write_prism(folder / "m.tra", world);
  EXPECT_EQ(contents(folder / "m.trew"), "2 4 3\n0 0 0 3\n0 0 1 3\n1 1 0 -1\n");
  EXPECT_EQ(contents(folder / "m.srew"), "2 0\n");
}

TEST(PrismFile, ReplacesRewardFilesLeftByAnotherModel) {
  const TemporaryFolder folder;
  World world = parse_all();
  write_prism(folder / "m.tra", world);
  const Matrix by_state = Eigen::Vector3d(1, 2, 3).replicate(1, 2);
  world.signals["reward"] = by_state;
  write_prism(folder / "m.tra", world);
  EXPECT_EQ(read_prism(folder / "m.tra", {.discount = 0.9}).signals.at("reward"), by_state);
}

TEST(PrismFile, RefusesToWriteAStartItCannotHold) {
  const TemporaryFolder folder;
  const World read = parse_all();
  const World world{.mdp = FiniteMdp(read.mdp.kernel(), Eigen::Vector3d(0.5, 0.25, 0.25), 0.9),
                    .signals = read.signals};
  EXPECT_THAT(thrown_by([&] { write_prism(folder / "m.tra", world); }),
              AllOf(HasSubstr("start probability s=0 is 0.5"), HasSubstr("uniform")));
  EXPECT_TRUE(folder.names().empty());
}

TEST(PrismFile, RefusesToWriteASignalThatIsMissing) {
  const TemporaryFolder folder;
  EXPECT_THAT(thrown_by([&] { write_prism(folder / "m.tra", parse_all(), {.reward = "cost"}); }),
              HasSubstr("no signal \"cost\""));
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace rgu
