// Forward and backward with a low-rank adapter at a Pythia shape, where only the second half of
// each sequence carries loss: the same as `bench/python/neox_plain.py train`. Prints JSON lines.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "rgu/base/rng.hpp"
#include "rgu/base/startup_environment.hpp"
#include "rgu/llm/torch/lora.hpp"
#include "rgu/llm/torch/losses.hpp"
#include "rgu/llm/torch/torch_setup.hpp"

namespace {

using namespace rgu::llm;

struct Arguments {
  std::string shape = "70m";
  int batch = 16;
  int tokens = 64;
  int rank = 16;
  int threads = 2;
  int repeat = 5;
};

Arguments parsed(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--shape") arguments.shape = argv[i + 1];
    if (name == "--batch") arguments.batch = std::atoi(argv[i + 1]);
    if (name == "--tokens") arguments.tokens = std::atoi(argv[i + 1]);
    if (name == "--rank") arguments.rank = std::atoi(argv[i + 1]);
    if (name == "--threads") arguments.threads = std::atoi(argv[i + 1]);
    if (name == "--repeat") arguments.repeat = std::atoi(argv[i + 1]);
  }
  return arguments;
}

// Seconds of each of `repeat` calls after a first one.
std::vector<double> timed(int repeat, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int i = 0; i <= repeat; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  seconds.erase(seconds.begin());
  std::ranges::sort(seconds);
  return seconds;
}

void report(const Arguments& arguments, const std::string& mode,
            const std::vector<double>& seconds) {
  const double tokens = arguments.batch * arguments.tokens;
  fmt::print(
      "{{\"program\": \"rgu\", \"mode\": \"{}\", \"shape\": \"{}\", \"threads\": {}, \"batch\": "
      "{}, \"tokens\": {}, "
      "\"rank\": {}, \"tokens_per_second_best\": {:.1f}, \"tokens_per_second_median\": {:.1f}}}\n",
      mode, arguments.shape, arguments.threads, arguments.batch, arguments.tokens, arguments.rank,
      tokens / seconds.front(), tokens / seconds[seconds.size() / 2]);
}

std::vector<std::vector<TokenId>> random_sequences(const Arguments& arguments,
                                                   const ModelConfig& config) {
  rgu::Rng rng(1);
  std::vector<std::vector<TokenId>> sequences(static_cast<std::size_t>(arguments.batch));
  for (auto& sequence : sequences) {
    for (int t = 0; t <= arguments.tokens; ++t) {
      sequence.push_back(
          static_cast<TokenId>(rng.below(static_cast<std::uint64_t>(config.vocabulary))));
    }
  }
  return sequences;
}

}  // namespace

int main(int argc, char** argv) {
  rgu::restart_with_settings(argv);
  const Arguments arguments = parsed(argc, argv);
  prepare_torch(arguments.threads);
  const ModelConfig config = pythia(arguments.shape);
  rgu::Rng rng(2);
  Transformer model(config, random_weights(config, Head::kLanguage, rng));
  add_adapter(model, {.rank = arguments.rank, .alpha = 2.0 * arguments.rank}, rng);

  const std::vector<std::vector<TokenId>> sequences = random_sequences(arguments, config);
  std::vector<LanguageRow> rows;
  for (const auto& sequence : sequences)
    rows.push_back({.tokens = sequence, .first = arguments.tokens / 2 + 1});
  const LanguageBatch batch = language_batch(rows);

  report(arguments, "train", timed(arguments.repeat, [&] {
           for (const NamedTensor& parameter : trainable_parameters(model)) {
             at::Tensor(parameter.tensor).mutable_grad() = at::Tensor();
           }
           language_loss(model, batch).backward();
         }));
  const at::NoGradGuard no_gradients;
  report(arguments, "trunk forward",
         timed(arguments.repeat, [&] { static_cast<void>(model.forward(batch.inputs)); }));
  report(arguments, "loss forward",
         timed(arguments.repeat, [&] { static_cast<void>(language_loss(model, batch)); }));
}
