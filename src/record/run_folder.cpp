#include "rgu/record/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "rgu/base/check.hpp"
#include "rgu/base/crc32c.hpp"
#include "rgu/base/folder_lock.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSeedPrefix = "seed-";

bool is_run(const fs::path& path) {
  return fs::is_regular_file(path / "config.toml") && fs::is_regular_file(path / "run.json");
}

// Was a process stopped here before run.json was there? Then nothing is worth keeping.
bool is_hardly_begun(const fs::path& path) {
  if (!fs::is_regular_file(path / "lock")) return false;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const fs::path name = entry.path().filename();
    if (name != "lock" && name != "config.toml" && !is_partial_file(name)) return false;
  }
  return true;
}

void check_replaceable(const fs::path& path, ExistingRun existing) {
  check(is_run(path) || is_hardly_begun(path),
        "the folder {} exists and is not a run: it is left alone", path.string());
  check(existing == ExistingRun::kReplace || !is_run(path),
        "the run folder {} exists; choose another with --out, or replace it with --force",
        path.string());
  check_no_links(path);
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    throw FileError(fmt::format("cannot make the folder {}: {}", path.string(), error.message()));
  }
}

std::string header(std::string_view text) {
  return fmt::format("rgu-checkpoint 1 {:08x} {}\n", crc32c(text), text.size());
}

std::optional<std::string> whole_checkpoint(const fs::path& path) {
  if (!fs::is_regular_file(path)) return std::nullopt;
  const std::string bytes = read_text(path);
  const std::size_t line = bytes.find('\n');
  if (line == std::string::npos) return std::nullopt;
  std::string text = bytes.substr(line + 1);
  if (header(text) != bytes.substr(0, line + 1)) return std::nullopt;
  return text;
}

}  // namespace

RunFolder RunFolder::create(const fs::path& path, ExistingRun existing) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status)) {
    check(fs::is_directory(status), "{} exists and is not a folder", path.string());
    if (!fs::is_empty(path, error)) check_replaceable(path, existing);
  }
  make_folder(path);
  return RunFolder(fs::absolute(path));
}

void RunFolder::clear(ExistingRun existing) const {
  if (is_run(path_)) check_replaceable(path_, existing);
  std::vector<fs::path> left = {path_ / "figures", path_ / "report.html"};
  for (const std::uint64_t number : seeds()) left.push_back(seed(number));
  for (const fs::path& entry : left) {
    std::error_code error;
    fs::remove_all(entry, error);
    if (error) {
      throw FileError(fmt::format("cannot remove {}: {}", entry.string(), error.message()));
    }
  }
  remove_partial_files(path_);
}

RunFolder RunFolder::open(const fs::path& path) {
  std::error_code error;
  check(fs::exists(path, error), "there is no run folder {}", path.string());
  check(fs::is_directory(path, error) && is_run(path),
        "{} is not a run folder: it has no config.toml with a run.json beside it", path.string());
  check_no_links(path);
  return RunFolder(fs::absolute(path));
}

fs::path RunFolder::seed(std::uint64_t seed) const {
  return path_ / fmt::format("{}{}", kSeedPrefix, seed);
}

std::vector<std::uint64_t> RunFolder::seeds() const {
  std::vector<std::uint64_t> seeds;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || !name.starts_with(kSeedPrefix)) continue;
    std::uint64_t seed = 0;
    const char* end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + kSeedPrefix.size(), end, seed);
    if (parsed.ec == std::errc() && parsed.ptr == end) seeds.push_back(seed);
  }
  std::sort(seeds.begin(), seeds.end());
  return seeds;
}

fs::path free_run_folder(std::string name) {
  const auto leads_elsewhere = [](unsigned char c) { return c == '/' || c < ' '; };
  std::replace_if(name.begin(), name.end(), leads_elsewhere, '-');
  if (name.empty() || name.front() == '.') name = fmt::format("-{}", name);  // not runs/..
  const fs::path base = fs::path("runs") / name;
  fs::path path = base;
  std::error_code error;  // a name too long is refused where the folder is made
  for (int i = 2; fs::exists(path, error); ++i) path = fmt::format("{}-{}", base.string(), i);
  return path;
}

void write_file(const fs::path& path, std::string_view text) {
  OutputFile file(path);
  file.text(text);
  file.commit();
}

void write_checkpoint(const fs::path& seed_folder, std::string_view text) {
  const fs::path current = seed_folder / "checkpoint";
  const fs::path next = seed_folder / "checkpoint.next";
  write_file(next, header(text) + std::string(text));
  std::error_code error;
  if (fs::exists(current)) fs::rename(current, seed_folder / "checkpoint.previous", error);
  if (!error) fs::rename(next, current, error);
  if (error) {
    throw FileError(fmt::format("cannot write {}: {}", current.string(), error.message()));
  }
}

void drop_previous_checkpoint(const fs::path& seed_folder) {
  fs::remove(seed_folder / "checkpoint.previous");
}

std::optional<std::string> read_checkpoint(const fs::path& seed_folder,
                                           const CheckpointTest& is_whole) {
  for (const char* name : {"checkpoint", "checkpoint.previous"}) {
    auto text = whole_checkpoint(seed_folder / name);
    if (text && (!is_whole || is_whole(*text))) return text;
  }
  return std::nullopt;
}

}  // namespace rgu
