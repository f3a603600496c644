// Models as JSON: the only format here that holds a whole World.
//
//   {
//     "format": "rgu-model", "version": 1,
//     "states": 2, "actions": 1, "discount": 0.9,
//     "start": [0.5, 0.5],
//     "transitions": {"state": [0, 0, 1], "action": [0, 0, 0], "next": [0, 1, 1],
//                     "probability": [0.25, 0.75, 1]},
//     "signals": {"reward": [[1], [0]]},
//     "grid": {"rows": 1, "columns": 2, "cell_of_state": [0, 1]}
//   }
//
// "transitions" lists a sparse kernel as four arrays of one length, entry i of each together one
// transition, in any order, none twice. In its place "kernel" may give a dense kernel, nested as
// P[state][action][next]. Each signal is nested as [state][action]. "signals" and "grid" may be
// left out; nothing else may, and no other name may appear: what a reader does not know it would
// lose. Arrays are flat or nested numbers, so they read and write in one pass.
#pragma once

#include <filesystem>

#include "rgu/base/text_file.hpp"
#include "rgu/mdp/io/file_options.hpp"
#include "rgu/mdp/world.hpp"

namespace rgu {

// Throws InvalidInput, with file and line, on whatever breaks the format or is no proper model.
World read_json(const std::filesystem::path& path, const ReadOptions& options = {});
World parse_json(const NamedText& source, const ReadOptions& options = {});

// Reading the file back gives the same world, bit for bit. Throws InvalidInput if a signal is not
// (S, A), not finite or has a name that is not UTF-8, or if the grid does not fit; and FileError.
void write_json(const std::filesystem::path& path, const World& world);

}  // namespace rgu
