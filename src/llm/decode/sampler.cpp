#include "rgu/llm/decode/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace rgu::llm::decode {
namespace {

// max_i logit_i and sum_i exp((logit_i - max) scale), from the groups' parts.
struct Softmax {
  float max = 0;
  double scale = 1;
  double sum = 0;

  Softmax(const LogitsRow& row, float logit_scale) : scale(static_cast<double>(logit_scale)) {
    max = row.parts.front().max;
    for (const SoftmaxPart& part : row.parts) max = std::max(max, part.max);
    for (const SoftmaxPart& part : row.parts) sum += mass(part);
  }
  double factor(const SoftmaxPart& part) const {
    return std::exp((static_cast<double>(part.max) - static_cast<double>(max)) * scale);
  }
  double mass(const SoftmaxPart& part) const {
    return part.sum > 0 ? static_cast<double>(part.sum) * factor(part) : 0.0;
  }
  float log_probability(float logit) const {
    return static_cast<float>((static_cast<double>(logit) - static_cast<double>(max)) * scale -
                              std::log(sum));
  }
};

bool ranks_before(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
}

TokenId most_probable(const LogitsRow& row, float max) {
  for (std::size_t g = 0; g < row.parts.size(); ++g) {
    if (row.parts[g].max != max) continue;
    const float* logits = row.group(static_cast<Size>(g));
    const float* found = std::find(logits, logits + kGroup, max);
    if (found != logits + kGroup)
      return static_cast<TokenId>(static_cast<Size>(g) * kGroup + (found - logits));
  }
  return 0;  // only where a logit is not a number
}

// Among all tokens: the group first, then the token in it. Rounding may leave the target beyond the
// last sum; then it is the last token that has a probability.
TokenId draw(const LogitsRow& row, const Kernels& kernels, const Softmax& softmax, double uniform,
             float* weights) {
  double target = uniform * softmax.sum;
  std::size_t chosen = 0;
  for (std::size_t g = 0; g < row.parts.size(); ++g) {
    const double mass = softmax.mass(row.parts[g]);
    if (!(mass > 0)) continue;
    chosen = g;
    if (target < mass) break;
    if (g + 1 < row.parts.size()) target -= mass;
  }
  const SoftmaxPart& part = row.parts[chosen];
  kernels.exponentials(row.group(static_cast<Size>(chosen)), kGroup, part.max,
                       static_cast<float>(softmax.scale), weights);
  const double factor = softmax.factor(part);
  double below = 0;
  Size token = 0;
  for (Size i = 0; i < kGroup; ++i) {
    if (!(weights[i] > 0)) continue;
    token = i;
    below += static_cast<double>(weights[i]) * factor;
    if (target < below) break;
  }
  return static_cast<TokenId>(static_cast<Size>(chosen) * kGroup + token);
}

// All tokens whose logit is at least `least`, by id.
void collect(const LogitsRow& row, const Kernels& kernels, const Softmax& softmax, float least,
             SamplerScratch& scratch) {
  scratch.candidates.clear();
  for (std::size_t g = 0; g < row.parts.size(); ++g) {
    if (row.parts[g].max < least) continue;
    const Size first = static_cast<Size>(g) * kGroup;
    const float* logits = row.group(static_cast<Size>(g));
    kernels.exponentials(logits, kGroup, softmax.max, static_cast<float>(softmax.scale),
                         scratch.weights.data());
    const Size size = std::min(kGroup, row.vocabulary - first);
    for (Size i = 0; i < size; ++i) {
      if (!(logits[i] >= least)) continue;
      scratch.candidates.push_back({.logit = logits[i],
                                    .token = static_cast<TokenId>(first + i),
                                    .weight = scratch.weights.data()[i]});
    }
  }
}

double mass_of(std::span<const Candidate> candidates) {
  double total = 0;
  for (const Candidate& candidate : candidates) total += static_cast<double>(candidate.weight);
  return total;
}

void keep_up_to(const Candidate& last, std::vector<Candidate>& candidates) {
  std::erase_if(candidates, [&](const Candidate& c) { return ranks_before(last, c); });
}

// The k-th largest of the groups' maxima is no more than the k-th largest logit, so few groups need
// be looked at.
void keep_most_probable(const LogitsRow& row, const Kernels& kernels, const Softmax& softmax,
                        std::int64_t count, SamplerScratch& scratch) {
  float least = -std::numeric_limits<float>::infinity();
  if (count <= static_cast<std::int64_t>(row.parts.size())) {
    scratch.maxima.clear();
    for (const SoftmaxPart& part : row.parts) scratch.maxima.push_back(part.max);
    const auto nth = scratch.maxima.begin() + (count - 1);
    std::nth_element(scratch.maxima.begin(), nth, scratch.maxima.end(), std::greater<>());
    least = *nth;
  }
  collect(row, kernels, softmax, least, scratch);
  if (static_cast<std::int64_t>(scratch.candidates.size()) <= count) return;
  scratch.order = scratch.candidates;
  const auto nth = scratch.order.begin() + (count - 1);
  std::nth_element(scratch.order.begin(), nth, scratch.order.end(), ranks_before);
  keep_up_to(*nth, scratch.candidates);
}

// Candidates that hold at least `mass`, for it is enough to look among the most probable.
void collect_mass(const LogitsRow& row, const Kernels& kernels, const Softmax& softmax, double mass,
                  SamplerScratch& scratch) {
  for (double depth = 4; depth < 80; depth *= 2) {
    const auto least = static_cast<float>(static_cast<double>(softmax.max) - depth / softmax.scale);
    collect(row, kernels, softmax, least, scratch);
    if (mass_of(scratch.candidates) >= mass) return;
  }
  collect(row, kernels, softmax, -std::numeric_limits<float>::infinity(), scratch);
}

// The fewest candidates, in the order of their rank, whose weights reach `mass`: the place of the
// last is halved in until one is left.
void keep_nucleus(double mass, SamplerScratch& scratch) {
  std::vector<Candidate>& order = scratch.order;
  order = scratch.candidates;
  auto first = order.begin();
  auto last = order.end();
  double below = 0;
  while (last - first > 1) {
    const auto middle = first + (last - first) / 2;
    std::nth_element(first, middle, last, ranks_before);
    const double half = mass_of({first, middle});
    if (below + half >= mass) {
      last = middle;
    } else {
      below += half;
      first = middle;
    }
  }
  if (first != order.end()) keep_up_to(*first, scratch.candidates);
}

TokenId draw_candidate(std::span<const Candidate> candidates, double uniform) {
  const double target = uniform * mass_of(candidates);
  TokenId token = candidates.empty() ? 0 : candidates.front().token;
  double below = 0;
  for (const Candidate& candidate : candidates) {
    if (!(candidate.weight > 0)) continue;
    token = candidate.token;
    below += static_cast<double>(candidate.weight);
    if (target < below) break;
  }
  return token;
}

bool limits_count(const SamplingOptions& options, Size vocabulary) {
  return options.top_k > 0 && options.top_k < vocabulary;
}

TokenId draw_filtered(const LogitsRow& row, const SamplingOptions& options, const Kernels& kernels,
                      const Softmax& softmax, double uniform, SamplerScratch& scratch) {
  if (limits_count(options, row.vocabulary)) {
    keep_most_probable(row, kernels, softmax, options.top_k, scratch);
    if (options.top_p < 1) keep_nucleus(options.top_p * mass_of(scratch.candidates), scratch);
  } else {
    collect_mass(row, kernels, softmax, options.top_p * softmax.sum, scratch);
    keep_nucleus(options.top_p * softmax.sum, scratch);
  }
  return draw_candidate(scratch.candidates, uniform);
}

}  // namespace

float logit_scale(const SamplingOptions& options) {
  return options.temperature > 0 ? static_cast<float>(1 / options.temperature) : 1.0f;
}

SamplerScratch::SamplerScratch(const SamplingOptions& options, Size vocabulary) : weights(kGroup) {
  if (!limits_count(options, vocabulary) && options.top_p == 1) return;
  maxima.reserve(static_cast<std::size_t>(vocabulary / kGroup + 1));
  candidates.reserve(static_cast<std::size_t>(vocabulary));
  order.reserve(static_cast<std::size_t>(vocabulary));
}

Choice sample(const LogitsRow& row, const SamplingOptions& options, const Kernels& kernels,
              double uniform, SamplerScratch& scratch) {
  const Softmax softmax(row, logit_scale(options));
  TokenId token = 0;
  if (options.temperature == 0) {
    token = most_probable(row, softmax.max);
  } else if (limits_count(options, row.vocabulary) || options.top_p < 1) {
    token = draw_filtered(row, options, kernels, softmax, uniform, scratch);
  } else {
    token = draw(row, kernels, softmax, uniform, scratch.weights.data());
  }
  return {.token = token, .log_probability = softmax.log_probability(row.at(token))};
}

}  // namespace rgu::llm::decode
