// Worlds in files, by the ending of the file's name:
//   .rgum  everything, in bytes; slices are read alone (binary_file.hpp)
//   .json  everything, as text (json_file.hpp)
//   .csv   kernel and one reward (csv_file.hpp)
//   .tra   kernel, one reward and a uniform start, with .trew, .srew and .lab (prism_file.hpp)
#pragma once

#include <filesystem>

#include "rgu/mdp/io/file_options.hpp"
#include "rgu/mdp/world_slice.hpp"

namespace rgu {

// Is the ending one of the above?
bool is_world_file(const std::filesystem::path& path);

// All throw InvalidInput on another ending, and as the format's own functions do.
World read_world(const std::filesystem::path& path, const ReadOptions& options = {});
void write_world(const std::filesystem::path& path, const World& world,
                 const WriteOptions& options = {});

// The slice of read_world(path, options), bit for bit. Of a .rgum file only header, directory and
// what the slice needs are read and checked; of others, all. Throws InvalidInput also on a range
// outside the states.
WorldSlice read_world_slice(const std::filesystem::path& path, const StateRange& own,
                            const ReadOptions& options = {});

// Reads the header only of a .rgum file, and all of others.
ModelSize model_size_of(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace rgu
