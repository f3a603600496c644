#include "rgu/llm/decode/generate.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "rgu/llm/decode/forward.hpp"
#include "rgu/llm/decode/head.hpp"
#include "rgu/llm/decode/sampler.hpp"

namespace rgu::llm::decode {
namespace {

// A prompt that has been read: its cache, and the output of its last token. It lives until the last
// of its sequences has started, which takes its cache over.
struct Reading {
  std::span<const TokenId> tokens = {};
  Size waiting = 0;  // sequences that are still to start from it
  bool done = false;
  KeyValueCache cache = {};
  std::vector<float> output = {};
};

// A sequence in work.
struct Active {
  std::size_t number = 0;  // of its prompt
  KeyValueCache cache = {};
  Size position = 0;               // of the token to be sampled next
  Size limit = 0;                  // of tokens to sample
  const Reading* fresh = nullptr;  // where its first output comes from
};

double uniform_of(const StreamFamily& streams, std::uint32_t sequence, std::uint32_t step) {
  return static_cast<double>(streams.block(sequence, step)[0] >> 11) * 0x1p-53;
}

Size longest(std::span<const std::vector<TokenId>> prompts) {
  std::size_t most = 0;
  for (const std::vector<TokenId>& prompt : prompts) most = std::max(most, prompt.size());
  return static_cast<Size>(most);
}

class Generation {
 public:
  Generation(const Engine& engine, std::span<const std::vector<TokenId>> prompts,
             const GenerateOptions& options)
      : engine_(engine),
        prompts_(prompts),
        options_(options),
        rows_(std::min(kMaxRows, std::max<Size>(options.batch, kReadRows))),
        work_(engine.model, engine.threads, rows_, positions_of(longest(prompts))),
        logits_(engine.model,
                std::min<Size>({kMaxRows, options.batch, static_cast<Size>(prompts.size())})),
        sequences_(prompts.size()) {
    for (int i = 0; i < engine.threads; ++i) {
      samplers_.emplace_back(options.sampling, engine.model.config.vocabulary);
    }
    for (const std::vector<TokenId>& prompt : prompts) {
      Reading& reading = readings_[prompt];
      reading.tokens = prompt;
      ++reading.waiting;
    }
  }

  std::vector<Sequence> run() {
    while (next_ < prompts_.size() || !active_.empty()) {
      admit();
      for (std::size_t first = 0; first < active_.size(); first += kMaxRows) {
        const std::size_t count = std::min<std::size_t>(kMaxRows, active_.size() - first);
        step(std::span(active_).subspan(first, count));
      }
      drop_finished();
      const GenerateOptions::Progress progress{.finished = finished_, .tokens = tokens_};
      if (options_.observe && !options_.observe(progress)) break;
    }
    return std::move(sequences_);
  }

 private:
  static constexpr Size kReadRows = 128;  // tokens of prompts in one pass

  Size last_position() const { return engine_.model.config.max_positions; }

  // Positions that a sequence of this prompt can come to fill.
  Size positions_of(Size prompt) const {
    return prompt + std::min(options_.sampling.max_new_tokens, last_position() - prompt);
  }

  // Fills the batch with the next prompts, reading those that have not been read.
  void admit() {
    std::vector<Reading*> unread;
    std::vector<std::pair<std::size_t, Reading*>> starting;
    while (next_ < prompts_.size() &&
           static_cast<Size>(active_.size() + starting.size()) < options_.batch) {
      Reading& reading = readings_.find(prompts_[next_])->second;
      if (!reading.done) unread.push_back(&reading);
      reading.done = true;
      starting.emplace_back(next_++, &reading);
    }
    read(unread);
    for (const auto& [number, reading] : starting) start(number, *reading);
  }

  void start(std::size_t number, Reading& reading) {
    const auto prompt = static_cast<Size>(reading.tokens.size());
    Active active{.number = number,
                  .cache = {},
                  .position = prompt,
                  .limit = positions_of(prompt) - prompt,
                  .fresh = &reading};
    if (--reading.waiting == 0) {
      active.cache = std::move(reading.cache);
    } else {
      active.cache = KeyValueCache(engine_.model, positions_of(prompt));
      active.cache.copy_from(reading.cache, prompt);
    }
    active_.push_back(std::move(active));
  }

  // Reads prompts in passes of kReadRows tokens, one after the other, several in one pass where
  // they are short.
  void read(std::span<Reading* const> unread) {
    for (Reading* reading : unread) {
      reading->cache =
          KeyValueCache(engine_.model, positions_of(static_cast<Size>(reading->tokens.size())));
    }
    Size rows = 0;
    std::vector<Run> runs;
    std::vector<OutputRow> outputs;
    std::vector<Reading*> complete;
    const auto pass = [&] {
      run_pass({.runs = runs, .rows = rows, .outputs = outputs});
      for (std::size_t i = 0; i < complete.size(); ++i) {
        const float* output = work_.outputs.row(static_cast<Size>(i));
        complete[i]->output.assign(output, output + engine_.model.hidden());
      }
      rows = 0;
      runs.clear();
      outputs.clear();
      complete.clear();
    };
    for (Reading* reading : unread) {
      const auto size = static_cast<Size>(reading->tokens.size());
      for (Size first = 0; first < size;) {
        const Size count = std::min(size - first, kReadRows - rows);
        runs.push_back(
            {.cache = &reading->cache, .first_row = rows, .rows = count, .first_position = first});
        for (Size i = 0; i < count; ++i) {
          engine_.model.embed(reading->tokens[static_cast<std::size_t>(first + i)],
                              work_.stream.row(rows + i));
        }
        rows += count;
        first += count;
        if (first == size) {
          outputs.push_back({.row = rows - 1, .place = static_cast<Size>(complete.size())});
          complete.push_back(reading);
        }
        if (rows == kReadRows) pass();
      }
    }
    if (rows > 0) pass();
  }

