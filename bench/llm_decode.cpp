// Tokens per second of the dedicated decode path with sampling and log-probabilities, random
// weights at a Pythia shape, beside what the machine can do: the rate of our own matrix product and
// of reading memory. One JSON object per line.
//
//   bench_llm_decode [--shape 70m] [--batch 1,16,128] [--prompt 16] [--new 64] [--threads 2]
//                    [--instructions avx512] [--repetitions 5]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "rgu/llm/decode/decoder.hpp"
#include "rgu/llm/decode/float_buffer.hpp"
#include "rgu/llm/decode/instruction_set.hpp"
#include "rgu/llm/decode/team.hpp"
#include "rgu/llm/files/parameters.hpp"

namespace rgu::llm {
namespace {

using decode::FloatBuffer;
using decode::Size;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Rates {
  double best = 0;
  double median = 0;
};

// work() `repetitions` times after one that does not count; `amount` is what one does.
template <class Work>
Rates rates(int repetitions, double amount, const Work& work) {
  work();
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) {
    const double start = now();
    work();
    seconds.push_back(now() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  return {.best = amount / seconds.front(), .median = amount / seconds[seconds.size() / 2]};
}

struct Setting {
  std::string shape = "70m";
  std::vector<int> batches = {1, 16, 128};
  int prompt = 16;
  int new_tokens = 64;
  int threads = 2;
  InstructionSet instructions = instruction_set();
  int repetitions = 5;
};

std::string common(const Setting& setting) {
  return fmt::format(R"("threads": {}, "instructions": "{}")", setting.threads,
                     name_of(setting.instructions));
}

// A product of `rows` rows with a matrix as large as the output head of 70m, panels divided by
// thread.
void print_product(const Setting& setting, Size rows) {
  constexpr Size kDepth = 512;
  constexpr Size kPanels = 1568;
  const decode::Kernels& kernels = decode::kernels_of(setting.instructions);
  const FloatBuffer weights = decode::zeros(kDepth * kPanels * decode::kPanel);
  const FloatBuffer x = decode::zeros(rows * (kDepth + 16));
  FloatBuffer y = decode::zeros(rows * kPanels * decode::kPanel);
  constexpr Size kGroup = 8;
  const double flops = 2.0 * static_cast<double>(rows * kDepth * kPanels * decode::kPanel);
  const Rates gflops = rates(setting.repetitions, flops * 1e-9, [&] {
    decode::run_team(setting.threads, [&](const decode::Team& team) {
      const decode::Range groups = team.share(kPanels / kGroup);
      for (Size group = groups.begin; group < groups.end; ++group) {
        kernels.product({.x = x.data(),
                         .x_stride = kDepth + 16,
                         .rows = rows,
                         .weights = weights.data() + group * kGroup * kDepth * decode::kPanel,
                         .depth = kDepth,
                         .panels = kGroup,
                         .bias = nullptr,
                         .y = y.data() + group * kGroup * decode::kPanel * rows,
                         .y_stride = kGroup * decode::kPanel,
                         .add = false});
      }
    });
  });
  fmt::print(
      R"({{"what": "product", "rows": {}, {}, "gflops_best": {:.1f}, "gflops_median": {:.1f}}})"
      "\n",
      rows, common(setting), gflops.best, gflops.median);
}

// Reading: the largest of many numbers, `megabytes` of them.
void print_reading(const Setting& setting, Size megabytes) {
  const Size size = megabytes << 18;
  const FloatBuffer numbers = decode::zeros(size);
  std::vector<float> largest(static_cast<std::size_t>(setting.threads));
  const decode::Kernels& kernels = decode::kernels_of(setting.instructions);
  constexpr Size kPiece = Size{1} << 15;
  const Rates gigabytes = rates(setting.repetitions, static_cast<double>(size) * 4e-9, [&] {
    decode::run_team(setting.threads, [&](const decode::Team& team) {
      const decode::Range pieces = team.share(size / kPiece);
      float most = 0;
      for (Size piece = pieces.begin; piece < pieces.end; ++piece) {
        // One row against panels: nothing but reading.
        static thread_local std::vector<float> y(kPiece);
        static thread_local const std::vector<float> x(kPiece, 1.0f);
        kernels.product({.x = x.data(),
                         .x_stride = 0,
                         .rows = 1,
                         .weights = numbers.data() + piece * kPiece,
                         .depth = 256,
                         .panels = 4,
                         .bias = nullptr,
                         .y = y.data(),
                         .y_stride = 0,
                         .add = false});
        most = std::max(most, y[0]);
      }
      largest[static_cast<std::size_t>(team.rank)] = most;
    });
  });
  fmt::print(
      R"({{"what": "reading", "megabytes": {}, {}, "gb_per_s_best": {:.1f}, "gb_per_s_median": {:.1f}}})"
      "\n",
      megabytes, common(setting), gigabytes.best, gigabytes.median);
}

void print_decode(const Setting& setting, const Decoder& decoder, int batch) {
  Rng rng(1);
  const auto vocabulary = static_cast<std::uint64_t>(decoder.config().vocabulary);
  std::vector<std::vector<TokenId>> prompts(static_cast<std::size_t>(batch));
  for (std::vector<TokenId>& prompt : prompts) {
    for (int i = 0; i < setting.prompt; ++i)
      prompt.push_back(static_cast<TokenId>(rng.below(vocabulary)));
  }
  // The time from the first step, after the prompts are read, to the last.
  GenerateOptions options;
  options.sampling.max_new_tokens = setting.new_tokens + 1;
  options.batch = batch;
  std::vector<double> seconds;
  for (int i = 0; i <= setting.repetitions; ++i) {
    double first = 0;
    options.observe = [&](const GenerateOptions::Progress& progress) {
      if (progress.tokens == batch) first = now();
      return true;
    };
    decoder.generate(prompts, options);
    if (i > 0) seconds.push_back(now() - first);
  }
  std::sort(seconds.begin(), seconds.end());
  const double tokens = static_cast<double>(batch) * setting.new_tokens;
  fmt::print(
      R"({{"what": "decode", "shape": "{}", "batch": {}, "prompt": {}, "new_tokens": {}, {}, )"
      R"("tokens_per_s_best": {:.1f}, "tokens_per_s_median": {:.1f}}})"
      "\n",
      setting.shape, batch, setting.prompt, setting.new_tokens, common(setting),
      tokens / seconds.front(), tokens / seconds[seconds.size() / 2]);
}

std::vector<int> numbers_in(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) numbers.push_back(std::stoi(part));
  return numbers;
}

Setting setting_of(int count, char** arguments) {
  std::map<std::string, std::string> given;
  for (int i = 1; i + 1 < count; i += 2) given[arguments[i]] = arguments[i + 1];
  Setting setting;
  if (given.contains("--shape")) setting.shape = given["--shape"];
  if (given.contains("--batch")) setting.batches = numbers_in(given["--batch"]);
  if (given.contains("--prompt")) setting.prompt = std::stoi(given["--prompt"]);
  if (given.contains("--new")) setting.new_tokens = std::stoi(given["--new"]);
  if (given.contains("--threads")) setting.threads = std::stoi(given["--threads"]);
  if (given.contains("--instructions"))
    setting.instructions = instruction_set_named(given["--instructions"]);
  if (given.contains("--repetitions")) setting.repetitions = std::stoi(given["--repetitions"]);
  return setting;
}

void run(const Setting& setting) {
  for (const Size rows : {1, 16, 128}) print_product(setting, rows);
  for (const Size megabytes : {170, 1024}) print_reading(setting, megabytes);
  const ModelConfig config = pythia(setting.shape);
  Rng rng(7);
  Decoder decoder(config, random_weights(config, Head::kLanguage, rng),
                  {.threads = setting.threads, .instructions = setting.instructions});
  for (const int batch : setting.batches) print_decode(setting, decoder, batch);
}

}  // namespace
}  // namespace rgu::llm

int main(int count, char** arguments) {
  try {
    rgu::llm::run(rgu::llm::setting_of(count, arguments));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
