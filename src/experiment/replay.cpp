#include "rgu/experiment/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/thread_pool.hpp"
#include "rgu/experiment/problem_text.hpp"
#include "rgu/experiment/solve_seed.hpp"
#include "rgu/experiment/stored_run.hpp"
#include "rgu/record/metrics_file.hpp"
#include "rgu/record/named_files.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetrics = "metrics.jsonl";
constexpr const char* kCertificate = "certificate.json";

struct StoredLine {
  Index number = 0;  // from 1
  std::string text;  // with its line break
};

// What the folder of a seed holds.
struct StoredSeed {
  bool finished = false;
  bool out_of_time = false;           // ended by stopping.seconds
  std::map<Index, StoredLine> lines;  // by iteration

  Index last() const { return lines.empty() ? 0 : lines.rbegin()->first; }
};

// The words for a time limit in folders written before the present ones.
constexpr std::string_view kOldTimeLimit = "used all the time";

bool ended_by_time(const fs::path& folder) {
  return naming(folder / "result.json", [](const Json& json) {
    const std::string status = words(json, "status");
    return status.ends_with(describe(Status::kTimeLimit).text) || status.ends_with(kOldTimeLimit);
  });
}

StoredSeed stored_seed(const fs::path& folder) {
  StoredSeed stored;
  // First of all: of a run that is being written the lines may then be more, but never fewer.
  stored.finished = is_finished(folder);
  if (stored.finished) stored.out_of_time = ended_by_time(folder);
  for_each_line(folder / kMetrics, [&](std::string_view line) {
    const Index iteration = parse_metrics(line).iteration;
    check(iteration > stored.last(), "iteration {} after {}, must be later", iteration,
          stored.last());
    const Index number = std::ssize(stored.lines) + 1;
    stored.lines[iteration] = {.number = number, .text = std::string(line) + '\n'};
  });
  return stored;
}

// Compares what a seed does now with what it did.
class SeedComparison {
 public:
  SeedComparison(fs::path folder, std::uint64_t seed)
      : folder_(std::move(folder)), stored_(stored_seed(folder_)) {
    result_.seed = seed;
    result_.finished = stored_.finished;
  }

  bool has_begun() const { return stored_.finished || !stored_.lines.empty(); }

  SeedReplay replayed(ProblemConfig config, ThreadPool& pool, const std::atomic<bool>* interrupt);

 private:
  void check_gaps(Index metrics_every);
  void compare(const Metrics& metrics);
  void compare_files(const std::vector<FileText>& files);
  void compare_file(const FileText& file);
  std::optional<Status> ending_after(Index iteration) const;

  void add(ReplayDifference difference) {
    for (const ReplayDifference& known : result_.differences) {
      if (known.file == difference.file) return;
    }
    result_.differences.push_back(std::move(difference));
  }

  fs::path folder_;
  StoredSeed stored_;
  SeedReplay result_;
};

// Where the record ends, as far as the configured limits do not say it.
std::optional<Status> SeedComparison::ending_after(Index iteration) const {
  if (iteration < stored_.last()) return std::nullopt;
  if (!stored_.finished) return Status::kInterrupted;
  if (stored_.out_of_time) return Status::kTimeLimit;
  // Further than the run went: one difference is known, and there is nothing more to compare.
  if (iteration > stored_.last()) return Status::kInterrupted;
  return std::nullopt;
}

// A run that was resumed with a higher limit may have a line more than metrics_every asks for, but
// none less.
void SeedComparison::check_gaps(Index metrics_every) {
  for (Index k = metrics_every; k <= stored_.last(); k += metrics_every) {
    if (stored_.lines.contains(k)) continue;
    const StoredLine& next = stored_.lines.upper_bound(k)->second;
    return add({.file = kMetrics,
                .line = next.number,
                .iteration = k,
                .value = {},
                .remark = fmt::format("there is no line for iteration {}, which "
                                      "output.metrics_every = {} asks for",
                                      k, metrics_every)});
  }
}

void SeedComparison::compare(const Metrics& metrics) {
  const auto found = stored_.lines.find(metrics.iteration);
  if (found == stored_.lines.end()) {
    return add({.file = kMetrics,
                .iteration = metrics.iteration,
                .value = {},
                .remark = fmt::format("the run ends before iteration {}, the replay does not",
                                      metrics.iteration)});
  }
  ++result_.lines;
  const StoredLine& line = found->second;
  const std::string text = to_line(metrics);
  if (text == line.text) return;
  const auto value = first_difference(parse_json(line.text), parse_json(text));
  add({.file = kMetrics,
       .line = line.number,
       .iteration = metrics.iteration,
       .value = value.value_or(JsonDifference{}),
       .remark = value ? "" : "the same values, written otherwise"});
}

