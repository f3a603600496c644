#include "rgu/align/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "align/sample_runs.hpp"
#include "mdp/file_testing.hpp"
#include "rgu/align/report_answers.hpp"
#include "rgu/align/report_figures.hpp"
#include "rgu/align/report_numbers.hpp"
#include "rgu/record/json_values.hpp"

namespace rgu::align {
namespace {

using report::Curve;
using report::CurveFigure;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const double kNan = std::nan("");

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// What people read of a page.
std::string body(const std::string& page) {
  const std::size_t first = page.find("<body>");
  return page.substr(first, page.find("<footer>") - first);
}

// What the page gives its scripts to draw.
Json drawn(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t first = page.find(begin) + begin.size();
  return parse_json(page.substr(first, page.find("</script>", first) - first));
}

std::vector<std::string> ids(const std::vector<CurveFigure>& figures) {
  std::vector<std::string> list;
  for (const CurveFigure& figure : figures) list.push_back(figure.id);
  return list;
}

std::vector<std::string> names(const CurveFigure& figure) {
  std::vector<std::string> list;
  for (const Curve& curve : figure.curves) list.push_back(curve.name);
  return list;
}

// Seeds whose only metric is `metric`, with these values at steps 1, 2, ..
RunRecord run_of(const std::string& metric, const std::vector<std::vector<double>>& seeds) {
  RunRecord run{.name = "small"};
  for (const auto& values : seeds) {
    SeedRecord seed{.seed = run.seeds.size()};
    seed.finished = true;
    for (const double value : values) {
      seed.steps.push_back({.iteration = std::ssize(seed.steps) + 1, .values = {{metric, value}}});
    }
    run.seeds.push_back(std::move(seed));
  }
  return run;
}

TEST(StepCurve, HasMeanAndDeviationOverTheSeedsThatHaveTheStep) {
  RunRecord run = run_of("reward", {{1, 2, 3}, {3, kNan}});
  run.seeds[0].seconds = {10, 20, 30};
  run.seeds[1].seconds = {30};
  const Curve curve = step_curve(run, {"reward"}, {"outer step", "seconds"});
  EXPECT_THAT(curve.x, ElementsAre(ElementsAre(1, 2, 3), ElementsAre(20, 20, 30)));
  EXPECT_THAT(curve.mean, ElementsAre(2, 2, 3));
  EXPECT_NEAR(curve.deviation[0], std::sqrt(2.0), 1e-15);
  EXPECT_TRUE(std::isnan(curve.deviation[1]) && std::isnan(curve.deviation[2]));
  ASSERT_EQ(curve.seeds.size(), 2u);
  EXPECT_TRUE(std::isnan(curve.seeds[1][1]) && std::isnan(curve.seeds[1][2]));
  EXPECT_THAT(curve.labels, ElementsAre("0", "1"));
  const Curve negative = step_curve(run, {"reward", -1}, {"outer step"});
  EXPECT_THAT(negative.mean, ElementsAre(-2, -2, -3));
  EXPECT_EQ(negative.name, "−R");
  EXPECT_EQ(negative.x.size(), 1u);
}

TEST(StepCurve, HasGapsWhereNothingFiniteWasMeasured) {
  const RunRecord run = run_of("kl", {{1, kNan, std::numeric_limits<double>::infinity(), 4}});
  const Curve curve = step_curve(run, {"kl"}, {"outer step"});
  EXPECT_EQ(curve.mean[0], 1);
  EXPECT_TRUE(std::isnan(curve.mean[1]) && std::isnan(curve.mean[2]));
  const Json figures = drawn(html_report(run))["figures"];
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(figures[0]["curves"][0]["mean"].dump(), "[1,null,null,4]");
}

TEST(LastSpread, IsTheMeanOverTheLastTenthOfAtLeastFiveSteps) {
  EXPECT_EQ(last_steps(0), 0u);
  EXPECT_EQ(last_steps(3), 3u);
  EXPECT_EQ(last_steps(40), 5u);
  EXPECT_EQ(last_steps(200), 20u);
  std::vector<double> rising, falling;
  for (int i = 1; i <= 100; ++i) {
    rising.push_back(i);
    falling.push_back(-i);
  }
  // 91 .. 100: 95.5; and its negative. Mean 0, deviation 95.5 sqrt(2).
  const report::Spread spread = last_spread(run_of("reward", {rising, falling}), "reward");
  EXPECT_EQ(spread.mean, 0);
  EXPECT_NEAR(spread.deviation, 95.5 * std::sqrt(2.0), 1e-12);
  EXPECT_EQ(first_spread(run_of("reward", {rising, falling}), "reward").deviation, std::sqrt(2.0));
}

TEST(ThresholdMet, CountsTheSeedsWhoseCostIsAtMostTheThreshold) {
  const RunRecord run = run_of("cost/harm", {{9, 1, 1, 1, 1, 1}, {1, 1.5}, {}, {0.5}, {kNan}});
  const Met met = threshold_met(run, {"harm", 1, 0, 5});
  EXPECT_EQ(met.seeds, 2u);
  EXPECT_EQ(met.of, 3u);
}

TEST(RunFigures, ArrangeEveryNumberOnce) {
  const FigureSet set = run_figures(sample_run());
  EXPECT_THAT(ids(set.paper), ElementsAre("paper_objective", "paper_reward", "paper_cost"));
  EXPECT_THAT(names(set.paper[1]), ElementsAre("−R"));
  EXPECT_THAT(names(set.paper[2]), ElementsAre("C harm", "threshold d"));
  EXPECT_THAT(ids(set.nature), ElementsAre("multiplier", "envelope", "violation"));
  EXPECT_THAT(ids(set.policy),
              ElementsAre("kl", "kl_coefficient", "entropy", "length", "finished"));
  EXPECT_THAT(set.constants,
              ElementsAre("η (learning rate) = 1×10⁻⁴",
                          HasSubstr("epochs begun before early stopping) = 4"), HasSubstr("= 0")));
  std::set<std::string> curves;
  for (const CurveFigure& figure : set.all()) {
    for (const std::string& name : names(figure)) curves.insert(name);
    EXPECT_THAT(figure.x_names, ElementsAre("outer step", "seconds"));
  }
  for (const std::string& metric : measured_metrics({sample_run()})) {
    if (std::isfinite(constant_value(sample_run(), metric)) || metric == "reward") continue;
    EXPECT_TRUE(curves.contains(symbol_of({metric}))) << metric;
  }
}

TEST(RunFigures, DrawNumbersThatNobodyKnows) {
  const FigureSet set = run_figures(run_of("new number", {{1, 2}}));
  ASSERT_EQ(set.others.size(), 1u);
  EXPECT_THAT(names(set.others[0]), ElementsAre("new number"));
  EXPECT_TRUE(set.paper.empty() && set.nature.empty() && set.policy.empty());
}

TEST(RunFigures, DrawTheThresholdOfEachConstraintFromFirstToLastStep) {
  const FigureSet set = run_figures(ensemble_run());
  const CurveFigure& cost = set.paper.at(2);
  EXPECT_THAT(names(cost),
              ElementsAre("C harm", "C rudeness", "threshold d harm", "threshold d rudeness"));
  EXPECT_THAT(cost.curves[3].mean, ElementsAre(-0.5, -0.5));
  EXPECT_THAT(cost.curves[3].x[0], ElementsAre(1, 60));
  EXPECT_THAT(ids(set.nature), ElementsAre("multiplier", "envelope", "rewards", "violation"));
  EXPECT_THAT(set.constants, testing::Contains(HasSubstr("w style")));
}

TEST(ComparisonFigures, HaveOneCurveForEachRun) {
  const Comparison comparison = sample_comparison();
  const FigureSet set = comparison_figures(comparison.runs, {"a", "b", "c"});
  EXPECT_THAT(ids(set.paper), ElementsAre("objective", "reward", "cost/harm"));
  EXPECT_THAT(names(set.paper[2]), ElementsAre("a", "b", "c", "threshold d"));
  EXPECT_LT(set.paper[1].curves[0].mean.back(), 0);  // -R
  for (const CurveFigure& figure : set.all()) {
    EXPECT_GE(figure.curves.size(), 3u) << figure.id;
    EXPECT_EQ(figure.curves[2].colour, 2);
  }
  EXPECT_THAT(ids(set.all()), Not(testing::Contains("learning_rate")));
}

TEST(AlignmentReport, SaysTheResultInWordsAndNumbers) {
  const std::string page = html_report(sample_run());
  const auto reward = report::text_of(last_spread(sample_run(), "reward"));
  EXPECT_THAT(body(page), HasSubstr("ends with the mean reward " + reward));
  EXPECT_THAT(body(page),
              HasSubstr("meets the threshold 0 (met in 5 of 5 seeds); the multiplier is"));
  EXPECT_THAT(body(page), HasSubstr("meets d = 0"));
  EXPECT_THAT(body(page), HasSubstr("means over the last 6 steps"));
  EXPECT_THAT(body(page), HasSubstr("Seed 3: the KL divergence was −1.2 at step 7"));
  for (const char* id : {"result", "warnings", "seeds", "paper", "answers", "nature", "policy",
                         "logged", "update", "settings"}) {
    EXPECT_EQ(occurrences(page, std::string("id=\"") + id + "\""), 1u) << id;
  }
  EXPECT_EQ(occurrences(page, "<figure class=\"plot\""), drawn(page)["figures"].size());
  EXPECT_THAT(body(page), HasSubstr("rgu align config.toml"));
  EXPECT_THAT(body(page), HasSubstr("<span class=\"t-key\">threshold"));
}

TEST(AlignmentReport, SaysWhenTheThresholdIsExceeded) {
  RunRecord run = sample_comparison().runs[0];
  const std::string page = html_report(run);
  EXPECT_THAT(body(page),
              HasSubstr("exceeds the threshold 0 (met in 0 of 5 seeds); the multiplier is "
                        "fixed at 0."));
  EXPECT_THAT(body(page), HasSubstr("exceeds d = 0"));
}

TEST(AlignmentReport, ShowsAnswersBeforeAndAfterAndThoseOfTheLastStep) {
  const std::string page = html_report(sample_run());
  EXPECT_EQ(occurrences(page, "<div class=\"exchange\">"), 3u);
  EXPECT_EQ(occurrences(page, "<p class=\"who\">before</p>"), 3u);
  EXPECT_THAT(body(page),
              HasSubstr("<p class=\"who\">after</p><p class=\"said\">first take the oven , "
                        "then bake the bread .</p><p class=\"scores\">helpfulness\u00a02.113 "
                        "· harm\u00a0−1.44</p>"));
  EXPECT_THAT(body(page), HasSubstr("<i>nothing</i>"));
  EXPECT_THAT(body(page), HasSubstr("Answers of step 60"));
  const std::string logged = logged_section(sample_run());
  EXPECT_EQ(occurrences(logged, "<tr>"), 4u);  // the head and three answers
  EXPECT_THAT(logged, Not(HasSubstr("i like the rain")));
}

TEST(AlignmentReport, TakesARunOfOneSeedWithoutConstraint) {
  RunRecord run = run_of("reward", {{1, 2}});
  const std::string page = html_report(run);
  EXPECT_THAT(body(page),
              HasSubstr("the mean reward 1.500 and the objective –. No cost was bounded."));
  EXPECT_THAT(body(page), Not(HasSubstr("standard deviation")));
  EXPECT_THAT(body(page), HasSubstr("first step 1.000"));
  EXPECT_THAT(body(page), Not(HasSubstr("id=\"answers\"")));
  EXPECT_THAT(body(page), Not(HasSubstr("id=\"warnings\"")));
}

TEST(AlignmentReport, TakesRunsWithNothingInThem) {
  EXPECT_THAT(html_report({}), HasSubstr("No step was recorded"));
  const std::string page = html_report(smallest_run());
  EXPECT_THAT(body(page), HasSubstr("No step was recorded"));
  EXPECT_THAT(body(page), HasSubstr("1 of 1 seed did not end as planned"));
  EXPECT_THAT(html_comparison({.runs = {smallest_run()}}), HasSubstr("run 1"));
}

TEST(AlignmentReport, NamesConstraintsThatWereNotMeasured) {
  RunRecord run = run_of("reward", {{1}});
  run.constraints = {{"harm", 0, 0, 5}};
  EXPECT_THAT(body(html_report(run)), HasSubstr("The cost “harm” was not measured."));
}

// Every text of the hostile run is escaped: its tags occur in no page.
TEST(AlignmentReport, EscapesWhatModelsAndFilesSay) {
  const RunRecord bad = hostile_run();
  for (const std::string& page :
       {html_report(bad), html_comparison({bad.name, bad.name, {bad, bad}})}) {
    EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(page, Not(HasSubstr("<img")));
    EXPECT_THAT(page, Not(HasSubstr("\xff")));
    EXPECT_EQ(occurrences(page, "</script>"), 3u);
    EXPECT_GT(occurrences(page, "&lt;img src=x"), 20u);
    drawn(page);
  }
}

TEST(AlignmentComparison, HasARowForEachRun) {
  const std::string page = html_comparison(sample_comparison());
  EXPECT_THAT(body(page), HasSubstr("<h1>Help without harm</h1>"));
  for (const char* name : {"unconstrained, ξ = 0", "fixed penalty, ξ = 1", "PGDA"}) {
    EXPECT_THAT(body(page), HasSubstr(std::string("<th scope=\"row\">") + name + "</th>"));
  }
  EXPECT_EQ(occurrences(page, "<td>5 of 5<br><small>C ≤ 0</small></td>"), 2u);
  EXPECT_EQ(occurrences(page, "<td>0 of 5<br><small>C ≤ 0</small></td>"), 1u);
  EXPECT_EQ(occurrences(page, "<p class=\"who\">before</p>"), 3u);  // once a prompt
  EXPECT_EQ(occurrences(page, "<p class=\"who\">PGDA</p>"), 3u);
}

TEST(AlignmentComparison, TellsRunsOfTheSameNameApartAndShowsOtherBeginnings) {
  Comparison comparison = {.runs = {sample_run(), sample_run()}};
  comparison.runs[1].seeds[0].shown[0].before.text = "something else";
  const std::string page = html_comparison(comparison);
  EXPECT_THAT(body(page), HasSubstr("<th scope=\"row\">PGDA (2)</th>"));
  EXPECT_EQ(occurrences(page, "<p class=\"who\">before, PGDA (2)</p>"), 1u);
}

TEST(AlignmentComparison, LeavesAPlaceWhereARunHasNoSuchNumber) {
  RunRecord costless = run_of("reward", {{1, 2}});
  const std::string page = html_comparison({.runs = {sample_run(), costless}});
  EXPECT_THAT(body(page),
              HasSubstr("<th scope=\"row\">small</th><td>–</td><td>1.500</td><td>–</td>"));
  EXPECT_EQ(drawn(page)["figures"][0]["x"].dump(), "[\"outer step\"]");  // one has no seconds
}

TEST(AlignmentComparison, RefusesToCompareNothing) {
  EXPECT_THAT(thrown_by([] { html_comparison({}); }), HasSubstr("number of runs to compare is 0"));
}

}  // namespace
}  // namespace rgu::align
