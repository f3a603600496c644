#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "llm/decode/plain_model.hpp"
#include "llm/decode/small_models.hpp"
#include "rgu/llm/decode/instruction_set.hpp"
#include "rgu/llm/decode/sampler.hpp"

namespace rgu::llm {
namespace {

// Probabilities after temperature, top k and top p, by sorting.
std::vector<double> filtered(std::span<const double> logits, const SamplingOptions& options) {
  std::vector<double> p;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    p.push_back(std::exp(log_softmax(logits, options.temperature, static_cast<TokenId>(i))));
  }
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  const auto renormalise = [&](std::size_t kept) {
    for (std::size_t i = kept; i < order.size(); ++i) p[order[i]] = 0;
    const double total = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& value : p) value /= total;
  };
  if (options.top_k > 0)
    renormalise(std::min(order.size(), static_cast<std::size_t>(options.top_k)));
  double sum = 0;
  std::size_t kept = 0;
  while (kept < order.size() && sum < options.top_p) sum += p[order[kept++]];
  renormalise(kept);
  return p;
}

// One row of logits, as the head would leave it.
class FakeRow {
 public:
  FakeRow(const std::vector<float>& logits, const SamplingOptions& options,
          const decode::Kernels& kernels)
      : vocabulary_(static_cast<decode::Size>(logits.size())) {
    const decode::Size groups = (vocabulary_ + decode::kGroup - 1) / decode::kGroup;
    logits_.assign(static_cast<std::size_t>(groups * decode::kGroup),
                   -std::numeric_limits<float>::infinity());
    std::copy(logits.begin(), logits.end(), logits_.begin());
    for (decode::Size g = 0; g < groups; ++g) {
      parts_.push_back(kernels.softmax_part(logits_.data() + g * decode::kGroup, decode::kGroup,
                                            decode::logit_scale(options)));
    }
  }
  decode::LogitsRow row() const {
    return {.logits = logits_.data(),
            .group_stride = decode::kGroup,
            .parts = parts_,
            .vocabulary = vocabulary_};
  }

 private:
  decode::Size vocabulary_;
  std::vector<float> logits_;
  std::vector<decode::SoftmaxPart> parts_;
};

std::vector<SamplingOptions> choices() {
  const auto with = [](double temperature, std::int64_t top_k, double top_p) {
    SamplingOptions options;
    options.temperature = temperature;
    options.top_k = top_k;
    options.top_p = top_p;
    return options;
  };
  return {with(1, 0, 1),      with(0.6, 0, 1),      with(2, 0, 1),     with(1, 4, 1),
          with(1, 0, 0.7),    with(1, 0, 0.99),     with(0.8, 6, 0.8), with(1, 1, 1),
          with(1, 0, 1e-9),   with(5, 40, 0.9),     with(1, 2000, 1),  with(1, 700, 0.5),
          with(0.01, 0, 0.9), with(1, 0, 0.9999999)};
}

// Inversion is exact: token i is drawn for uniform in [F(i - 1), F(i)), so a fine grid of uniforms
// must give each token its probability up to a grid step or two.
TEST(Sampling, InvertsTheDistributionFunction) {
  for (const std::size_t vocabulary : {7, 256, 1000}) {
    Rng rng(vocabulary);
    std::vector<float> logits(vocabulary);
    for (float& logit : logits) logit = static_cast<float>(2 * rng.normal());
    logits[1] = logits[3] = logits[5];  // equals: the lower id ranks first
    const std::vector<double> exact(logits.begin(), logits.end());
    for (const InstructionSet set : instruction_sets_of_cpu()) {
      const decode::Kernels& kernels = decode::kernels_of(set);
      for (const SamplingOptions& options : choices()) {
        const std::vector<double> expected = filtered(exact, options);
        const FakeRow row(logits, options, kernels);
        decode::SamplerScratch scratch(options, static_cast<decode::Size>(vocabulary));
        constexpr int kGrid = 1500;
        std::vector<double> frequency(vocabulary);
        TokenId last = 0;
        for (int i = 0; i < kGrid; ++i) {
          const decode::Choice choice =
              decode::sample(row.row(), options, kernels, (i + 0.5) / kGrid, scratch);
          EXPECT_GE(choice.token, last);  // tokens lie in the order of their ids
          last = choice.token;
          frequency[static_cast<std::size_t>(last)] += 1.0 / kGrid;
          ASSERT_NEAR(static_cast<double>(choice.log_probability),
                      log_softmax(exact, options.temperature, last), 2e-5);
        }
        for (std::size_t i = 0; i < vocabulary; ++i) {
          ASSERT_NEAR(frequency[i], expected[i], 1.5 / kGrid)
              << i << " of " << vocabulary << " " << options.temperature << " " << options.top_k
              << " " << options.top_p;
        }
      }
    }
  }
}

