#include "rgu/report/figures.hpp"

#include "rgu/report/curves.hpp"
#include "rgu/report/maps.hpp"
#include "rgu/report/summary.hpp"
#include "rgu/report/svg_curves.hpp"

namespace rgu {
namespace {

void add_panels(std::vector<Figure>& all, const report::Panels& panels) {
  for (const report::Panel& panel : panels.panels) {
    all.push_back({panel.name, panel.label, panel.svg.str(panel.label)});
  }
}

}  // namespace

std::vector<Figure> figures(const RunRecord& run) {
  report::check_shapes(run);
  std::vector<Figure> all;
  const report::CurveSet curves = report::curve_set(run);
  for (const auto* group : {&curves.paper, &curves.others}) {
    for (const report::CurveFigure& figure : *group) {
      all.push_back({figure.id, figure.title, report::draw_curves(figure).str(figure.title)});
    }
  }
  if (run.seeds.empty()) return all;
  const SeedRecord& best = run.seeds[report::summary_of(run).best];
  const std::string title = "Nominal value and worst case of every seed";
  all.push_back({"worst_case", title, report::draw_price(run).str(title)});
  add_panels(all, report::policy_panels(run, best));
  add_panels(all, report::nature_panels(run, best));
  return all;
}

}  // namespace rgu
