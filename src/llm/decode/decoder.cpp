#include "rgu/llm/decode/decoder.hpp"

#include <cmath>

#include "rgu/base/check.hpp"
#include "rgu/llm/decode/generate.hpp"
#include "rgu/llm/decode/instruction_set.hpp"
#include "rgu/llm/decode/team.hpp"

namespace rgu::llm {
namespace {

void check_tokens(std::string_view what, std::span<const TokenId> tokens, std::int64_t vocabulary) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    check(tokens[i] >= 0 && tokens[i] < vocabulary, "token {} of {} is {}, must be 0 .. {}", i,
          what, tokens[i], vocabulary - 1);
  }
}

int thread_count(int asked) {
  check(asked >= 0, "threads of a decoder is {}, must be at least 0", asked);
  return asked > 0 ? asked : decode::hardware_threads();
}

}  // namespace

void check_options(const SamplingOptions& options) {
  check(std::isfinite(options.temperature) && options.temperature >= 0,
        "temperature is {}, must be finite and at least 0", options.temperature);
  // Below this 1 / temperature leaves the range in which the products with logits are finite.
  check(options.temperature == 0 || options.temperature >= 1e-6,
        "temperature is {}, must be 0 or at least 1e-6", options.temperature);
  check(options.top_k >= 0, "top_k is {}, must be at least 0", options.top_k);
  check(options.top_p > 0 && options.top_p <= 1, "top_p is {}, must be in (0, 1]", options.top_p);
  check(options.max_new_tokens >= 1, "max_new_tokens is {}, must be at least 1",
        options.max_new_tokens);
}

struct Decoder::State {
  InstructionSet instructions;
  const decode::Kernels& kernels;
  int threads;
  decode::PackedModel model;

  decode::Engine engine() const { return {.model = model, .kernels = kernels, .threads = threads}; }
};

Decoder::Decoder(const ModelConfig& config, const Weights& weights, const DecoderOptions& options) {
  const InstructionSet set = options.instructions.value_or(instruction_set());
  const decode::Kernels& kernels = decode::kernels_of(set);
  const int threads = thread_count(options.threads);
  state_ = std::make_unique<State>(State{set, kernels, threads, decode::PackedModel{}});
  decode::pack(config, weights, threads, state_->model);
}

Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

void Decoder::load(const Weights& weights) {
  const ModelConfig config = state_->model.config;
  decode::pack(config, weights, state_->threads, state_->model);
}

std::vector<Sequence> Decoder::generate(std::span<const std::vector<TokenId>> prompts,
                                        const GenerateOptions& options) const {
  const ModelConfig& config = state_->model.config;
  check_options(options.sampling);
  check(options.batch >= 1, "batch is {}, must be at least 1", options.batch);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    check(!prompts[i].empty(), "prompt {} is empty, must have at least one token", i);
    check(static_cast<std::int64_t>(prompts[i].size()) < config.max_positions,
          "prompt {} has {} tokens, must be fewer than the model's {} positions", i,
          prompts[i].size(), config.max_positions);
    check_tokens(fmt::format("prompt {}", i), prompts[i], config.vocabulary);
  }
  return decode::generate(state_->engine(), prompts, options);
}

std::vector<float> Decoder::logits(std::span<const TokenId> tokens) const {
  const ModelConfig& config = state_->model.config;
  check(!tokens.empty(), "the sequence is empty, must have at least one token");
  check(static_cast<std::int64_t>(tokens.size()) <= config.max_positions,
        "the sequence has {} tokens, must be at most the model's {} positions", tokens.size(),
        config.max_positions);
  check_tokens("the sequence", tokens, config.vocabulary);
  return decode::all_logits(state_->engine(), tokens);
}

const ModelConfig& Decoder::config() const { return state_->model.config; }
InstructionSet Decoder::instructions() const { return state_->instructions; }
int Decoder::threads() const { return state_->threads; }
std::size_t Decoder::packed_bytes() const { return state_->model.bytes(); }

}  // namespace rgu::llm
