#include "rgu/experiment/spread.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/check.hpp"
#include "rgu/experiment/seed_sink.hpp"
#include "rgu/mdp/sampler.hpp"
#include "rgu/record/json_values.hpp"
#include "rgu/record/metrics_file.hpp"
#include "rgu/solver/state_file.hpp"

namespace rgu {
namespace {

using Clock = std::chrono::steady_clock;

// Between two looks for letters while there are none.
constexpr auto kPause = std::chrono::microseconds(200);
// After an interruption: the launcher of a job that has lost a rank kills the others a second
// later.
constexpr auto kGrace = std::chrono::milliseconds(500);

// What rank 0 has the others do next.
struct Order {
  enum class Kind { kServeSeed, kTakeSeeds, kGoHome };

  Kind kind = Kind::kGoHome;
  std::uint64_t seed = 0;  // to serve
};

// The letters. A helper asks for a seed; rank 0 gives one, with its last state, or says that there
// is none; the helper tells what happens, and at last how it ended. "stop" is the interruption.
Letter letter(const Json& json) { return {.text = json.dump()}; }

Json seed_letter(std::size_t index, const SeedTask& task) {
  Json json = {
      {"kind", "seed"}, {"index", index}, {"seed", task.seed}, {"own_world", task.own_world}};
  if (task.resumed) {
    json["state"] = to_text(*task.resumed);
    json["seconds"] = task.resumed->seconds;
  }
  return json;
}

SeedTask task_of(const Json& json) {
  SeedTask task{.seed = number<std::uint64_t>(json, "seed"),
                .own_world = member(json, "own_world") == true};
  if (json.contains("state")) {
    task.resumed = parse_state(words(json, "state"));
    task.resumed->seconds = number<double>(json, "seconds");
  }
  return task;
}

Json end_letter(const SeedEnd& end) {
  Json json = {{"kind", "end"},
               {"status", static_cast<Index>(end.status)},
               {"iterations", end.iterations},
               {"envelope", to_json(end.envelope)},
               {"solved", end.solved},
               {"finished", end.finished},
               {"files", Json::array()}};
  for (const auto& [name, text] : end.files)
    json["files"].push_back({{"name", name}, {"text", text}});
  return json;
}

SeedEnd end_of(const Json& json) {
  SeedEnd end{.status = static_cast<Status>(number<Index>(json, "status")),
              .iterations = number<Index>(json, "iterations"),
              .envelope = number<double>(json, "envelope"),
              .solved = member(json, "solved") == true,
              .finished = member(json, "finished") == true};
  for (const Json& file : member(json, "files")) {
    end.files.push_back({.name = words(file, "name"), .text = words(file, "text")});
  }
  return end;
}

// A helper's seed: its news go to rank 0. Looks for the interruption when it has something to tell.
class RemoteSink final : public SeedSink {
 public:
  RemoteSink(Ranks& ranks, std::atomic<bool>& stop) : ranks_(ranks), stop_(stop) {}

  void look() {
    while (const auto mail = ranks_.mail()) {
      if (words(parse_json(mail->text), "kind") == "stop") stop_ = true;
    }
  }
  void measured(const Metrics& metrics, double seconds) override {
    tell({{"kind", "metrics"}, {"line", to_line(metrics)}, {"seconds", seconds}});
  }
  double checkpoint(const std::string& state) override {
    const Clock::time_point begin = Clock::now();
    tell({{"kind", "checkpoint"}, {"state", state}});
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  void ended(const SeedEnd& end) override { tell(end_letter(end)); }

 private:
  void tell(const Json& json) { ranks_.post(letter(json), 0); }

  Ranks& ranks_;
  std::atomic<bool>& stop_;
};

void take_seeds(const ProblemConfig& config, Ranks& ranks, int threads) {
  while (true) {
    ranks.post(letter({{"kind", "ask"}}), 0);
    Json order = parse_json(ranks.next_letter().text);
    // An interruption that crossed the end of the last seed.
    while (words(order, "kind") == "stop") order = parse_json(ranks.next_letter().text);
    if (words(order, "kind") == "none") return;
    std::atomic<bool> stop = false;
    RemoteSink sink(ranks, stop);
    ThreadPool pool(threads);
    run_seed(config, task_of(order), pool, sink,
             {.iterated = [&] { sink.look(); }, .interrupt = &stop});
  }
}

// Rank 0's side of whole seeds: hands them out, to its own threads too, and writes what comes back.
class SeedDesk {
 public:
  SeedDesk(const ProblemConfig& config, const RunFolder& folder,
           const std::vector<std::size_t>& open, const RunnerOptions& options)
      : config_(config), folder_(folder), options_(options), queue_(open.begin(), open.end()) {}

