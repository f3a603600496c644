// The plain data of a run as the files of its folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rgu/record/run_folder.hpp"
#include "rgu/record/run_record.hpp"

namespace rgu {

// run.json: everything of the record but the config and the seeds.
void write_about(const RunFolder& folder, const RunRecord& run);

// What is known of one seed at its end.
struct SeedFiles {
  SeedRecord record;    // without its metrics and seconds
  Vector parameters;    // theta of the last iterate
  Matrix drawn_policy;  // (S, A): pi of the uniformly drawn iterate
  Vector drawn_parameters;
  double drawn_envelope = 0;  // Gamma there
  std::string problem;        // problem.json, where a certificate needs it; empty: none
  bool finished = true;       // false: interrupted, to be resumed
};
// The same as files: world.json where it has one of its own, policy.json, worst_case.json,
// problem.json and certificate.json where there are such, and result.json, in this order, so that a
// result stands only beside what it speaks of.
struct FileText {
  std::string name;
  std::string text;
};
std::vector<FileText> seed_texts(const SeedFiles& seed);
void write_seed(const std::filesystem::path& seed_folder, const std::vector<FileText>& texts);

// certificate.json: written where something was proven, after problem.json, unless that is empty.
void write_certificate(const std::filesystem::path& seed_folder,
                       const CertificateRecord& certificate, const std::string& problem);

// The text of certificate.json and what it says. Throws InvalidInput on any other text.
std::string to_text(const CertificateRecord& certificate);
CertificateRecord parse_certificate(std::string_view text);

// What run.json says that the run was made from.
std::string read_fingerprint(const RunFolder& folder);

// Does run.json say that each seed has a problem of its own?
bool has_own_instances(const RunFolder& folder);

// What run.json says of the program that began the run; empty: nothing, as in older folders. Throws
// InvalidInput on runs of another kind, which are replayed by their own commands.
BuildFacts read_build(const RunFolder& folder);

// Has the seed come to its end? One that was interrupted, or never began, has not.
bool is_finished(const std::filesystem::path& seed_folder);

// pi of the last iterate, (S, A), from policy.json.
Matrix read_policy(const std::filesystem::path& seed_folder);

// Throw InvalidInput, naming the file, where it is missing or not as written.
CertificateRecord read_certificate(const std::filesystem::path& seed_folder);
WorstCaseRecord read_worst_case(const std::filesystem::path& seed_folder);
// From result.json; empty: the problem has no limits.
LimitRecord read_limits(const std::filesystem::path& seed_folder);

// The whole record. A seed without a result has the metrics written so far and the status
// "not finished". Throws InvalidInput, naming file and line, on files that are not as written.
RunRecord read_run(const RunFolder& folder);

}  // namespace rgu
