// Problems as files: what a TOML file says, as typed plain data with the defaults filled in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "rgu/experiment/config_ambiguity.hpp"
#include "rgu/experiment/config_model.hpp"
#include "rgu/experiment/config_solver.hpp"
#include "rgu/experiment/config_utility.hpp"

namespace rgu {

struct ProblemConfig {
  std::string name;
  std::string description;
  std::vector<std::uint64_t> seeds = {0, 1, 2, 3, 4};
  ModelConfig model;
  PolicyConfig policy;
  UtilityConfig utility;
  AmbiguityConfig ambiguity;
  GradientConfig gradient;
  SolverConfig solver;
  StoppingConfig stopping;
  OutputConfig output;
};

// Do both say the same for every key?
bool operator==(const ProblemConfig& a, const ProblemConfig& b);

struct ConfigSource {
  std::string name;              // for messages: the file, or the built-in problem
  std::string text;              // TOML
  std::filesystem::path folder;  // where relative paths in the text start; empty: working directory
};

// `overrides` are "table.key=value", applied in order on top of the text. The value is a TOML
// value; what is none is taken as a string. An entry of a list goes by its number:
// "utility.parts.0.weight". A table that the text lacks is made; an inline table replaces all of
// the table it is set to.
//
// Throws InvalidInput with "file:line:column: message" or "--set table.key=value: message" for what
// is no TOML, unknown keys (with the nearest known one), missing keys, wrong types, numbers out of
// range, and keys of another kind than the chosen one. Whether signals, files and dimensions fit
// each other is for make_instance to say.
ProblemConfig read_config(const ConfigSource& source,
                          const std::vector<std::string>& overrides = {});

// Every key with its value, defaults included; read_config of it gives the same config, all doubles
// to the last bit. An optional key without a value is left out.
std::string to_toml(const ProblemConfig& config);

// One key that a problem file may have.
struct KeyHelp {
  std::string table;    // "ambiguity"; empty at the top
  std::string key;      // "radius"
  std::string kind;     // `set = "lp-ball"` where only that kind has the key; else empty
  std::string type;     // "number", "name", "list of names", ..
  std::string initial;  // the default as TOML; "required"; or empty where there is none
  std::string range;    // "> 0", or empty
  std::string help;
  struct Choice {
    std::string name;
    std::string help;
  };
  std::vector<Choice> choices;  // where the value is one of several names
};

// Every key, in the order of the tables.
std::vector<KeyHelp> config_keys();

}  // namespace rgu
