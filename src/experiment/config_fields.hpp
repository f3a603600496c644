// Configurations as TOML, for every struct that has a describe function.
#pragma once

#include <functional>

#include "rgu/experiment/config.hpp"
#include "rgu/experiment/fields.hpp"

namespace rgu {

using DescribeFields = std::function<void(FieldVisitor&)>;

// As read_config, into whatever `describe` visits.
void read_fields(const ConfigSource& source, const std::vector<std::string>& overrides,
                 const DescribeFields& describe);

// As to_toml. Visitors may write, so `describe` visits a copy.
std::string toml_of_fields(const DescribeFields& describe);

// As config_keys, of what `describe` visits: the defaults.
std::vector<KeyHelp> keys_of_fields(const DescribeFields& describe);

}  // namespace rgu
