#include "rgu/report/curves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "report/helpers.hpp"
#include "report/sample_runs.hpp"
#include "rgu/report/axes.hpp"
#include "rgu/report/summary.hpp"

namespace rgu::report {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

const MetricField& kObjective = kMetricFields[0];

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> result;
  for (const Tick& tick : axis.ticks) result.push_back(tick.label);
  return result;
}

TEST(Axis, HasTicksAtRoundNumbers) {
  EXPECT_THAT(labels(axis_for({0, 300}, {.ticks = 6, .padding = 0})),
              ElementsAre("0", "50", "100", "150", "200", "250", "300"));
  EXPECT_THAT(labels(axis_for({-0.1, 0.05}, {.ticks = 3, .padding = 0})),
              ElementsAre("−0.10", "−0.05", "0", "0.05"));
}

TEST(Axis, RunsFromLowToHigh) {
  const Axis axis = axis_for({2, 4}, {.padding = 0});
  EXPECT_EQ(axis.fraction(2), 0);
  EXPECT_EQ(axis.fraction(4), 1);
  EXPECT_EQ(axis.fraction(2.5), 0.25);
}

TEST(Axis, OfOneNumberHasTheNumberInside) {
  for (const double value : {0.0, -3.0, 1e-300, 1e300}) {
    const Axis axis = axis_for({value}, {});
    EXPECT_LT(axis.low, value);
    EXPECT_GT(axis.high, value);
    EXPECT_FALSE(axis.ticks.empty());
  }
}

TEST(Axis, IgnoresWhatIsNotFinite) {
  const Axis axis = axis_for({kNan, 1, kInfinity, 3, -kInfinity}, {.padding = 0});
  EXPECT_EQ(axis.low, 1);
  EXPECT_EQ(axis.high, 3);
}

TEST(Axis, WithoutNumbersStillExists) {
  EXPECT_EQ(axis_for({}, {.padding = 0}).high, 1);
  EXPECT_FALSE(axis_for({-1, 0}, {.scale = Scale::kLog}).ticks.empty());
}

