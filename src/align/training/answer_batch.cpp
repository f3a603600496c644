#include "rgu/align/training/answer_batch.hpp"

#include <algorithm>
#include <iterator>

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

}  // namespace rgu::align
