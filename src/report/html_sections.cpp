#include "rgu/report/html_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rgu/report/html_page.hpp"
#include "rgu/report/maps.hpp"
#include "rgu/report/text.hpp"
#include "rgu/report/toml_colours.hpp"

namespace rgu::report {
namespace {

std::string paragraph(std::string_view text) {
  return text.empty() ? "" : fmt::format("<p>{}</p>\n", escaped(text));
}

std::string aside(std::string_view text) {
  return text.empty() ? "" : fmt::format("<p class=\"aside\">{}</p>\n", escaped(text));
}

// What is known of the worst case, in words that fit its kind.
std::string verdict(const RunRecord& run, const SeedRecord& seed) {
  const WorstCaseRecord& worst = seed.worst_case;
  const std::string who = run.seeds.size() > 1
                              ? fmt::format("The best policy found, that of seed {},", seed.seed)
                              : std::string("The policy found");
  std::string begin =
      fmt::format("{} has the nominal value {}.", who, number(shown_value(seed.nominal)));
  if (!std::isfinite(worst.value)) return begin + " Its worst case is not known.";
  switch (worst.kind) {
    case AnswerKind::kExact:
      return fmt::format("{} Over the whole ambiguity set it is never worse than {} (exact).",
                         begin, number(shown_value(worst.value)));
    case AnswerKind::kCertified:
      return fmt::format(
          "{} Its worst case over the ambiguity set is at least {} and at most {} "
          "above that (certified).",
          begin, number(worst.value), short_number(worst.gap));
    case AnswerKind::kBestFound:
      return fmt::format(
          "{} The worst case that was found is {} (best found): nothing worse is "
          "known, but nothing proves that there is none.",
          begin, number(worst.value));
  }
  return begin;
}

// The same for seeds that are instances of their own: none is the best, the mean speaks.
std::string verdict_of_instances(const RunRecord& run, const Summary& summary) {
  const bool exact = summary.kinds == "all exact";
  return fmt::format(
      "On average over {} random instances, one a seed, the policies found have the nominal value "
      "{}. {} {} ({}).",
      run.seeds.size(), number(shown_value(summary.nominal.mean)),
      exact ? "Over the whole ambiguity set the average of their worst cases is"
            : "The average of the worst cases found over the ambiguity set is",
      number(shown_value(summary.worst.mean)), summary.kinds);
}

struct HeadlineNumber {
  std::string_view colour;
  std::string_view name;
  std::string value;
  std::string kind;
  std::string spread;
};

std::string headline_number(const HeadlineNumber& n) {
  std::string html = fmt::format(R"(<div class="{}"><dt>{}</dt><dd class="value">{})", n.colour,
                                 n.name, escaped(n.value));
  if (!n.kind.empty()) html += fmt::format(R"( <span class="kind">{}</span>)", escaped(n.kind));
  html += "</dd>";
  if (!n.spread.empty()) html += fmt::format(R"(<dd class="spread">{}</dd>)", escaped(n.spread));
  return html + "</div>\n";
}

std::string fact(std::string_view name, const std::string& text) {
  return text.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(text));
}

// Worlds that are drawn by seed may differ in size.
std::string state_counts(const RunRecord& run) {
  Index least = run.states;
  Index most = run.states;
  for (const SeedRecord& seed : run.seeds) {
    least = std::min(least, world_of(run, seed).states);
    most = std::max(most, world_of(run, seed).states);
  }
  return least == most ? count(most) : fmt::format("{} to {}", count(least), count(most));
}

std::string facts(const RunRecord& run) {
  std::string model;
  if (run.states > 0) {
    model = fmt::format("{} states, {} actions, discount {:g}", state_counts(run),
                        count(run.actions), run.discount);
  }
  return "<dl class=\"facts\">\n" + fact("Model", model) + fact("Utility", run.utility) +
         fact("Ambiguity set", run.ambiguity) + "</dl>\n";
}

// Does some seed end with this metric measured?
bool has_last(const RunRecord& run, double Metrics::*member) {
  for (const SeedRecord& seed : run.seeds) {
    if (!seed.metrics.empty() && std::isfinite(seed.metrics.back().*member)) return true;
  }
  return false;
}

// The columns whose numbers line up.
struct ResultColumns {
  std::vector<std::string> nominal, worst, bound, published, baseline, seconds;
};

ResultColumns result_columns(const RunRecord& run) {
  std::vector<double> nominal, worst, bound, published, baseline, seconds;
  for (const SeedRecord& seed : run.seeds) {
    nominal.push_back(shown_value(seed.nominal));
    worst.push_back(shown_value(seed.worst_case.value));
    bound.push_back(shown_value(seed.certificate.lower_bound));
    published.push_back(shown_value(seed.published_worst_case));
    baseline.push_back(shown_value(seed.baseline_worst_case));
    seconds.push_back(seed.seconds.empty() ? std::nan("") : seed.seconds.back());
  }
  return {column(nominal),   column(worst),    column(bound),
          column(published), column(baseline), column(seconds)};
}

// The columns that not every problem has.
struct ExtraColumns {
  bool baseline = false;
  bool published = false;
  bool violation = false;
  bool certificate = false;
  bool residual = false;
};

ExtraColumns extra_columns(const RunRecord& run) {
  return {.baseline = !baseline_text(run).empty(),
          .published = !published_text(run).empty(),
          .violation = has_last(run, &Metrics::violation),
          .certificate = !optimality_text(run).empty(),
          .residual = has_last(run, &Metrics::residual)};
}

std::string result_cells(const SeedRecord& seed, const ResultColumns& columns, std::size_t i,
                         const ExtraColumns& extra) {
  const Metrics last = seed.metrics.empty() ? Metrics{} : seed.metrics.back();
  const WorstCaseRecord& worst = seed.worst_case;
  std::string html = fmt::format(
      R"(<th scope="row">{}</th><td class="words">{}</td><td>{}</td><td>{}</td><td>{}</td><td class="left">{}</td><td>{}</td>)",
      seed.seed, escaped(seed.status), count(last.iteration), columns.nominal[i], columns.worst[i],
      name_of(worst.kind),
      worst.kind == AnswerKind::kBestFound ? "not known" : short_number(worst.gap));
  if (extra.residual) html += fmt::format("<td>{}</td>", number(last.residual));
  if (extra.certificate) {
    html += fmt::format("<td>{}</td><td>{}</td>", columns.bound[i],
                        short_number(std::max(0.0, seed.optimality_gap())));
  }
  if (extra.published) html += fmt::format("<td>{}</td>", columns.published[i]);
  if (extra.baseline) html += fmt::format("<td>{}</td>", columns.baseline[i]);
  if (extra.violation) html += fmt::format("<td>{}</td>", short_number(last.violation));
  return html + fmt::format("<td>{}</td><td>{}</td>", last.samples > 0 ? count(last.samples) : "–",
                            columns.seconds[i]);
}

std::string list_text(const Vector& numbers) {
  std::string text;
  for (const double x : numbers) text += (text.empty() ? "" : ", ") + short_number(x);
  return text;
}

constexpr std::size_t kMostSeedsWithMaps = 20;

// The seeds whose maps are in the page: of very many, those with the lowest worst cases.
std::vector<std::size_t> seeds_with_maps(const RunRecord& run) {
  std::vector<std::size_t> seeds(run.seeds.size());
  std::iota(seeds.begin(), seeds.end(), std::size_t{0});
  if (seeds.size() <= kMostSeedsWithMaps) return seeds;
  const auto order = [&](std::size_t i) {
    const double value = run.seeds[i].worst_case.value;
    return std::pair(!run.seeds[i].solved, std::isnan(value) ? HUGE_VAL : value);
  };
  std::stable_sort(seeds.begin(), seeds.end(),
                   [&](std::size_t a, std::size_t b) { return order(a) < order(b); });
  seeds.resize(kMostSeedsWithMaps);
  std::sort(seeds.begin(), seeds.end());
  return seeds;
}

std::string seed_selector(const RunRecord& run, const Summary& summary, std::string_view id) {
  if (run.seeds.size() < 2) return "";
  std::string html = fmt::format(
      R"(<div class="bar js-only"><label for="{0}">Seed shown</label><select class="seed" id="{0}">)",
      id);
  for (const std::size_t i : seeds_with_maps(run)) {
    html += fmt::format(R"(<option value="{}"{}>{}{}</option>)", i,
                        i == summary.best ? " selected" : "", run.seeds[i].seed,
                        i == summary.best ? " (lowest Γ)" : "");
  }
  html += "</select>";
  if (run.seeds.size() > kMostSeedsWithMaps) {
    html += fmt::format("<span>the {} of {} seeds with the lowest Γ</span>", kMostSeedsWithMaps,
                        run.seeds.size());
  }
  return html + "</div>\n";
}

// The panels of every seed, of which one is seen.
template <class Make>
std::string panels_of_seeds(const RunRecord& run, const Summary& summary, Make make) {
  std::string html;
  for (const std::size_t i : seeds_with_maps(run)) {
    const Panels panels = make(run.seeds[i]);
    html += fmt::format(R"(<div data-seed="{}"{}><div class="maps">)", i,
                        i == summary.best ? "" : " hidden");
    for (const Panel& panel : panels.panels) {
      html += "<figure>" + panel.svg.str(panel.label) + "</figure>\n";
    }
    html += "</div>\n";
    if (panels.panels.empty()) html += aside("Nothing was recorded for this seed.");
    for (const std::string& sentence : panels.sentences) html += aside(sentence);
    html += "</div>\n";
  }
  return html;
}

std::string plots(std::string_view layout, const std::vector<CurveFigure>& figures,
                  const CurveDrawing& drawing) {
  if (figures.empty()) return "";
  std::string html = fmt::format("<div class=\"plots{}\">\n", layout);
  for (const CurveFigure& figure : figures) html += curve_html(figure, drawing);
  return html + "</div>\n";
}

std::string constants_sentence(const std::vector<ConstantMetric>& constants) {
  if (constants.empty()) return "";
  std::string text = "The same at every iteration, in every seed:";
  for (std::size_t i = 0; i < constants.size(); ++i) {
    text += fmt::format("{} {} ({}) = {}", i == 0 ? "" : ";", constants[i].field.symbol,
                        constants[i].field.help, short_number(constants[i].value));
  }
  return text + ".";
}

}  // namespace

