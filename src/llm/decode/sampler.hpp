// The next token of one row of logits.
#pragma once

#include <vector>

#include "rgu/llm/decode/decoder.hpp"
#include "rgu/llm/decode/head.hpp"

namespace rgu::llm::decode {

// A token that may be drawn, and exp((logit - largest logit) / temperature).
struct Candidate {
  float logit = 0;
  TokenId token = 0;
  float weight = 0;
};

// What one thread needs; nothing is allocated after the constructor.
struct SamplerScratch {
  FloatBuffer weights = {};                // of one group
  std::vector<float> maxima = {};          // of the groups
  std::vector<Candidate> candidates = {};  // by token
  std::vector<Candidate> order = {};       // the same, being partly sorted

  SamplerScratch() = default;
  SamplerScratch(const SamplingOptions& options, Size vocabulary);
};

struct Choice {
  TokenId token = 0;
  float log_probability = 0;
};

// The scale the head must be given: 1 / temperature, or 1 where the most probable token is taken.
float logit_scale(const SamplingOptions& options);

// By inversion of the distribution function at `uniform` in [0, 1), tokens in the order of their
// ids. Equal logits rank by id, the lower first. top_k acts before top_p, whose probabilities are
// those of the tokens that top_k left.
Choice sample(const LogitsRow& row, const SamplingOptions& options, const Kernels& kernels,
              double uniform, SamplerScratch& scratch);

}  // namespace rgu::llm::decode
