// Models as CSV, in the columns that the CRAAM library and its relatives use.
//
//   idstatefrom,idaction,idstateto,probability,reward
//   0,0,1,0.25,5
//
// One header line that names these five columns, in any order, then one transition a line. Ids
// count from 0. Blanks around fields, CRLF line ends, a byte order mark and quotes around header
// names are accepted, blank lines are skipped; any other column is refused, since its meaning would
// be lost (CRAAM's idoutcome holds a set of models, not one).
//
// The number of states and of actions follow from the largest ids. A transition may be listed more
// than once: probabilities add up, rewards are weighted by them. The signal "reward" (S, A) is the
// expected reward, sum over s' of P(s'|s,a) r(s,a,s'). The kernel is sparse.
//
// The format holds no discount and no start distribution: both come from the options.
#pragma once

#include <filesystem>

#include "rgu/base/text_file.hpp"
#include "rgu/mdp/io/file_options.hpp"
#include "rgu/mdp/world.hpp"

namespace rgu {

// Throws InvalidInput, with file and line, on whatever breaks the format or is no proper model, and
// where options.discount is not set.
World read_csv(const std::filesystem::path& path, const ReadOptions& options);
World parse_csv(const NamedText& source, const ReadOptions& options);

// Writes the kernel (without entries of probability zero) and one signal, as the reward of each
// transition of (s, a). Reading the file back gives the same numbers, bit for bit. Throws
// InvalidInput if the signal is missing, not (S, A) or not finite, and FileError.
void write_csv(const std::filesystem::path& path, const World& world,
               const WriteOptions& options = {});

}  // namespace rgu