std::string summary_section(const RunRecord& run, const Summary& summary) {
  if (run.seeds.empty()) {
    return section_html("summary", "Result",
                        "<p>No seed was run: there is no result.</p>\n" + facts(run));
  }
  const SeedRecord& best = run.seeds[summary.best];
  const auto over_seeds = [&](const Spread& spread, const std::string& kinds) -> std::string {
    if (spread.count < 2) return "";
    return fmt::format("{} over {}{}", text_of(spread), counted(spread.count, "seed"),
                       kinds.empty() ? "" : ", " + kinds);
  };
  const bool instances = run.own_instances && summary.worst.count >= 2;
  const auto large = [&](const Spread& spread, double of_best) {
    return number(shown_value(instances ? spread.mean : of_best));
  };
  std::string html = "<p class=\"verdict\">" +
                     escaped(instances ? verdict_of_instances(run, summary) : verdict(run, best)) +
                     " f is a cost: lower is better.</p>\n<dl class=\"numbers\">\n";
  html += headline_number({"c1", "Worst case Γ", large(summary.worst, best.worst_case.value),
                           instances ? summary.kinds : kind_text(best.worst_case),
                           over_seeds(summary.worst, instances ? "" : summary.kinds)});
  html += headline_number({"c0", "Nominal value f₀", large(summary.nominal, best.nominal), "",
                           over_seeds(summary.nominal, "")});
  html += headline_number({"", "Price of the worst case, Γ − f₀",
                           large(summary.price, best.worst_case.value - best.nominal),
                           instances ? summary.kinds : std::string(name_of(best.worst_case.kind)),
                           over_seeds(summary.price, "")});
  html += "</dl>\n" + paragraph(optimality_text(run)) + paragraph(published_text(run)) +
          paragraph(baseline_text(run));
  if (instances) {
    html += aside(
        "Large: the mean over the seeds. Each seed is a random instance of its own, so their "
        "values differ by more than the solver. Small: mean ± sample standard deviation.");
  } else if (summary.worst.count >= 2) {
    html += aside(
        "Large: the seed with the lowest worst case. Small: mean ± sample standard "
        "deviation over the seeds.");
  }
  return section_html("summary", "Result", html + facts(run));
}

