#include "rgu/align/record.hpp"

#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/record/json_values.hpp"
#include "rgu/record/named_files.hpp"
#include "rgu/record/run_folder.hpp"

namespace rgu::align {
namespace {

namespace fs = std::filesystem;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Json json_of(const NamedNumbers& numbers) {
  Json json = Json::object();
  for (const auto& [name, value] : numbers) {
    if (!std::isnan(value)) json[name] = rgu::to_json(value);
  }
  return json;
}

Json json_of(const JudgedAnswer& judged) {
  return {{"answer", judged.text},
          {"rewards", json_of(judged.rewards)},
          {"costs", json_of(judged.costs)}};
}

bool truth(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  check(value.is_boolean(), "\"{}\" is {}, must be true or false", key, value.dump());
  return value.get<bool>();
}

const Json& list(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  check(value.is_array(), "\"{}\" is {}, must be a list", key, value.dump());
  return value;
}

NamedNumbers named_numbers(const Json& object, std::string_view key) {
  const Json& value = member(object, key);
  check(value.is_object(), "\"{}\" is {}, must be an object of numbers", key, value.dump());
  NamedNumbers numbers;
  for (const auto& [name, entry] : value.items()) {
    numbers.emplace_back(name, number<double>(value, name));
  }
  return numbers;
}

JudgedAnswer judged_answer(const Json& json) {
  return {.text = words(json, "answer"),
          .rewards = named_numbers(json, "rewards"),
          .costs = named_numbers(json, "costs")};
}

Index iteration_of(const Json& json) {
  const Index iteration = number<Index>(json, "iteration");
  check(iteration >= 1, "\"iteration\" is {}, must be at least 1", iteration);
  return iteration;
}

StepNumbers step_numbers(const Json& json) {
  StepNumbers step{.iteration = iteration_of(json)};
  for (const auto& [name, entry] : json.items()) {
    if (name != "iteration") step.values.emplace_back(name, number<double>(json, name));
  }
  return step;
}

LoggedAnswer logged_answer(const Json& json) {
  return {.iteration = iteration_of(json),
          .prompt = words(json, "prompt"),
          .answer = judged_answer(json),
          .tokens = number<Index>(json, "tokens"),
          .finished = truth(json, "finished")};
}

ShownAnswers shown_answers(const Json& json) {
  return {.prompt = words(json, "prompt"),
          .before = judged_answer(member(json, "before")),
          .after = judged_answer(member(json, "after"))};
}

ConstraintRecord constraint_record(const Json& json) {
  return {.name = words(json, "name"),
          .threshold = number<double>(json, "threshold"),
          .least_multiplier = number<double>(json, "least_multiplier"),
          .most_multiplier = number<double>(json, "most_multiplier")};
}

std::pair<std::string, std::string> fact(const Json& json) {
  const bool is_pair =
      json.is_array() && json.size() == 2 && json[0].is_string() && json[1].is_string();
  check(is_pair, "\"facts\" has an entry {}, must be a pair of strings", json.dump());
  return {json[0].get<std::string>(), json[1].get<std::string>()};
}

void read_about(const Json& json, RunRecord& run) {
  check(json.is_object() && json.contains("kind"),
        "\"kind\" is missing: this is no alignment run, 'rgu report' is for others");
  const std::string kind = words(json, "kind");
  check(kind == "alignment", "\"kind\" is \"{}\", must be \"alignment\"", kind);
  run.name = words(json, "name");
  run.description = words(json, "description");
  run.version = words(json, "version");
  run.fingerprint = words(json, "fingerprint");
  run.rewards = word_list(json, "rewards");
  for (const Json& entry : list(json, "constraints")) {
    run.constraints.push_back(constraint_record(entry));
  }
  for (const Json& entry : list(json, "facts")) run.facts.push_back(fact(entry));
  run.warnings = word_list(json, "warnings");
}

// for_each_line with the JSON of the lines.
template <class Read>
void read_lines(const fs::path& path, Read read) {
  for_each_line(path, [&](std::string_view line) { read(parse_json(line)); });
}

void append_step(const Json& json, std::vector<StepNumbers>& steps) {
  StepNumbers step = step_numbers(json);
  check(steps.empty() || step.iteration > steps.back().iteration,
        "\"iteration\" is {} after {}, must grow", step.iteration,
        steps.empty() ? 0 : steps.back().iteration);
  steps.push_back(std::move(step));
}

}  // namespace

std::string about_text(const RunRecord& run) {
  Json constraints = Json::array();
  for (const ConstraintRecord& constraint : run.constraints) {
    constraints.push_back({{"name", constraint.name},
                           {"threshold", rgu::to_json(constraint.threshold)},
                           {"least_multiplier", rgu::to_json(constraint.least_multiplier)},
                           {"most_multiplier", rgu::to_json(constraint.most_multiplier)}});
  }
  Json facts = Json::array();
  for (const auto& [name, text] : run.facts) facts.push_back(Json::array({name, text}));
  const Json json = {{"kind", "alignment"},
                     {"name", run.name},
                     {"description", run.description},
                     {"version", run.version},
                     {"fingerprint", run.fingerprint},
                     {"rewards", run.rewards},
                     {"constraints", constraints},
                     {"facts", facts},
                     {"warnings", run.warnings}};
  return to_text(json) + '\n';
}

std::string result_text(const SeedRecord& seed) {
  const Json json = {{"status", seed.status},
                     {"reason", seed.reason},
                     {"finished", seed.finished},
                     {"iterations", seed.iterations},
                     {"notes", seed.notes}};
  return to_text(json) + '\n';
}

std::string to_line(const StepNumbers& step) {
  Json json = {{"iteration", step.iteration}};
  json.update(json_of(step.values));
  return line_of(json);
}

std::string to_line(const LoggedAnswer& answer) {
  return line_of({{"iteration", answer.iteration},
                  {"prompt", answer.prompt},
                  {"answer", answer.answer.text},
                  {"tokens", answer.tokens},
                  {"finished", answer.finished},
                  {"rewards", json_of(answer.answer.rewards)},
                  {"costs", json_of(answer.answer.costs)}});
}

std::string to_line(const ShownAnswers& shown) {
  return line_of({{"prompt", shown.prompt},
                  {"before", json_of(shown.before)},
                  {"after", json_of(shown.after)}});
}

SeedRecord read_seed(const fs::path& folder, std::uint64_t seed) {
  SeedRecord record;
  record.seed = seed;
  read_lines(folder / "metrics.jsonl", [&](const Json& json) { append_step(json, record.steps); });
  read_lines(folder / "timing.jsonl",
             [&](const Json& json) { record.seconds.push_back(number<double>(json, "seconds")); });
  read_lines(folder / "answers.jsonl",
             [&](const Json& json) { record.answers.push_back(logged_answer(json)); });
  read_lines(folder / "shown.jsonl",
             [&](const Json& json) { record.shown.push_back(shown_answers(json)); });
  if (!fs::exists(folder / "result.json")) return record;
  naming(folder / "result.json", [&](const Json& json) {
    record.status = words(json, "status");
    record.reason = words(json, "reason");
    record.finished = truth(json, "finished");
    record.iterations = number<Index>(json, "iterations");
    record.notes = word_list(json, "notes");
  });
  return record;
}

RunRecord read_run(const fs::path& folder) {
  const RunFolder files = RunFolder::open(folder);
  RunRecord run;
  naming(files.about(), [&](const Json& json) { read_about(json, run); });
  run.config = read_text(files.config());
  for (const std::uint64_t seed : files.seeds()) {
    run.seeds.push_back(read_seed(files.seed(seed), seed));
  }
  return run;
}

}  // namespace rgu::align
