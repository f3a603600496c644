// The sections of the page of one run, as HTML.
#pragma once

#include <string>

#include "rgu/record/run_record.hpp"
#include "rgu/report/curves.hpp"
#include "rgu/report/summary.hpp"

namespace rgu::report {

std::string summary_section(const RunRecord& run, const Summary& summary);
std::string warning_section(const RunRecord& run, const Summary& summary);
std::string result_section(const RunRecord& run, const Summary& summary);
std::string curve_section(const CurveSet& curves, std::size_t seeds);
std::string policy_section(const RunRecord& run, const Summary& summary);
std::string price_section(const RunRecord& run);
std::string nature_section(const RunRecord& run, const Summary& summary);
std::string settings_section(const RunRecord& run);
std::string theory_section(const RunRecord& run);
std::string reproduction_section(const RunRecord& run);

}  // namespace rgu::report
