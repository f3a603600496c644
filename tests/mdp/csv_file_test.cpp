#include "rgu/mdp/io/csv_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mdp/file_testing.hpp"

namespace rgu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kHeader = "idstatefrom,idaction,idstateto,probability,reward\n";

// Two states, two actions. Row sums: (0,0) 0.25 + 0.75, the others deterministic.
// Expected rewards: (0,0) 0.25 * 4 + 0.75 * 8 = 7; (0,1) -1; (1,0) 0; (1,1) 2.5.
const std::string kModel = kHeader +
                           "0,0,0,0.25,4\n"
                           "0,0,1,0.75,8\n"
                           "0,1,1,1,-1\n"
                           "1,0,1,1,0\n"
                           "1,1,0,1,2.5\n";

World parse(const std::string& text, ReadOptions options = {}) {
  if (!options.discount) options.discount = 0.9;
  return parse_csv({.file = "m.csv", .text = text}, options);
}

void expect_model(const World& world) {
  Matrix kernel(4, 2);
  kernel << 0.25, 0.75, 0, 1, 0, 1, 1, 0;
  Matrix reward(2, 2);
  reward << 7, -1, 0, 2.5;
  EXPECT_EQ(Matrix(world.mdp.sparse_kernel()), kernel);
  EXPECT_EQ(world.mdp.sparse_kernel().nonZeros(), 5);
  EXPECT_EQ(world.signals.at("reward"), reward);
}

TEST(CsvFile, ReadsAHandWrittenModel) {
  const World world = parse(kModel);
  expect_model(world);
  EXPECT_EQ(world.mdp.discount(), 0.9);
  EXPECT_EQ(world.mdp.start(), Vector::Constant(2, 0.5));
  EXPECT_EQ(world.signals.size(), 1u);
}

TEST(CsvFile, ReadsColumnsInAnyOrder) {
  expect_model(
      parse("reward,probability,idstateto,idstatefrom,idaction\n"
            "4,0.25,0,0,0\n8,0.75,1,0,0\n-1,1,1,0,1\n0,1,1,1,0\n2.5,1,0,1,1\n"));
}

TEST(CsvFile, ReadsLinesInAnyOrder) {
  expect_model(parse(kHeader + "1,1,0,1,2.5\n0,0,1,0.75,8\n1,0,1,1,0\n0,1,1,1,-1\n0,0,0,0.25,4\n"));
}

TEST(CsvFile, ReadsBlanksCarriageReturnsBlankLinesQuotedNamesAndAByteOrderMark) {
  expect_model(
      parse("\xef\xbb\xbf\"idstatefrom\" ,\"idaction\",\tidstateto, probability ,reward\r\n"
            " 0, 0 ,0,\t.25,4.0\r\n0,0,1,7.5e-1,8\r\n\r\n  \t\r\n0,1,1,1,-1\r\n1,0,1,1.,0\r\n"
            "1,1,0,1,2.5\r\n\r\n"));
}

TEST(CsvFile, ReadsALastLineWithoutALineBreak) {
  expect_model(parse(kModel.substr(0, kModel.size() - 1)));
}

// (0,0,0) is listed as 0.25 with reward 2 and 0.25 with reward 6, (0,0,1) as 0.5 with reward 1:
// P = 0.5, 0.5; expected reward 0.5 + 1.5 + 0.5 = 2.5.
TEST(CsvFile, AddsUpRepeatedTransitionsAndWeighsTheirRewards) {
  const World world = parse(kHeader + "0,0,0,0.25,2\n1,0,1,1,0\n0,0,1,0.5,1\n0,0,0,0.25,6\n");
  EXPECT_EQ(Matrix(world.mdp.sparse_kernel()).row(0), Eigen::RowVector2d(0.5, 0.5));
  EXPECT_EQ(world.signals.at("reward")(0, 0), 2.5);
}

