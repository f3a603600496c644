#include "rgu/mdp/io/json_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mdp/file_testing.hpp"
#include "mdp/same_world.hpp"

namespace rgu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The model of the header: state 0 moves to 0 or 1 with 0.25 and 0.75, state 1 stays.
const std::string kModel = R"({
  "format": "rgu-model",
  "version": 1,
  "states": 2,
  "actions": 1,
  "discount": 0.9,
  "start": [0.5, 0.5],
  "transitions": {
    "state": [0, 0, 1],
    "action": [0, 0, 0],
    "next": [0, 1, 1],
    "probability": [0.25, 0.75, 1]
  },
  "signals": {"reward": [[1], [0]]},
  "grid": {"rows": 1, "columns": 2, "cell_of_state": [0, 1]}
}
)";

const std::string kTransitions = kModel.substr(
    kModel.find("\"transitions\""), kModel.find("\"signals\"") - kModel.find("\"transitions\""));

std::string with_kernel(const std::string& kernel) {
  return replaced(kModel, kTransitions, "\"kernel\": " + kernel + ",\n  ");
}

World parse(const std::string& text, const ReadOptions& options = {}) {
  return parse_json({.file = "m.json", .text = text}, options);
}

enum class Storage { kDense, kSparse };

World model_by_hand(Storage storage) {
  Matrix kernel(2, 2);
  kernel << 0.25, 0.75, 0, 1;
  SparseMatrix entries = kernel.sparseView();
  TransitionKernel chosen = kernel;
  if (storage == Storage::kSparse) chosen = entries;
  World world{.mdp = FiniteMdp(chosen, Eigen::Vector2d(0.5, 0.5), 0.9)};
  world.signals["reward"] = Eigen::Vector2d(1, 0);
  world.grid = GridLayout{.rows = 1, .columns = 2, .cell_of_state = {0, 1}};
  return world;
}

TEST(JsonFile, ReadsAHandWrittenModel) {
  expect_same_world(parse(kModel), model_by_hand(Storage::kSparse));
}

TEST(JsonFile, ReadsADenseKernel) {
  expect_same_world(parse(with_kernel("[[[0.25, 0.75]], [[0, 1]]]")),
                    model_by_hand(Storage::kDense));
}

TEST(JsonFile, ReadsTransitionsInAnyOrder) {
  std::string text = replaced(kModel, "[0, 0, 1]", "[1, 0, 0]");
  text = replaced(text, "[0, 1, 1]", "[1, 1, 0]");
  text = replaced(text, "[0.25, 0.75, 1]", "[1, 0.75, 0.25]");
  expect_same_world(parse(text), model_by_hand(Storage::kSparse));
}

TEST(JsonFile, KeepsStoredZeros) {
  std::string text = replaced(kModel, "[0, 0, 1]", "[0, 0, 1, 1]");
  text = replaced(text, "[0, 0, 0]", "[0, 0, 0, 0]");
  text = replaced(text, "[0, 1, 1]", "[0, 1, 1, 0]");
  text = replaced(text, "[0.25, 0.75, 1]", "[0.25, 0.75, 1, 0]");
  EXPECT_EQ(parse(text).mdp.sparse_kernel().nonZeros(), 4);
}

TEST(JsonFile, LeavesOutSignalsAndGridWhereTheFileDoes) {
  const std::string text =
      kModel.substr(0, kModel.find(",\n  \"signals\"")) + "\n}";  // up to the end of transitions
  const World world = parse(text);
  EXPECT_TRUE(world.signals.empty());
  EXPECT_FALSE(world.grid.has_value());
}

TEST(JsonFile, OptionsReplaceDiscountAndStart) {
  const Vector start = Eigen::Vector2d(1, 0);
  const World world = parse(kModel, {.discount = 0.5, .start = start});
  EXPECT_EQ(world.mdp.discount(), 0.5);
  EXPECT_EQ(world.mdp.start(), start);
}

