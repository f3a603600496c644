// Options of a reader from one byte of an input, so that all of them are tried.
#pragma once

#include <cstdint>

#include "rgu/mdp/io/file_options.hpp"

namespace rgu::fuzz {

inline ReadOptions read_options(std::uint8_t choice) {
  return {.discount = 0.9,
          .missing_actions = static_cast<MissingActions>(choice % 3),
          .dead_states = static_cast<DeadStates>(choice / 3 % 2)};
}

}  // namespace rgu::fuzz
