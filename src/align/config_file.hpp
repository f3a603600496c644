// Alignment runs as TOML files, described once.
#pragma once

#include "rgu/align/config.hpp"
#include "rgu/experiment/config_fields.hpp"

namespace rgu::align {

// As rgu::read_config: throws InvalidInput with "file:line:column: message".
AlignConfig read_config(const ConfigSource& source, const std::vector<std::string>& overrides = {});

// Every key with its value; read_config of it gives the same.
std::string to_toml(const AlignConfig& config);

std::vector<KeyHelp> config_keys();

// What the file alone cannot say wrongly, but a config made otherwise can: no reward, names that
// are missing or not different, bounds of a multiplier that contradict each other. Throws
// InvalidInput.
void check_config(const AlignConfig& config);

}  // namespace rgu::align
