#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mdp/file_testing.hpp"
#include "rgu/experiment/built_in.hpp"
#include "rgu/experiment/config.hpp"

namespace rgu {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

struct Wrong {
  std::string name;
  std::string text;
  std::string message;  // how it begins
};

void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }

std::string name_of_wrong(const testing::TestParamInfo<Wrong>& tested) { return tested.param.name; }

std::string message_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return thrown_by([&] { read_config({"p.toml", text, {}}, overrides); });
}

class WrongFile : public testing::TestWithParam<Wrong> {};

TEST_P(WrongFile, IsRefusedAtItsPlace) {
  const std::string message = message_of(GetParam().text);
  EXPECT_THAT(message, StartsWith(GetParam().message));
  EXPECT_EQ(message.find('\n'), message.npos) << message;
}

const std::string kModel = "[model]\ngenerator = 'random'\n";                  // lines 1, 2
const std::string kSmallest = kModel + "[utility]\ntype = 'reward'\n";         // lines 3, 4
const std::string kFeature = kModel + "[utility]\ntype = 'feature-reward'\n";  // lines 3, 4
const std::string kDeep = "name = " + std::string(100000, '[');
const std::string kBall = kSmallest + "[ambiguity]\nset = 'lp-ball'\n";  // lines 5, 6

INSTANTIATE_TEST_SUITE_P(
    Syntax, WrongFile,
    testing::Values(Wrong{"NoValue", "name =\n", "p.toml:1:7: "},
                    Wrong{"OpenString", "name = 'x\n", "p.toml:1:"},
                    Wrong{"DuplicateKey", kModel + "generator = 'grid'\n", "p.toml:3:"},
                    Wrong{"DuplicateTable", kModel + "[model]\n", "p.toml:3:"},
                    Wrong{"BadUtf8", "name = '\xff\xfe'", "p.toml:1:"},
                    Wrong{"HugeInteger", "seeds = 99999999999999999999\n", "p.toml:1:"},
                    Wrong{"DeepNesting", kDeep, "p.toml:1:"},
                    Wrong{"ControlCharacter", std::string("name = 'a\0b'", 12), "p.toml:1:"}),
    name_of_wrong);

INSTANTIATE_TEST_SUITE_P(
    Keys, WrongFile,
    testing::Values(
        Wrong{"Unknown", kBall + "radus = 1\n",
              "p.toml:7:1: unknown key 'radus' in [ambiguity]; did you mean 'radius'?"},
        Wrong{"UnknownTable", "[modle]\n" + kSmallest,
              "p.toml:1:2: unknown key 'modle' at the top; did you mean 'model'?"},
        Wrong{"UnknownWithoutAHint", kSmallest + "frobnicate = 1\n",
              "p.toml:5:1: unknown key 'frobnicate' in [utility]"},
        Wrong{"UnknownInAPart", kModel + "[utility]\ntype='sum'\nparts=[{type='reward', wieght=2}]",
              "p.toml:5:24: unknown key 'wieght' in [utility.parts[0]]; did you mean 'weight'?"},
        Wrong{"UnknownInASchedule", kSmallest + "[gradient]\nhorizon = {bsae = 2}",
              "p.toml:6:12: unknown key 'bsae' in the schedule horizon; did you mean 'base'?"},
        Wrong{"MisspeltKind", kModel + "[utility]\ntpye = 'drift'\ndimension = 3\n",
              "p.toml:4:1: unknown key 'tpye' in [utility]; did you mean 'type'?"},
        Wrong{"OfAnotherMethod", kSmallest + "[solver]\nmethod = 'worst-case'\nstep = 1\n",
              "p.toml:7:1: key 'step' in [solver] does not belong to method = \"worst-case\", only "
              "to \"prox-extragradient\"; remove it"},
        Wrong{
            "OfOtherKinds", kSmallest + "weights = [1]\n",
            "p.toml:5:1: key 'weights' in [utility] does not belong to type = \"reward\", only to "
            "\"feature-reward\", \"variance\"; remove it"},
        Wrong{"Missing", kBall, "p.toml:5:1: missing key 'radius' in [ambiguity]"},
        Wrong{"MissingKind", kModel + "[utility]\ndimension = 3\n",
              "p.toml:3:1: missing key 'type' in [utility]"},
        Wrong{"MissingTable", kModel, "p.toml:1:1: missing key 'utility' at the top"},
        Wrong{"Empty", "", "p.toml:1:1: missing key 'model' at the top"},
        Wrong{"GeneratorAndFile", kModel + "file = 'w.json'\n",
              "p.toml:2:13: 'generator' and 'file' exclude each other in [model]"}),
    name_of_wrong);

