// Fast sampling on a CPU, without LibTorch: the weights of a model packed for one purpose, to make
// the next token of many sequences.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rgu/base/instruction_set.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/llm/files/model_config.hpp"
#include "rgu/llm/files/tensor.hpp"
#include "rgu/llm/files/token_id.hpp"

namespace rgu::llm {

// top_k acts before top_p, whose probabilities are those of the tokens that top_k left. Of equal
// logits the lower id ranks first.
struct SamplingOptions {
  double temperature = 1;  // at least 1e-6, or 0: the most probable token (the first of equals)
  std::int64_t top_k = 0;  // sample among the k most probable; 0: among all
  double top_p = 1;        // ... among the fewest whose probabilities reach p, in (0, 1]
  std::int64_t max_new_tokens = 32;  // at least 1
  std::optional<TokenId> stop = {};  // a sequence ends after this token, which is kept
};
void check_options(const SamplingOptions& options);  // throws InvalidInput

struct Sequence {
  std::vector<TokenId> tokens = {};  // what was sampled, without the prompt
  // log softmax(logits / temperature) of each sampled token over the WHOLE vocabulary (temperature
  // 1 where it is 0), whatever top_k and top_p left out.
  std::vector<float> log_probabilities = {};
  bool stopped =
      false;  // by the stop token; otherwise by max_new_tokens or the model's last position
};

struct DecoderOptions {
  int threads = 0;                                  // 0: as many as the machine has
  std::optional<InstructionSet> instructions = {};  // none: instruction_set()
};

// Sequence i of a call draws only from streams.block(first_sequence + i, step): it depends neither
// on its batch mates nor on threads, and with equal instruction sets it is the same to the last
// bit.
struct GenerateOptions {
  SamplingOptions sampling = {};
  StreamFamily streams = {};
  std::uint32_t first_sequence = 0;
  std::int64_t batch = 128;  // sequences in work at once; a finished one makes room for the next
  // Told after every step: sequences finished and tokens sampled so far. Returns false to stop
  // early: what is finished by then is complete, the others keep what they have.
  struct Progress {
    std::int64_t finished = 0;
    std::int64_t tokens = 0;
  };
  std::function<bool(const Progress&)> observe = {};
};

class Decoder {
 public:
  // GPT-NeoX and LLaMA with a language head. The input embedding is read where it lies, whose
  // owners are kept; all else is packed. Throws InvalidInput where weights do not fit the config or
  // threads is negative, or if this CPU does not have the instructions.
  Decoder(const ModelConfig& config, const Weights& weights, const DecoderOptions& options = {});
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  // Other weights of the same shape, after a training step. Throws InvalidInput where they do not
  // fit; the decoder then has what it had.
  void load(const Weights& weights);

  // One sequence per prompt, in the order of the prompts. Prompts must not be empty, and at least
  // one position must remain after each (throws InvalidInput naming the prompt). Equal prompts are
  // read once.
  std::vector<Sequence> generate(std::span<const std::vector<TokenId>> prompts,
                                 const GenerateOptions& options) const;

  // Logits (positions, vocabulary) of every position of one sequence: for tests and small uses.
  // Throws InvalidInput for no token, more than the model's positions, or a token beyond the
  // vocabulary.
  std::vector<float> logits(std::span<const TokenId> tokens) const;

  const ModelConfig& config() const;
  InstructionSet instructions() const;
  int threads() const;
  std::size_t packed_bytes() const;  // memory that the packed weights take

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rgu::llm
