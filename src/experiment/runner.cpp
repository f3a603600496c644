#include "rgu/experiment/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/check.hpp"
#include "rgu/base/crc32c.hpp"
#include "rgu/base/thread_pool.hpp"
#include "rgu/base/version.hpp"
#include "rgu/experiment/method.hpp"
#include "rgu/experiment/method_choice.hpp"
#include "rgu/experiment/seed_sink.hpp"
#include "rgu/experiment/spread.hpp"
#include "rgu/experiment/theory_schedule.hpp"
#include "rgu/mdp/io/binary_file.hpp"
#include "rgu/record/run_files.hpp"

namespace rgu {
namespace {

// Equal models and utilities, as far as an uneven mass and an uneven value can tell.
bool same_problem(const Instance& a, const Instance& b) {
  const FiniteMdp& mdp = a.world.mdp;
  if (mdp.states() != b.world.mdp.states() || a.nominal != b.nominal) return false;
  Matrix mass(mdp.states(), mdp.actions());
  for (Index i = 0; i < mass.size(); ++i) mass.data()[i] = 1 / (1.7 + static_cast<double>(i));
  const UtilityGradient f = a.utility->evaluate(mass, a.nominal);
  const UtilityGradient g = b.utility->evaluate(mass, b.nominal);
  return mdp.push_forward(mass) == b.world.mdp.push_forward(mass) && f.value == g.value &&
         f.nature == g.nature;
}

std::string grid_marks(const GridLayout& layout, std::string_view map) {
  std::string marks;
  for (const char c : map) {
    if (c != '\n' && c != '\r') marks += c;
  }
  marks.resize(static_cast<std::size_t>(layout.rows) * static_cast<std::size_t>(layout.columns),
               '.');
  return marks;
}

// What stands for the tables [stopping] and [output], which come last and may change: their
// defaults in the first version, so that its run folders stay valid whatever keys are added.
constexpr const char* kLastTables =
    "\n[stopping]\niterations = 300\n"
    "\n[output]\nmetrics_every = 1\ncheckpoint_seconds = 2.0\ntensorboard = false\n"
    "baseline = true\n";

// Of a .rgum file, which may be larger than what is read as text, without reading it.
std::uint32_t file_checksum(const std::filesystem::path& model) {
  return model.extension() == ".rgum" ? binary_checksum(model) : crc32c(read_text(model));
}

}  // namespace

std::string fingerprint(const ProblemConfig& config) {
  std::string problem = to_toml(config);
  problem.resize(problem.rfind("\n[stopping]\n"));
  std::string text = fmt::format("{:08x}", crc32c(problem + kLastTables));
  if (const auto* file = std::get_if<WorldFileConfig>(&config.model.source)) {
    text += fmt::format("-{:08x}", file_checksum(file->file));
  }
  return text;
}

WorldRecord world_record(const Instance& instance) {
  WorldRecord record{.states = instance.world.mdp.states(),
                     .actions = instance.world.mdp.actions(),
                     .nature_rows = instance.nature_rows,
                     .nature_columns = instance.nature_columns,
                     .nature_centre = instance.nominal,
                     .action_names = instance.action_names,
                     .grid = std::nullopt};
  if (const auto& layout = instance.world.grid) {
    record.grid = GridRecord{.rows = layout->rows,
                             .columns = layout->columns,
                             .cell_of_state = layout->cell_of_state,
                             .marks = grid_marks(*layout, instance.map)};
  }
  return record;
}

RunRecord about(const ProblemConfig& config, const Instance& instance) {
  Remarks remarks = rgu::remarks(resolved(config, instance), instance);
  RunRecord run;
  run.name = config.name;
  run.description = config.description;
  run.version = version_text();
  run.build = build_facts();
  run.method = chosen_method_text(config, instance);
  run.utility = instance.utility_text;
  run.ambiguity = instance.ambiguity_text;
  static_cast<WorldRecord&>(run) = world_record(instance);
  run.discount = instance.world.mdp.discount();
  run.warnings = std::move(remarks.warnings);
  run.notes = std::move(remarks.notes);
  return run;
}

RunRecord about(const ProblemConfig& config) {
  check(!config.seeds.empty(), "seeds: there is none, must be at least one");
  const Instance instance = make_instance(config, config.seeds.front());
  RunRecord run = about(config, instance);
  run.fingerprint = fingerprint(config);
  run.own_instances = config.seeds.size() > 1 && !config.model.seed &&
                      !same_problem(instance, make_instance(config, config.seeds[1]));
  return run;
}

OpenRun begin_run(const ProblemConfig& config, const std::filesystem::path& path,
                  ExistingRun existing) {
  const RunRecord run = about(config);
  const RunFolder folder = RunFolder::create(path, existing);
  OpenRun open{.folder = folder, .lock = FolderLock(folder.path())};
  folder.clear(existing);
  write_file(folder.config(), to_toml(config));
  write_about(folder, run);
  return open;
}

std::vector<SeedOutcome> run_seeds(const ProblemConfig& config, const RunFolder& folder,
                                   const RunnerOptions& options) {
  check_count("threads", options.threads);
  prepare_blas();
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < config.seeds.size(); ++i) {
    const std::filesystem::path seed_folder = folder.seed(config.seeds[i]);
    // A result that no longer is one must not be taken for one after a crash.
    if (options.reopen) {
      std::filesystem::remove(seed_folder / "result.json");
      std::filesystem::remove(seed_folder / "certificate.json");
      std::filesystem::remove(seed_folder / "problem.json");
    }
    if (!is_finished(seed_folder)) {
      open.push_back(i);
    } else {
      drop_previous_checkpoint(seed_folder);  // the end may have been cut off before that
    }
  }
  std::mutex telling;
  RunnerOptions serial = options;
  if (options.progress) {
    serial.progress = [&](const Progress& progress) {
      const std::scoped_lock lock(telling);
      options.progress(progress);
    };
  }
  if (options.ranks != nullptr && options.ranks->size() > 1) {
    return run_spread(config, folder, open, serial);
  }
  const int outer = std::clamp(static_cast<int>(open.size()), 1, options.threads);
  std::vector<SeedOutcome> outcomes(open.size());
  ThreadPool seeds(outer);
  seeds.for_each(static_cast<Index>(open.size()), [&](Index i) {
    ThreadPool sampling(std::max(1, options.threads / outer));
    SeedFolder sink(config, folder, open[static_cast<std::size_t>(i)], serial);
    outcomes[static_cast<std::size_t>(i)] = run_seed(config, sink.task(), sampling, sink, serial);
  });
  return outcomes;
}

}  // namespace rgu
