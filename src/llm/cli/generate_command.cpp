// rgu lm generate: continue prompts.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>

#include "rgu/base/check.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/cli/interrupt.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/llm/cli/lm_command.hpp"
#include "rgu/llm/cli/lm_progress.hpp"
#include "rgu/llm/cli/prompts.hpp"
#include "rgu/llm/decode/decoder.hpp"
#include "rgu/llm/text/preferences.hpp"
#include "rgu/record/json_values.hpp"
#if RGU_HAS_TORCH
#include "rgu/llm/torch/device_generate.hpp"
#endif

namespace rgu::llm {
namespace {

using Ids = std::vector<TokenId>;

struct GenerateArguments {
  ModelArguments model;
  std::vector<std::string> prompts;
  std::string file;
  bool ids = false;
  std::int64_t samples = 1;
  SamplingOptions sampling;
  std::uint64_t seed = 0;
  std::int64_t batch = 128;
  ThreadArgument threads;
  std::string instructions;
  bool no_stop = false;
  bool conversation = false;
  std::string device = "cpu";
  bool libtorch = false;
  std::string out;
  OutputArguments output;
};

struct PromptTokens {
  std::string text = {};
  std::string where = {};  // for messages
  Ids ids = {};
};

std::vector<PromptTokens> texts_of(const GenerateArguments& arguments) {
  std::vector<PromptTokens> prompts;
  for (std::size_t i = 0; i < arguments.prompts.size(); ++i) {
    prompts.push_back({arguments.prompts[i], fmt::format("prompt {}", i + 1)});
  }
  if (!arguments.prompts.empty()) return prompts;
  const std::vector<InputLine> lines = input_lines(arguments.file.empty() ? "-" : arguments.file);
  const bool objects = are_objects(lines);
  for (const InputLine& line : lines) {
    const std::string text =
        objects ? string_member(object_of(line), "prompt", line.where) : line.text;
    prompts.push_back({text, line.where});
  }
  check(!prompts.empty(), "{}: there are no prompts",
        arguments.file.empty() ? "standard input" : arguments.file);
  return prompts;
}

// Prompts as the model reads them; an empty one, or one without room for an answer, is refused.
std::vector<PromptTokens> prompts_of(const GenerateArguments& arguments, const ModelConfig& config,
                                     const Tokenizer* tokenizer) {
  std::vector<PromptTokens> prompts = texts_of(arguments);
  for (PromptTokens& prompt : prompts) {
    if (arguments.ids) {
      prompt.ids = token_ids(prompt.text, prompt.where);
    } else {
      prompt.ids = tokenizer->encode(arguments.conversation ? conversation_prompt(prompt.text)
                                                            : prompt.text);
    }
    check(!prompt.ids.empty(),
          "{}: is empty, and this tokenizer puts no token at the beginning: a model needs one to "
          "begin with",
          prompt.where);
    const auto length = static_cast<std::int64_t>(prompt.ids.size());
    check(length < config.max_positions,
          "{}: has {} tokens, must leave room in the model's {} positions", prompt.where, length,
          config.max_positions);
    for (const TokenId id : prompt.ids) {
      check(id >= 0 && id < config.vocabulary, "{}: token {} is not in 0 .. {}", prompt.where, id,
            config.vocabulary - 1);
    }
  }
  return prompts;
}

std::optional<TokenId> stop_token(const GenerateArguments& arguments, const ModelConfig& config,
                                  const Tokenizer* tokenizer) {
  if (arguments.no_stop) return {};
  if (tokenizer != nullptr && tokenizer->specials().eos) return tokenizer->specials().eos;
  return static_cast<TokenId>(config.eos);
}

// The two ways to sample, as one.
using Generator =
    std::function<std::vector<Sequence>(std::span<const Ids>, const GenerateOptions&)>;

const std::map<std::string, InstructionSet> kInstructionSets = {
    {"portable", InstructionSet::kPortable},
    {"avx2", InstructionSet::kAvx2},
    {"avx512", InstructionSet::kAvx512}};

Generator generator_of(const GenerateArguments& arguments, const ModelFiles& model) {
  if (arguments.device == "cpu" && !arguments.libtorch) {
    DecoderOptions options = {.threads = arguments.threads.count()};
    if (!arguments.instructions.empty()) {
      options.instructions = kInstructionSets.at(arguments.instructions);
    }
    auto decoder = std::make_shared<Decoder>(model.config, model.weights, options);
    return [decoder](std::span<const Ids> prompts, const GenerateOptions& how) {
      return decoder->generate(prompts, how);
    };
  }
#if RGU_HAS_TORCH
  auto device = std::make_shared<DeviceGenerator>(
      model, DeviceOptions{.device = arguments.device, .threads = arguments.threads.count()});
  return [device](std::span<const Ids> prompts, const GenerateOptions& how) {
    return device->generate(prompts, how);
  };
#else
  throw InvalidInput(fmt::format(
      "--device {}: this build has no LibTorch; build with -DRGU_TORCH=ON", arguments.device));
#endif
}

// Where answers go: to a file, or to standard output as JSON lines or text.
class Answers {
 public:
  Answers(const GenerateArguments& arguments, const Tokenizer* tokenizer)
      : json_(arguments.output.json || !arguments.out.empty()),
        samples_(arguments.samples),
        tokenizer_(tokenizer) {
    if (!arguments.out.empty()) file_.emplace(arguments.out);
  }