std::string warning_section(const RunRecord& run, const Summary& summary) {
  std::string html;
  if (summary.unsolved > 0) {
    html += paragraph(fmt::format("{} of {} did not end as planned; the table says how. {}",
                                  summary.unsolved, counted(run.seeds.size(), "seed"),
                                  summary.unsolved < run.seeds.size()
                                      ? "Means and the best policy are over the others."
                                      : "The numbers are those reached until then."));
  }
  for (const std::string& warning : run.warnings) html += paragraph(warning);
  if (html.empty()) return "";
  return "<section class=\"warnings\" id=\"warnings\"><div>\n<h2>Caveats</h2>\n" + html +
         "</div></section>\n";
}

std::string result_section(const RunRecord& run, const Summary& summary) {
  if (run.seeds.empty()) return "";
  const ExtraColumns extra = extra_columns(run);
  const ResultColumns columns = result_columns(run);
  std::string html = R"(<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col" class="left">seed</th><th scope="col" class="words">status</th><th scope="col">iterations</th><th scope="col">nominal f₀</th><th scope="col">worst case Γ</th><th scope="col" class="left">kind</th><th scope="col">gap</th>)";
  if (extra.residual) html += "<th scope=\"col\">residual</th>";
  if (extra.certificate) {
    html += "<th scope=\"col\">lower bound</th><th scope=\"col\">optimality gap</th>";
  }
  if (extra.published) html += "<th scope=\"col\">published method Γ</th>";
  if (extra.baseline) html += "<th scope=\"col\">nominal policy Γ</th>";
  if (extra.violation) html += "<th scope=\"col\">violation</th>";
  html += "<th scope=\"col\">samples</th><th scope=\"col\">seconds</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < run.seeds.size(); ++i) {
    const bool best = i == summary.best && run.seeds.size() > 1 && !run.own_instances;
    html += fmt::format("<tr{}>{}</tr>\n", best ? " class=\"best\"" : "",
                        result_cells(run.seeds[i], columns, i, extra));
  }
  html += "</tbody></table></div>\n";
  if (run.seeds.size() > 1 && !run.own_instances) html += aside("Bold: the lowest worst case.");
  for (const SeedRecord& seed : run.seeds) {
    if (!seed.worst_case.method.empty() && &seed == &run.seeds[summary.best]) {
      html += aside(fmt::format("Worst case: {}.", seed.worst_case.method));
    }
    if (seed.multipliers.size() > 0) {
      html += aside(fmt::format("Seed {}: multipliers of the constraints {}.", seed.seed,
                                list_text(seed.multipliers)));
    }
    for (const std::string& note : seed.notes) {
      html += aside(fmt::format("Seed {}: {}", seed.seed, note));
    }
  }
  return section_html("seeds", "Every seed", html);
}

