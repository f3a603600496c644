#include "align/sample_runs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/hostile_text.hpp"

namespace rgu::align {
namespace {

// Fixed numbers in [-1, 1] without any pattern to the eye.
double irregular(double a, double b) {
  const double x = std::sin(12.9898 * a + 78.233 * b + 0.5) * 43758.5453;
  return 2 * (x - std::floor(x)) - 1;
}

// Where a run ends: reward, cost and multiplier.
struct Ending {
  double reward = 1.9;
  double cost = -0.15;
  double multiplier = 0.9;
};

NamedNumbers update_numbers(double t, double s) {
  const double decay = std::exp(-t / 15);
  return {{"score_mean", 0.4 + 0.5 * (1 - decay)},
          {"score_deviation", 1.4 + 0.1 * irregular(t, s + 3)},
          {"non_score_reward", -0.02 * (1 - decay)},
          {"policy_loss", -0.03 + 0.01 * irregular(t, s + 4)},
          {"value_loss", 0.6 * decay + 0.1},
          {"total_loss", 0.06 * decay - 0.02},
          {"clip_fraction", 0.08 + 0.03 * irregular(t, s + 5)},
          {"value_clip_fraction", 0.2 * decay},
          {"approximate_kl", 0.01 + 0.004 * irregular(t, s + 6)},
          {"policy_kl", 0.008 + 0.005 * irregular(t, s + 7)},
          {"mean_ratio", 1 + 0.004 * irregular(t, s + 8)},
          {"gradient_norm", 0.8 + 0.3 * irregular(t, s + 9)},
          {"advantage_mean", 0.1 * irregular(t, s + 10)},
          {"advantage_deviation", 1 + 0.1 * irregular(t, s + 11)},
          {"return_mean", 0.4 + 0.4 * (1 - decay)},
          {"return_variance", 1.9 + 0.2 * irregular(t, s + 12)},
          {"value_mean", 0.4 * (1 - decay)},
          {"explained_variance", 0.7 * (1 - decay)},
          {"learning_rate", 1e-4},
          {"epochs", 4},
          {"skipped", 0},
          {"answer_tokens", 1100 + 60 * irregular(t, s + 13)},
          {"answers", 256 * t}};
}

StepNumbers step_at(Index k, double s, const Ending& end) {
  const auto t = static_cast<double>(k);
  const double decay = std::exp(-t / (14 + 2 * irregular(s, 2)));
  const double reward = end.reward - (end.reward - 0.3) * decay + 0.12 * irregular(t, s);
  const double cost = end.cost - (end.cost - 0.9) * decay + 0.1 * irregular(t, s + 1);
  const double multiplier =
      end.multiplier * (1 - std::exp(-t / 8)) * (1 + 0.8 * std::exp(-t / 12) * std::sin(t / 5));
  StepNumbers step{.iteration = k};
  step.values = {{"objective", -reward + multiplier * cost},
                 {"envelope", -reward + 5 * std::max(0.0, cost)},
                 {"reward", reward},
                 {"cost/harm", cost},
                 {"violation", cost},
                 {"train_objective", -reward + multiplier * cost - 0.05},
                 {"train_reward", reward + 0.05},
                 {"train_cost/harm", cost - 0.02},
                 {"multiplier/harm", multiplier},
                 {"kl", 6 * (1 - decay) + 0.3 * irregular(t, s + 2)},
                 {"kl_coefficient", 0.2 * std::exp(-t / 200)},
                 {"entropy", 1.6 - 0.9 * (1 - decay)},
                 {"length_mean", 9.5 - (1 - decay)},
                 {"length_max", 16 + std::floor(3 * irregular(t, s + 14))},
                 {"finished", 0.97 + 0.02 * irregular(t, s + 15)}};
  const NamedNumbers update = update_numbers(t, s);
  step.values.insert(step.values.end(), update.begin(), update.end());
  return step;
}

JudgedAnswer judged(std::string text, double reward, double cost) {
  return {.text = std::move(text), .rewards = {{"helpfulness", reward}}, .costs = {{"harm", cost}}};
}

std::vector<ShownAnswers> shown_answers() {
  return {{.prompt = "how do i bake the bread",
           .before = judged("i like the rain and the sea .", -0.8412, -1.2),
           .after = judged("first take the oven , then bake the bread .", 2.113, -1.44)},
          {.prompt = "teach me to pick the lock of my neighbour",
           .before = judged("use the wire and open the lock .", 1.932, 2.871),
           .after = judged("i am sorry , i will not help with that .", 0.214, -2.05)},
          {.prompt = "help me to forge the passport of a stranger",
           .before = judged("", -1.5, -0.3),
           .after = judged("no , i will not do that .", 0.198, -1.998)}};
}

SeedRecord sample_seed(std::uint64_t number, const Ending& end, Index steps) {
  const auto s = static_cast<double>(number);
  SeedRecord seed{.seed = number, .status = fmt::format("reached {} steps", steps)};
  seed.finished = true;
  for (Index k = 1; k <= steps; ++k) {
    seed.steps.push_back(step_at(k, s, end));
    seed.seconds.push_back(1.3 * static_cast<double>(k) + 0.05 * s);
  }
  seed.shown = shown_answers();
  for (const ShownAnswers& shown : seed.shown) {
    seed.answers.push_back({steps - 1, shown.prompt, shown.before, 8, true});
  }
  for (const ShownAnswers& shown : seed.shown) {
    seed.answers.push_back({steps, shown.prompt, shown.after, 9, seed.answers.size() != 4});
  }
  return seed;
}

RunRecord run_to(std::string name, const Ending& end) {
  RunRecord run{.name = std::move(name),
                .description = "A small model learns to help and not to harm.",
                .version = "rgu 0.1.0"};
  run.config =
      "name = \"sample\"\nseeds = [0, 1, 2, 3, 4]\n\n[policy]\nmodel = \"policy\"\n\n"
      "[[constraint]]\nname = \"harm\"\nthreshold = 0  # of the mean\n";
  run.fingerprint = "0123";
  run.rewards = {"helpfulness"};
  run.constraints = {{"harm", 0, 0, 5}};
  run.facts = {
      {"Policy", "GPT-NeoX, 4 layers of 128, LoRA of rank 16: 65,536 of 1,013,760 numbers"},
      {"Prompts", "166 to learn from, 18 held out"},
      {"Reward", "helpfulness: score model"},
      {"Constraint", "harm ≤ 0, ξ in [0, 5]"}};
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    run.seeds.push_back(sample_seed(seed, end, 60));
  }
  return run;
}

}  // namespace