  void put(const PromptTokens& prompt, std::int64_t sample, const Sequence& sequence) {
    const std::string text = json_ ? json_line(prompt, sample, sequence) : plain(prompt, sequence);
    if (file_) {
      file_->text(text + '\n');
    } else if (json_) {
      say_json(text);
    } else {
      say_contents(text);
    }
    if (!file_) std::fflush(stdout);
    ++count_;
  }

  void finish() {
    if (file_) file_->commit();
  }
  std::int64_t count() const { return count_; }

 private:
  std::string json_line(const PromptTokens& prompt, std::int64_t sample,
                        const Sequence& sequence) const {
    Json line = {{"prompt", prompt.text}};
    if (samples_ > 1) line["sample"] = sample;
    if (tokenizer_ != nullptr) line["text"] = text_of_ids(*tokenizer_, sequence.tokens);
    line["tokens"] = sequence.tokens;
    line["log_probabilities"] = sequence.log_probabilities;
    line["stopped"] = sequence.stopped;
    return line.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  std::string plain(const PromptTokens& prompt, const Sequence& sequence) const {
    const std::string text = tokenizer_ != nullptr
                                 ? prompt.text + text_of_ids(*tokenizer_, sequence.tokens)
                                 : fmt::format("{}", fmt::join(sequence.tokens, " "));
    return (count_ > 0 && tokenizer_ != nullptr ? "\n" : "") + text + "\n";
  }

  bool json_;
  std::int64_t samples_;
  const Tokenizer* tokenizer_;
  std::optional<OutputFile> file_;
  std::int64_t count_ = 0;
};

// Whether the sequence came to its own end, or was left unfinished by an interruption.
bool is_whole(const Sequence& sequence, const PromptTokens& prompt, const SamplingOptions& options,
              const ModelConfig& config) {
  const auto length = static_cast<std::int64_t>(sequence.tokens.size());
  return sequence.stopped || length >= options.max_new_tokens ||
         static_cast<std::int64_t>(prompt.ids.size()) + length >= config.max_positions;
}

struct Totals {
  std::int64_t sequences = 0;  // asked for
  std::int64_t finished = 0;
  std::int64_t tokens = 0;
};

// All samples of all prompts, a stretch at a time, so that answers come out on the way.
Totals generate_all(const GenerateArguments& arguments, const std::vector<PromptTokens>& prompts,
                    const ModelConfig& config, const Generator& generator,
                    const SamplingOptions& sampling, Answers& answers) {
  const auto all = static_cast<std::int64_t>(prompts.size()) * arguments.samples;
  check(all <= std::numeric_limits<std::uint32_t>::max(), "{} sequences are too many for one call",
        all);
  const std::int64_t stretch = std::max<std::int64_t>(8 * arguments.batch, 256);
  const auto prompt_of = [&](std::int64_t i) -> const PromptTokens& {
    return prompts[static_cast<std::size_t>(i / arguments.samples)];
  };
  Totals totals = {.sequences = all};
  LmProgress progress(arguments.output.quiet ? LmProgress::Style::kQuiet
                                             : LmProgress::Style::kAuto);
  for (std::int64_t first = 0; first < all && !interrupt_flag(); first += stretch) {
    std::vector<Ids> ids;
    for (std::int64_t i = first; i < std::min(all, first + stretch); ++i) {
      ids.push_back(prompt_of(i).ids);
    }
    GenerateOptions options = {.sampling = sampling,
                               .streams = {.seed = arguments.seed},
                               .first_sequence = static_cast<std::uint32_t>(first),
                               .batch = arguments.batch};
    options.observe = [&](const GenerateOptions::Progress& news) {
      const std::int64_t tokens = totals.tokens + news.tokens;
      progress.show({.done = first + news.finished,
                     .total = all,
                     .text = fmt::format("{} tokens  {:.0f} tokens/s", tokens,
                                         static_cast<double>(tokens) / progress.seconds())});
      return !interrupt_flag();
    };
    const std::vector<Sequence> sequences = generator(ids, options);
    for (std::size_t k = 0; k < sequences.size(); ++k) {
      const std::int64_t i = first + static_cast<std::int64_t>(k);
      totals.tokens += static_cast<std::int64_t>(sequences[k].tokens.size());
      if (!is_whole(sequences[k], prompt_of(i), sampling, config)) continue;
      answers.put(prompt_of(i), i % arguments.samples, sequences[k]);
      ++totals.finished;
    }
  }
  return totals;
}

void check_sources(const GenerateArguments& arguments) {
  check(arguments.prompts.empty() || arguments.file.empty(),
        "--prompt and --prompts: give one of them");
  check(!arguments.ids || !arguments.conversation, "--ids and --conversation: give one of them");
  check(arguments.instructions.empty() || (arguments.device == "cpu" && !arguments.libtorch),
        "--instructions {}: only for --device cpu", arguments.instructions);
}

int generate(const GenerateArguments& arguments) {
  check_sources(arguments);
  const ModelFiles model = arguments.model.open();
  // Ids need no tokenizer; one that is there still turns the answer into text.
  const bool need_tokenizer = !arguments.ids || !arguments.model.tokenizer.empty();
  const std::unique_ptr<Tokenizer> tokenizer =
      need_tokenizer ? arguments.model.open_tokenizer_for(model) : nullptr;
  SamplingOptions sampling = arguments.sampling;
  sampling.stop = stop_token(arguments, model.config, tokenizer.get());
  check_options(sampling);
  const std::vector<PromptTokens> prompts = prompts_of(arguments, model.config, tokenizer.get());
  Answers answers(arguments, tokenizer.get());
  const Generator generator = generator_of(arguments, model);
  interrupt_flag();  // from here on Ctrl-C keeps what is finished
  const auto begin = std::chrono::steady_clock::now();
  const Totals totals =
      generate_all(arguments, prompts, model.config, generator, sampling, answers);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  answers.finish();
  if (!arguments.output.quiet) {
    say(stderr, "{} sequences, {} tokens in {:.2f} s: {:.0f} tokens/s\n", totals.finished,
        totals.tokens, seconds, static_cast<double>(totals.tokens) / seconds);
  }
  if (totals.finished == totals.sequences) return kDone;
  say(stderr, "interrupted; {} of {} sequences were finished and are kept\n", totals.finished,
      totals.sequences);
  return kInterrupted;
}

void add_prompt_options(CLI::App& command, GenerateArguments& arguments) {
  command.add_option("--prompt,-p", arguments.prompts, "A text to continue (may be repeated)")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  command
      .add_option(
          "--prompts", arguments.file,
          "File of prompts: lines, or JSON lines with \"prompt\" (.gz, .xz; default: standard "
          "input)")
      ->type_name("FILE");
  command.add_flag("--ids", arguments.ids, "Prompts are token ids, such as '5 17 3'");
  command.add_flag("--conversation", arguments.conversation,
                   "Wrap prompts: 'BEGINNING OF CONVERSATION: USER: .. ASSISTANT:'");
}

void add_sampling_options(CLI::App& command, GenerateArguments& arguments) {
  SamplingOptions& sampling = arguments.sampling;
  command.add_option("--samples,-n", arguments.samples, "Answers for each prompt")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 32))
      ->capture_default_str();
  command.add_option("--max-new", sampling.max_new_tokens, "Most tokens to add")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--temperature,-t", sampling.temperature,
                  "Of sampling; 0: the most probable token")
      ->capture_default_str();
  command.add_option("--top-k", sampling.top_k, "Sample among the k most probable; 0: among all")
      ->type_name("K")
      ->capture_default_str();
  command
      .add_option("--top-p", sampling.top_p,
                  "... among the fewest whose probabilities reach p, in (0, 1]")
      ->type_name("P")
      ->capture_default_str();
  command.add_option("--seed", arguments.seed, "Of the random numbers")->capture_default_str();
  command.add_flag("--no-stop", arguments.no_stop, "Go on after the end-of-text token");
}