  void run_pass(const Pass& pass) {
    run_team(engine_.threads,
             [&](const Team& team) { forward(team, engine_.model, engine_.kernels, pass, work_); });
  }

  // One token for each of `batch`: through the layers those that have one already, through the head
  // and the sampler all, in one parallel region.
  void step(std::span<Active> batch) {
    std::vector<Run> runs;
    std::vector<OutputRow> outputs;
    Size rows = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      Active& active = batch[i];
      const auto place = static_cast<Size>(i);
      if (active.fresh != nullptr) {
        std::copy(active.fresh->output.begin(), active.fresh->output.end(),
                  work_.outputs.row(place));
        active.fresh = nullptr;
        continue;
      }
      engine_.model.embed(sequences_[active.number].tokens.back(), work_.stream.row(rows));
      runs.push_back({.cache = &active.cache,
                      .first_row = rows,
                      .rows = 1,
                      .first_position = active.position - 1});
      outputs.push_back({.row = rows++, .place = place});
    }
    const Pass pass{.runs = runs, .rows = rows, .outputs = outputs};
    std::vector<Choice> choices(batch.size());
    logits_.start(static_cast<Size>(batch.size()));
    run_team(engine_.threads, [&](const Team& team) {
      if (rows > 0) forward(team, engine_.model, engine_.kernels, pass, work_);
      team.barrier();
      logits_.head(engine_.model, engine_.kernels, work_.outputs, logit_scale(options_.sampling));
      team.barrier();
      const Range mine = team.share(static_cast<Size>(batch.size()));
      for (Size i = mine.begin; i < mine.end; ++i) {
        const auto place = static_cast<std::size_t>(i);
        choices[place] = choose(batch[place], i, samplers_[static_cast<std::size_t>(team.rank)]);
      }
    });
    for (std::size_t i = 0; i < batch.size(); ++i) append(batch[i], choices[i]);
  }

  Choice choose(const Active& active, Size row, SamplerScratch& scratch) const {
    const auto sequence = options_.first_sequence + static_cast<std::uint32_t>(active.number);
    const auto number = static_cast<std::uint32_t>(sequences_[active.number].tokens.size());
    return sample(logits_.row(row), options_.sampling, engine_.kernels,
                  uniform_of(options_.streams, sequence, number), scratch);
  }

  void append(Active& active, const Choice& choice) {
    Sequence& sequence = sequences_[active.number];
    sequence.tokens.push_back(choice.token);
    sequence.log_probabilities.push_back(choice.log_probability);
    sequence.stopped = options_.sampling.stop == choice.token;
    ++active.position;
    ++tokens_;
  }

  bool is_finished(const Active& active) const {
    const Sequence& sequence = sequences_[active.number];
    return sequence.stopped || static_cast<Size>(sequence.tokens.size()) >= active.limit;
  }

  void drop_finished() {
    const auto dropped = std::erase_if(active_, [&](const Active& a) { return is_finished(a); });
    finished_ += static_cast<std::int64_t>(dropped);
  }

  const Engine& engine_;
  std::span<const std::vector<TokenId>> prompts_;
  const GenerateOptions& options_;
  Size rows_;
  Workspace work_;
  Logits logits_;
  std::vector<SamplerScratch> samplers_ = {};  // by thread
  std::map<std::vector<TokenId>, Reading> readings_ = {};
  std::vector<Active> active_ = {};
  std::vector<Sequence> sequences_;
  std::size_t next_ = 0;  // prompt that has not started
  std::int64_t finished_ = 0;
  std::int64_t tokens_ = 0;
};

}  // namespace

std::vector<Sequence> generate(const Engine& engine, std::span<const std::vector<TokenId>> prompts,
                               const GenerateOptions& options) {
  if (prompts.empty()) return {};
  return Generation(engine, prompts, options).run();
}

std::vector<float> all_logits(const Engine& engine, std::span<const TokenId> tokens) {
  constexpr Size kRows = 64;  // in one pass
  const auto size = static_cast<Size>(tokens.size());
  const auto vocabulary = static_cast<std::size_t>(engine.model.config.vocabulary);
  KeyValueCache cache(engine.model, size);
  Workspace work(engine.model, engine.threads, std::min(kRows, size), size);
  Logits logits(engine.model, std::min(kRows, size));
  std::vector<float> result(tokens.size() * vocabulary);
  for (Size first = 0; first < size; first += kRows) {
    const Size rows = std::min(kRows, size - first);
    const Run run{.cache = &cache, .first_row = 0, .rows = rows, .first_position = first};
    std::vector<OutputRow> outputs;
    for (Size i = 0; i < rows; ++i) {
      engine.model.embed(tokens[static_cast<std::size_t>(first + i)], work.stream.row(i));
      outputs.push_back({.row = i, .place = i});
    }
    logits.start(rows);
    run_team(engine.threads, [&](const Team& team) {
      forward(team, engine.model, engine.kernels,
              {.runs = {&run, 1}, .rows = rows, .outputs = outputs}, work);
      team.barrier();
      logits.head(engine.model, engine.kernels, work.outputs, 1.0f);
    });
    for (Size i = 0; i < rows; ++i) {
      const LogitsRow row = logits.row(i);
      float* to = result.data() + static_cast<std::size_t>(first + i) * vocabulary;
      for (std::size_t token = 0; token < vocabulary; ++token)
        to[token] = row.at(static_cast<Size>(token));
    }
  }
  return result;
}

}  // namespace rgu::llm::decode