TEST(Sampling, TakesTheFirstOfEqualsWhereItTakesTheMostProbable) {
  const decode::Kernels& kernels = decode::kernels_of(InstructionSet::kPortable);
  SamplingOptions options;
  options.temperature = 0;
  std::vector<float> logits(600, 1.0f);
  logits[300] = logits[310] = logits[599] = 2.0f;
  const FakeRow row(logits, options, kernels);
  decode::SamplerScratch scratch(options, 600);
  EXPECT_EQ(decode::sample(row.row(), options, kernels, 0.99, scratch).token, 300);
}

TEST(Sampling, LeavesOutTheHigherIdsOfEquals) {
  const decode::Kernels& kernels = decode::kernels_of(instruction_set());
  const std::vector<float> logits(600, 1.0f);
  for (const auto& [top_k, top_p] :
       {std::pair{std::int64_t{10}, 1.0}, std::pair{std::int64_t{0}, 9.5 / 600}}) {
    SamplingOptions options;
    options.top_k = top_k;
    options.top_p = top_p;
    const FakeRow row(logits, options, kernels);
    decode::SamplerScratch scratch(options, 600);
    EXPECT_EQ(decode::sample(row.row(), options, kernels, 0.0, scratch).token, 0);
    EXPECT_EQ(decode::sample(row.row(), options, kernels, 0.95, scratch).token, 9);
    EXPECT_EQ(decode::sample(row.row(), options, kernels, 1 - 0x1p-53, scratch).token, 9);
  }
}

// Wilson and Hilferty: chi^2 of d degrees exceeds this with probability 1e-4.
double chi_square_bound(double d) {
  const double z = 3.719;
  return d * std::pow(1 - 2 / (9 * d) + z * std::sqrt(2 / (9 * d)), 3);
}

// Frequencies of the first sampled token, and of the second given the first, over many sequences.
TEST(Sampling, FrequenciesAreTheProbabilities) {
  ModelConfig config = small_neox();
  config.vocabulary = 6;
  const Weights weights = lively_weights(config, 3);
  const Decoder decoder = one_thread(config, weights);
  const std::vector<TokenId> prompt = {1, 4, 2};
  constexpr std::size_t kSequences = 8000;
  const std::vector<std::vector<TokenId>> prompts(kSequences, prompt);
  const SamplingOptions every[] = {{},
                                   {.temperature = 2},
                                   {.top_k = 3},
                                   {.top_p = 0.7},
                                   {.temperature = 1.5, .top_k = 4, .top_p = 0.9}};
  for (const SamplingOptions& one : every) {
    GenerateOptions options;
    options.sampling = one;
    options.sampling.max_new_tokens = 2;
    options.streams = {.seed = 11, .stream = 12};
    const std::vector<Sequence> sequences = decoder.generate(prompts, options);
    std::vector<std::vector<double>> expected(
        1, filtered(plain_logits(config, weights, prompt).back(), one));
    for (TokenId first = 0; first < 6; ++first) {
      std::vector<TokenId> longer = prompt;
      longer.push_back(first);
      expected.push_back(filtered(plain_logits(config, weights, longer).back(), one));
    }
    std::vector<std::vector<double>> counts(7, std::vector<double>(6));
    for (const Sequence& sequence : sequences) {
      const auto first = static_cast<std::size_t>(sequence.tokens[0]);
      ++counts[0][first];
      ++counts[1 + first][static_cast<std::size_t>(sequence.tokens[1])];
    }
    for (std::size_t row = 0; row < counts.size(); ++row) {
      const double total = std::accumulate(counts[row].begin(), counts[row].end(), 0.0);
      if (total < 200) continue;
      double chi_square = 0;
      double degrees = -1;
      double rare = 0;  // probability of tokens too rare for the statistic
      for (std::size_t i = 0; i < 6; ++i) {
        const double mean = total * expected[row][i];
        if (expected[row][i] == 0) {
          EXPECT_EQ(counts[row][i], 0);
        }
        if (mean < 5) {
          rare += expected[row][i];
          continue;
        }
        chi_square += (counts[row][i] - mean) * (counts[row][i] - mean) / mean;
        ++degrees;
      }
      EXPECT_LT(rare * total, 15);
      if (degrees >= 1) {
        EXPECT_LT(chi_square, chi_square_bound(degrees)) << row;
      }
    }
  }
}

}  // namespace
}  // namespace rgu::llm
