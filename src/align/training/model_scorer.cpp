#include "rgu/align/training/model_scorer.hpp"

#include <fstream>

#include "rgu/align/same_tokenizer.hpp"
#include "rgu/base/check.hpp"
#include "rgu/llm/files/model_files.hpp"
#include "rgu/llm/files/parameters.hpp"
#include "rgu/llm/text/tokenizer_files.hpp"
#include "rgu/llm/torch/score_head.hpp"

namespace rgu::align {
namespace {

namespace fs = std::filesystem;
using Loading = ModelScorerConfig::Loading;

struct ScorerFiles {
  llm::ModelFiles model = {};  // with a score head, if only of zeros that the adapter replaces
  std::optional<llm::AdapterFiles> adapter = {};
  fs::path adapter_folder = {};
};

bool is_adapter_alone(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "adapter_config.json", ignored) &&
         !fs::exists(folder / "model.safetensors", ignored) &&
         !fs::exists(folder / "model.safetensors.index.json", ignored);
}

ScorerFiles open_files(const ModelScorerConfig& config) {
  ScorerFiles files;
  fs::path base = config.model;
  if (config.adapter) files.adapter_folder = *config.adapter;
  if (!config.adapter && is_adapter_alone(config.model)) files.adapter_folder = config.model;
  if (!files.adapter_folder.empty()) files.adapter = llm::open_adapter(files.adapter_folder);
  if (!config.adapter && files.adapter) {
    base = files.adapter->config.base_model;
    check(!base.empty(), "{} is an adapter that does not name its base model: name both",
          config.model.string());
  }
  files.model = llm::open_model(base);
  if (files.adapter) files.model = llm::with_score_head(files.model, *files.adapter);
  check(files.model.config.score.has_value(), "{} has no score head{}", base.string(),
        files.adapter ? ", nor has its adapter" : "");
  check(files.model.config.score->dimension == 1, "{} gives {} scores at once, must give 1",
        base.string(), files.model.config.score->dimension);
  return files;
}

fs::path tokenizer_path(const ModelScorerConfig& config, const ScorerFiles& files) {
  if (config.tokenizer) return *config.tokenizer;
  for (const fs::path& folder : {files.adapter_folder, files.model.folder}) {
    if (!folder.empty() && llm::holds_tokenizer(folder)) return folder;
  }
  throw InvalidInput(
      fmt::format("{}: there is no tokenizer with the model; name one", config.model.string()));
}

std::optional<llm::DataType> compute_type(const ModelScorerConfig& config) {
  switch (config.compute) {
    case ModelScorerConfig::Compute::kF32:
      return llm::DataType::kF32;
    case ModelScorerConfig::Compute::kBf16:
      return llm::DataType::kBF16;
    case ModelScorerConfig::Compute::kFile:
      break;
  }
  return {};
}

llm::DataType weight_type(const ModelScorerConfig& config, const ScorerFiles& files) {
  const std::string first = llm::parameters_of(files.model.config, llm::Head::kScore).front().name;
  return compute_type(config).value_or(files.model.weights.at(first).type);
}

std::uint64_t weight_bytes_of(const ModelScorerConfig& config, const ScorerFiles& files) {
  return static_cast<std::uint64_t>(llm::parameter_count(files.model.config, llm::Head::kScore)) *
         llm::bytes_of(weight_type(config, files));
}

// Bytes that can be had without swapping; all there are where the system does not tell.
std::uint64_t available_memory() {
  std::ifstream lines("/proc/meminfo");
  std::string name;
  std::uint64_t kilobytes = 0;
  while (lines >> name >> kilobytes) {
    if (name == "MemAvailable:") return 1024 * kilobytes;
    lines.ignore(1000, '\n');
  }
  return UINT64_MAX;
}

bool is_kept(Loading loading, std::uint64_t all_bytes) {
  if (loading != Loading::kAuto) return loading == Loading::kKeep;
  return all_bytes <= available_memory() / 2;
}

bool is_tokenizer_of_policy(const llm::Tokenizer& tokenizer, const fs::path& path,
                            const ScorerSetting& setting) {
  if (setting.policy_tokenizer == nullptr) return false;
  std::error_code ignored;
  return fs::equivalent(path, setting.policy_tokenizer_path, ignored) ||
         same_tokenizer(tokenizer, *setting.policy_tokenizer);
}

// Prompt and answer, without ids that the tokenizer does not have.
std::vector<llm::TokenId> known_tokens(const Answer& answer, const llm::Tokenizer& tokenizer) {
  std::vector<llm::TokenId> tokens(answer.prompt_tokens.begin(), answer.prompt_tokens.end());
  tokens.insert(tokens.end(), answer.tokens.begin(), answer.tokens.end());
  std::erase_if(tokens, [&](llm::TokenId id) { return id >= tokenizer.size(); });
  return tokens;
}

bool has_tokens(const Answer& answer) {
  return !answer.prompt_tokens.empty() || !answer.tokens.empty();
}

}  // namespace

