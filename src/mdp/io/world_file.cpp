#include "rgu/mdp/io/world_file.hpp"

#include "rgu/base/check.hpp"
#include "rgu/mdp/io/binary_file.hpp"
#include "rgu/mdp/io/csv_file.hpp"
#include "rgu/mdp/io/json_file.hpp"
#include "rgu/mdp/io/prism_file.hpp"

namespace rgu {
namespace {

[[noreturn]] void refuse_ending(const std::filesystem::path& path) {
  throw InvalidInput(
      fmt::format("model file {} ends in \"{}\", must end in .rgum, .json, .csv or .tra",
                  path.string(), path.extension().string()));
}

}  // namespace

bool is_world_file(const std::filesystem::path& path) {
  const std::filesystem::path ending = path.extension();
  return ending == ".rgum" || ending == ".json" || ending == ".csv" || ending == ".tra";
}

World read_world(const std::filesystem::path& path, const ReadOptions& options) {
  if (path.extension() == ".rgum") return read_binary(path, options);
  if (path.extension() == ".json") return read_json(path, options);
  if (path.extension() == ".csv") return read_csv(path, options);
  if (path.extension() == ".tra") return read_prism(path, options);
  refuse_ending(path);
}

void write_world(const std::filesystem::path& path, const World& world,
                 const WriteOptions& options) {
  if (path.extension() == ".rgum") return write_binary(path, world);
  if (path.extension() == ".json") return write_json(path, world);
  if (path.extension() == ".csv") return write_csv(path, world, options);
  if (path.extension() == ".tra") return write_prism(path, world, options);
  refuse_ending(path);
}

WorldSlice read_world_slice(const std::filesystem::path& path, const StateRange& own,
                            const ReadOptions& options) {
  if (path.extension() == ".rgum") return read_binary_slice(path, own, options);
  return slice_of(read_world(path, options), own);
}

ModelSize model_size_of(const std::filesystem::path& path, const ReadOptions& options) {
  if (path.extension() == ".rgum") return binary_size(path);
  const World world = read_world(path, options);
  return {world.mdp.states(), world.mdp.actions()};
}

}  // namespace rgu