TEST(Axis, OnALogScaleHasPowersOfTenAndNoPlaceForWhatIsNotPositive) {
  const Axis axis = axis_for({1e-6, 1, -5, 0}, {.scale = Scale::kLog});
  EXPECT_THAT(labels(axis), ElementsAre("10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "0.01", "0.1", "1"));
  EXPECT_TRUE(std::isnan(axis.fraction(0)));
  EXPECT_TRUE(std::isnan(axis.fraction(-1)));
  EXPECT_NEAR(axis.fraction(1e-3), 0.5, 1e-12);
  EXPECT_THAT(labels(axis_for({0.9, 12}, {.scale = Scale::kLog})),
              ElementsAre("1", "2", "5", "10"));
}

// (1 + 3 + 8) / 3 = 4; squares 9 + 1 + 16 = 26, by n - 1 = 2: sqrt(13).
TEST(Spread, IsTheMeanAndTheSampleDeviationOfTheFiniteNumbers) {
  const Spread spread = spread_of({1, kNan, 3, 8, kInfinity});
  EXPECT_EQ(spread.count, 3U);
  EXPECT_DOUBLE_EQ(spread.mean, 4);
  EXPECT_DOUBLE_EQ(spread.deviation, std::sqrt(13));
  EXPECT_TRUE(std::isnan(spread_of({2}).deviation));
  EXPECT_TRUE(std::isnan(spread_of({}).mean));
}

TEST(Spread, IsWrittenWithTheDigitsThatMatter) {
  EXPECT_EQ(text_of({-0.11523, 0.002902, 5}), "−0.1152 ± 0.0029");
  EXPECT_EQ(text_of({1234.5, 56.7, 2}), "1234 ± 57");
  EXPECT_EQ(text_of({0.5, kNan, 1}), "0.5000");
  EXPECT_EQ(text_of({0.5, 0, 2}), "0.5000 ± 0");
  EXPECT_EQ(text_of({1e-9, 2e-10, 2}), "1.000×10⁻⁹ ± 2×10⁻¹⁰");
}

TEST(MetricCurve, HasMeanAndDeviationOfEveryIterationAndGapsWhereNothingWasMeasured) {
  const RunRecord run = objective_run({{1, 2, kNan, 5}, {3, kNan, kNan}});
  const Curve curve = metric_curve(run, kObjective);
  ASSERT_EQ(curve.mean.size(), 4U);
  EXPECT_EQ(curve.x[0], (std::vector<double>{1, 2, 3, 4}));
  EXPECT_DOUBLE_EQ(curve.mean[0], 2);
  EXPECT_DOUBLE_EQ(curve.deviation[0], std::sqrt(2));
  EXPECT_DOUBLE_EQ(curve.mean[1], 2);
  EXPECT_TRUE(std::isnan(curve.deviation[1]));
  EXPECT_TRUE(std::isnan(curve.mean[2]));
  EXPECT_DOUBLE_EQ(curve.mean[3], 5);
  EXPECT_THAT(curve.labels, ElementsAre("0", "1"));
  EXPECT_TRUE(std::isnan(curve.seeds[1][3]));
}

TEST(MetricCurve, PutsSeedsThatRecordedAtDifferentTimesWhereTheyBelong) {
  RunRecord run = objective_run({{10, 20}, {30, 40}});
  run.seeds[1].metrics[0].iteration = 2;
  run.seeds[1].metrics[1].iteration = 5;
  const Curve curve = metric_curve(run, kObjective);
  EXPECT_EQ(curve.x[0], (std::vector<double>{1, 2, 5}));
  EXPECT_EQ(curve.mean, (std::vector<double>{10, 25, 40}));
}

// The slow seed ends first: the mean of the seconds would fall from 10 to 2.
TEST(MetricCurve, TimeNeverRunsBackwards) {
  RunRecord run = objective_run({{1}, {1, 2}});
  run.seeds[0].seconds = {19};
  run.seeds[1].seconds = {1, 2};
  EXPECT_EQ(metric_curve(run, kObjective).x[2], (std::vector<double>{10, 10}));
}

TEST(Thinned, KeepsEveryPeakAndTheEnds) {
  std::vector<double> quiet(10000, 0.0), loud(10000, 1.0);
  quiet[3333] = -7;
  loud[7777] = 9;
  const Curve whole = metric_curve(objective_run({quiet, loud}), kObjective);
  const Curve curve = thinned(whole);
  EXPECT_LE(curve.mean.size(), kMostPoints);
  EXPECT_EQ(curve.measured, 10000U);
  EXPECT_EQ(*std::min_element(curve.seeds[0].begin(), curve.seeds[0].end()), -7);
  EXPECT_EQ(*std::max_element(curve.seeds[1].begin(), curve.seeds[1].end()), 9);
  EXPECT_EQ(curve.x[0].front(), 1);
  EXPECT_EQ(curve.x[0].back(), 10000);
  for (std::size_t i = 0; i < curve.mean.size(); ++i) {
    const auto at = static_cast<std::size_t>(curve.x[0][i]) - 1;
    EXPECT_EQ(curve.mean[i], whole.mean[at]);
    EXPECT_EQ(curve.seeds[0][i], quiet[at]);
  }
}

TEST(Thinned, LeavesShortCurvesAlone) {
  const Curve curve = metric_curve(objective_run({{1, 2, 3}}), kObjective);
  EXPECT_EQ(thinned(curve).mean, curve.mean);
}

std::vector<std::string> ids(const std::vector<CurveFigure>& figures) {
  std::vector<std::string> result;
  for (const CurveFigure& figure : figures) result.push_back(figure.id);
  return result;
}

TEST(CurveSet, BeginsWithTheFiguresOfThePaperAndNamesWhatNeverChanges) {
  const CurveSet set = curve_set(matrix_run());
  EXPECT_THAT(ids(set.paper),
              ElementsAre("paper_objective", "paper_policy_mapping", "paper_nature_mapping"));
  EXPECT_THAT(ids(set.others), ElementsAre("objective", "residual", "mappings", "moves", "vi_gap",
                                           "nature_distance"));
  ASSERT_EQ(set.constants.size(), 3U);
  EXPECT_EQ(set.constants[0].field.name, "envelope_gap");
  EXPECT_EQ(set.constants[1].value, 0.03);
}

TEST(CurveSet, ShowsEveryMetricThatWasMeasured) {
  for (const MetricField& field : kMetricFields) {
    RunRecord run = objective_run({{1, 2}});
    run.seeds[0].metrics[0].objective = run.seeds[0].metrics[1].objective = kNan;
    run.seeds[0].metrics[0].*field.member = 3;
    run.seeds[0].metrics[1].*field.member = 4;
    const CurveSet set = curve_set(run);
    ASSERT_EQ(set.others.size(), 1U) << field.name;
    EXPECT_EQ(set.others[0].curves.size(), 1U) << field.name;
    EXPECT_THAT(set.paper, IsEmpty());
  }
}

TEST(CurveSet, UsesALogScaleOnlyWhereAllIsPositive) {
  RunRecord run = objective_run({{1, 2}});
  run.seeds[0].metrics[0].residual = 1;
  run.seeds[0].metrics[1].residual = 0.1;
  EXPECT_EQ(curve_set(run).others[1].scale, Scale::kLog);
  run.seeds[0].metrics[1].residual = 0;
  EXPECT_EQ(curve_set(run).others[1].scale, Scale::kLinear);
}

TEST(CurveSet, TheWorstCaseCarriesItsKind) {
  RunRecord run = grid_run();
  EXPECT_EQ(curve_set(run).others[0].curves[1].name, "Γ (certified)");
  run.seeds[0].metrics[0].envelope_kind = AnswerKind::kBestFound;
  EXPECT_EQ(curve_set(run).others[0].curves[1].name, "Γ (certified or best found)");
}

TEST(CurveSet, OfARunWithoutSeedsOrMetricsIsEmpty) {
  for (const RunRecord& run : {objective_run({}), objective_run({{}}), objective_run({{kNan}})}) {
    const CurveSet set = curve_set(run);
    EXPECT_THAT(set.paper, IsEmpty());
    EXPECT_THAT(set.others, IsEmpty());
    EXPECT_THAT(set.constants, IsEmpty());
  }
}

TEST(Summary, TakesTheLowestWorstCaseOfTheSolvedSeeds) {
  RunRecord run = objective_run({{0}, {0}, {0}});
  run.seeds[0].worst_case.value = 5;
  run.seeds[1].worst_case.value = 1;
  run.seeds[2].worst_case.value = 3;
  run.seeds[2].worst_case.kind = AnswerKind::kBestFound;
  EXPECT_EQ(summary_of(run).best, 1U);
  EXPECT_EQ(summary_of(run).kinds, "2 exact, 1 best found");
  run.seeds[1].solved = false;
  const Summary summary = summary_of(run);
  EXPECT_EQ(summary.best, 2U);
  EXPECT_EQ(summary.unsolved, 1U);
  EXPECT_DOUBLE_EQ(summary.worst.mean, 4);
  for (SeedRecord& seed : run.seeds) seed.solved = false;
  EXPECT_EQ(summary_of(run).best, 1U);
}

}  // namespace
}  // namespace rgu::report
