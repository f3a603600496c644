// rgu certify: how far the policies of a run are from the best possible.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "rgu/base/blas_setup.hpp"
#include "rgu/base/folder_lock.hpp"
#include "rgu/cli/command.hpp"
#include "rgu/cli/run_summary.hpp"
#include "rgu/cli/table.hpp"
#include "rgu/cli/terminal.hpp"
#include "rgu/experiment/certify.hpp"
#include "rgu/record/json_values.hpp"
#include "rgu/record/run_files.hpp"

namespace rgu {
namespace {

struct CertifyArguments {
  std::string run;
  double tolerance = 1e-6;
  bool json = false;
};

// A gap that proves nothing has no size.
std::string percent(double gap, double of) {
  if (!std::isfinite(gap) || of == 0) return "-";
  return fmt::format("{:.2g}%", 100 * std::max(0.0, gap) / std::abs(of));
}

Json to_json(const PolicyCertificate& certificate) {
  const PolicyReport& policy = certificate.policy;
  const GlobalSolution& global = certificate.global;
  return {{"seed", policy.seed},
          {"flow_residual", rgu::to_json(policy.flow_residual)},
          {"nominal", rgu::to_json(policy.nominal)},
          {"worst_case", rgu::to_json(policy.worst_case.value)},
          {"kind", name_of(policy.worst_case.kind)},
          {"lower_bound", rgu::to_json(certificate.record.lower_bound)},
          {"best_known", rgu::to_json(global.value)},
          {"certified", global.status == GlobalStatus::kCertified},
          {"method", global.method},
          {"gap", rgu::to_json(certificate.gap())}};
}

// The report shows what was proven from now on.
void record(const RunFolder& folder, const std::vector<PolicyCertificate>& certificates) {
  for (const PolicyCertificate& certificate : certificates) {
    write_certificate(folder.seed(certificate.policy.seed), certificate.record,
                      certificate.problem);
  }
  write_report(folder, read_run(folder));
}

// One line: how far the policies are from the best possible.
std::string verdict(const std::vector<PolicyCertificate>& certificates) {
  const PolicyCertificate* farthest = nullptr;
  double share = -1;
  for (const PolicyCertificate& certificate : certificates) {
    const double of = std::abs(certificate.record.lower_bound);
    const double here = of > 0 ? std::max(0.0, certificate.gap()) / of : 0;
    if (!(here <= share)) {
      share = here;
      farthest = &certificate;
    }
  }
  const std::string gap = percent(farthest->gap(), farthest->record.lower_bound);
  if (gap == "-") {
    return fmt::format("the policy is within {} of the global optimum, proven",
                       short_number(std::max(0.0, farthest->gap())));
  }
  if (certificates.size() == 1) {
    return fmt::format("this policy is within {} of the global optimum, proven", gap);
  }
  return fmt::format("each policy is within {} of the global optimum, proven (farthest: seed {})",
                     gap, farthest->policy.seed);
}

int certify(const CertifyArguments& arguments) {
  prepare_blas();
  const RunFolder folder = RunFolder::open(arguments.run);
  const FolderLock lock(folder.path());
  remove_partial_files(folder.path());
  std::vector<PolicyCertificate> certificates;
  const ProblemConfig config = read_run_config(folder);
  Json json = Json::array();
  std::vector<TableRow> rows = {
      {"seed", "worst case Γ", "lower bound", "best known", "gap", "relative", "flow residual"}};
  std::string method;
  for (const std::uint64_t seed : seeds_with_policy(folder, config)) {
    const PolicyCertificate& certificate =
        certificates.emplace_back(certify_policy(config, folder, seed, arguments.tolerance));
    const PolicyReport& policy = certificate.policy;
    json.push_back(to_json(certificate));
    method = certificate.global.method;
    rows.push_back({fmt::format("{}", seed),
                    fmt::format("{} ({})", short_number(policy.worst_case.value),
                                name_of(policy.worst_case.kind)),
                    short_number(certificate.record.lower_bound),
                    short_number(certificate.global.value), short_number(certificate.gap()),
                    percent(certificate.gap(), certificate.record.lower_bound),
                    fmt::format("{:.1e}", policy.flow_residual)});
  }
  record(folder, certificates);
  if (arguments.json) {
    say_json(to_text(json));
    return kDone;
  }
  say("{}: each policy is within `gap` of the global optimum\n\n{}{}\nlower bounds: {}, each "
      "proven by planning\n",
      config.name, Lines{table(rows)}, verdict(certificates), method);
  return kDone;
}

}  // namespace

void add_certify(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "certify", "How far the policies of a run are from the best possible, proven");
  auto arguments = std::make_shared<CertifyArguments>();
  command->add_option("run", arguments->run, "Folder of the run")->required()->type_name("RUN");
  command
      ->add_option("--tolerance", arguments->tolerance,
                   "Relative gap of the global optimum itself (default 1e-6)")
      ->type_name("X")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", arguments->json, "Print as JSON");
  command->footer("Example:\n  rgu certify runs/exploration");
  command->callback([arguments, &chosen] { chosen = [arguments] { return certify(*arguments); }; });
}

}  // namespace rgu
