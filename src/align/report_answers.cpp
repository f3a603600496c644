#include "rgu/align/report_answers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rgu/report/html_page.hpp"
#include "rgu/report/text.hpp"

namespace rgu::align {
namespace {

using report::escaped;

constexpr std::size_t kMostLogged = 32;  // answers of the last step in the page

// Without the white space around it; a word where the model said nothing.
std::string said_html(const std::string& text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string::npos) return "<p class=\"said\"><i>nothing</i></p>";
  const std::size_t end = text.find_last_not_of(kSpace) + 1;
  return fmt::format("<p class=\"said\">{}</p>", escaped(text.substr(first, end - first)));
}

std::string card_html(const AnswerCard& card) {
  const std::string colour = card.colour < 0 ? "" : fmt::format(" c{}", card.colour % 8);
  return fmt::format(
      "<div class=\"answer{}\"><p class=\"who\">{}</p>{}<p class=\"scores\">{}</p></div>\n", colour,
      escaped(card.who), said_html(card.answer.text), escaped(scores_text(card.answer)));
}

template <class Has>
const SeedRecord* first_seed(const RunRecord& run, Has has) {
  const auto found = std::find_if(run.seeds.begin(), run.seeds.end(), has);
  return found == run.seeds.end() ? nullptr : &*found;
}

const SeedRecord* seed_with_shown(const RunRecord& run) {
  return first_seed(run, [](const SeedRecord& seed) { return !seed.shown.empty(); });
}

const ShownAnswers* shown_for(const RunRecord& run, const std::string& prompt) {
  const SeedRecord* seed = seed_with_shown(run);
  if (seed == nullptr) return nullptr;
  for (const ShownAnswers& shown : seed->shown) {
    if (shown.prompt == prompt) return &shown;
  }
  return nullptr;
}

std::vector<std::string> prompts_shown(const std::vector<RunRecord>& runs) {
  std::vector<std::string> prompts;
  for (const RunRecord& run : runs) {
    const SeedRecord* seed = seed_with_shown(run);
    if (seed == nullptr) continue;
    for (const ShownAnswers& shown : seed->shown) {
      if (std::find(prompts.begin(), prompts.end(), shown.prompt) == prompts.end()) {
        prompts.push_back(shown.prompt);
      }
    }
  }
  return prompts;
}

// Runs that began from the same policy said the same before: that is shown once.
std::vector<AnswerCard> cards_of(const std::vector<RunRecord>& runs,
                                 const std::vector<std::string>& names, const std::string& prompt) {
  std::vector<AnswerCard> before, after;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const ShownAnswers* shown = shown_for(runs[r], prompt);
    if (shown == nullptr) continue;
    const bool known = std::any_of(before.begin(), before.end(), [&](const AnswerCard& card) {
      return card.answer.text == shown->before.text;
    });
    if (!known)
      before.push_back({before.empty() ? "before" : "before, " + names[r], -1, shown->before});
    after.push_back({names[r], static_cast<int>(r), shown->after});
  }
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

std::string logged_row(const LoggedAnswer& logged) {
  return fmt::format(
      "<tr><td class=\"words\">{}</td><td class=\"words\">{}</td><td class=\"words\">{}</td>"
      "<td>{}</td><td class=\"left\">{}</td></tr>\n",
      escaped(logged.prompt), escaped(logged.answer.text), escaped(scores_text(logged.answer)),
      logged.tokens, logged.finished ? "yes" : "no");
}

}  // namespace

std::string scores_text(const JudgedAnswer& judged) {
  std::string text;
  for (const NamedNumbers* scores : {&judged.rewards, &judged.costs}) {
    for (const auto& [name, value] : *scores) {
      text +=
          fmt::format("{}{}\u00a0{}", text.empty() ? "" : " · ", name, report::short_number(value));
    }
  }
  return text;
}

std::string exchange_html(const std::string& prompt, const std::vector<AnswerCard>& cards) {
  std::string html = fmt::format("<div class=\"exchange\"><h3>{}</h3>\n<div class=\"answers\">\n",
                                 escaped(prompt));
  for (const AnswerCard& card : cards) html += card_html(card);
  return html + "</div></div>\n";
}

std::string shown_section(const RunRecord& run) {
  const SeedRecord* seed = seed_with_shown(run);
  if (seed == nullptr) return "";
  std::string html = fmt::format(
      "<p class=\"aside\">The same prompts, answered before and after training, by seed {}. Small: "
      "what the scorers said.</p>\n",
      seed->seed);
  for (const ShownAnswers& shown : seed->shown) {
    html += exchange_html(shown.prompt, {{"before", -1, shown.before}, {"after", 0, shown.after}});
  }
  return report::section_html("answers", "Answers before and after", html);
}

std::string logged_section(const RunRecord& run) {
  const SeedRecord* seed =
      first_seed(run, [](const SeedRecord& record) { return !record.answers.empty(); });
  if (seed == nullptr) return "";
  const Index last = seed->answers.back().iteration;
  std::string rows;
  std::size_t count = 0;
  for (const LoggedAnswer& logged : seed->answers) {
    if (logged.iteration == last && count++ < kMostLogged) rows += logged_row(logged);
  }
  return report::section_html(
      "logged", fmt::format("Answers of step {}", last),
      fmt::format(
          "<p class=\"aside\">Some of the answers that the policy of seed {} learned from.</p>\n"
          "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>"
          "<th scope=\"col\" class=\"words\">prompt</th><th scope=\"col\" class=\"words\">answer"
          "</th><th scope=\"col\" class=\"words\">scores</th><th scope=\"col\">tokens</th>"
          "<th scope=\"col\" class=\"left\">ended</th></tr></thead>\n<tbody>\n{}</tbody></table>"
          "</div>\n",
          seed->seed, rows));
}

std::string shown_side_by_side(const std::vector<RunRecord>& runs,
                               const std::vector<std::string>& names) {
  std::string html;
  for (const std::string& prompt : prompts_shown(runs)) {
    html += exchange_html(prompt, cards_of(runs, names, prompt));
  }
  if (html.empty()) return "";
  return report::section_html(
      "answers", "Answers to the same prompts",
      "<p class=\"aside\">Before training, and by the first seed of each run after it. Small: what "
      "the scorers said.</p>\n" +
          html);
}

}  // namespace rgu::align