// 0.1 + 0.2 + 0.7 is not 1 in binary, so the plain expectation of 0.3 is not 0.3.
TEST(CsvFile, KeepsARewardThatDoesNotDependOnTheNextStateExactly) {
  const World world =
      parse(kHeader + "0,0,0,0.1,0.3\n0,0,1,0.2,0.3\n0,0,2,0.7,0.3\n1,0,1,1,0\n2,0,2,1,0\n");
  EXPECT_EQ(world.signals.at("reward")(0, 0), 0.3);
}

TEST(CsvFile, TakesTheStartFromTheOptions) {
  const Vector start = Eigen::Vector2d(0.75, 0.25);
  EXPECT_EQ(parse(kModel, {.start = start}).mdp.start(), start);
  EXPECT_THAT(thrown_by([] { parse(kModel, {.start = Vector::Ones(3) / 3}); }),
              HasSubstr("start distribution has 3 entries, must have 2"));
}

TEST(CsvFile, NeedsADiscount) {
  EXPECT_THAT(thrown_by([] { parse_csv({.file = "m.csv", .text = kModel}, {}); }),
              AllOf(HasSubstr("m.csv"), HasSubstr("no discount")));
  EXPECT_THAT(thrown_by([] { parse(kModel, {.discount = 1.0}); }), HasSubstr("discount is 1"));
}

// State 0 lists actions 0 and 1, state 1 only action 0, state 2 none.
const std::string kRagged = kHeader + "0,0,1,1,10\n0,1,2,1,20\n1,0,0,0.5,30\n1,0,1,0.5,50\n";

TEST(CsvFile, RefusesStatesWithoutActionsAndMissingActionsUnlessTold) {
  EXPECT_THAT(thrown_by([] { parse(kRagged, {.missing_actions = MissingActions::kRepeatLast}); }),
              AllOf(HasSubstr("m.csv:5:"), HasSubstr("state 2 lists no action")));
  EXPECT_THAT(
      thrown_by([] { parse(kRagged, {.dead_states = DeadStates::kAbsorb}); }),
      AllOf(HasSubstr("m.csv:5:"), HasSubstr("state 1 lists no action 1, must list all 2")));
}

TEST(CsvFile, MakesStatesWithoutActionsAbsorbingAndRepeatsActionsWhereTold) {
  const World world = parse(kRagged, {.missing_actions = MissingActions::kRepeatLast,
                                      .dead_states = DeadStates::kAbsorb});
  Matrix kernel(6, 3);
  kernel << 0, 1, 0, 0, 0, 1, 0.5, 0.5, 0, 0.5, 0.5, 0, 0, 0, 1, 0, 0, 1;
  Matrix reward(3, 2);
  reward << 10, 20, 40, 40, 0, 0;
  EXPECT_EQ(Matrix(world.mdp.sparse_kernel()), kernel);
  EXPECT_EQ(world.signals.at("reward"), reward);
}

TEST(CsvFile, RepeatsTheFirstOrTheLastActionAsTold) {
  const std::string text = kHeader + "0,0,0,1,1\n0,1,1,1,2\n1,0,0,1,3\n1,1,1,1,4\n1,2,1,1,5\n";
  const Matrix last =
      parse(text, {.missing_actions = MissingActions::kRepeatLast}).signals.at("reward");
  const Matrix first =
      parse(text, {.missing_actions = MissingActions::kRepeatFirst}).signals.at("reward");
  EXPECT_EQ(last.row(0), Eigen::RowVector3d(1, 2, 2));
  EXPECT_EQ(first.row(0), Eigen::RowVector3d(1, 2, 1));
}

class CsvRefusal : public testing::TestWithParam<Refused> {};

TEST_P(CsvRefusal, SaysFileLineAndRule) {
  expect_parts(thrown_by([] { parse(GetParam().text); }), GetParam().parts);
}

std::string lines(const std::string& body) { return kHeader + body; }

