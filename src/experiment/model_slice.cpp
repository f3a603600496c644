#include "rgu/experiment/model_slice.hpp"

#include "rgu/experiment/instance.hpp"
#include "rgu/experiment/instance_model.hpp"
#include "rgu/experiment/memory_need.hpp"
#include "rgu/mdp/io/world_file.hpp"

namespace rgu {
namespace {

Rng model_rng(const ModelConfig& config, std::uint64_t seed) {
  return Rng(config.seed.value_or(seed), kModelStream);
}

ModelSize size_of(const RandomModelOptions& options, Rng&) {
  return {options.states, options.actions};
}

ModelSize size_of(const GarnetOptions& options, Rng&) { return {options.states, options.actions}; }

ModelSize size_of(const GridConfig& config, Rng&) { return grid_world_size(config.map); }

ModelSize size_of(const RandomGridConfig& config, Rng& rng) {
  return grid_world_size(random_grid_map(config.cells, rng));
}

ModelSize size_of(const RiverSwimOptions& options, Rng&) { return {options.states, 2}; }

ModelSize size_of(const InventoryOptions& options, Rng&) { return inventory_size(options); }

ModelSize size_of(const WorldFileConfig& config, Rng&) {
  return model_size_of(config.file, read_options(config));
}

WorldSlice part(const RandomModelOptions& options, const StateRange& own, Rng& rng) {
  return slice_of(random_model(options, rng), own);
}

WorldSlice part(const GarnetOptions& options, const StateRange& own, Rng& rng) {
  return garnet_slice(options, own, rng);
}

WorldSlice part(const GridConfig& config, const StateRange& own, Rng&) {
  return grid_world_slice(config.map, config.options, own);
}

WorldSlice part(const RandomGridConfig& config, const StateRange& own, Rng& rng) {
  return grid_world_slice(random_grid_map(config.cells, rng), config.options, own);
}

WorldSlice part(const RiverSwimOptions& options, const StateRange& own, Rng&) {
  return river_swim_slice(options, own);
}

WorldSlice part(const InventoryOptions& options, const StateRange& own, Rng&) {
  return inventory_slice(options, own);
}

WorldSlice part(const WorldFileConfig& config, const StateRange& own, Rng&) {
  return read_world_slice(config.file, own, read_options(config));
}

}  // namespace

World make_world(const ModelConfig& config, std::uint64_t seed) {
  check_memory(memory_need(config));
  Rng rng = model_rng(config, seed);
  return make_model(config, rng).world;
}

ModelSize model_size(const ModelConfig& config, std::uint64_t seed) {
  Rng rng = model_rng(config, seed);
  return std::visit([&](const auto& source) { return size_of(source, rng); }, config.source);
}

WorldSlice make_slice(const ModelConfig& config, std::uint64_t seed, const StateRange& own) {
  Rng rng = model_rng(config, seed);
  return std::visit([&](const auto& source) { return part(source, own, rng); }, config.source);
}

}  // namespace rgu
