#include <gtest/gtest.h>

#include <set>

#include "report/helpers.hpp"
#include "report/sample_runs.hpp"
#include "rgu/report/colours.hpp"
#include "rgu/report/comparison.hpp"
#include "rgu/report/figures.hpp"
#include "rgu/report/html_comparison.hpp"
#include "rgu/report/html_report.hpp"
#include "rgu/report/selection.hpp"
#include "rgu/report/svg_curves.hpp"
#include "rgu/report/sweep.hpp"

namespace rgu {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(HtmlReport, StatesTheWorstCaseWithItsKind) {
  RunRecord run = matrix_run();
  run.seeds.resize(1);
  run.seeds[0].nominal = -0.25;
  run.seeds[0].worst_case.value = -0.125;
  EXPECT_THAT(html_report(run), HasSubstr("never worse than −0.1250 (exact)"));
  run.seeds[0].worst_case.kind = AnswerKind::kCertified;
  run.seeds[0].worst_case.gap = 0.01;
  const std::string certified = html_report(run);
  EXPECT_THAT(certified, HasSubstr("at least −0.1250 and at most 0.01 above that (certified)"));
  EXPECT_THAT(certified, HasSubstr("−0.1250 <span class=\"kind\">certified, gap 0.01</span>"));
  run.seeds[0].worst_case.kind = AnswerKind::kBestFound;
  run.seeds[0].worst_case.gap = kInfinity;
  const std::string found = html_report(run);
  EXPECT_THAT(found, HasSubstr("−0.1250 (best found)"));
  EXPECT_THAT(found, Not(HasSubstr("∞")));
  EXPECT_THAT(found, HasSubstr(">0.1250 <span class=\"kind\">best found</span>"));  // the price
}

TEST(HtmlReport, ShowsWhatRoundingLeavesOfZeroAsZero) {
  RunRecord run = matrix_run();
  run.seeds.resize(1);
  run.seeds[0].worst_case.value = -3e-17;
  EXPECT_THAT(html_report(run), HasSubstr("never worse than 0 (exact)"));
}

TEST(HtmlReport, RanksNoSeedsThatAreInstancesOfTheirOwn) {
  RunRecord run = matrix_run();
  run.seeds.resize(2);
  run.seeds[0].nominal = run.seeds[1].nominal = -0.5;
  run.seeds[0].worst_case.value = -0.1;
  run.seeds[1].worst_case.value = -0.3;
  EXPECT_THAT(html_report(run), HasSubstr("The best policy found, that of seed"));
  run.own_instances = true;
  const std::string html = html_report(run);
  EXPECT_THAT(html, HasSubstr("On average over 2 random instances"));
  EXPECT_THAT(html, HasSubstr("average of their worst cases is −0.2000 (all exact)"));
  EXPECT_THAT(html, Not(HasSubstr("The best policy")));
  EXPECT_THAT(html, Not(HasSubstr("class=\"best\"")));
}

TEST(HtmlReport, DrawsEverySeedInItsOwnWorld) {
  RunRecord run = grid_run();
  run.seeds.resize(2);
  run.own_instances = true;
  SeedRecord& other = run.seeds[1];
  const Index states = run.states - 1;  // one more wall
  WorldRecord world = run;
  world.states = world.nature_rows = states;
  world.nature_centre = Vector::Constant(states * run.actions, 0.0625);
  world.grid->cell_of_state.pop_back();
  other.policy = Matrix(other.policy.topRows(states));
  other.occupancy = Matrix(other.occupancy.topRows(states));
  other.worst_case.nature = Vector::Constant(states * run.actions, 0.125);
  EXPECT_THROW(html_report(run), InvalidInput);
  other.world = world;
  EXPECT_THAT(html_report(run), HasSubstr(fmt::format("{} to {} states", states, run.states)));
  world.grid->cell_of_state.back() = 1'000'000;
  other.world = world;
  EXPECT_THROW(html_report(run), InvalidInput);
}

TEST(HtmlReport, SaysWhereRobustnessHasNotPaid) {
  RunRecord run = matrix_run();
  run.seeds.resize(2);
  run.seeds[0].seed = 8;
  run.seeds[1].seed = 9;
  EXPECT_THAT(html_report(run), Not(HasSubstr("without any robustness")));
  run.seeds[0].worst_case.value = -0.3;
  run.seeds[0].baseline_worst_case = -0.1;
  run.seeds[1].worst_case.value = -0.1;
  run.seeds[1].baseline_worst_case = -0.2;
  const std::string html = html_report(run);
  EXPECT_THAT(html, HasSubstr("lower on 1 of 2 seeds and by 0.05 on average"));
  EXPECT_THAT(html, HasSubstr("On seed 9 it is higher: there this method has not paid"));
  EXPECT_THAT(html, HasSubstr("nominal policy Γ"));
}

TEST(HtmlReport, SaysOnceThatLowerIsBetter) {
  EXPECT_EQ(occurrences(html_report(matrix_run()), "lower is better"), 1U);
}

TEST(HtmlReport, ShowsItsPartsInOrder) {
  const std::string html = html_report(matrix_run());
  std::size_t last = 0;
  for (const std::string id : {"summary", "warnings", "seeds", "curves", "policy", "price",
                               "nature", "settings", "theory", "reproduce"}) {
    const std::size_t at = html.find("id=\"" + id + "\"");
    ASSERT_NE(at, std::string::npos) << id;
    EXPECT_GT(at, last) << id;
    last = at;
  }
}

TEST(HtmlReport, AllowsOnlyItsOwnScriptsAndNoNetwork) {
  const std::string html = html_report(hostile_run());
  EXPECT_THAT(html, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(html, Not(HasSubstr("unsafe")));
  EXPECT_EQ(occurrences(html, "<script"), 3U);
  EXPECT_EQ(occurrences(html, "</script"), 3U);
  EXPECT_EQ(occurrences(html, "<img"), 0U);
  EXPECT_EQ(occurrences(html, "<!--"), 0U);
  EXPECT_EQ(occurrences(html, " style="), 0U);
  EXPECT_EQ(occurrences(html, "\u2028"), occurrences(html, "&amp; \u2028"));  // text only
}

TEST(HtmlReport, ShowsHostileTextAsText) {
  const std::string html = html_report(hostile_run());
  for (const std::string part : {"name ", "description ", "version ", "method ", "utility ",
                                 "ambiguity ", "warning ", "note ", "status ", "seed note "}) {
    EXPECT_THAT(html, HasSubstr(part + "&lt;/script&gt;&lt;script&gt;alert(1)"));
  }
}

TEST(HtmlReport, LivesWithWhatIsMissing) {
  RunRecord nothing;
  EXPECT_THAT(html_report(nothing), HasSubstr("No seed was run"));
  EXPECT_THAT(html_report(objective_run({{}})), HasSubstr("No metrics were recorded"));
  EXPECT_THAT(html_report(objective_run({{1}})), HasSubstr("no uncertain parameter"));
  EXPECT_THAT(html_report(smallest_run()), HasSubstr("best found"));
  RunRecord empty_policy = matrix_run();
  for (SeedRecord& seed : empty_policy.seeds) seed.policy = seed.occupancy = Matrix();
  EXPECT_THAT(html_report(empty_policy), HasSubstr("Nothing was recorded for this seed"));
}

TEST(HtmlReport, SaysWhenPointsAreLeftOut) {
  EXPECT_THAT(html_report(objective_run({std::vector<double>(5000, 1.0)})),
              HasSubstr("Of 5,000 points about 2,000 or fewer are drawn"));
  EXPECT_THAT(html_report(objective_run({{1, 2}})), Not(HasSubstr(" points about ")));
}

TEST(HtmlReport, SaysWhenStatesAreLeftOut) {
  RunRecord run = matrix_run();
  run.states = 1000;
  run.seeds.resize(1);
  run.seeds[0].policy = Matrix::Constant(1000, 5, 0.2);
  run.seeds[0].occupancy = Matrix::Constant(1000, 5, 1.0 / 5000);
  EXPECT_THAT(html_report(run), HasSubstr("Of 1,000 states, the 100 most visited are shown."));
}

TEST(HtmlReport, KeepsMapsOfTheBestOfVeryManySeeds) {
  RunRecord run = matrix_run();
  while (run.seeds.size() < 30) {
    run.seeds.push_back(run.seeds[0]);
    run.seeds.back().seed = run.seeds.size();
    run.seeds.back().worst_case.value = -1 - static_cast<double>(run.seeds.size());
  }
  const std::string html = html_report(run);
  EXPECT_THAT(html, HasSubstr("the 20 of 30 seeds with the lowest Γ"));
  EXPECT_EQ(occurrences(html, "data-seed=\""), 2 * 20U);
  EXPECT_THAT(html, HasSubstr("<option value=\"29\" selected>"));
  EXPECT_THAT(html, Not(HasSubstr("<option value=\"9\"")));
}

TEST(HtmlReport, OfALargeGridStaysSmall) {
  RunRecord run = grid_run();
  run.seeds.resize(1);
  run.states = 3600;
  run.grid = GridRecord{.rows = 60, .columns = 60, .cell_of_state = {}, .marks = {}};
  for (int s = 0; s < 3600; ++s) run.grid->cell_of_state.push_back(s);
  run.nature_rows = run.nature_columns = 0;
  run.nature_centre = run.seeds[0].worst_case.nature = Vector();
  run.seeds[0].policy = Matrix::Constant(3600, 4, 0.25);
  run.seeds[0].occupancy = Matrix::Constant(3600, 4, 0.25 / 3600);
  const std::string html = html_report(run);
  EXPECT_LT(html.size(), 1000000U);
  EXPECT_THAT(html, HasSubstr("Of 3,600 states, the 100 most visited are shown."));
}

TEST(HtmlReport, SaysWhenTheWorstCaseIsNotKnown) {
  RunRecord run = matrix_run();
  for (SeedRecord& seed : run.seeds) seed.worst_case.value = kNan;
  EXPECT_THAT(html_report(run), HasSubstr("Its worst case is not known."));
}

TEST(HtmlReport, RefusesShapesThatContradictEachOther) {
  RunRecord run = grid_run();
  run.seeds[1].policy = Matrix::Zero(3, 3);
  EXPECT_THAT([&] { html_report(run); }, refuses("policy of seed 1 is 3 x 3"));
  run = grid_run();
  run.grid->cell_of_state[4] = 35;
  EXPECT_THAT([&] { html_report(run); }, refuses("cell of state 4 is 35, must be in [0, 35)"));
  run = grid_run();
  run.seeds[0].worst_case.nature = Vector::Zero(2);
  EXPECT_THAT([&] { html_report(run); }, refuses("worst nature of seed 0"));
  run = grid_run();
  run.seeds[0].seconds.resize(301);
  EXPECT_THAT([&] { html_report(run); }, refuses("seconds of seed 0 has 301 entries"));
}

TEST(Figures, AreWellFormedOnWhiteWithDifferentNames) {
  for (const RunRecord& run : {matrix_run(), grid_run(), hostile_run(), smallest_run()}) {
    std::set<std::string> names;
    for (const Figure& figure : figures(run)) {
      EXPECT_EQ(xml_fault(figure.svg), "") << figure.name;
      EXPECT_THAT(figure.svg, HasSubstr("fill=\"#ffffff\""));
      EXPECT_THAT(figure.svg, Not(HasSubstr("nan")));
      EXPECT_THAT(figure.svg, Not(HasSubstr("inf")));
      EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
    }
    EXPECT_TRUE(names.contains("objective"));
    EXPECT_TRUE(names.contains("worst_case"));
    EXPECT_TRUE(names.contains("policy"));
  }
}

TEST(Figures, OfNothingAreNone) { EXPECT_TRUE(figures(RunRecord{}).empty()); }

TEST(Figures, BreakLinesWhereNothingWasMeasured) {
  const std::string svg = figures(objective_run({{1, 2, kNan, 4, 5, kNan, 6}}))[0].svg;
  const std::size_t line = svg.find("stroke-width=\"1.9\"");
  ASSERT_NE(line, std::string::npos);
  const std::size_t begin = svg.rfind("d=\"", line);
  EXPECT_EQ(occurrences(svg.substr(begin, line - begin), "M"), 3U);
}

TEST(Figures, BeginANewLineForNamesThatDoNotFit) {
  const report::CurveFigure figure{.id = "x",
                                   .title = "x",
                                   .x_names = {"radius"},
                                   .curves = {report::Curve{.name = std::string(40, 'a'),
                                                            .help = {},
                                                            .x = {{1}},
                                                            .mean = {1},
                                                            .deviation = {kNan},
                                                            .labels = {},
                                                            .seeds = {}},
                                              report::Curve{.name = std::string(40, 'b'),
                                                            .help = {},
                                                            .x = {{1}},
                                                            .mean = {2},
                                                            .deviation = {kNan},
                                                            .labels = {},
                                                            .seeds = {}}}};
  EXPECT_EQ(report::draw_curves(figure, {.width = 700, .height = 200}).height(), 200);
  EXPECT_EQ(report::draw_curves(figure, {.width = 400, .height = 200}).height(), 217);
}

TEST(Figures, DrawTheGridWithOneCellForEachState) {
  const RunRecord run = grid_run();
  const std::vector<Figure> all = figures(run);
  const auto policy =
      std::find_if(all.begin(), all.end(), [](const Figure& f) { return f.name == "policy"; });
  ASSERT_NE(policy, all.end());
  EXPECT_EQ(occurrences(policy->svg, "<title>state "), static_cast<std::size_t>(run.states));
  EXPECT_THAT(policy->svg, HasSubstr("G goal  ·  H hazard  ·  S start  ·  grey: wall"));
}

TEST(Figures, SayThatNatureIsSummedOverTheActions) {
  EXPECT_THAT(html_report(grid_run()), HasSubstr("the sum of ξ over the actions"));
}

TEST(Colours, RunFromDarkToLightAndKnowTheirInk) {
  EXPECT_EQ(report::sequential(0).rgb, "#440154");
  EXPECT_EQ(report::sequential(1).rgb, "#fde725");
  EXPECT_TRUE(report::sequential(0).dark);
  EXPECT_FALSE(report::sequential(1).dark);
  EXPECT_EQ(report::sequential(-3).rgb, report::sequential(0).rgb);
  EXPECT_EQ(report::diverging(0).rgb, "#e2e4e6");
}

TEST(Selection, KeepsTheGreatestInTheirOrder) {
  const report::Selection selection =
      report::greatest(Eigen::Vector4d(0.1, 5, 0.2, 5),
                       {.most = 3, .shown = 2, .things = "states", .property = "most visited"});
  EXPECT_EQ(selection.kept, (std::vector<Index>{1, 3}));
  EXPECT_EQ(selection.sentence, "Of 4 states, the 2 most visited are shown.");
  const report::Selection whole = report::greatest(Eigen::Vector2d(1, 2), {.most = 2});
  EXPECT_EQ(whole.kept.size(), 2U);
  EXPECT_EQ(whole.sentence, "");
}

RunRecord run_with(const std::string& method, const std::vector<double>& worst) {
  RunRecord run = objective_run(std::vector<std::vector<double>>(worst.size(), {1, 2}));
  run.method = method;
  for (std::size_t i = 0; i < worst.size(); ++i) run.seeds[i].worst_case.value = worst[i];
  return run;
}

TEST(Comparison, TellsWhoHasTheLowestWorstCase) {
  std::vector<RunRecord> runs = {run_with("first", {1, 2, 3, 4}), run_with("second", {2, 1.5, 3})};
  const report::Comparison comparison = report::comparison_of(runs);
  ASSERT_EQ(comparison.rows.size(), 4U);
  EXPECT_EQ(comparison.rows[0].verdict, "A by 1");
  EXPECT_EQ(comparison.rows[1].verdict, "B by 0.5");
  EXPECT_EQ(comparison.rows[2].verdict, "tie");
  EXPECT_EQ(comparison.rows[3].verdict, "–");
  EXPECT_EQ(comparison.wins, (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(comparison.figures.size(), 1U);
  EXPECT_EQ(comparison.figures[0].curves[1].name, "B · second");
}

// B found 1.5 but may be as bad as 2.1, which is worse than A's 2.
TEST(Comparison, SaysWhenTheOrderIsNotCertain) {
  std::vector<RunRecord> runs = {run_with("first", {2}), run_with("second", {1.5})};
  runs[1].seeds[0].worst_case.kind = AnswerKind::kCertified;
  runs[1].seeds[0].worst_case.gap = 0.6;
  EXPECT_EQ(report::comparison_of(runs).rows[0].verdict, "B by 0.5, not certain");
  EXPECT_THAT(html_comparison(runs), HasSubstr("certified, gap 0.6"));
  runs[1].seeds[0].worst_case.gap = 0.4;
  EXPECT_EQ(report::comparison_of(runs).rows[0].verdict, "B by 0.5");
}

TEST(Comparison, NeedsARun) {
  EXPECT_THAT([] { html_comparison({}); }, refuses("number of runs to compare is 0"));
}

std::vector<SweepRow> sweep_rows() {
  return {{.radius = 1,
           .robust_nominal = 3,
           .robust_worst = 4,
           .nominal_nominal = 2.5,
           .nominal_worst = 6,
           .kind = AnswerKind::kBestFound},
          {.radius = 0,
           .robust_nominal = 2.5,
           .robust_worst = 2.5,
           .nominal_nominal = 2.5,
           .nominal_worst = 2.5}};
}

TEST(Sweep, StatesPriceAndGain) {
  const std::string html = html_sweep("a <problem>", sweep_rows());
  EXPECT_THAT(html,
              HasSubstr("at radius 1: it saves 2 in the worst case (best found) and costs 0.5"));
  EXPECT_THAT(html, HasSubstr("a &lt;problem&gt;"));
  EXPECT_LT(html.find("<th scope=\"row\">0</th>"), html.find("<th scope=\"row\">1</th>"));
  EXPECT_EQ(xml_fault(sweep_figure("a <problem>", sweep_rows()).svg), "");
}

TEST(Sweep, RefusesBadRadii) {
  EXPECT_THAT([] { html_sweep("p", {}); }, refuses("number of radii in the sweep is 0"));
  EXPECT_THAT([] { sweep_figure("p", {SweepRow{.radius = -1}}); },
              refuses("radius of the sweep is -1"));
}

}  // namespace
}  // namespace rgu