INSTANTIATE_TEST_SUITE_P(
    CsvFile, CsvRefusal,
    testing::Values(
        Refused{"Empty", "", {"m.csv:1:", "empty"}},
        Refused{"OnlyBlankLines", "\n  \r\n", {"m.csv:1:", "empty"}},
        Refused{"OnlyAHeader", kHeader, {"m.csv:1:", "no transitions are listed"}},
        Refused{
            "BinaryJunk", std::string("\x00\x01\xff\xfe\x7f", 5), {"m.csv:1:", "\\x00\\x01\\xff"}},
        Refused{"OneLongLine", std::string(100000, 'x'), {"m.csv:1:", "xxx...'"}},
        Refused{"UnknownColumn",
                "idstatefrom,idaction,idoutcome,probability,reward\n",
                {"m.csv:1:", "'idoutcome'", "must be one of idstatefrom"}},
        Refused{"SixthColumn",
                replaced(kHeader, "reward", "reward,idoutcome"),
                {"m.csv:1:", "must name 5 columns"}},
        Refused{"MissingColumn",
                "idstatefrom,idaction,idstateto,probability\n",
                {"m.csv:1:", "must name 5 columns"}},
        Refused{"RepeatedColumn",
                "idstatefrom,idaction,idstateto,probability,probability\n",
                {"m.csv:1:", "probability is named twice"}},
        Refused{"UnclosedQuote", "\"idstatefrom,idaction", {"m.csv:1:", "no closing \""}},
        Refused{"TooFewFields", lines("0,0,0,1\n"), {"m.csv:2:", "'0,0,0,1'", "fewer than 5"}},
        Refused{"TooManyFields", lines("0,0,0,1,0,9\n"), {"m.csv:2:", "more than 5"}},
        Refused{"EmptyField", lines("0,,0,1,0\n"), {"m.csv:2:", "idaction is ''", "integer"}},
        Refused{
            "TruncatedInALine", kModel.substr(0, kModel.size() - 5), {"m.csv:6:", "fewer than 5"}},
        Refused{"TruncatedInAField",
                kModel.substr(0, kModel.size() - 8),
                {"m.csv:6:", "idstateto is ''"}},
        Refused{
            "TextId", lines("0,0,0,1,0\nzero,0,0,1,0\n"), {"m.csv:3:", "idstatefrom is 'zero'"}},
        Refused{"FractionId", lines("0,0.5,0,1,0\n"), {"m.csv:2:", "idaction is '0.5'"}},
        Refused{"NegativeId", lines("0,0,-1,1,0\n"), {"m.csv:2:", "idstateto is '-1'"}},
        Refused{"OverflowingId",
                lines("99999999999999999999,0,0,1,0\n"),
                {"m.csv:2:", "idstatefrom is '99999999999999999999'", "0 .. 2147483646"}},
        Refused{"LargestIntegerId", lines("0,0,2147483647,1,0\n"), {"m.csv:2:", "2147483647"}},
        Refused{"HugeStateId",
                lines("0,0,2000000000,1,0\n"),
                {"m.csv:2:", "2000000001 states", "at most 2"}},
        Refused{"HugeActionId",
                lines("0,0,0,1,0\n0,2000000000,0,1,0\n"),
                {"m.csv:3:", "state 0 lists action 2000000000 but no action 1"}},
        Refused{"NotANumber", lines("0,0,0,nan,0\n"), {"m.csv:2:", "probability is 'nan'"}},
        Refused{"Infinite", lines("0,0,0,inf,0\n"), {"m.csv:2:", "probability is 'inf'"}},
        Refused{"Overflowing", lines("0,0,0,1e400,0\n"), {"m.csv:2:", "probability is '1e400'"}},
        Refused{"NegativeProbability",
                lines("0,0,0,-0.5,0\n"),
                {"m.csv:2:", "probability is -0.5", ">= 0"}},
        Refused{"TextAfterNumber", lines("0,0,0,1x,0\n"), {"m.csv:2:", "probability is '1x'"}},
        Refused{"InfiniteReward", lines("0,0,0,1,-inf\n"), {"m.csv:2:", "reward is '-inf'"}},
        Refused{"RowOffByAMillionth",
                lines("0,0,0,0.5,0\n0,0,0,0.500001,0\n"),
                {"m.csv:2:", "transition row s=0 a=0 sums to 1.000001", "1 within 1e-09"}},
        Refused{"MissingAction",
                lines("0,0,0,1,0\n0,1,1,1,0\n1,0,1,1,0\n"),
                {"m.csv:4:", "state 1 lists no action 1, must list all 2"}},
        Refused{"GapInActions",
                lines("0,0,0,1,0\n0,2,0,1,0\n"),
                {"m.csv:3:", "state 0 lists action 2 but no action 1"}},
        Refused{"RewardsTooLargeToAverage",
                lines("0,0,0,0.5,1e308\n0,0,1,0.5,-1e308\n1,0,1,1,0\n"),
                {"m.csv:2:", "expected reward of s=0 a=0", "must be finite"}},
        Refused{"DeadState", lines("0,0,1,1,0\n"), {"m.csv:2:", "state 1 lists no action"}}),
    name_of_case);