class JsonRefusal : public testing::TestWithParam<Refused> {};

TEST_P(JsonRefusal, SaysFileLineAndRule) {
  expect_parts(thrown_by([] { parse(GetParam().text); }), GetParam().parts);
}

Refused changed(const std::string& name, const std::string& from, const std::string& to,
                std::vector<std::string> parts) {
  return {name, replaced(kModel, from, to), std::move(parts)};
}

INSTANTIATE_TEST_SUITE_P(
    NotJson, JsonRefusal,
    testing::Values(
        Refused{"Empty", "", {"m.json:1:", "not valid JSON", "unexpected end of input"}},
        Refused{"Blank", "\n\n ", {"m.json:3:", "not valid JSON"}},
        Refused{"Truncated", kModel.substr(0, kModel.size() / 2), {"m.json:", "not valid JSON"}},
        Refused{"TruncatedAtTheEnd",
                kModel.substr(0, kModel.size() - 2),
                {"m.json:15:", "not valid JSON", "unexpected end"}},
        Refused{"BinaryJunk", std::string("\x00\xff\xfe\x01", 4), {"m.json:1:", "not valid JSON"}},
        Refused{"TextBehind", kModel + "x", {"m.json:17:", "not valid JSON at the end of 'x'"}},
        Refused{"MissingComma",
                replaced(kModel, "\"actions\": 1,", "\"actions\": 1"),
                {"m.json:6:", "not valid JSON"}},
        Refused{"NotANumber", replaced(kModel, "0.25", "NaN"), {"m.json:12:", "not valid JSON"}},
        Refused{"Infinite", replaced(kModel, "0.25", "Infinity"), {"m.json:12:", "not valid JSON"}},
        Refused{"Overflowing",
                replaced(kModel, "0.25", "1e400"),
                {"m.json:12:", "1e400", "number out of range"}},
        Refused{"BrokenText",
                replaced(kModel, "\"reward\"", "\"rew\xff\""),
                {"m.json:14:", "not valid JSON", "\\xff"}}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    NotTheFormat, JsonRefusal,
    testing::Values(
        Refused{"Number", "7", {"m.json:1:", "must hold one object"}},
        Refused{"Array", "[1]", {"m.json:1:", "must hold one object"}},
        Refused{"DeepArrays", std::string(1000000, '['), {"m.json:1:", "must hold one object"}},
        Refused{"DeepObjects",
                [] {
                  std::string s;
                  for (int i = 0; i < 100000; ++i) s += "{\"grid\":";
                  return s;
                }(),
                {"m.json:1:", "unknown name 'grid' in grid"}},
        changed("DeepStart", "[0.5, 0.5]", std::string(1000000, '['),
                {"m.json:7:", "start is nested deeper than 3 arrays"}),
        changed("OtherFormat", "rgu-model", "gym-model",
                {"m.json:2:", "format is 'gym-model', must be 'rgu-model'"}),
        changed("FormatIsNumber", "\"rgu-model\"", "1", {"m.json:2:", "format must be a text"}),
        changed("NoFormat", "\"format\": \"rgu-model\",", "", {"m.json:1:", "format is missing"}),
        changed("NoVersion", "\"version\": 1,", "", {"m.json:1:", "version is missing"}),
        changed("OtherVersion", "\"version\": 1", "\"version\": 2",
                {"m.json:3:", "version is 2, must be 1"}),
        changed("VersionIsText", "\"version\": 1", "\"version\": \"1\"",
                {"m.json:3:", "version must be a number"}),
        changed("UnknownName", "\"grid\"", "\"gird\"", {"m.json:15:", "unknown name 'gird'"}),
        changed("UnknownNameInside", "\"next\"", "\"to\"",
                {"m.json:11:", "unknown name 'to' in transitions"}),
        changed("RepeatedName", "\"actions\": 1", "\"states\": 2",
                {"m.json:5:", "'states' is given twice"}),
        changed("RepeatedNameInside", "\"action\"", "\"state\"",
                {"m.json:10:", "'transitions.state' is given twice"}),
        changed("RepeatedSection", "\"grid\": {", "\"signals\": {}, \"grid\": {",
                {"m.json:15:", "'signals' is given twice"}),
        changed("NoStates", "\"states\": 2,", "", {"m.json:1:", "states is missing"}),
        changed("NoActions", "\"actions\": 1,", "", {"m.json:1:", "actions is missing"}),
        changed("NoDiscount", "\"discount\": 0.9,", "", {"m.json:1:", "discount is missing"}),
        changed("NoStart", "\"start\": [0.5, 0.5],", "", {"m.json:1:", "start is missing"}),
        changed("NoTransitions", kTransitions, "", {"m.json:1:", "transitions is missing"}),
        changed("NoNext", "\"next\": [0, 1, 1],", "", {"m.json:8:", "transitions.next is missing"}),
        changed("NoRows", "\"rows\": 1,", "", {"m.json:15:", "grid.rows is missing"}),
        changed("BothKernels", "\"signals\"", "\"kernel\": [[[1]]], \"signals\"",
                {"m.json:14:", "both kernel and transitions"})),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    WrongTypes, JsonRefusal,
    testing::Values(
        changed("StatesIsText", "\"states\": 2", "\"states\": \"two\"",
                {"m.json:4:", "states must be a number"}),
        changed("StatesIsNull", "\"states\": 2", "\"states\": null",
                {"m.json:4:", "states holds null"}),
        changed("StatesIsArray", "\"states\": 2", "\"states\": [2]",
                {"m.json:4:", "states must be a number"}),
        changed("StatesIsObject", "\"states\": 2", "\"states\": {}",
                {"m.json:4:", "states holds an object"}),
        changed("StatesHasFraction", "\"states\": 2", "\"states\": 2.5",
                {"m.json:4:", "states is 2.5, must be an integer"}),
        changed("DiscountIsTrue", "0.9", "true", {"m.json:6:", "discount holds a truth value"}),
        changed("StartIsNumber", "[0.5, 0.5]", "0.5", {"m.json:7:", "start must be numbers in 1"}),
        changed("TextInArray", "[0.5, 0.5]", "[0.5, \"0.5\"]", {"m.json:7:", "start holds a text"}),
        changed("ObjectInArray", "[0.5, 0.5]", "[0.5, {}]", {"m.json:7:", "start holds an object"}),
        changed("OddName", "{\"reward\": [[1], [0]]}", "{\"a\\nb\": null}",
                {"m.json:14:", "signals.a\\x0ab holds null"}),
        changed("OddNameOfOddShape", "{\"reward\": [[1], [0]]}", "{\"a\\nb\": [[1]]}",
                {"m.json:14:", "signals.a\\x0ab is 1 x 1, must be 2 x 1"}),
        changed("NullInArray", "[0.5, 0.5]", "[0.5, null]", {"m.json:7:", "start holds null"}),
        changed("NumberThenArray", "[0.5, 0.5]", "[0.5, [0.5]]", {"m.json:7:", "start mixes"}),
        changed("ArrayThenNumber", "[0.5, 0.5]", "[[0.5], 0.5]", {"m.json:7:", "start mixes"}),
        changed("EmptyArrayThenNumber", "[0.5, 0.5]", "[[], 0.5]", {"m.json:7:", "start mixes"}),
        changed("TransitionsIsArray", kTransitions, "\"transitions\": [],",
                {"m.json:8:", "transitions holds", "must be an object"}),
        changed("SignalsIsText", "{\"reward\": [[1], [0]]}", "\"reward\"",
                {"m.json:14:", "signals holds a text, must be an object"}),
        changed("SignalIsFlat", "[[1], [0]]", "[1, 0]",
                {"m.json:14:", "signals.reward must be numbers in 2"}),
        changed("RaggedSignal", "[[1], [0]]", "[[1], [0, 0]]",
                {"m.json:14:", "signals.reward has nested arrays of 1 and 2 elements"}),
        Refused{"FlatKernel",
                with_kernel("[0.25, 0.75, 0, 1]"),
                {"m.json:8:", "kernel must be numbers in 3"}}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    WrongNumbers, JsonRefusal,
    testing::Values(
        changed("QuintillionStates", "\"states\": 2", "\"states\": 1000000000000000000",
                {"m.json:4:", "states is 1e+18", "1 .. 2147483646"}),
        changed("TwoBillionStates", "\"states\": 2", "\"states\": 2000000000",
                {"m.json:7:", "start has length 2, must be 2000000000"}),
        changed("TwoBillionActions", "\"actions\": 1", "\"actions\": 2000000000",
                {"m.json:12:", "state 0 lists no action 1, must list all 2000000000"}),
        changed("TwoBillionActionsInAKernel",
                kTransitions + "\"signals\": {\"reward\": [[1], [0]]}",
                "\"kernel\": [[[1, 0]], [[0, 1]]], \"signals\": {\"reward\": [[1, 1], [0, 0]]}",
                {"m.json:8:", "signals.reward", "2 x 2, must be 2 x 1"}),
        changed("NoState", "\"states\": 2", "\"states\": 0", {"m.json:4:", "states is 0"}),
        changed("NegativeStates", "\"states\": 2", "\"states\": -2", {"m.json:4:", "states is -2"}),
        changed("DiscountOne", "0.9", "1", {"m.json:6:", "discount is 1"}),
        changed("StartSum", "[0.5, 0.5]", "[0.5, 0.6]", {"m.json:7:", "start sums to 1.1"}),
        changed("NegativeStart", "[0.5, 0.5]", "[-0.5, 1.5]",
                {"m.json:7:", "start holds -0.5 at 0"}),
        changed("NegativeProbability", "0.25", "-0.25",
                {"m.json:12:", "transitions.probability holds -0.25 at 0"}),
        changed("RowOffByAMillionth", "0.25", "0.250001",
                {"m.json:12:", "transition row s=0 a=0 sums to 1.00000099"}),
        changed("StateTooLarge", "[0, 0, 1]", "[0, 0, 2]",
                {"m.json:9:", "transitions.state holds 2 at 2, must be in 0 .. 1"}),
        changed("ActionTooLarge", "[0, 0, 0]", "[0, 0, 1]",
                {"m.json:10:", "transitions.action holds 1 at 2, must be in 0 .. 0"}),
        changed("NegativeNext", "[0, 1, 1]", "[0, -1, 1]",
                {"m.json:11:", "transitions.next holds -1 at 1"}),
        changed("OverflowingNext", "[0, 1, 1]", "[0, 1, 99999999999999999999]",
                {"m.json:11:", "transitions.next holds a fraction"}),
        changed("FractionNext", "[0, 1, 1]", "[0, 1, 1.5]",
                {"m.json:11:", "transitions.next holds a fraction"}),
        changed("UnequalLengths", "[0, 1, 1]", "[0, 1]",
                {"m.json:11:", "transitions.next has length 2, must be 3"}),
        changed("ListedTwice", "[0, 1, 1]", "[0, 0, 1]",
                {"m.json:12:", "s=0 a=0 s'=0 is listed twice"}),
        changed("DeadState", "[0, 0, 1]", "[0, 0, 0]",
                {"m.json:12:", "state 1 lists no action, must list at least one"}),
        changed("NoTransitionListed", kTransitions,
                "\"transitions\": {\"state\": [], \"action\": [], \"next\": [], "
                "\"probability\": []},",
                {"m.json:8:", "no transitions are listed"}),
        Refused{"KernelShape",
                with_kernel("[[[0.25, 0.75]]]"),
                {"m.json:8:", "kernel is 1 x 1 x 2, must be 2 x 1 x 2"}},
        Refused{"KernelRow",
                with_kernel("[[[0.25, 0.75]], [[0, 0.5]]]"),
                {"m.json:8:", "transition row s=1 a=0 sums to 0.5"}},
        changed("SignalShape", "[[1], [0]]", "[[1]]",
                {"m.json:14:", "signals.reward is 1 x 1, must be 2 x 1"}),
        changed("NoGridRow", "\"rows\": 1", "\"rows\": 0", {"m.json:15:", "grid.rows is 0"}),
        changed("HugeGrid", "\"rows\": 1, \"columns\": 2",
                "\"rows\": 2000000000, \"columns\": 2000000000", {"m.json:15:", "cells"}),
        changed("CellOutside", "\"cell_of_state\": [0, 1]", "\"cell_of_state\": [0, 2]",
                {"m.json:15:", "grid.cell_of_state holds 2 at 1, must be in 0 .. 1"}),
        changed("CellTwice", "\"cell_of_state\": [0, 1]", "\"cell_of_state\": [1, 1]",
                {"m.json:15:", "names 1 cells for 2 states"})),
    name_of_case);

TEST(JsonFile, KeepsAwkwardNumbersAndNames) {
  const TemporaryFolder folder;
  World world = model_by_hand(Storage::kSparse);
  world.signals["\"quoted\"\n\xc3\xa9"] =
      Eigen::Vector2d(std::numeric_limits<double>::denorm_min(), -1.0 / 3);
  world.signals[""] = Eigen::Vector2d(std::numeric_limits<double>::max(), -0.0);
  write_json(folder / "m.json", world);
  const World back = read_json(folder / "m.json");
  expect_same_world(back, world);
  EXPECT_TRUE(std::signbit(back.signals.at("")(1, 0)));
}

TEST(JsonFile, KeepsStoredZerosThroughAFile) {
  const TemporaryFolder folder;
  World world = model_by_hand(Storage::kSparse);
  SparseMatrix kernel = world.mdp.sparse_kernel();
  kernel.coeffRef(1, 0) = 0.0;
  world.mdp = FiniteMdp(kernel, world.mdp.start(), 0.9);
  write_json(folder / "m.json", world);
  expect_same_world(read_json(folder / "m.json"), world);
}

TEST(JsonFile, RefusesToWriteWhatItCouldNotReadBack) {
  const TemporaryFolder folder;
  const auto message = [&](auto change) {
    World world = model_by_hand(Storage::kSparse);
    change(world);
    return thrown_by([&] { write_json(folder / "m.json", world); });
  };
  EXPECT_THAT(message([](World& w) { w.signals["reward"](0, 0) = INFINITY; }),
              HasSubstr("signal \"reward\"[0, 0] is inf"));
  EXPECT_THAT(message([](World& w) { w.signals["reward"].resize(1, 1); }),
              HasSubstr("signal \"reward\" is 1 x 1, must be 2 x 1"));
  EXPECT_THAT(message([](World& w) { w.signals["\xff"] = w.signals["reward"]; }),
              HasSubstr("not UTF-8"));
  EXPECT_THAT(message([](World& w) { w.grid->cell_of_state = {0}; }),
              HasSubstr("grid cell_of_state has 1 entries, must have 2"));
  EXPECT_THAT(message([](World& w) {
                w.grid->cell_of_state = {0, 2};
              }),
              HasSubstr("must lie in 0 .. 1"));
  EXPECT_THAT(message([](World& w) {
                w.grid->cell_of_state = {1, 1};
              }),
              HasSubstr("grid cell 1 belongs to two states"));
  EXPECT_THAT(message([](World& w) { w.grid->rows = 0; }), HasSubstr("grid rows is 0"));
  EXPECT_THAT(message([](World& w) { w.grid->columns = -1; }), HasSubstr("grid columns is -1"));
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace rgu