  std::map<std::size_t, SeedOutcome> run() {
    std::exception_ptr trouble;
    std::atomic<bool> own_done = false;
    std::thread own([&] {
      try {
        run_own();
      } catch (...) {
        trouble = std::current_exception();
        give_up_ = true;
      }
      own_done = true;
    });
    try {
      serve(own_done);
    } catch (...) {
      give_up_ = true;
      own.join();
      throw;
    }
    own.join();
    if (trouble) std::rethrow_exception(trouble);
    return std::move(outcomes_);
  }

 private:
  // A seed that a helper works on.
  struct Remote {
    std::size_t index = 0;
    std::unique_ptr<SeedFolder> folder = {};
  };

  bool interrupted() const {
    return give_up_ || (options_.interrupt != nullptr && options_.interrupt->load());
  }

  // The next seed, if any.
  std::optional<std::size_t> next() {
    const std::scoped_lock lock(mutex_);
    if (queue_.empty() || interrupted()) return {};
    const std::size_t index = queue_.front();
    queue_.pop_front();
    return index;
  }

  void run_own() {
    const int outer = std::clamp(static_cast<int>(queue_.size()), 1, options_.threads);
    ThreadPool seeds(outer);
    seeds.for_each(outer, [&](Index) {
      ThreadPool sampling(std::max(1, options_.threads / outer));
      while (const auto index = next()) {
        SeedFolder sink(config_, folder_, *index, options_);
        const SeedOutcome outcome = run_seed(config_, sink.task(), sampling, sink, options_);
        const std::scoped_lock lock(mutex_);
        outcomes_[*index] = outcome;
      }
    });
  }

  void serve(const std::atomic<bool>& own_done) {
    Ranks& ranks = *options_.ranks;
    int home = 0;  // helpers that were told that there is no more
    std::optional<Clock::time_point> told;
    while (home < ranks.size() - 1 || !own_done) {
      if (interrupted() && !told) {
        for (const auto& [rank, remote] : remotes_) ranks.post(letter({{"kind", "stop"}}), rank);
        told = Clock::now();
      }
      if (told && own_done && Clock::now() - *told > kGrace) {
        throw RankLost(
            "the job was told to stop, and other processes of it do not answer: one may have "
            "ended");
      }
      if (const auto mail = ranks.mail()) {
        home += handle(*mail) ? 1 : 0;
      } else {
        std::this_thread::sleep_for(kPause);
      }
    }
  }

  // True where the helper goes home.
  bool handle(const Letter& mail) {
    const Json json = parse_json(mail.text);
    const std::string kind = words(json, "kind");
    if (kind == "ask") return !hand_out(mail.from);
    const Remote& remote = remotes_.at(mail.from);
    if (kind == "metrics") {
      remote.folder->measured(parse_metrics(words(json, "line")), number<double>(json, "seconds"));
    } else if (kind == "checkpoint") {
      remote.folder->checkpoint(words(json, "state"));
    } else {
      const SeedEnd end = end_of(json);
      remote.folder->ended(end);
      const std::scoped_lock lock(mutex_);
      outcomes_[remote.index] = {
          .seed = config_.seeds[remote.index], .status = end.status, .solved = end.solved};
      remotes_.erase(mail.from);
    }
    return false;
  }

