// Worlds in files, by the ending of the file's name:
//   .json  everything (json_file.hpp)
//   .csv   kernel and one reward (csv_file.hpp)
//   .tra   kernel, one reward and a uniform start, with .trew, .srew and .lab (prism_file.hpp)
#pragma once

#include <filesystem>

#include "rgu/mdp/io/file_options.hpp"
#include "rgu/mdp/world.hpp"

namespace rgu {

// Both throw InvalidInput on another ending, and as the format's own functions do.
World read_world(const std::filesystem::path& path, const ReadOptions& options = {});
void write_world(const std::filesystem::path& path, const World& world,
                 const WriteOptions& options = {});

}  // namespace rgu
