#include "rgu/llm/cli/training_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rgu/base/check.hpp"
#include "rgu/base/folder_lock.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/llm/files/output_folder.hpp"

namespace rgu::llm {

namespace fs = std::filesystem;

std::string_view schedule_name(Schedule schedule) {
  return kScheduleNames[static_cast<std::size_t>(schedule)];
}

Schedule schedule_named(std::string_view name) {
  const auto* found = std::find(kScheduleNames.begin(), kScheduleNames.end(), name);
  rgu::check(found != kScheduleNames.end(), "schedule {}: must be constant, linear or cosine",
             name);
  return static_cast<Schedule>(found - kScheduleNames.begin());
}

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

void OptionAdder::operator()(const char* name, Schedule& value, const char* help) const {
  command
      .add_option_function<std::string>(
          flag_of(name), [&value](const std::string& given) { value = schedule_named(given); },
          help)
      ->check(CLI::IsMember(std::vector<std::string>(kScheduleNames.begin(), kScheduleNames.end())))
      ->default_str(std::string(schedule_name(value)));
}

void OptionAdder::operator()(const char* name, std::string& value, const char* help) const {
  command.add_option(flag_of(name), value, help)->capture_default_str();
}

const Json& OptionReader::at(const char* name) const {
  check(json.is_object() && json.contains(name), "{}: the option {} is missing", where, name);
  return json.at(name);
}

std::string OptionReader::words_at(const char* name) const {
  check(at(name).is_string(), "{}: the option {} is not a text", where, name);
  return at(name).get<std::string>();
}

void OptionReader::check_number(const char* name, bool whole) const {
  check(whole ? at(name).is_number_integer() : at(name).is_number(),
        "{}: the option {} is not a {}number", where, name, whole ? "whole " : "");
}

void LoraArguments::add_to(CLI::App& command) {
  command.add_option("--lora", rank, "Train a low-rank adapter of this rank, not the whole model")
      ->type_name("RANK")
      ->check(CLI::Range(1, 1 << 20));
  command.add_option("--lora-alpha", alpha, "Scaling is alpha / rank (default: the rank)")
      ->type_name("X")
      ->check(CLI::PositiveNumber);
  command.add_option("--lora-dropout", dropout, "Dropout of the adapter's input")
      ->check(CLI::Range(0.0, 0.99));
  command
      .add_option("--lora-targets", targets,
                  "Modules to adapt, by the last parts of their names (default: query_key_value; "
                  "LLaMA: q_proj,v_proj)")
      ->type_name("NAMES")
      ->delimiter(',');
}

std::optional<AdapterConfig> LoraArguments::config() const {
  if (rank == 0) {
    check(alpha == 0 && dropout == 0 && targets.empty(),
          "--lora-alpha, --lora-dropout and --lora-targets need --lora RANK");
    return {};
  }
  AdapterConfig config = {.rank = rank, .alpha = alpha > 0 ? alpha : static_cast<double>(rank)};
  config.dropout = dropout;
  config.target_modules = targets;
  return config;
}

Json json_of(const std::optional<AdapterConfig>& adapter) {
  if (!adapter) return nullptr;
  return {{"rank", adapter->rank},
          {"alpha", adapter->alpha},
          {"dropout", adapter->dropout},
          {"target_modules", adapter->target_modules}};
}

std::optional<AdapterConfig> adapter_from(const Json& json, const std::string& where) {
  if (json.is_null()) return {};
  const OptionReader reader = {json, where};
  AdapterConfig config;
  config.rank = reader.number_at<std::int64_t>("rank");
  config.alpha = reader.number_at<double>("alpha");
  config.dropout = reader.number_at<double>("dropout");
  config.target_modules = word_list(json, "target_modules");
  return config;
}

void RunArguments::add_to(CLI::App& command) {
  command.add_option("--out,-o", out, "Folder to write")->type_name("DIR");
  command
      .add_option("--resume", resume,
                  "Go on with the run in this folder, which knows its options; no other is needed")
      ->type_name("DIR");
  command.add_flag("--force", force, "Replace the run that is there");
  command.add_option("--report-interval", report_interval, "Steps between lines of metrics.jsonl")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str();
  output.add_to(command);
}

void RunArguments::check(const CLI::App& command) const {
  rgu::check(out.empty() != resume.empty(), "give --out for a new run or --resume for an old one");
  if (resume.empty()) return;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_single_name();
    const bool allowed = name == "resume" || name == "json" || name == "quiet";
    rgu::check(allowed || option->count() == 0,
               "--{}: a run is resumed with the options it began with; only --json and --quiet go "
               "with --resume",
               name);
  }
}

CommandFile CommandFile::read(const fs::path& folder, std::string_view command) {
  CommandFile file = {.folder = folder, .content = {}, .before = {}};
  std::error_code error;
  check(fs::exists(folder / "command.json", error), "{}: is not the folder of a training run",
        folder.string());
  try {
    file.content = rgu::parse_json(read_text(file.name()));
    file.content["adapter"];  // throws if this is no object
  } catch (const std::exception& problem) {
    throw InvalidInput(fmt::format("{}: {}", file.name(), problem.what()));
  }
  const std::string kind = file.words("command");
  check(kind == command, "{}: is a run of 'rgu lm {}', not of 'rgu lm {}'", folder.string(), kind,
        command);
  return file;
}

ExistingTraining CommandFile::check_free(bool force) const {
  std::error_code error;
  const bool empty = fs::is_directory(folder, error) &&
                     std::all_of(fs::directory_iterator(folder), fs::directory_iterator(),
                                 [](const auto& entry) { return is_partial_file(entry.path()); });
  // The file that begin() writes is there by then: a new run goes on from nothing.
  if (!fs::exists(folder, error) || empty) return ExistingTraining::kResume;
  check(fs::exists(folder / "command.json", error),
        "{} exists and is not a training run; it is not replaced", folder.string());
  check(force, "{} exists; --force replaces it, --resume goes on with it", folder.string());
  return ExistingTraining::kReplace;
}

void CommandFile::begin() {
  std::error_code error;
  if (fs::exists(name(), error)) before = read_text(name());
  make_folder(folder);
  write_whole(name(), to_text(content) + "\n");
}

void CommandFile::withdraw() const {
  if (!before.empty()) {
    OutputFile file(name());
    file.text(before);
    file.commit();
    return;
  }
  std::error_code error;
  if (fs::exists(folder / "metrics.jsonl", error)) return;  // it has begun
  fs::remove(name(), error);
  fs::remove(folder, error);  // only if it is empty
}

std::string CommandFile::words(const char* key) const {
  check(content.contains(key), "{}: '{}' is missing", name(), key);
  const Json& value = content.at(key);
  if (value.is_null()) return {};
  check(value.is_string(), "{}: '{}' is not a text", name(), key);
  return value.get<std::string>();
}

std::vector<std::string> CommandFile::word_list_at(const char* key) const {
  try {
    return word_list(content, key);
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", name(), error.what()));
  }
}

TrainingTarget CommandFile::target(ExistingTraining existing,
                                   const std::filesystem::path& tokenizer) const {
  return {.folder = folder,
          .existing = existing,
          .tokenizer = tokenizer,
          .base_model = words("model"),
          .report_interval = reader(content).number_at<std::int64_t>("report_interval")};
}

std::string absolute_or_empty(const std::string& path) {
  return path.empty() ? path : fs::absolute(path).lexically_normal().string();
}

}  // namespace rgu::llm