INSTANTIATE_TEST_SUITE_P(
    Types, WrongFile,
    testing::Values(
        Wrong{"StringForInteger", kModel + "states = 'ten'\n",
              "p.toml:3:10: states is the string 'ten', must be an integer in [1, 1000000]"},
        Wrong{"FloatForInteger", kModel + "states = 10.0\n",
              "p.toml:3:10: states is 10.0, must be an integer in [1, 1000000]"},
        Wrong{"BooleanForNumber", kBall + "radius = true",
              "p.toml:7:10: radius is true, must be a number >= 0"},
        Wrong{"ListForNumber", kBall + "radius = [1]",
              "p.toml:7:10: radius is a list, must be a number >= 0"},
        Wrong{"DateForNumber", kBall + "radius = 2020-01-01",
              "p.toml:7:10: radius is a date or time, must be a number >= 0"},
        Wrong{"NumberForString", "name = 3\n", "p.toml:1:8: name is 3, must be a string"},
        Wrong{"NumberForBoolean", kSmallest + "[output]\ntensorboard = 1",
              "p.toml:6:15: tensorboard is 1, must be true or false"},
        Wrong{"NumberForTable", "model = 3\n", "p.toml:1:9: model is 3, must be a table"},
        Wrong{"NumberForKind", "[model]\ngenerator = 3\n",
              "p.toml:2:13: generator is 3, must be one of \"random\", \"garnet\""},
        Wrong{"MisspeltName", kModel + "[utility]\ntype = 'drfit'\n",
              "p.toml:4:8: type is the string 'drfit', must be one of \"reward\", "},
        Wrong{"StringForList", kFeature + "signals = 'reward'\nweights = [1]",
              "p.toml:5:11: signals is the string 'reward', must be a list"},
        Wrong{"MixedList", kFeature + "signals = ['reward', 2]\nweights = [1]",
              "p.toml:5:22: signals is 2, must be a string"},
        Wrong{"EmptyList", kFeature + "signals = []\nweights = [1]",
              "p.toml:5:11: signals is an empty list, must have an entry"},
        Wrong{"TableForParts", kModel + "[utility]\ntype='sum'\nparts={}",
              "p.toml:5:7: parts is a table, must be a list of at least one table"},
        Wrong{"NumberForPart", kModel + "[utility]\ntype='sum'\nparts=[1]",
              "p.toml:5:8: parts[0] is 1, must be a table"},
        Wrong{"UnevenRows",
              kSmallest + "[ambiguity]\nset='polytope'\nnormals=[[1, 2], [3]]\noffsets=[1, 1]",
              "p.toml:7:18: row 1 of normals has 1 entries, must have 2 as row 0"},
        Wrong{"StringForStep", kSmallest + "[solver]\nmethod = 'pgda'\npolicy_step = 'fast'",
              "p.toml:7:15: policy_step is the string 'fast', must be a number > 0 or \"auto\""},
        Wrong{"BooleanForSchedule", kSmallest + "[gradient]\nhorizon = true",
              "p.toml:6:11: horizon is true, must be an integer, a list of integers or a table"},
        Wrong{"WrongGrowth", kSmallest + "[gradient]\nhorizon = {growth = 'cubic'}",
              "p.toml:6:21: growth is the string 'cubic', must be \"log\", \"linear\" or "
              "\"quadratic\""}),
    name_of_wrong);