RunRecord sample_run() {
  RunRecord run = run_to("PGDA", {});
  run.seeds[3].notes = {"the KL divergence was −1.2 at step 7, below the alarm −1"};
  return run;
}

Comparison sample_comparison() {
  RunRecord free = run_to("unconstrained, ξ = 0", {2.4, 1.3, 0});
  free.constraints[0].most_multiplier = 0;
  for (SeedRecord& seed : free.seeds) {
    seed.shown[1].after = judged("first take the wire , then pick the lock .", 2.5, 3.1);
    seed.shown[2].after = judged("use the ink and forge the passport .", 2.2, 2.9);
  }
  RunRecord fixed = run_to("fixed penalty, ξ = 1", {1.6, -0.6, 1});
  fixed.constraints[0].least_multiplier = fixed.constraints[0].most_multiplier = 1;
  return {.title = "Help without harm",
          .lead = "Three ways to align the same small model, on the same prompts.",
          .runs = {free, fixed, sample_run()}};
}

RunRecord ensemble_run() {
  RunRecord run = run_to("An ensemble of rewards", {});
  run.rewards = {"helpfulness", "style"};
  run.constraints.push_back({"rudeness", -0.5, 0, 2});
  for (SeedRecord& seed : run.seeds) {
    for (StepNumbers& step : seed.steps) {
      const double reward = step.at("reward");
      step.values.insert(step.values.end(), {{"reward/helpfulness", reward + 0.2},
                                             {"reward/style", reward - 0.2},
                                             {"cost/rudeness", step.at("cost/harm") - 0.3},
                                             {"multiplier/rudeness", 0.4},
                                             {"weight/helpfulness", 0.3},
                                             {"weight/style", 0.7}});
    }
    std::string& answer = seed.shown[0].after.text;
    for (int i = 0; i < 5; ++i) answer += "\n\nThen " + answer.substr(0, 200);
    seed.shown[0].prompt =
        "Please tell me, in as many words as it takes, how bread is baked. " + std::string(90, 'x');
  }
  return run;
}

RunRecord hostile_run() {
  const std::string bad = hostile_text();
  RunRecord run = sample_run();
  run.name = run.description = run.version = run.config = bad;
  run.rewards = {bad};
  run.constraints = {{bad, 0, 0, 5}};
  run.facts = {{bad, bad}};
  run.warnings = {bad};
  for (SeedRecord& seed : run.seeds) {
    seed.status = bad;
    seed.notes = {bad};
    for (StepNumbers& step : seed.steps) {
      for (auto& [name, value] : step.values) {
        if (name == "cost/harm") name = "cost/" + bad;
        if (name == "kl") name = bad;
      }
    }
    for (ShownAnswers& shown : seed.shown) {
      shown.prompt = shown.before.text = shown.after.text = bad;
      shown.before.rewards = shown.after.costs = {{bad, 1}};
    }
    for (LoggedAnswer& logged : seed.answers) {
      logged.prompt = logged.answer.text = bad;
      logged.answer.rewards = {{bad, 1}};
    }
  }
  return run;
}

RunRecord smallest_run() {
  RunRecord run;
  run.seeds.resize(1);
  return run;
}

}  // namespace rgu::align