void SeedComparison::compare_file(const FileText& file) {
  const fs::path path = folder_ / file.name;
  if (!fs::exists(path)) {
    return add({.file = file.name, .value = {}, .remark = "the run has no such file"});
  }
  const std::string text = read_text(path);
  if (text == file.text) return;
  const auto value =
      naming(path, [&](const Json& json) { return first_difference(json, parse_json(file.text)); });
  add({.file = file.name,
       .value = value.value_or(JsonDifference{}),
       .remark = value ? "" : "the same values, written otherwise"});
}

void SeedComparison::compare_files(const std::vector<FileText>& files) {
  bool certified = false;
  for (const FileText& file : files) {
    compare_file(file);
    certified = certified || file.name == kCertificate;
  }
  // 'rgu certify' leaves one beside the run.
  if (!certified && fs::exists(folder_ / kCertificate)) result_.left_out.push_back(kCertificate);
}

SeedReplay SeedComparison::replayed(ProblemConfig config, ThreadPool& pool,
                                    const std::atomic<bool>* interrupt) {
  if (!has_begun()) return result_;
  check_gaps(config.output.metrics_every);
  config.stopping.seconds.reset();
  const SeedProblem problem{
      .config = config, .seed = result_.seed, .of = make_instance(config, result_.seed)};
  SolvedSeed solved = solve_seed(
      problem, std::nullopt, pool,
      {.measured = [&](const Metrics& metrics, double) { compare(metrics); },
       .iterated = [&](const SolverState& state, double) { result_.iterations = state.iteration; },
       .interrupt = interrupt,
       .measures = [&](Index iteration) { return stored_.lines.contains(iteration); },
       .ends_after = [&](Index iteration) { return ending_after(iteration); }});
  result_.interrupted = interrupt != nullptr && interrupt->load();
  if (result_.interrupted) return result_;
  if (result_.iterations < stored_.last()) {
    add({.file = kMetrics,
         .iteration = stored_.last(),
         .value = {},
         .remark = fmt::format("the replay ends after iteration {}, the run after {}",
                               result_.iterations, stored_.last())});
  } else if (result_.iterations > stored_.last()) {
    add({.file = kMetrics,
         .iteration = stored_.last(),
         .value = {},
         .remark =
             fmt::format("the run ends after iteration {}, the replay goes on", stored_.last())});
  }
  // Files of another iteration differ everywhere, which says nothing more.
  const bool same_end = result_.iterations == stored_.last();
  if (stored_.finished && same_end) {
    const bool proven = solved.files.record.certificate.witness.exists();
    if (proven) solved.files.problem = problem_text(problem.of);
    compare_files(seed_texts(solved.files));
  }
  return result_;
}

std::vector<std::uint64_t> chosen_seeds(const ProblemConfig& config, const ReplayOptions& options) {
  if (options.seeds.empty()) return config.seeds;
  for (const std::uint64_t seed : options.seeds) {
    check(std::find(config.seeds.begin(), config.seeds.end(), seed) != config.seeds.end(),
          "the run has no seed {}", seed);
  }
  return options.seeds;
}

std::vector<SeedComparison> begun_seeds(const RunFolder& folder,
                                        const std::vector<std::uint64_t>& seeds) {
  std::vector<SeedComparison> begun;
  for (const std::uint64_t seed : seeds) {
    SeedComparison comparison(folder.seed(seed), seed);
    if (comparison.has_begun()) begun.push_back(std::move(comparison));
  }
  check(!begun.empty(), "the run {} has nothing to replay yet; 'rgu resume' goes on with it",
        folder.path().string());
  return begun;
}

std::string fact_named(const BuildFacts& facts, const std::string& name) {
  for (const auto& [known, text] : facts) {
    if (known == name) return text;
  }
  return {};
}

}  // namespace

std::vector<SeedReplay> replay(const RunFolder& folder, const ReplayOptions& options) {
  check_count("threads", options.threads);
  prepare_blas();
  const ProblemConfig config = read_run_config(folder);
  std::vector<SeedComparison> begun = begun_seeds(folder, chosen_seeds(config, options));
  const int outer = std::clamp(static_cast<int>(begun.size()), 1, options.threads);
  std::vector<SeedReplay> replays(begun.size());
  ThreadPool seeds(outer);
  seeds.for_each(std::ssize(begun), [&](Index i) {
    ThreadPool sampling(std::max(1, options.threads / outer));
    const auto at = static_cast<std::size_t>(i);
    replays[at] = begun[at].replayed(config, sampling, options.interrupt);
  });
  return replays;
}

std::vector<BuildDifference> build_differences(const BuildFacts& recorded, const BuildFacts& now) {
  std::vector<BuildDifference> differences;
  for (const auto& [name, text] : now) {
    const std::string before = fact_named(recorded, name);
    if (before != text) differences.push_back({name, before, text});
  }
  for (const auto& [name, text] : recorded) {
    if (fact_named(now, name).empty()) differences.push_back({name, text, ""});
  }
  return differences;
}

}  // namespace rgu