TEST(CsvFile, RefusesAGapInActionsEvenWhereMissingOnesAreRepeated) {
  EXPECT_THAT(thrown_by([] {
                parse(lines("0,0,0,1,0\n0,2000000000,0,1,0\n"),
                      {.missing_actions = MissingActions::kRepeatLast});
              }),
              HasSubstr("state 0 lists action 2000000000 but no action 1"));
}

TEST(CsvFile, RefusesUnmentionedStatesEvenWhereDeadOnesAbsorb) {
  EXPECT_THAT(
      thrown_by([] { parse(lines("0,0,2000000000,1,0\n"), {.dead_states = DeadStates::kAbsorb}); }),
      HasSubstr("2000000001 states"));
}

// 70,000 states, one with 70,000 actions: 4.9e9 rows when filled up.
TEST(CsvFile, RefusesToFillUpBeyondTheLargestKernel) {
  std::string text = kHeader;
  for (int i = 0; i < 70000; ++i) text += fmt::format("0,{},0,1,0\n", i);
  for (int i = 1; i < 70000; ++i) text += fmt::format("{},0,0,1,0\n", i);
  EXPECT_THAT(thrown_by([&] { parse(text, {.missing_actions = MissingActions::kRepeatFirst}); }),
              HasSubstr("70000 states and 70000 actions"));
}

TEST(CsvFile, WritesWhatItSays) {
  const TemporaryFolder folder;
  World world = parse(kModel);
  world.signals["cost"] = Matrix::Constant(2, 2, 0.1);
  write_csv(folder / "m.csv", world, {.reward = "cost"});
  EXPECT_EQ(contents(folder / "m.csv"), kHeader +
                                            "0,0,0,0.25,0.1\n"
                                            "0,0,1,0.75,0.1\n"
                                            "0,1,1,1,0.1\n"
                                            "1,0,1,1,0.1\n"
                                            "1,1,0,1,0.1\n");
}

TEST(CsvFile, RefusesToWriteASignalThatIsMissingOrUnfit) {
  const TemporaryFolder folder;
  World world = parse(kModel);
  world.signals["cost"] = Matrix::Zero(2, 3);
  world.signals["risk"] = Matrix::Constant(2, 2, NAN);
  const auto message = [&](const std::string& reward) {
    return thrown_by([&] { write_csv(folder / "m.csv", world, {.reward = reward}); });
  };
  EXPECT_THAT(message("gain"),
              AllOf(HasSubstr("no signal \"gain\""), HasSubstr("\"cost\" \"reward\" \"risk\"")));
  EXPECT_THAT(message("cost"), HasSubstr("signal \"cost\" is 2 x 3, must be 2 x 2"));
  EXPECT_THAT(message("risk"), HasSubstr("signal \"risk\"[0, 0] is nan"));
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace rgu
