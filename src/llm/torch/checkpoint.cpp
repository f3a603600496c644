#include "rgu/llm/torch/checkpoint.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>

#include "rgu/base/check.hpp"
#include "rgu/base/crc32c.hpp"
#include "rgu/base/text_file.hpp"
#include "rgu/llm/files/json_text.hpp"
#include "rgu/llm/files/mapped_file.hpp"
#include "rgu/llm/files/safetensors.hpp"

namespace rgu::llm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kParameters = "parameters.safetensors";
constexpr const char* kOptimizer = "optimizer.safetensors";

fs::path beside(const fs::path& folder, const char* ending) {
  fs::path path = folder;
  path += ending;
  return path;
}

// The last whole checkpoint. Between the two renames of write_checkpoint it is the old one.
fs::path whole(const fs::path& folder) {
  return fs::exists(folder / "state.json") ? folder : beside(folder, ".old");
}

void rename_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) {
    throw FileError(
        fmt::format("cannot rename {} to {}: {}", from.string(), to.string(), error.message()));
  }
}

// Of the state, which does not have it yet, and of the tensors beside it.
std::string checksum(const nlohmann::json& state, const fs::path& folder) {
  return fmt::format("{:08x}-{}-{}",
                     crc32c(state.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)),
                     file_checksum(folder / kParameters), file_checksum(folder / kOptimizer));
}

std::string state_text(const Checkpoint& checkpoint, const fs::path& folder) {
  nlohmann::json state = {{"version", 2},
                          {"step", checkpoint.step},
                          {"tokens", checkpoint.tokens},
                          {"metrics_bytes", checkpoint.metrics_bytes},
                          {"made_from", checkpoint.fingerprint}};
  state["checksum"] = checksum(state, folder);
  return state.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void check_whole(nlohmann::json state, const fs::path& folder) {
  const std::string stored = state.at("checksum").get<std::string>();
  state.erase("checksum");
  const std::string found = checksum(state, folder);
  check(stored == found,
        "{} is damaged: its checksum is {}, was {} when it was written; without it the run begins "
        "anew",
        folder.string(), found, in_quotes(stored));
}

}  // namespace

void write_checkpoint(const fs::path& folder, const Checkpoint& checkpoint) {
  const fs::path fresh = beside(folder, ".new");
  const fs::path old = beside(folder, ".old");
  fs::remove_all(fresh);
  fs::create_directories(fresh);
  write_safetensors(fresh / kParameters, checkpoint.parameters);
  write_safetensors(fresh / kOptimizer, checkpoint.optimizer);
  OutputFile state(fresh / "state.json");
  state.text(state_text(checkpoint, fresh));
  state.commit();
  if (fs::exists(folder)) {
    fs::remove_all(old);
    rename_folder(folder, old);
  }
  rename_folder(fresh, folder);
  fs::remove_all(old);
}

std::optional<Checkpoint> read_checkpoint(const fs::path& folder) {
  const fs::path from = whole(folder);
  if (!fs::exists(from / "state.json")) return {};
  const nlohmann::json state = read_json(from / "state.json");
  try {
    check(state.at("version") == 2, "{}: a checkpoint of another version", from.string());
    check_whole(state, from);
    Checkpoint checkpoint = {.step = state.at("step").get<std::int64_t>(),
                             .tokens = state.at("tokens").get<std::int64_t>(),
                             .metrics_bytes = state.at("metrics_bytes").get<std::uint64_t>(),
                             .fingerprint = state.at("made_from").get<Fingerprint>(),
                             .parameters = read_safetensors(from / kParameters),
                             .optimizer = read_safetensors(from / kOptimizer)};
    check(checkpoint.step >= 0 && checkpoint.tokens >= 0,
          "{}: step {}, tokens {}: must be at least 0", from.string(), checkpoint.step,
          checkpoint.tokens);
    return checkpoint;
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(fmt::format("{} is no state of a training run: {}",
                                   (from / "state.json").string(), error.what()));
  }
}

void remove_checkpoint(const fs::path& folder) {
  for (const char* ending : {"", ".new", ".old"}) fs::remove_all(beside(folder, ending));
}

void check_fingerprint(const Fingerprint& stored, const Fingerprint& present,
                       const fs::path& where) {
  std::set<std::string> names;
  for (const auto& [name, value] : stored) names.insert(name);
  for (const auto& [name, value] : present) names.insert(name);
  const auto value_in = [](const Fingerprint& all, const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? std::string("not set") : found->second;
  };
  for (const std::string& name : names) {
    const std::string before = value_in(stored, name), now = value_in(present, name);
    check(before == now, "{}: begun with {} = {}, but now {} = {}; a run goes on only as it began",
          where.string(), name, before, name, now);
  }
}

}  // namespace rgu::llm
