#include "rgu/record/run_files.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "rgu/base/check.hpp"
#include "rgu/record/json_values.hpp"
#include "rgu/record/metrics_file.hpp"
#include "rgu/record/named_files.hpp"

namespace rgu {
namespace {

namespace fs = std::filesystem;

constexpr Index kLongestSide = 1 << 15;
constexpr Index kLargestCount = std::numeric_limits<std::int32_t>::max();

Json to_json(const GridRecord& grid) {
  return {{"rows", grid.rows},
          {"columns", grid.columns},
          {"cell_of_state", grid.cell_of_state},
          {"marks", grid.marks}};
}

// The sides of a grid: small enough that its cells can be counted.
int side_of(const Json& json, std::string_view key) {
  const Index side = number<Index>(json, key);
  check(side >= 1 && side <= kLongestSide, "\"{}\" of the grid is {}, must be 1 to {}", key, side,
        kLongestSide);
  return static_cast<int>(side);
}

GridRecord grid_of(const Json& json) {
  GridRecord grid{.rows = side_of(json, "rows"),
                  .columns = side_of(json, "columns"),
                  .cell_of_state = {},
                  .marks = words(json, "marks")};
  const Index cells = Index{grid.rows} * grid.columns;
  for (const double cell : vector_of(json, "cell_of_state")) {
    check(cell >= 0 && cell < static_cast<double>(cells) && cell == std::floor(cell),
          "\"cell_of_state\" has an entry {}, must be a cell below {}", cell, cells);
    grid.cell_of_state.push_back(static_cast<int>(cell));
  }
  check(static_cast<Index>(grid.marks.size()) == cells, "\"marks\" has {} cells, must have {}",
        grid.marks.size(), cells);
  return grid;
}

void add_world(Json& json, const WorldRecord& world) {
  json["states"] = world.states;
  json["actions"] = world.actions;
  json["nature_rows"] = world.nature_rows;
  json["nature_columns"] = world.nature_columns;
  json["nature_centre"] = rgu::to_json(world.nature_centre);
  json["action_names"] = world.action_names;
  if (world.grid) json["grid"] = to_json(*world.grid);
}

// Small enough that the product of two does not overflow.
Index count_of(const Json& json, std::string_view key) {
  const Index count = number<Index>(json, key);
  check(count >= 0 && count <= kLargestCount, "\"{}\" is {}, must be 0 to {}", key, count,
        kLargestCount);
  return count;
}

void read_world(const Json& json, WorldRecord& world) {
  world.states = count_of(json, "states");
  world.actions = count_of(json, "actions");
  world.nature_rows = count_of(json, "nature_rows");
  world.nature_columns = count_of(json, "nature_columns");
  world.nature_centre = vector_of(json, "nature_centre");
  world.action_names = word_list(json, "action_names");
  if (json.contains("grid")) world.grid = grid_of(json["grid"]);
}

Json to_json(const BuildFacts& facts) {
  Json json = Json::object();
  for (const auto& [name, text] : facts) json[name] = text;
  return json;
}

BuildFacts build_of(const Json& json) {
  check(json.is_object(), "\"build\" is not an object");
  BuildFacts facts;
  for (const auto& [name, text] : json.items()) facts.emplace_back(name, words(json, name));
  return facts;
}

Json to_json(const WitnessPieceRecord& piece) {
  Json json = {{"weight", rgu::to_json(piece.weight)}, {"xi", rgu::to_json(piece.nature)}};
  if (piece.occupancy.size() > 0) json["occupancy"] = rgu::to_json(piece.occupancy);
  if (piece.direction.size() > 0) json["direction"] = rgu::to_json(piece.direction);
  return json;
}

WitnessPieceRecord piece_of(const Json& json) {
  WitnessPieceRecord piece;
  piece.weight = number<double>(json, "weight");
  piece.nature = vector_of(json, "xi");
  if (json.contains("occupancy")) piece.occupancy = matrix_of(json, "occupancy");
  if (json.contains("direction")) piece.direction = vector_of(json, "direction");
  return piece;
}

Json to_json(const WitnessRecord& witness) {
  Json pieces = Json::array();
  for (const WitnessPieceRecord& piece : witness.pieces) pieces.push_back(to_json(piece));
  return {{"shortfall", rgu::to_json(witness.shortfall)},
          {"potential", rgu::to_json(witness.potential)},
          {"pieces", std::move(pieces)}};
}

WitnessRecord witness_of(const Json& json) {
  WitnessRecord witness;
  witness.shortfall = number<double>(json, "shortfall");
  witness.potential = vector_of(json, "potential");
  const Json& pieces = member(json, "pieces");
  check(pieces.is_array() && !pieces.empty(), "\"pieces\" is not a list of at least one piece");
  for (const Json& piece : pieces) witness.pieces.push_back(piece_of(piece));
  return witness;
}

CertificateRecord certificate_of(const Json& json) {
  CertificateRecord certificate{.lower_bound = number<double>(json, "lower_bound"),
                                .best_known = number<double>(json, "best_known"),
                                .gap_asked = Metrics::kNone,
                                .method = words(json, "method"),
                                .witness = {}};
  if (json.contains("gap_asked")) certificate.gap_asked = number<double>(json, "gap_asked");
  if (json.contains("witness")) certificate.witness = witness_of(json["witness"]);
  return certificate;
}

WorstCaseRecord worst_case_of(const Json& json) {
  return {.value = number<double>(json, "value"),
          .kind = answer_kind(words(json, "kind")),
          .gap = number<double>(json, "gap"),
          .method = words(json, "method"),
          .nature = vector_of(json, "nature")};
}

Json to_json(const MixtureRecord& mixture) {
  Json members = Json::array();
  for (const Vector& member : mixture.members) members.push_back(rgu::to_json(member));
  return {{"weights", rgu::to_json(mixture.weights)}, {"members", std::move(members)}};
}

Json to_json(const AdversaryRecord& adversary) {
  Json json = {{"last", rgu::to_json(adversary.last)}, {"drawn", rgu::to_json(adversary.drawn)}};
  if (adversary.average.size() > 0) json["average"] = rgu::to_json(adversary.average);
  if (!adversary.mixture.members.empty()) json["mixture"] = to_json(adversary.mixture);
  return json;
}

MixtureRecord mixture_of(const Json& json) {
  MixtureRecord mixture;
  mixture.weights = vector_of(json, "weights");
  const Matrix members = matrix_of(json, "members");
  check(members.rows() == mixture.weights.size(), "\"members\" has {} rows, must have {}",
        members.rows(), mixture.weights.size());
  for (Index i = 0; i < members.rows(); ++i) mixture.members.emplace_back(members.row(i));
  return mixture;
}

AdversaryRecord adversary_of(const Json& json) {
  AdversaryRecord adversary;
  adversary.last = vector_of(json, "last");
  adversary.drawn = vector_of(json, "drawn");
  if (json.contains("average")) adversary.average = vector_of(json, "average");
  if (json.contains("mixture")) adversary.mixture = mixture_of(json["mixture"]);
  return adversary;
}

// Parts that say nothing are left out.
Json to_json(const LimitRecord& limits) {
  Json json = {{"violation", rgu::to_json(limits.violation)}};
  if (limits.needed.size() > 0) json["needed_multipliers"] = rgu::to_json(limits.needed);
  if (limits.is_infeasible()) {
    json["infeasible"] = {{"combination", rgu::to_json(limits.combination)},
                          {"excess", rgu::to_json(limits.excess)},
                          {"potential", rgu::to_json(limits.potential)}};
  }
  return json;
}

LimitRecord limits_of(const Json& json) {
  LimitRecord limits;
  limits.violation = vector_of(json, "violation");
  if (json.contains("needed_multipliers")) limits.needed = vector_of(json, "needed_multipliers");
  if (!json.contains("infeasible")) return limits;
  const Json& proof = json["infeasible"];
  limits.combination = vector_of(proof, "combination");
  limits.excess = number<double>(proof, "excess");
  limits.potential = vector_of(proof, "potential");
  return limits;
}

// Runs of other kinds say so.
void check_kind(const Json& json) {
  if (!json.contains("kind")) return;
  throw InvalidInput(
      fmt::format("this is an {} run: 'rgu align resume' and 'rgu align report' are for it",
                  words(json, "kind")));
}

void read_about(const Json& json, RunRecord& run) {
  check_kind(json);
  run.name = words(json, "name");
  run.description = words(json, "description");
  run.version = words(json, "version");
  run.fingerprint = words(json, "fingerprint");
  run.method = words(json, "method");
  run.utility = words(json, "utility");
  run.ambiguity = words(json, "ambiguity");
  read_world(json, run);
  run.discount = number<double>(json, "discount");
  check(run.discount >= 0 && run.discount < 1, "\"discount\" is {}, must be in [0, 1)",
        run.discount);
  run.own_instances = member(json, "own_instances") == true;
  run.warnings = word_list(json, "warnings");
  run.notes = word_list(json, "notes");
  if (json.contains("build")) run.build = build_of(json["build"]);
}

bool has_result(const fs::path& folder) {
  return fs::exists(folder / "result.json") && fs::exists(folder / "policy.json") &&
         fs::exists(folder / "worst_case.json");
}

SeedRecord read_seed(const fs::path& folder, std::uint64_t seed) {
  SeedRecord record;
  record.seed = seed;
  record.status = "not finished";
  record.solved = false;
  for_each_line(folder / "metrics.jsonl",
                [&](std::string_view line) { record.metrics.push_back(parse_metrics(line)); });
  for_each_line(folder / "timing.jsonl", [&](std::string_view line) {
    record.seconds.push_back(number<double>(parse_json(line), "seconds"));
  });
  if (!has_result(folder)) return record;
  if (fs::exists(folder / "world.json")) {
    naming(folder / "world.json",
           [&](const Json& json) { read_world(json, record.world.emplace()); });
  }
  naming(folder / "policy.json", [&](const Json& json) {
    record.policy = matrix_of(json, "policy");
    record.occupancy = matrix_of(json, "occupancy");
  });
  naming(folder / "worst_case.json", [&](const Json& json) {
    record.worst_case = worst_case_of(json);
    record.nominal = number<double>(json, "nominal");
    record.baseline_nominal = number<double>(json, "baseline_nominal");
    record.baseline_worst_case = number<double>(json, "baseline_worst_case");
    if (json.contains("published_worst_case")) {
      record.published_worst_case = number<double>(json, "published_worst_case");
    }
  });
  if (fs::exists(folder / "certificate.json")) record.certificate = read_certificate(folder);
  naming(folder / "result.json", [&](const Json& json) {
    record.status = words(json, "status");
    record.solved = member(json, "solved") == true;
    record.notes = word_list(json, "notes");
    if (json.contains("adversary")) record.adversary = adversary_of(json["adversary"]);
    if (json.contains("multipliers")) record.multipliers = vector_of(json, "multipliers");
    if (json.contains("limits")) record.limits = limits_of(json["limits"]);
  });
  return record;
}

}  // namespace

std::string to_text(const CertificateRecord& certificate) {
  Json json = {{"lower_bound", rgu::to_json(certificate.lower_bound)},
               {"best_known", rgu::to_json(certificate.best_known)},
               {"gap_asked", rgu::to_json(certificate.gap_asked)},
               {"method", certificate.method}};
  if (certificate.witness.exists()) json["witness"] = to_json(certificate.witness);
  return json.dump(1) + '\n';
}

CertificateRecord parse_certificate(std::string_view text) {
  return certificate_of(parse_json(text));
}

void write_about(const RunFolder& folder, const RunRecord& run) {
  Json json = {{"name", run.name},
               {"description", run.description},
               {"version", run.version},
               {"fingerprint", run.fingerprint},
               {"method", run.method},
               {"utility", run.utility},
               {"ambiguity", run.ambiguity},
               {"discount", run.discount},
               {"own_instances", run.own_instances},
               {"warnings", run.warnings},
               {"notes", run.notes}};
  if (!run.build.empty()) json["build"] = to_json(run.build);
  add_world(json, run);
  write_file(folder.about(), json.dump(1) + '\n');
}

std::vector<FileText> seed_texts(const SeedFiles& seed) {
  const SeedRecord& record = seed.record;
  const Json policy = {{"parameters", rgu::to_json(seed.parameters)},
                       {"policy", rgu::to_json(record.policy)},
                       {"occupancy", rgu::to_json(record.occupancy)},
                       {"drawn",
                        {{"parameters", rgu::to_json(seed.drawn_parameters)},
                         {"policy", rgu::to_json(seed.drawn_policy)},
                         {"envelope", rgu::to_json(seed.drawn_envelope)}}}};
  Json worst = {{"value", rgu::to_json(record.worst_case.value)},
                {"kind", name_of(record.worst_case.kind)},
                {"gap", rgu::to_json(record.worst_case.gap)},
                {"method", record.worst_case.method},
                {"nominal", rgu::to_json(record.nominal)},
                {"baseline_nominal", rgu::to_json(record.baseline_nominal)},
                {"baseline_worst_case", rgu::to_json(record.baseline_worst_case)},
                {"nature", rgu::to_json(record.worst_case.nature)}};
  if (!std::isnan(record.published_worst_case)) {
    worst["published_worst_case"] = record.published_worst_case;
  }
  Json result = {{"seed", record.seed},     {"status", record.status},
                 {"solved", record.solved}, {"finished", seed.finished},
                 {"notes", record.notes},   {"adversary", to_json(record.adversary)}};
  if (record.multipliers.size() > 0) result["multipliers"] = rgu::to_json(record.multipliers);
  if (record.limits.violation.size() > 0) result["limits"] = to_json(record.limits);
  std::vector<FileText> texts;
  if (record.world) {
    Json world;
    add_world(world, *record.world);
    texts.push_back({"world.json", world.dump(1) + '\n'});
  }
  texts.push_back({"policy.json", policy.dump(1) + '\n'});
  texts.push_back({"worst_case.json", worst.dump(1) + '\n'});
  if (!seed.problem.empty()) texts.push_back({"problem.json", seed.problem});
  if (record.certificate.exists()) {
    texts.push_back({"certificate.json", to_text(record.certificate)});
  }
  texts.push_back({"result.json", result.dump(1) + '\n'});
  return texts;
}

void write_seed(const fs::path& folder, const std::vector<FileText>& texts) {
  for (const auto& [name, text] : texts) write_file(folder / name, text);
}

void write_certificate(const fs::path& folder, const CertificateRecord& certificate,
                       const std::string& problem) {
  if (!problem.empty()) write_file(folder / "problem.json", problem);
  write_file(folder / "certificate.json", to_text(certificate));
}

BuildFacts read_build(const RunFolder& folder) {
  return naming(folder.about(), [](const Json& json) {
    if (json.is_object() && json.contains("kind")) {
      throw InvalidInput(
          fmt::format("this is an {} run: to replay it, give its config.toml to 'rgu align' again, "
                      "with another folder",
                      words(json, "kind")));
    }
    return json.contains("build") ? build_of(json["build"]) : BuildFacts{};
  });
}

std::string read_fingerprint(const RunFolder& folder) {
  return naming(folder.about(), [](const Json& json) {
    check_kind(json);
    return words(json, "fingerprint");
  });
}

bool has_own_instances(const RunFolder& folder) {
  return naming(folder.about(),
                [](const Json& json) { return member(json, "own_instances") == true; });
}

bool is_finished(const fs::path& folder) {
  if (!has_result(folder)) return false;
  return naming(folder / "result.json",
                [](const Json& json) { return member(json, "finished") == true; });
}

CertificateRecord read_certificate(const fs::path& folder) {
  return naming(folder / "certificate.json", [](const Json& json) { return certificate_of(json); });
}

WorstCaseRecord read_worst_case(const fs::path& folder) {
  return naming(folder / "worst_case.json", [](const Json& json) { return worst_case_of(json); });
}

LimitRecord read_limits(const fs::path& folder) {
  return naming(folder / "result.json", [](const Json& json) {
    return json.contains("limits") ? limits_of(json["limits"]) : LimitRecord{};
  });
}

Matrix read_policy(const fs::path& folder) {
  return naming(folder / "policy.json", [](const Json& json) { return matrix_of(json, "policy"); });
}

RunRecord read_run(const RunFolder& folder) {
  RunRecord run;
  naming(folder.about(), [&](const Json& json) { read_about(json, run); });
  run.config = read_text(folder.config());
  for (const std::uint64_t seed : folder.seeds()) {
    run.seeds.push_back(read_seed(folder.seed(seed), seed));
  }
  return run;
}

}  // namespace rgu