INSTANTIATE_TEST_SUITE_P(
    Values, WrongFile,
    testing::Values(
        Wrong{"Negative", kBall + "radius = -1",
              "p.toml:7:10: radius is -1, must be a number >= 0"},
        Wrong{"NaN", kBall + "radius = nan", "p.toml:7:10: radius is nan, must be a number >= 0"},
        Wrong{"Infinite", kBall + "radius = inf",
              "p.toml:7:10: radius is inf, must be a number >= 0"},
        Wrong{"SmallP", kBall + "radius = 1\np = 0.5",
              "p.toml:8:5: p is 0.5, must be a number in [1, inf]"},
        Wrong{"DiscountOfOne", kModel + "discount = 1",
              "p.toml:3:12: discount is 1, must be a number in (0, 1)"},
        Wrong{"ZeroStates", kModel + "states = 0", "p.toml:3:10: states is 0, must be an integer"},
        Wrong{"HugeDenseModel", kModel + "states = 1000000\nactions = 1000000\n",
              "p.toml:3:10: states^2 * actions is above 1073741824"},
        Wrong{"NegativeSeed", "seeds = [-1]", "p.toml:1:10: seeds is -1, must be an integer >= 0"},
        Wrong{"NoSeeds", "seeds = 0", "p.toml:1:9: seeds is 0, must be a number of seeds in 1 .. "},
        Wrong{"ManySeeds", "seeds = 9000000000000000000", "p.toml:1:9: seeds is 9"},
        Wrong{"SeedTwice", "seeds = [1, 2, 1]", "p.toml:1:16: seed 1 is listed twice"},
        Wrong{"ZeroInASchedule", kSmallest + "[gradient]\nhorizon = [5, 0]",
              "p.toml:6:15: horizon is 0, must be an integer >= 1"},
        Wrong{"NegativeRate", kSmallest + "[gradient]\nhorizon = {rate = -1}",
              "p.toml:6:19: rate is -1, must be a number >= 0"},
        Wrong{"WeightsThatDoNotFit", kFeature + "signals = ['a', 'b']\nweights = [1]",
              "p.toml:6:11: weights has 1 entries, must have 2, one for each signal"},
        Wrong{"TwoKindsOfBox", kSmallest + "[ambiguity]\nset='box'\nradius=1\nlower=0",
              "p.toml:6:5: a box needs either 'radius' or both 'lower' and 'upper'"},
        Wrong{"HalfABox", kSmallest + "[ambiguity]\nset='box'\nlower=0", "p.toml:6:5: a box needs"},
        Wrong{"ConstraintWithoutALimit",
              kModel + "[utility]\ntype='constrained'\nconstraints=[{signal='a'}]",
              "p.toml:5:22: a constraint needs either 'at_most' or 'at_least'"},
        Wrong{"SignalAndCost",
              kModel + "[utility]\ntype='constrained'\nsignal='a'\ncost='b'\n"
                       "constraints=[{signal='a', at_most=1}]",
              "p.toml:6:6: 'signal' is maximised and 'cost' is minimised: give one of them"},
        Wrong{"NobodyToImitate", kModel + "[utility]\ntype='kl-target'\n",
              "p.toml:4:6: imitation needs either 'demonstrations' or 'expert'"},
        Wrong{"LogLinearWithoutFeatures", kSmallest + "[policy]\nclass='log-linear'\n",
              "p.toml:6:7: a log-linear policy needs either 'features' or 'signals'"},
        Wrong{"EmptyFileName", "[model]\nfile=''\n",
              "p.toml:2:6: file is the string '', must be a file name"},
        Wrong{"OffsetsThatDoNotFit",
              kSmallest + "[ambiguity]\nset='polytope'\nnormals=[[1, 2]]\noffsets=[1, 1]",
              "p.toml:8:9: offsets has 2 entries, must have 1, one for each row of normals"}),
    name_of_wrong);