std::string curve_section(const CurveSet& curves, std::size_t seeds) {
  std::vector<CurveFigure> all = curves.paper;
  all.insert(all.end(), curves.others.begin(), curves.others.end());
  if (all.empty() && curves.constants.empty()) {
    return section_html("curves", "Convergence", "<p>No metrics were recorded.</p>\n");
  }
  std::string html;
  if (!all.empty()) {
    html += aside(fmt::format(
        "{}Samples and seconds are means over the seeds at the same iteration.",
        seeds > 1
            ? "Lines are means over the seeds; bands, one standard deviation either way (on a "
              "logarithmic scale, no lower than the lowest seed); faint lines, single seeds. "
            : ""));
    html += R"(<div class="bar js-only"><span class="choices x-axis">Horizontal axis </span>)"
            "<span>Drag to zoom, double-click to return.</span></div>\n";
  }
  if (!curves.paper.empty()) {
    html += "<h3 class=\"part\">The three figures of the paper</h3>\n" +
            plots(" three", curves.paper, {.width = 290, .height = 210});
  }
  html += plots("", curves.others, {.width = 400, .height = 260});
  html += aside(constants_sentence(curves.constants)) + aside(thinning_sentence(all));
  return section_html("curves", "Convergence", html);
}

std::string policy_section(const RunRecord& run, const Summary& summary) {
  if (run.seeds.empty()) return "";
  return section_html("policy", "Policy and occupancy",
                      seed_selector(run, summary, "policy-seed") +
                          panels_of_seeds(run, summary, [&](const SeedRecord& seed) {
                            return policy_panels(run, seed);
                          }));
}

std::string price_section(const RunRecord& run) {
  if (run.seeds.empty()) return "";
  return section_html("price", "Nominal against worst case",
                      "<figure class=\"map\">" +
                          draw_price(run).str("Nominal value and worst case of every seed") +
                          "</figure>\n" +
                          aside("The length of a line is the price: what the worst utility of the "
                                "set costs the policy over the nominal one."));
}

std::string nature_section(const RunRecord& run, const Summary& summary) {
  if (run.seeds.empty()) return "";
  const bool any = run.nature_rows * run.nature_columns > 0;
  if (!any) {
    return section_html("nature", "The worst utility",
                        "<p>The utility of this run has no uncertain parameter ξ.</p>\n");
  }
  return section_html("nature", "The worst utility",
                      seed_selector(run, summary, "nature-seed") +
                          panels_of_seeds(run, summary, [&](const SeedRecord& seed) {
                            return nature_panels(run, seed);
                          }));
}

std::string settings_section(const RunRecord& run) {
  if (run.config.empty()) return "";
  return section_html("settings", "Settings",
                      "<pre tabindex=\"0\"><code>" + coloured_toml(run.config) + "</code></pre>\n");
}

std::string theory_section(const RunRecord& run) {
  if (run.notes.empty()) return "";
  std::string html;
  for (const std::string& note : run.notes) html += paragraph(note);
  return section_html("theory", "Theory", html);
}

std::string reproduction_section(const RunRecord& run) {
  std::string html =
      "<p>Save the settings above as <code>config.toml</code>, then:</p>\n"
      "<pre><code>rgu solve config.toml</code></pre>\n";
  html += paragraph(run.version.empty() ? "" : "Made with " + run.version + ".");
  return section_html("reproduce", "Reproduce", html);
}

}  // namespace rgu::report