std::uint64_t weight_bytes(const ModelScorerConfig& config) {
  return weight_bytes_of(config, open_files(config));
}

ModelScorer::ModelScorer(const ModelScorerConfig& config, const ScorerSetting& setting)
    : config_(config), setting_(setting) {
  check_count("batch", config.batch);
  const ScorerFiles files = open_files(config);
  shape_ = files.model.config;
  bytes_ = weight_bytes_of(config, files);
  const fs::path path = tokenizer_path(config, files);
  tokenizer_ = llm::open_tokenizer(path);
  check(tokenizer_->size() <= shape_.vocabulary,
        "{}: the tokenizer has {} tokens, the score model {} has only {}: it belongs to another "
        "model",
        path.string(), tokenizer_->size(), config.model.string(), shape_.vocabulary);
  const std::optional<llm::TokenId> end = tokenizer_->specials().eos;
  check(end.has_value(), "{}: the tokenizer has no EOS token, which scores are read at",
        path.string());
  end_ = *end;
  shared_ = is_tokenizer_of_policy(*tokenizer_, path, setting);
  if (is_kept(config.loading, std::max(bytes_, setting.all_model_bytes))) model_ = loaded();
}

llm::ScoreModel ModelScorer::loaded() const {
  const ScorerFiles files = open_files(config_);
  return llm::ScoreModel(files.model, files.adapter,
                         {.threads = setting_.threads,
                          .device = setting_.device,
                          .batch = config_.batch,
                          .compute = compute_type(config_)});
}

// The tokens are decoded together: of an answer alone, LLaMA's tokenizer loses its first space.
std::string ModelScorer::text(const Answer& answer) const {
  if (setting_.policy_tokenizer == nullptr || !has_tokens(answer)) {
    return std::string(answer.prompt) + std::string(answer.text);
  }
  const llm::Tokenizer& policy = *setting_.policy_tokenizer;
  return policy.decode(known_tokens(answer, policy), llm::Specials::kSkip);
}

std::vector<llm::TokenId> ModelScorer::sequence(const Answer& answer) {
  std::vector<llm::TokenId> tokens = shared_ && has_tokens(answer)
                                         ? known_tokens(answer, *tokenizer_)
                                         : tokenizer_->encode(text(answer));
  if (tokens.empty() || tokens.back() != end_) tokens.push_back(end_);
  const auto most = static_cast<std::size_t>(shape_.max_positions);
  if (tokens.size() <= most) return tokens;
  if (cut_++ == 0) {
    notes_.push_back(fmt::format(
        "prompt and answer have {} tokens, the score model has {} positions: the end of "
        "this answer and of others as long is not scored",
        tokens.size(), most));
  }
  tokens.resize(most);
  tokens.back() = end_;
  return tokens;
}

std::vector<double> ModelScorer::scores(std::span<const Answer> answers) {
  if (answers.empty()) return {};
  std::vector<std::vector<llm::TokenId>> sequences;
  for (const Answer& answer : answers) sequences.push_back(sequence(answer));
  const auto values = model_ ? model_->scores(sequences) : loaded().scores(sequences);
  std::vector<double> scores;
  for (const std::vector<double>& value : values) scores.push_back(value[0]);
  return scores;
}

std::string ModelScorer::about() const {
  const auto parameters = static_cast<double>(llm::parameter_count(shape_, llm::Head::kScore));
  return fmt::format("score model {}{}: {:.4g} million parameters, {:.4g} MB of weights, {}, {}",
                     config_.model.string(),
                     config_.adapter ? fmt::format(" with {}", config_.adapter->string()) : "",
                     1e-6 * parameters, 1e-6 * static_cast<double>(bytes_),
                     kept() ? "kept in memory" : "loaded for every batch of answers",
                     shared_ ? "with the policy's tokenizer" : "with a tokenizer of its own");
}

std::vector<std::string> ModelScorer::take_notes() { return std::exchange(notes_, {}); }

}  // namespace rgu::align