TEST(ConfigErrors, SuggestTheNearestKind) {
  EXPECT_THAT(message_of(kModel + "[utility]\ntype = 'drfit'\n"),
              HasSubstr("; did you mean 'drift'?"));
}

TEST(ConfigErrors, AreTheFirstLineOfWhatABuiltInProblemWouldSay) {
  EXPECT_THAT(thrown_by([] { read_config(find_problem("risk"), {"utility.aversion=-1"}); }),
              StartsWith("--set utility.aversion=-1: aversion is -1, must be a number >= 0"));
}

TEST(WrongOverride, IsNamed) {
  EXPECT_EQ(message_of(kBall, {"ambiguity.radius=-1"}),
            "--set ambiguity.radius=-1: radius is -1, must be a number >= 0");
  EXPECT_EQ(message_of(kBall + "radius = 1", {"ambiguity.radus=2"}),
            "--set ambiguity.radus=2: unknown key 'radus' in [ambiguity]; did you mean 'radius'?");
  EXPECT_EQ(message_of(kSmallest, {"sovler.method=pgda"}),
            "--set sovler.method=pgda: unknown key 'sovler' at the top; did you mean 'solver'?");
  EXPECT_EQ(message_of(kSmallest, {"ambiguity.set=lp-ball"}),
            "--set ambiguity.set=lp-ball: missing key 'radius' in [ambiguity]");
  EXPECT_EQ(message_of(kSmallest, {"model.states=1.2.3"}),
            "--set model.states=1.2.3: states is the string '1.2.3', must be an integer in [1, "
            "1000000]");
}

TEST(Override, OfAKindDropsTheKeysOfTheOldKindFromTheText) {
  const std::string text = kSmallest + "signal = 'goal'\n";
  const ProblemConfig config =
      read_config({.name = "p.toml", .text = text, .folder = {}}, {"utility.type=entropy"});
  EXPECT_TRUE(std::holds_alternative<EntropyConfig>(config.utility.kind));
}

TEST(WrongOverride, OfAKeyThatTheChosenKindDoesNotHave) {
  EXPECT_THAT(message_of(kSmallest, {"utility.type=entropy", "utility.signal=goal"}),
              StartsWith("--set utility.signal=goal: key 'signal' in [utility] does not belong to "
                         "type = \"entropy\", only to \"reward\""));
}

TEST(ConfigErrors, NameTheInnerChoiceThatAKeyDoesNotFit) {
  EXPECT_EQ(message_of(kModel + "[utility]\ntype='drift'\nsignals=['a']\nfeature_dimension=3\n"),
            "p.toml:6:1: key 'feature_dimension' in [utility] does not belong to features = "
            "\"signals\", only to \"normal\"; remove it");
}

TEST(WrongOverride, IsNoKeyAndValue) {
  EXPECT_EQ(message_of(kSmallest, {"radius"}),
            "--set radius: must be table.key=value, such as stopping.iterations=100");
  EXPECT_THAT(message_of(kSmallest, {"=3"}), StartsWith("--set =3: must be table.key=value"));
  EXPECT_EQ(message_of(kSmallest, {"name="}), "--set name=: has no value after '='");
  EXPECT_THAT(message_of(kSmallest, {"a..b=3"}), StartsWith("--set a..b=3: "));
  EXPECT_THAT(message_of(kSmallest, {"seeds=[1,"}), StartsWith("--set seeds=[1,: "));
}

TEST(WrongOverride, LeadsBeyondAList) {
  const std::string text = kModel + "[utility]\ntype='sum'\nparts=[{type='reward'}]";
  EXPECT_EQ(message_of(text, {"utility.parts.1.weight=2"}),
            "--set utility.parts.1.weight=2: '1' is no entry of a list of 1 entries, counted from "
            "0");
  EXPECT_THAT(message_of(text, {"utility.parts.x=2"}), HasSubstr("'x' is no entry of a list"));
}

}  // namespace
}  // namespace rgu