  bool hand_out(int rank) {
    const auto index = next();
    if (!index) {
      options_.ranks->post(letter({{"kind", "none"}}), rank);
      return false;
    }
    auto folder = std::make_unique<SeedFolder>(config_, folder_, *index, options_);
    options_.ranks->post(letter(seed_letter(*index, folder->task())), rank);
    remotes_[rank] = {.index = *index, .folder = std::move(folder)};
    return true;
  }

  const ProblemConfig& config_;
  const RunFolder& folder_;
  const RunnerOptions& options_;
  std::mutex mutex_;  // of the queue and the outcomes
  std::deque<std::size_t> queue_;
  std::map<std::size_t, SeedOutcome> outcomes_;
  std::map<int, Remote> remotes_;
  std::atomic<bool> give_up_ = false;
};

void give(Ranks& ranks, Order order) { broadcast(ranks, order); }

// Seed after seed, with the trajectories of each batch spread.
std::map<std::size_t, SeedOutcome> run_sampled(const ProblemConfig& config, const RunFolder& folder,
                                               const std::vector<std::size_t>& open,
                                               const RunnerOptions& options) {
  std::map<std::size_t, SeedOutcome> outcomes;
  ThreadPool pool(options.threads);
  for (const std::size_t index : open) {
    if (options.interrupt != nullptr && options.interrupt->load()) {
      outcomes[index] = {.seed = config.seeds[index], .status = Status::kInterrupted};
      continue;
    }
    SeedFolder sink(config, folder, index, options);
    give(*options.ranks, {.kind = Order::Kind::kServeSeed, .seed = config.seeds[index]});
    outcomes[index] = run_seed(config, sink.task(), pool, sink, options, *options.ranks);
    end_service(*options.ranks);
  }
  return outcomes;
}

}  // namespace

Spread chosen_spread(const ProblemConfig& config, std::size_t open_seeds, int ranks) {
  if (config.gradient.kind != GradientKind::kSampled) return Spread::kSeeds;
  return open_seeds >= static_cast<std::size_t>(ranks) ? Spread::kSeeds : Spread::kSamples;
}

std::vector<SeedOutcome> run_spread(const ProblemConfig& config, const RunFolder& folder,
                                    const std::vector<std::size_t>& open,
                                    const RunnerOptions& options) {
  Ranks& ranks = *options.ranks;
  std::string text = to_toml(config);
  broadcast(ranks, text);
  const Spread spread = options.spread.value_or(chosen_spread(config, open.size(), ranks.size()));
  std::map<std::size_t, SeedOutcome> outcomes;
  if (spread == Spread::kSamples) {
    outcomes = run_sampled(config, folder, open, options);
  } else {
    give(ranks, {.kind = Order::Kind::kTakeSeeds});
    outcomes = SeedDesk(config, folder, open, options).run();
  }
  give(ranks, {.kind = Order::Kind::kGoHome});
  std::vector<SeedOutcome> in_order;
  for (const std::size_t index : open) {
    // A seed that was never begun was interrupted.
    in_order.push_back(outcomes.contains(index) ? outcomes[index]
                                                : SeedOutcome{.seed = config.seeds[index],
                                                              .status = Status::kInterrupted});
  }
  return in_order;
}

void assist(Ranks& ranks, int threads) {
  std::string text;
  broadcast(ranks, text);
  if (text.empty()) return;
  prepare_blas();
  const ProblemConfig config =
      read_config({.name = "the problem of rank 0", .text = text, .folder = {}});
  while (true) {
    Order order;
    broadcast(ranks, order);
    switch (order.kind) {
      case Order::Kind::kGoHome:
        return;
      case Order::Kind::kTakeSeeds:
        take_seeds(config, ranks, threads);
        break;
      case Order::Kind::kServeSeed: {
        const Instance instance = make_instance(config, order.seed);
        ThreadPool pool(threads);
        TrajectorySampler(instance.world.mdp, pool, ranks).serve();
      }
    }
  }
}

void dismiss(Ranks& ranks) {
  if (ranks.size() == 1) return;
  std::string none;
  broadcast(ranks, none);
}

}  // namespace rgu
