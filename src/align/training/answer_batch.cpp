#include "rgu/align/training/answer_batch.hpp"

#include <algorithm>
#include <iterator>

#include "rgu/record/json_values.hpp"

namespace rgu::align {
namespace {

// Moves the entries from `first` on into a vector of their own.
template <class T>
std::vector<T> tail(std::vector<T>& all, std::ptrdiff_t first) {
  std::vector<T> rest(std::make_move_iterator(all.begin() + first),
                      std::make_move_iterator(all.end()));
  all.resize(static_cast<std::size_t>(first));
  return rest;
}

Matrix tail(Matrix& all, Index first) {
  Matrix rest = all.bottomRows(all.rows() - first);
  all = Matrix(all.topRows(first));
  return rest;
}

std::vector<double> row_of(const Matrix& values, std::size_t i) {
  const Vector row = values.row(static_cast<Index>(i));
  return {row.begin(), row.end()};
}

Matrix matrix_of_rows(const std::vector<std::vector<double>>& rows) {
  Matrix values(static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()));
  for (Index i = 0; i < values.rows(); ++i) {
    const std::vector<double>& row = rows[static_cast<std::size_t>(i)];
    for (Index j = 0; j < values.cols(); ++j) values(i, j) = row[static_cast<std::size_t>(j)];
  }
  return values;
}

}  // namespace

Answer AnswerBatch::answer(std::size_t i) const {
  return {.prompt = prompts[i]->text,
          .text = texts[i],
          .prompt_tokens = prompts[i]->tokens,
          .tokens = sequences[i].tokens,
          .finished = sequences[i].stopped};
}

std::vector<bool> AnswerBatch::finished() const {
  std::vector<bool> finished;
  for (const llm::Sequence& sequence : sequences) finished.push_back(sequence.stopped);
  return finished;
}

double AnswerBatch::mean_length() const {
  double sum = 0;
  for (const llm::Sequence& sequence : sequences)
    sum += static_cast<double>(sequence.tokens.size());
  return sum / static_cast<double>(sequences.size());
}

double AnswerBatch::longest() const {
  std::size_t most = 0;
  for (const llm::Sequence& sequence : sequences) most = std::max(most, sequence.tokens.size());
  return static_cast<double>(most);
}

double AnswerBatch::finished_share() const {
  const auto count = std::count_if(sequences.begin(), sequences.end(),
                                   [](const llm::Sequence& sequence) { return sequence.stopped; });
  return static_cast<double>(count) / static_cast<double>(sequences.size());
}

JudgedAnswer AnswerBatch::judged(std::size_t i, const AlignConfig& config) const {
  JudgedAnswer judged{.text = texts[i]};
  const auto row = static_cast<Index>(i);
  for (std::size_t j = 0; j < config.rewards.size(); ++j) {
    judged.rewards.emplace_back(config.rewards[j].name, scores.rewards(row, static_cast<Index>(j)));
  }
  for (std::size_t k = 0; k < config.constraints.size(); ++k) {
    judged.costs.emplace_back(config.constraints[k].scorer.name,
                              scores.costs(row, static_cast<Index>(k)));
  }
  return judged;
}

SplitBatch split(AnswerBatch batch, Index count) {
  SplitBatch both;
  both.rest = {.prompts = tail(batch.prompts, count),
               .sequences = tail(batch.sequences, count),
               .texts = tail(batch.texts, count),
               .scores = {.rewards = tail(batch.scores.rewards, count),
                          .costs = tail(batch.scores.costs, count)}};
  both.first = std::move(batch);
  return both;
}

// CBOR: numbers keep their bits, texts may be any bytes.
std::string message_of(const AnswerBatch& batch) {
  Json answers = Json::array();
  for (std::size_t i = 0; i < batch.prompts.size(); ++i) {
    const llm::Sequence& sequence = batch.sequences[i];
    answers.push_back({sequence.tokens, sequence.log_probabilities, sequence.stopped,
                       batch.texts[i], row_of(batch.scores.rewards, i),
                       row_of(batch.scores.costs, i)});
  }
  std::string message;
  Json::to_cbor(answers, message);
  return message;
}

AnswerBatch joined(std::vector<const TokenisedPrompt*> prompts,
                   std::span<const std::string> messages) {
  AnswerBatch batch{.prompts = std::move(prompts)};
  std::vector<std::vector<double>> rewards, costs;
  for (const std::string& message : messages) {
    for (const Json& answer : Json::from_cbor(message)) {
      batch.sequences.push_back({.tokens = answer.at(0).get<std::vector<llm::TokenId>>(),
                                 .log_probabilities = answer.at(1).get<std::vector<float>>(),
                                 .stopped = answer.at(2).get<bool>()});
      batch.texts.push_back(answer.at(3).get<std::string>());
      rewards.push_back(answer.at(4).get<std::vector<double>>());
      costs.push_back(answer.at(5).get<std::vector<double>>());
    }
  }
  batch.scores = {.rewards = matrix_of_rows(rewards), .costs = matrix_of_rows(costs)};
  return batch;
}

}  // namespace rgu::align
