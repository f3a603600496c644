#include "rgu/align/command_scorer.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "rgu/base/check.hpp"
#include "rgu/llm/files/json_text.hpp"

namespace rgu::align {
namespace {

using Clock = ChildProcess::Clock;
using nlohmann::json;

constexpr std::size_t kSentAtOnce = std::size_t{1} << 18;   // bytes
constexpr std::size_t kLongestLine = std::size_t{1} << 20;  // bytes
constexpr double kLongestTimeout = 1e8;                     // seconds; longer is for ever
constexpr auto kPatience = std::chrono::milliseconds(100);  // between looks at whether it has ended

std::string line_of(const Answer& answer) {
  const nlohmann::ordered_json object = {
      {"prompt", answer.prompt}, {"answer", answer.text}, {"finished", answer.finished}};
  return object.dump(-1, ' ', true, json::error_handler_t::replace) + '\n';
}

// None where the line is no score.
std::optional<double> score_of(std::string_view line) {
  json value = json::parse(line, nullptr, false);
  if (value.is_object() && value.contains("score")) value = json(value["score"]);
  if (!value.is_number()) return {};
  const double score = value.get<double>();
  return std::isfinite(score) ? std::optional(score) : std::nullopt;
}

}  // namespace

// Writes and reads by turns, whichever is possible, so that neither side waits for the other.
class CommandScorer::Exchange {
 public:
  Exchange(CommandScorer& scorer, std::span<const Answer> answers)
      : scorer_(scorer),
        process_(scorer.process_),
        answers_(answers),
        seconds_(scorer.config_.timeout_seconds),
        deadline_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(seconds_))) {}

  std::vector<double> scores() {
    read();
    check(scorer_.received_.empty(), "{} wrote {} before it was given an answer", scorer_.name_,
          first_line());
    while (scores_.size() < answers_.size()) {
      step();
      take_lines();
    }
    check(scorer_.received_.empty(), "{} wrote {} after the scores of all {} answers",
          scorer_.name_, first_line(), answers_.size());
    return std::move(scores_);
  }

 private:
  void step() {
    check(Clock::now() < deadline_, "{} gave {} of {} scores in {} seconds, the time it has",
          scorer_.name_, scores_.size(), answers_.size(), seconds_);
    fill();
    const ChildProcess::Ready ready =
        process_.wait(!sent_.empty(), std::min(deadline_, Clock::now() + kPatience));
    if (ready.to_write) sent_.erase(0, process_.write(sent_));
    if (ready.to_read) return read();
    // Children of the program may hold its output open when it has ended.
    if (!ready.to_write && process_.ending()) refuse_end();
  }

  void fill() {
    while (sent_.size() < kSentAtOnce && next_ < answers_.size())
      sent_ += line_of(answers_[next_++]);
  }

  // A program that has closed its output is given a moment to end, for the message.
  void read() {
    if (process_.read(scorer_.received_)) return;
    take_lines();
    if (scores_.size() == answers_.size()) return;
    const Clock::time_point until = Clock::now() + kPatience;
    while (!process_.ending() && Clock::now() < until) std::this_thread::sleep_for(kPatience / 20);
    refuse_end();
  }

  [[noreturn]] void refuse_end() {
    throw InvalidInput(fmt::format("{} {}: {} of {} scores are missing", scorer_.name_,
                                   process_.ending().value_or("closed its output"),
                                   answers_.size() - scores_.size(), answers_.size()));
  }

  void take_lines() {
    std::string& received = scorer_.received_;
    std::size_t begin = 0;
    for (std::size_t end = received.find('\n');
         end != received.npos && scores_.size() < answers_.size();
         end = received.find('\n', begin)) {
      take(std::string_view(received).substr(begin, end - begin));
      begin = end + 1;
    }
    received.erase(0, begin);
    if (received.size() > kLongestLine && scores_.size() < answers_.size()) take(received);
  }

  void take(std::string_view line) {
    const std::optional<double> score = line.size() <= kLongestLine ? score_of(line) : std::nullopt;
    check(score.has_value(),
          "{} wrote {} for answer {} of {}, must be a finite number or {{\"score\": number}}",
          scorer_.name_, llm::in_quotes(line), scores_.size() + 1, answers_.size());
    scores_.push_back(*score);
  }

  std::string first_line() const {
    return llm::in_quotes(scorer_.received_.substr(0, scorer_.received_.find('\n')));
  }

  CommandScorer& scorer_;
  ChildProcess& process_;
  std::span<const Answer> answers_;
  double seconds_;
  Clock::time_point deadline_;
  std::string sent_;      // to be written
  std::size_t next_ = 0;  // answer to be put there
  std::vector<double> scores_;
};

CommandScorer::CommandScorer(const CommandScorerConfig& config)
    : config_(config),
      name_(fmt::format("command {}",
                        llm::in_quotes(config.command.empty() ? "" : config.command[0]))),
      process_(config.command) {
  check_positive("timeout_seconds", config.timeout_seconds);
  config_.timeout_seconds = std::min(config_.timeout_seconds, kLongestTimeout);
}

std::vector<double> CommandScorer::scores(std::span<const Answer> answers) {
  check(!failed_, "{} has failed before", name_);
  failed_ = true;
  std::vector<double> scores = Exchange(*this, answers).scores();
  failed_ = false;
  return scores;
}

std::string CommandScorer::about() const {
  return fmt::format("command: {}", fmt::join(config_.command, " "));
}

}  // namespace rgu::align
