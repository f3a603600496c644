#include "rgu/align/text_scorer.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include "rgu/align/command_scorer.hpp"
#include "rgu/align/lexicon_scorer.hpp"
#include "rgu/align/linear_scorer.hpp"
#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"

namespace rgu::align {
namespace {

// f(), whose InvalidInput begins with `name`.
template <class Function>
auto with_name(const std::string& name, Function f) {
  try {
    return f();
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", name, error.what()));
  }
}

// score = scale * (what the scorer says) + shift.
class NamedScorer final : public Scorer {
 public:
  NamedScorer(std::string name, const ScorerConfig& config, std::unique_ptr<Scorer> scorer)
      : name_(std::move(name)),
        scale_(config.scale),
        shift_(config.shift),
        scorer_(std::move(scorer)) {}

  std::vector<double> scores(std::span<const Answer> answers) override {
    return with_name(name_, [&] {
      std::vector<double> scores = scorer_->scores(answers);
      check(scores.size() == answers.size(), "{} scores of {} answers", scores.size(),
            answers.size());
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const double raw = scores[i];
        scores[i] = scale_ * raw + shift_;
        check(std::isfinite(scores[i]),
              "the score of answer {} of {} is {} ({} before scale and shift), must be finite",
              i + 1, scores.size(), scores[i], raw);
      }
      return scores;
    });
  }

  std::string about() const override { return scorer_->about(); }

  std::vector<std::string> take_notes() override {
    std::vector<std::string> notes = scorer_->take_notes();
    for (std::string& note : notes) note = fmt::format("{}: {}", name_, note);
    return notes;
  }

 private:
  std::string name_;  // `reward "helpfulness"`
  double scale_;
  double shift_;
  std::unique_ptr<Scorer> scorer_;
};

struct MakeTextScorer {
  using Made = std::unique_ptr<Scorer>;
  Made operator()(const ModelScorerConfig& config) const {
    throw InvalidInput(
        fmt::format("{} is a score model, which needs LibTorch", config.model.string()));
  }
  Made operator()(const LexiconScorerConfig& config) const {
    return std::make_unique<LexiconScorer>(config.file);
  }
  Made operator()(const LinearScorerConfig& config) const {
    return std::make_unique<LinearScorer>(config.file);
  }
  Made operator()(const CommandScorerConfig& config) const {
    return std::make_unique<CommandScorer>(config);
  }
};

std::string name_of(const ScorerConfig& config, std::string_view role) {
  return fmt::format("{} \"{}\"", role, config.name);
}

}  // namespace

void check_commands(const ScorerConfig& config, std::string_view role, Commands commands) {
  const auto* command = std::get_if<CommandScorerConfig>(&config.kind);
  if (command == nullptr || commands == Commands::kAllow) return;
  throw InvalidInput(fmt::format(
      "{}: the config asks to run the program {}; give --allow-commands if you trust it",
      name_of(config, role), llm::in_quotes(fmt::format("{}", fmt::join(command->command, " ")))));
}

std::unique_ptr<Scorer> named_scorer(const ScorerConfig& config, std::string_view role,
                                     const std::function<std::unique_ptr<Scorer>()>& made) {
  const std::string name = name_of(config, role);
  std::unique_ptr<Scorer> scorer = with_name(name, [&] {
    check_finite("scale", config.scale);
    check_finite("shift", config.shift);
    return made();
  });
  return std::make_unique<NamedScorer>(name, config, std::move(scorer));
}

std::unique_ptr<Scorer> make_text_scorer(const ScorerConfig& config, std::string_view role,
                                         Commands commands) {
  check_commands(config, role, commands);
  return named_scorer(config, role, [&] { return std::visit(MakeTextScorer{}, config.kind); });
}

}  // namespace rgu::align
