// Valid files with a few bytes changed, cut short or made longer: each is read or refused.
#include <functional>

#include "llm/files/file_testing.hpp"
#include "llm/files/small_llama2c.hpp"
#include "rgu/base/rng.hpp"
#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/files/parameters.hpp"
#include "rgu/llm/files/safetensors.hpp"

namespace rgu::llm {
namespace {

constexpr int kMutations = 2000;

std::uint64_t somewhere(const std::string& text, Rng& rng) { return rng.below(text.size()); }

// One change: a byte, a bit, a run removed, doubled or cut off, a digit for a digit.
std::string mutated(std::string text, std::uint64_t reach, Rng& rng) {
  for (std::uint64_t changes = 1 + rng.below(3); changes > 0 && !text.empty(); --changes) {
    const std::uint64_t at = rng.below(std::min<std::uint64_t>(text.size(), reach));
    switch (rng.below(6)) {
      case 0:
        text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1 << rng.below(8)));
        break;
      case 2:
        text.erase(at, 1 + rng.below(8));
        break;
      case 3:
        text.insert(at, text.substr(somewhere(text, rng), 1 + rng.below(40)));
        break;
      case 4:
        text.resize(rng.below(4) == 0 ? at : text.size());
        break;
      default: {
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit != text.npos) text[digit] = static_cast<char>('0' + rng.below(10));
      }
    }
  }
  return text;
}

struct Outcome {
  int read = 0;
  int refused = 0;
};

// Changes fall within the first `reach` bytes, where the structure is.
Outcome fuzz(const std::filesystem::path& path, std::uint64_t reach, std::uint64_t seed,
             const std::function<void()>& read) {
  const std::string valid = contents(path);
  Outcome outcome;
  Rng rng(seed);
  for (int i = 0; i < kMutations; ++i) {
    std::filesystem::remove(
        path);  // some disks wait for a file that is overwritten, not for a new one
    put(path, mutated(valid, reach, rng));
    try {
      read();
      ++outcome.read;
    } catch (const InvalidInput& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      ++outcome.refused;
    }
  }
  put(path, valid);
  read();
  return outcome;
}

void expect_both(const Outcome& outcome) {
  EXPECT_GT(outcome.read, 0);
  EXPECT_GT(outcome.refused, kMutations / 4);
}

// Reads every byte that the views reach.
void touch(const Weights& weights) {
  for (const auto& [name, tensor] : weights.tensors) {
    ASSERT_EQ(floats_of(tensor).size(), static_cast<std::size_t>(element_count(tensor.shape)));
  }
}

Weights two_tensors() {
  Weights weights;
  weights.put("first", {1, 2, 3, 4, 5, 6}, {2, 3});
  weights.put("second", {7}, {});
  weights.metadata = {{"format", "pt"}};
  return weights;
}

TEST(HostileFiles, AsSafetensorsAreReadOrRefused) {
  const TemporaryFolder folder;
  for (const DataType type : {DataType::kF32, DataType::kBF16}) {
    write_safetensors(folder / "x", two_tensors(), type);
    expect_both(fuzz(folder / "x", 10000, 1, [&] { touch(read_safetensors(folder / "x")); }));
  }
}

TEST(HostileFiles, AsAnIndexOfShardsAreReadOrRefused) {
  const TemporaryFolder folder;
  write_sharded(folder.path(), "m", two_tensors(), {.type = {}, .shard_bytes = 4});
  const auto index = folder / "m.safetensors.index.json";
  expect_both(fuzz(index, 10000, 2, [&] { touch(read_sharded(index)); }));
}

TEST(HostileFiles, AsLlama2cModelsAreReadOrRefused) {
  const TemporaryFolder folder;
  for (const bool tied : {true, false}) {
    put(folder / "m.bin", small_llama2c({.tied = tied}));
    fuzz(folder / "m.bin", 28, 3, [&] { touch(open_model(folder / "m.bin").weights); });
    expect_both(
        fuzz(folder / "m.bin", 1500, 4, [&] { touch(open_model(folder / "m.bin").weights); }));
  }
}

TEST(HostileFiles, AsConfigurationsAreReadOrRefused) {
  const TemporaryFolder folder;
  for (ModelConfig config : {small_gpt_neox(), small_llama()}) {
    config.score = ScoreConfig{};
    write_model_config(config, folder / "config.json");
    expect_both(
        fuzz(folder / "config.json", 10000, 5, [&] { read_model_config(folder / "config.json"); }));
  }
}

TEST(HostileFiles, AsModelFoldersAreReadOrRefused) {
  const TemporaryFolder folder;
  Rng rng(9);
  const ModelConfig config = small_llama();
  save_model(config, random_weights(config, Head::kLanguage, rng), folder.path());
  const auto open = [&] { touch(open_model(folder.path()).weights); };
  expect_both(fuzz(folder / "config.json", 10000, 6, open));
  fuzz(folder / "model.safetensors", 3000, 7, open);
}

TEST(HostileFiles, AsAdaptersAreReadOrRefused) {
  const TemporaryFolder folder;
  AdapterFiles adapter{
      .config = {.rank = 2, .alpha = 4, .target_modules = {"dense"}, .modules_to_save = {"head"}},
      .weights = {}};
  adapter.weights.put("m.dense.lora_A", {1, 2, 3, 4}, {2, 2});
  adapter.weights.put("m.dense.lora_B", {1, 2, 3, 4, 5, 6}, {3, 2});
  adapter.weights.put("head.weight", {1}, {1});
  save_adapter(adapter, folder.path());
  const auto open = [&] { touch(open_adapter(folder.path()).weights); };
  expect_both(fuzz(folder / "adapter_config.json", 10000, 8, open));
  fuzz(folder / "adapter_model.safetensors", 10000, 9, open);
}

}  // namespace
}  // namespace rgu::llm