void add_machine_options(CLI::App& command, GenerateArguments& arguments) {
  command.add_option("--batch", arguments.batch, "Sequences in work at once")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  arguments.threads.add_to(command);
  command
      .add_option("--instructions", arguments.instructions, "Of the CPU (default: the best it has)")
      ->check(CLI::IsMember({"portable", "avx2", "avx512"}));
  command.add_option("--device", arguments.device, "cpu, cuda, cuda:1, ..")->capture_default_str();
  command.add_flag("--libtorch", arguments.libtorch,
                   "Sample by LibTorch on the CPU too: slower, to compare");
}

}  // namespace

void add_generate(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("generate", "Continue prompts by sampling from a model");
  auto arguments = std::make_shared<GenerateArguments>();
  arguments->model.add_to(*command);
  add_prompt_options(*command, *arguments);
  add_sampling_options(*command, *arguments);
  add_machine_options(*command, *arguments);
  command->add_option("--out,-o", arguments->out, "Write JSON lines to this file")
      ->type_name("FILE");
  arguments->output.add_to(*command);
  command->footer(
      "With --json or --out, one object a line: prompt, text, tokens, log_probabilities (of each "
      "token,\n"
      "over the whole vocabulary), stopped (by the end-of-text token). A sequence depends on the "
      "seed "
      "and\n"
      "its number only, not on batch or threads.\n\n"
      "Examples:\n"
      "  rgu lm generate pythia-70m --prompt 'Once upon a time' --max-new 100\n"
      "  rgu lm generate pythia-70m --adapter runs/lora --prompts prompts.jsonl -n 8 --out "
      "answers.jsonl\n"
      "  echo 'The sky is' | rgu lm generate pythia-70m -t 0 --json");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return generate(*arguments); }; });
}

}  // namespace rgu::llm
