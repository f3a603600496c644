// Answers judged by a score model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rgu/align/config.hpp"
#include "rgu/align/scorer.hpp"
#include "rgu/align/text_scorer.hpp"
#include "rgu/llm/text/tokenizer.hpp"
#include "rgu/llm/torch/evaluation.hpp"

namespace rgu::align {

// What surrounds the scorers of a run.
struct ScorerSetting {
  const llm::Tokenizer* policy_tokenizer = nullptr;  // none: answers are read as text
  std::filesystem::path policy_tokenizer_path = {};  // where it was opened
  int threads = 0;                                   // 0: as many as the machine has
  std::string device = "cpu";                        // as LibTorch spells it
  std::uint64_t all_model_bytes = 0;                 // of the weights of all score models together
  Commands commands = Commands::kRefuse;
};

// Bytes that the weights of the model take in the type they are computed in. Reads the headers of
// its files only; throws InvalidInput as ModelScorer.
std::uint64_t weight_bytes(const ModelScorerConfig& config);

// The score that the model has at the EOS token behind prompt and answer [safe-rlhf]:
// - with the policy's tokenizer (that of the same path, or one of the same pieces): of the tokens
// of
//   the prompt and of the answer, as the policy had them (but for ids that are only padding of its
//   vocabulary);
// - with another: these tokens are made text, special tokens left out, and the text tokens of the
//   scorer's tokenizer, by its own rules.
// EOS is put behind them where it is not the last token already, also behind answers that were cut
// off: scorers are trained on texts that end in it. Differs from safe-rlhf, which scores an answer
// that was cut off, of the same tokenizer, at its last token. Of sequences longer than the
// positions of the model the end of the answer is left out, EOS stays; these are counted, and the
// first is noted.
//
// `model` is a score model, or a language model with an adapter that has a score head (as `rgu lm
// train-scorer` makes them), or the folder of such an adapter alone, if its base model lies where
// adapter_config.json says. The tokenizer is that of the config, otherwise that beside the adapter,
// otherwise that beside the model.
//
// Loading::kAuto keeps the model where the weights of all score models take no more than half of
// the memory that is available. Kept or not, the scores are the same to the bit.
class ModelScorer final : public Scorer {
 public:
  // Throws InvalidInput for files that are not there, damaged or do not fit each other, without a
  // score head or with one of several dimensions, or a tokenizer without EOS.
  ModelScorer(const ModelScorerConfig& config, const ScorerSetting& setting);

  std::vector<double> scores(std::span<const Answer> answers) override;
  std::string about() const override;
  std::vector<std::string> take_notes() override;

  bool kept() const { return model_.has_value(); }  // in memory between calls
  std::uint64_t bytes() const { return bytes_; }    // of its weights, as weight_bytes
  bool has_tokenizer_of_policy() const { return shared_; }
  Index cut() const { return cut_; }  // sequences so far that were too long

  // What the model reads of an answer.
  std::vector<llm::TokenId> sequence(const Answer& answer);

 private:
  llm::ScoreModel loaded() const;
  std::string text(const Answer& answer) const;

  ModelScorerConfig config_;
  ScorerSetting setting_;
  llm::ModelConfig shape_;
  std::unique_ptr<llm::Tokenizer> tokenizer_;
  llm::TokenId end_ = 0;  // EOS
  bool shared_ = false;   // tokens of the policy are tokens of the scorer
  std::uint64_t bytes_ = 0;
  std::optional<llm::ScoreModel> model_;  // where it is kept
  Index cut_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace rgu::align
