// Runs on the terminal, as JSON, and as a report: from their files alone.
#pragma once

#include <filesystem>
#include <string>

#include "rgu/record/json_values.hpp"
#include "rgu/record/run_folder.hpp"
#include "rgu/record/run_record.hpp"

namespace rgu {

// Gamma with its kind: "-0.1321 (exact)", "0.0310 (certified within 2e-10)", "1.2 (best found)".
std::string text_of(const WorstCaseRecord& worst_case);

// Name, method, warnings, and a table with a line for each seed.
std::string summary(const RunRecord& run);
Json summary_json(const RunRecord& run);

// report.html and figures/*.svg in the run's folder, or the page elsewhere. Returns the page's
// path.
std::filesystem::path write_report(const RunFolder& folder, const RunRecord& run);

}  // namespace rgu
